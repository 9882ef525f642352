"""Enclosures of exp by integers, with proofs. All roundings are outward."""

from collections.abc import Callable
from fractions import Fraction

from .budget import MAX_EXP_EXPONENT
from .verdicts import Incomplete

WORKING_BITS = 192  # of precision: an enclosure is about 2^-140 wide, far below every stated error
EXP_STEPS = 60  # of work; a numerator of p bits adds p >> 8


def enclose_series(term: int, u: int, bits: int, ratio: Callable[[int], tuple[int, int]]) -> tuple[int, int]:
    """Enclose 2^bits (T_0 + T_1 + ...) by integers: T_m = T_(m-1) s a/b, a, b = ratio(m), 0 <= a <= b, 0 <= s <= 1/2.

    ``term`` and ``u`` are 2^bits T_0 and 2^bits s, rounded down; T_0 <= 1.

    Proof. Each computed term is at most 2^bits T_m. Let d_m be its error: d_0 < 1, and d_m < d_(m-1) s + 2^-(m-1) + 1.
    The summands are the previous error times s; the error of u, below 1, times T_(m-1) <= 2^-(m-1); and the last
    rounding. So d_1 < 1/2 + 1 + 1 < 3, and for m >= 2, d_m < 3/2 + 1/2 + 1 = 3. Where the computed term is 0, T_m is
    below 3 units, and the later ones, which halve, are below 3 in total. The errors of the terms 0 to m are below 3
    each: altogether below 3 m + 6.
    """
    lower, m = term, 0
    while term:
        m += 1
        a, b = ratio(m)
        term = term * u * a // (b << bits)
        lower += term
    return lower, lower + 3 * m + 6


def enclose_exp(x: Fraction, bits: int = WORKING_BITS, most: int = MAX_EXP_EXPONENT) -> tuple[int, int, int]:
    """Return integers (lower, upper, e): lower 2^e <= exp(x) <= upper 2^e, equal to within 2^(60 - bits); exp(0) = 1.

    Proof. Let y = |x| = p/q. As p < 2^bits(p) and q >= 2^(bits(q) - 1), t = y / 2^k < 1/2. Squaring is monotone on
    positive numbers; k rounds, rounded outward, give exp(t)^(2^k) = exp(y). For x < 0, exp(x) = 1/exp(y). Width: exp(t)
    loses below 2^14 units of 2^-bits, a squaring doubles the relative error and adds 4 units; so lower > 0 for k <= 42,
    and for k > 42 with k - 42 bits more, by which exp(t) loses fewer than 4 units each.

    Raises:
        Incomplete: if |x| is 2^most or more.
    """
    if x == 0:
        return 1, 1, 0
    p, q = abs(x.numerator), x.denominator
    if p >> most >= q:
        raise Incomplete(f"an argument of exp of 2^{most} or more")
    k = max(0, p.bit_length() - q.bit_length() + 2)
    bits += max(0, k - MAX_EXP_EXPONENT - 2)
    lower, upper = enclose_series(1 << bits, (p << bits) // (q << k), bits, lambda m: (1, m))
    e = -bits
    for _ in range(k):
        excess = (upper * upper).bit_length() - bits
        lower, upper, e = lower * lower >> excess, -(-upper * upper >> excess), 2 * e + excess
    if x > 0:
        return lower, upper, e
    one = 1 << 2 * bits
    return one // upper, -(-one // lower), -e - 2 * bits


def floor_shift(x: int, bits: int) -> int:
    """Return x 2^bits, rounded down."""
    return x << bits if bits >= 0 else x >> -bits


def ceil_shift(x: int, bits: int) -> int:
    """Return x 2^bits, rounded up."""
    return -floor_shift(-x, bits)


def exp_steps(x: Fraction, bits: int = WORKING_BITS) -> int:
    """Return the steps of work of an enclosure of exp(x); each squaring beyond ``MAX_EXP_EXPONENT`` costs 2."""
    p, q, factor = x.numerator.bit_length(), x.denominator.bit_length(), bits // WORKING_BITS * (1 + (bits >> 11))
    return (EXP_STEPS + 2 * max(0, p - q - MAX_EXP_EXPONENT)) * factor + (p + q >> 6)
