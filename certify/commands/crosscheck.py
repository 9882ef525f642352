"""`certify crosscheck`: a second solver on the scripts that `certify export --to smt2` wrote."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from certify.common.terminal import complain, show_found
from certify.requests import options as option

if TYPE_CHECKING:
    from rich.console import Console

    from certify.exports.second_solver import SolverAnswer

MOST_SECONDS = 86_400


def crosscheck(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="a folder that certify export --to smt2 wrote")],
    solver: Annotated[Literal["cvc5", "z3"], typer.Option("--solver", help="the solver that reads the "
                                                                           "scripts")] = "cvc5",
    timeout: Annotated[int, typer.Option(
        "--timeout", metavar="S", parser=option.whole_number, help="how many seconds each script may take")] = 60,
) -> None:
    """Ask a second solver about every exported script.

    Exit status: 0 if it confirms what every script states, 1 if it contradicts one of them, 3 if it cannot tell.
    """
    from certify.common.progress import ProgressLine
    from certify.common.verdicts import exit_status
    from certify.exports.manifest import read_manifest
    from certify.exports.second_solver import ask, is_installed, verdict_of
    from constructions.errors import InputError, install

    if not 1 <= timeout <= MOST_SECONDS:
        raise InputError(f"--timeout: {timeout}, expected a number of seconds from 1 to {MOST_SECONDS}")
    scripts = read_manifest(folder)
    if not is_installed(solver):
        raise typer.Exit(complain(f"{solver} is not installed, expected the extra: {install('cvc5')}",
                                  "unknown"))
    start = time.perf_counter()
    answers = []
    with ProgressLine() as progress:
        for answer in ask(solver, folder, scripts, timeout):
            answers.append(answer)
            progress(f"{len(answers)} of {len(scripts)}: {answer.script.file}")
    verdict = verdict_of(answers)
    seconds = time.perf_counter() - start
    show_found(answers, lambda found: _to_json(solver, verdict, found, seconds),
               lambda out, found: _print(out, solver, verdict, found, seconds))
    raise typer.Exit(exit_status(verdict))


def _to_json(solver: str, verdict: str, answers: Sequence[SolverAnswer], seconds: float) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "solver": solver,
        "scripts": [{"file": answer.script.file, "status": answer.script.status, "found": answer.found,
                     "agreement": answer.agreement, "seconds": round(answer.seconds, 3)} for answer in answers],
        "seconds": round(seconds, 3),
    }


def _print(out: Console, solver: str, verdict: str, answers: Sequence[SolverAnswer], seconds: float) -> None:
    from certify.common.terminal_tables import TableColumn, plain, print_table
    from certify.common.words import counted

    print_table(out, [*map(TableColumn, ("script", "stated", solver, "")), TableColumn("proves", folds=True)], [
        (answer.script.file, answer.script.status, answer.found, answer.agreement,
         "the hypotheses are satisfiable" if answer.script.is_probe else answer.script.proves) for answer in answers])
    out.print()
    tally = ", ".join(f"{sum(answer.agreement == word for answer in answers)} {said}" for word, said in (
        ("agrees", "as stated"), ("contradicts", "contradicted"), ("unknown", "unknown")))
    out.print(plain(f"{verdict.upper()}  {solver}, {counted(len(answers), 'script')}: {tally}; {seconds:.2f} s"))
