"""The checker's verdict on the bytes of a file, as the tests of mutants see it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from proofs.check import CHECKERS, Malformed, Rejected, check_text

VERDICTS = ("accepted", "rejected", "malformed", "incomplete")


@dataclass(frozen=True)
class Judgement:
    """The verdict, and what is printed with it: the claim if it is accepted, else the reason in one line."""

    verdict: str
    lines: tuple[str, ...]

    @property
    def failed_inside(self) -> bool:
        """Whether the checker stopped at an exception of its own, which a file should not bring about."""
        return self.verdict != "accepted" and re.search(r"could not be completed: [A-Z]\w+", self.lines[0]) is not None


Judge = Callable[[bytes], Judgement]


def judge(data: bytes) -> Judgement:
    """What the checker of this tree says. Any exception but its refusals is passed on: it would be a traceback."""
    try:
        given = check_text(data)
    except (Rejected, Malformed) as refusal:
        return Judgement(type(refusal).__name__.lower(), (str(refusal),))
    return Judgement("accepted", tuple(CHECKERS[type(given)][1](given)))
