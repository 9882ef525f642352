"""The truth of a formula at one letter, while a word is read from the left: for classes with the truth of their words.

A past formula is tracked by its tracker state (``proofs.words.tracking``) up to the letter; for any other formula the
state is the whole word.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

from constructions.errors import Unsupported
from constructions.language.semantics import satisfies
from constructions.language.syntax import Formula
from constructions.trained.claim import Case, When, WordsClaim
from proofs.words.tracking import Tracker, track

MemoryState = Hashable


@dataclass(frozen=True)
class Known:
    """The truth, after its letter was read."""

    truth: bool


class TruthReader:
    """The truth of a formula at letter number ``letter`` of words over ``letters``."""

    def __init__(self, formula: Formula, letters: tuple[str, ...], letter: int) -> None:
        """Build the tracker, if the formula is a past formula."""
        self.formula, self.letter = formula, letter
        self.place_of = {symbol: place for place, symbol in enumerate(letters)}
        self.tracker = _tracker(formula, letters)
        self.start: MemoryState = (0, self.tracker.start) if self.tracker else ()

    def step(self, state: MemoryState, symbol: str) -> MemoryState:
        """Return the state after one more letter."""
        if isinstance(state, Known):
            return state
        assert isinstance(state, tuple)
        if self.tracker is None:
            return (*state, symbol)
        read, tracked = state
        after = self.tracker.step(tracked, self.place_of[symbol])
        if read + 1 == self.letter:
            return Known(bool(self.tracker.cases(after)))
        return read + 1, after

    def truth(self, state: MemoryState) -> bool:
        """Return the truth after the last letter."""
        if isinstance(state, Known):
            return state.truth
        assert isinstance(state, tuple), "a whole word"
        return satisfies(self.formula, state, self.letter)


def _tracker(formula: Formula, letters: tuple[str, ...]) -> Tracker | None:
    """Return the tracker of a formula of the past; None if prefixes do not decide the formula."""
    tokens = tuple(range(len(letters)))
    case = Case(When(formula), ())
    try:
        return track(WordsClaim(letters, tokens, (), (), (0, 0), (1, 1), "each", False, Fraction(0), None, (), (case,)))
    except Unsupported:
        return None
