"""Lemma 9: an approximate Boolean becomes exactly 0 or 1 by two ReLUs.

Source      [SHA] Lemma 9: f(x) = 2 ReLU(x - 1/4) - 2 ReLU(x - 3/4).
Claim       f is 0 on (-∞, 1/4] and 1 on [3/4, ∞).
"""

from __future__ import annotations

from fractions import Fraction

from constructions.network.transformer import Coefficients

FALSE_UPPER = Fraction(1, 4)
TRUE_LOWER = Fraction(3, 4)
SLOPE = 1 / (TRUE_LOWER - FALSE_UPPER)


def rounding_units(near: str, gate: Coefficients | None = None, gate_bias: Fraction = Fraction(0)) -> list[
    tuple[Coefficients, Fraction, Fraction]
]:
    """The two units (reads, bias, write) of Lemma 9 on ``near``.

    ``gate . h + gate_bias`` is added to x in both: at 0 it rounds x, at -1 or less it keeps both units at 0 for every
    x of [0, 1].
    """
    reads = {near: Fraction(1), **(gate or {})}
    return [(reads, gate_bias - FALSE_UPPER, SLOPE), (reads, gate_bias - TRUE_LOWER, -SLOPE)]
