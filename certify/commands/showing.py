"""`certify run`, `certify explain` and `certify list`: the commands that show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from certify.commands.deciding import refuse_options, run_trained
from certify.options import (
    AlphabetOption,
    AsPrintedOption,
    At,
    AtOption,
    AttentionOption,
    CausalOption,
    ClaimOption,
    DfaOption,
    DialectOption,
    FactorOption,
    FormulaText,
    GammaOption,
    JsonOption,
    LongestOption,
    ParenthesizeOption,
    PrecisionOption,
    PredicateOption,
    QuietOption,
    RegexOption,
    RegimeOption,
    Style,
    StyleOption,
    SymbolOption,
    TemperatureOption,
    WeightingOption,
    whole_number,
)
from certify.terminal import print_json, say_reading

if TYPE_CHECKING:
    from certify.request import Request

Section = Literal["examples", "predicates", "statements", "examinations"]


def run(
    subject: Annotated[str | None, typer.Argument(
        metavar="FORMULA|FILE",
        help="a formula (- is standard input), a model file (.json), a certificate (.cert), a program (.rasp, .cr), "
             "or a file with a trained network")] = None,
    word: Annotated[str | None, typer.Argument(
        metavar="WORD", help="symbols run together, or separated by commas or blanks")] = None,
    regex: RegexOption = None,
    dfa: DfaOption = None,
    alphabet: AlphabetOption = None,
    dialect: DialectOption = None,
    at: AtOption = "last",
    regime: RegimeOption = None,
    causal: CausalOption = False,
    gamma: FactorOption = None,
    predicate: PredicateOption = None,
    as_printed: AsPrintedOption = False,
    temperature: TemperatureOption = None,
    attention: AttentionOption = "soft",
    precision: PrecisionOption = None,
    weighting: WeightingOption = None,
    longest: LongestOption = None,
    style: StyleOption = "ascii",
    claim: ClaimOption = None,
    offset: Annotated[int | None, typer.Option(
        "--offset", metavar="K", parser=whole_number, help="of a trained network: the first token's position number")]
    = None,
    head: Annotated[bool, typer.Option("--head", help="of a trained network: the attention of each head, too")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show all truths and attention values on one word.

    The truth of every subformula at every position of WORD, beside its value under soft and under hard attention; of a
    program, what every vector holds. Of a trained network, the logits where the claim judges them, enclosed. A word
    satisfies a formula if it does so at its last position; with --at first, as in LTL on finite words, at its first.
    """
    from certify.deciding.files import is_trained
    from certify.files import check_unicode
    from certify.low_precision import lengths_served
    from certify.request import Options, read_request
    from certify.subjects import Programs

    subject, word = subject_and_word(subject, word, is_language=(regex, dfa) != (None, None))
    check_unicode(word)
    if subject is not None and is_trained(subject):
        refuse_options(f"{subject} holds a trained network, which does not take it", {
            "--alphabet": alphabet, "--dialect": dialect, "--at": at if at != "last" else None,
            "--regime": regime, "--causal": causal, "--gamma": gamma, "--predicate": predicate,
            "--as-printed": as_printed, "--temperature": temperature, "--for": precision, "--weighting": weighting,
            "--max-n": longest,
            "--attention": attention if attention != "soft" else None, "--style": style if style != "ascii" else None})
        run_trained(subject, word, claim, offset, head, as_json)
        return
    refuse_options(f"{subject} holds no trained network, expected one beside it",
                   {"--claim": claim, "--offset": offset, "--head": head})
    options = Options(alphabet, None, tuple(predicate or ()), regime, causal, as_printed, attention, gamma, temperature,
                      precision=precision, dialect=dialect, regex=regex, dfa=dfa, weighting=weighting)
    request = read_request(subject, options, lengths=lengths_served(precision, longest), programs=Programs.RUN)
    say_reading(request)
    show_run(request, word, style, as_json, at)


