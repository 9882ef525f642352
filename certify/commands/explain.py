"""`certify explain`: how a formula would be compiled."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from certify.commands.finish import say_reading
from certify.common.files import write_text
from certify.common.progress import ProgressLine
from certify.common.terminal import show_found
from certify.requests import options as option
from certify.requests.inputs import FormulaSubject
from constructions.errors import InputError

if TYPE_CHECKING:
    from certify.claims.formula.explanation import Explanation
    from constructions.network.transformer import Transformer


@option.with_options("text regex dfa alphabet dialect symbol gamma predicate as_printed weighting")
def explain(
    text: option.FormulaText = None,
    style: option.PrintedStyle = "ascii",
    parenthesize: option.Parenthesize = False,
    floats: Annotated[bool, typer.Option(
        "--floats", help="also show up to which length executions in usual float formats are right, and those of a "
        "network built with --precision bfloat16 (takes seconds; with counts, minutes)")] = False,
    html: Annotated[str | None, typer.Option(
        "--html", metavar="FILE", parser=option.written_file, help="write the same as a page to step through, on a "
        "word that one edits")] = None,
    **written: Any,
) -> None:
    """Explain FORMULA, the network that computes it, and why.

    The formula in words, its truth on three words, what each layer does, and the distance of softmax from hard
    attention; then its fragment, and for each regime (a way to make softmax sharp) the statements that are used, the
    sizes, temperatures and position embeddings.
    """
    from certify.claims.formula.explanation import (
        explain_floats,
        explain_formula,
        explanation_to_json,
        print_explanation,
    )
    from certify.claims.formula.lesson import teach
    from certify.requests.request import read_request
    from certify.requests.subjects import SubjectKind

    options = option.options_of(written)
    if floats and options.weighting is not None:
        raise InputError("--floats: float executions are about softmax attention, expected it without --weighting")
    request = read_request(text, options, (SubjectKind.FORMULA, SubjectKind.PROGRAM))
    say_reading(request)
    assert isinstance(request.subject, FormulaSubject), "the request is about a formula"
    explanation = explain_formula(request.subject.formula, request.alphabet, request.gamma, options.as_printed,
                                  request.subject.weighting)
    if language := getattr(request.subject, "language", None):
        from certify.requests.regular import describe_language

        explanation = replace(explanation, language=describe_language(language))
    with ProgressLine() as progress:
        built = built_first(request.subject, explanation)
        explanation = replace(explanation, lesson=teach(replace(request, subject=built[0]), built[1], progress))
        if floats:
            explanation = explain_floats(explanation, None if options.gamma is None else request.gamma, progress)
    write_lesson(html, explanation, built[1])
    if html == "-":
        return
    show_found(explanation, explanation_to_json,
               lambda out, found: print_explanation(out, found, style, parenthesize))


def write_lesson(place: str | None, explanation: Explanation, network: Transformer | None) -> None:
    """Write the page, if requested."""
    from certify.exports.pages.lesson.page import lesson_page

    if place is not None and explanation.lesson is not None:
        write_text(place, lesson_page(explanation.lesson, explanation.formula, network))


def built_first(subject: FormulaSubject, explanation: Explanation) -> tuple[FormulaSubject, Transformer | None]:
    """Return the subject in the first regime that has a network, and that network."""
    for built in explanation.networks:
        if not isinstance(built.network, str):
            return replace(subject, regime=built.regime), built.network
    return subject, None
