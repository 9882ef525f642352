"""Evidence of a verdict on each box of a place: docs/background/counting.md, section 4."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from proofs.trained.certificate import packed
from proofs.trained.counting.boxes import BoxNode, BoxSearch
from proofs.trained.tracks.queries import Restricted, TokenQuery

ROOM = 1  # unit of ranges, besides what the search adds


def verdict_unit(search: BoxSearch, place: int) -> tuple[dict[str, Any], list[BoxNode]]:
    """Return the evidence about a place: splits, verdicts, ranges of boxes that have one; and all boxes."""
    splits: list[list[int]] = []
    leaves: list[BoxNode] = []
    asked = [(number, query) for number, query in enumerate(search.form.queries) if query.place + 1 == place]
    for index, (number, query) in enumerate(asked):
        first = len(leaves)
        for member, root in _classes(search, number, query):
            for node in _depth_first(root, query.by, member):
                if node.chosen is None:
                    leaves.append(node)
                else:
                    source, letters = search.columns.source[node.column], search.columns.letters[node.column]
                    moves = source * len(search.claim.all_columns) + letters
                    splits.append([index, len(leaves) - first, node.column, *moves[node.chosen].tolist()])
    last, known = search.form.last, [leaf.hull for leaf in leaves if leaf.token >= 0 and leaf.hull is not None]
    scale = np.float64(2) ** last.bits
    low, high = (np.array([hull[end] for hull in known]).reshape(len(known), -1) * scale for end in (0, 1))
    ranges = np.stack([np.floor(low) - ROOM, np.ceil(high) + ROOM], -1).astype(np.int32)
    unit = {"directions": [packed([matrix]) for matrix in last.directions], "bits": last.bits, "splits": splits,
            "ranges": packed([ranges.ravel()]), "verdicts": [None if leaf.token < 0 else leaf.token for leaf in leaves]}
    return unit, leaves


def _classes(search: BoxSearch, number: int, query: TokenQuery) -> Iterator[tuple[int, BoxNode]]:
    """Yield the classes of a query, and the tree of the box of each."""
    boxes = [box for box in search.first if box.query == number]
    for member in Restricted(query).classes.tolist():
        yield member, next(box.node for box in boxes
                           if (box.lasts if query.by is None else box.steps[query.by])[member])


def _depth_first(node: BoxNode, by: int | None, member: int) -> Iterator[BoxNode]:
    """Yield a tree's nodes that have inputs of a class, a step of the column ``by``; the parts of a node after it."""
    if node.chosen is None:
        yield node
        return
    if node.column == by:
        part = node.parts[0 if member in node.chosen else 1]
        yield from _depth_first(part, by, member)
        return
    yield node
    for part in node.parts:
        yield from _depth_first(part, by, member)
