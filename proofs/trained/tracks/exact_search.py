"""Search for the proof of one form of a claim about tracks in long integers: ranges, cells; or suspect inputs.

For networks that need more precision than floats, and the checker's 44 bits: docs/background/tracks_rules.md, section
5, Exact numbers.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Column, TracksClaim
from proofs.trained.certificate import packed
from proofs.trained.tracks.exact_numbers import PLACES, PRECISION, Kink, Long, LongNetwork
from proofs.trained.tracks.exact_paths import LongPaths, slack
from proofs.trained.tracks.nodes import tokens_at_places
from proofs.trained.tracks.queries import InputClass, Restricted, StepArrays, TokenQuery, queries, right

BYTES = 16  # of a number of a range
MOST_BITS = 100  # fractional bits of ranges
MOST_CUTS = 48
MOST_CELLS = 256  # of a group, times the effort
NEAREST = 2  # boxes evaluated in the cell with the least margin
Box = tuple[tuple[int, int], ...]


@dataclass
class ExactGroup:
    """Boxes of classes with a common source row (place and token) and answer, each with its classes."""

    own: int
    answer: int
    boxes: dict[Box, list[tuple[int, int]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Suspect:
    """An input at an end of a class that is not proved, and the place of its answer."""

    columns: tuple[Column, ...]
    place: int


@dataclass(frozen=True)
class ExactlyProved:
    """The unit of a certificate if every row is proved, and inputs of the least row; else inputs of open classes."""

    unit: dict[str, Any] | None
    classes: int
    cells: int
    least: np.float64
    suspects: tuple[Suspect, ...] = field(repr=False)
    missing: str = ""


class ExactSearch:
    """The search for a proof of one form."""

    def __init__(self, network: TrainedNetwork, claim: TracksClaim, number: int, effort: int) -> None:
        self.claim, self.form, self.effort = claim, claim.forms[number], effort
        self.columns = StepArrays(claim, self.form)
        self.network = LongNetwork(network, claim, self.form)
        self.queries = queries(self.columns)
        self.sources = tokens_at_places(self.columns, self.network.tokens)
        self.without_places = network.positions is None
        reach = max((int(abs(one)) for values in self.network.values for one in values.flat), default=0) >> PLACES
        self.bits = min(MOST_BITS, 8 * BYTES - 4 - reach.bit_length())
        self._tops: dict[tuple[int, int, int, int], dict[int, int]] = {}
        self._weights: tuple[tuple[int, int], Long] = (-1, -1), np.zeros(0, object)
        self._least: tuple[Fraction, ExactGroup, list[Box]] | None = None

    def run(self) -> ExactlyProved:
        """Return the proof, or inputs of open classes."""
        if self.bits < 1:
            return ExactlyProved(None, 0, 0, np.float64(0), (), "averages are too great for exact numbers")
        boxes, classes, groups = dict[Box, int](), list[int](), dict[tuple[int, int, int], ExactGroup]()
        for number, query in enumerate(self.queries):
            restricted = Restricted(query)
            members = restricted.classes.tolist()
            for member, box in zip(members, self.ranges(query, restricted), strict=True):
                classes.append(boxes.setdefault(box, len(boxes)))
                answer = right(query, InputClass(number, member))
                key = (0 if self.without_places else query.place, query.own, answer)
                group = groups.setdefault(key, ExactGroup(self.own(query), answer))
                group.boxes.setdefault(box, []).append((number, member))
        trees, cells = list[Any](), 0
        for _, group in sorted(groups.items()):
            tree, made, open_ones = self.cover(group)
            cells += made
            trees.append(tree)
            if open_ones:
                return ExactlyProved(None, len(classes), cells, np.float64(0), tuple(self.suspects(group, open_ones)),
                                     self.missing(group, open_ones))
        data = b"".join(end.to_bytes(BYTES, "little", signed=True) for box in boxes for pair in box for end in pair)
        unit = {"precision": PRECISION, "bits": self.bits, "splits": [], "ranges": b64encode(data).decode("ascii"),
                "classes": packed([np.array(classes, np.int32)]), "cells": trees}
        least = self._least
        return ExactlyProved(unit, len(classes), cells, np.float64(least[0] if least else 0),
                             tuple(self.suspects(least[1], least[2][:NEAREST])) if least else ())

    def own(self, query: TokenQuery) -> int:
        """Return the row of a query."""
        return query.place * self.network.tokens + query.own

    def ranges(self, query: TokenQuery, restricted: Restricted) -> Iterator[Box]:
        """Return, for each class, the ranges of the coordinates of all heads' averages, over 2^bits."""
        members, found = restricted.classes, list[tuple[Sequence[int], Sequence[int]]]()
        for head, width in enumerate(self.network.widths if len(members) else ()):
            for coordinate in range(width):
                both = []
                for sign in (-1, 1):
                    paths, tops, weights = self.greatest(query, restricted, head, coordinate, sign)
                    spread = paths.ends[1] - paths.ends[0]
                    both.append([sign * (-(-(top + slack(spread, weight, query.place + 1)) >> PLACES - self.bits))
                                 for top, weight in zip(tops, weights, strict=True)])
                found.append((both[0], both[1]))
        return iter([tuple((low[k], high[k]) for low, high in found) for k in range(len(members))])

    def greatest(self, query: TokenQuery, restricted: Restricted, head: int, coordinate: int, sign: int
                 ) -> tuple[LongPaths, list[int], list[int]]:
        """Return paths, the greatest sign · coordinate on each class, and the sums of weights there."""
        own = self.own(query)
        visible_rows = self.sources.visible_rows(query, own)
        if self._weights[0] != (head, own):
            self._weights = (head, own), self.network.weights(head, own, visible_rows)
        weights = self._weights[1]
        values = sign * self.network.values[head][:, coordinate]
        ends = int(values[visible_rows].min()), int(values[visible_rows].max())
        paths = LongPaths(restricted, self.sources.visible(query.place, own), weights, values, ends)
        tops_before = self._tops.setdefault((query.place, head, coordinate, sign), {})
        members = restricted.classes
        start = np.array([tops_before.get(member, ends[0]) for member in members.tolist()], object)
        tops, sums = paths.greatest(members, start)
        tops_before.update(zip(members.tolist(), tops.tolist(), strict=True))
        return paths, tops.tolist(), sums.tolist()

    def cover(self, group: ExactGroup) -> tuple[Any, int, list[Box]]:
        """Return a tree of cells, their number, and the boxes that stay open."""
        stream = self.network.stream(group.own)
        others = [other for other in self.claim.among if other != group.answer]
        cells, tried, open_ones = 0, 0, dict[Box, None]()

        def covered(parts: list[tuple[Box, Box]], cuts: int) -> Any:
            nonlocal cells, tried
            tried += 1
            hull = [(min(low for low, _ in those), max(high for _, high in those))
                    for those in zip(*(part for part, _ in parts), strict=True)]
            least, kinks = self.network.differences(stream, group.answer, others, hull, self.bits)
            low = min(least)
            if low > self.claim.margin:
                if self._least is None or low < self._least[0]:
                    self._least = low, group, [whole for _, whole in parts]
                cells += 1
                return None
            where = None if cuts >= MOST_CUTS or tried > MOST_CELLS * self.effort or open_ones else find_cut(
                [part for part, _ in parts], hull, kinks, self.bits)
            if where is None:
                open_ones.update(dict.fromkeys(whole for _, whole in parts))
                return None
            direction, at = where
            below, above = kept(parts, direction, None, at), kept(parts, direction, at, None)
            return [direction, at, *(covered(part, cuts + 1) if part else None for part in (below, above))]

        tree = covered([(box, box) for box in group.boxes], 0)
        return tree, cells, list(open_ones)

    def missing(self, group: ExactGroup, boxes: Sequence[Box]) -> str:
        """Return a sentence about what is not proved."""
        place, token = divmod(group.own, self.network.tokens)
        unit = np.float64(2) ** self.bits
        shown = " x ".join(f"[{low / unit:.17g}, {high / unit:.17g}]" for low, high in boxes[0])
        return (f"in exact numbers, at place {place}, where token {token} is read and {group.answer} is right, no "
                f"cells prove it of averages in {shown}")

    def suspects(self, group: ExactGroup, boxes: Sequence[Box]) -> Iterator[Suspect]:
        """Yield inputs at all ends of the ranges of one class of each box."""
        for box in boxes[:64]:
            number, member = group.boxes[box][0]
            query = self.queries[number]
            restricted = Restricted(query)
            for head, width in enumerate(self.network.widths):
                for coordinate in range(width):
                    for sign in (-1, 1):
                        paths, tops, _ = self.greatest(query, restricted, head, coordinate, sign)
                        letters = paths.input(member, tops[restricted.classes.tolist().index(member)])
                        yield Suspect(tuple(self.claim.all_columns[letter] for letter in letters), query.place + 1)


