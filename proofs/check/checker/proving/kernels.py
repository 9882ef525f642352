"""What one gap of scores costs, by weighting; docs/certificate.md, section 5, Attention head, 7, and Lookup head, 6.

Let some position, the pivot, have the score P and the value t, and let a position be *bad* if its value is not t; let a
bad one with the score z have the gap G = z - P. Values are in 0..1 and weights add up to at most 1, so the error is at
most what the bad positions weigh together. The kernel is K_e(G) = (1 - e) exp(G) for softmax, max(1 - e + G, 0) for
sparsemax and max(sqrt(1 - e) + G/2, 0)^2 for entmax-1.5.

Claim. If the sum of K_e(G) over the bad positions is at most e, 0 <= e < 1, so is the error.
Proof. *Softmax:* relative to the pivot the bad positions weigh b, all others that are not bad at least 1, and the share
b / (b + 1) is at most e iff b (1 - e) <= e. *Sparse:* if the pivot weighs at least 1 - e, all others weigh at most e
together. Else sparsemax has P - theta < 1 - e, so a bad position weighs max(z - theta, 0) <= max(z - P + 1 - e, 0); and
entmax-1.5 has P/2 - theta < sqrt(1 - e), so it weighs at most max((z - P)/2 + sqrt(1 - e), 0)^2.
*Softmax plus one* is softmax with one thing more, of score 0 and value 0: it is bad if t is true, with the gap -P.

K_e grows with G, so a greater gap may be taken for each. Where a sparse kernel is 0, gaps need not be known. Of softmax
those of -60 or less are put at -60: e^-60 for each position.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from ..budget import Budget
from ..numbers import ONE, ZERO, add, multiply, total
from .weights import Weigher

NEGLIGIBLE = 60
"""Weights below e^-60 of the greatest are bounded, not summed: 4096 of them are below 2^-74, less than any stated error
that is worth stating. The producer has the same number by itself."""

SQUARED = "entmax-1.5"
FALLS = {"softmax": NEGLIGIBLE, "softmax-plus-one": NEGLIGIBLE, "sparsemax": 1, SQUARED: 2}
"""A gap of this much, below, costs nothing: of a sparse weighting K_e is 0 there, as 1 - e <= 1."""

GRID_BITS = 96  # roots and thresholds are found to 2^-96


def suffices(weigher: Weigher, budget: Budget, weighting: str, gaps: Sequence[Fraction], others: int,
             error: Fraction) -> bool:
    """Whether the sum of K_e over the gaps is at most e, 0 <= e < 1; ``others`` is how many gaps below are not listed.
    """
    if weighting in (SQUARED, "sparsemax"):
        costs = SparseKernel(budget, weighting, error)
        return total(budget, map(costs.at, gaps)) <= error
    good, bad = error.numerator, error.numerator - error.denominator  # e and e - 1, times the denominator
    terms = weigher.least_terms([ZERO, *gaps, Fraction(-NEGLIGIBLE)], [good, *(bad for _ in gaps), bad * others])
    return sum(terms) >= 0


class SparseKernel:
    """K_e of sparsemax or entmax-1.5, rounded up where it is a root."""

    def __init__(self, budget: Budget, weighting: str, error: Fraction) -> None:
        self._budget, self._is_squared = budget, weighting == SQUARED
        self._top = root_above(ONE - error) if self._is_squared else ONE - error

    def at(self, gap: Fraction) -> Fraction:
        """What a bad position with this gap costs, at most."""
        height = max(add(self._budget, self._top, gap / 2 if self._is_squared else gap), ZERO)
        return multiply(self._budget, height, height) if self._is_squared else height


def root_above(x: Fraction) -> Fraction:
    """A number of at least the square root, by less than 2^-GRID_BITS more; the root itself if that is on the grid.

    Proof. With m the ceiling of x 4^GRID_BITS, the least integer r with r^2 >= m is also the least with r^2 >= x
    4^GRID_BITS.
    """
    scaled = -(-(x.numerator << 2 * GRID_BITS) // x.denominator)
    root = isqrt(scaled)
    return Fraction(root + (root * root < scaled), 1 << GRID_BITS)


def enclose_sparse(budget: Budget, weighting: str, falls: Sequence[int], scale: int) -> tuple[list[int], list[int]]:
    """Integers around the weights in one unit; scores are falls / scale, of which the greatest is 0.

    Claim. Let y = score for sparsemax and score/2 for entmax-1.5, and w(q) = max(q + y, 0), or its square. The weights
    are w(q) for the q at which they sum to 1. Proof: q = -theta. Each w(q) grows with q, so with q1 <= q <= q2, that
    is, where the sum is at most 1 at q1 and at least 1 at q2, the weights are between w(q1) and w(q2). As one y is 0, q
    is in 0..1. What is left out has a score of -1 (of entmax-1.5, -2) or less, so y <= -1 <= -q, and weighs 0.
    """
    longest = max(map(int.bit_length, falls)) + scale.bit_length() + GRID_BITS
    budget.spend(len(falls) * (4 + (longest >> 8)))
    if weighting != SQUARED:
        weights = enclose_threshold(falls, scale)
        return weights, weights
    budget.spend(GRID_BITS * len(falls) * (1 + (longest * longest >> 18)))
    unit = scale << GRID_BITS + 1  # of q + y, which is q/2^GRID_BITS - |fall| / (2 scale)
    lowered = [fall << GRID_BITS for fall in falls]

    def weigh(q: int) -> list[int]:
        return [max(2 * scale * q + fall, 0) ** 2 for fall in lowered]

    low, high = 0, 1 << GRID_BITS  # the sum is below 1 at low, and at least 1 at high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if sum(weigh(middle)) >= unit * unit else (middle, high)
    highs = weigh(high)
    return (highs if sum(highs) == unit * unit else weigh(low)), highs


def enclose_threshold(falls: Sequence[int], scale: int) -> list[int]:
    """The weights of sparsemax in units of 1 / (r scale), exactly.

    Proof. If the r greatest scores y have weights q + y > 0 and the others none, r q + (their sum) = 1. Such an r is
    the last for which the r-th score y_r has 1 + r y_r > (the sum of the r greatest): this is q + y_r > 0, and it holds
    of all lesser r, since lowering r adds to 1 + r y_r - (the sum) a multiple of a difference that is not negative.
    """
    summed = support = held = 0
    for count, fall in enumerate(sorted(falls, reverse=True), 1):
        summed += fall
        if scale + count * fall > summed:
            support, held = count, summed
    return [max(scale - held + support * fall, 0) for fall in falls]


