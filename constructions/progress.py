"""Progress of long work, told to whoever listens in this process: so many of so many words, lengths or inputs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Listener = Callable[[str, int, int], None]
"""Is given a unit, how many are done, and of how many at most."""
_listeners: list[Listener] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Within, this listener is told; the innermost one is."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.pop()


def tell(unit: str, done: int, total: int) -> None:
    """Tell the listener, if there is one, how far the work is."""
    if _listeners:
        _listeners[-1](unit, done, total)
