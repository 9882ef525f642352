"""`certify model`: decide what a file with a transformer calls for; the option texts of its three questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from certify.commands.command import refuse_options
from certify.commands.finish import end, prove_in_time
from certify.commands.soften import soften
from certify.common.files import read_text
from certify.common.partial_answer import answer_in_time
from certify.common.progress import ProgressLine
from certify.common.terminal import check_file
from certify.requests import options as option
from certify.requests.inputs import Options, as_option
from constructions.errors import InputError
from constructions.network.lengths import Lengths

if TYPE_CHECKING:
    from rich.console import Console

    from certify.requests.subjects import NamedSubject

MEANINGS, SIGN, SOFTMAX = "meanings", "sign", "softmax"
ASKED: Mapping[str, str] = {
    MEANINGS: "does every direction hold what its meaning says",
    SIGN: "is the sign of the output right, and how far is it from the threshold",
    SOFTMAX: "how far does softmax move the result of hard attention",
}
"""The three questions, as the first line of the output states them."""
TITLES: Mapping[str, str] = {
    MEANINGS: "Options about meanings", SIGN: "Options about the sign of the output",
    SOFTMAX: "Options about hard attention"}


def optional(question: str, name: str, text: str, metavar: str | None = None, kind: Any = str | None,
             **settings: Any) -> Any:
    """Return the annotation of an option that belongs to one question."""
    return option.flag(name, text, metavar, kind, rich_help_panel=TITLES[question], **settings)


def shared(question: str, annotation: Any) -> Any:
    """Return an option of other commands, among those of one question."""
    found = copy(annotation.__metadata__[0])
    found.rich_help_panel = TITLES[question]
    return Annotated[annotation.__origin__, found]


OF_MEANINGS: Mapping[str, Any] = {
    "given": shared(MEANINGS, option.Given), "float": shared(MEANINGS, option.Float),
    "effort": optional(MEANINGS, "--effort", "search K times as long for a counterexample (default: 1)", "K",
                       int | None, parser=option.effort),
    "style": optional(MEANINGS, "--style", "how formulas are printed (default: ascii)", kind=option.Style | None),
    "parenthesize": shared(MEANINGS, option.Parenthesize),
}
OF_SIGN: Mapping[str, Any] = {
    "formula": optional(SIGN, "--formula", "the formula that the sign of the output states (default: the one in the "
                        "file)", "FORMULA"),
    "at": optional(SIGN, "--at", "which letter the output is about: the first or last one, read at the first or last "
                   "position of the whole sequence; or every letter, read at its own position (default: last)",
                   kind=option.At | None),
    "before": optional(SIGN, "--before", "symbols before every word, such as $", "SYMBOLS"),
    "after": optional(SIGN, "--after", "symbols after every word", "SYMBOLS"),
    "threshold": optional(SIGN, "--threshold", "where the output changes its answer (default: 0; 1/2 if it means a "
                          "truth)", "RATIONAL"),
    "margin": optional(SIGN, "--margin", "least distance of outputs from the threshold, for n letters: 1/10, 1/(4*n) "
                       "(default: 0)", "EXPRESSION"),
    "norm": optional(SIGN, "--norm", "add a layer norm after both parts of every layer, with this epsilon: 0, 1/100000 "
                     "(default: no norm)", "EPSILON"),
    "gamma": optional(SIGN, "--gamma", "multiply all scores by this (default: 1)", "NUMBER"),
    "predicate": shared(SIGN, option.Predicate),
}
OF_SOFTMAX: Mapping[str, Any] = {
    "weighting": optional(SOFTMAX, "--weighting", "the weighting that replaces hard attention: softmax (default), or "
                          "sparsemax or entmax-1.5, which are claimed to equal it exactly", "NAME"),
    "critical": optional(SOFTMAX, "--critical", "at which lengths to bracket critical temperatures: 4,8, or all, or "
                         "none (default: N)", "LENGTHS"),
    "break_ties": optional(SOFTMAX, "--break-ties", "add a term that breaks ties to leftmost and rightmost heads that "
                           "tie", kind=bool),
    "every_n": optional(SOFTMAX, "--every-n", "prove it for words of every length, by Coq, where the gap is 1/n",
                        kind=bool),
    "softmax": optional(SOFTMAX, "--softmax", "write the transformer with softmax here, as a model file", "FILE",
                        parser=option.written_file),
    "jobs": shared(SOFTMAX, option.Jobs), "dask": shared(SOFTMAX, option.Dask),
    "store": optional(SOFTMAX, "--store", "keep finished parts of the work in this folder, and reuse those that are "
                      "there", "DIR", parser=option.written_place),
    "examples": optional(SOFTMAX, "--examples", "in place of FILE: decide every shipped example", kind=bool),
    "resume": optional(SOFTMAX, "--resume", "the same as --store .certify-shards", kind=bool),
}
OF_SIGN_AND_SOFTMAX: Mapping[str, Any] = {
    "temperature": option.Temperature,
    "alphabet": Annotated[str | None, typer.Option(
        "--alphabet", metavar="SYMBOLS", help="the symbols of words (default: all of a program; of a network, those "
        "not in --before and --after)")]}
OPTIONS: Mapping[str, Mapping[str, Any]] = {MEANINGS: OF_MEANINGS, SIGN: OF_SIGN, SOFTMAX: OF_SOFTMAX}
ALL = {**OF_SIGN_AND_SOFTMAX, **OF_MEANINGS, **OF_SIGN, **OF_SOFTMAX}


@option.with_options(f"path max_n min_n output {' '.join(ALL)}", ALL)
def model(
    path: Annotated[str | None, typer.Argument(
        metavar="FILE", help="a model file (.json), a certificate (.cert) or a program (.rasp); - is standard "
                             "input")] = None,
    max_n: Annotated[int | None, typer.Option(
        "--max-n", metavar="N", parser=option.whole_number, help="cover all words up to this length (default: 64; of "
        "hard attention 6)")] = None,
    min_n: option.MinN = 1,
    output: Annotated[str | None, typer.Option(
        "-o", "--output", metavar="FILE", parser=option.written_place, help="write the certificate here; - is "
        "standard output (with --examples: a folder for all)")] = None,
    **asked: Any,
) -> None:
    """Decide what a transformer in a file computes.

    The file, or an option of one of the lists below, says which question is decided; the first line of the output
    repeats it. Softmax attention: whether every named direction holds what its meaning says, at every position of every
    word up to length N. An output whose sign is the answer (--formula, --threshold and others): whether it is above the
    threshold where the formula holds and below it elsewhere, by more than the margin. Hard attention: whether softmax,
    at the temperature of [SHA] Theorem 26 or at the one given, moves nothing by more than 1/4.
    """
    subject = None if asked["examples"] else find_model(path)
    question = SOFTMAX if subject is None else choose_question(subject, asked)
    refuse_others(question, path, min_n, asked)
    print_on = print_question(question)
    if question == SOFTMAX:
        soften(subject, max_n, output, asked, print_on)
    assert subject is not None, "only hard attention has examples of its own"
    check_file(output)
    decide = decide_meanings if question == MEANINGS else decide_sign
    decide(subject, (min_n, 64 if max_n is None else max_n), output, asked)


def find_model(path: str | None) -> NamedSubject:
    """Return what the path names; standard input is read here, once.

    Raises:
        InputError: if it is not a network or a program.
    """
    from certify.requests.subjects import STANDARD_INPUT, SubjectKind, find_subject

    if path is None:
        raise InputError("no FILE, expected a model file (.json), a certificate (.cert) or a program (.rasp)")
    found = find_subject(path, (SubjectKind.PROGRAM, SubjectKind.NETWORK))
    return replace(found, content=read_text(path)) if path == STANDARD_INPUT else found


def choose_question(subject: NamedSubject, asked: Mapping[str, Any]) -> str:
    """Return the question that the options select, or the one that fits the file."""
    from certify.requests.subjects import SubjectKind

    given = [question for question, options in OPTIONS.items() if any(asked[name] for name in options)]
    if subject.kind is SubjectKind.PROGRAM or (not given and has_hard_attention(subject)):
        return SOFTMAX
    if given:
        return given[0]
    return SIGN if any(asked[name] for name in OF_SIGN_AND_SOFTMAX) else MEANINGS


def refuse_others(question: str, path: str | None, min_n: int, asked: Mapping[str, Any]) -> None:
    """Refuse the options that the question does not take, which would be ignored."""
    names = [name for each, options in OPTIONS.items() if each != question for name in options]
    names += OF_SIGN_AND_SOFTMAX if question == MEANINGS else ()
    others: dict[str, object] = {as_option(name): asked[name] for name in names}
    if question == SOFTMAX:
        others["--min-n"] = min_n > 1
    if asked["examples"]:
        others["FILE"] = path
    refuse_options(f"the question is: {ASKED[question]}? It does not take this option", others)


def has_hard_attention(subject: NamedSubject) -> bool:
    """Return whether a head of the network has hard attention; False where the file cannot be read."""
    from certify.requests.subjects import read_network

    try:
        network = read_network(subject)
    except InputError:
        return False  # the reader of the question complains
    return any(head.weighting.is_hard for layer in network.layers for head in layer.heads)


def print_question(question: str, print_on: Callable[[Console, Any], None] = lambda out, found: None) -> Callable[
        [Console, Any], None]:
    """Return a function that prints the question, and then what was found."""
    def printed(out: Console, found: Any) -> None:
        from certify.common.terminal_tables import plain

        out.print(plain(f"question  {ASKED[question]}?"))
        print_on(out, found)
    return printed


def decide_meanings(subject: NamedSubject, lengths: tuple[int, int], output: str | None,
                    asked: Mapping[str, Any]) -> None:
    """Decide whether every named direction holds what its meaning says."""
    from certify.claims.floats.models import read_model
    from certify.claims.formula.show import outcome_to_json, print_outcome
    from certify.requests.request import read_request
    from certify.requests.subjects import SubjectKind

    options = Options(given=asked["given"])
    request = read_request(subject, options, taken=(SubjectKind.NETWORK,), lengths=Lengths(*lengths))
    effort = 1 if asked["effort"] is None else asked["effort"]
    runs = None if asked["float"] is None else read_model(asked["float"])
    found = prove_in_time(request, effort, runs)
    end(found, outcome_to_json, print_question(MEANINGS, lambda out, found: print_outcome(
        out, found, asked["style"] or "ascii", asked["parenthesize"])), output)


def decide_sign(subject: NamedSubject, lengths: tuple[int, int], output: str | None, asked: Mapping[str, Any]) -> None:
    """Decide the sign of the output, in classes of words that the network cannot tell apart."""
    from certify.claims.margins.answer import answer
    from certify.claims.margins.question import MarginOptions, read_question
    from certify.claims.margins.show import answer_to_json, print_answer

    named = {name: asked[name] for name in (*OF_SIGN, *OF_SIGN_AND_SOFTMAX)}
    options = MarginOptions(**{**named, "predicate": tuple(asked["predicate"] or ()), "at": asked["at"] or "last"})
    question = read_question(subject, options, Lengths(*lengths))
    with ProgressLine() as progress:
        found = answer_in_time(question.claim.lengths, lambda some: answer(question.about(some), progress))
    end(found, answer_to_json, print_question(SIGN, print_answer), output)
