"""Deadlines: when one has passed, the work ends; unfinished parts have no result.

No verdict depends on time: ``TimeIsUp`` propagates like a keyboard interrupt, and the caller that set the deadline
reports what had been finished. A system alarm raises it, so that no stage needs to poll the clock. Loops check the
deadline where there are no alarms (in threads, on Windows) and where an alarm was lost.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, monotonic_ns
from types import FrameType

from constructions.errors import WithoutAnswer

NANOSECONDS = 10**9


class TimeIsUp(WithoutAnswer):
    """The deadline has passed. Not an ``Exception``, so that no handler on the way takes it for an answer."""

    before = "no verdict: "

    def __init__(self, seconds: int) -> None:
        super().__init__(f"time is up (--timeout {seconds})")
        self.seconds = seconds


_ends: list[tuple[int, int]] = []
"""Seconds and end (monotonic, in nanoseconds) of each deadline that is set; the earliest end counts."""


@contextmanager
def time_limit(seconds: int | None) -> Iterator[None]:
    """Set a deadline this number of seconds from now; None sets no deadline."""
    if seconds is None:
        yield
        return
    _ends.append((seconds, monotonic_ns() + seconds * NANOSECONDS))
    try:
        with _alarm(seconds):
            yield
    finally:
        _ends.pop()


@contextmanager
def _alarm(seconds: int) -> Iterator[None]:
    """Raise ``TimeIsUp`` in this thread once, when the seconds have passed."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise TimeIsUp(seconds)

    left, _ = signal.getitimer(signal.ITIMER_REAL)
    if 0 < left <= seconds:  # the alarm of an enclosing deadline fires first
        yield
        return
    before, start = signal.signal(signal.SIGALRM, ring), monotonic()
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (monotonic() - start), 1 / 1000))


def has_deadline() -> bool:
    """Return whether a deadline is set."""
    return bool(_ends)


def seconds_left() -> int | None:
    """Return the whole seconds left, rounded up; None without a deadline.

    Raises:
        TimeIsUp: if the deadline has passed.
    """
    check_deadline()
    return -((monotonic_ns() - min(end for _, end in _ends)) // NANOSECONDS) if _ends else None


def check_deadline() -> None:
    """Check the deadline; loops that can take long call this in each round.

    Raises:
        TimeIsUp: if the deadline has passed.
    """
    if _ends:
        end, seconds = min((end, seconds) for seconds, end in _ends)
        if monotonic_ns() >= end:
            raise TimeIsUp(seconds)
