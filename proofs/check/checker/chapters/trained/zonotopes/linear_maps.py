"""Weights of a network as integers over 2^44, each within 1 unit, by which affine forms are multiplied."""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from ....kernel.budget import Budget
from ....kernel.numbers import INTEGER_BITS, ONE, over_one_denominator
from ....kernel.verdicts import require
from ..reading.dyadics import Matrix, Vector
from ..reading.network import Affine, LogitRow, Rotary, Scale
from .affine import WEIGHT, Linear, make_linear, shortened

MAX_WEIGHT_BITS = 62  # of a weight or bias in units of 2^-44
PLAIN = Scale(ONE, None)


def to_units(entries: Sequence[int], power: int, scale: Scale = PLAIN) -> list[int]:
    """Return entries * 2^power times the scale, over 2^44: rounded towards 0 or to nearest, within 1.

    Proof for 1/sqrt(m): the floor of the root of a floor is the floor of the root.

    Raises:
        Rejected: if one is 2^18 or more.
    """
    shift = power + WEIGHT
    longest = max((entry.bit_length() for entry in entries), default=0)
    factor = scale.times if scale.times is not None else ONE
    more = factor.numerator.bit_length() - factor.denominator.bit_length()
    require(not longest or longest + shift + more < MAX_WEIGHT_BITS, "a weight of 2^{} or so", MAX_WEIGHT_BITS - WEIGHT)
    if scale.root is not None:
        return [over_root(entry, shift, scale.root) for entry in entries]
    up, down = factor.numerator << max(shift, 0), factor.denominator << max(-shift, 0)
    if down & down - 1 == 0:
        half, places = down >> 1, down.bit_length() - 1
        return [entry * up + half >> places for entry in entries]
    return [entry * up // down for entry in entries]


def over_root(entry: int, shift: int, root: int) -> int:
    """Return entry * 2^shift / sqrt(root), rounded towards 0."""
    square = entry * entry << max(2 * shift, 0)
    size = isqrt((square // root) >> max(-2 * shift, 0))
    return size if entry > 0 else -size


def make_bias(bias: Vector | None, width: int, scale: Scale = PLAIN) -> list[int]:
    """Return the bias, or zeros."""
    return [0] * width if bias is None else to_units(bias.entries, bias.power, scale)


def make_map(budget: Budget, weight: Matrix, bias: Vector | None = None, scale: Scale = PLAIN) -> Linear:
    """Return the map x ↦ (x weight + bias) times the scale."""
    entries = len(weight.rows) * weight.width
    budget.spend(1 + entries)
    budget.hold(2 * INTEGER_BITS * entries)
    rows = [to_units(row, weight.power, scale) for row in weight.rows]
    columns = list(zip(*rows, strict=True)) if rows else [()] * weight.width
    return shortened(budget, make_linear(columns, make_bias(bias, weight.width, scale)))


def make_rows(budget: Budget, unembedding: Affine, rows: Sequence[LogitRow]) -> Linear:
    """Return the linear map from the stream to the values of these linear forms of logits."""
    columns, biases = [], []
    weight, bias = unembedding.weight, unembedding.bias
    for row in rows:
        unit, (numerators,) = over_one_denominator(budget, [[coefficient for _, coefficient in row]])
        whole = [(token, numerator) for (token, _), numerator in zip(row, numerators, strict=True)]
        budget.spend(1 + len(weight.rows) * (1 + len(whole)) * (1 + (unit.bit_length() >> 10)))
        scale = Scale(Fraction(1, unit), None)
        columns.append(to_units([dot(whole, entries) for entries in weight.rows], weight.power, scale))
        biases.append(0 if bias is None else to_units([dot(whole, bias.entries)], bias.power, scale)[0])
    return make_linear(columns, biases)


def dot(row: Sequence[tuple[int, int]], entries: Sequence[int]) -> int:
    """Return the dot product of a sparse row and the entries."""
    return sum(coefficient * entries[token] for token, coefficient in row)


def make_rotation(rotary: Rotary, position: int, width: int) -> Linear:
    """Return the rotation of the pairs of coordinates at a position; coordinates in no pair are kept."""
    cosines = to_units(rotary.cosines.rows[position], rotary.cosines.power)
    sines = to_units(rotary.sines.rows[position], rotary.sines.power)
    columns = [[(i == j) << WEIGHT for i in range(width)] for j in range(width)]
    for r, (cosine, sine) in enumerate(zip(cosines, sines, strict=True)):
        a, b = (r, r + len(cosines)) if rotary.halves else (2 * r, 2 * r + 1)
        columns[a][a] = columns[b][b] = cosine
        columns[a][b], columns[b][a] = -sine, sine
    return make_linear(columns, [0] * width)
