"""The weights of sparsemax and entmax-1.5: the cost of a gap of scores (kernels.py), and enclosures by integers."""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from ...kernel.budget import Budget
from ...kernel.numbers import ONE, ZERO, add, multiply
from ..formula.proof import ProofContext

SQUARED = "entmax-1.5"
GRID_BITS = 96  # roots and thresholds are enclosed to 2^-96


class SparseKernel:
    """The kernel K_e of sparsemax or entmax-1.5, rounded up where it is a root."""

    def __init__(self, budget: Budget, weighting: str, error: Fraction) -> None:
        self._budget, self._is_squared = budget, weighting == SQUARED
        self._top = root_above(ONE - error) if self._is_squared else ONE - error

    def at(self, gap: Fraction) -> Fraction:
        """Return an upper bound of the cost of a bad position with this gap."""
        height = max(add(self._budget, self._top, gap / 2 if self._is_squared else gap), ZERO)
        return multiply(self._budget, height, height) if self._is_squared else height


def root_above(x: Fraction) -> Fraction:
    """Return an upper bound of the square root, with an error below 2^-GRID_BITS; exact if the root is on the grid.

    Proof. With m the ceiling of x 4^GRID_BITS, the least integer r with r^2 >= m is also the least with r^2 >= x
    4^GRID_BITS.
    """
    scaled = -(-(x.numerator << 2 * GRID_BITS) // x.denominator)
    root = isqrt(scaled)
    return Fraction(root + (root * root < scaled), 1 << GRID_BITS)


def enclose_sparse(budget: Budget, weighting: str, falls: Sequence[int], scale: int) -> tuple[list[int], list[int]]:
    """Enclose the weights by integers in one unit; scores are falls / scale, of which the greatest is 0.

    Claim. Let y = score for sparsemax and score/2 for entmax-1.5, and w(q) = max(q + y, 0), or its square. The weights
    are w(q) for the q at which they sum to 1. Proof: q = -theta. Each w(q) grows with q. Let the sum be at most 1 at q1
    and at least 1 at q2: then q1 <= q <= q2, and the weights are between w(q1) and w(q2). As one y is 0, q is in 0..1.
    An omitted position has a score of -1 (of entmax-1.5, -2) or less, so y <= -1 <= -q, and its weight is 0.
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
    """Return the weights of sparsemax in units of 1 / (r scale), exactly.

    Proof. If the r greatest scores y have weights q + y > 0 and the others none, r q + (their sum) = 1. Such an r is
    the last for which the r-th score y_r has 1 + r y_r > (the sum of the r greatest): this is q + y_r > 0. It holds of
    all lesser r: lowering r adds to 1 + r y_r - (the sum) a multiple of a difference that is not negative.
    """
    summed = support = support_sum = 0
    for count, fall in enumerate(sorted(falls, reverse=True), 1):
        summed += fall
        if scale + count * fall > summed:
            support, support_sum = count, summed
    return [max(scale - support_sum + support * fall, 0) for fall in falls]


def is_sparse_mean_near(proof: ProofContext, weighting: str, unit: int, size: int, near: Sequence[tuple[int, int]],
                        sides: Sequence[tuple[int, Fraction]]) -> bool:
    """Return whether the mean is within the errors (sums/lookup/case.py); omitted positions have the weight 0."""
    lows, highs = enclose_sparse(proof.budget, weighting, [score for score, _ in near], unit)
    for sign, error in sides:
        p, q = error.denominator, error.numerator * size
        factors = (q - sign * p * offset for _, offset in near)
        if sum(factor * (low if factor >= 0 else high)
               for factor, low, high in zip(factors, lows, highs, strict=True)) < 0:
            return False
    return True
