"""Affine forms (zonotopes), 44 fractional bits: a vector on all words of a class.

See docs/background/trained_rules.md, section 5.

A coordinate is x = (centre + Σ_k generator_k ε_k + radius ε) / 2^44. The ε_k in [-1, 1] are *symbols*, shared by all
coordinates (each word has its values of them); ε is its own. Centre and generators of a coordinate are the slots of one
packed integer. Symbols are only ever appended, so the sum of two packed integers is the sum of the forms. Every
operation returns a form that contains the true value wherever its operands do: each rounding is added to the radius. A
form with a single slot is a point with an error, and gets no symbols. Where radii are more than roundings, as after a
norm or an activation, the form is *fresh*: the next linear map makes each radius a symbol.
"""

from collections.abc import Sequence
from functools import reduce
from operator import add, mul, or_
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.numbers import INTEGER_BITS
from ....kernel.verdicts import require
from .packed_integers import READABLE, SLOT, TOP, pack_short, rescale, unpack

FRACTION = 44  # fractional bits of forms
WEIGHT = FRACTION  # fractional bits of weights
UNIT = 1 << FRACTION
HALF = 1 << WEIGHT - 1
LOWEST_SLOT = (1 << SLOT) - 1
MOST_DIGIT = (1 << 30) - 1


class AffineForm(NamedTuple):
    """A vector; ``sizes`` bound the sum of absolute values of all slots, and the radius, of each coordinate."""

    rows: list[int]
    slots: int
    radii: list[int]
    sizes: list[int]
    fresh: bool = False


class CentredRange(NamedTuple):
    """Midpoint and radius of each coordinate."""

    centres: list[int]
    reaches: list[int]


class Linear(NamedTuple):
    """The map x ↦ W x + b: by output, weights times 2^44 as integers within 1, and their absolute values.

    Biases are integers over 2^44, within 1 unit. ``short`` are the weights over 2^cut, if all are multiples of that,
    and one digit of Python's integers each.
    """

    columns: Sequence[Sequence[int]]
    absolute: Sequence[Sequence[int]]
    bias: Sequence[int]
    short: Sequence[Sequence[int]] = ()
    cut: int = 0


def make_linear(columns: Sequence[Sequence[int]], bias: Sequence[int]) -> Linear:
    """Return the map with these weights, output by output."""
    return Linear(columns, [[abs(weight) for weight in column] for column in columns], bias)


def shortened(budget: Budget, linear: Linear) -> Linear:
    """Return the map with short weights, if it has some."""
    bits = reduce(or_, [weight for column in linear.absolute for weight in column], 0)
    cut = min(WEIGHT, (bits & -bits).bit_length() - 1)
    if not bits or bits >> cut > MOST_DIGIT:
        return linear
    budget.hold(INTEGER_BITS * sum(map(len, linear.columns)))
    return linear._replace(short=[[weight >> cut for weight in column] for column in linear.columns], cut=cut)


def charge(budget: Budget, products: int, slots: int) -> None:
    """Charge the work of products of packed integers with short ones."""
    budget.spend(1 + (products * (12 + slots) >> 5))


def make_point(centres: Sequence[int], radii: Sequence[int]) -> AffineForm:
    """Return the point with these errors."""
    sizes = [abs(x) + radius for x, radius in zip(centres, radii, strict=True)]
    return within_range(list(centres), 1, list(radii), sizes)


def within_range(rows: list[int], slots: int, radii: list[int], sizes: list[int], fresh: bool = False) -> AffineForm:
    """Return the form, if its numbers fit their slots.

    Raises:
        Rejected: if they do not.
    """
    require(max(sizes, default=0) < READABLE, "a form reaches beyond 2^{}", READABLE.bit_length() - 1 - FRACTION)
    return AffineForm(rows, slots, radii, sizes, fresh)


def spread(budget: Budget, form: AffineForm) -> CentredRange:
    """Return centres and reaches: the sums of the absolute values of generators, and radii."""
    if form.slots == 1:
        return CentredRange(form.rows, form.radii)
    budget.spend(1 + (len(form.rows) * (20 + form.slots) >> 4))
    slots = [unpack(row, form.slots) for row in form.rows]
    reaches = [sum(map(abs, one)) - abs(one[0]) + radius for one, radius in zip(slots, form.radii, strict=True)]
    return CentredRange([one[0] for one in slots], reaches)


def known_by_sizes(form: AffineForm) -> CentredRange:
    """Return centres and reaches by the sizes: as narrow, if these come from a spread."""
    if form.slots == 1:
        return CentredRange(form.rows, form.radii)
    centres = [((row & LOWEST_SLOT) ^ TOP) - TOP for row in form.rows]
    return CentredRange(centres, [size - abs(x) for size, x in zip(form.sizes, centres, strict=True)])


def tighten(form: AffineForm, known: CentredRange) -> AffineForm:
    """Return the form with the sizes of its spread."""
    return form._replace(sizes=[abs(x) + reach for x, reach in zip(known.centres, known.reaches, strict=True)])


def plus(x: AffineForm, y: AffineForm) -> AffineForm:
    """Return the sum of two forms, neither of them fresh."""
    return within_range(list(map(add, x.rows, y.rows)), max(x.slots, y.slots),
                        list(map(add, x.radii, y.radii)), list(map(add, x.sizes, y.sizes)))


