"""Learning of a smallest automaton for words of at most N letters from membership queries.

Method      Words x and y are *similar* if x z and y z have equal answers for all *suffixes* z so far
            with max(|x|, |y|) + |z| <= N (see constructions/regular/cover_automata.py). A new automaton is built
            after each new suffix: representatives breadth first, each longer word merged into the first similar one.
            A counterexample gives a new suffix: among the words in which its prefixes are replaced by their
            representatives, two neighbours have different answers, and their common suffix distinguishes words.
Source      Angluin, "Learning regular sets from queries and counterexamples", 1987; Rivest and Schapire, "Inference of
            finite automata using homing sequences", 1993; Ipate, "Learning finite cover automata from queries", 2012.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from constructions.errors import InternalError
from constructions.regular.automata import Automaton
from constructions.regular.cover_automata import Marked, Word, first_difference

NO_ANSWER = -2
Row = NDArray[np.int64]


class Answers(Protocol):
    """A membership oracle; answers are numbers from -1 on."""

    codes: dict[Word, int]

    def ask(self, words: Iterable[Word]) -> None:
        """Ensure that ``codes`` has the answers on these words."""


class TooManyStates(Exception):
    """More states are needed than the bound allows."""


class CoverLearner:
    """The state of the learner: suffixes, and the length N up to which words count."""

    def __init__(self, answers: Answers, letters: int, most: int) -> None:
        """Start with the empty suffix; at most ``most`` states are allowed."""
        self.answers, self.letters, self.most = answers, letters, most
        self.longest = 0
        self.suffixes: list[Word] = [()]
        self._rows: dict[Word, Row] = {}
        self._lengths = np.zeros(1, dtype=np.int64)

    def hypothesis(self) -> Marked:
        """Return a smallest automaton that agrees with all queries.

        Raises:
            TooManyStates: if it has more than ``most`` states.
        """
        kept: list[Word] = [()]
        steps: list[tuple[int, ...]] = []
        self._fill(kept)
        for word in kept:  # the list grows in the loop
            longer = [(*word, letter) for letter in range(self.letters)] if len(word) < self.longest else []
            self._fill(longer)
            row = [self._place(one, kept) for one in longer]
            if len(kept) > self.most:
                raise TooManyStates
            steps.append(tuple(row) or (len(steps),) * self.letters)
        return Marked(Automaton(0, tuple(steps)), tuple(self.answers.codes[word] for word in kept), tuple(kept))

    def learn(self, word: Word, old: Marked | None = None, reach: int = 0) -> Marked:
        """Return an automaton that is right on a word, and agrees with ``old`` on words of at most ``reach`` letters.

        Raises:
            TooManyStates: as for ``hypothesis``.
        """
        self.answers.ask([word])
        found = self.hypothesis()
        pending: Word | None = word
        while pending is not None:
            while found.marks[found.automaton.read(pending)] != self.answers.codes[pending]:
                self._add_suffix(found, pending)
                found = self.hypothesis()
            pending = self.first_error(found, old, reach)
            if pending is None and found.marks[found.automaton.read(word)] != self.answers.codes[word]:
                pending = word
        return found

    def first_error(self, found: Marked, old: Marked | None, reach: int) -> Word | None:
        """Return a word on which the automaton differs from one that is right on words of at most ``reach`` letters."""
        if old is None:
            return None
        word = first_difference(found.automaton, found.marks, old.automaton, old.marks, reach)
        if word is not None:
            self.answers.ask([word])
            if self.answers.codes[word] == found.marks[found.automaton.read(word)]:
                raise InternalError(f"the automaton for words of at most {reach} letters was wrong on {word}")
        return word

    def _place(self, word: Word, kept: list[Word]) -> int:
        """Return the representative that the word is merged into; perhaps a new one."""
        mine = self._rows[word]
        for place, other in enumerate(kept):
            compared = self._lengths <= self.longest - max(len(word), len(other))
            if np.array_equal(mine[compared], self._rows[other][compared]):
                return place
        kept.append(word)
        return len(kept) - 1

    def _fill(self, words: list[Word]) -> None:
        """Compute the rows of words: an answer for each suffix with which the word is not too long."""
        self.answers.ask([word + suffix for word in words for suffix in self.suffixes
                          if len(word) + len(suffix) <= self.longest])
        codes: Mapping[Word, int] = self.answers.codes
        for word in words:
            self._rows[word] = np.array([codes[word + suffix] if len(word) + len(suffix) <= self.longest else NO_ANSWER
                                         for suffix in self.suffixes])

    def _add_suffix(self, found: Marked, word: Word) -> None:
        """Add the shortest suffix that distinguishes two words on the path of a counterexample."""
        states = [found.automaton.start]
        for letter in word:
            states.append(found.automaton.steps[states[-1]][letter])
        mixed = [found.access[state] + word[place:] for place, state in enumerate(states)]
        self.answers.ask(mixed)
        for place in range(len(word) - 1, -1, -1):
            if self.answers.codes[mixed[place]] != self.answers.codes[mixed[place + 1]]:
                suffix = word[place + 1 :]
                if suffix in self.suffixes:
                    break
                self.suffixes.append(suffix)
                self._lengths = np.array([len(one) for one in self.suffixes])
                return
        raise InternalError(f"no new suffix distinguishes words, though the automaton is wrong on {word}")
