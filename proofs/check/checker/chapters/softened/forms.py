"""The transformer as both programs run it: each layer's linear forms with integer coefficients, for all lengths.

A direction is *live* in a layer if this layer or a later one reads it. Vectors contain only live directions: no other
enters a score, a value or a unit, and errors of directions are bounded without their values.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from ...kernel.budget import Budget
from ...kernel.numbers import ZERO, divide, multiply
from ...kernel.reading.records import FeedForward, Head, Layer, LinearForm, Neuron, Transformer
from .integers import IntegerForms, common_denominator, make_forms


@dataclass(frozen=True)
class HeadForms:
    """A head; ``written`` are its directions, in the order of the forms of its values."""

    head: Head
    is_uniform: bool
    queries: IntegerForms
    keys: IntegerForms
    values: IntegerForms

    @property
    def written(self) -> tuple[str, ...]:
        """The directions that the head writes."""
        return tuple(self.head.values)

    @property
    def may_tie(self) -> bool:
        """True if the head weighs all positions with the greatest score equally, however many there are."""
        return self.is_uniform or self.head.weighting == "average-hardmax"


@dataclass(frozen=True)
class UnitGroup:
    """Hidden units that read multiples of one linear form L: each of ``units`` is a factor of L and a unit.

    L is ``row`` with rational coefficients, and the only one of ``forms``.
    """

    row: LinearForm
    forms: IntegerForms
    units: tuple[tuple[Fraction, Neuron], ...]
    written: tuple[str, ...]


@dataclass(frozen=True)
class LayerForms:
    """A layer with integer forms.

    Attributes:
        live: the directions that it or a later layer reads.
        stretch: the factor of the scale for the output of the feed-forward block.
    """

    live: tuple[str, ...]
    heads: tuple[HeadForms, ...]
    groups: tuple[UnitGroup, ...]
    bias: LinearForm
    stretch: int

    @property
    def looks_to_the_left(self) -> bool:
        """True if the output of the layer at a position depends only on this position and those to its left."""
        return all(head.head.mask == "future" for head in self.heads)


def is_uniform(head: Head) -> bool:
    """Return whether all scores are 0 (no row has both query and key) and all positions have equal weights."""
    scored = any(query and key for query, key in zip(head.queries, head.keys, strict=True))
    return not scored and head.weighting in ("average-hardmax", "softmax")


def prepare(budget: Budget, transformer: Transformer) -> list[LayerForms]:
    """Return all layers with integer forms."""
    layers = zip(transformer.layers, find_live(budget, transformer), strict=True)
    return [prepare_layer(budget, layer, live) for layer, live in layers]


def prepare_layer(budget: Budget, layer: Layer, live: tuple[str, ...]) -> LayerForms:
    """Return a layer with integer forms."""
    heads = tuple(HeadForms(head, is_uniform(head), make_forms(budget, head.queries), make_forms(budget, head.keys),
                            make_forms(budget, tuple(head.values.values()))) for head in layer.heads)
    part = layer.feedforward
    return LayerForms(live, heads, tuple(group_units(budget, part.units)), part.bias, find_stretch(budget, part))


def find_live(budget: Budget, transformer: Transformer) -> list[tuple[str, ...]]:
    """Return the live directions of each layer."""
    read: set[str] = set()
    found = []
    for layer in reversed(transformer.layers):
        rows = list(rows_read(layer))
        budget.spend(len(rows) + sum(map(len, rows)) + len(transformer.directions))
        read.update(*rows)
        found.append(tuple(d for d in transformer.directions if d in read))
        budget.hold(64 * len(found[-1]))
    return found[::-1]


def rows_read(layer: Layer) -> Iterator[LinearForm]:
    """Yield all linear forms that a layer reads."""
    for head in layer.heads:
        yield from (*head.queries, *head.keys, *head.values.values())
    yield from (unit.reads for unit in layer.feedforward.units)


def group_units(budget: Budget, units: tuple[Neuron, ...]) -> Iterator[UnitGroup]:
    """Group units that read multiples of one form; units that read nothing are a group."""
    groups: dict[tuple[tuple[str, str, str], ...], tuple[LinearForm, list[tuple[Fraction, Neuron]]]] = {}
    for unit in units:
        slope = next(iter(unit.reads.values()), ZERO)
        row: LinearForm = {d: divide(budget, c, slope) for d, c in unit.reads.items()}
        key = tuple((d, hex(c.numerator), hex(c.denominator)) for d, c in row.items())
        groups.setdefault(key, (row, []))[1].append((slope, unit))
    for row, members in groups.values():
        written = dict.fromkeys(t for _, unit in members for t in unit.writes)
        yield UnitGroup(row, make_forms(budget, [row]), tuple(members), tuple(written))


def find_stretch(budget: Budget, part: FeedForward) -> int:
    """Return a common denominator of the block's outputs for integer inputs."""
    products = (multiply(budget, x, c) for unit in part.units for x in (unit.bias, *unit.reads.values())
                for c in unit.writes.values())
    return common_denominator(budget, chain(products, part.bias.values()))
