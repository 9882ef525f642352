"""The directions of a head, along which its average is bounded.

See docs/reference/trained.md, section 4, and trained_rules.md, section 5, Forms.
"""

from collections.abc import Sequence
from operator import add, mul
from struct import unpack
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.numbers import INTEGER_BITS
from .affine import WEIGHT, AffineForm, Linear, apply, make_linear, within_range
from .packed_integers import SLOT

PLACES = 30  # fractional bits of a direction


class DirectionBasis(NamedTuple):
    """Directions as rows of a matrix Q: the maps Q and Q' (the transpose), and |I - Q'Q| over 2^60."""

    rows: list[tuple[int, ...]]
    forward: Linear
    backward: Linear
    rest: list[list[int]]


def make_basis(budget: Budget, data: bytes, width: int) -> DirectionBasis:
    """Decode the directions, rows of int32 over 2^30 with this width; as weights over 2^44 they are exact."""
    budget.spend(1 + (width**3 >> 3))
    budget.hold(4 * INTEGER_BITS * width**2)
    numbers = unpack(f"<{len(data) // 4}i", data)
    rows = [numbers[first:first + width] for first in range(0, len(numbers), width)]
    columns = list(zip(*rows, strict=True)) or [()] * width
    one = 1 << 2 * PLACES
    rest = [[abs((one if i == k else 0) - sum(map(mul, columns[i], columns[k]))) for k in range(width)]
            for i in range(width)]
    return DirectionBasis(rows, as_linear(rows), as_linear(columns), rest)


def as_linear(rows: Sequence[Sequence[int]]) -> Linear:
    """Return the linear map with these rows over 2^30."""
    return make_linear([[x << WEIGHT - PLACES for x in row] for row in rows], [0] * len(rows))


def average(budget: Budget, basis: DirectionBasis, least: Sequence[int], greatest: Sequence[int],
            sizes: Sequence[int]) -> AffineForm:
    """Return the form of z, where Q z is between these bounds and |z_i| at most these sizes.

    Proof. z = Q'(Q z) + (I - Q'Q) z. Each coordinate of Q z has a symbol; the second term is a radius.
    """
    more = [(sum(map(mul, row, sizes)) >> 2 * PLACES) + 1 for row in basis.rest]
    return image_of_box(budget, basis.backward, least, greatest, more)


def image_of_box(budget: Budget, linear: Linear, least: Sequence[int], greatest: Sequence[int], radii: Sequence[int]
                 ) -> AffineForm:
    """Return the image of a box, a symbol for each coordinate, with these errors added to its radii."""
    middles = [a + b >> 1 for a, b in zip(least, greatest, strict=True)]
    halves = [b - middle for middle, b in zip(middles, greatest, strict=True)]
    rows = [middle + (half << SLOT * (k + 1)) for k, (middle, half) in enumerate(zip(middles, halves, strict=True))]
    sizes = [abs(middle) + half for middle, half in zip(middles, halves, strict=True)]
    z = apply(budget, linear, within_range(rows, 1 + len(rows), [0] * len(rows), sizes))
    return within_range(z.rows, z.slots, list(map(add, z.radii, radii)), list(map(add, z.sizes, radii)))
