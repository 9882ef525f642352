"""The number of right words of each length, at least and at most: docs/background/counting.md, section 5.

Each part is a lemma: a claim that holds. At a judged place a word is right if the lemmas have every row that the claim
asks for, and wrong if they have the negation of one. Both follow from the states of the claims, so words are counted by
paths. A lemma about some of the offsets only proves words wrong, of lengths with rows there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from ....kernel.verdicts import require, within
from ...word_semantics.tracker import Tracker, TrackerState
from ..evidence import load
from ..reading.count_claim import Weights
from ..reading.decision import Decision
from ..reading.network import LogitRow
from ..reading.word_parts import WordsParts
from ..reading.words_claim import TrainedClaim
from ..weighing import require_proved, unit_weights, weigh_paths
from .obligations import greatest_length, is_by_place

RIGHT, OPEN, WRONG = 0, 1, 2


class CountedWords(NamedTuple):
    """The weights of the counted words of one length, and of those proved right and wrong."""

    total: Fraction
    right: Fraction
    wrong: Fraction


class WordsCoverage(dict[str, int]):
    """The coverage of the proofs of parts, and the weights by length."""

    words: tuple[CountedWords, ...]


class WordState(NamedTuple):
    """The verdict on a word so far, and the states of the claim and of the lemmas."""

    verdict: int
    claims: tuple[TrackerState, ...]


def prove_counts(given: Decision[TrainedClaim, WordsParts]) -> WordsCoverage:
    """Prove every lemma, over the reals or in all executions, and the claimed numbers from the words that they decide.

    Raises:
        Rejected: if a lemma is not proved, or the numbers do not follow.
    """
    proves = load("floats.proof.prove_float_executions" if given.floats else "words.deciding.prove_decision")
    claim, counts, found, coverage = given.claim, given.counts, Counter[str](), WordsCoverage()
    assert counts is not None
    verdicts = Verdicts(given)
    for number, part in enumerate(given.evidence.parts, 1):
        with within(f"part {number}"):
            found.update(proves(Decision(given.network, part.claim, given.floats, part.evidence, given.budget)))
    coverage.update(found, parts=len(given.evidence.parts))
    coverage.words = tuple(verdicts.count())
    for n, ends, one in zip(claim.widths, counts.right, coverage.words, strict=True):
        with within(f"length {n}"):
            require_proved(*ends, one.right, one.total, one.wrong)
    return coverage


class Verdicts:
    """The verdicts on words that follow from the lemmas."""

    def __init__(self, given: Decision[TrainedClaim, WordsParts]) -> None:
        self.given, self.claim, self.budget = given, given.claim, given.budget
        self.lemmas = [part.claim for part in given.evidence.parts]
        self.trackers = [Tracker(claim.language, claim.conditions) for claim in (self.claim, *self.lemmas)]
        self.each, self.length = self.claim.read == "each", self.claim.max_n
        require(not self.each or is_by_place(given.network, self.claim)
                or all(lemma.max_n == self.claim.max_n for lemma in self.lemmas),
                "parts: a later letter may change an answer, so all need the greatest length of the claim")

    def count(self) -> list[CountedWords]:
        """Return the weights of words by length: a word is counted if it is judged after its last letter."""
        counts, claim = self.given.counts, self.claim
        assert counts is not None
        if counts.weights is None and all(lemma.offsets == claim.offsets for lemma in self.lemmas):
            by = weigh_paths(self.budget, self.start(), self.step, unit_weights(claim.max_n, claim.combinations))
            return [self.sums(*one) for one in by][claim.min_n:]
        weights = counts.weights or [unit_weights(n, claim.combinations) for n in claim.widths]
        return [self.weighed(n, one) for n, one in zip(claim.widths, weights, strict=True)]

    def weighed(self, n: int, weights: Weights) -> CountedWords:
        """Return the weights of the words of n letters."""
        self.length = n
        return self.sums(*[*weigh_paths(self.budget, self.start(), self.step, weights)][-1])

    def start(self) -> WordState:
        """Return the state before the first letter."""
        start = WordState(RIGHT, tuple(tracker.start() for tracker in self.trackers))
        return self.judged(0, start) if self.claim.empty else start

    def sums(self, reached: Mapping[WordState, int], unit: int) -> CountedWords:
        """Return the weights of the words that lead to these states."""
        total, by_verdict = 0, Counter[int]()
        for state, weight in reached.items():
            if self.needed(state):
                total += weight
                by_verdict[state.verdict] += weight
        return CountedWords(*(Fraction(weight, unit) for weight in (total, by_verdict[RIGHT], by_verdict[WRONG])))

    def step(self, column: int, state: WordState, letter: int) -> WordState:
        """Return the state after a letter, at position ``column`` + 1, and the verdict there."""
        claims = zip(self.trackers, state.claims, strict=True)
        return self.judged(column + 1, WordState(state.verdict, tuple(
            tracker.step(one, letter, column + 1) for tracker, one in claims)))

    def judged(self, place: int, state: WordState) -> WordState:
        """Return the state with the verdict at its last letter: the worst one so far, if each letter is judged."""
        needed, known = self.needed(state), set[LogitRow]()
        before = state.verdict if self.each else RIGHT
        if not needed or before == WRONG:
            return WordState(before, state.claims)
        for lemma, of_lemma in zip(self.lemmas, state.claims[1:], strict=True):
            rows = rows_of(lemma, of_lemma) if place <= lemma.max_n and self.has_rows(lemma) else set()
            self.budget.spend(1 + len(rows) + len(needed))
            if any(negated(row) in rows for row in needed):
                return WordState(WRONG, state.claims)
            known |= rows if lemma.margin >= self.claim.margin and lemma.offsets == self.claim.offsets else set()
        return WordState(max(before, RIGHT if needed <= known else OPEN), state.claims)

    def has_rows(self, lemma: TrainedClaim) -> bool:
        """Return whether words of the length that is counted have rows at an offset of the lemma."""
        return lemma.offsets == self.claim.offsets or (
            self.length <= greatest_length(self.given.network, self.claim, lemma.offsets[0]))

    def needed(self, state: WordState) -> set[LogitRow]:
        """Return the rows that the claim asks for after a word."""
        return rows_of(self.claim, state.claims[0])


def rows_of(claim: TrainedClaim, state: TrackerState) -> set[LogitRow]:
    """Return the rows of the cases that hold in a state."""
    return {row for case in state.cases for row in claim.cases[case].above}


def negated(row: LogitRow) -> LogitRow:
    """Return the row whose value is the negative one."""
    return tuple((token, -coefficient) for token, coefficient in row)
