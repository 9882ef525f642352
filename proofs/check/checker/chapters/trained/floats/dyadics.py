"""Dyadic rationals (m, k) = m 2^k of one execution; operations round once, to nearest, ties to even."""

from fractions import Fraction
from math import isqrt

from ....kernel.verdicts import require
from ...float_models.reading import Format

Dyadic = tuple[int, int]
GUARD = 4  # more bits of a quotient or a root than of its format; one more bit is set if there is a remainder


def rounded(x: Dyadic, form: Format) -> Dyadic:
    """Return the nearest number of the format; subnormal numbers are kept.

    Proof. With 2^b <= |x| < 2^(b + 1), the numbers of the format around x are multiples of 2^q, q = max(b, e) - p + 1,
    and 2^(b + 1) is one of them. Where q <= k, x is a multiple already.

    Raises:
        Rejected: if it is too large.
    """
    m, k = x
    shift = max(m.bit_length() - 1 + k, form.least) - form.precision + 1 - k
    if shift > 0:
        whole, rest = m >> shift, m & (1 << shift) - 1
        half = 1 << shift - 1
        m, k = whole + (rest > half or (rest == half and whole & 1)), k + shift
    require(not m or m.bit_length() + k <= form.greatest + 1, "a number is too large for its format")
    return m, k


def add(x: Dyadic, y: Dyadic) -> Dyadic:
    """Return the exact sum."""
    (m, k), (n, j) = x, y
    return ((m << k - j) + n, j) if k >= j else (m + (n << j - k), k)


def negated(x: Dyadic) -> Dyadic:
    """Return the negative."""
    return -x[0], x[1]


def multiply(x: Dyadic, y: Dyadic) -> Dyadic:
    """Return the exact product."""
    return x[0] * y[0], x[1] + y[1]


def quotient(x: Dyadic, y: Dyadic, form: Format) -> Dyadic:
    """Return the quotient, rounded.

    Proof. The quotient's absolute value, over 2^j, is between two neighbouring integers or is the lesser, ``whole``,
    which has more than p + 2 bits. So 2 whole + 1, over 2^(j + 1), is on the same side as the quotient of every number
    of the format and of every midpoint between two, if there is a remainder.
    """
    (m, k), (n, j) = x, y
    shift = max(0, n.bit_length() - m.bit_length() + form.precision + GUARD)
    whole, rest = divmod(abs(m) << shift, abs(n))
    found = 2 * whole + (rest > 0)
    return rounded((-found if (m < 0) != (n < 0) else found, k - j - shift - 1), form)


def root(x: Fraction, form: Format) -> Dyadic:
    """Return the square root of x > 0, rounded; the proof is that of `quotient`."""
    p, q = x.numerator, x.denominator
    shift = max(0, (q.bit_length() - p.bit_length() >> 1) + form.precision + GUARD)
    whole = isqrt((p << 2 * shift) // q)
    return rounded((2 * whole + (whole * whole * q != p << 2 * shift), -shift - 1), form)


def nearest(x: Fraction, form: Format) -> Dyadic:
    """Return a rational, rounded."""
    return quotient((x.numerator, 0), (x.denominator, 0), form)


def value(x: Dyadic) -> Fraction:
    """Return the number as a rational."""
    return Fraction(x[0] << x[1]) if x[1] >= 0 else Fraction(x[0], 1 << -x[1])
