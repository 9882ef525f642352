"""No test asserts about time: a machine may be busy, and its clock decides nothing here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__)
CLOCKS = re.compile(r"perf_counter|process_time|thread_time|\btime\.time\(|\btimeout=|\bdeadline=")
FILES = sorted(path for path in HERE.parent.rglob("*.py") if path != HERE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(HERE.parent)))
def test_no_file_measures_time_or_gives_up_after_some(path: Path) -> None:
    """Waits end with events (tests/processes.py); examples take as long as they take (tests/conftest.py)."""
    found = [line for line in path.read_text(encoding="utf-8").splitlines() if CLOCKS.search(line)]
    assert found == (["_WITHOUT_CLOCK = settings(deadline=None, database=None, suppress_health_check="
                      "[HealthCheck.too_slow])"] if path.name == "conftest.py" and path.parent == HERE.parent else [])
