"""What the words of a course show of one hard head: its gap, and its situations or their profile.

Claim       The same as of all words one by one (heads.py). Proof. A situation is what some word passes, up to a
            position, beside a winner of the query there: the rivals on a route (routes.py) of this query and winner.
            The gap is the least positive loss of a rival on any route, and a loss of 0 is a tie; what a profile has are
            greatest values of rivals on routes, and greatest sums of values along routes.
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
    Mass,
    Profile,
    QueryProfile,
    Rival,
    bounded,
    differences,
    greatest,
    peaks,
)
from proofs.softened.score_profiles import ScoreProfiles
from proofs.softened.winning_paths import Readings, WinningPaths

ZERO = Fraction(0)


@dataclass(frozen=True)
class QueryWinnerPairs:
    """A query and a winner that it meets on some routes, with the rivals there, by keys and values."""

    routes: WinningPaths
    rivals: Mapping[int, Rival]

    @classmethod
    def find(cls, head: HardAttention, readings: Readings, query: int, winner: int) -> QueryWinnerPairs:
        """Return the contest of a head along the course that was read."""
        scores = dict(zip(readings.seen, head.scores(query, readings.seen), strict=True))
        routes = WinningPaths(readings, query, winner, {x for x, score in scores.items() if score <= scores[winner]})
        return cls(routes, {x: head.rival(query, winner, x) for x in routes.used})


class Contests:
    """All contests of a head along a course of words of length n."""

    def __init__(self, head: HardAttention, readings: Readings, n: int):
        self._n = n
        found = (QueryWinnerPairs.find(head, readings, *met) for met in sorted(head.won))
        self._all = [contest for contest in found if contest.rivals]

    def losses(self) -> set[Fraction]:
        """Return the losses of all rivals."""
        return {rival.loss for contest in self._all for rival in contest.rivals.values()}

    def first(self, loss: Fraction) -> tuple[list[int], int]:
        """Return the first word and position where a rival has this loss, which some have."""
        found = (contest.routes.first(wanted, self._n) for contest in self._all
                 if (wanted := {x for x, rival in contest.rivals.items() if rival.loss == loss}))
        word, i = min(first for first in found if first)
        return list(word), i

    def finish(self) -> ScoreProfiles | Profile:
        """All situations met, or their profile if they are too many."""
        found: set[tuple[int, ...]] = set()
        pool: Pool[Rival] = Pool()
        for contest in self._all:
            ids = {x: pool.id(rival) for x, rival in contest.rivals.items()}
            more = contest.routes.situations(ids, score_profiles.MAX_SITUATIONS)
            if more is None or score_profiles.are_too_many(found := found | more - {()}):
                return self._profile()
        return score_profiles.collect(pool, found)

    def _profile(self) -> Profile:
        asked: dict[Amounts, list[QueryProfile]] = {}
        for contest in self._all:
            queries = next(iter(contest.rivals.values())).queries
            asked.setdefault(queries, []).append(_asked(contest))
        return bounded({queries: reduce(QueryProfile.merge, parts) for queries, parts in asked.items()})


def _asked(contest: QueryWinnerPairs) -> QueryProfile:
    """What bounds the situations of a contest."""
    rivals = list(contest.rivals.values())
    keys: dict[Fraction, Amounts] = {}
    for rival in rivals:
        keys[rival.loss] = greatest([rival.keys, keys.get(rival.loss, rival.keys)])
    columns = differences(rivals)
    masses = _masses(contest, sorted(keys), list(dict.fromkeys(column for column in columns if any(column))))
    return QueryProfile(tuple(sorted(keys.items())), tuple(masses.get(column, NOTHING) for column in columns))


def _masses(contest: QueryWinnerPairs, losses: Sequence[Fraction], columns: Sequence[Amounts]) -> dict[Amounts, Mass]:
    """The greatest sums of values, a column of them for each rival, within each loss; what ties is not added up."""
    scale = lcm(*(x.denominator for column in columns for x in column))
    rivals, places, weights = contest.rivals, {loss: place for place, loss in enumerate(losses)}, {}
    for number, (seen, rival) in enumerate(rivals.items()):
        if not rival.loss:
            continue
        values = [column[number].numerator * (scale // column[number].denominator) for column in columns]
        if any(values):
            below = places[rival.loss]
            weights[seen] = tuple(chain.from_iterable([0] * below + [x] * (len(losses) - below) for x in values))
    sums = contest.routes.greatest_sums(weights, len(losses) * len(columns))
    parts = (sums[k * len(losses) : (k + 1) * len(losses)] for k in range(len(columns)))
    return {column: Mass(*peaks(rivals.values(), column), tuple(_increases(losses, (Fraction(x, scale) for x in part))))
            for column, part in zip(columns, parts, strict=True)}


def _increases(losses: Iterable[Fraction], sums: Iterable[Fraction]) -> Iterable[tuple[Fraction, Fraction]]:
    """Where sums become greater than all before, and than 0."""
    highest = ZERO
    for loss, total in zip(losses, sums, strict=True):
        if total > highest:
            highest = total
            yield loss, total
