"""Directions of every stage that the output at one position needs: docs/background/margins_rules.md, section 3.

The position of the output is *here*, every other one *elsewhere*. Claim: the output here depends only on the directions
that are found at each stage. Proof: backwards, each of them is a function of those of the stage before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...kernel.reading.records import Head, Layer, LinearForm, Transformer
from .reading import Norms


class HeadInputs(NamedTuple):
    """A used head and its needed directions; queries and keys of the rows in which both have an entry."""

    head: Head
    queries: tuple[LinearForm, ...]
    keys: tuple[LinearForm, ...]
    names: tuple[str, ...]
    here: bool
    elsewhere: bool


@dataclass(frozen=True)
class NeededStage:
    """The directions that are needed here, and elsewhere."""

    here: frozenset[str]
    elsewhere: frozenset[str]


@dataclass(frozen=True)
class LayerNeeds:
    """The used heads of a layer; the directions needed after its attention and after its units, before their norms."""

    heads: tuple[HeadInputs, ...]
    attended: NeededStage
    fed: NeededStage


def find_needed(transformer: Transformer, norms: Norms) -> tuple[NeededStage, Sequence[LayerNeeds]]:
    """Find the directions that the output needs of the embedding, and the needs of each layer."""
    stage, found = NeededStage(frozenset([transformer.output]), frozenset()), list[LayerNeeds]()
    for layer, (attention, units) in zip(reversed(transformer.layers), reversed(norms), strict=True):
        fed = stage if units is None else before_norm(transformer, stage)
        stage = NeededStage(before_units(layer, fed.here), before_units(layer, fed.elsewhere))
        attended = stage if attention is None else before_norm(transformer, stage)
        heads = find_heads(layer, attended)
        stage = before_heads(heads, attended)
        found.append(LayerNeeds(heads, attended, fed))
    return stage, found[::-1]


def before_norm(transformer: Transformer, needed: NeededStage) -> NeededStage:
    """Return all directions where some direction is needed."""
    everything = frozenset(transformer.directions)
    return NeededStage(everything if needed.here else needed.here, everything if needed.elsewhere else needed.elsewhere)


def before_units(layer: Layer, needed: frozenset[str]) -> frozenset[str]:
    """Return the directions needed before a feed-forward block."""
    units = layer.feedforward.units
    return needed | {name for unit in units if not needed.isdisjoint(unit.writes) for name in unit.reads}


def find_heads(layer: Layer, attended: NeededStage) -> tuple[HeadInputs, ...]:
    """Return the heads that write a needed direction, here or elsewhere."""
    found = []
    for head in layer.heads:
        rows = [(query, key) for query, key in zip(head.queries, head.keys, strict=True) if query and key]
        names = tuple(name for name in head.values if name in attended.here | attended.elsewhere)
        if names:
            found.append(HeadInputs(head, tuple(query for query, _ in rows), tuple(key for _, key in rows), names,
                                    not attended.here.isdisjoint(names), not attended.elsewhere.isdisjoint(names)))
    return tuple(found)


def before_heads(heads: tuple[HeadInputs, ...], attended: NeededStage) -> NeededStage:
    """Return the directions needed before attention: of keys and values everywhere, of queries where a head is used."""
    values = [one.head.values[name] for one in heads for name in one.names]
    seen = {name for row in (*(row for one in heads for row in one.keys), *values) for name in row}
    here = {name for one in heads if one.here for row in one.queries for name in row}
    elsewhere = {name for one in heads if one.elsewhere for row in one.queries for name in row}
    return NeededStage(attended.here | seen | here, attended.elsewhere | seen | elsewhere)
