"""`certify check` and `certify checker`: the independent checker, as one more command and as one file."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from certify.common.terminal import Json, note, print_json, tell
from certify.requests import options as option
from constructions.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from certify.requests.written import Options
    from proofs.every_n.extracted import OcamlProgram


VERIFIED = "certify-check"
"""The checker that is proved in Coq, as ``certify checker --verified`` names it."""


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="certificates; - is standard input")],
    formula: Annotated[str | None, typer.Option(
        "--formula", metavar="FORMULA", help="reject a certificate of another formula (or program)")] = None,
    given: Annotated[str | None, typer.Option(
        "--given", metavar="FORMULA", help="take claims about the positions where this holds (left out: only about "
        "every position)")] = None,
    symbol: option.Symbol = None,
    dialect: option.Dialect = None,
    predicate: option.Predicate = None,
    alphabet: Annotated[str | None, typer.Option(
        "--alphabet", metavar="SYMBOLS", help="reject a certificate over another alphabet")] = None,
    min_n: Annotated[int | None, typer.Option(
        "--min-n", metavar="N", parser=option.whole_number,
        help="reject a certificate that begins at another length (with --max-n, left out: 1)")] = None,
    max_n: Annotated[int | None, typer.Option(
        "--max-n", metavar="N", parser=option.whole_number,
        help="reject a certificate that does not reach this length")] = None,
    regime: Annotated[option.SharpenedBy | None, typer.Option(
        "--regime", help="reject a certificate for another regime")] = None,
    causal: Annotated[bool, typer.Option("--causal", help="reject a certificate that is not causal")] = False,
    work: Annotated[int | None, typer.Option(
        "--work", metavar="N", parser=option.whole_number, help="allow N times the default work and memory")] = None,
    estimate: Annotated[bool, typer.Option(
        "--estimate", help="for a decision about a trained network: only estimate how long the check takes")] = False,
    sample: Annotated[int | None, typer.Option(
        "--sample", metavar="K", parser=option.whole_number, help="for such a decision: prove only K of its "
        "obligations")] = None,
    part: Annotated[str | None, typer.Option(
        "--part", metavar="K/M", help="for such a decision: prove only the K-th of M parts")] = None,
    jobs: option.Jobs = None,
    verified: Annotated[bool, typer.Option(
        "--verified", help="by certify-check instead, which is proved in Coq (docs/coq.md)")] = False,
) -> None:
    """Check certificates with the independent checker.

    The same as python -I -S proofs/check FILE..., which needs nothing but the standard library. With --verified the
    program certify-check of the path is asked instead.
    """
    from certify.claims.formula.checking import check_files, print_checks
    from certify.common.shards import read_workers
    from certify.requests.written import Options
    from proofs.checking.parts import read_some

    asked = Options(alphabet, symbol, tuple(predicate or ()), dialect=dialect)
    options = formulas_for_the_checker(formula, given, asked)
    wanted = {"--alphabet": alphabet, "--min-n": min_n, "--max-n": max_n, "--regime": regime, "--work": work}
    options += [str(part) for name, value in wanted.items() if value is not None for part in (name, value)]
    options += ["--causal"] * causal
    some = read_some(part, sample, estimate)
    if verified:
        raise typer.Exit(ask_verified(options, files, some))
    processes = read_workers(jobs).jobs
    if not Json.wanted:
        raise typer.Exit(print_checks(options, files, processes, some))
    report, code = check_files(options, files, processes, some)
    print_json(report)
    raise typer.Exit(code)


def ask_verified(options: Sequence[str], files: Sequence[str], is_partial: object) -> int:
    """What the proved checker prints; the exit status."""
    from certify.common.terminal import complain
    from constructions.errors import InputError

    if is_partial or Json.wanted:
        raise InputError("--verified: takes neither --sample, --part and --estimate nor --json")
    program = shutil.which(VERIFIED)
    if program is None:
        return complain(f"unknown: {VERIFIED} is not on the path; docs/coq.md says how it is built",
                        "unknown")
    sys.stdout.flush()
    return subprocess.run([program, *options, "--", *files], check=False).returncode


def formulas_for_the_checker(formula: str | None, given: str | None, asked: Options) -> list[str]:
    """Return the options of the checker about the formula, what may be given, and the predicates that both mention."""
    text, definitions = text_for_the_checker(formula, asked)
    options = [] if text is None else ["--formula", text]
    if given is not None:
        text, more = text_for_the_checker(given, replace(asked, symbol=None), "--given")
        options, definitions = [*options, f"--given={text}"], (*definitions, *more)
    return options + [part for definition in dict.fromkeys(definitions) for part in ("--predicate", definition)]


def text_for_the_checker(formula: str | None, options: Options,
                         name: str = "--formula") -> tuple[str | None, tuple[str, ...]]:
    """The formula that is asked for, and the predicates that it mentions: as they stand if the checker reads them
    itself, and alike, else as they are read here.

    The checker knows the core language only. Of a program it is the program's formula.
    """
    from certify.common.look import SUFFIXES_OF_PROGRAMS
    from certify.requests.readings import is_read_alike
    from certify.requests.request import read_request
    from certify.requests.subjects import SubjectKind
    from constructions.errors import FormulaError, InputError
    from constructions.language.predicates import definitions_of
    from constructions.language.printer import format_formula

    if formula is None:
        for other in {"symbol", "dialect"} & {*options.named}:
            raise InputError(f"--{other}: says how to read --formula, which is missing")
        return None, options.predicates
    try:
        wanted = read_request(formula, options, (SubjectKind.FORMULA, SubjectKind.PROGRAM)).formula
    except FormulaError as error:
        raise InputError(f"{name}: {error}") from None
    assert wanted is not None, "the request is about a formula"
    is_plain = options.symbol is None and options.dialect is None and not formula.endswith(SUFFIXES_OF_PROGRAMS)
    if is_plain and is_read_alike(formula, wanted, options.predicates):
        return formula, options.predicates
    written = format_formula(wanted)
    note(f"{name} is read as {written}")
    return written, tuple(definition.description for definition in definitions_of([wanted]))


# -- the checker as one file, or as an OCaml program -------------------------------------------------------------------


class Numbers(StrEnum):
    """What the numbers of a checker are in OCaml."""

    COQ = "coq"
    ZARITH = "zarith"


def checker(
    output: Annotated[str | None, typer.Option(
        "-o", "--output", metavar="FILE|DIR", parser=option.written_place,
        help="where to write it (left out: check.pyz, certify-every-n with --every-n, certify-check with --verified)")]
    = None,
    every_n: Annotated[bool, typer.Option(
        "--every-n", help="write the checker of the Coq library instead, as an OCaml program in a folder")] = False,
    verified: Annotated[bool, typer.Option(
        "--verified", help="write the checker of certificates that is proved in Coq, as such a program")] = False,
    numbers: Annotated[Numbers | None, typer.Option(
        "--numbers", help="with --verified: numbers as Coq has them (left out: these), or, faster, of Zarith")] = None,
    javascript: Annotated[bool, typer.Option(
        "--javascript", help="with --every-n or --verified: as JavaScript, for the page of a site")] = False,
) -> None:
    """Write the independent checker as one file.

    For somebody who has Python and nothing else: it runs as python -I -S check.pyz CERTIFICATE... and is the same, byte
    for byte, whoever writes it.

    With --every-n: the checker that certify prove runs in Coq, extracted to OCaml: a folder with its sources and the
    program certify-every-n, which reads models and certificates without Coq or Python. With --verified: a checker of
    certificates that is proved in Coq, the program certify-check. Both need coqc and ocamlopt. With --javascript
    the program is a script for the page of a site, certify-every-n.js or certify-check.js, which js_of_ocaml makes.
    """
    from certify.common.places import note_output
    from certify.exports.checker import write_checker

    if every_n and verified:
        raise InputError("--every-n and --verified are two programs, expected one of them")
    if numbers is not None and not verified:
        raise InputError("--numbers: says what the numbers of --verified are, which is missing")
    if javascript and not (every_n or verified):
        raise InputError("--javascript: expected --every-n or --verified, the programs that there are")
    if javascript and numbers is Numbers.ZARITH:
        raise InputError("--javascript: Zarith is no JavaScript, expected --numbers coq")
    if not every_n and not verified:
        if output is None:
            output = "check.pyz"
            note_output("-o", output)
        return write_checker(output)
    program = chosen_program(verified, numbers, javascript)
    if output is None:
        output = program.name.removesuffix(".js")
        note_output("-o", output)
    write_program(output, program)


def chosen_program(verified: bool, numbers: Numbers | None, javascript: bool) -> OcamlProgram:
    """Return the OCaml program that is asked for."""
    from proofs.every_n.extracted import EVERY_N, EVERY_N_IN_PAGES, VERIFIED, VERIFIED_IN_PAGES, VERIFIED_WITH_ZARITH

    if javascript:
        return VERIFIED_IN_PAGES if verified else EVERY_N_IN_PAGES
    if not verified:
        return EVERY_N
    return VERIFIED_WITH_ZARITH if numbers is Numbers.ZARITH else VERIFIED


def write_program(output: str, program: OcamlProgram) -> None:
    """Write the folder."""
    from certify.common.progress import ProgressLine
    from certify.exports.extracted_checkers import write_extracted_checker

    with ProgressLine() as progress:
        place = write_extracted_checker(output, program, progress)
    tell(f"checker in {place}")
