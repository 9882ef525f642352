"""What it means to examine a statement: for each length, instances that decide it there."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from proofs.enclosures.intervals import Interval, point


@dataclass(frozen=True)
class Replay:
    """What shows a refuted instance: a model among the examples, in claims/models, and a word to run it on."""

    model: str
    word: str
    n: int | None = None
    """The length of the instance that it shows, if not that of the word."""

    def shows(self, n: int) -> bool:
        """Whether it shows the instance of length n."""
        return n == (len(self.word) if self.n is None else self.n)


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

    ``instances(n)`` are those of length (or size) n, worst first if they are ordered; the statement holds at n for
    everything that ``covers`` names if all of them hold, and the docstring of the module that defines it says why. If
    there is nothing to decide with one position, ``alone`` says so.
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
