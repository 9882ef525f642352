"""exp(-d), d >= 0, in fixed point: a table of steps of 2^-12, and a short series between them."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import factorial
from typing import TypeVar

from ....kernel.budget import Budget
from ....kernel.exponential import enclose_exp, floor_shift

STEP_BITS = 12
PRODUCT_BITS = 180  # fractional bits of the two factors of an entry of the table
RELATIVE_ERROR = 4  # in 2^-F of the result
ABSOLUTE_ERROR = 3  # in units of 2^-E
ENTRY_STEPS = 100  # work of the enclosure of a factor


Entry = TypeVar("Entry")


class LazyTable(dict[int, Entry]):
    """Entries by place, made on demand; entries at |place| >= ``far`` would be too many, and are not kept."""

    def __init__(self, make: Callable[[int], Entry], far: int) -> None:
        super().__init__()
        self._make, self._far = make, far

    def __missing__(self, place: int) -> Entry:
        entry = self._make(place)
        if abs(place) < self._far:
            self[place] = entry
        return entry


class Exponentials:
    """``at(d)``, over 2^E, is within RELATIVE_ERROR 2^-F exp(-d) + ABSOLUTE_ERROR 2^-E of exp(-d), d over 2^F.

    Proof. d = a + b + b' + c, a an integer, b a multiple of 2^-6 and b' one of 2^-12 below 2^-6, 0 <= c < 2^-12. The
    factors exp(-a), exp(-b), exp(-b') are enclosed within 2^-138 of themselves (asserted), and rounded down at
    2^-PRODUCT_BITS, their product once more. So the entry of the table (with b for b + b') errs by less than 2^-136
    exp(-a - b) + 2^-178 + 2^-E < 2^-F / 4 exp(-a - b) + 5/4 2^-E. The series of exp(-c) alternates: the first term left
    out, c^K / K! < 2^-F / 4, bounds the remainder. By Horner's rule what is lost before the last step is multiplied by
    c < 2^-12; the last step loses the rounding of one product: altogether less than (1 + 1/4 + 1/4) 2^-F. As exp(-c) is
    between 1 - 2^-12 and 1, the product of both errs by less than 2 · 2^-F exp(-d) + 2 · 2^-E, and its rounding by
    2^-E. If d >= E, exp(-d) < 2^-E, and 0 is returned.
    """

    def __init__(self, fraction: int, bits: int, budget: Budget) -> None:
        if not (STEP_BITS <= fraction <= 134 and bits <= 176):
            raise ValueError("exponentials are enclosed within 2^-138 only")
        self.fraction, self.bits = fraction, bits
        self._budget = budget
        self._shift, self._mask = fraction - STEP_BITS, (1 << fraction - STEP_BITS) - 1
        self._table = LazyTable(self._make, bits << STEP_BITS)
        self._factors: dict[tuple[int, int], int] = {}
        terms = next(k for k in range(1, 64) if STEP_BITS * k + factorial(k).bit_length() - 1 >= fraction + 2)
        self._series = [(-1) ** k * (1 << fraction) // factorial(k) for k in reversed(range(terms))]

    def at(self, d: int) -> int:
        """Return exp(-d) over 2^E."""
        step = d >> self._shift
        c, fraction, total = d & self._mask, self.fraction, 0
        for coefficient in self._series:
            total = coefficient + (total * c >> fraction)
        return self._table[step] * total >> fraction

    def all_below(self, top: int, numbers: Iterable[int], dropped: int) -> list[int]:
        """Return exp(x - top) over 2^E for each x, without the last ``dropped`` bits."""
        if len(self._series) != 3:
            return [self.at(top - x) >> dropped for x in numbers]
        table, shift, mask, fraction, one = self._table, self._shift, self._mask, self.fraction, self._series[-1]
        last = fraction + dropped
        return [table[d >> shift] * (one + ((((c := d & mask) >> 1) - one) * c >> fraction)) >> last
                for x in numbers for d in [top - x]]

    def _make(self, step: int) -> int:
        whole, part = step >> STEP_BITS, step & ((1 << STEP_BITS) - 1)
        if whole >= self.bits:
            return 0
        self._budget.hold(2048)
        self._budget.spend(2)
        half = STEP_BITS // 2
        later = self._factor(part >> half, half) * self._factor(part & (1 << half) - 1, STEP_BITS) >> PRODUCT_BITS
        return self._factor(whole, 0) * later >> 2 * PRODUCT_BITS - self.bits

    def _factor(self, number: int, bits: int) -> int:
        """Return exp(-number / 2^bits) over 2^PRODUCT_BITS."""
        if (number, bits) not in self._factors:
            self._budget.spend(ENTRY_STEPS)
            lower, upper, e = enclose_exp(Fraction(-number, 1 << bits))
            if upper - lower > lower >> 138:
                raise ArithmeticError("an exponential is not enclosed closely enough")
            self._factors[number, bits] = floor_shift(lower, e + PRODUCT_BITS)
        return self._factors[number, bits]
