"""One line on standard error while work takes longer than a second."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from time import monotonic
from types import TracebackType

from constructions.deadline import check_deadline

_silent = [False]
"""A stack of flags: whether progress is suppressed."""


@contextlib.contextmanager
def silence(wanted: bool = True) -> Iterator[None]:
    """Suppress progress within the context, if ``wanted``."""
    _silent.append(wanted)
    try:
        yield
    finally:
        _silent.pop()


def is_silent() -> bool:
    """Return whether progress is suppressed."""
    return _silent[-1]


class ProgressLine:
    """A display of the latest message, at most five times a second, cleared at the end; silent for short work.

    On a terminal the line is overwritten; elsewhere a new line appears every ten seconds.
    """

    def __init__(self) -> None:
        self._start = self._shown = monotonic()
        self._terminal = sys.stderr.isatty()
        self._interval = 0.2 if self._terminal else 10.0
        self._dirty = False

    def __call__(self, message: str) -> None:
        """Show what is being done, if there is time left.

        Raises:
            TimeIsUp: if there is not.
        """
        check_deadline()
        now = monotonic()
        first = not self._dirty and now - self._start > 1
        if is_silent() or not (first or (self._dirty and now - self._shown > self._interval)):
            return
        self._shown, self._dirty = now, True
        text = f"certify: {now - self._start:.0f} s: {message}"
        sys.stderr.write(f"\r\033[K{text[:110]}" if self._terminal else text[:200] + "\n")
        sys.stderr.flush()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._dirty and self._terminal:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
