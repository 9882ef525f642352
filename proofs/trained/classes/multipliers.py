"""Shares (docs/background/trained_rules.md, section 5, *cells*): Lagrange multipliers for the cuts of a cell.

For a row α · y + rest, y in a box and in the class, and any μ, head by head: the row is at least rest + the least μ · y
over the box + the least (α - μ) · y over the class. This is concave in μ. The class attains its least value at a point
y, and each point bounds the function from above: points are shared by all cells of a node.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from proofs.trained.classes.cover_unit import Evaluated, HeadRanges
from proofs.trained.classes.paths import greatest, words
from proofs.trained.classes.trees import SHARE_BITS

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Path = tuple[int, ...]

ROUNDS = 5      # evaluations of the class, at most
ASCENTS = 80    # steps between them, on the stored points
BEYOND = 4      # steps aim at 1/BEYOND more than what is missing
LARGEST_SHARE = 1 << 10
NARROW = 2**-40


@dataclass(frozen=True)
class CellRows:
    """Pairs of a cell and a row: α [pairs, y], rest [pairs], the cell's box [pairs, y, 2], and which ends were cut.

    A pair is proved where its bound is above ``enough``.
    """

    alpha: Array
    rest: Array
    box: Array
    cut: NDArray[np.bool_]
    enough: np.float64

    def only(self, chosen: Indices) -> CellRows:
        """Return some of the pairs."""
        return CellRows(self.alpha[chosen], self.rest[chosen], self.box[chosen], self.cut[chosen], self.enough)

    def box_part(self, shares: Array) -> tuple[Array, Array]:
        """Return the least μ · y over the boxes, [pairs], and the points where it is attained, [pairs, y]."""
        ends = np.where(shares > 0, self.box[..., 0], self.box[..., 1])
        return np.asarray((shares * ends).sum(axis=1)), ends

    def allowed(self, shares: Array) -> Array:
        """Return the nearest shares that can help: a multiplier belongs to an end that was cut."""
        low = np.where(self.cut[..., 1], -LARGEST_SHARE, 0)
        high = np.where(self.cut[..., 0], LARGEST_SHARE, 0)
        return np.asarray(np.clip(shares, low, high))


class ClassOfNode:
    """The words of one asked node: least values of linear functions of the averages, and the points found so far."""

    def __init__(self, unit: Evaluated, query: int) -> None:
        self.unit, self.query = unit, query
        sizes = [len(head.directions) for head in unit.heads]
        self.heads = [slice(sum(sizes[:k]), sum(sizes[: k + 1])) for k in range(len(sizes))]
        self.points: list[Array] = [np.zeros((0, size)) for size in sizes]

    def least(self, slopes: Array) -> tuple[Array, list[Path]]:
        """Return the least slope · y over the class, [pairs], and paths of all heads; store the points."""
        total, found = np.zeros(len(slopes)), []
        for place, (head, own) in enumerate(zip(self.unit.heads, self.heads, strict=True)):
            near = -self._model_of(place, slopes)[0] if len(self.points[place]) else None
            values, paths, points = self._least_of(head, slopes[:, own] @ head.directions, near)
            total += values
            found += paths
            self.points[place] = np.unique(np.concatenate([self.points[place], points @ head.directions.T]), axis=0)
        return total, found

    def _least_of(self, head: HeadRanges, directions: Array, near: Array | None) -> tuple[Array, list[Path], Array]:
        """Return the least direction · z, the paths, and the averages there; ``near`` are upper bounds of it."""
        count = len(directions)
        own = self.unit.queries.ends.only(np.full(count, self.query))
        level = int(own.levels[0]) if count else 0
        terms = head.head.terms_of_pairs(own, -directions)
        ends = replace(own, queries=np.arange(count))
        highest = greatest(self.unit.skeleton, ends, terms, None if near is None else near[:, np.newaxis])
        paths = words(self.unit.skeleton, ends, terms, highest)
        places = np.array(paths, np.intp).reshape(count, level)
        for k in range(level):
            places[:, k] = np.searchsorted(self.unit.skeleton.levels[k + 1].nodes, places[:, k])
        return -highest[:, 0], paths, head.head.averages_along(places, ends, terms, highest, -directions)

    def model(self, slopes: Array) -> tuple[Array, Array]:
        """Return the least slope · y over the points, [pairs], not below the class's; and the points [pairs, y]."""
        total, chosen = np.zeros(len(slopes)), np.zeros_like(slopes)
        for place, own in enumerate(self.heads):
            values, chosen[:, own] = self._model_of(place, slopes)
            total += values
        return total, chosen

    def _model_of(self, place: int, slopes: Array) -> tuple[Array, Array]:
        """Return least value and point of one head."""
        values = slopes[:, self.heads[place]] @ self.points[place].T
        nearest = values.argmin(axis=1)
        return values[np.arange(len(slopes)), nearest], self.points[place][nearest]


