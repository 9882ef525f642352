"""The canonical form of rational numbers in JSON, limited in length so that they can be read again."""

from collections.abc import Iterable
from fractions import Fraction

from constructions.errors import Unsupported

MAX_BITS = 13_000
"""Python reads and writes integers of up to 4,300 digits."""


def spell(x: Fraction) -> str:
    """Return the number in lowest terms.

    >>> spell(Fraction(-2, 6))
    '-1/3'

    Raises:
        Unsupported: if it is too long.
    """
    if max(x.numerator.bit_length(), x.denominator.bit_length()) > MAX_BITS:
        raise Unsupported(f"the transformer computes numbers of more than {MAX_BITS * 30103 // 100000} digits")
    return str(x)


def spell_all(row: Iterable[Fraction]) -> list[str]:
    """Return the canonical forms of the numbers of a row."""
    return [spell(x) for x in row]


def read_all(row: Iterable[str]) -> tuple[Fraction, ...]:
    """Return the row that ``spell_all`` wrote."""
    return tuple(map(Fraction, row))
