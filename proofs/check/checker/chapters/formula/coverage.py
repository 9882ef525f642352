"""What must be covered, and what was: rows of the claim, whose numbers are compared."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...kernel.numbers import QUARTER, ZERO
from ...kernel.reading.records import ApproximateTruth
from ...kernel.verdicts import require
from .proof import Errors, Proof


@dataclass
class Coverage:
    """What was covered to accept a certificate; ``guarded`` has for each near direction the rows of its guard."""

    embedding_cells: int = 0
    head_rows: int = 0
    feed_forward_rows: int = 0
    subformulas: int = 0
    guarded: dict[str, int] = field(default_factory=dict)


def count_rows(proof: Proof, name: str) -> int:
    """The rows (n, i) of the claim at which a direction's meaning says something; all, but for positional guards."""
    meaning = proof.directions[name]
    if not isinstance(meaning, ApproximateTruth) or not proof.language.is_positional(meaning.when):
        return sum(proof.claim.lengths)
    return sum(n + 1 - first for n, firsts in proof.lengths([meaning.when])
               for first, holds in zip(firsts, proof.columns.truths(meaning.when, n), strict=True) if holds)


def check_errors(errors: Errors, of_truth: bool) -> None:
    """Stated errors are not negative, and those of a truth at most 1/4, which the feed-forward part can round."""
    fits = min(errors) >= ZERO and (max(errors) <= QUARTER or not of_truth)
    require(fits, "the errors are {} and {}, expected 0 to 1/4 (others: 0 or more)", *errors)
