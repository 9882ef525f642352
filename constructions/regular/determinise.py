"""Nondeterministic automata with epsilon transitions, and their determinisation."""

from collections.abc import Hashable, Iterable

from constructions.regular.automata import RegularLanguage, bits_of, explore, small_language
from constructions.regular.graphs import reachable


class Nondeterministic:
    """A nondeterministic automaton with named states; some path from a start must reach an accepting state."""

    def __init__(self, starts: Iterable[Hashable], accepting: Iterable[Hashable]) -> None:
        """Begin without steps."""
        self._numbers: dict[Hashable, int] = {}
        self.starts = [self._number(state) for state in starts]
        self.accepting = {self._number(state) for state in accepting}
        self.steps: dict[tuple[int, int | None], list[int]] = {}

    def _number(self, state: Hashable) -> int:
        return self._numbers.setdefault(state, len(self._numbers))

    def add(self, source: Hashable, letter: int | None, target: Hashable) -> None:
        """Add a step for a letter, or for the empty word (None)."""
        self.steps.setdefault((self._number(source), letter), []).append(self._number(target))


def determinised(automaton: Nondeterministic, letters: int, what: str) -> RegularLanguage:
    """Determinise by subsets: states are sets of states, as bits of one integer.

    >>> ends_in_1 = Nondeterministic("s", "t")
    >>> for source, letter, target in (("s", 0, "s"), ("s", 1, "s"), ("s", 1, "t")):
    ...     ends_in_1.add(source, letter, target)
    >>> determinised(ends_in_1, 2, "words that end in 1")
    RegularLanguage(automaton=Automaton(start=0, steps=((0, 1), (0, 1))), accepting=frozenset({1}))

    Raises:
        Unsupported: if there are more than MOST_STATES sets (automata.py).
    """
    def closed(states: Iterable[int]) -> int:
        return sum(1 << state for state in reachable(states, lambda one: automaton.steps.get((one, None), [])))

    def step(bits: int, letter: int) -> int:
        return closed(target for state in bits_of(bits) for target in automaton.steps.get((state, letter), []))

    deterministic, sets = explore(closed(automaton.starts), step, letters, what)
    final = sum(1 << state for state in automaton.accepting)
    return small_language(
        RegularLanguage(deterministic, frozenset(number for number, bits in enumerate(sets) if bits & final)), what)
