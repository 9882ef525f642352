"""Heads whose average is near the one with equal weights, or near constants: measured, then proved."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from certify.claims.trained.decide import Settings, decide
from certify.claims.trained.decision import Decision
from constructions.language.syntax import TRUE, Formula
from constructions.trained.claim import WordsClaim
from constructions.trained.head_averages import AverageClaim, average_question
from constructions.trained.network import TrainedNetwork
from proofs.trained.averages import AverageRange, average_ranges

Near = Literal["hard", "uniform", "constant"]
Array = NDArray[np.float64]
DIGITS = 3
"""Decimal places of an error that is to be proved."""
ROUNDS = 6
"""Errors that are tried; each is that of the wrong word before."""


@dataclass(frozen=True)
class NearRow:
    """The error of a head's average against the ``constants``, or, if there are none, against equal weights.

    ``by_length`` is measured; ``decision`` is that of the claim that the error is below ``claimed``.
    """

    layer: int
    head: int
    near: Near
    by_length: tuple[AverageRange, ...]
    constants: tuple[Fraction, ...] | None
    claimed: Fraction | None = None
    decision: Decision | None = None

    @property
    def center(self) -> Array:
        """The constants; zeros if there are none, as what is measured is then a difference."""
        width = len(self.by_length[0].least) if self.by_length else 0
        return np.array([float(one) for one in self.constants or (0,) * width])

    @property
    def worst(self) -> AverageRange:
        """The length with the greatest error."""
        return max(self.by_length, key=lambda one: one.error(self.center))

    @property
    def error(self) -> float:
        """The greatest error that was measured."""
        return float(self.worst.error(self.center))


def measure_near(network: TrainedNetwork, words: WordsClaim, head: tuple[int, int], near: Near, given: Formula = TRUE
                 ) -> NearRow:
    """Return the row of a head; constants are the centers of the ranges that were measured.

    Raises:
        InputError: if the network has no such head.
    """
    claim = AverageClaim(*head, Fraction(0))
    probe, _ = average_question(network, words, claim)
    width = probe.outputs - 1
    claim = replace(claim, constants=(Fraction(0),) * width if near == "constant" else None)
    by_length = tuple(average_ranges(*average_question(network, words, claim, given)))
    row = NearRow(*head, near, by_length, claim.constants)
    return row if near == "uniform" else replace(row, constants=centers(by_length))


def centers(by_length: Sequence[AverageRange]) -> tuple[Fraction, ...]:
    """Return the center of each coordinate, rounded to binary32."""
    middle = (np.min([one.least for one in by_length], 0) + np.max([one.most for one in by_length], 0)) / 2
    return tuple(Fraction(one) for one in middle.astype(np.float32).tolist())


def prove_near(network: TrainedNetwork, words: WordsClaim, row: NearRow, settings: Settings | None,
               given: Formula = TRUE) -> NearRow:
    """Return the row with the decision of its claim: the measured error, rounded up; that of a wrong word, if wrong."""
    if not row.by_length:
        return row
    error = Fraction(row.error)
    for _ in range(ROUNDS):
        claimed = Fraction(ceil(error * 10**DIGITS) + 1, 10**DIGITS)
        row = replace(row, claimed=claimed, decision=decide_near(network, words, row, claimed, settings, given))
        assert row.decision is not None
        if row.decision.wrong is None:
            break
        error = claimed - row.decision.wrong.value[0]
    return row


def decide_near(network: TrainedNetwork, words: WordsClaim, row: NearRow, error: Fraction, settings: Settings | None,
                given: Formula = TRUE) -> Decision:
    """Decide whether the error of a head's average is below a number, on all words."""
    claim = AverageClaim(row.layer, row.head, error, row.constants)
    return decide(*average_question(network, words, claim, given), settings)
