"""The checker's verdict on the bytes of a file, and the work that it took, as the tests of mutants see it."""

from collections.abc import Callable
from dataclasses import dataclass

from proofs.check import ACCEPTED, STATUS, Refusal, verdict_of
from proofs.check.checker.checking import check_within
from proofs.check.checker.kernel.budget import DEFAULT_STEPS, Budget
from proofs.check.checker.requirements import ANYTHING

VERDICTS = tuple(STATUS)
FAILED = "failed"
"""An exception of the checker's own, which it would report as incomplete; no file should bring one about."""


@dataclass(frozen=True)
class Judgement:
    """The verdict, and what is printed with it: the claim if it is accepted, else the reason in one line."""

    verdict: str
    lines: tuple[str, ...]
    steps: int = 0


Judge = Callable[[bytes], Judgement]


def judge(data: bytes) -> Judgement:
    """Return the verdict and the output of the checker."""
    budget = Budget()

    def spent() -> int:
        return DEFAULT_STEPS - budget.steps_left
    try:
        accepted = check_within(data, ANYTHING, budget)
    except Refusal as refusal:
        return Judgement(verdict_of(refusal), (str(refusal),), spent())
    except Exception as error:
        return Judgement(FAILED, (f"{type(error).__name__}: {error}",), spent())
    return Judgement(ACCEPTED, accepted.lines, spent())
