"""`certify run`: one word through a formula, a program or a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from certify.commands.command import refuse_options
from certify.commands.finish import say_reading
from certify.common.files import check_unicode
from certify.common.terminal import show_found
from certify.requests import options as option
from certify.requests.inputs import ProgramSubject, as_option
from constructions.errors import InputError

if TYPE_CHECKING:
    from certify.requests.request import Request


@option.with_options("word regex dfa alphabet dialect at regime causal gamma predicate as_printed temperature "
                     "precision attention", gamma=option.Factor)
def run(
    subject: Annotated[str | None, typer.Argument(
        metavar="FORMULA|FILE",
        help="a formula (- is standard input), a model file (.json), a certificate (.cert), a program (.rasp, .cr), "
             "or a file with a trained network")] = None,
    word: Annotated[str | None, typer.Argument(
        metavar="WORD", help="symbols run together, or separated by commas or blanks")] = None,
    at: option.AtWhich = "last",
    longest: option.Longest = None,
    style: option.PrintedStyle = "ascii",
    claim: option.Claim = None,
    offset: option.Offset = None,
    head: Annotated[bool, typer.Option("--head", help="for a trained network: show attention, too")] = False,
    **written: Any,
) -> None:
    """Show all truths and attention values on one word.

    The truth of every subformula at every position of WORD, beside its value under soft and under hard attention; for a
    program, what every vector holds; for a trained network, the logits where the claim judges them, enclosed. A word
    satisfies a formula if it does so at its last position; with --at first, as in LTL on finite words, at its first.
    """
    from certify.claims.trained.files import is_trained
    from certify.requests.building import lengths_served
    from certify.requests.request import read_request
    from certify.requests.subjects import Programs

    options = option.options_of(written)
    subject, word = subject_and_word(subject, word, options.is_language)
    if subject is not None and is_trained(subject):
        refuse_options(f"{subject} contains a trained network, which does not take this option", {
            **dict.fromkeys(map(as_option, options.named), True), "--at": at != "last", "--max-n": longest,
            "--style": style != "ascii"})
        run_trained(subject, word, claim, offset, head)
        return
    refuse_options(f"{subject} contains no trained network, which this option needs",
                   {"--claim": claim, "--offset": offset, "--head": head})
    request = read_request(subject, options, lengths=lengths_served(options.precision, longest), programs=Programs.RUN)
    say_reading(request)
    show_run(request, word, style, at)


def subject_and_word(subject: str | None, word: str | None, is_language: bool) -> tuple[str | None, str]:
    """Return the subject and the word; beside a regular language a single argument is the word."""
    if word is None and is_language:
        subject, word = None, subject
    if word is None:
        raise InputError("no WORD, expected the symbols of a word after what is run")
    check_unicode(word)
    return subject, word


def show_run(request: Request, word: str, style: option.Style, at: option.At = "last") -> None:
    """Run and print what the request is about."""
    from certify.claims.formula.program_runs import print_program_run, program_run_to_json, run_on_word
    from certify.claims.formula.runs import print_run, run_request, run_to_json

    if request.formula is None:
        refuse_options("this option is about a formula, and there is none", {"--at": at if at != "last" else None})
    if isinstance(request.subject, ProgramSubject):
        traced = run_on_word(request.subject.program, word)
        show_found(traced, program_run_to_json, print_program_run)
        return
    result = run_request(request, word)
    show_found(result, lambda run: run_to_json(run, at), lambda out, run: print_run(out, run, style, at))


def run_trained(subject: str, word: str, claim: str | None, offset: int | None, heads: bool) -> None:
    """Print one word, or one input in tracks, through a trained network; a claim says what letters are."""
    from certify.claims.trained.show_run import print_run_of_any, run_of_any_to_json
    from certify.claims.trained.word_files import read_run

    show_found(read_run(subject, word, claim, offset, heads), run_of_any_to_json, print_run_of_any)
