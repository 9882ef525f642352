"""Longest paths over all inputs of many classes at once: one pass over the columns.

See docs/background/tracks_rules.md, section 5.

Each class and direction has a slot of packed integers, with a threshold of its own. Sums are biased by 2^126 (in slots
of S bits by 2^(S - 2)), so that the maximum is branch-free.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial, reduce
from typing import NamedTuple

from ....kernel.budget import ENTRY_BITS, Cache
from ....kernel.verdicts import require
from ..zonotopes.packed_integers import SLOT, maximum, ones, pack, pack_short
from ..zonotopes.ranges import ColumnSource, contribution
from ..zonotopes.scores import PathBounds
from .columns import ColumnMove, FormColumns, Given, Naming, RemainingMoves

CHUNK = 512  # slots of a pass, about


class PathQuery(NamedTuple):
    """A class: its move of the answer's column, or last state; its source; thresholds by direction; its other moves."""

    member: ColumnMove | int
    own: ColumnSource
    thresholds: Sequence[int]  # in units of V
    moves: Given = ()


Stated = Sequence[tuple[tuple[tuple[int, ...], Given], list[PathQuery]]]
"""Thresholds and moves, with the classes that have these."""

Makes = tuple[int, int, tuple[ColumnSource, ...]]  # a move: source state, target state, sources of its tokens


class Bundles(NamedTuple):
    """A column's moves, by letters: the maximum stands for all combinations of letters with the same moves."""

    groups: list[list[list[ColumnSource]]]
    moves: list[tuple[int, Makes]]
    sources: frozenset[ColumnSource]


BundleKey = tuple[int, int, tuple[ColumnMove, ...]]
"""A column, how many of its places are visible, and the moves that are made there."""


class VisiblePlaces:
    """The sources at all places before a place, where these moves are made."""

    def __init__(self, columns: FormColumns, place: int, kept: RemainingMoves, naming: Naming,
                 bundled: Cache[BundleKey, Bundles]) -> None:
        """Group the places by column; ``bundled`` caches the moves of columns, with this naming."""
        self.columns, self.kept, self._naming, self._bundled = columns, kept, naming, bundled
        seen = list(enumerate(columns.form.layout[:place]))
        self.fixed = [naming(place, one.index, None) for place, one in seen if columns.is_fixed(place)]
        varying = [(place, one, columns.by(place)) for place, one in seen if not columns.is_fixed(place)]
        self._at_end = [(place, one) for place, one, by in varying if by is None]
        self._in = [[(place, one) for place, one, by in varying if by == k] for k in range(len(kept.moves))]

    @cached_property
    def sources(self) -> list[ColumnSource]:
        """All sources."""
        found = {source for state in self.kept.lasts for source in self.at_end(state)}
        found.update(*(self.bundles(column).sources for column in range(len(self.kept.moves))))
        self.columns.budget.spend(1 + (len(found) >> 1))
        return self.fixed + sorted(found)

    def made(self, column: int, move: ColumnMove) -> list[ColumnSource]:
        """Return the sources of a column where this move is made."""
        token, naming = self.columns.token, self._naming
        return [naming(place, token(one, move), move) for place, one in self._in[column]]

    def at_end(self, state: int) -> list[ColumnSource]:
        """Return the sources that a last state determines."""
        return [self._naming(place, self.columns.end_token(one, state), state) for place, one in self._at_end]

    def bundles(self, column: int) -> Bundles:
        """Return the moves of a column, grouped; memoised."""
        key = (column, len(self._in[column]), tuple(self.kept.moves[column]))
        self.columns.budget.spend(1 + (len(key[2]) >> 3))
        found = self._bundled.get(key)
        if found is not None:
            return found
        self.columns.budget.spend(len(key[2]) * (1 + key[1]))
        makes: dict[int, list[tuple[int, int, frozenset[ColumnSource]]]] = {}
        for move in key[2]:
            seen = frozenset(self.made(column, move))
            makes.setdefault(move.letters, []).append((move.source, move.target, seen))
        groups: dict[tuple[Makes, ...], list[list[ColumnSource]]] = {}
        for moves in makes.values():
            common = frozenset.intersection(*(seen for _, _, seen in moves))
            own = tuple([(source, target, tuple(sorted(seen - common))) for source, target, seen in moves])
            groups.setdefault(own, []).append([*common])
        sources = frozenset(source for moves in makes.values() for _, _, seen in moves for source in seen)
        return self._bundled.keep(key, Bundles(
            [*groups.values()], [(number, move) for number, moves in enumerate(groups) for move in moves], sources),
            ENTRY_BITS * len(key[2]))


