"""Trees of cells: cuts of a node's box, and the shares of leaves (docs/background/trained_rules.md, section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int32]

SHARE_BITS = 20
"""Shares are integers / 2^20."""


@dataclass(frozen=True)
class Leaf:
    """The shares of each row to prove, one number for each head and direction; None where it needs none."""

    shares: tuple[Whole | None, ...]


@dataclass(frozen=True)
class Cut:
    """A cut of a head's direction at ``at`` (in units of the ranges), upper end of ``below`` and lower of ``above``."""

    head: int
    direction: int
    at: int
    below: Tree
    above: Tree


Tree = Leaf | Cut


def leaves(tree: Tree, box: Whole, first_of_head: tuple[int, ...]) -> Iterator[tuple[Whole, Leaf]]:
    """Yield the leaves with their boxes, [directions of all heads, 2]; heads begin at ``first_of_head``."""
    if isinstance(tree, Leaf):
        yield box, tree
        return
    for part, end in ((tree.below, 1), (tree.above, 0)):
        smaller = box.copy()
        smaller[first_of_head[tree.head] + tree.direction, end] = tree.at
        yield from leaves(part, smaller, first_of_head)
