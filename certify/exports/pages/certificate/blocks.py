"""A network as columns of blocks: embeddings, heads, feed-forward; with the directions each block reads and writes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from certify.exports.pages.certificate.names import DirectionNames
from constructions.network.meanings import Near, Others, Product, Truth
from constructions.network.transformer import Head, Layer, Transformer

MOST_DIRECTIONS = 2000
"""Networks with more directions are neither drawn nor run in doubles."""
Role = Literal["query", "key", "value", "relu"]
BlockKind = Literal["symbol", "position", "head", "exact", "feed"]


@dataclass(frozen=True)
class Box:
    """One box of the picture; heads that approximate are of kind ``head``, those with exact values ``exact``.

    ``lines`` are its text, the first in bold; ``spoken`` is the alternative text.
    """

    number: int
    kind: BlockKind
    lines: tuple[str, ...]
    spoken: str
    reads: tuple[tuple[str, Role], ...]
    writes: tuple[str, ...]


@dataclass(frozen=True)
class BoxColumn:
    """A column of boxes: the embeddings (layer 0), the heads of a layer, or its feed-forward block."""

    layer: int
    what: str
    blocks: tuple[Box, ...]


def is_approximate(network: Transformer, direction: str) -> bool:
    """Return whether the direction only approximates its meaning."""
    return isinstance(network.directions[direction], Near | Others)


def read_roles(head: Head) -> tuple[tuple[str, Role], ...]:
    """Return the directions that a head reads, each with its role."""
    rows: list[tuple[Role, list[str]]] = [
        ("query", [name for row in head.queries for name in row]), ("key", [name for row in head.keys for name in row]),
        ("value", [name for row in head.values.values() for name in row])]
    return tuple(dict.fromkeys((name, role) for role, names in rows for name in names))


def find_columns(network: Transformer, names: DirectionNames) -> list[BoxColumn]:
    """Return the columns from left to right, without embedded directions that are not read; empty if too large."""
    if len(network.directions) > MOST_DIRECTIONS:
        return []
    return _Columns(network, names).columns()


class _Columns:
    def __init__(self, network: Transformer, names: DirectionNames):
        self.network, self.names = network, names
        self._count = 0

    def columns(self) -> list[BoxColumn]:
        found = [BoxColumn(0, "embeddings", tuple(self._embeddings()))]
        for number, layer in enumerate(self.network.layers, start=1):
            found.append(BoxColumn(number, "heads", tuple(self._heads(number, layer))))
            found.append(BoxColumn(number, "feed-forward", tuple(self._feeds(layer))))
        return [column for column in found if column.blocks]

    def _block(self, kind: BlockKind, lines: tuple[str, ...], reads: tuple[tuple[str, Role], ...],
               writes: tuple[str, ...]) -> Box:
        self._count += 1
        spoken = f"{' '.join(lines)}; writes {', '.join(self.names.direction(name) for name in writes)}"
        return Box(self._count - 1, kind, lines, spoken, reads, writes)

    def _embeddings(self) -> Iterator[Box]:
        read = {name for _, _, head in self.network.heads() for name, _ in read_roles(head)}
        read |= {name for layer in self.network.layers for unit in layer.feedforward.units for name in unit.reads}
        for name in self.network.embedded():
            if name in read or name == self.network.output:
                at_position = name in self.network.position_embedding
                yield self._block("position" if at_position else "symbol", (self._what(name),), (), (name,))

    def _heads(self, number: int, layer: Layer) -> Iterator[Box]:
        for place, head in enumerate(layer.heads, start=1):
            soft = head.weighting.is_softmax
            near = any(is_approximate(self.network, name) for name in head.values) or not soft
            yield self._block("head" if near else "exact", (f"{number}.{place}", head.name), read_roles(head),
                              tuple(head.values))

    def _feeds(self, layer: Layer) -> Iterator[Box]:
        for name in layer.feedforward.written():
            units = layer.feedforward.units_writing(name)
            reads = dict.fromkeys((read, "relu") for unit in units for read in unit.reads)
            title = f"{len(units)} ReLU{'' if len(units) == 1 else 's'}" if units else "constant"
            yield self._block("feed", (title, self._what(name)), tuple(reads), (name,))  # type: ignore[arg-type]

    def _what(self, name: str) -> str:
        """Describe a direction as shortly as possible."""
        match self.network.directions[name]:
            case Truth(formula):
                return self.names.texts[formula]
            case Product(value, formula):
                return f"{value} where {self.names.texts[formula]}"
        return self.names.direction(name)
