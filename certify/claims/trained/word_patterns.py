"""Kinds of first errors of words: the row that fails, and the last letters; docs/background/counting.md, section 6."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

from constructions.deadline import TimeIsUp, check_deadline
from constructions.trained.claim import Row, WordsClaim
from constructions.trained.network import TrainedNetwork
from constructions.trained.weights import Weights
from proofs.trained.counting.verdicts import WRONG, Followed, Verdicts, every_word, verdicts_at
from proofs.trained.counting.words import Lemma, lemma_from_json, negated
from proofs.words.tracking import State

MOST_ENDINGS = 1 << 8
"""Limit of the endings of one length, which bounds their length."""
MOST_SUMS = 1 << 18
"""Limit of the sums of one place; there are no kinds of errors beyond."""
MOST_KINDS = 6
"""Limit of the kinds of errors of one row."""
SHARED = Fraction(9, 10)
"""The kind is not split if this share of the words that match has the error."""
Ending = tuple[int | None, ...]
"""The last letters, after None if they are the whole word."""
NOTHING = Fraction(0)


@dataclass(frozen=True)
class WordErrors:
    """Words of n letters of which a first error is at a letter with this ending, where a row is required, and fails.

    ``weight`` is the weight of these words, ``matching`` the sum over places of the weight of all words of which no
    letter before is wrong, with this ending, where the row is required.
    """

    n: int
    row: Row
    ending: Ending
    weight: Fraction
    matching: Fraction


def find_kinds_in(network: TrainedNetwork, claim: WordsClaim, certificate: str, weights: Sequence[Weights] | None
                  ) -> tuple[WordErrors, ...]:
    """Return the kinds of errors that the lemmas of a certificate prove; none if time is up."""
    data = json.loads(certificate)
    lemmas = [lemma_from_json(data["claim"], part) for part in data["evidence"]["parts"]]
    with suppress(TimeIsUp):
        return find_kinds(network, claim, lemmas, weights)
    return ()


def find_kinds(network: TrainedNetwork, claim: WordsClaim, lemmas: Sequence[Lemma],
               weights: Sequence[Weights] | None = None) -> tuple[WordErrors, ...]:
    """Return the kinds of errors among words of the greatest length, heaviest first; none if these are too many."""
    n = claim.lengths[1]
    sums = _Sums(verdicts_at(network, claim, lemmas, n), every_word(claim, n) if weights is None else weights[-1])
    found = [WordErrors(n, row, ending, *of_row[ending]) for row, of_row in sums.found.items() if of_row[()][0]
             for ending in _kinds(of_row)]
    return tuple(sorted(found, key=lambda one: (-one.weight, one.row, len(one.ending), str(one.ending))))


def _kinds(of_row: Mapping[Ending, tuple[Fraction, Fraction]]) -> list[Ending]:
    """Return disjoint endings of all errors; that with the most other words is split first, by the letter before it."""
    left, done = [Ending()], list[Ending]()
    while left and len(left) + len(done) < MOST_KINDS:
        left.sort(key=lambda one: of_row[one][1] - of_row[one][0])
        ending = left.pop()
        longer = [one for one in of_row if one[1:] == ending and len(one) > len(ending) and of_row[one][0]]
        is_pure = of_row[ending][0] >= SHARED * of_row[ending][1]
        (done if is_pure or not longer else left).extend([ending] if is_pure or not longer else longer)
    return left + done


@dataclass
class _Sums:
    """By row and ending: the weight of words with this first error, and of those that match."""

    verdicts: Verdicts
    weights: Weights
    found: dict[Row, dict[Ending, tuple[Fraction, Fraction]]] = field(default_factory=dict)
    ahead: dict[tuple[int, State, int], Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        letters, n = len(self.verdicts.claim.alphabet), len(self.weights.columns)
        longest = max(k for k in range(1, 10) if letters**k <= max(MOST_ENDINGS, letters))
        start: Ending = (None,)
        reached = {(self.verdicts.start, start, state): weight
                   for state, weight in enumerate(self.weights.start) if weight and self.verdicts.start[0] < WRONG}
        for place in range(1, n + 1):
            check_deadline()
            new: dict[tuple[Followed, Ending, int], Fraction] = {}
            for (followed, ending, source), weight in reached.items():
                for letter, target, factor in self._steps(place - 1, source):
                    after = self.verdicts.step(followed, letter, place)
                    key = after, (*ending, letter)[-longest:], target
                    if self.verdicts.claim.read == "each" or place == n:
                        fails = self._failing(place, followed, letter) if after[0] >= WRONG else None
                        self._add(place, key, fails, weight * factor)
                    if after[0] < WRONG or self.verdicts.claim.read != "each":
                        new[key] = new.get(key, NOTHING) + weight * factor
            reached = new
            if len(reached) > MOST_SUMS:
                self.found = {}
                return

    def _steps(self, column: int, source: int) -> Iterator[tuple[int, int, Fraction]]:
        for letter, row in enumerate(self.weights.tables[self.weights.columns[column]]):
            yield from ((letter, target, weight) for state, target, weight in row if state == source)

    def _add(self, place: int, key: tuple[Followed, Ending, int], fails: Row | None, weight: Fraction) -> None:
        (_, states), ending, weighed = key
        rows = self.verdicts.rows(states[0])
        mine = weight * self._ahead(place, states[0], weighed) if rows else NOTHING
        for row in rows if mine else ():
            of_row = self.found.setdefault(row, {})
            for length in range(len(ending) + 1):
                shorter = ending[len(ending) - length:]
                wrong, matching = of_row.get(shorter, (NOTHING, NOTHING))
                of_row[shorter] = wrong + mine * (row == fails), matching + mine

    def _failing(self, place: int, followed: Followed, letter: int) -> Row:
        """Return a required row that a lemma proves to fail after a letter."""
        trackers = self.verdicts.trackers
        states = [tracker.step(one, letter) for tracker, one in zip(trackers, followed[1], strict=True)]
        return min(self.verdicts.rows(states[0]) & {negated(row) for _, row in self.verdicts.known(place, states)})

    def _ahead(self, place: int, state: State, weighed: int) -> Fraction:
        """Return the weight of what follows a place: words that are counted."""
        if place == len(self.weights.columns):
            return self.weights.end[weighed] if self.verdicts.rows(state) else NOTHING
        key = place, state, weighed
        if key not in self.ahead:
            tracker = self.verdicts.trackers[0]
            self.ahead[key] = sum((factor * self._ahead(place + 1, tracker.step(state, letter), target)
                                   for letter, target, factor in self._steps(place, weighed)), NOTHING)
        return self.ahead[key]
