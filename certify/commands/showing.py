"""`certify build`, `certify run`, `certify explain` and `certify list`: the commands that show."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from certify.options import (
    AlphabetOption,
    AsPrintedOption,
    Attention,
    AttentionOption,
    CausalOption,
    FormulaText,
    GammaOption,
    JsonOption,
    ParenthesizeOption,
    PredicateOption,
    RegimeOption,
    StyleOption,
    SymbolOption,
    TemperatureOption,
    read_formula,
    read_gamma,
    read_model,
    read_regime,
    read_temperature,
)
from certify.terminal import complain, print_json

if TYPE_CHECKING:
    from constructions.language.expressions import Expression
    from constructions.language.syntax import Formula
    from constructions.network.transformer import Transformer
    from constructions.regimes import Regime


def build(
    text: FormulaText,
    output: Annotated[str, typer.Option(
        "-o", "--output", metavar="FILE", help="write the model here; - is standard output")] = "-",
    alphabet: AlphabetOption = None,
    as_formula: Annotated[bool, typer.Option(
        "--as-formula", help="of a program: the transformer of the formula of its output")] = False,
    symbol: SymbolOption = None,
    regime: RegimeOption = "temperature",
    causal: CausalOption = False,
    attention: AttentionOption = "soft",
    gamma: GammaOption = "3",
    predicate: PredicateOption = None,
    as_printed: AsPrintedOption = False,
    temperature: TemperatureOption = None,
) -> None:
    """Write the transformer of FORMULA as JSON.

    A program (.rasp) is compiled to hard attention, which no option changes but --alphabet; with --as-formula, what is
    built is the transformer of the formula of its output.
    """
    from certify.files import check_writable, write_text
    from certify.program_runs import read_program
    from constructions.errors import InputError, Unsupported
    from constructions.network.json_form import transformer_to_json, write_canonical
    from constructions.rasp_to_transformer import compile_program

    check_writable(output)
    program = text.endswith(".rasp")
    if as_formula and not program:
        raise InputError("--as-formula: expected a program (.rasp) beside it")
    try:
        if program and not as_formula:
            refuse_beside_program({"--symbol": symbol, "--regime": regime != "temperature", "--causal": causal,
                                   "--gamma": gamma != "3", "--predicate": predicate, "--as-printed": as_printed,
                                   "--temperature": temperature})
            network = compile_program(read_program(text, alphabet))
        else:
            parsed, symbols = read_formula(text, alphabet, predicate, symbol)
            network = network_of(parsed, symbols, read_regime(regime, causal), read_gamma(gamma), as_printed,
                                 read_temperature(temperature), attention)
    except Unsupported as construct:
        raise typer.Exit(complain(f"unsupported: {construct}", 3)) from None
    write_text(output, write_canonical(transformer_to_json(network)))


def refuse_beside_program(options: dict[str, Any]) -> None:
    """A program is compiled in one way; an option that would be ignored is an error."""
    from constructions.errors import InputError

    for name, value in options.items():
        if value:
            raise InputError(f"{name}: a program is compiled without it, expected --as-formula beside it")


def network_of(formula: Formula, symbols: tuple[str, ...], regime: Regime, gamma: Fraction, as_printed: bool,
               temperature: Expression | None, attention: Attention) -> Transformer:
    """The transformer of a formula with soft or hard attention."""
    from constructions.compiler import compile_formula
    from constructions.errors import InputError
    from constructions.hard_attention import compile_hard

    if attention == "soft":
        return compile_formula(formula, symbols, regime, gamma, as_printed, temperature)
    if temperature is not None:
        raise InputError("--temperature: hard attention has none, expected --attention soft beside it")
    return compile_hard(formula, symbols, regime, gamma, as_printed)


def run(
    subject: Annotated[str, typer.Argument(
        metavar="FORMULA|FILE",
        help="a formula (- is standard input), a model file (.json), a certificate (.cert) or a program (.rasp)")],
    word: Annotated[str, typer.Argument(metavar="WORD", help="symbols run together, or separated by commas")],
    alphabet: AlphabetOption = None,
    regime: RegimeOption = "temperature",
    causal: CausalOption = False,
    gamma: Annotated[str | None, typer.Option(
        "--gamma", metavar="RATIONAL", help="the constant in front of the scores (3; of a model, a factor: 1)")] = None,
    predicate: PredicateOption = None,
    as_printed: AsPrintedOption = False,
    temperature: TemperatureOption = None,
    attention: AttentionOption = "soft",
    style: StyleOption = "ascii",
    as_json: JsonOption = False,
) -> None:
    """Show all truths and attention values on one word.

    The truth of every subformula at every position of WORD, beside its value under soft and under hard attention; of a
    program, what every vector holds.
    """
    from certify.files import check_unicode
    from certify.program_runs import print_program_run, program_run_to_json, run_program_file
    from certify.report import console
    from certify.runs import print_run, run_formula, run_to_json, run_transformer
    from constructions.errors import InputError, Unsupported
    from constructions.language.parser import parse_word
    from constructions.network.sharpening import change_model

    check_unicode(word)
    in_a_file = os.path.isfile(subject) or subject.endswith((".json", ".cert", ".rasp"))
    if in_a_file and attention == "hard":
        raise InputError(f"--attention: {subject} says this itself, expected a formula beside it")
    if subject.endswith(".rasp"):
        traced = run_program_file(subject, word, alphabet)
        if as_json:
            print_json(program_run_to_json(traced))
        else:
            print_program_run(console(), traced)
        return
    if in_a_file:
        network = change_model(read_model(subject), read_gamma(gamma or "1"), read_temperature(temperature))
        result = run_transformer(network, parse_word(word, network.alphabet))
    else:
        parsed, symbols = read_formula(subject, alphabet, predicate)
        letters = parse_word(word, symbols)
        try:
            network = network_of(parsed, symbols, read_regime(regime, causal), read_gamma(gamma or "3"), as_printed,
                                 read_temperature(temperature), attention)
            result = run_transformer(network, letters)
        except Unsupported as construct:
            result = run_formula(parsed, letters, f"truth only, no network: {construct}")
    if as_json:
        print_json(run_to_json(result))
    else:
        print_run(console(), result, style)


def explain(
    text: FormulaText,
    alphabet: AlphabetOption = None,
    symbol: SymbolOption = None,
    gamma: GammaOption = "3",
    predicate: PredicateOption = None,
    as_printed: AsPrintedOption = False,
    style: StyleOption = "ascii",
    parenthesize: ParenthesizeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show how FORMULA would be compiled.

    Its fragment, and for each regime the statements used, sizes, temperatures and position embeddings.
    """
    from certify.explanation import explain_formula, explanation_to_json, print_explanation
    from certify.report import console

    parsed, symbols = read_formula(text, alphabet, predicate, symbol)
    explanation = explain_formula(parsed, symbols, read_gamma(gamma), as_printed)
    if as_json:
        print_json(explanation_to_json(explanation))
    else:
        print_explanation(console(), explanation, style, parenthesize)


def list_all(as_json: JsonOption = False) -> None:
    """List examples, predicates and statements of [SHA]."""
    from certify.demo import listing_to_json, print_listing

    if as_json:
        print_json(listing_to_json())
    else:
        print_listing()
