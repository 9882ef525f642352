"""`certify check --crosscheck`: a second solver on the scripts that `certify export --to smt2` wrote."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from certify.common.progress import ProgressLine
from certify.common.terminal import complain, show_found
from certify.common.verdicts import exit_status
from certify.requests.options import MOST_SECONDS
from constructions.errors import InputError, install

if TYPE_CHECKING:
    from rich.console import Console

    from certify.exports.second_solver import SolverAnswer

Solver = Literal["cvc5", "z3"]


def crosscheck(folders: Sequence[str], solver: Solver, seconds_of_each: int) -> int:
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
    show_found(answers, lambda found: _to_json(solver, verdict, found, seconds),
               lambda out, found: _print(out, solver, verdict, found, seconds))
    return exit_status(verdict)


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
