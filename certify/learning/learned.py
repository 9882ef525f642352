"""The result of learning a network: the automaton, its growth with the length, and the decision that proves it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from certify.claims.trained.decision import Decision, SmallestMargin
from certify.common.answer import AnswerByLength
from certify.learning.question import OUT, LearningQuestion
from constructions.regular.cover_automata import Marked, Word, smallest_cover, smallest_cover_without_empty
from constructions.trained.network import TrainedNetwork
from proofs.words.tracking import State, track


@dataclass(frozen=True)
class LearnedRow:
    """The result on all words of at most n letters: ``states`` of a smallest automaton, where it is certified.

    ``seen`` is the smallest margin of length n found in floating point.
    """

    n: int
    verdict: str
    states: int | None
    seen: SmallestMargin | None
    reason: str


@dataclass(frozen=True, eq=False)
class Learned(AnswerByLength[LearnedRow]):
    """The answer.

    ``automaton`` gives the network's answer, as a code of the question, on every word of at most ``certified_to``
    letters, and no automaton that does has fewer states; None if nothing is certified. ``decision`` is about that
    claim, ``reason`` is why longer words are open. ``asked`` has the numbers of words run, words enclosed, and
    searches.
    """

    network: TrainedNetwork
    question: LearningQuestion
    rows: tuple[LearnedRow, ...]
    automaton: Marked | None
    decision: Decision | None
    reason: str
    asked: Mapping[str, int]
    seconds: float

    @property
    def certificate(self) -> str | None:
        """The certificate of the decision."""
        return self.decision.certificate if self.decision is not None else None

    @cached_property
    def is_the_whole_domain(self) -> bool:
        """True if the network has rows for no other word at these offsets."""
        return self.decision is not None and self.decision.whole_domain


def smallest_for(question: LearningQuestion, found: Marked, longest: int) -> Marked:
    """Return a smallest automaton for the judged words of at most ``longest`` letters, from a right one."""
    if question.first == 0:
        return smallest_cover(found.automaton, found.marks, longest)
    reached = smallest_cover(found.automaton, found.marks, longest)
    after_letters = {reached.automaton.steps[state][letter] for state in range(len(reached.marks))
                     for letter in range(len(question.claim.alphabet))}
    among = [reached.marks[state] for state in sorted(after_letters)]
    return smallest_cover_without_empty(found.automaton, found.marks, longest, [*among, OUT])


def is_judged(question: LearningQuestion, found: Marked, state: int) -> bool:
    """Return whether a state has an answer; the start has none if only the empty word, if not judged, leads there."""
    return state != 0 or question.first == 0 or any(0 in row for row in found.automaton.steps)


def growth(question: LearningQuestion, found: Marked, longest: int) -> list[int]:
    """Return, for n = 1 … ``longest``, the least number of states for words of at most n letters."""
    return [len(smallest_for(question, found, n).marks) for n in range(1, longest + 1)]


def find_misplaced(question: LearningQuestion, found: Marked, longest: int) -> Word | None:
    """Return a shortest word of at most ``longest`` letters that is wrongly inside or outside the question."""
    match question.words:
        case "allowed":
            return _allowed(question, found, longest)
        case "asked":
            return _asked(question, found, longest)
    return next((word for mark, word in zip(found.marks, found.access, strict=True)
                 if mark == OUT and len(word) <= longest), None)


def _allowed(question: LearningQuestion, found: Marked, longest: int) -> Word | None:
    level: dict[int, Word] = {found.automaton.start: ()}
    seen: set[int] = set()
    for n in range(longest):
        following: dict[int, Word] = {}
        for state, word in level.items():
            for letter, after in enumerate(found.automaton.steps[state]):
                goes_on = question.allows(found.marks[state], letter) if n >= question.first else True
                if goes_on == (found.marks[after] == OUT):
                    return (*word, letter)
                following.setdefault(after, (*word, letter))
        if n >= question.first:
            seen |= level.keys()
        level = {state: word for state, word in following.items() if state not in seen}
    return None


def _asked(question: LearningQuestion, found: Marked, longest: int) -> Word | None:
    tracker = track(question.claim)
    level: dict[tuple[int, State], Word] = {(found.automaton.start, tracker.start): ()}
    seen: set[tuple[int, State]] = set()
    for n in range(longest + 1):
        for (state, tracked), word in level.items():
            if n >= question.first and (found.marks[state] == OUT) == bool(tracker.cases(tracked)):
                return word
        if n >= question.first:
            seen |= level.keys()
        following: dict[tuple[int, State], Word] = {}
        for (state, tracked), word in level.items():
            for letter, after in enumerate(found.automaton.steps[state]):
                following.setdefault((after, tracker.step(tracked, letter)), (*word, letter))
        level = {pair: word for pair, word in following.items() if pair not in seen}
    return None
