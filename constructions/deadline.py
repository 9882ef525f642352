"""A deadline that loops look at: when it has passed, the work ends, and of what was not finished nothing is known.

No verdict follows from the time: ``TimeIsUp`` passes through whatever is under way, as an interrupt does, and whoever
set the deadline says what had been finished before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic_ns

NANOSECONDS = 10**9


class TimeIsUp(BaseException):
    """The deadline has passed. No ``Exception``, so that nothing on the way can take it for an answer."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"time is up (--timeout {seconds})")
        self.seconds = seconds


_ends: list[tuple[int, int]] = []
"""The seconds of each deadline that is set, and when it ends; the last one counts."""


@contextmanager
def time_limit(seconds: int | None) -> Iterator[None]:
    """From here on so many seconds may pass; None sets no deadline."""
    if seconds is None:
        yield
        return
    _ends.append((seconds, monotonic_ns() + seconds * NANOSECONDS))
    try:
        yield
    finally:
        _ends.pop()


def has_deadline() -> bool:
    """Whether one is set."""
    return bool(_ends)


def seconds_left() -> int | None:
    """How long another program may take; None if there is no deadline.

    Raises:
        TimeIsUp: if it has passed.
    """
    look_at_the_clock()
    return -((monotonic_ns() - _ends[-1][1]) // NANOSECONDS) if _ends else None


def look_at_the_clock() -> None:
    """Loops that can take long call this in each round.

    Raises:
        TimeIsUp: if the deadline has passed.
    """
    if _ends and monotonic_ns() >= _ends[-1][1]:
        raise TimeIsUp(_ends[-1][0])
