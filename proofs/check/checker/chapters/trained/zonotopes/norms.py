"""Layer norm and RMS norm of affine forms; docs/background/trained_rules.md, section 5.

Both are sqrt(d) y / sqrt(|y|^2 + E), with y = x and E = d ε for `rms`. For `layer`, y = d (x - mean(x)), which has
integer coefficients, and E = d^3 ε: (x - mean) / sqrt(mean((x - mean)^2) + ε) = y / sqrt(|y|^2 / d + d^2 ε).
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from operator import mul
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.verdicts import require
from .affine import FRACTION, AffineForm, CentredRange, charge, promoted, spread, tighten, widened, within_range
from .packed_integers import MOST, READABLE, SLOT, rescale, unpack

ROOT = 48  # fractional bits of 1/sqrt
SQUARE_BITS = 58  # |y|^2 + E is shifted to at most this many bits
SLOPE_BITS = 40  # approximate bits of a slope
WIDE = 8  # log2 of the ratio of the greatest |y|^2 + E to the least from which the form is useless
MOST_SQUARED = 1 << 124  # |y|^2 + E is below it, in units of 2^-88


class ScalarForm(NamedTuple):
    """A form of one number: slots, a radius for what has no symbol, the centre, and the reach around it."""

    row: int
    slots: int
    radius: int
    centre: int
    reach: int


def make_single(row: int, slots: int, radius: int) -> ScalarForm:
    """Return the form; its slots must be readable."""
    found = unpack(row, slots)
    return ScalarForm(row, slots, radius, found[0], sum(map(abs, found)) - abs(found[0]) + radius)


class Squares(NamedTuple):
    """A form of |y|^2 + E in units of 2^-power, and bounds of it."""

    form: ScalarForm
    power: int
    least: int
    greatest: int


def normalise(budget: Budget, kind: str, epsilon: Fraction, x: AffineForm) -> AffineForm:
    """Return the norm, without gain and bias.

    Raises:
        Rejected: if the variance may be 0, or numbers do not fit.
    """
    d, x = len(x.rows), promoted(x)
    y = centred(x) if kind == "layer" else x
    known = spread(budget, y)
    y = tighten(y, known)
    charge(budget, 8 * d, y.slots)
    extra = epsilon * (d**3 if kind == "layer" else d)
    squares = square(y, known, extra)
    ends = ends_alone(known, extra)
    if squares.greatest >> WIDE > squares.least > 0:
        return ended(AffineForm([0] * d, y.slots, [READABLE] * d, [0] * d, y.slots > 1), ends)
    return ended(times_root(y, known, inverse_root(squares, d)), ends)


def ends_alone(known: CentredRange, extra: Fraction) -> list[tuple[int, int]]:
    """Return the least and the greatest of each coordinate of the norm, from the ranges of the coordinates alone.

    Proof. With s the squares of all others and E, sqrt(d) t / sqrt(t^2 + s) increases with t; in s it decreases if t >
    0, and increases if t < 0.
    """
    d, below = len(known.centres), (extra.numerator << 2 * FRACTION) // extra.denominator
    near = [max(abs(m) - r, 0) ** 2 for m, r in zip(*known, strict=True)]
    far = [(abs(m) + r) ** 2 for m, r in zip(*known, strict=True)]
    least, most = sum(near) + below, sum(far) + below + 1
    return [(-highest(r - m, d, least - one, most - other), highest(m + r, d, least - one, most - other))
            for m, r, one, other in zip(*known, near, far, strict=True)]


def highest(t: int, d: int, least: int, most: int) -> int:
    """Bound sqrt(d) t / sqrt(t^2 + s) from above for s in [least, most], over 2^44."""
    if t > 0:
        return isqrt((d * t * t << 2 * FRACTION) // (t * t + least)) + 1
    return -isqrt((d * t * t << 2 * FRACTION) // (t * t + most))


def ended(form: AffineForm, ends: Sequence[tuple[int, int]]) -> AffineForm:
    """Return a form that contains the norm; coordinates with a wider reach than these ends are the ends."""
    rows, radii, sizes = list(form.rows), list(form.radii), list(form.sizes)
    for i, (low, high) in enumerate(ends):
        reach = make_single(form.rows[i], form.slots, form.radii[i]).reach
        if high - low < reach:
            rows[i], radii[i] = low + high >> 1, high - low + 1 >> 1
            sizes[i] = abs(rows[i]) + radii[i]
    return within_range(rows, form.slots, radii, sizes, form.fresh)


def centred(x: AffineForm) -> AffineForm:
    """Return d (x - mean(x)), exactly; radii are d times the own radius plus all radii."""
    d, total, radius, size = len(x.rows), sum(x.rows), sum(x.radii), sum(x.sizes)
    return within_range([d * row - total for row in x.rows], x.slots, [d * one + radius for one in x.radii],
                        [d * one + size for one in x.sizes])


def square(y: AffineForm, known: CentredRange, extra: Fraction) -> Squares:
    """Return the form of |y|^2 + extra.

    Proof. With y = m + δ, |y|^2 = |m|^2 + 2 m·δ + |δ|^2, and 0 <= |δ|^2 <= Σ reach^2 =: R. The slots of Σ m_i y_i are
    |m|^2 and m·generators; what has no symbol is 2 Σ |m_i| radius_i, and R/2 around R/2. |y_i| is between |m_i| -
    reach_i (or 0) and |m_i| + reach_i, its size. The sum is below 2^124, so slots of twice the sum fit. It is shifted
    by the excess bits; each slot is rounded by at most 1/2, the radius up.
    """
    centres, reaches = known
    below = (extra.numerator << 2 * FRACTION) // extra.denominator
    most = sum(size * size for size in y.sizes) + below + 1
    require(most < MOST_SQUARED, "a norm of a vector that is too long")
    shift = max(0, most.bit_length() - SQUARE_BITS)
    rest = sum(reach * reach for reach in reaches)
    symbol_free = 2 * sum(map(mul, map(abs, centres), y.radii))
    row = 2 * sum(map(mul, centres, y.rows)) - sum(map(mul, centres, centres)) + below + (rest >> 1)
    radius = (rest + 1 >> 1) + symbol_free + 2
    form = make_single(rescale(row, y.slots, shift), y.slots, (radius >> shift) + 1 + (y.slots + 1 >> 1))
    least = below + sum(max(abs(m) - reach, 0) ** 2 for m, reach in zip(centres, reaches, strict=True))
    return Squares(form, 2 * FRACTION - shift, max(least >> shift, form.centre - form.reach),
                   min((most >> shift) + 1, form.centre + form.reach))


def inverse_root(squares: Squares, d: int) -> ScalarForm:
    """Return sqrt(d / u) in units of 2^-48, where u is the sum.

    Proof. p(u) = sqrt(d / u) is convex, so with any slope -s, p(u) + s u is on [least, greatest] at most the greater of
    its values at the ends, and at least the tangent of p at any t > 0 plus s u, which is linear in u, so the lesser of
    its values at the ends: p(t) - p(t) (e - t) / (2 t) + s e. So p(u) is within ``remainder`` of ``centre`` - s u. The
    slope is s = slope / 2^places in units of p for a unit of u.

    Raises:
        Rejected: if u may be 0.
    """
    form, power, least, greatest = squares
    require(0 < least <= greatest, "a norm where the variance may be too near to 0")
    scaled = d << power + 2 * ROOT
    ends = [(e, isqrt(scaled // e)) for e in (least, greatest)]
    fall, width = ends[0][1] - ends[1][1], greatest - least
    places = SLOPE_BITS + max(0, width.bit_length() - fall.bit_length())
    slope = (fall << places) // width if width else 0
    t = tangent_point(scaled, slope, places, least, greatest)
    at_t = isqrt(scaled // t)
    highest = max((p + 1 << places) + slope * e for e, p in ends)
    lowest = min((tangent_at(at_t, t, e) << places) + slope * e for e, _ in ends)
    centre, remainder = highest + lowest >> places + 1, (highest - lowest >> places + 1) + 2
    size = slope * (abs(form.centre) + form.reach)
    fits = size < MOST and abs(centre) + remainder + (size >> places) < READABLE >> 1
    require(fits, "a norm of a vector that is too short")
    row = centre - rescale(slope * form.row, form.slots, places)
    return make_single(row, form.slots, remainder + (slope * form.radius >> places) + 2 + (form.slots + 1 >> 1))


def tangent_point(scaled: int, slope: int, places: int, least: int, greatest: int) -> int:
    """Return approximately the point where p has this slope: t^3 = scaled / (2 s)^2. Any result is sound."""
    if not slope:
        return least
    return min(max(cube_root((scaled << 2 * places - 2 if places else scaled) // (slope * slope)), least), greatest)


def cube_root(x: int) -> int:
    """Return approximately the cube root, by Newton's method from above."""
    guess = 1 << x.bit_length() // 3 + 1
    while (better := (2 * guess + x // (guess * guess)) // 3) < guess:
        guess = better
    return guess


def tangent_at(p: int, t: int, e: int) -> int:
    """Bound the tangent of sqrt(d / u) at t, taken at e, from below; the value at t is between p and p + 1."""
    rise = 3 * t - e
    return (p if rise >= 0 else p + 1) * rise // (2 * t)


def times_root(y: AffineForm, known: CentredRange, root: ScalarForm) -> AffineForm:
    """Return the product of every coordinate and a positive number.

    Proof. With y = m + δ and p = b + π, y p = m b + m π + b δ + δ π. m π has the symbols of p, and one for its radius,
    shared by all coordinates; b δ those of y; |δ π| is at most the product of the reaches. A point has no symbols, and
    all of this is its radius.
    """
    b, reach, shared = root.centre, root.reach, y.slots > 1
    p = root.row + (root.radius << SLOT * root.slots) if shared else root.row
    width = root.slots + shared
    rows, radii, reaches, sizes = [], [], [], []
    for row, radius, size, m, r in zip(y.rows, y.radii, y.sizes, *known, strict=True):
        rows.append(rescale(m * p + b * row - m * b, width, ROOT))
        radii.append((abs(b) * radius + (0 if shared else abs(m) * root.radius) >> ROOT) + 2 + (width >> 1))
        reaches.append((r * reach >> ROOT) + 1)
        sizes.append((size * (abs(b) + reach) >> ROOT) + width + 4)
    return widened(within_range(rows, width, radii, sizes), reaches)
