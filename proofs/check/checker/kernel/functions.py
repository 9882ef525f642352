"""The functions of expressions; docs/certificate.md, section 1. ln and sqrt themselves are in `irrational/`."""

from collections.abc import Callable, Mapping
from fractions import Fraction

DIGITS = 48  # after the point, of ln and sqrt where nothing needs more
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
"""Those that may have irrational values."""
FUNCTIONS = IRRATIONAL | LOG2.keys()


def has_short_terms(x: Fraction) -> bool:
    """Whether an argument is not too long."""
    return x.numerator < MAX_ARGUMENT > x.denominator


def apply_log2(name: str, x: Fraction) -> Fraction | None:
    """Return the value of log2ceil or log2floor at x, or None where it has none."""
    return Fraction(LOG2[name](x)) if x > 0 and has_short_terms(x) else None
