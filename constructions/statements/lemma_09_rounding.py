"""Lemma 9: two ReLUs round an approximate Boolean to exactly 0 or 1.

Source      [SHA] Lemma 9: f(x) = 2 ReLU(x - 1/4) - 2 ReLU(x - 3/4).
Claim       f is 0 on (-∞, 1/4] and 1 on [3/4, ∞).
Gates       A gate is a truth that is subtracted from x: 0 enables the rounding, which is then Lemma 9 as printed; 1
            disables it, as x - 1 <= 0 <= 1/4 for every x of [0, 1]. Nothing is ever added to x, so a sum rounded to a
            few bits loses no relevant bits of x (DIVERGENCES.md).
"""

from collections.abc import Iterable
from fractions import Fraction

from constructions.network.transformer import Coefficients

FALSE_UPPER = Fraction(1, 4)
TRUE_LOWER = Fraction(3, 4)
SLOPE = 1 / (TRUE_LOWER - FALSE_UPPER)


def rounding_units(near: str, gates: Iterable[str] = ()) -> list[tuple[Coefficients, Fraction, Fraction]]:
    """Return the two hidden units (reads, bias, write) of Lemma 9 on ``near``; their sum is 0 where a gate is 1."""
    reads = {near: Fraction(1), **dict.fromkeys(gates, Fraction(-1))}
    return [(reads, -FALSE_UPPER, SLOPE), (reads, -TRUE_LOWER, -SLOPE)]
