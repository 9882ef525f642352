"""Exact arithmetic on numbers from files: every operation is charged by the length of its operands.

An operation on rationals of p and q bits takes a few products and greatest common divisors, each of about p q
operations on bits; 2^16 of those count as a step of work. The product of two integers is four times cheaper.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from math import gcd
from typing import NamedTuple, TypeVar

from .budget import MAX_RATIONAL_BITS, Budget, Cache, Value
from .verdicts import TooLong

Name = TypeVar("Name")
Numbers = tuple[Fraction, ...]

INTEGER_BITS = 512  # of memory for an integer besides its own bits: the object, and a pointer to it

ZERO, ONE = Fraction(0), Fraction(1)


class Enclosure(NamedTuple):
    """A closed interval of rationals that contains a real number."""

    lower: Fraction
    upper: Fraction


Number = Fraction | Enclosure
"""A rational, or the enclosure of a real number."""

QUARTER = Fraction(1, 4)  # the greatest error of a truth that the feed-forward part can still round


def size(x: Fraction) -> int:
    """Return the bits of a rational: those of numerator and denominator."""
    return x.numerator.bit_length() + x.denominator.bit_length()


def ends_of(x: Number) -> Enclosure:
    """Return a number as an enclosure; both ends are equal if it is exact."""
    return x if isinstance(x, Enclosure) else Enclosure(x, x)


def size_of_ends(x: Number) -> int:
    """Return the bits of a stored number: of both ends if it is an enclosure."""
    return size(x) if isinstance(x, Fraction) else size(x.lower) + size(x.upper)


def text_of(x: Fraction) -> str:
    """Return a text that two rationals share if and only if they are equal; in base 16, which has no limit of size."""
    return f"{x.numerator:x}/{x.denominator:x}"


def text_key(budget: Budget, key: object) -> Hashable:
    """Return a key with texts in place of numbers, since a file can choose many numbers with one hash."""
    if isinstance(key, tuple):
        budget.spend(len(key) >> 2)
        return tuple([text_key(budget, part) for part in key])
    if isinstance(key, int):
        budget.spend(key.bit_length() >> 10)
        return f"{key:x}"
    if isinstance(key, Fraction):
        budget.spend(size(key) >> 10)
        return text_of(key)
    return key


class CacheOfNumbers(Cache[object, Value]):
    """A cache whose keys contain numbers from a file."""

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self._budget = budget

    def get(self, key: object) -> Value | None:
        """Return the cached result, or None."""
        return super().get(text_key(self._budget, key))

    def keep(self, key: object, value: Value, bits: int = 0) -> Value:
        """Cache a result, and return it; ``bits`` is the memory of its numbers."""
        return super().keep(text_key(self._budget, key), value, bits)


def bounded(x: Fraction) -> Fraction:
    """Return the rational itself; raise TooLong if it has more than MAX_RATIONAL_BITS bits."""
    if size(x) > MAX_RATIONAL_BITS:
        raise TooLong(f"a rational of more than {MAX_RATIONAL_BITS} bits")
    return x


def charge(budget: Budget, x: Fraction, y: Fraction) -> None:
    """Charge the work of one operation on two rationals."""
    budget.spend(2 + (size(x) * size(y) >> 16))


def add(budget: Budget, x: Fraction, y: Fraction) -> Fraction:
    """Return the exact sum."""
    charge(budget, x, y)
    return bounded(x + y)


def multiply(budget: Budget, x: Fraction, y: Fraction) -> Fraction:
    """Return the exact product."""
    charge(budget, x, y)
    return bounded(x * y)


def divide(budget: Budget, x: Fraction, y: Fraction) -> Fraction:
    """Return the exact quotient; y is not 0."""
    charge(budget, x, y)
    return bounded(x / y)


def total(budget: Budget, terms: Iterable[Fraction]) -> Fraction:
    """Return the exact sum of all terms; every partial sum is at most `MAX_RATIONAL_BITS` long."""
    result = ZERO
    for term in terms:
        result = add(budget, result, term)
    return result


def inner_product(budget: Budget, left: Iterable[Fraction], right: Iterable[Fraction]) -> Fraction:
    """Return the exact inner product, such as the score of a query and a key."""
    return total(budget, (multiply(budget, x, y) for x, y in zip(left, right, strict=True)))


def combine_columns(budget: Budget, weights: Mapping[str, Fraction], columns: Mapping[str, Sequence[Fraction]],
                    length: int) -> Sequence[Fraction]:
    """Return a linear combination of columns of ``length`` rows, row by row."""
    terms = [columns[name] if weight == ONE else multiply_column(budget, weight, columns[name])
             for name, weight in weights.items()]
    result: Sequence[Fraction] = terms[0] if terms else [ZERO] * length
    for term in terms[1:]:
        result = add_columns(budget, result, term)
    return result

def multiply_column(budget: Budget, factor: Fraction, column: Sequence[Fraction]) -> Sequence[Fraction]:
    """Return the exact products; every row is charged like the longest."""
    widest = max(map(size, column), default=0)
    budget.spend(len(column) * (2 + (widest * size(factor) >> 16)))
    return [bounded(factor * x) for x in column]


def add_columns(budget: Budget, left: Sequence[Fraction], right: Sequence[Fraction]) -> Sequence[Fraction]:
    """Return the exact sums, row by row; every row is charged like the longest."""
    p, q = max(map(size, left), default=0), max(map(size, right), default=0)
    budget.spend(len(left) * (2 + (p * q >> 16)))
    return [bounded(x + y) for x, y in zip(left, right, strict=True)]


def ratio(one: Mapping[Name, Fraction | int], other: Mapping[Name, Fraction | int]) -> Fraction | None:
    """Return x with one = x * other, for two linear forms; None if no x fits."""
    if not one:
        return ZERO
    found = {Fraction(one[name]) / other[name] for name in one if name in other}
    return found.pop() if one.keys() == other.keys() and len(found) == 1 else None


def short_common_multiple(budget: Budget, numbers: Iterable[int]) -> int | None:
    """Return the least common multiple of positive integers, or None if it is too long."""
    result = 1
    for number in numbers:
        budget.spend(1 + (result.bit_length() * number.bit_length() >> 16))
        if result % number:
            result *= number // gcd(result, number)
        if result.bit_length() > MAX_RATIONAL_BITS:
            return None
    return result


def least_common_multiple(budget: Budget, numbers: Iterable[int]) -> int:
    """Return the least common multiple of positive integers; raise TooLong above MAX_RATIONAL_BITS bits."""
    found = short_common_multiple(budget, numbers)
    if found is None:
        raise TooLong(f"a common denominator of more than {MAX_RATIONAL_BITS} bits")
    return found


def over_one_denominator(budget: Budget, rows: Sequence[Sequence[Fraction]]) -> tuple[int, list[tuple[int, ...]]]:
    """Return one denominator of all numbers, and their numerators, row by row; raise TooLong if it is too long."""
    return over_denominator(budget, rows, least_common_multiple(budget, denominators_of(budget, rows)))


def denominators_of(budget: Budget, rows: Sequence[Sequence[Fraction]]) -> list[int]:
    """Return the different denominators, ascending."""
    budget.spend(1 + (sum(map(len, rows)) >> 1))
    denominators = sorted(x.denominator for row in rows for x in row)  # not a set: they can be of one hash
    return [one for one, _ in groupby(denominators)]


def over_denominator(budget: Budget, rows: Sequence[Sequence[Fraction]],
                     common: int) -> tuple[int, list[tuple[int, ...]]]:
    """Return ``common``, a multiple of all denominators, and the numerators over it, row by row."""
    count = sum(map(len, rows))
    longest = max((abs(x.numerator) for row in rows for x in row), default=0).bit_length() + common.bit_length()
    budget.spend(count * (1 + (common.bit_length() ** 2 >> 18)))
    with budget.holding(count * (common.bit_length() + longest)):
        return common, [tuple([x.numerator * (common // x.denominator) for x in row]) for row in rows]


def bits_of(numbers: Iterable[int]) -> int:
    """Return the bits of memory that integers take."""
    return sum(INTEGER_BITS + number.bit_length() for number in numbers)
