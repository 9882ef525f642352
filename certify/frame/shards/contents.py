"""Texts that many tasks speak of, such as a network: each worker is given them once, and tasks name them by digest."""

import contextlib
import hashlib
from collections.abc import Iterator, Sequence

_held: dict[str, str] = {}


def digest_of(text: str) -> str:
    """What a task says instead of the text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def content(digest: str) -> str:
    """The text of this digest, in whatever process does the task."""
    return _held[digest]


@contextlib.contextmanager
def held(texts: Sequence[str]) -> Iterator[None]:
    """Tasks that this process does meanwhile may name these texts."""
    before = dict(_held)
    _held.update({digest_of(text): text for text in texts})
    try:
        yield
    finally:
        _held.clear()
        _held.update(before)
