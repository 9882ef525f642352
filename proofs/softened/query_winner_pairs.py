"""The gap of a hard head on the words of a prefix automaton, and its score profiles or their joint bounds.

Claim       They equal those of all words one by one (heads.py). Proof. A score profile has the rivals on a winning path
            (winning_paths.py) of its query and winner. The gap is the least positive loss of a rival on any winning
            path, and a loss of 0 is a tie. Joint bounds are the greatest values of rivals on winning paths, and the
            greatest sums of values along them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import chain
from math import lcm

from proofs.softened import score_profiles
from proofs.softened.hash_consing import Pool
from proofs.softened.heads import HardAttention
from proofs.softened.profile_bounds import (
    NOTHING,
    Amounts,
    JointBounds,
    Mass,
    QueryBounds,
    Rival,
    bounded,
    differences,
    greatest,
    peaks,
)
from proofs.softened.score_profiles import ScoreProfiles
from proofs.softened.winning_paths import HeadSteps, WinningPaths

ZERO = Fraction(0)


@dataclass(frozen=True)
class QueryWinnerPair:
    """A query and a winner of it, with the winning paths and the rivals there, by keys and values."""

    paths: WinningPaths
    rivals: Mapping[int, Rival]

    @classmethod
    def find(cls, head: HardAttention, head_steps: HeadSteps, query: int, winner: int) -> QueryWinnerPair:
        """Find the paths and rivals of a query and a winner."""
        scores = dict(zip(head_steps.seen, head.scores(query, head_steps.seen), strict=True))
        paths = WinningPaths(head_steps, query, winner, {x for x, score in scores.items() if score <= scores[winner]})
        return cls(paths, {x: head.rival(query, winner, x) for x in paths.used})


class QueryWinnerPairs:
    """All pairs of a head in the prefix automaton of words of length n."""

    def __init__(self, head: HardAttention, head_steps: HeadSteps, n: int):
        self._n = n
        found = (QueryWinnerPair.find(head, head_steps, *won) for won in sorted(head.won))
        self._all = [pair for pair in found if pair.rivals]

    def losses(self) -> set[Fraction]:
        """Return the losses of all rivals."""
        return {rival.loss for pair in self._all for rival in pair.rivals.values()}

    def first(self, loss: Fraction) -> tuple[list[int], int]:
        """Return the first word and position where a rival has this loss; at least one rival must have it."""
        found = (pair.paths.first(chosen, self._n) for pair in self._all
                 if (chosen := {x for x, rival in pair.rivals.items() if rival.loss == loss}))
        word, i = min(first for first in found if first)
        return list(word), i

    def finish(self) -> ScoreProfiles | JointBounds:
        """Return all score profiles, or their joint bounds if they are too many."""
        found: set[tuple[int, ...]] = set()
        pool: Pool[Rival] = Pool()
        for pair in self._all:
            ids = {x: pool.id(rival) for x, rival in pair.rivals.items()}
            more = pair.paths.profiles(ids, score_profiles.MAX_PROFILES)
            if more is None or score_profiles.are_too_many(found := found | more - {()}):
                return self._joint_bounds()
        return score_profiles.collect(pool, found)

    def _joint_bounds(self) -> JointBounds:
        by_query: dict[Amounts, list[QueryBounds]] = {}
        for pair in self._all:
            queries = next(iter(pair.rivals.values())).queries
            by_query.setdefault(queries, []).append(_query_bounds(pair))
        return bounded({queries: reduce(QueryBounds.merge, parts) for queries, parts in by_query.items()})


def _query_bounds(pair: QueryWinnerPair) -> QueryBounds:
    """Return joint bounds of the profiles of a pair."""
    rivals = list(pair.rivals.values())
    keys: dict[Fraction, Amounts] = {}
    for rival in rivals:
        keys[rival.loss] = greatest([rival.keys, keys.get(rival.loss, rival.keys)])
    columns = differences(rivals)
    masses = _masses(pair, sorted(keys), list(dict.fromkeys(column for column in columns if any(column))))
    return QueryBounds(tuple(sorted(keys.items())), tuple(masses.get(column, NOTHING) for column in columns))


def _masses(pair: QueryWinnerPair, losses: Sequence[Fraction], columns: Sequence[Amounts]) -> dict[Amounts, Mass]:
    """Return, for each column of values, the greatest values, and the greatest sums of losing rivals per loss."""
    scale = lcm(*(x.denominator for column in columns for x in column))
    rivals, places, weights = pair.rivals, {loss: place for place, loss in enumerate(losses)}, {}
    for number, (seen, rival) in enumerate(rivals.items()):
        if not rival.loss:
            continue
        values = [column[number].numerator * (scale // column[number].denominator) for column in columns]
        if any(values):
            below = places[rival.loss]
            weights[seen] = tuple(chain.from_iterable([0] * below + [x] * (len(losses) - below) for x in values))
    sums = pair.paths.greatest_sums(weights, len(losses) * len(columns))
    parts = (sums[k * len(losses) : (k + 1) * len(losses)] for k in range(len(columns)))
    return {column: Mass(*peaks(rivals.values(), column), tuple(_increases(losses, (Fraction(x, scale) for x in part))))
            for column, part in zip(columns, parts, strict=True)}


def _increases(losses: Iterable[Fraction], sums: Iterable[Fraction]) -> Iterable[tuple[Fraction, Fraction]]:
    """Yield the losses at which sums exceed 0 and all sums before."""
    highest = ZERO
    for loss, total in zip(losses, sums, strict=True):
        if total > highest:
            highest = total
            yield loss, total
