"""The cost of a gap of scores, by weighting; docs/background/obligations.md, A pivot, has kernels and proof."""

from collections.abc import Sequence
from fractions import Fraction

from ...kernel.budget import Budget
from ...kernel.numbers import ZERO, total
from ...kernel.reading.records import SPARSE
from ...kernel.weights import Weigher
from .families import SPARSE_COSTS, load

NEGLIGIBLE = 60
"""Weights below e^-60 of the greatest are bounded, not summed: 4096 of them are below 2^-74, below useful errors."""

FALLS = {"softmax": NEGLIGIBLE, "softmax-plus-one": NEGLIGIBLE, "sparsemax": 1, "entmax-1.5": 2}
"""A gap of this much, below, costs nothing: K_e of a sparse weighting is 0 there, as 1 - e <= 1."""


def suffices(weigher: Weigher, budget: Budget, weighting: str, gaps: Sequence[Fraction], others: int,
             error: Fraction) -> bool:
    """Return whether the sum of K_e over the gaps is at most e, 0 <= e < 1; ``others`` gaps are -NEGLIGIBLE at most."""
    if weighting in SPARSE:
        costs = load(*SPARSE_COSTS)(budget, weighting, error)
        return total(budget, map(costs.at, gaps)) <= error
    good, bad = error.numerator, error.numerator - error.denominator  # e and e - 1, times the denominator
    terms = weigher.least_terms([ZERO, *gaps, Fraction(-NEGLIGIBLE)], [good, *(bad for _ in gaps), bad * others])
    return sum(terms) >= 0
