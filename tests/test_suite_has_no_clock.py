"""No test asserts about time: a machine may be busy, and its clock decides nothing here."""

import re
from pathlib import Path

HERE = Path(__file__)
CLOCKS = re.compile(r"perf_counter|process_time|thread_time|\btime\.time\(|\btimeout=|\bdeadline=")
ALLOWED = {"conftest.py: _WITHOUT_CLOCK = settings(deadline=None, database=None, suppress_health_check="
           "[HealthCheck.too_slow])"}


def test_no_file_measures_time_or_gives_up_after_some() -> None:
    """Waits end with events (tests/processes.py); examples take as long as they take (tests/conftest.py)."""
    found = {f"{path.relative_to(HERE.parent)}: {line}" for path in HERE.parent.rglob("*.py") if path != HERE
             for line in path.read_text(encoding="utf-8").splitlines() if CLOCKS.search(line)}
    assert found == ALLOWED
