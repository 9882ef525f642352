"""Exact numbers as integers: the vectors of a layer over one denominator, its *scale*, and linear forms over theirs.

A form with denominator c of a vector with scale s is an integer over s c. Nothing is rounded.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...kernel.budget import MAX_RATIONAL_BITS, Budget
from ...kernel.numbers import bits_of, least_common_multiple, over_one_denominator
from ...kernel.reading.records import LinearForm
from ...kernel.verdicts import TooLong

Integers = tuple[int, ...]
Coefficients = tuple[tuple[str, int], ...]

SHORT_PRODUCT = 1 << 15  # a product of short integers, in operations on bits: eight are a step of work


def longest(numbers: Iterable[int]) -> int:
    """Return the bits of the longest number."""
    return max((x.bit_length() for x in numbers), default=0)


def charge_products(budget: Budget, number: int, p_bits: int, q_bits: int) -> None:
    """Charge the work of ``number`` products of integers of at most p_bits and q_bits bits."""
    budget.spend(1 + (number * (SHORT_PRODUCT + p_bits * q_bits) >> 18))


@dataclass(frozen=True)
class IntegerForms:
    """Linear forms with integer coefficients over one denominator: ``terms`` in all, the longest of ``bits`` bits."""

    denominator: int
    rows: tuple[Coefficients, ...]
    terms: int
    bits: int

    def read(self, budget: Budget, vector: Mapping[str, int], bits: int) -> Integers:
        """Return the forms of a vector of integers of at most ``bits`` bits."""
        charge_products(budget, self.terms, self.bits, bits)
        return tuple([sum([c * vector[d] for d, c in row]) for row in self.rows])


def make_forms(budget: Budget, rows: Sequence[LinearForm]) -> IntegerForms:
    """Return the forms with these rational coefficients."""
    denominator, numerators = over_one_denominator(budget, [tuple(row.values()) for row in rows])
    coefficients = tuple(tuple(zip(row, numbers, strict=True)) for row, numbers in zip(rows, numerators, strict=True))
    flat = [x for numbers in numerators for x in numbers]
    budget.hold(bits_of(flat))
    return IntegerForms(denominator, coefficients, len(flat), longest(flat))


def multiply_scales(budget: Budget, scale: int, factor: int) -> int:
    """Return the scale of products of numbers over ``scale`` with numbers over ``factor``.

    Raises:
        TooLong: if it is.
    """
    charge_products(budget, 1, scale.bit_length(), factor.bit_length())
    if scale.bit_length() + factor.bit_length() > MAX_RATIONAL_BITS + 1:
        raise TooLong(f"a common denominator of more than {MAX_RATIONAL_BITS} bits")
    return scale * factor


def common_denominator(budget: Budget, numbers: Iterable[Fraction]) -> int:
    """Return the least common denominator of the numbers."""
    return least_common_multiple(budget, (x.denominator for x in numbers))


def scaled(budget: Budget, x: Fraction, scale: int) -> int:
    """Return x times this scale, which is an integer."""
    charge_products(budget, 2, x.numerator.bit_length() + x.denominator.bit_length(), scale.bit_length())
    return divide_exactly(x.numerator * scale, x.denominator)


def divide_exactly(p: int, q: int) -> int:
    """Return the integer p / q.

    Raises:
        ArithmeticError: if it is not an integer, so that a wrong scale is noticed.
    """
    quotient, remainder = divmod(p, q)
    if remainder:
        raise ArithmeticError("a number does not fit its scale")
    return quotient
