"""Measurement of whole processes: wall time, processor time of the process and its children, and peak memory.

`benchmarks/history.jsonl` has a line for each process measured by `benchmarks/run.py`: the date, the version and commit
of the code, Python, the row, its processor time, the ratio to the physical limit of that machine, and peak memory.
Compare ratios: the machines differ. No test reads it.
"""

import json
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

HISTORY = Path(__file__).resolve().with_name("history.jsonl")


@dataclass(frozen=True)
class Measured:
    """One process: seconds, and the largest memory of one process in MiB; a stopped one was not ``finished``."""

    wall: float
    processor: float
    peak: float
    finished: bool
    output: str

    def seconds(self, value: float) -> str:
        """Return a time, or a lower bound if it was stopped.

        >>> Measured(60, 58.2, 90, False, "").seconds(58.2)
        '> 58.20'
        """
        return f"{'' if self.finished else '> '}{value:.2f}"


def measure(tree: Path, arguments: Sequence[str], limit: float) -> Measured:
    """Run Python on the code of a tree, in an empty folder, for at most ``limit`` seconds of wall time."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as here, subprocess.Popen(
            [sys.executable, *arguments], cwd=here, env={**os.environ, "PYTHONPATH": str(tree)},
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        assert process.stdout
        stop = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
        stop.start()
        output = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        stop.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    return Measured(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024,
                    process.returncode == 0, output)


def origin(tree: Path) -> dict[str, str]:
    """Return the date and the measured version."""
    (version,) = re.findall('^__version__ = "(.+)"$', (tree / "certify" / "__init__.py").read_text("utf-8"), re.M)
    described = subprocess.run(["git", "describe", "--always", "--dirty=+"], cwd=tree, capture_output=True, text=True,
                          check=False)
    return {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "version": version, "commit": described.stdout.strip(),
            "python": platform.python_version()}


def keep(of: dict[str, str], row: str, found: Measured, physical: float) -> None:
    """Append a line; a stopped process is marked."""
    line = of | {"row": row, "finished": found.finished, "processor": round(found.processor, 2),
                 "ratio": round(found.processor / physical, 1), "peak": round(found.peak)}
    with HISTORY.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(line)}\n")
