"""Bounds of rounding errors, in units of 2^-44, rounded up.

See docs/reference/floats.md, section 1, and floats_rules.md, section 7.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache

from ....kernel.verdicts import require
from ...float_models.reading import FloatClaim, Format
from ...float_models.roundoff import gamma, roundoff_of_sums, tiny
from ..zonotopes.affine import FRACTION, UNIT

TABLE_BITS = 6  # tables of activations may err by 2^-(p + 6), p the precision of storage


def up(x: Fraction) -> int:
    """Return x in units, rounded up."""
    return -(-x.numerator * UNIT // x.denominator)


def roundings(form: Format, sizes: Iterable[int]) -> list[int]:
    """Bound the errors of rounding numbers of at most these sizes.

    Proof. A number is below 2^k units, k the length of its size, so half a unit in the last place is at most 2^(k - 1 -
    p). The error of a number below 2^e is at most 2^e.
    """
    lost, least = max(1, _lost(form)), form.precision + 1
    return [half if length > least and (half := 1 << length - least) > lost else lost
            for length in map(int.bit_length, sizes)]


@cache
def _lost(form: Format) -> int:
    return up(tiny(form))


def times(factor: Fraction, size: int) -> int:
    """Return the product, rounded up."""
    return -(-factor.numerator * size // factor.denominator)


def all_times(factor: Fraction, sizes: Iterable[int]) -> list[int]:
    """Return the products, each rounded up."""
    above, below = -factor.numerator, factor.denominator
    return [-(above * size // below) for size in sizes]


def sum_errors(model: FloatClaim, terms: int, totals: Sequence[int]) -> list[int]:
    """Bound the errors of sums of ``terms`` products, in any order, fused or not.

    ``totals`` are the sums of the products' absolute values, as they count. Proof: docs/background/floats_rules.md,
    rule 2.
    """
    factor, lost = _parts_of_a_sum(model.sums, roundoff_of_sums(model), terms)
    above, below = factor.numerator, factor.denominator
    return [lost - (-above * total // below) for total in totals]


@cache
def _parts_of_a_sum(form: Format, u: Fraction, terms: int) -> tuple[Fraction, int]:
    return gamma(terms, u), up(4 * terms * tiny(form))


def expect_finite(form: Format, sizes: Iterable[int]) -> None:
    """Require that numbers of these sizes (in units) are at most the greatest of the format.

    Raises:
        Rejected: if one may not be; numbers from 2^E on are rejected, though some are finite.
    """
    longest = max(sizes, default=0).bit_length()
    require(longest - FRACTION <= form.greatest, "a number may be too large for its format")
