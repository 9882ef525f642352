"""`certify check`: the independent checker, as one more command."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from certify.options import (
    DialectOption,
    JobsOption,
    JsonOption,
    PredicateOption,
    QuietOption,
    SharpenedBy,
    SymbolOption,
    whole_number,
)
from certify.terminal import print_json

if TYPE_CHECKING:
    from certify.request import Options


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="certificates; - is standard input")],
    formula: Annotated[str | None, typer.Option(
        "--formula", metavar="FORMULA", help="reject a certificate of another formula (or program)")] = None,
    symbol: SymbolOption = None,
    dialect: DialectOption = None,
    predicate: PredicateOption = None,
    alphabet: Annotated[str | None, typer.Option(
        "--alphabet", metavar="SYMBOLS", help="reject one over another alphabet")] = None,
    min_n: Annotated[int | None, typer.Option(
        "--min-n", metavar="N", parser=whole_number,
        help="reject one for another least length (with --max-n: 1, if it is not given)")] = None,
    max_n: Annotated[int | None, typer.Option(
        "--max-n", metavar="N", parser=whole_number, help="reject one for another length")] = None,
    regime: Annotated[SharpenedBy | None, typer.Option("--regime", help="reject one of another regime")] = None,
    causal: Annotated[bool, typer.Option("--causal", help="reject one that is not causal")] = False,
    work: Annotated[int | None, typer.Option(
        "--work", metavar="N", parser=whole_number, help="allow N times the default work and memory")] = None,
    estimate: Annotated[bool, typer.Option(
        "--estimate", help="of a decision about a trained network: how long the check takes; proves nothing")] = False,
    sample: Annotated[int | None, typer.Option(
        "--sample", metavar="K", parser=whole_number, help="of such a decision prove K obligations only")] = None,
    part: Annotated[str | None, typer.Option(
        "--part", metavar="K/M", help="of such a decision prove the K-th of M parts only")] = None,
    jobs: JobsOption = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check certificates with the independent checker.

    The same as python -I -S proofs/check FILE..., which needs nothing but the standard library.
    """
    from certify.checking import check_files, print_checks
    from certify.request import Options
    from certify.shards import read_workers

    asked = Options(alphabet, symbol, tuple(predicate or ()), dialect=dialect)
    text, definitions = text_for_the_checker(formula, asked)
    wanted = {"--formula": text, "--alphabet": alphabet,
              "--min-n": min_n, "--max-n": max_n, "--regime": regime, "--work": work,
              "--sample": sample, "--part": part}
    options = [str(part) for name, value in wanted.items() if value is not None for part in (name, value)]
    options += [part for definition in definitions for part in ("--predicate", definition)]
    options += ["--causal"] * causal + ["--estimate"] * estimate
    processes = read_workers(jobs).jobs
    if not as_json:
        raise typer.Exit(print_checks(options, files, processes))
    report, code = check_files(options, files, processes)
    print_json(report)
    raise typer.Exit(code)


def text_for_the_checker(formula: str | None, options: Options) -> tuple[str | None, tuple[str, ...]]:
    """The formula that is asked for, and the predicates that it mentions: as they stand if the checker reads them
    itself, and alike, else as they are read here.

    The checker knows the core language only. Of a program it is the program's formula.
    """
    from certify.files import SUFFIXES_OF_PROGRAMS
    from certify.readings import is_read_alike
    from certify.request import read_request
    from certify.subjects import Kind
    from constructions.errors import FormulaError, InputError
    from constructions.language.predicates import definitions_of
    from constructions.language.printer import format_formula

    if formula is None:
        for name in {"symbol", "dialect"} & {*options.given}:
            raise InputError(f"--{name}: says how a formula is read, expected --formula beside it")
        return None, options.predicates
    try:
        wanted = read_request(formula, options, (Kind.FORMULA, Kind.PROGRAM)).formula
    except FormulaError as error:
        raise InputError(f"--formula: {error}") from None
    assert wanted is not None, "the request is about a formula"
    is_plain = options.symbol is None and options.dialect is None and not formula.endswith(SUFFIXES_OF_PROGRAMS)
    if is_plain and is_read_alike(formula, wanted, options.predicates):
        return formula, options.predicates
    written = format_formula(wanted)
    print(f"certify: note: --formula is read as {written}", file=sys.stderr)
    return written, tuple(definition.description for definition in definitions_of([wanted]))
