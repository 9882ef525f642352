"""What it means to examine a statement: for each length, instances that decide it there."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from proofs.enclosures.intervals import Interval


@dataclass(frozen=True)
class Replay:
    """What shows a refuted instance: a model among the examples, in claims/models, and a word to run it on."""

    model: str
    word: str


@dataclass(frozen=True)
class Instance:
    """One instance of a statement that says ``value <= bound``, both sides enclosed: ``side`` says that the value is to
    be at most the bound, at least the bound, or (if it is empty) equal to it.

    ``holds`` is None where the enclosures do not decide. ``what`` says in words which instance it is; ``replay`` shows
    a refuted one, if there is such a network.
    """

    n: int
    holds: bool | None
    what: str
    value: Interval
    bound: Interval
    replay: Replay | None = None
    side: Literal["", "at most", "at least"] = "at most"


@dataclass(frozen=True)
class Examination:
    """How one statement is decided.

    ``examine(n)`` yields instances of length (or size) n, worst first if they are ordered; the statement holds at n for
    everything that ``covers`` names if all of them hold, and the docstring of the module that defines it says why.
    """

    name: str
    statement: str
    claim: str
    covers: str
    examine: Callable[[int], Iterable[Instance]]
