"""A second solver, run on every script of a folder, each in a process that can be stopped."""

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from certify.exports.manifest import Script

Solver = Literal["cvc5", "z3"]
READERS: Mapping[Solver, str] = {"cvc5": "by_cvc5.py", "z3": "z3/read_script.py"}
_PROOFS = Path(__file__).resolve().parents[2] / "proofs" / "formula"
DECIDED = ("sat", "unsat")


@dataclass(frozen=True)
class SolverAnswer:
    """The solver's answer to one script: sat, unsat, or the reason for neither."""

    script: Script
    found: str
    seconds: float

    @property
    def agreement(self) -> str:
        """True if it is the stated status."""
        if self.found not in DECIDED:
            return "unknown"
        return "agrees" if self.found == self.script.status else "contradicts"


def is_installed(solver: Solver) -> bool:
    """Return whether this Python can import the solver."""
    return importlib.util.find_spec(solver) is not None


def ask(solver: Solver, folder: str, scripts: Sequence[Script], timeout: int) -> Iterator[SolverAnswer]:
    """Yield the answers in the order of the scripts, as they come; several solvers run at once."""
    executor = ThreadPoolExecutor(os.cpu_count())
    try:
        yield from executor.map(lambda script: _ask_about(solver, folder, script, timeout), scripts)
    finally:
        executor.shutdown(cancel_futures=True)


def _ask_about(solver: Solver, folder: str, script: Script, timeout: int) -> SolverAnswer:
    start = time.perf_counter()
    # -P: no file beside the reader shadows a library
    command = [sys.executable, "-P", str(_PROOFS / READERS[solver]), str(Path(folder).resolve() / script.file)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        found = done.stdout.strip() if done.returncode == 0 else _last_line(done.stderr)
    except subprocess.TimeoutExpired:
        found = f"no answer in {timeout} s"
    return SolverAnswer(script, found or "no answer", time.perf_counter() - start)


def _last_line(complaint: str) -> str:
    """Return the last line of the solver's error message."""
    return (complaint.strip().splitlines() or ["it stopped without an answer"])[-1][:200]


def verdict_of(answers: Sequence[SolverAnswer]) -> str:
    """Return the verdict on all answers."""
    found = {answer.agreement for answer in answers}
    if "contradicts" in found:
        return "contradiction"
    return "unknown" if "unknown" in found else "agreement"
