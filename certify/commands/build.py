"""`certify build`: the network of a subject, as a model file."""

from typing import Annotated

import typer

from certify.asking import options as option
from certify.commands.finish import say_reading
from certify.frame.terminal import complain


def build(
    text: option.FormulaText = None,
    output: Annotated[str, typer.Option(
        "-o", "--output", metavar="FILE", parser=option.written_file,
        help="write the model here; - is standard output")] = "-",
    regex: option.Regex = None,
    dfa: option.Dfa = None,
    alphabet: option.Alphabet = None,
    dialect: option.Dialect = None,
    as_formula: option.AsFormula = False,
    symbol: option.Symbol = None,
    regime: option.Regime = None,
    causal: option.Causal = False,
    gamma: option.Gamma = None,
    predicate: option.Predicate = None,
    as_printed: option.AsPrinted = False,
    temperature: option.Temperature = None,
    precision: option.Precision = None,
    weighting: option.WeightingOrHard = None,
    longest: option.Longest = None,
    quiet: option.Quiet = False,
) -> None:
    """Write the transformer of FORMULA as JSON.

    A program (.rasp) is compiled to hard attention, and --alphabet is the only option that changes that. With
    --as-formula the transformer of the formula of its output is built, the only one that a C-RASP program (.cr) has.
    """
    from certify.asking.low_precision import lengths_served
    from certify.asking.request import read_request
    from certify.asking.subjects import Kind, Programs
    from certify.asking.written import Options
    from certify.frame.files import write_text
    from certify.frame.suffixes import SUFFIXES_OF_PROGRAMS
    from constructions.errors import InputError, Unsupported
    from constructions.network.json_form import transformer_to_json, write_canonical

    if as_formula and not (text or "").endswith(SUFFIXES_OF_PROGRAMS):
        raise InputError("--as-formula: expected it with a program (.rasp or .cr)")
    attention, weighting = option.attention_and_weighting(weighting)
    options = Options(alphabet, symbol, tuple(predicate or ()), regime, causal, as_printed, attention, gamma,
                      temperature, precision=precision, dialect=dialect, regex=regex, dfa=dfa, weighting=weighting)
    programs = Programs.FORMULA if as_formula else Programs.COMPILED
    try:
        request = read_request(text, options, (Kind.FORMULA, Kind.PROGRAM), lengths_served(precision, longest),
                               programs=programs)
        say_reading(request)
        network = request.network
    except Unsupported as construct:
        raise typer.Exit(complain(f"unsupported: {construct}", "unsupported")) from None
    write_text(output, write_canonical(transformer_to_json(network)))
