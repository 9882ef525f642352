"""The worst case over all words by the gaps of scores; docs/background/obligations.md, Attention head, 6 and 7.

P_p is the least score of a letter at position p that may be a pivot for t. M_p is the greatest score there of a bad
letter (its value is not t), A_p the greatest of a bad letter that may come after the pivot. For all rows of a group
together, the greatest gap at each distance before and after the pivot is found. Scores are integers over one
denominator.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from math import lcm
from operator import mul, sub
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.numbers import (
    Numbers,
    denominators_of,
    over_denominator,
    over_one_denominator,
    short_common_multiple,
)
from ....kernel.reading.records import LinearForm
from ..kernels import FALLS, NEGLIGIBLE, suffices
from ..proof import Errors, ProofContext
from .automaton import LetterEffect, Letters

MAX_DISTANCES = 128
"""If gaps decrease so slowly that more distances matter, their sum is rarely below a stated error: use paths."""


class Extremes(NamedTuple):
    """The contributions to the keys of pivots, bad letters and bad letters after the pivot, for one t."""

    pivots: frozenset[Numbers]
    bad: frozenset[Numbers]
    after: frozenset[Numbers]


class ScoreGaps(NamedTuple):
    """The scores P, M and A of the visible positions."""

    pivots: Sequence[int]
    bad: Sequence[int]
    after: Sequence[int]


def keeps(letter: LetterEffect) -> bool:
    """Return whether a letter keeps the remembered truth as state and target, from both states."""
    return all(move.following == move.state == move.holds for move in letter.moves)


def resets_to(letter: LetterEffect) -> int | None:
    """Return the common truth of the next state and of the target, from both states; None if they differ."""
    found = {move.following for move in letter.moves} | {int(move.holds) for move in letter.moves}
    return found.pop() if len(found) == 1 else None


def overwrites_with(letter: LetterEffect) -> int | None:
    """Return the truth of the next state, equal from both states, if the target has the remembered truth; else None."""
    found = {move.following for move in letter.moves}
    looks_back = all(move.state == move.holds for move in letter.moves)
    return found.pop() if looks_back and len(found) == 1 else None


def find_kinds(letters: Letters, value: Fraction) -> tuple[bool, tuple[Extremes, Extremes]] | None:
    """Return whether all letters look back (prev), and the extremes for each t; None if the rule does not apply."""
    if any(len(letter.moves) != 2 for letter in letters):
        return None
    looks_back = all(overwrites_with(letter) is not None for letter in letters)
    if not looks_back and any(resets_to(letter) is None and not keeps(letter) for letter in letters):
        return None
    found = []
    for t in (0, 1):
        bad = {letter for letter in letters if value + letter.adds[-1] != t}
        pivots = {letter for letter in letters if (overwrites_with if looks_back else resets_to)(letter) == t}
        after = bad if looks_back else {letter for letter in bad if keeps(letter)}
        if pivots & bad or (after and not looks_back and t == 0):
            return None
        found.append(Extremes(*(frozenset(letter.adds[:-1] for letter in some) for some in (pivots, bad, after))))
    return looks_back, (found[0], found[1])


class Rule(NamedTuple):
    """The extremes for both t of each kind of position, and whether all letters look back (prev)."""

    looks_back: bool
    extremes: Sequence[tuple[Extremes, Extremes]]


def find_extremes(letters: Sequence[tuple[Fraction, Letters]]) -> Rule | None:
    """Find the rule for these values and letters of positions; None if none applies."""
    found = [find_kinds(some, value) for value, some in letters]
    kinds = [one for one in found if one is not None]
    if len(kinds) < len(found) or len({looks_back for looks_back, _ in kinds}) != 1:
        return None
    return Rule(kinds[0][0], [extremes for _, extremes in kinds])


class Listed(NamedTuple):
    """The gaps that are summed, by their distance before the pivot, and after it."""

    before: Mapping[int, Fraction]
    after: Mapping[int, Fraction]


class Gaps:
    """The visible positions of the rows of one length, in the order of reading; ``keys`` are over ``denominator``."""

    def __init__(self, proof: ProofContext, rule: Rule, kinds: Sequence[int], denominator: int,
                 keys: Sequence[Sequence[int]],
                 errors: Errors, weighting: str) -> None:
        self._proof, self._rule, self._kinds, self._errors = proof, rule, kinds, errors
        self._weighting = weighting
        added = {adds for both in rule.extremes for one in both for some in one for adds in some}
        extra, rows = over_one_denominator(proof.budget, list(added))
        self._denominator = lcm(denominator, extra)
        factor, more = self._denominator // denominator, self._denominator // extra
        proof.budget.spend(1 + (len(kinds) * len(keys) >> 3))
        self._keys = keys if factor == 1 else [[factor * x for x in column] for column in keys]
        self._adds = {adds: tuple(more * x for x in row) for adds, row in zip(added, rows, strict=True)}
        numbers = [*(number for row in self._adds.values() for number in row),
                   *(end for column in self._keys for end in (min(column), max(column)))]
        self._bits = max(map(int.bit_length, numbers), default=0)

    def find_unproved(self, query: Numbers, lengths: Sequence[int]) -> Sequence[int]:
        """Return those of the lengths of rows with this scaled query whose errors this rule does not prove."""
        rows = [length for length in lengths if length > 1 or not self._rule.looks_back]
        if rows and not self._proves_both(query, rows):
            return lengths
        return [length for length in lengths if length == 1] if self._rule.looks_back else []

    def _proves_both(self, query: Numbers, rows: Sequence[int]) -> bool:
        """Return whether the gaps cost at most e for both t, over all of these rows; equal scores share their gaps."""
        known: tuple[ScoreGaps, Listed | None] | None = None
        for t, error in enumerate(self._errors):
            if not self._can_err(t):
                continue
            denominator, scores = self._find_scores(query, rows, t)
            if known is None or known[0] != scores:
                known = scores, self._list_gaps(denominator, scores, max(rows))
            listed = known[1]
            if listed is None or not all(
                    suffices(self._proof.weigher, self._proof.budget, self._weighting, gaps, max(rows), error)
                    for gaps in self._groups(listed, max(rows), t, denominator, scores)):
                return False
        return True

    def _groups(self, listed: Listed, longest: int, t: int, denominator: int,
                scores: ScoreGaps) -> Iterator[Sequence[Fraction]]:
        """Yield the lists of gaps to sum: one list of all gaps; weightings/gaps.py has those of other weightings."""
        yield [*listed.before.values(), *listed.after.values()]

    def _can_err(self, t: int) -> bool:
        """Return whether some letter can be a pivot and some letter is bad; otherwise the error is 0."""
        extremes = [both[t] for both in self._rule.extremes]
        return any(one.pivots for one in extremes) and any(one.bad for one in extremes)

    def _list_gaps(self, denominator: int, scores: ScoreGaps, longest: int) -> Listed | None:
        """Return the gaps that are summed; None if there are too many, or one is not below 0."""
        least = -FALLS[self._weighting] * denominator
        cost = longest * (1 + (denominator.bit_length() + self._bits >> 9)) >> 3
        reach = 1 if self._rule.looks_back else longest  # of prev, only the last letter comes after the pivot
        before = find_gaps(self._proof.budget, scores.pivots, scores.bad, least, longest, cost)
        after = find_gaps(self._proof.budget, scores.pivots[::-1], scores.after[::-1], least, reach, cost)
        if before is None or after is None:
            return None
        return Listed(*({k: Fraction(gap, denominator) for k, gap in side.items()} for side in (before, after)))

    def _find_scores(self, query: Numbers, rows: Sequence[int], t: int) -> tuple[int, ScoreGaps]:
        """Return the denominator of the scores, and P, M and A up to the last row; absent letters are negligible."""
        longest, budget = max(rows), self._proof.budget
        size, (factors,) = over_one_denominator(budget, [query])
        denominator, bits = size * self._denominator, self._bits + max((x.bit_length() for x in factors), default=0)
        budget.spend(longest * (1 + len(query)) * (1 + (bits * bits >> 20)))
        starts = [0] * longest
        for factor, column in zip(factors, self._keys, strict=True):
            starts = [start + factor * x for start, x in zip(starts, column, strict=False)]
        added = {keys: sum(map(mul, factors, numbers)) for keys, numbers in self._adds.items()}
        margin = NEGLIGIBLE * denominator + sum(map(abs, added.values()))
        low, high = min(starts) - margin, max(starts) + margin
        extremes = [both[t] for both in self._rule.extremes]
        kinds = self._kinds[:longest]
        least = [min((added[keys] for keys in one.pivots), default=None) for one in extremes]
        most = [max((added[keys] for keys in one.bad), default=None) for one in extremes]
        later = [max((added[keys] for keys in one.after), default=None) for one in extremes]
        pivots = add_by_kind(starts, kinds, least, high)
        bad, after = add_by_kind(starts, kinds, most, low), add_by_kind(starts, kinds, later, low)
        if self._rule.looks_back:  # the pivot is the letter before the last
            here = {row - 2 for row in rows}
            pivots = [score if p in here else high for p, score in enumerate(pivots)]
        return denominator, ScoreGaps(pivots, bad, after)


def known_integers(proof: ProofContext, rows: Sequence[LinearForm], n: int) -> tuple[int, list[tuple[int, ...]]] | None:
    """Return linear forms of known directions at (n, 1), ..., (n, n) over one denominator; None if it is too long."""
    forms, budget = proof.known_forms(rows, n), proof.budget
    denominator = short_common_multiple(budget, denominators_of(budget, forms))
    return None if denominator is None else over_denominator(budget, forms, denominator)


def add_by_kind(starts: Sequence[int], kinds: Sequence[int], added: Sequence[int | None], none: int) -> list[int]:
    """Return the score at each position: its start plus the contribution of its kind, or ``none``."""
    if len(added) == 1:
        extra = added[0]
        return [none] * len(starts) if extra is None else [start + extra for start in starts]
    extras = [added[kind] for kind in kinds]
    return [none if extra is None else start + extra for start, extra in zip(starts, extras, strict=True)]


def find_gaps(budget: Budget, pivots: Sequence[int], others: Sequence[int], least: int, reach: int,
              cost: int) -> dict[int, int] | None:
    """Return for k = 1, 2, ... the greatest gap others[p] - pivots[p + k] above the least; None if one is 0 or more.

    The search ends after the reach, or where all gaps at that distance or more are at most the least.
    """
    found: dict[int, int] = {}
    was_negligible = True  # at the previous distance; gaps may depend on its parity
    greatest = list(accumulate(others, max))
    for k in range(1, min(len(pivots), 1 + reach)):
        budget.spend(1 + cost)
        gap = max(map(sub, others, pivots[k:]))
        if gap > least:
            found[k] = gap
        elif was_negligible and max(map(sub, greatest, pivots[k:])) <= least:
            return found
        was_negligible = gap <= least
        if gap >= 0 or k > MAX_DISTANCES:
            return None
    return found
