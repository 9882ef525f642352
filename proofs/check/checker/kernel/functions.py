"""The functions of expressions; docs/reference/certificate.md, section 1. `irrational/` computes ln and sqrt."""

from collections.abc import Callable, Mapping
from fractions import Fraction

DIGITS = 48  # decimal places of ln and sqrt by default
MAX_ARGUMENT = 1 << 4096  # numerators and denominators of arguments are below it; others have no value


def log2floor(x: Fraction) -> int:
    """Return the greatest integer k with 2^k <= x."""
    k = x.numerator.bit_length() - x.denominator.bit_length()
    return k - (x.numerator << max(-k, 0) < x.denominator << max(k, 0))


def log2ceil(x: Fraction) -> int:
    """Return the least integer k with 2^k >= x."""
    return -log2floor(1 / x)


LOG2: Mapping[str, Callable[[Fraction], int]] = {"log2ceil": log2ceil, "log2floor": log2floor}
IRRATIONAL = frozenset({"sqrt", "ln"})
"""The functions with irrational values."""
FUNCTIONS = IRRATIONAL | LOG2.keys()


def has_short_terms(x: Fraction) -> bool:
    """Return whether numerator and denominator of an argument are below `MAX_ARGUMENT`."""
    return x.numerator < MAX_ARGUMENT > x.denominator


def apply_log2(name: str, x: Fraction) -> Fraction | None:
    """Return log2ceil or log2floor of x, or None where it is undefined."""
    return Fraction(LOG2[name](x)) if x > 0 and has_short_terms(x) else None
