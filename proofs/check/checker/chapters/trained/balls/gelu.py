"""gelu, x Φ(x) with Φ the normal distribution function, in fixed point.

Claim. For y >= 0, Φ(y) = 1/2 + φ(y) S(y), S(y) the sum of the y^(2k+1) / (1 · 3 · … · (2k + 1)). Proof. Both sides are
1/2 at 0; S' = 1 + y S, so the derivative of φ S is φ (1 + y S) - y φ S = φ. Hence x Φ(x) = x/2 + |x| φ S(|x|) for all
x. Where |x| >= 16, |x| (1 - Φ(|x|)) <= φ(16) < exp(-128) < 2^-184.
"""

from fractions import Fraction
from functools import cache
from math import isqrt

from ....kernel.budget import Budget
from ....kernel.exponential import EXP_STEPS, WORKING_BITS, enclose_exp

GUARD = 24
FAR = 16


class Normal:
    """gelu of numbers over 2^F, F <= 100, within 2 units of 2^-F."""

    def __init__(self, fraction: int, budget: Budget) -> None:
        self._fraction, self._bits, self._budget = fraction, fraction + GUARD, budget
        self._density = root_of_two_pi_inverse()

    def find(self, x: int) -> int:
        """Return x Φ(x).

        Proof. φ S <= 1/2. S errs by less than 2^-(F + 8) of itself, or by less than 2^-(F + 8) (asserted); exp by less
        than 2^-138, the density and roundings by less than 2^-(F + 20): together below 2^-(F + 6), times |x| < 16 and
        rounded once: less than 2 units.
        """
        y, bits = abs(x), self._bits
        if y >= FAR << self._fraction:
            return max(x, 0)
        lower, upper, e = enclose_exp(Fraction(-y * y, 2 << 2 * self._fraction))
        if upper - lower > lower >> 138:
            raise ArithmeticError("an exponential is not enclosed closely enough")
        product = self._series(y) * (lower * self._density >> WORKING_BITS)
        part = product << e if e >= 0 else product >> -e
        return (x << bits - 1) + y * part >> bits

    def _series(self, y: int) -> int:
        """Return S(y) over 2^bits, rounded down; ``loss`` bounds the error of the last term, ``lost`` that of the sum.

        A term is y²/(2k + 1) times the one before, rounded down twice. When 2k + 1 > 2y², later terms halve.
        """
        square, twice = y * y, 2 * self._fraction
        term, loss, total, lost, k = y << GUARD, 0, y << GUARD, 0, 1
        while term or (k << twice) <= 2 * square:
            k += 2
            term = (term * square >> twice) // k
            loss = (loss * square >> twice) // k + 3
            total += term
            lost += loss
        lost += loss
        self._budget.spend(EXP_STEPS + k)
        if lost > total >> self._fraction + 8 and lost >> GUARD - 8:
            raise ArithmeticError("a series lost too much")
        return total


@cache
def root_of_two_pi_inverse() -> int:
    """Return 1/sqrt(2π) over 2^WORKING_BITS within 2^-180: both ends of an enclosure of π nearly agree."""
    lower, upper = enclose_pi(WORKING_BITS)
    ends = [isqrt((1 << 3 * WORKING_BITS) // (2 * end)) for end in (upper, lower)]
    if ends[1] - ends[0] > 1 << WORKING_BITS - 182:
        raise ArithmeticError("π is not enclosed closely enough")
    return ends[0]


def enclose_pi(bits: int) -> tuple[int, int]:
    """Enclose 2^bits π = 2^bits (16 arctan(1/5) - 4 arctan(1/239)) (Machin) between integers."""
    fifth, other = enclose_arctan(5, bits), enclose_arctan(239, bits)
    return 16 * fifth[0] - 4 * other[1], 16 * fifth[1] - 4 * other[0]


def enclose_arctan(q: int, bits: int) -> tuple[int, int]:
    """Enclose 2^bits arctan(1/q) by the series of (-1)^k / ((2k + 1) q^(2k+1)), each term rounded by less than 1.

    It alternates, so the remainder is less than its first term, which is less than 1.
    """
    total, power, k = 0, (1 << bits) // q, 0
    while power:
        total += (-1) ** k * (power // (2 * k + 1))
        power //= q * q
        k += 1
    return total - 2 * k - 2, total + 2 * k + 2
