"""What was measured so far: `benchmarks/history.jsonl`, a line for each process that `benchmarks/run.py` measured.

A line has the date, the version and commit of the code, Python, the row, its processor time, how many times the
physical limit of that machine this is, and peak memory. Compare ratios: the machines differ. No test reads it.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measuring import Measured

PLACE = Path(__file__).resolve().with_suffix(".jsonl")


def origin(tree: Path) -> dict[str, str]:
    """When, and of what."""
    (version,) = re.findall('^__version__ = "(.+)"$', (tree / "certify" / "__init__.py").read_text("utf-8"), re.M)
    said = subprocess.run(["git", "describe", "--always", "--dirty=+"], cwd=tree, capture_output=True, text=True,
                          check=False)
    return {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "version": version, "commit": said.stdout.strip(),
            "python": platform.python_version()}


def keep(of: dict[str, str], row: str, found: Measured, physical: float) -> None:
    """Add a line; a process that was stopped is kept as such."""
    line = of | {"row": row, "finished": found.finished, "processor": round(found.processor, 2),
                 "ratio": round(found.processor / physical, 1), "peak": round(found.peak)}
    with PLACE.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(line)}\n")
