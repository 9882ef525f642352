"""The joint weight of heads of additive weights at a distance; docs/background/obligations.md.

Let head h contribute c_h times a value to a position of the score a_h d + b_h. All contribute W(d) = sum of c_h w(a_h d
+ b_h) times that value, at the distance d. Let the position at the distance d* have the value v*, and the distances of
all others be different numbers. Then W(d*) v* and something in L..U is written, as values are in 0..1. L and U are the
sums of the negative, and of the positive W(d) over all other distances.

ReLU is exact, and ReLU over n is ReLU of scores over n. W of sigmoids is enclosed *relative to its size*: sigma(z) = 1
- sigma(-z) for z > 0. So W is a rational constant and a sum of multiples of small numbers, each enclosed closely, and a
W(d) that decreases like exp(-d) is proved positive, at every distance.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from ...kernel.exponential import ceil_shift, floor_shift
from ...kernel.numbers import ONE, ZERO, add, least_common_multiple, multiply, total
from ...kernel.verdicts import require
from ..formula.proof import Errors, ProofContext
from .sigmoids import enclose_falling

KEPT_BITS = 320  # of a sum of sigmoids, counted from its greatest term
GRID_BITS = 256  # W of sigmoids is rounded outward to a multiple of 2^-GRID_BITS, so that its sign stays


class ResponseTerm(NamedTuple):
    """The term c w(a d + b): c is ``factor``, a ``slope`` and b ``start``."""

    factor: Fraction
    slope: Fraction
    start: Fraction


class ResponseFunction:
    """The function W of one weighting (ReLU or sigmoid) and these terms."""

    def __init__(self, proof: ProofContext, is_sigmoid: bool, terms: tuple[ResponseTerm, ...]) -> None:
        self._proof, self.budget, self._terms = proof, proof.budget, terms
        self._is_sigmoid = is_sigmoid

    def at(self, d: int) -> tuple[Fraction, Fraction]:
        """Enclose W(d); exact for ReLU."""
        self.budget.spend(10 * len(self._terms))
        scored = [(c, add(self.budget, multiply(self.budget, a, Fraction(d)), b)) for c, a, b in self._terms]
        if self._is_sigmoid:
            return self._enclose(scored)
        found = total(self.budget, (multiply(self.budget, c, z) for c, z in scored if z > 0))
        return found, found

    def _enclose(self, scored: Iterable[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
        """Enclose the sum of c sigma(z).

        Proof. Integers (lower, upper, e) are around sigma(-|z|) / 2^e. With the common denominator of all c, the
        constant is an integer, and each term is rounded outward to a multiple of 2^unit; then the sum is, once more.
        """
        constant, parts = ZERO, []
        for c, z in scored:
            constant = add(self.budget, constant, c) if z > 0 else constant
            parts.append((-c if z > 0 else c, enclose_falling(self._proof.weigher, -abs(z))))
        common = least_common_multiple(self.budget, [c.denominator for c, _ in parts])
        self.budget.spend(10 * len(parts) * (1 + (common.bit_length() >> 8)))
        unit = max([e + upper.bit_length() for _, (_, upper, e) in parts] + ([0] if constant else [])) - KEPT_BITS
        low = high = int(constant * common) << -unit if constant else 0
        for c, (lower, upper, e) in parts:
            factor = int(c * common)
            ends = floor_shift(lower, e - unit), ceil_shift(upper, e - unit)
            low += factor * ends[factor < 0]
            high += factor * ends[factor >= 0]
        grid = 1 << GRID_BITS
        return (Fraction(floor_shift(low, unit + GRID_BITS) // common, grid),
                Fraction(-(-ceil_shift(high, unit + GRID_BITS) // common), grid))

    def around(self, distances: Iterable[int], apart: int) -> tuple[Fraction, Fraction]:
        """Return L and U over these distances, except ``apart``."""
        least = greatest = ZERO
        for d in distances:
            if d != apart:
                low, high = self.at(d)
                least, greatest = add(self.budget, least, min(low, ZERO)), add(self.budget, greatest, max(high, ZERO))
        return least, greatest


def check_exact(response: ResponseFunction, distances: range, apart: int) -> None:
    """Check that exactly the value at the distance ``apart`` is written."""
    low, high = response.at(apart) if apart in distances else (ONE, ONE)
    require(low == high == ONE, "the weight of what is looked for is {}, expected 1", low)
    least, greatest = response.around(distances, apart)
    require(least == greatest == ZERO, "the weights of other positions add up to {} to {}, expected 0", least, greatest)


def check_near(response: ResponseFunction, distances: range, apart: int, errors: Errors) -> None:
    """Check that the output is in 0..1, and within these errors of the value at the distance ``apart``, if 0 or 1.

    Where the value is 0 (or the position does not exist) L..U is written, where it is 1, W + L .. W + U.
    """
    least, greatest = response.around(distances, apart)
    require(least >= 0, "the weights of other positions may be negative, in all {}", briefly(least))
    require(greatest <= errors[0], "error_if_false {} is below the weights of other positions, {}", errors[0],
            briefly(greatest))
    if apart in distances:
        low, high = response.at(apart)
        fits = add(response.budget, low, errors[1]) >= ONE
        require(fits, "error_if_true {} is too small for the weight {}", errors[1], briefly(low))
        require(add(response.budget, high, greatest) <= ONE, "all weights may add up to {}, expected at most 1",
                briefly(high + greatest))


def briefly(x: Fraction) -> Fraction:
    """Round a number to six digits after the point, for messages."""
    return Fraction(round(x * 10**6), 10**6)
