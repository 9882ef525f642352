"""Affine forms in integers: what is known of a vector on all words of a class; docs/trained.md, section 5.

A coordinate is x = (centre + Σ_k generator_k ε_k + radius ε) / 2^44, where the ε_k in [-1, 1] are *symbols*, the same ones in
all coordinates (each word has its values of them), and ε is its own. Centre and generators of a coordinate are the slots
of one packed integer. Symbols are only ever added at the end, so the sum of two packed integers is the sum of the forms.

Every operation states a form that contains the true value wherever its operands do: whatever is rounded is added to
the radius. A form with a single slot is a point with an error, and gets no symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add, mul
from typing import NamedTuple

from ..budget import Budget
from ..verdicts import require
from .packed import READABLE, SLOT, rescale, unpack

FRACTION = 44  # bits behind the point of what forms contain
WEIGHT = FRACTION  # bits behind the point of weights
UNIT = 1 << FRACTION


class Form(NamedTuple):
    """A vector. ``sizes`` are at least the sum of absolute values of all slots, and the radius, of each coordinate."""

    rows: list[int]
    slots: int
    radii: list[int]
    sizes: list[int]


class Spread(NamedTuple):
    """Of each coordinate the centre, and how far it may be from there."""

    centres: list[int]
    reaches: list[int]


class Linear(NamedTuple):
    """x to W x + b: for each output the integers nearest to, or beside, its weights times 2^44, and their absolute values.

    Each weight is off by at most 1 unit, and so is each bias, an integer over 2^44.
    """

    columns: Sequence[Sequence[int]]
    absolute: Sequence[Sequence[int]]
    bias: Sequence[int]


def make_linear(columns: Sequence[Sequence[int]], bias: Sequence[int]) -> Linear:
    """The map with these weights, output by output."""
    return Linear(columns, [[abs(weight) for weight in column] for column in columns], bias)


def charge(budget: Budget, products: int, slots: int) -> None:
    """Counts the work of products of packed integers with short ones."""
    budget.spend(1 + (products * (12 + slots) >> 6))


def make_point(centres: Sequence[int], radii: Sequence[int]) -> Form:
    """What is known up to these errors."""
    return within_range(list(centres), 1, list(radii), [abs(x) + radius for x, radius in zip(centres, radii, strict=True)])


def within_range(rows: list[int], slots: int, radii: list[int], sizes: list[int]) -> Form:
    """The form, if its numbers fit their slots.

    Raises:
        Rejected: if they do not.
    """
    require(max(sizes, default=0) < READABLE, "a form reaches beyond 2^{}", READABLE.bit_length() - 1 - FRACTION)
    return Form(rows, slots, radii, sizes)


def spread(budget: Budget, form: Form) -> Spread:
    """Centres and reaches: the sums of the absolute values of generators, and radii."""
    if form.slots == 1:
        return Spread(form.rows, form.radii)
    budget.spend(1 + (len(form.rows) * (20 + form.slots) >> 4))
    slots = [unpack(row, form.slots) for row in form.rows]
    reaches = [sum(map(abs, one)) - abs(one[0]) + radius for one, radius in zip(slots, form.radii, strict=True)]
    return Spread([one[0] for one in slots], reaches)


def tighten(form: Form, known: Spread) -> Form:
    """The form with the sizes that its spread gives."""
    return form._replace(sizes=[abs(x) + reach for x, reach in zip(known.centres, known.reaches, strict=True)])


def plus(x: Form, y: Form) -> Form:
    """The sum."""
    return within_range(list(map(add, x.rows, y.rows)), max(x.slots, y.slots),
                        list(map(add, x.radii, y.radii)), list(map(add, x.sizes, y.sizes)))


def apply(budget: Budget, linear: Linear, x: Form) -> Form:
    """W x + b.

    Proof. A weight is w/2^44, off by at most 1/2^44: off by Σ sizes/2^44 units in all. What has no symbol is at most
    Σ |w| radius/2^44. Each slot is rounded by at most 1/2, the bias by 1. Sums of |w| times sizes, shifted, are below
    2^62, so the slots before they are shifted are below 2^103.
    """
    charge(budget, len(linear.columns) * len(x.rows), x.slots + 24)
    off = -(-sum(x.sizes) >> WEIGHT)
    radii = [-(-sum(map(mul, weights, x.radii)) >> WEIGHT) + off + (x.slots >> 1) + 2 for weights in linear.absolute]
    sizes = [(sum(map(mul, weights, x.sizes)) >> WEIGHT) + abs(bias) + off + x.slots + 4
             for weights, bias in zip(linear.absolute, linear.bias, strict=True)]
    rows = [rescale(sum(map(mul, column, x.rows)), x.slots, WEIGHT) + bias
            for column, bias in zip(linear.columns, linear.bias, strict=True)]
    return within_range(rows, x.slots, radii, sizes)


def scale_each(budget: Budget, gains: Sequence[int] | None, bias: Sequence[int] | None, x: Form) -> Form:
    """gain x + bias, coordinate by coordinate; gains are off by at most 1/2^44, biases by 1 unit. None is 1, or 0.

    Proof: that of `apply`, with one weight for each coordinate.
    """
    if gains is not None:
        charge(budget, len(x.rows), x.slots)
        off = [(size >> WEIGHT) + (x.slots >> 1) + 2 for size in x.sizes]
        radii = [(abs(gain) * radius >> WEIGHT) + 1 + more for gain, radius, more in zip(gains, x.radii, off, strict=True)]
        sizes = [(abs(gain) * size >> WEIGHT) + x.slots + 4 + more
                 for gain, size, more in zip(gains, x.sizes, off, strict=True)]
        rows = [rescale(gain * row, x.slots, WEIGHT) for gain, row in zip(gains, x.rows, strict=True)]
        x = within_range(rows, x.slots, radii, sizes)
    return x if bias is None else move(x, bias)


def move(x: Form, bias: Sequence[int]) -> Form:
    """x + bias, where each bias is off by at most 1 unit."""
    return within_range(list(map(add, x.rows, bias)), x.slots, [radius + 1 for radius in x.radii],
                        [size + abs(more) + 1 for size, more in zip(x.sizes, bias, strict=True)])


def with_symbols(x: Form, reaches: Sequence[int]) -> Form:
    """The form where each coordinate has so much more that it may be off by: by a symbol, or, of a point, by its radius.

    The radius becomes a part of the symbol. ``reaches`` are counted in the sizes by this function.
    """
    more = list(map(add, x.radii, reaches))
    sizes = list(map(add, x.sizes, reaches))
    if x.slots == 1:
        return within_range(x.rows, 1, more, sizes)
    rows = [row + (reach << SLOT * (x.slots + i)) for i, (row, reach) in enumerate(zip(x.rows, more, strict=True))]
    return within_range(rows, x.slots + len(rows), [0] * len(rows), sizes)


def multiply(budget: Budget, x: Form, y: Form) -> Form:
    """The product of each coordinate of x and the one of y.

    Proof. With x = a + δ and y = b + η, centres a and b, xy = ab + aη + bδ + δη, and |δη| is at most the product of the
    reaches: a symbol for each coordinate. What of η and δ has no symbol is at most |a| radius(η) + |b| radius(δ).
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
    return with_symbols(within_range(rows, slots, radii, sizes), reaches)


def shift_symbols(form: Form, by: int) -> Form:
    """The same with all generators so many slots further: symbols of their own."""
    rows = [centre + (row - centre << SLOT * by) for row, centre in
            ((row, unpack(row, form.slots)[0]) for row in form.rows)] if by and form.slots > 1 else form.rows
    return form._replace(rows=rows, slots=form.slots + (by if form.slots > 1 else 0))