class ColumnPasses:
    """Passes over the columns of a form, for a query at a place, which attends to itself and all places before."""

    def __init__(self, visible: VisiblePlaces, column: int | None, weights: Mapping[ColumnSource, PathBounds],
                 slot: int = SLOT) -> None:
        """Set the column whose moves distinguish classes; None if last states do. Slots have ``slot`` bits, V too."""
        self._budget, self._visible, self._kept, self._weights = visible.columns.budget, visible, visible.kept, weights
        self._column = len(visible.kept.moves) if column is None else column
        self._slot, self._bytes = slot, slot // 8
        self._maximum = partial(maximum, slot=slot)
        self._pack = pack_short if slot == SLOT else partial(pack, slot=slot)

    def below(self, most: Mapping[ColumnSource, int], queries: Sequence[PathQuery]) -> bool:
        """Return whether all averages are proved to be at most the thresholds; ``most`` packs V for each source."""
        return all(all(kept) for kept in self.kept(most, queries))

    def below_of(self, member: ColumnMove | int, own: ColumnSource, moves: Given, most: Mapping[ColumnSource, int],
                 thresholds: Sequence[int]) -> list[bool]:
        """Return which averages of one class are proved to be at most their thresholds."""
        return [one for kept in self.kept(most, [PathQuery(member, own, thresholds, moves)]) for one in kept]

    def kept(self, most: Mapping[ColumnSource, int], queries: Sequence[PathQuery]) -> Iterator[list[bool]]:
        """Yield, for each class, which averages are proved at most their thresholds; equal thresholds are grouped.

        Proof. As in ranges.py: V and the thresholds are below 2^62, weights at most 2^40, places fewer than 2^14, so
        sums are below 2^118; in slots of S bits, where these are below 2^(S/2 - 2) and at most 2^(S/2 - 16), below 2^(S
        - 3). The longest path over the inputs of a class is the longest up to the answer's column, the class's move
        there with its query, and the longest from there on: what comes before and after has only the state in common.
        """
        stated: dict[tuple[tuple[int, ...], Given], list[PathQuery]] = {}
        for one in queries:
            stated.setdefault((tuple(one.thresholds), one.moves), []).append(one)
        width = len(queries[0].thresholds) if queries else 0
        size = max(1, CHUNK // max(width, 1))
        held = len(self._weights) + 2 * len(self._visible.columns.claim.columns)
        held *= self._slot * min(size, len(stated)) * width
        for first in range(0, len(stated) if width else 0, size):
            with self._budget.holding(held):
                yield from self._pass(most, [*stated.items()][first:first + size], width)

    def _pass(self, most: Mapping[ColumnSource, int], stated: Stated, width: int) -> Iterator[list[bool]]:
        thresholds = [threshold for (those, _), _ in stated for threshold in those]
        most_read, slots = 1 << self._slot // 2 - 2, len(thresholds)
        require(all(-most_read < threshold < most_read for threshold in thresholds), "a range is beyond 2^18")
        one, tops = (ones(slots, self._slot) << self._slot - bits for bits in (2, 1))
        repeated = sum(1 << self._slot * width * k for k in range(len(stated)))
        packed = self._pack(thresholds)
        excess = {value: value * repeated - packed for value in {*most.values()}}
        above = {value: self._maximum(beyond + one, one, tops) - one for value, beyond in excess.items()}
        added = {source: weight.least * excess[most[source]] + (weight.greatest - weight.least) * above[most[source]]
                 for source, weight in self._weights.items()}  # as `contribution` does, once for each value
        self._budget.spend(1 + (len(added) * (24 + slots * self._slot // SLOT) >> 2))
        masks = [self._masks(column, stated, self._bytes * width) for column in range(len(self._kept.moves))]
        before = self._forward(added, masks, one, tops)
        after = self._backward(added, masks, one, tops)
        size = self._bytes * width
        known, later = ({state: packed.to_bytes(size * len(stated), "little") for state, packed in part.items()}
                        for part in (before, after))
        for number, ((those, _), queries) in enumerate(stated):
            mine = slice(size * number, size * (number + 1))
            yield from self._joined(most, those, queries, *({state: int.from_bytes(part[mine], "little")
                                    for state, part in parts.items()} for parts in (known, later)))

    def _joined(self, most: Mapping[ColumnSource, int], thresholds: tuple[int, ...], queries: Sequence[PathQuery],
                before: dict[int, int], after: dict[int, int]) -> Iterator[list[bool]]:
        """Yield, for each class, the result of its move: longest paths before and after, its move, and its query."""
        width, packed, slot = len(thresholds), self._pack(thresholds), self._slot
        bias, tops, size = ones(width, slot) << slot - 2, ones(width, slot) << slot - 1, self._bytes * width
        self._budget.spend(1 + (len(queries) * (24 + width) >> 1))
        for member, own, *_ in queries:
            seen = [own, *(self._visible.made(self._column, member) if isinstance(member, ColumnMove) else [])]
            made = sum(contribution(most[source] - packed, self._weights[source], bias, tops, slot) for source in seen)
            first, last = (member.source, member.target) if isinstance(member, ColumnMove) else (member, member)
            total = before[first] + made + after[last] - bias  # what is written at the end is in what comes after
            below = (bias | tops) - total & tops
            yield [digit > 0 for digit in below.to_bytes(size, "little")[self._bytes - 1::self._bytes]]

    def _masks(self, column: int, stated: Stated, size: int) -> dict[ColumnMove, int]:
        """Return for each move of a column all bits of the slots of classes that have it; nothing if all have all."""
        left = [dict(moves).get(column) for (_, moves), _ in stated]
        if left.count(None) == len(left):
            return {}
        number, both = self._visible.columns.number, (b"\0" * size, b"\xff" * size)
        self._budget.spend(1 + (len(self._kept.moves[column]) * len(left) >> 3))
        return {move: int.from_bytes(b"".join([both[one is None or at in one] for one in left]), "little")
                for move in self._kept.moves[column] for at in (number(move),)}

    def _forward(self, added: Mapping[ColumnSource, int], masks: Sequence[Mapping[ColumnMove, int]], one: int, tops: int
                 ) -> dict[int, int]:
        """Return, for each state before the answer's column, the longest path so far, with what is fixed; biased."""
        fixed = sum(added[source] for source in self._visible.fixed)
        reached = {self._visible.columns.claim.machine.start: one + fixed}
        for column in range(self._column):
            reached = self._advance(added, column, masks[column], reached, one, tops, forward=True)
        return reached

    def _backward(self, added: Mapping[ColumnSource, int], masks: Sequence[Mapping[ColumnMove, int]], one: int,
                  tops: int) -> dict[int, int]:
        """Return, for each state after the answer's column, the longest path from there on; biased."""
        reached = {state: one + sum([added[source] for source in self._visible.at_end(state)])
                   for state in self._kept.lasts}
        for column in reversed(range(self._column + 1, len(self._kept.moves))):
            reached = self._advance(added, column, masks[column], reached, one, tops, forward=False)
        return reached

    def _advance(self, added: Mapping[ColumnSource, int], column: int, masks: Mapping[ColumnMove, int],
                 reached: Mapping[int, int], one: int, tops: int, forward: bool) -> dict[int, int]:
        """Return the longest paths one column further; equal combinations of letters are maximised first.

        With masks a path that a class does not have is 3/4 of the bias, plus later moves. Proof, in slots of 128 bits:
        these are below 2^118, so it is less than any path that the class has, and two halves of a path, less the bias,
        are above 0, and below the bias if one is of this kind.
        """
        greater, found = partial(self._maximum, tops=tops), dict[int, int]()
        none = (one >> 1) + (one >> 2)
        for move, mask in masks.items():
            here, there = (move.source, move.target) if forward else (move.target, move.source)
            total = sum([added[seen] for seen in self._visible.made(column, move)], reached[here])
            total, known = (total ^ none) & mask ^ none, found.get(there)
            found[there] = total if known is None else greater(known, total)
        self._budget.spend(1 + (len(self._kept.moves[column]) * (24 + one.bit_length() // SLOT) >> 2))
        if masks:
            return found
        bundles = self._visible.bundles(column)
        best = [reduce(greater, [sum([added[seen] for seen in letters], one) for letters in groups])
                for groups in bundles.groups]
        for groups, (source, target, written) in bundles.moves:
            here, there = (source, target) if forward else (target, source)
            total, known = sum([added[seen] for seen in written], best[groups] + reached[here] - one), found.get(there)
            found[there] = total if known is None else greater(known, total)
        return found