def rounded(shares: Array) -> Array:
    """Round shares to multiples of 2^-SHARE_BITS, as in the certificate."""
    return np.asarray(np.ldexp(np.rint(np.ldexp(shares, SHARE_BITS)), -SHARE_BITS))


def value(rows: CellRows, members: ClassOfNode, shares: Array) -> tuple[Array, list[Path]]:
    """Return the bounds with these shares, and the paths where the class's part is attained."""
    least, paths = members.least(rows.alpha - shares)
    return rows.rest + rows.box_part(shares)[0] + least, paths


def best_shares(rows: CellRows, members: ClassOfNode, start: Array) -> tuple[Array, Array, list[Path]]:
    """Return shares [pairs, y], the bounds [pairs] with them, and all minimising paths.

    A pair is left as soon as it is proved, or the points found so far show that it cannot be.
    """
    shares = rounded(rows.allowed(start))
    best, bounds, minimisers = shares.copy(), np.full(len(shares), -np.inf), []
    open_pairs = np.arange(len(shares))
    for _ in range(ROUNDS):
        found, paths = value(rows.only(open_pairs), members, shares[open_pairs])
        minimisers += paths
        better = found > bounds[open_pairs]
        bounds[open_pairs] = np.maximum(bounds[open_pairs], found)
        best[open_pairs[better]] = shares[open_pairs[better]]
        open_pairs = open_pairs[bounds[open_pairs] <= rows.enough]
        if not len(open_pairs):
            break
        hoped, ascended = _ascended(rows.only(open_pairs), members, best[open_pairs])
        shares[open_pairs] = rounded(ascended)
        open_pairs = open_pairs[hoped > rows.enough]
        if not len(open_pairs):
            break
    return best, bounds, minimisers


def _ascended(rows: CellRows, members: ClassOfNode, start: Array) -> tuple[Array, Array]:
    """Ascend by Polyak's subgradient steps on the stored points, in widths of the box; return values and shares."""
    widths = np.maximum(rows.box[..., 1] - rows.box[..., 0], NARROW)
    shares, best, bounds, aims = start, start.copy(), np.full(len(start), -np.inf), np.zeros(0)
    for _ in range(ASCENTS):
        on_class, points = members.model(rows.alpha - shares)
        on_box, ends = rows.box_part(shares)
        values = rows.rest + on_box + on_class
        if not len(aims):
            aims = rows.enough + np.maximum(rows.enough - values, 0) / BEYOND
        better = values > bounds
        bounds = np.maximum(bounds, values)
        best[better] = shares[better]
        gradient = (ends - points) / widths
        gradient = np.where(rows.allowed(shares + gradient) == shares, 0, gradient)
        length = np.maximum(aims - values, 0) / np.maximum((gradient**2).sum(axis=1), NARROW)
        if not (length[:, np.newaxis] * gradient).any():
            break
        shares = rows.allowed(shares + length[:, np.newaxis] * gradient / widths)
    return bounds, best
