"""`certify explain`: how a formula would be compiled."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from certify.asking.options import (
    AlphabetOption,
    AsPrintedOption,
    DfaOption,
    DialectOption,
    FormulaText,
    GammaOption,
    JsonOption,
    ParenthesizeOption,
    PredicateOption,
    QuietOption,
    RegexOption,
    StyleOption,
    SymbolOption,
    WeightingOption,
)
from certify.commands.finish import say_reading
from certify.frame.terminal import show_found


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
        "--floats", help="also show up to which length float runs of the usual formats are right, and those of a "
        "network built --for bfloat16 (takes seconds; with counts, minutes)")] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show how FORMULA would be compiled.

    Shows its fragment, and for each regime (a way to make softmax sharp) the statements that are used, the sizes,
    temperatures and position embeddings.
    """
    from certify.asking.request import read_request
    from certify.asking.subjects import Kind
    from certify.asking.written import FormulaSubject, Options
    from certify.formula.explanation import explain_floats, explain_formula, explanation_to_json, print_explanation
    from certify.frame.progress import ProgressLine
    from constructions.errors import InputError

    options = Options(alphabet, symbol, tuple(predicate or ()), as_printed=as_printed, gamma=gamma, dialect=dialect,
                      regex=regex, dfa=dfa, weighting=weighting)
    if floats and weighting is not None:
        raise InputError("--floats: float runs are about softmax attention, expected it without --weighting")
    request = read_request(text, options, (Kind.FORMULA, Kind.PROGRAM))
    say_reading(request)
    assert isinstance(request.subject, FormulaSubject), "the request is about a formula"
    explanation = explain_formula(request.subject.formula, request.alphabet, request.gamma, as_printed,
                                  request.subject.weighting)
    if language := getattr(request.subject, "language", None):
        from certify.asking.regular import describe_language

        explanation = replace(explanation, language=describe_language(language))
    if floats:
        with ProgressLine() as progress:
            explanation = explain_floats(explanation, None if gamma is None else request.gamma, progress)
    show_found(explanation, as_json, explanation_to_json,
               lambda out, found: print_explanation(out, found, style, parenthesize))
