"""Hard heads on ids: the winners of a query among keys and values, the output, and the rivals.

The output depends on the visible positions only through their keys and values, so it is computed once for each query
and each sequence of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from operator import eq
from typing import Protocol

from constructions.errors import Unsupported
from constructions.network.transformer import Coefficients, Head
from proofs.softened.hash_consing import LinearFormOnIds, Memo, Numbers, Pool, Vector
from proofs.softened.profile_bounds import JointBounds, Places, Rival
from proofs.softened.score_profiles import MAX_PROFILES, ScoreProfiles, collect, merge

WINDOW = 100_000
"""The number of score profiles that are stored before they are combined."""
assert WINDOW > MAX_PROFILES
Seen = tuple[int, ...]
"""The ids of the keys and values of the visible positions."""
Change = tuple[tuple[int, int], ...]
"""The output of a part: places in the vector, and ids of numbers."""


def scoring(head: Head) -> list[tuple[Coefficients, Coefficients]]:
    """Return the rows of queries and keys that scores depend on: in all others the query or the key is 0.

    A head without such rows is *uniform* if its weighting is average-hardmax or softmax.
    """
    return [(query, key) for query, key in zip(head.queries, head.keys, strict=True)
            if any(query.values()) and any(key.values())]


class Tied(Exception):
    """The greatest score occurs twice, in a head that does not average."""


class Observer(Protocol):
    """An observer of gaps and ties, in the order of words and positions."""

    def note_gap(self, gap: Fraction, layer: int, place: int) -> None:
        """Note the gap of a winner to a rival, at its first occurrence."""

    def note_tie(self, layer: int, place: int) -> None:
        """Note that the greatest score occurs twice, in a head that does not average."""

    def note_averaged(self, layer: int, place: int) -> None:
        """Note that the greatest score occurs twice, in a head that averages."""


@dataclass
class HeadLayout:
    """The common part of heads: the forms that they read, and their outputs, by id."""

    head: Head
    places: Mapping[str, int]
    numbers: Numbers
    changes: Pool[Change] = field(default_factory=Pool)

    def __post_init__(self) -> None:
        self.values = [LinearFormOnIds(row, self.places, self.numbers) for row in self.head.values.values()]
        self._targets = [self.places.get(name) for name in self.head.values]
        self.seen: Pool[tuple[Vector, Vector]] = Pool()
        self.outcomes: Memo[tuple[int, Seen], int] = Memo(self.attend)

    def query(self, vector: Vector) -> int:
        """Return the id of the query at a vector."""
        return 0

    def key_and_value(self, vector: Vector) -> int:
        """Return the id of the key and the values at a vector."""
        raise NotImplementedError

    def attend(self, at: tuple[int, Seen]) -> int:
        """Return the id of the output of the head where the query sees these keys and values."""
        raise NotImplementedError

    def expect(self, queries: Sequence[int], seen: Sequence[int]) -> None:
        """Restrict the following queries, and the keys and values that are seen."""

    def kept(self, seen: Seen, number: int) -> Seen:
        """Return the relevant part of visible keys and values, unordered, for the first ``number`` expected queries."""
        raise NotImplementedError

    def outcome(self, query: int, kept: Seen) -> int:
        """Return the id of the output of the head, from the relevant keys and values.

        Raises:
            Tied: if two scores are greatest, in a head that does not average.
        """
        raise NotImplementedError

    def change(self, values: Sequence[int]) -> int:
        """Return the id of an output with these values, without those that nothing reads later."""
        return self.changes.id(tuple([(target, value) for target, value in zip(self._targets, values, strict=True)
                                      if target is not None and value]))

    def mean(self, seen: Seen) -> int:
        """Return the id of the mean of the visible values."""
        rows = [self.seen[x][1] for x in seen]
        return self.change([self.numbers.id(sum((self.numbers[x] for x in column), Fraction(0)) / len(rows))
                            for column in zip(*rows, strict=True)])


class UniformAttention(HeadLayout):
    """A uniform head: the mean of the values; only values that something reads are computed."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._read = [value if target is not None else None
                      for value, target in zip(self.values, self._targets, strict=True)]
        self._means: Memo[Seen, int] = Memo(self.mean)

    def key_and_value(self, vector: Vector) -> int:
        """Return the id of the values."""
        return self.seen.id(((), tuple([form(vector) if form else 0 for form in self._read])))

    def attend(self, at: tuple[int, Seen]) -> int:
        """Return the mean."""
        return self._means[tuple(sorted(at[1]))]

    def kept(self, seen: Seen, number: int) -> Seen:
        """Return everything visible, unless no query may come."""
        return tuple(sorted(seen)) if number else ()

    def outcome(self, query: int, kept: Seen) -> int:
        """Return the mean."""
        return self._means[kept]


