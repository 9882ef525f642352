"""Needs of the output at one position: directions, stage by stage, and the used heads.

A *stage* is the embedding (0), the attention of a layer (1, 3, …) or its feed-forward part (2, 4, …). The position of
the output is *here*, every other one *elsewhere*. Source: docs/background/margins_rules.md, section 3.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from constructions.network.transformer import Coefficients, Head, Layer, Mask, Transformer
from proofs.words.classes.norms import NO_NORMS, Norms


@dataclass(frozen=True)
class NeededHead:
    """A used head: its live rows of scores, and the needed directions that it writes.

    ``elsewhere`` is True if it is also used at other positions.
    """

    layer: int
    place: int
    head: Head
    live: tuple[int, ...]
    directions: tuple[str, ...]
    here: bool
    elsewhere: bool

    @property
    def is_unmasked(self) -> bool:
        """True if it sees the same positions from everywhere."""
        return self.head.mask is Mask.NONE

    @property
    def queries(self) -> list[Coefficients]:
        """The live rows of its queries."""
        return [self.head.queries[row] for row in self.live]

    @property
    def columns(self) -> list[Coefficients]:
        """The forms that it reads of each visible position: its live keys, then its values."""
        return [*(self.head.keys[row] for row in self.live), *(self.head.values[name] for name in self.directions)]


@dataclass(frozen=True)
class Needed:
    """The directions needed at each stage, here and elsewhere, before its norm; and the used heads of each layer."""

    here: tuple[frozenset[str], ...]
    elsewhere: tuple[frozenset[str], ...]
    heads: tuple[tuple[NeededHead, ...], ...]


def find_needed(transformer: Transformer, form: Coefficients, norms: Norms = NO_NORMS) -> Needed:
    """Find the needs of a linear form of the final vector here; with a norm, the needs before it."""
    directions = frozenset(transformer.directions)

    def before_norm(names: frozenset[str], stage: int) -> frozenset[str]:
        return directions if names and norms.behind(stage) is not None else names

    stage = 2 * len(transformer.layers)
    here, elsewhere = [before_norm(frozenset(form), stage)], [frozenset[str]()]
    used: list[tuple[NeededHead, ...]] = []
    for number in range(len(transformer.layers), 0, -1):
        layer = transformer.layers[number - 1]
        for needed in (here, elsewhere):
            needed.append(before_norm(_before_feedforward(layer, needed[-1]), 2 * number - 1))
        heads = tuple(_used_heads(number, layer, here[-1], elsewhere[-1]))
        read = frozenset(name for head in heads for row in head.columns for name in row)
        queried = {at_here: frozenset(name for head in heads if (head.here if at_here else head.elsewhere)
                                      for row in head.queries for name in row) for at_here in (True, False)}
        here.append(before_norm(here[-1] | read | queried[True], 2 * number - 2))
        elsewhere.append(before_norm(elsewhere[-1] | read | queried[False], 2 * number - 2))
        used.append(heads)
    return Needed(tuple(here[::-1]), tuple(elsewhere[::-1]), tuple(used[::-1]))


def _before_feedforward(layer: Layer, names: frozenset[str]) -> frozenset[str]:
    return names | {name for unit in layer.feedforward.units if not names.isdisjoint(unit.writes)
                     for name in unit.reads}


def _used_heads(number: int, layer: Layer, here: frozenset[str], elsewhere: frozenset[str]) -> Iterable[NeededHead]:
    for place, head in enumerate(layer.heads, start=1):
        written = {name for name, row in head.values.items() if row}
        directions = tuple(name for name in head.values if name in written & (here | elsewhere))
        if directions:
            yield NeededHead(number, place, head, live_rows(head), directions, bool(written & here),
                             bool(written & elsewhere))


def live_rows(head: Head) -> tuple[int, ...]:
    """Return the rows of the score that are not 0 everywhere; without any, all scores are 0."""
    return tuple(row for row, (query, key) in enumerate(zip(head.queries, head.keys, strict=True)) if query and key)


def reach(transformer: Transformer, needed: Needed, at: int, n: int) -> range:
    """Return positions outside of which no symbol can matter to what is read at position ``at``."""
    masks = {head.head.mask for heads in needed.heads for head in heads}
    first = at if masks <= {Mask.PAST} else 1
    last = at if masks <= {Mask.FUTURE} else n
    return range(first, last + 1)

