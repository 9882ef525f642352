"""Exact numbers as integers: the vectors of a layer over one denominator, its *scale*, and linear forms over theirs.

What a form with denominator c reads from a vector with scale s is an integer over s c. Nothing is rounded.
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
    """Return the bits of the longest."""
    return max((x.bit_length() for x in numbers), default=0)


def charge_products(budget: Budget, number: int, p_bits: int, q_bits: int) -> None:
    """Counts the work of so many products of integers of at most so many bits."""
    budget.spend(1 + (number * (SHORT_PRODUCT + p_bits * q_bits) >> 18))


@dataclass(frozen=True)
class IntegerForms:
    """Linear forms with integer coefficients over one denominator; the bits of the longest of all coefficients."""

    denominator: int
    rows: tuple[Coefficients, ...]
    terms: int
    bits: int

    def read(self, budget: Budget, held: Mapping[str, int], bits: int) -> Integers:
        """Return the forms of what is held, integers of at most so many bits."""
        charge_products(budget, self.terms, self.bits, bits)
        return tuple([sum([c * held[d] for d, c in row]) for row in self.rows])


def make_forms(budget: Budget, rows: Sequence[LinearForm]) -> IntegerForms:
    """Return the forms with these rational coefficients."""
    denominator, numerators = over_one_denominator(budget, [tuple(row.values()) for row in rows])
    coefficients = tuple(tuple(zip(row, numbers, strict=True)) for row, numbers in zip(rows, numerators, strict=True))
    flat = [x for numbers in numerators for x in numbers]
    budget.hold(bits_of(flat))
    return IntegerForms(denominator, coefficients, len(flat), longest(flat))


def multiply_scales(budget: Budget, scale: int, factor: int) -> int:
    """Return a scale that fits what has ``factor`` as its denominator where numbers have ``scale``.

    Raises:
        TooLong: if it is.
    """
    charge_products(budget, 1, scale.bit_length(), factor.bit_length())
    if scale.bit_length() + factor.bit_length() > MAX_RATIONAL_BITS + 1:
        raise TooLong(f"a common denominator of more than {MAX_RATIONAL_BITS} bits")
    return scale * factor


def common_denominator(budget: Budget, numbers: Iterable[Fraction]) -> int:
    """One that fits all of the numbers."""
    return least_common_multiple(budget, (x.denominator for x in numbers))


def scaled(budget: Budget, x: Fraction, scale: int) -> int:
    """Return the integer that x is over this scale."""
    charge_products(budget, 2, x.numerator.bit_length() + x.denominator.bit_length(), scale.bit_length())
    return divide_exactly(x.numerator * scale, x.denominator)


def divide_exactly(p: int, q: int) -> int:
    """Return the integer p / q.

    Raises:
        ArithmeticError: if it is none, so that a wrong scale is not passed over.
    """
    quotient, remainder = divmod(p, q)
    if remainder:
        raise ArithmeticError("a number does not fit its scale")
    return quotient
