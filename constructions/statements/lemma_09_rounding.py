"""Lemma 9: an approximate Boolean becomes exactly 0 or 1 by two ReLUs.

Source      [SHA] Lemma 9: f(x) = 2 ReLU(x - 1/4) - 2 ReLU(x - 3/4).
Claim       f is 0 on (-∞, 1/4] and 1 on [3/4, ∞).
Gates       A gate is a truth that is subtracted from x: 0 where the rounding is open, so that it is Lemma 9 as printed,
            and 1 where it is shut: then x - 1 <= 0 <= 1/4 for every x of [0, 1]. Nothing is ever added to x, so a
            sum that is rounded to a few bits loses none of those of x where it matters (DIVERGENCES.md).
"""

from collections.abc import Iterable
from fractions import Fraction

from constructions.network.transformer import Coefficients

FALSE_UPPER = Fraction(1, 4)
TRUE_LOWER = Fraction(3, 4)
SLOPE = 1 / (TRUE_LOWER - FALSE_UPPER)


def rounding_units(near: str, gates: Iterable[str] = ()) -> list[tuple[Coefficients, Fraction, Fraction]]:
    """The two units (reads, bias, write) of Lemma 9 on ``near``, which add nothing where a truth of ``gates`` is 1."""
    reads = {near: Fraction(1), **dict.fromkeys(gates, Fraction(-1))}
    return [(reads, -FALSE_UPPER, SLOPE), (reads, -TRUE_LOWER, -SLOPE)]
