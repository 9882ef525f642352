"""What may be asked of the places of a word: that a formula holds there, that an automaton is in a state there."""

from dataclasses import dataclass

from ...kernel.language import Language, Place
from ...kernel.language.table import FUTURE


@dataclass(frozen=True)
class When:
    """Where a case holds: the formula does, and the automaton is in one of the states; None where nothing is asked."""

    formula: Place | None
    states: frozenset[int] | None


@dataclass(frozen=True)
class ClaimAutomaton:
    """``steps[state][letter]`` is the next state."""

    start: int
    steps: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Conditions:
    """What is asked about words over an alphabet, whose letters are given as indices."""

    alphabet: tuple[str, ...]
    automaton: ClaimAutomaton | None
    cases: tuple[When, ...]

    @property
    def formulas(self) -> list[Place]:
        """The formulas of the cases."""
        return [when.formula for when in self.cases if when.formula is not None]


def is_past_only(language: Language, formula: Place) -> bool:
    """Whether no formula of it looks ahead, mentions n or counts to the right."""
    below = language.below([formula])
    counts = [count for place in below if language.is_of_counts(place) for count in language.counts_of(place)]
    return not ("n" in language.leaves(formula) or any(language.nodes[place].operator in FUTURE for place in below)
                or any(language.nodes[count].operator == "#>" for count in counts))
