"""The layout of blocks and wires of a network: columns, in which passing wires have places, too.

Source      Sugiyama, Tagawa, Toda: Methods for visual understanding of hierarchical system structures (1981): places
            are ordered by the means of their neighbours, then moved as near to these as distances allow. The latter
            is a regression under order constraints, which the pool-adjacent-violators algorithm solves exactly.

The layout is deterministic.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from certify.exports.pages.certificate.blocks import BoxColumn

ORDERINGS = 24
MOVES = 16
WIRE_WEIGHT = 3.0
"""The cost of bending a wire relative to that of moving a block."""
Node = tuple[str, int | str]
"""A block by its number, or a direction that passes by."""


@dataclass(frozen=True)
class Sizes:
    """The room of blocks (by number) and passing wires across the columns, and the gap between them."""

    blocks: Mapping[int, float]
    wire: float
    gap: float

    def of(self, node: Node) -> float:
        """Return the room of a block or of a wire."""
        return self.blocks[int(node[1])] if node[0] == "block" else self.wire


@dataclass(frozen=True)
class Wire:
    """A direction from the column where it is written to the last one where it is read; ``readers`` by column."""

    direction: str
    writer: int
    first: int
    last: int
    readers: Mapping[int, tuple[int, ...]]


def find_wires(columns: Sequence[BoxColumn]) -> list[Wire]:
    """Return the wires of all directions that are read after the column that writes them."""
    found = []
    for start, column in enumerate(columns):
        for block in column.blocks:
            for name in block.writes:
                readers = {place: numbers for place, later in enumerate(columns) if place > start
                           and (numbers := tuple(each.number for each in later.blocks
                                                 if any(read == name for read, _ in each.reads)))}
                if readers:
                    found.append(Wire(name, block.number, start, max(readers), readers))
    return found


class DiagramLayout:
    """The blocks and passing wires of each column in order, with their positions across."""

    def __init__(self, columns: Sequence[BoxColumn], wires: Sequence[Wire], sizes: Sizes):
        """Place all nodes; the middle of the picture is at 0."""
        self.sizes = sizes
        self.order: list[list[Node]] = [[("block", block.number) for block in column.blocks] for column in columns]
        self._before: dict[tuple[int, Node], list[Node]] = {}
        self._after: dict[tuple[int, Node], list[Node]] = {}
        for wire in wires:
            self._link(wire)
        self.across: dict[tuple[int, Node], float] = {}
        for place in range(len(self.order)):
            self._stack(place)
        self._sort()
        self._move()
        self._centre()

    def block(self, place: int, number: int) -> float:
        """Return the position across of a block of a column."""
        return self.across[place, ("block", number)]

    def wire(self, place: int, direction: str) -> float:
        """Return the position across of a wire in a column."""
        return self.across[place, ("wire", direction)]

    @property
    def extent(self) -> tuple[float, float]:
        """The least and the greatest occupied position across."""
        ends = [(at - self.sizes.of(node) / 2, at + self.sizes.of(node) / 2) for (_, node), at in self.across.items()]
        return min((low for low, _ in ends), default=0), max((high for _, high in ends), default=0)

    def _link(self, wire: Wire) -> None:
        previous: Node = ("block", wire.writer)
        for place in range(wire.first + 1, wire.last + 1):
            nodes: list[Node] = [("block", number) for number in wire.readers.get(place, ())]
            if place < wire.last:
                passing: Node = ("wire", wire.direction)
                self.order[place].append(passing)
                nodes.append(passing)
            for node in nodes:
                self._after.setdefault((place - 1, previous), []).append(node)
                self._before.setdefault((place, node), []).append(previous)
            if place < wire.last:
                previous = passing

    def _stack(self, place: int) -> None:
        """Stack the nodes of a column in their order, around 0."""
        at = 0.0
        for node in self.order[place]:
            self.across[place, node] = at + self.sizes.of(node) / 2
            at += self.sizes.of(node) + self.sizes.gap
        for node in self.order[place]:
            self.across[place, node] -= (at - self.sizes.gap) / 2

    def _wish(self, place: int, node: Node, sides: Sequence[int]) -> float:
        """Return the mean position of the neighbours on these sides; its own if there are none."""
        near = [self.across[place + side, other] for side in sides
                for other in (self._before if side < 0 else self._after).get((place, node), ())]
        return sum(near) / len(near) if near else self.across[place, node]

    def _sort(self) -> None:
        places = range(len(self.order))
        for turn in range(ORDERINGS):
            side = -1 if turn % 2 == 0 else 1
            for place in (places if side < 0 else reversed(places)):
                wishes = {node: self._wish(place, node, (side,)) for node in self.order[place]}
                self.order[place].sort(key=wishes.__getitem__)
                self._stack(place)

    def _move(self) -> None:
        places = range(len(self.order))
        for turn in range(MOVES):
            for place in (places if turn % 2 == 0 else reversed(places)):
                nodes = self.order[place]
                wishes = [self._wish(place, node, (-1, 1)) for node in nodes]
                weights = [WIRE_WEIGHT if node[0] == "wire" else 1.0 for node in nodes]
                found = spread([self.sizes.of(node) for node in nodes], self.sizes.gap, wishes, weights)
                self.across |= {(place, node): at for node, at in zip(nodes, found, strict=True)}

    def _centre(self) -> None:
        low, high = self.extent
        for key in self.across:
            self.across[key] -= (low + high) / 2


def spread(sizes: Sequence[float], gap: float, wishes: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return places in this order, without overlap, with the least weighted sum of squared distances from the wishes.

    >>> spread([2, 2], 0, [5, 5], [1, 1]), spread([2, 2], 0, [0, 9], [1, 1])
    ([4.0, 6.0], [0.0, 9.0])
    """
    offsets, at = [], 0.0
    for k, size in enumerate(sizes):
        at += (sizes[k - 1] + size) / 2 + gap if k else 0.0
        offsets.append(at)
    pools: list[tuple[float, float, int]] = []  # total weight, mean of wish minus offset, number
    for wish, offset, weight in zip(wishes, offsets, weights, strict=True):
        pools.append((weight, wish - offset, 1))
        while len(pools) > 1 and pools[-2][1] > pools[-1][1]:
            (w, x, k), (v, y, m) = pools.pop(), pools.pop()
            pools.append((w + v, (w * x + v * y) / (w + v), k + m))
    shifts = [shift for _, shift, count in pools for _ in range(count)]
    return [shift + offset for shift, offset in zip(shifts, offsets, strict=True)]
