"""Progress of long work for listeners in this process: done and total words, lengths or inputs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Listener = Callable[[str, int, int], None]
"""A function of unit, number done, and greatest total."""
_listeners: list[Listener] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Make this the listener inside the context; the innermost listener is called."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.pop()


def report_progress(unit: str, done: int, total: int) -> None:
    """Report progress to the listener, if there is one."""
    if _listeners:
        _listeners[-1](unit, done, total)
