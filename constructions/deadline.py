"""A deadline: when it has passed, the work ends, and of what was not finished nothing is known.

No verdict follows from the time: ``TimeIsUp`` passes through whatever is under way, as an interrupt does, and whoever
set the deadline says what had been finished before. An alarm of the system raises it, so that no stage can forget to
look at the clock; loops look at it where there are no alarms (in threads, and on Windows), and where one was lost.
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
    """The deadline has passed. No ``Exception``, so that nothing on the way can take it for an answer."""

    before = "no verdict: "

    def __init__(self, seconds: int) -> None:
        super().__init__(f"time is up (--timeout {seconds})")
        self.seconds = seconds


_ends: list[tuple[int, int]] = []
"""The seconds of each deadline that is set, and when it ends; the first one to end counts."""


@contextmanager
def time_limit(seconds: int | None) -> Iterator[None]:
    """From here on so many seconds may pass; None sets no deadline."""
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
    """Raise ``TimeIsUp`` here after so many seconds, once."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise TimeIsUp(seconds)

    left, _ = signal.getitimer(signal.ITIMER_REAL)
    if 0 < left <= seconds:  # that of another deadline rings before
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
    """Whether one is set."""
    return bool(_ends)


def seconds_left() -> int | None:
    """How long another program may take; None if there is no deadline.

    Raises:
        TimeIsUp: if it has passed.
    """
    look_at_the_clock()
    return -((monotonic_ns() - min(end for _, end in _ends)) // NANOSECONDS) if _ends else None


def look_at_the_clock() -> None:
    """Loops that can take long call this in each round.

    Raises:
        TimeIsUp: if the deadline has passed.
    """
    if _ends:
        end, seconds = min((end, seconds) for seconds, end in _ends)
        if monotonic_ns() >= end:
            raise TimeIsUp(seconds)
