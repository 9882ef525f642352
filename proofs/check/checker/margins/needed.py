"""What the output at one position needs of every stage: docs/margins.md, section 3.

The position that is read is *here*, every other one *elsewhere*. Claim: the output here depends on nothing but the
directions of ``Needed`` at each stage. Proof: backwards, each of them is a function of those of the stage before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..reading.records import Head, Layer, Transformer, Weights


class Asked(NamedTuple):
    """A head that is asked for some directions: its queries and keys in the rows where both have an entry."""

    head: Head
    queries: tuple[Weights, ...]
    keys: tuple[Weights, ...]
    names: tuple[str, ...]
    here: bool
    elsewhere: bool


@dataclass(frozen=True)
class Stage:
    """The directions that are needed here, and elsewhere."""

    here: frozenset[str]
    elsewhere: frozenset[str]


@dataclass(frozen=True)
class Needed:
    """What is needed of the embedding; for each layer the heads that are asked, and what is needed behind each part."""

    embedded: Stage
    asked: tuple[tuple[Asked, ...], ...]
    attended: tuple[Stage, ...]
    behind: tuple[Stage, ...]


def find_needed(transformer: Transformer) -> Needed:
    """What the output needs, from the last layer to the embedding."""
    stage = Stage(frozenset([transformer.output]), frozenset())
    asked, attended, behind = list[tuple[Asked, ...]](), list[Stage](), list[Stage]()
    for layer in reversed(transformer.layers):
        behind.append(stage)
        attended.append(Stage(before_units(layer, stage.here), before_units(layer, stage.elsewhere)))
        asked.append(ask_heads(layer, attended[-1]))
        stage = before_heads(asked[-1], attended[-1])
    return Needed(stage, tuple(reversed(asked)), tuple(reversed(attended)), tuple(reversed(behind)))


def before_units(layer: Layer, wanted: frozenset[str]) -> frozenset[str]:
    """What is needed before a feed-forward part."""
    units = layer.feedforward.units
    return wanted | {name for unit in units if not wanted.isdisjoint(unit.writes) for name in unit.reads}


def ask_heads(layer: Layer, attended: Stage) -> tuple[Asked, ...]:
    """The heads that write what is needed, here or elsewhere."""
    found = []
    for head in layer.heads:
        rows = [(query, key) for query, key in zip(head.queries, head.keys, strict=True) if query and key]
        names = tuple(name for name in head.values if name in attended.here | attended.elsewhere)
        if names:
            found.append(Asked(head, tuple(query for query, _ in rows), tuple(key for _, key in rows), names,
                               not attended.here.isdisjoint(names), not attended.elsewhere.isdisjoint(names)))
    return tuple(found)


def before_heads(asked: tuple[Asked, ...], attended: Stage) -> Stage:
    """What is needed before attention: keys and values everywhere, queries where a head is asked."""
    values = [one.head.values[name] for one in asked for name in one.names]
    seen = {name for row in (*(row for one in asked for row in one.keys), *values) for name in row}
    here = {name for one in asked if one.here for row in one.queries for name in row}
    elsewhere = {name for one in asked if one.elsewhere for row in one.queries for name in row}
    return Stage(attended.here | seen | here, attended.elsewhere | seen | elsewhere)
