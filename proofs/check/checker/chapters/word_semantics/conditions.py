"""Conditions at a position of a word: a formula holds there, the claim's automaton is in one of some states there."""

from dataclasses import dataclass

from ...kernel.language import Language, Place
from ...kernel.language.table import FUTURE


@dataclass(frozen=True)
class When:
    """A conjunction: the formula holds, and the automaton is in one of the states; None stands for no condition."""

    formula: Place | None
    states: frozenset[int] | None


@dataclass(frozen=True)
class ClaimAutomaton:
    """A deterministic automaton: ``steps[state][letter]`` is the next state."""

    start: int
    steps: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Conditions:
    """The alphabet, automaton and cases of a claim; words are sequences of indices of letters."""

    alphabet: tuple[str, ...]
    automaton: ClaimAutomaton | None
    cases: tuple[When, ...]

    @property
    def formulas(self) -> list[Place]:
        """The formulas of the cases, in order."""
        return [when.formula for when in self.cases if when.formula is not None]


def is_past_only(language: Language, formula: Place) -> bool:
    """Return whether no subformula looks ahead, mentions n or counts to the right."""
    below = language.below([formula])
    counts = [count for place in below if language.is_of_counts(place) for count in language.counts_of(place)]
    return not ("n" in language.leaves(formula) or any(language.nodes[place].operator in FUTURE for place in below)
                or any(language.nodes[count].operator == "#>" for count in counts))
