"""The words on which a learnt network differs from its claim: all words up to a length, exactly.

They are found in the product of the learnt automaton and the claim's tracker, without running the network.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from certify.learning.question import Intention, LearningQuestion
from constructions.errors import Unsupported
from constructions.regular.automata import Automaton, RegularLanguage
from constructions.regular.cover_automata import Marked, Word, smallest_cover
from constructions.regular.to_expression import expression_of_language
from proofs.words.tracking import State, Tracker

MOST_PAIRS = 100_000
"""The greatest number of states of the product."""
FEW = 12
"""The number of words that are listed."""
LONGEST_EXPRESSION = 300
Pair = tuple[int, State]


@dataclass(frozen=True)
class Differences:
    """The words of at most ``longest`` letters on which the network's answer differs from the claim.

    ``counts`` has their number for each length, ``words`` the first few; ``expression`` matches, among words of at most
    ``longest`` letters, exactly these (empty if there is none or no short one). Words that the network does not allow
    are not included, but a shorter prefix is. ``states`` are those of the automaton that such words reach.
    """

    longest: int
    counts: tuple[int, ...]
    words: tuple[Word, ...]
    expression: str
    states: frozenset[int]

    @property
    def total(self) -> int:
        """The number of words."""
        return sum(self.counts)


class Expected(Protocol):
    """The expected answers, by the cases of a tracker."""

    tracker: Tracker

    def fails(self, code: int, cases: Sequence[int]) -> bool:
        """Return whether the answer of this code is wrong where these cases hold."""


def differences(question: LearningQuestion, found: Marked, longest: int, expected: Expected | None = None, *,
                expressed: bool = True) -> Differences:
    """Return the words of at most ``longest`` letters with an answer other than the claim's, or the ``expected`` one.

    Raises:
        Unsupported: if the claim refers to the future, or its tracker has too many states.
    """
    product = _PairExploration(question, found, longest, expected or Intention(question))
    counts, words = list(product.counts()), tuple(product.first_words())
    expression = product.expression() if words and expressed else ""
    return Differences(longest, tuple(counts), words, expression, frozenset(product.states()))


def count_words(steps: Sequence[Sequence[int]], start: int, marked: Sequence[bool], longest: int) -> Iterator[int]:
    """Yield the numbers of words of 0, 1, … ``longest`` letters that lead to a marked state."""
    reached = {start: 1}
    for n in range(longest + 1):
        yield sum(number for state, number in reached.items() if marked[state])
        following: dict[int, int] = {}
        for state, number in reached.items():
            for after in steps[state] if n < longest else ():
                following[after] = following.get(after, 0) + number
        reached = following


class _PairExploration:
    """The product states that words reach, numbered in that order; a step is -1 where words are too long."""

    def __init__(self, question: LearningQuestion, found: Marked, longest: int, intention: Expected) -> None:
        self.question, self.longest = question, longest
        letters = range(len(question.claim.alphabet))
        numbers: dict[Pair, int] = {(found.automaton.start, intention.tracker.start): 0}
        self.steps: list[list[int]] = []
        self.wrong: list[bool] = []
        self.state_of: list[int] = []
        pending = list(numbers)
        for n in range(longest + 1):
            following: list[Pair] = []
            for state, tracked in pending:
                self.state_of.append(state)
                self.wrong.append(intention.fails(found.marks[state], intention.tracker.cases(tracked)))
                row = []
                for letter in letters if n < longest else ():
                    after = found.automaton.steps[state][letter], intention.tracker.step(tracked, letter)
                    if after not in numbers:
                        numbers[after] = len(numbers)
                        following.append(after)
                    row.append(numbers[after])
                self.steps.append(row or [-1] * len(letters))
            if len(numbers) > MOST_PAIRS:
                raise Unsupported(f"the claim: more than {MOST_PAIRS} states in its product with the network")
            pending = following

    def counts(self) -> Iterator[int]:
        """Yield the number of wrong words of 0, 1, … letters."""
        for n, wrong in enumerate(count_words(self.steps, 0, self.wrong, self.longest)):
            yield wrong if n >= self.question.claimed_from else 0

    def states(self) -> Iterator[int]:
        """Yield the states of the automaton in which words are wrong."""
        for pair, state in enumerate(self.state_of):
            if self.wrong[pair] and (pair or not self.question.claimed_from):
                yield state

    def to_wrong(self) -> list[int]:
        """Return, for each pair, the least number of letters to a wrong word; more than the longest without one."""
        far = self.longest + 1
        left = [0 if wrong else far for wrong in self.wrong]
        changed = True
        while changed:
            changed = False
            for pair, row in enumerate(self.steps):
                nearest = min((left[after] + 1 for after in row if after >= 0), default=far)
                if nearest < left[pair]:
                    left[pair], changed = nearest, True
        return left

    def first_words(self) -> Iterator[Word]:
        """Yield the first few wrong words, the shortest first; only prefixes of wrong words are extended."""
        left, given = self.to_wrong(), 0
        level: list[tuple[int, Word]] = [(0, ())]
        for n in range(self.longest + 1):
            following: list[tuple[int, Word]] = []
            for pair, word in level:
                if self.wrong[pair] and n >= self.question.claimed_from:
                    yield word
                    given += 1
                    if given == FEW:
                        return
                following += [(after, (*word, letter)) for letter, after in enumerate(self.steps[pair])
                              if n < self.longest and left[after] + n + 1 <= self.longest]
            level = following[: 64 * FEW]

    def expression(self) -> str:
        """Return the shortest of some expressions that match exactly the wrong words, among those up to the length."""
        left, size = self.to_wrong(), len(self.steps)
        depth = self._depths()
        sink = size
        rows = [tuple(pair if after < 0 else after for after in row) for pair, row in enumerate(self.steps)]
        cut = [tuple(sink if after < 0 or left[after] + depth[pair] + 1 > self.longest else after for after in row)
               for pair, row in enumerate(self.steps)]
        marks = [int(wrong) for wrong in self.wrong]
        if self.question.claimed_from:
            marks[0] = 0
        found = []
        for automaton in (Automaton(0, tuple(rows)), Automaton(0, (*cut, (sink,) * len(rows[0])))):
            all_marks = [*marks, 0][: len(automaton.steps)]
            candidates = [Marked(automaton, tuple(all_marks), ())] if size <= MOST_TO_COVER else []
            if size <= MOST_TO_COVER:
                candidates.append(smallest_cover(automaton, all_marks, self.longest))
            for one in candidates:
                if (text := _expression(one, self.question)) is not None:
                    found.append(text)
        return min(found, key=len, default="")

    def _depths(self) -> list[int]:
        """Return the length of the shortest word to each pair."""
        depth = [0] + [-1] * (len(self.steps) - 1)
        for pair, row in enumerate(self.steps):
            for after in row:
                if after >= 0 and depth[after] < 0:
                    depth[after] = depth[pair] + 1
        return depth


MOST_TO_COVER = 400
"""The greatest number of pairs for which an expression is made."""


def _expression(found: Marked, question: LearningQuestion) -> str | None:
    accepting = frozenset(state for state, mark in enumerate(found.marks) if mark)
    try:
        text = expression_of_language(RegularLanguage(found.automaton, accepting), question.claim.alphabet)
    except Unsupported:
        return None
    return text if text is not None and len(text) <= LONGEST_EXPRESSION else None
