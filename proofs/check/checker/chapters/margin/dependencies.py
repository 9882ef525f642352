"""What the output at one position needs of every stage: docs/margins.md, section 3.

The position that is read is *here*, every other one *elsewhere*. Claim: the output here depends on nothing but the
directions that are found at each stage. Proof: backwards, each of them is a function of those of the stage before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...kernel.reading.records import Head, Layer, LinearForm, Transformer
from .reading import Norms


class HeadInputs(NamedTuple):
    """A head that is asked for some directions: its queries and keys in the rows where both have an entry."""

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
    """The heads of a layer that are asked; what is needed behind its attention and its units, before norms there."""

    asked: tuple[HeadInputs, ...]
    attended: NeededStage
    fed: NeededStage


def find_needed(transformer: Transformer, norms: Norms) -> tuple[NeededStage, Sequence[LayerNeeds]]:
    """What the output needs of the embedding, and of each layer."""
    stage, found = NeededStage(frozenset([transformer.output]), frozenset()), list[LayerNeeds]()
    for layer, (attention, units) in zip(reversed(transformer.layers), reversed(norms), strict=True):
        fed = stage if units is None else before_norm(transformer, stage)
        stage = NeededStage(before_units(layer, fed.here), before_units(layer, fed.elsewhere))
        attended = stage if attention is None else before_norm(transformer, stage)
        asked = ask_heads(layer, attended)
        stage = before_heads(asked, attended)
        found.append(LayerNeeds(asked, attended, fed))
    return stage, found[::-1]


def before_norm(transformer: Transformer, wanted: NeededStage) -> NeededStage:
    """All directions where something is wanted."""
    everything = frozenset(transformer.directions)
    return NeededStage(everything if wanted.here else wanted.here, everything if wanted.elsewhere else wanted.elsewhere)


def before_units(layer: Layer, wanted: frozenset[str]) -> frozenset[str]:
    """What is needed before a feed-forward part."""
    units = layer.feedforward.units
    return wanted | {name for unit in units if not wanted.isdisjoint(unit.writes) for name in unit.reads}


def ask_heads(layer: Layer, attended: NeededStage) -> tuple[HeadInputs, ...]:
    """Return the heads that write what is needed, here or elsewhere."""
    found = []
    for head in layer.heads:
        rows = [(query, key) for query, key in zip(head.queries, head.keys, strict=True) if query and key]
        names = tuple(name for name in head.values if name in attended.here | attended.elsewhere)
        if names:
            found.append(HeadInputs(head, tuple(query for query, _ in rows), tuple(key for _, key in rows), names,
                                    not attended.here.isdisjoint(names), not attended.elsewhere.isdisjoint(names)))
    return tuple(found)


def before_heads(asked: tuple[HeadInputs, ...], attended: NeededStage) -> NeededStage:
    """What is needed before attention: keys and values everywhere, queries where a head is asked."""
    values = [one.head.values[name] for one in asked for name in one.names]
    seen = {name for row in (*(row for one in asked for row in one.keys), *values) for name in row}
    here = {name for one in asked if one.here for row in one.queries for name in row}
    elsewhere = {name for one in asked if one.elsewhere for row in one.queries for name in row}
    return NeededStage(attended.here | seen | here, attended.elsewhere | seen | elsewhere)
