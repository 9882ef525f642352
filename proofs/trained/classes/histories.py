"""Keys of all words: the tracker's state, the last letters, the first letters."""

from dataclasses import dataclass

from constructions.errors import Unsupported
from proofs.trained.classes.contexts import JUST_LETTERS, Contexts, Suffix
from proofs.words.tracking import State, Tracker

MAX_KEYS = 2_000_000  # of all levels together: a few hundred megabytes


@dataclass(frozen=True)
class Fineness:
    """Granularity of keys: the number of last letters (at least 1) and of first letters, and the split suffixes."""

    last: int = 1
    first: int = 0
    split: frozenset[Suffix] = JUST_LETTERS


@dataclass(frozen=True)
class Key:
    """Words that end in one state, with equal last letters (as many as are stored) and first letters."""

    state: State
    last: tuple[int, ...]
    first: tuple[int, ...]


class Histories:
    """The keys of all words, by length; levels are made on demand."""

    def __init__(self, tracker: Tracker, fineness: Fineness) -> None:
        self.tracker = tracker
        self.fineness = fineness
        self.alphabet = len(tracker.claim.alphabet)
        self.levels: list[list[Key]] = [[Key(tracker.start, (), ())]]
        self.successors: list[list[tuple[int, ...]]] = []
        self.contexts = Contexts(self.alphabet, fineness.split)
        self._states: dict[tuple[State, int], State] = {}
        self._memories: dict[Suffix, Suffix] = {}
        self._asked = {index for index, case in enumerate(tracker.claim.cases) if case.above}

    def extend(self, length: int) -> None:
        """Make the levels up to ``length``.

        Raises:
            Unsupported: if there are more than ``MAX_KEYS`` keys.
        """
        while len(self.levels) <= length:
            index: dict[Key, int] = {}
            depth = len(self.levels)
            self.successors.append([tuple(index.setdefault(self._after(key, letter, depth), len(index))
                                          for letter in range(self.alphabet)) for key in self.levels[-1]])  # fmt: skip
            self.levels.append(list(index))
            if sum(map(len, self.levels)) > MAX_KEYS:
                raise Unsupported(f"more than {MAX_KEYS} classes of words up to length {depth}")

    def cases(self, key: Key) -> tuple[int, ...]:
        """Return the cases with rows to prove that hold after the words of a key."""
        return tuple(case for case in self.tracker.cases(key.state) if case in self._asked)

    def _after(self, key: Key, letter: int, depth: int) -> Key:
        """Return the key of the words with one more letter; ``depth`` is their length."""
        first = (*key.first, letter) if depth <= self.fineness.first else key.first
        return Key(self._step(key.state, letter), self._memory((*key.last, letter)), first)

    def _memory(self, letters: Suffix) -> Suffix:
        """Return the last letters, or the suffix that the contexts need, if that is longer."""
        if letters not in self._memories:
            self._memories[letters] = max(self.contexts.memory(letters), letters[-self.fineness.last :], key=len)
        return self._memories[letters]

    def _step(self, state: State, letter: int) -> State:
        if (state, letter) not in self._states:
            self._states[state, letter] = self.tracker.step(state, letter)
        return self._states[state, letter]
