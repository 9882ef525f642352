"""`certify check`: the independent checker, the one proved in Coq, and a second solver on exported scripts."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from certify.commands.command import refuse_options
from certify.common.look import SUFFIXES_OF_PROGRAMS
from certify.common.progress import ProgressLine
from certify.common.terminal import Json, complain, note, print_json, show_found
from certify.common.verdicts import exit_status
from certify.requests import options as option
from certify.requests.inputs import Options
from certify.requests.options import MOST_SECONDS
from constructions.errors import FormulaError, InputError, install

if TYPE_CHECKING:
    from rich.console import Console

    from certify.exports.second_solver import SolverAnswer

VERIFIED = "certify-check"
"""The checker proved in Coq, as ``certify export --to certify-check`` names it."""

Work = Annotated[int | None, typer.Option(
    "--work", metavar="N", parser=option.whole_number, help="allow N times the default work and memory")]
Estimate = Annotated[bool, typer.Option(
    "--estimate", help="for a decision about a trained network: only estimate how long the check takes")]
Sample = Annotated[int | None, typer.Option(
    "--sample", metavar="K", parser=option.whole_number, help="for such a decision: prove only K of its "
    "obligations")]
Part = Annotated[str | None, typer.Option(
    "--part", metavar="K/M", help="for such a decision: prove only the K-th of M parts")]
Verified = Annotated[bool, typer.Option(
    "--verified", help="by certify-check instead, which is proved in Coq (docs/howto/coq.md)")]
Solver = Literal["cvc5", "z3"]
Crosscheck = Annotated[Solver | None, typer.Option(
    "--crosscheck", help="also run this solver on every script that certify export --to smt2 wrote")]
ScriptTimeout = Annotated[int | None, typer.Option(
    "--script-timeout", metavar="S", parser=option.whole_number, help="with --crosscheck: how many seconds each "
    "script may take (default: 60)")]


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="certificates; - is standard input; "
        "with --crosscheck: a folder that certify export --to smt2 wrote")],
    formula: Annotated[str | None, typer.Option(
        "--formula", metavar="FORMULA", help="reject a certificate of another formula (or program)")] = None,
    given: Annotated[str | None, typer.Option(
        "--given", metavar="FORMULA", help="accept claims about the positions where this holds (default: only about "
        "every position)")] = None,
    symbol: option.Symbol = None,
    dialect: option.Dialect = None,
    predicate: option.Predicate = None,
    alphabet: Annotated[str | None, typer.Option(
        "--alphabet", metavar="SYMBOLS", help="reject a certificate over another alphabet")] = None,
    min_n: Annotated[int | None, typer.Option(
        "--min-n", metavar="N", parser=option.whole_number,
        help="reject a certificate that begins at another length (with --max-n, default: 1)")] = None,
    max_n: Annotated[int | None, typer.Option(
        "--max-n", metavar="N", parser=option.whole_number,
        help="reject a certificate that does not reach this length")] = None,
    regime: Annotated[option.SharpenedBy | None, typer.Option(
        "--regime", help="reject a certificate for another regime")] = None,
    causal: Annotated[bool, typer.Option("--causal", help="reject a certificate that is not causal")] = False,
    work: Work = None,
    estimate: Estimate = False,
    sample: Sample = None,
    part: Part = None,
    jobs: option.Jobs = None,
    verified: Verified = False,
    crosscheck: Crosscheck = None,
    script_timeout: ScriptTimeout = None,
) -> None:
    """Check certificates with the independent checker.

    The same as python -I -S proofs/check FILE..., which needs nothing but the standard library. With --verified the
    program certify-check of the path is run instead. With --crosscheck a second solver reads exported scripts: exit
    status 0 if it confirms what every script states, 1 if it contradicts one of them, 3 if it cannot tell.
    """
    from certify.claims.formula.checking import check_files, print_checks
    from certify.common.shards import read_workers
    from proofs.checking.parts import read_some

    wanted = {"--alphabet": alphabet, "--min-n": min_n, "--max-n": max_n, "--regime": regime, "--work": work}
    if crosscheck is not None:
        others = {"formula": formula, "given": given, "symbol": symbol, "dialect": dialect, "predicate": predicate,
                  "causal": causal, "estimate": estimate, "sample": sample, "part": part, "jobs": jobs}
        refuse_options("--crosscheck reads scripts, which do not take it",
                       {**wanted, **{f"--{name}": value for name, value in others.items()}, "--verified": verified})
        raise typer.Exit(ask_second_solver(files, crosscheck, 60 if script_timeout is None else script_timeout))
    refuse_options("expected --crosscheck, too", {"--script-timeout": script_timeout})
    asked = Options(alphabet, symbol, tuple(predicate or ()), dialect=dialect)
    options = formulas_for_the_checker(formula, given, asked) + ["--causal"] * causal
    options += [str(part) for name, value in wanted.items() if value is not None for part in (name, value)]
    some = read_some(part, sample, estimate)
    if verified:
        raise typer.Exit(ask_verified(options, files, some))
    if not Json.wanted:
        raise typer.Exit(print_checks(options, files, read_workers(jobs).jobs, some))
    report, status = check_files(options, files, read_workers(jobs).jobs, some)
    print_json(report)
    raise typer.Exit(status)


def ask_verified(options: Sequence[str], files: Sequence[str], is_partial: object) -> int:
    """Run the extracted, proved checker; print its output and return the exit status."""
    if is_partial or Json.wanted:
        raise InputError("--verified: takes neither --sample, --part and --estimate nor --json")
    program = shutil.which(VERIFIED)
    if program is None:
        return complain(f"unknown: {VERIFIED} is not on the path; docs/howto/coq.md says how it is built",
                        "unknown")
    sys.stdout.flush()
    return subprocess.run([program, *options, "--", *files], check=False).returncode


def formulas_for_the_checker(formula: str | None, given: str | None, asked: Options) -> list[str]:
    """Return the options of the checker about the formula, the assumption, and the predicates of both."""
    text, definitions = text_for_the_checker(formula, asked)
    options = [] if text is None else ["--formula", text]
    if given is not None:
        text, more = text_for_the_checker(given, replace(asked, symbol=None), "--given")
        options, definitions = [*options, f"--given={text}"], (*definitions, *more)
    return options + [part for definition in dict.fromkeys(definitions) for part in ("--predicate", definition)]


def text_for_the_checker(formula: str | None, options: Options,
                         name: str = "--formula") -> tuple[str | None, tuple[str, ...]]:
    """Return the claimed formula and its predicates as texts that the checker reads.

    They are the user's texts where the checker reads them itself with the same meaning, else printed in the core
    language, the only one it reads. For a program the formula is the program's.
    """
    from certify.requests.ambiguity_notes import is_read_alike
    from certify.requests.request import read_request
    from certify.requests.subjects import SubjectKind
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


# -- a second solver ---------------------------------------------------------------------------------------------------


def ask_second_solver(folders: Sequence[str], solver: Solver, seconds_of_each: int) -> int:
    """Run a second solver on every script of a folder; return the exit status.

    It is 0 if the solver confirms what every script states, 1 if it contradicts one of them, 3 if it cannot tell.
    """
    from certify.exports.manifest import read_manifest
    from certify.exports.second_solver import ask, is_installed, verdict_of

    if not 1 <= seconds_of_each <= MOST_SECONDS:
        raise InputError(f"--script-timeout: {seconds_of_each}, expected a number of seconds from 1 to {MOST_SECONDS}")
    if len(folders) != 1:
        raise InputError(f"--crosscheck: found {len(folders)} folders, expected one")
    (folder,) = folders
    scripts = read_manifest(folder)
    if not is_installed(solver):
        return complain(f"{solver} is not installed, expected the extra: {install('cvc5')}", "unknown")
    start = time.perf_counter()
    answers = []
    with ProgressLine() as progress:
        for answer in ask(solver, folder, scripts, seconds_of_each):
            answers.append(answer)
            progress(f"{len(answers)} of {len(scripts)}: {answer.script.file}")
    verdict = verdict_of(answers)
    seconds = time.perf_counter() - start
    show_found(answers, lambda found: _answers_to_json(solver, verdict, found, seconds),
               lambda out, found: _print_answers(out, solver, verdict, found, seconds))
    return exit_status(verdict)


def _answers_to_json(solver: str, verdict: str, answers: Sequence[SolverAnswer], seconds: float) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "solver": solver,
        "scripts": [{"file": answer.script.file, "status": answer.script.status, "found": answer.found,
                     "agreement": answer.agreement, "seconds": round(answer.seconds, 3)} for answer in answers],
        "seconds": round(seconds, 3),
    }


def _print_answers(out: Console, solver: str, verdict: str, answers: Sequence[SolverAnswer], seconds: float) -> None:
    from certify.common.terminal_tables import TableColumn, plain, print_table
    from certify.common.words import counted

    print_table(out, [*map(TableColumn, ("script", "stated", solver, "")), TableColumn("proves", folds=True)], [
        (answer.script.file, answer.script.status, answer.found, answer.agreement,
         "the hypotheses are satisfiable" if answer.script.is_probe else answer.script.proves) for answer in answers])
    out.print()
    tally = ", ".join(f"{sum(answer.agreement == word for answer in answers)} {said}" for word, said in (
        ("agrees", "as stated"), ("contradicts", "contradicted"), ("unknown", "unknown")))
    out.print(plain(f"{verdict.upper()}  {solver}, {counted(len(answers), 'script')}: {tally}; {seconds:.2f} s"))