def apply(budget: Budget, linear: Linear, x: AffineForm) -> AffineForm:
    """Return W x + b; the radii of a fresh form become symbols, one for each of its coordinates.

    Proof. A weight is w/2^44 within 1/2^44: an error of Σ sizes/2^44 units in all. What has no symbol is at most Σ |w|
    radius/2^44; of a fresh form, the symbol of a radius has the generator w radius/2^44, rounded by at most 1/2. Each
    slot is rounded by at most 1/2, the bias by 1. Sums of |w| times sizes, shifted, are below 2^62, so the slots before
    they are shifted are below 2^107. Short weights make the same quotients.
    """
    charge(budget, len(linear.columns) * len(x.rows), x.slots + 24)
    new = len(x.rows) if x.fresh else 0
    rounding = -(-sum(x.sizes) >> WEIGHT) + (x.slots + new >> 1) + 2
    radii = [rounding] * len(linear.columns) if x.fresh else [
        -(-sum(map(mul, weights, x.radii)) >> WEIGHT) + rounding for weights in linear.absolute]
    sizes = [(sum(map(mul, weights, x.sizes)) >> WEIGHT) + abs(bias) + 2 * rounding
             for weights, bias in zip(linear.absolute, linear.bias, strict=True)]
    rows = [rescale(sum(map(mul, column, x.rows)), x.slots, WEIGHT - linear.cut) + bias
            for column, bias in zip(linear.short or linear.columns, linear.bias, strict=True)]
    form = within_range(rows, x.slots, radii, sizes)
    some = [(i, radius) for i, radius in enumerate(x.radii) if radius] if x.fresh else []
    return with_generators(form, [[column[i] * radius + HALF >> WEIGHT for i, radius in some]
                                  for column in linear.columns]) if some else form


def with_generators(form: AffineForm, generators: Sequence[Sequence[int]]) -> AffineForm:
    """Return the form with new symbols, included in its sizes, with these generators for each coordinate."""
    rows = [row + (pack_short(more) << SLOT * form.slots) for row, more in zip(form.rows, generators, strict=True)]
    return form._replace(rows=rows, slots=form.slots + len(generators[0]))


def promoted(x: AffineForm) -> AffineForm:
    """Return the form with symbols instead of its radii, if it is fresh, so that several uses share them."""
    if not x.fresh:
        return x
    rows, slots = list(x.rows), x.slots
    for i, radius in enumerate(x.radii):
        if radius:
            rows[i] += radius << SLOT * slots
            slots += 1
    return AffineForm(rows, slots, [0] * len(rows), x.sizes)


def scale_each(budget: Budget, gains: Sequence[int] | None, bias: Sequence[int] | None, x: AffineForm) -> AffineForm:
    """Return gain x + bias, by coordinate; gains are within 1/2^44, biases within 1 unit. None is 1, or 0.

    Proof: that of `apply`, with one weight for each coordinate.
    """
    if gains is not None:
        charge(budget, len(x.rows), x.slots)
        rounding = [(size >> WEIGHT) + (x.slots >> 1) + 2 for size in x.sizes]
        radii = [(abs(gain) * radius >> WEIGHT) + 1 + more
                 for gain, radius, more in zip(gains, x.radii, rounding, strict=True)]
        sizes = [(abs(gain) * size >> WEIGHT) + x.slots + 4 + more
                 for gain, size, more in zip(gains, x.sizes, rounding, strict=True)]
        rows = [rescale(gain * row, x.slots, WEIGHT) for gain, row in zip(gains, x.rows, strict=True)]
        x = within_range(rows, x.slots, radii, sizes, x.fresh)
    return x if bias is None else move(x, bias)


def move(x: AffineForm, bias: Sequence[int]) -> AffineForm:
    """Return x + bias, each bias within 1 unit."""
    return within_range(list(map(add, x.rows, bias)), x.slots, [radius + 1 for radius in x.radii],
                        [size + abs(more) + 1 for size, more in zip(x.sizes, bias, strict=True)], x.fresh)


def widened(x: AffineForm, reaches: Sequence[int]) -> AffineForm:
    """Return the form with these errors added to its radii; it is fresh, if it is not a point."""
    radii, sizes = list(map(add, x.radii, reaches)), list(map(add, x.sizes, reaches))
    return within_range(x.rows, x.slots, radii, sizes, x.slots > 1)


def multiply(budget: Budget, x: AffineForm, y: AffineForm) -> AffineForm:
    """Return the product of x and y, by coordinate; a fresh form.

    Proof. With x = a + δ and y = b + η, centres a and b, xy = ab + aη + bδ + δη, and |δη| is at most the product of the
    reaches: widened by it. What of η and δ has no symbol is at most |a| radius(η) + |b| radius(δ).
    """
    charge(budget, 4 * len(x.rows), max(x.slots, y.slots))
    of_x, of_y = spread(budget, x), spread(budget, y)
    x, y = tighten(x, of_x), tighten(y, of_y)
    slots = max(x.slots, y.slots)
    rows, radii, reaches, sizes = [], [], [], []
    for i, (a, b) in enumerate(zip(of_x.centres, of_y.centres, strict=True)):
        rows.append(rescale(a * y.rows[i] + b * x.rows[i] - a * b, slots, FRACTION))
        radii.append((abs(a) * y.radii[i] + abs(b) * x.radii[i] >> FRACTION) + (slots >> 1) + 2)
        reaches.append((of_x.reaches[i] * of_y.reaches[i] >> FRACTION) + 1)
        sizes.append((x.sizes[i] * y.sizes[i] >> FRACTION) + slots + 4)
    return widened(within_range(rows, slots, radii, sizes), reaches)


def shift_symbols(form: AffineForm, by: int) -> AffineForm:
    """Return the form with all generators ``by`` slots further: symbols of its own."""
    rows = [centre + (row - centre << SLOT * by) for row, centre in
            ((row, unpack(row, form.slots)[0]) for row in form.rows)] if by and form.slots > 1 else form.rows
    return form._replace(rows=rows, slots=form.slots + (by if form.slots > 1 else 0))
