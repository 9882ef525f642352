"""Enclosures of the logistic function sigma(z) = 1 / (1 + exp(-z)) by integers, with proofs."""

from fractions import Fraction

from ...kernel.exponential import ceil_shift, floor_shift
from ...kernel.weights import ScaledEnclosure, Weigher

BITS = 192  # of precision, as of exp


def enclose_falling(weigher: Weigher, z: Fraction) -> ScaledEnclosure:
    """Return integers (lower, upper, e) with lower 2^e <= sigma(z) <= upper 2^e for z <= 0; close relative to sigma(z).

    Proof. sigma(z) = E / (1 + E) grows with E = exp(z) <= 1, so the ends of E give its ends. With E = x 2^e it is
    (x 2^(2 BITS) / (2^BITS + x 2^(e + BITS))) 2^(e - BITS): the divisor is rounded up and the quotient down for the
    lower end, and the other way for the upper one. The divisor has at most BITS + 2 bits, as E is hardly above 1.
    """
    low, high, e = weigher.enclose(z)
    lower = (low << 2 * BITS) // ((1 << BITS) + ceil_shift(low, e + BITS))
    upper = -((-high << 2 * BITS) // ((1 << BITS) + floor_shift(high, e + BITS)))
    return lower, upper, e - BITS


def enclose_in_units(weigher: Weigher, z: Fraction) -> tuple[int, int]:
    """Return integers around 2^BITS sigma(z), both in 0..2^BITS; sigma(z) = 1 - sigma(-z)."""
    lower, upper, e = enclose_falling(weigher, -abs(z))
    low, high = floor_shift(lower, e + BITS), ceil_shift(upper, e + BITS)
    one = 1 << BITS
    return (max(one - high, 0), one - low) if z > 0 else (low, min(high, one))
