"""`certify sensitivity`: the largest change when one symbol of a word is exchanged."""

from __future__ import annotations

from typing import Annotated

import typer

from certify.options import (
    AlphabetOption,
    AsPrintedOption,
    At,
    AttentionOption,
    CausalOption,
    DfaOption,
    DialectOption,
    FactorOption,
    JsonOption,
    MaxNOption,
    MinNOption,
    PrecisionOption,
    PredicateOption,
    RegexOption,
    RegimeOption,
    SymbolOption,
    TemperatureOption,
)
from certify.terminal import complain, print_json, say_reading


def sensitivity(
    subject: Annotated[str | None, typer.Argument(
        metavar="FORMULA|FILE", help="a formula (- is standard input), a program (.rasp, .cr), a model file (.json) or "
        "a certificate")] = None,
    max_n: MaxNOption = 16,
    min_n: MinNOption = 1,
    lengths: Annotated[str | None, typer.Option(
        "--lengths", metavar="LENGTHS", help="measure at 4,8,16, or all (left out: up to 8, powers of two, N)")] = None,
    at: Annotated[At, typer.Option("--at", help="the position where a change counts")] = "last",
    direction: Annotated[str | None, typer.Option(
        "--direction", metavar="NAME", help="the direction that changes (left out: the output)")] = None,
    regex: RegexOption = None,
    dfa: DfaOption = None,
    alphabet: AlphabetOption = None,
    dialect: DialectOption = None,
    as_formula: Annotated[bool, typer.Option(
        "--as-formula", help="of a program: the transformer of the formula of its output")] = False,
    symbol: SymbolOption = None,
    regime: RegimeOption = None,
    causal: CausalOption = False,
    attention: AttentionOption = "soft",
    gamma: FactorOption = None,
    predicate: PredicateOption = None,
    as_printed: AsPrintedOption = False,
    temperature: TemperatureOption = None,
    precision: PrecisionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what the exchange of one symbol changes.

    For words of each length and each position of the exchange: the largest change of the output, exactly where that can
    be decided, else between a bound that is proved and two words that are replayed. docs/sensitivity.md says what is
    claimed.
    """
    from certify.measuring.measure import measure
    from certify.measuring.show import print_sensitivity, sensitivity_to_json
    from certify.progress import ProgressLine
    from certify.quantities import read_lengths_to_bracket
    from certify.request import Options, read_request
    from certify.showing.terminal_tables import console
    from certify.subjects import Programs
    from certify.verdicts import exit_status
    from constructions.errors import Unsupported
    from constructions.network.lengths import Lengths

    options = Options(alphabet, symbol, tuple(predicate or ()), regime, causal, as_printed, attention, gamma,
                      temperature, precision=precision, dialect=dialect, regex=regex, dfa=dfa)
    every = Lengths(min_n, max_n)
    numbers = None if lengths is None else read_lengths_to_bracket(lengths, every, "--lengths")
    programs = Programs.FORMULA if as_formula else Programs.COMPILED
    try:
        request = read_request(subject, options, lengths=every, programs=programs)
        say_reading(request)
        with ProgressLine() as progress:
            found = measure(request, at, direction, numbers, progress)
    except Unsupported as construct:
        raise typer.Exit(complain(f"unsupported: {construct}", exit_status("unsupported"))) from None
    if as_json:
        print_json(sensitivity_to_json(found))
    else:
        print_sensitivity(console(), found)
    raise typer.Exit(found.exit_code)
