"""Examination of a statement: for each length, the instances that decide it there."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from proofs.enclosures.intervals import Interval, point


@dataclass(frozen=True)
class Replay:
    """The demonstration of a refuted instance: a model of the examples, in claims/models, and a word to run it on."""

    model: str
    word: str
    n: int | None = None
    """The length of the instance, if it is not the length of the word."""

    def shows(self, n: int) -> bool:
        """Return whether it demonstrates the instance of length n."""
        return n == (len(self.word) if self.n is None else self.n)


@dataclass(frozen=True)
class Instance:
    """An instance of a statement ``value <= bound``, both sides enclosed.

    ``side`` states the relation: at most the bound, at least the bound, or (if empty) equal to it. ``holds`` is None
    where the enclosures do not decide. ``what`` describes the instance; ``replay`` demonstrates a refuted one, if there
    is a network for it.
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
    """The decision of one statement.

    ``instances(n)`` are those of length (or size) n, worst first if they are ordered. The statement holds at n for
    everything in ``covers`` if all of them hold; the docstring of the module that defines it proves that. ``alone`` is
    the reason why one position needs no decision, if it needs none.
    """

    name: str
    statement: str
    claim: str
    covers: str
    instances: Callable[[int], Instance | Iterable[Instance]]
    alone: str = ""

    def examine(self, n: int) -> Iterable[Instance]:
        """Return the instances that decide the statement at n."""
        if self.alone and n == 1:
            return [Instance(n, True, self.alone, point(Fraction(0)), point(Fraction(0)), side="")]
        found = self.instances(n)
        return [found] if isinstance(found, Instance) else found