def kept(parts: list[tuple[Box, Box]], direction: int, least: int | None, greatest: int | None
         ) -> list[tuple[Box, Box]]:
    """Return the parts of boxes between these numbers in a direction."""
    found = []
    for box, whole in parts:
        low, high = box[direction]
        low, high = low if least is None else max(low, least), high if greatest is None else min(high, greatest)
        if low <= high:
            found.append(((*box[:direction], (low, high), *box[direction + 1:]), whole))
    return found


def find_cut(boxes: Sequence[Box], hull: list[tuple[int, int]], kinks: Sequence[Kink], bits: int
             ) -> tuple[int, int] | None:
    """Return where to cut a cell: in the widest gap between its boxes, where a unit is 0, or in the middle."""
    gaps = list[tuple[int, int, int]]()
    for direction in range(len(hull)):
        reached = hull[direction][0]
        for low, high in sorted({box[direction] for box in boxes}):
            if low - reached > 1:
                gaps.append((low - reached, direction, low + reached >> 1))
            reached = max(reached, high)
    if gaps:
        return max(gaps)[1:]
    for _, factors in sorted(kinks, key=lambda kink: -kink[0]):
        widths = [abs(factor) * (high - low) for factor, (low, high) in zip(factors[1:], hull, strict=True)]
        direction = max(range(len(hull)), key=lambda k: widths[k])
        if not widths[direction]:
            continue
        low, high = hull[direction]
        at = turning(factors, hull, direction, bits)
        if low < at < high:
            return direction, at
        if high - low > 1:
            return direction, low + high >> 1
    direction = max(range(len(hull)), key=lambda k: hull[k][1] - hull[k][0], default=-1)
    if direction < 0 or hull[direction][1] - hull[direction][0] < 2:
        return None
    return direction, sum(hull[direction]) >> 1


def turning(factors: Long, hull: list[tuple[int, int]], direction: int, bits: int) -> int:
    """Return approximately where a unit is 0 along a direction, with the others in their middle."""
    rest = 2 * int(factors[0]) << bits
    rest += sum(int(factors[1 + k]) * (low + high) for k, (low, high) in enumerate(hull) if k != direction)
    return -rest // (2 * int(factors[1 + direction]))
