"""Parsing of the evidence of docs/reference/trained.md, section 4: a cover of all words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ....kernel.budget import MAX_N
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, integer_within, list_of, one_of, or_null
from ....kernel.verdicts import expect
from .decision import MAX_BITS, MAX_CUTS, Decision
from .dyadics import read_base64
from .network import MAX_OFFSET, Count, Int32, Network
from .words_claim import WordsUnit

MAX_LEAVES = 1 << 12  # of a tree


@dataclass(frozen=True)
class Leaf:
    """A cell: for each row to prove None, or int32 numbers over 2^20, one for each direction of each head."""

    shares: tuple[bytes | None, ...]


@dataclass(frozen=True)
class Cut:
    """A cut of a direction of a head of the last attention step at ``at`` / 2^bits: upper end of ``below``."""

    head: int
    direction: int
    at: int
    below: Tree
    above: Tree


Tree = Leaf | Cut


@dataclass(frozen=True)
class ClassesUnit:
    """Obligations proved by classes: graph, directions, int32 ranges over 2^bits, cells of each asked node or None."""

    offset: int
    first: int
    last: int
    graph: int
    directions: int
    bits: int
    ranges: bytes
    cells: tuple[Tree | None, ...] | None = None


CoverPart = WordsUnit | ClassesUnit

Graph = tuple[tuple[tuple[int, ...], ...], ...]
"""Levels of nodes; a node is the tuple of its successors in the next level."""

DirectionMatrices = tuple[tuple[bytes, ...], ...]
"""For each attention step and each head the bytes of an m x m matrix of int32."""


@dataclass(frozen=True)
class Cover:
    """Units that cover all words, with the graphs and directions that they name."""

    graphs: tuple[Graph, ...]
    directions: tuple[DirectionMatrices, ...]
    units: tuple[CoverPart, ...]


def read_cover(value: Json, about: Decision[object, None]) -> Cover:
    """Parse a cover; its units name existing graphs and directions."""
    network, fields = about.network, Fields(value, "graphs", "directions", "units")
    graphs = fields.read("graphs", list_of(list_of(list_of(list_of(Count)))))
    directions = fields.read("directions", list_of(partial(read_direction_matrices, network=network)))
    units = fields.read("units", list_of(partial(read_unit, network=network)))
    for unit in units:
        if isinstance(unit, ClassesUnit):
            expect(unit.graph < len(graphs), "units: there is no graph {}", unit.graph)
            expect(unit.directions < len(directions), "units: there are no directions {}", unit.directions)
    return Cover(graphs, directions, units)


def read_direction_matrices(value: Json, network: Network) -> DirectionMatrices:
    """Parse, for each attention step and head, an m x m matrix of int32, m the width of its values."""
    found = list_of(list_of(read_base64))(value)
    sizes = [[4 * head.value.weight.width ** 2 for head in step.heads] for step in network.attention_steps]
    expect([list(map(len, step)) for step in found] == sizes, "expected a matrix for each head of each attention step")
    return found


def read_unit(value: Json, network: Network) -> CoverPart:
    """Parse a unit of the cover; ``by`` determines its fields."""
    if not isinstance(value, dict) or value.get("by") != "classes":
        fields = Fields(value, "offset", "from", "to", "by")
        fields.read("by", one_of("words", "classes"))
        return WordsUnit(*read_obligations(fields))
    fields = Fields(value, "offset", "from", "to", "by", "graph", "directions", "bits", "ranges", "cells",
                    optional=("cells",))
    return ClassesUnit(*read_obligations(fields), fields.read("graph", Count), fields.read("directions", Count),
                       fields.read("bits", integer_within(range(MAX_BITS + 1))), fields.read("ranges", read_base64),
                       read_cells(fields, network) if "cells" in fields else None)


def read_cells(fields: Fields, network: Network) -> tuple[Tree | None, ...]:
    """Parse a tree or None for each asked node."""
    steps = network.attention_steps
    widths = [head.value.weight.width for head in (steps[-1].heads if steps else ())]
    expect(widths, "cells: no head has ranges to cut")
    return fields.read("cells", list_of(or_null(partial(read_whole_tree, widths=widths))))


def read_whole_tree(value: Json, widths: Sequence[int]) -> Tree:
    """Parse a tree, within its limits; ``widths`` are the numbers of directions of the heads."""
    tree = read_tree(value, widths, 0)
    expect(count_leaves(tree) <= MAX_LEAVES, "limit: {} cells of a node", MAX_LEAVES)
    return tree


def read_tree(value: Json, widths: Sequence[int], cuts: int) -> Tree:
    """Parse a tree below ``cuts`` cuts."""
    expect(cuts <= MAX_CUTS, "limit: {} cuts above a cell", MAX_CUTS)
    if isinstance(value, dict) and "shares" in value:
        fields = Fields(value, "shares")
        return Leaf(fields.read("shares", list_of(or_null(partial(read_share, width=sum(widths))))))
    fields = Fields(value, "head", "direction", "at", "below", "above")
    head = fields.read("head", integer_within(range(len(widths))))
    deeper = partial(read_tree, widths=widths, cuts=cuts + 1)
    return Cut(head, fields.read("direction", integer_within(range(widths[head]))), fields.read("at", Int32),
               fields.read("below", deeper), fields.read("above", deeper))


def read_share(value: Json, width: int) -> bytes:
    """Parse ``width`` int32 numbers."""
    data = read_base64(value)
    expect(len(data) == 4 * width, "{} bytes, expected {}", len(data), 4 * width)
    return data


def count_leaves(tree: Tree) -> int:
    """Return the number of cells of a tree."""
    return count_leaves(tree.below) + count_leaves(tree.above) if isinstance(tree, Cut) else 1


def read_obligations(fields: Fields) -> tuple[int, int, int]:
    """Parse offset, and first and last place or length."""
    place = integer_within(range(MAX_N + 1))
    offset = fields.read("offset", integer_within(range(MAX_OFFSET + 1)))
    first, last = fields.read("from", place), fields.read("to", place)
    expect(first <= last, "from is above to")
    return offset, first, last
