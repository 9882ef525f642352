"""Renaming of the directions of a transformer."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from constructions.network.transformer import FeedForward, Head, Layer, Transformer, Unit

Held = TypeVar("Held")


def rename_directions(transformer: Transformer, names: Mapping[str, str]) -> Transformer:
    """Return the transformer with new names of directions, which must be distinct; other names are unchanged."""

    def renamed(row: Mapping[str, Held]) -> dict[str, Held]:
        return {names.get(name, name): held for name, held in row.items()}

    def head(old: Head) -> Head:
        return replace(old, queries=tuple(map(renamed, old.queries)), keys=tuple(map(renamed, old.keys)),
                       values={names.get(name, name): renamed(row) for name, row in old.values.items()})

    def unit(old: Unit) -> Unit:
        return Unit(renamed(old.reads), old.bias, renamed(old.writes))

    def layer(old: Layer) -> Layer:
        return Layer(tuple(map(head, old.heads)),
                     FeedForward(tuple(map(unit, old.feedforward.units)), renamed(old.feedforward.bias)))

    return replace(
        transformer,
        directions=renamed(transformer.directions),
        token_embedding={symbol: renamed(row) for symbol, row in transformer.token_embedding.items()},
        position_embedding=renamed(transformer.position_embedding),
        layers=tuple(map(layer, transformer.layers)),
        output=names.get(transformer.output, transformer.output),
    )