def subject_and_word(subject: str | None, word: str | None, is_language: bool) -> tuple[str | None, str]:
    """Beside a regular language a single argument is the word."""
    from constructions.errors import InputError

    if word is None and is_language:
        subject, word = None, subject
    if word is None:
        raise InputError("no WORD, expected the symbols of a word after what is run")
    return subject, word


def show_run(request: Request, word: str, style: Style, as_json: bool, at: At = "last") -> None:
    """Run and print what the request is about."""
    from certify.request import ProgramSubject
    from certify.runs_of_words import run_request
    from certify.showing.program_runs import print_program_run, program_run_to_json, run_on_word
    from certify.showing.runs import print_run, run_to_json
    from certify.showing.terminal_tables import console

    if request.formula is None:
        refuse_options("it is about formulas, expected one beside it", {"--at": at if at != "last" else None})
    if isinstance(request.subject, ProgramSubject):
        traced = run_on_word(request.subject.program, word)
        if as_json:
            print_json(program_run_to_json(traced))
        else:
            print_program_run(console(), traced)
        return
    result = run_request(request, word)
    if as_json:
        print_json(run_to_json(result, at))
    else:
        print_run(console(), result, style, at)


def explain(
    text: FormulaText = None,
    regex: RegexOption = None,
    dfa: DfaOption = None,
    alphabet: AlphabetOption = None,
    dialect: DialectOption = None,
    symbol: SymbolOption = None,
    gamma: GammaOption = None,
    predicate: PredicateOption = None,
    as_printed: AsPrintedOption = False,
    weighting: WeightingOption = None,
    style: StyleOption = "ascii",
    parenthesize: ParenthesizeOption = False,
    floats: Annotated[bool, typer.Option(
        "--floats", help="and to which length the usual float runs are right, with a network --for bfloat16; takes "
        "seconds, of counts minutes")] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show how FORMULA would be compiled.

    Its fragment, and for each regime the statements used, sizes, temperatures and position embeddings.
    """
    from certify.progress import ProgressLine
    from certify.request import FormulaSubject, Options, read_request
    from certify.showing.explanation import explain_floats, explain_formula, explanation_to_json, print_explanation
    from certify.showing.terminal_tables import console
    from certify.subjects import Kind
    from constructions.errors import InputError

    options = Options(alphabet, symbol, tuple(predicate or ()), as_printed=as_printed, gamma=gamma, dialect=dialect,
                      regex=regex, dfa=dfa, weighting=weighting)
    if floats and weighting is not None:
        raise InputError("--floats: float runs are those of softmax attention, expected no --weighting beside it")
    request = read_request(text, options, (Kind.FORMULA, Kind.PROGRAM))
    say_reading(request)
    assert isinstance(request.subject, FormulaSubject), "the request is about a formula"
    explanation = explain_formula(request.subject.formula, request.alphabet, request.gamma, as_printed,
                                  request.subject.weighting)
    if language := getattr(request.subject, "language", None):
        from certify.regular import describe_language

        explanation = replace(explanation, language=describe_language(language))
    if floats:
        with ProgressLine() as progress:
            explanation = explain_floats(explanation, None if gamma is None else request.gamma, progress)
    if as_json:
        print_json(explanation_to_json(explanation))
    else:
        print_explanation(console(), explanation, style, parenthesize)


def list_all(
    section: Annotated[Section | None, typer.Argument(
        metavar="SECTION", help="examples, predicates, statements or examinations: what each of them is")] = None,
    everything: Annotated[bool, typer.Option("--all", help="all sections")] = False,
    as_json: JsonOption = False,
) -> None:
    """List examples, predicates and statements of [SHA]."""
    from certify.showing.listing import SECTIONS, listing_to_json, print_listing, print_sections

    names: Sequence[str] = [section] if section else list(SECTIONS)
    if as_json:
        print_json(listing_to_json(names))
    elif section or everything:
        print_sections(names)
    else:
        print_listing()
