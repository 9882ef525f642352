"""The checker's verdict on the bytes of a file, as the tests of mutants see it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from proofs.check import ACCEPTED, STATUS, Refusal, check_text, verdict_of

VERDICTS = tuple(STATUS)


@dataclass(frozen=True)
class Judgement:
    """The verdict, and what is printed with it: the claim if it is accepted, else the reason in one line."""

    verdict: str
    lines: tuple[str, ...]

    @property
    def failed_inside(self) -> bool:
        """Whether the checker stopped at an exception of its own, which a file should not bring about."""
        return self.verdict != ACCEPTED and re.search(r"could not be completed: [A-Z]\w+", self.lines[0]) is not None


Judge = Callable[[bytes], Judgement]


def judge(data: bytes) -> Judgement:
    """What the checker says. Any exception but its refusals is passed on: it would be a traceback."""
    try:
        accepted = check_text(data)
    except Refusal as refusal:
        return Judgement(verdict_of(refusal), (str(refusal),))
    return Judgement(ACCEPTED, accepted.lines)
