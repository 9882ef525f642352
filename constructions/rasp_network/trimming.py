"""Removal of unneeded parts of a compiled program, and merging of heads with the same attention pattern."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from constructions.network.transformer import FeedForward, Head, Layer, Transformer, Unit

V = TypeVar("V")


def trim(transformer: Transformer, wanted: Iterable[str]) -> Transformer:
    """Return the transformer with only the directions that the ``wanted`` ones depend on, and heads merged.

    Every direction must be written at one stage, and read at later ones.
    """
    needed = {*wanted, transformer.output}
    layers: list[Layer] = []
    for layer in reversed(transformer.layers):
        feedforward = _needed_units(layer.feedforward, needed)
        needed |= {name for unit in feedforward.units for name in unit.reads}
        heads = _merged([replace(head, values=_only(head.values, needed)) for head in layer.heads
                         if not needed.isdisjoint(head.values)])
        needed |= {name for head in heads for row in (*head.queries, *head.keys, *head.values.values()) for name in row}
        if heads or feedforward.units or feedforward.bias:
            layers.append(Layer(tuple(heads), feedforward))
    return replace(
        transformer,
        directions=_only(transformer.directions, needed),
        token_embedding={symbol: _only(row, needed) for symbol, row in transformer.token_embedding.items()},
        position_embedding=_only(transformer.position_embedding, needed),
        layers=tuple(reversed(layers)),
    )


def _only(entries: Mapping[str, V], needed: set[str]) -> dict[str, V]:
    return {name: entry for name, entry in entries.items() if name in needed}


def _needed_units(part: FeedForward, needed: set[str]) -> FeedForward:
    units = [Unit(unit.reads, unit.bias, _only(unit.writes, needed)) for unit in part.units]
    return FeedForward(tuple(unit for unit in units if unit.writes), _only(part.bias, needed))


def _merged(heads: Sequence[Head]) -> list[Head]:
    result: list[Head] = []
    for head in heads:
        alike = next((place for place, other in enumerate(result)
                      if (other.mask, other.queries, other.keys) == (head.mask, head.queries, head.keys)), None)
        if alike is None:
            result.append(head)
        else:
            result[alike] = replace(result[alike], values={**result[alike].values, **head.values})
    return result
