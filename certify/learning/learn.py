"""The main path of learning: the automaton of a network on all words up to a length, learnt and decided.

1. All words of few letters are run, and an automaton is learnt that is right on them.

2. Longer words are searched, as in a decision, for one on which the network and the automaton differ. Such a
word gives an automaton for words up to its length, which is searched again; results of earlier searches
stay valid, since the next automaton must agree on shorter words.

3. A smallest automaton for all words up to the length that was reached becomes a claim, and is decided: its certificate
proves each answer. The automaton itself implies that none has fewer states, and that it leaves out exactly the words
outside the question.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from certify.claims.trained.decide import Searches, Settings, decide, found_in, plan
from certify.claims.trained.decision import Decision, ObligationResult, shortest
from certify.common.words import show_word
from certify.learning.cover_learner import CoverLearner, TooManyStates
from certify.learning.learned import Learned, LearnedRow, find_misplaced, growth, smallest_for
from certify.learning.membership import Oracle, Tie
from certify.learning.question import OUT, LearningQuestion, leaves_words_out, read_words
from constructions.errors import InputError, InternalError, Unsupported
from constructions.regular.cover_automata import Marked, Word
from constructions.trained.claim import Case, When, WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.trained.search import RefutingWord

MOST_STATES = 64
TABLE = 2**13
"""The number of words that are run before the search."""


@dataclass(frozen=True)
class Effort:
    """The greatest number of states of an automaton, and of words that are run one by one."""

    states: int = MOST_STATES
    table: int = TABLE


def claim_of(question: LearningQuestion, found: Marked, longest: int) -> WordsClaim:
    """Return the claim that the network's answers on all words of at most ``longest`` letters are the automaton's."""
    states: dict[int, list[int]] = {}
    for state, code in enumerate(found.marks):
        states.setdefault(code, []).append(state)
    cases = tuple(Case(When(None, tuple(mine)), question.rows(code)) for code, mine in states.items() if code != OUT)
    return replace(question.claim, lengths=(1, longest), automaton=found.automaton, predicates=(), cases=cases)


def learn(network: TrainedNetwork, question: LearningQuestion, settings: Settings | None = None,
          effort: Effort | None = None, known: Mapping[Word, int] | None = None) -> Learned:
    """Learn a smallest automaton with the network's answers on all words of the question, as far as it is certified.

    Answers ``known`` at its first offset are not computed again.

    Raises:
        InputError: if no word of these lengths has rows.
        Unsupported: if answers depend on later letters.
    """
    start = time.perf_counter()
    run = _Learning(network, question, settings or Settings(), effort or Effort())
    run.oracle.codes |= known or {}
    found, decision = run.certified()
    last = decision.certified_to if decision is not None else None
    margins = {row.n: row.seen for row in decision.rows} if decision is not None else {}
    sizes = growth(question, found, last) if found and last else []
    rows = [LearnedRow(n, "certified", size, margins.get(n), "") for n, size in enumerate(sizes, start=1)]
    rows += [LearnedRow(n, "unknown", None, margins.get(n), run.reason)
             for n in range(len(sizes) + 1, question.longest + 1)]
    effort_spent = {"words": len(run.oracle.codes), "enclosed": run.oracle.enclosed, "searches": run.searched}
    return Learned(network, question, tuple(rows), found if sizes else None, decision, run.reason, effort_spent,
                   time.perf_counter() - start)


def learnt_decision(network: TrainedNetwork, claim: WordsClaim, settings: Settings) -> Decision | None:
    """Return the decision about a learnt automaton on the words that a claim judges, or None."""
    try:
        question = read_words(network, claim, "asked" if leaves_words_out(claim) else "all")
        return learn(network, question, settings).decision
    except (InputError, Unsupported):
        return None


class _Learning:
    """One network and one question; ``reason`` is why lengths beyond ``longest`` are given up."""

    def __init__(self, network: TrainedNetwork, question: LearningQuestion, settings: Settings, effort: Effort) -> None:
        self.network, self.question, self.effort = network, question, effort
        self.searches = Searches(network, settings)
        self.oracle = Oracle(network, question, question.claim.offsets[0])
        self.learner = CoverLearner(self.oracle, len(question.claim.alphabet), effort.states)
        self.longest, self.searched, self.reason = question.longest, 0, ""

    def certified(self) -> tuple[Marked | None, Decision | None]:
        """Return a smallest automaton for the words on which it is certified, and the decision."""
        try:
            found, reach = self.of_the_table()
        except Tie as tie:
            self.stop(self.why_tied(tie), 0)
            return None, None
        while reach > 0:
            if reach < self.longest:
                found, reach = self.beyond(found, reach)
                continue
            smallest = smallest_for(self.question, found, reach)
            if find_misplaced(self.question, smallest, reach) is not None:
                raise InternalError("the automaton is wrong about the words of the question")
            claim = claim_of(self.question, smallest, reach)
            decision = decide(self.network, claim, self.searches.settings, self.searches)
            last = decision.certified_to or 0
            if decision.wrong is not None and decision.wrong.place == last + 1:
                word = self.taught_by(decision.wrong, claim)
                if word is not None:
                    found, reach = self.taught(smallest, word, last)
                    continue
            if last < reach:
                self.stop(decision.reason, last)
            if last == reach or len(smallest_for(self.question, smallest, last).marks) == len(smallest.marks):
                return smallest, decision
            found, reach = smallest, last
        return None, None

    def stop(self, reason: str, longest: int) -> None:
        """Give up longer words, for a reason; the first reason is kept."""
        self.longest, self.reason = longest, self.reason or reason

    # -- few words, all of them ----------------------------------------------------------------------------------------

    def of_the_table(self) -> tuple[Marked, int]:
        """Return an automaton that is right on all words that are run one by one, and their greatest length.

        Raises:
            Tie: if a word of one letter has no answer.
        """
        letters = [(letter,) for letter in range(len(self.question.claim.alphabet))]
        self.oracle.ask(letters)
        if self.question.first:
            self.oracle.codes[()] = self.oracle.codes[0,]  # arbitrary: the smallest automaton is chosen later
        try:
            known = max(1, self.oracle.table(self.effort.table))
        except Tie as tie:
            known = len(tie.word) - 1
            self.stop(self.why_tied(tie), known)
        self.learner.longest = 1
        found = self.learner.hypothesis()
        for n in range(1, known + 1):
            words = [word for word in self.oracle.codes if len(word) == n]
            while (wrong := self.first_wrong(found, words)) is not None:
                found, reach = self.taught(found, wrong, n - 1)
                if reach < n:
                    return found, reach
        return found, known

    def first_wrong(self, found: Marked, words: list[Word]) -> Word | None:
        """Return the first of some words of one length on which the automaton contradicts the network."""
        if not words:
            return None
        steps, marks = np.array(found.automaton.steps, dtype=np.intp), np.array(found.marks)
        states = np.full(len(words), found.automaton.start, dtype=np.intp)
        for column in np.array(words, dtype=np.intp).T:
            states = steps[states, column]
        wrong = np.nonzero(marks[states] != np.array([self.oracle.codes[word] for word in words]))[0]
        return words[int(wrong[0])] if len(wrong) else None

    def taught(self, old: Marked, word: Word, reach: int) -> tuple[Marked, int]:
        """Return an automaton that is also right on a word, and agrees with the old one up to ``reach``; its length.

        If there is none, return the old one and ``reach``.
        """
        self.learner.longest = max(len(word), 1)
        if self.question.first:
            self.oracle.codes[()] = old.marks[old.automaton.start]
        try:
            return self.learner.learn(word, old, reach), len(word)
        except TooManyStates:
            self.stop(f"more than {self.effort.states} states are needed for words of at most {len(word)} letters",
                      reach)
        except Tie as tie:
            self.stop(self.why_tied(tie), reach)
        return old, reach

    def why_tied(self, tie: Tie) -> str:
        """Describe in one line a word whose answer no precision decides."""
        return f"no precision decides the answer on the word {self.spelt(tie.word)}: a tie"

    def spelt(self, word: Word) -> str:
        """Format the word."""
        return show_word(self.question.claim.alphabet[letter] for letter in word) or "(nothing)"

    # -- many words: searches ------------------------------------------------------------------------------------------

    def beyond(self, found: Marked, reach: int) -> tuple[Marked, int]:
        """Return the automaton for longer words, as far as searches are conclusive; and the length that was reached."""
        last = self.longest
        while reach < self.longest:
            try:
                word, reach = self.first_error(found, reach + 1, last)
            except Tie as tie:
                self.stop(self.why_tied(tie), reach)
                return found, reach
            if word is None and reach < last:
                self.stop(self.reason, reach)
                return found, reach
            if word is None:
                last = self.longest
                continue
            found, taught = self.taught(found, word, reach)
            if taught < len(word):
                return found, reach
            last = len(word)
        return found, reach

    def first_error(self, found: Marked, first: int, last: int) -> tuple[Word | None, int]:
        """Find a word of first … last letters on which the network contradicts the automaton.

        Also return the length up to which they agree; without a word it is ``last``, or less if some length is open.
        """
        smallest = smallest_for(self.question, found, last)
        if (word := find_misplaced(self.question, smallest, last)) is not None:
            return next(one for one in (word[:-1], word)
                        if self.oracle(one) != found.marks[found.automaton.read(one)]), first - 1
        claim = claim_of(self.question, smallest, last)
        results = self.searched_for(claim, first)
        wrong = shortest(one.wrong for one in results if one.wrong)
        end = wrong.place if wrong else last + 1
        open_ones = [one for one in results if one.way is None and not one.wrong and one.count < end]
        if open_ones:
            first_open = min(open_ones, key=lambda one: one.count)
            self.reason = first_open.reason
            return None, first_open.count - 1
        return None if wrong is None else self.taught_by(wrong, claim), end - 1

    def searched_for(self, claim: WordsClaim, first: int) -> list[ObligationResult]:
        """Return search results on words from ``first`` letters on; the first search covers all words."""
        parts = plan(self.network, claim, self.searches.settings)
        if self.searched:
            parts = [replace(part, first=max(part.first, first)) for part in parts if part.last >= first]
        self.searched += 1
        return [one for one in found_in(self.searches.of_parts(claim, parts)) if one.count >= first or one.wrong]

    def taught_by(self, wrong: RefutingWord, claim: WordsClaim) -> Word | None:
        """Return the letters read of a wrong word, if the network's answer at the learnt offset differs from the claim.

        Otherwise set ``reason`` to the other offset.

        Raises:
            Tie: if the word has no answer.
        """
        word = claim.letters(wrong.word[: wrong.place])
        above = claim.cases[wrong.case].above
        code = self.oracle(word)
        if code != OUT and self.question.rows(code) == above:
            if wrong.offset != self.oracle.offset:
                self.reason = (f"the answer on the word {self.spelt(word)} at offset {wrong.offset} is not that at "
                               f"offset {self.oracle.offset}")
                return None
            self.oracle.codes[word] = self.oracle.sign_of(word)
        return word