class HardAttention(HeadLayout):
    """A head with scores: it passes gaps and ties to the observer, and collects score profiles.

    If several positions win, an average-hard head writes their mean. There is a profile for each of them, as any may be
    the reference of docs/background/softened_rules.md, section 3. Leftmost and rightmost heads must not tie.
    """

    def __init__(self, head: Head, layer: int, place: int, places: Mapping[str, int], numbers: Numbers,
                 observer: Observer):
        if not head.weighting.is_hard:
            raise Unsupported(f"layer {layer}, head {place}: soft attention with scores, expected hard attention")
        super().__init__(head, places, numbers)
        self._where, self._observer = (layer, place), observer
        self._queries, self._keys = ([LinearFormOnIds(row, places, numbers) for row in rows]
                                     for rows in (zip(*scoring(head), strict=True) if scoring(head) else ([], [])))
        self.query_vectors: Pool[Vector] = Pool()
        self._averages = head.weighting.averages_equals
        self._won: Memo[Seen, int] = Memo(self.mean)
        self._scale = 1
        self._scores: dict[int, Memo[int, int]] = {}
        self._rival_of: Memo[tuple[int, int], Memo[int, int]] = Memo(lambda at: Memo(lambda x: self._rival(*at, x)))
        self._rivals: Pool[Rival] = Pool()
        self.won: set[tuple[int, int]] = set()
        self._rows: dict[int, tuple[int, ...]] = {}
        self._profiles: set[Places] = set()
        self._summed: ScoreProfiles | JointBounds | None = None

    def query(self, vector: Vector) -> int:
        """Return the id of the query."""
        return self.query_vectors.id(tuple([form(vector) for form in self._queries]))

    def key_and_value(self, vector: Vector) -> int:
        """Return the id of the key and the values."""
        return self.seen.id((tuple([form(vector) for form in self._keys]),
                             tuple([form(vector) for form in self.values])))

    def attend(self, at: tuple[int, Seen]) -> int:
        """Return the mean of the winners; after a forbidden tie, the values of the first or the last of them."""
        query, seen = at
        winners = self._winners(query, seen)
        if len(winners) > 1 and self._averages:
            self._observer.note_averaged(*self._where)
        elif len(winners) > 1:
            self._observer.note_tie(*self._where)
            assert self.head.weighting.row.winners, "it is hard"
            winners = tuple(self.head.weighting.row.winners.of(winners))
        if len(seen) > 1:
            self._collect(query, winners, seen)
        return self._won[tuple(sorted(winners))]

    def expect(self, queries: Sequence[int], seen: Sequence[int]) -> None:
        """Compute the scores of these queries, by which ``kept`` finds winners."""
        for query in queries:
            self.scores(query, seen)
        self._rows = dict(zip(seen, zip(*(self.scores(query, seen) for query in queries), strict=True), strict=True))

    def kept(self, seen: Seen, number: int) -> Seen:
        """Return the keys and values with the greatest score for one of the queries."""
        rows = [self._rows[x] for x in seen]
        best = list(islice(map(max, zip(*rows, strict=True)), number))
        return tuple(sorted([x for x, row in zip(seen, rows, strict=True) if any(map(eq, row, best))]))

    def outcome(self, query: int, kept: Seen) -> int:
        """Return the mean of the winners."""
        winners = self._winners(query, kept)
        if len(winners) > 1 and not self._averages:
            raise Tied
        self.won.update([(query, winner) for winner in winners])
        return self._won[winners]

    def _winners(self, query: int, seen: Seen) -> Seen:
        """Return all keys and values with the greatest score, in the order of positions."""
        scores = self.scores(query, seen)
        best = max(scores)
        if scores.count(best) == 1:
            return (seen[scores.index(best)],)
        return tuple([x for x, score in zip(seen, scores, strict=True) if score == best])

    def scores(self, query: int, seen: Sequence[int]) -> list[int]:
        """Return the scores in units of 1/scale; the scale may grow while they are computed."""
        row = self._scores.get(query)
        if row is None:
            row = self._scores[query] = Memo(lambda x: self._score(query, x))
        scale = 0
        while scale != self._scale:
            scale = self._scale
            scores = [row[x] for x in seen]
        return scores

    def _score(self, query: int, seen: int) -> int:
        score = self._product(self.query_vectors[query], self.seen[seen][0])
        if self._scale % score.denominator:
            factor = score.denominator
            self._scale *= factor
            for row in self._scores.values():
                for x in row:
                    row[x] *= factor
        return int(score * self._scale)

    def _product(self, query: Vector, key: Vector) -> Fraction:
        return sum((self.numbers[q] * self.numbers[k] for q, k in zip(query, key, strict=True)), Fraction(0))

    def _collect(self, query: int, winners: Seen, seen: Seen) -> None:
        """Add the score profile of each winner, whose rivals are all other visible positions."""
        for winner in {*winners}:
            table, place = self._rival_of[query, winner], seen.index(winner)
            self._profiles.add(tuple(sorted([table[x] for x in (*seen[:place], *seen[place + 1 :])])))
        if len(self._profiles) >= WINDOW:
            self._sum_up()

    def _rival(self, query: int, winner: int, other: int) -> int:
        rival = self.rival(query, winner, other)
        if rival.loss:
            self._observer.note_gap(rival.loss, *self._where)
        return self._rivals.id(rival)

    def rival(self, query: int, winner: int, other: int) -> Rival:
        """Return the rival of a winner, which has no lower score."""
        numbers, vector = self.numbers, self.query_vectors[query]
        (keys, values), (keys_of_other, values_of_other) = self.seen[winner], self.seen[other]
        return Rival(
            self._product(vector, keys) - self._product(vector, keys_of_other),
            tuple([abs(numbers[q]) for q in vector]),
            tuple([abs(numbers[a] - numbers[b]) for a, b in zip(keys, keys_of_other, strict=True)]),
            tuple([numbers[b] - numbers[a] for a, b in zip(values, values_of_other, strict=True)]))

    def _sum_up(self) -> None:
        found = collect(self._rivals, self._profiles)
        self._summed = found if self._summed is None else merge(self._summed, found)
        self._profiles = set()

    def finish(self) -> ScoreProfiles | JointBounds:
        """Return all score profiles, or their joint bounds."""
        self._sum_up()
        assert self._summed is not None
        return self._summed
