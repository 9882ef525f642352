"""Finite automata over letters 0 … k - 1: exploration, products, minimisation."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from constructions.errors import Unsupported
from constructions.regular.graphs import reachable

MOST_STATES = 4096
"""Greatest number of states of a minimal automaton."""
MOST_EXPLORED = 1 << 15
"""Greatest number of states before minimisation."""
S = TypeVar("S", bound=Hashable)


@dataclass(frozen=True)
class Automaton:
    """A complete deterministic automaton: ``steps[state][letter]`` is the next state; letters are indices."""

    start: int
    steps: tuple[tuple[int, ...], ...]

    def read(self, letters: Sequence[int]) -> int:
        """Return the state after the letters."""
        state = self.start
        for letter in letters:
            state = self.steps[state][letter]
        return state


@dataclass(frozen=True)
class RegularLanguage:
    """The words after which a complete automaton is in an accepting state."""

    automaton: Automaton
    accepting: frozenset[int]

    def contains(self, letters: Sequence[int]) -> bool:
        """Return whether the word is in the language."""
        return self.automaton.read(letters) in self.accepting


def explore(start: S, step: Callable[[S, int], S], letters: int, what: str) -> tuple[Automaton, list[S]]:
    """Return the automaton of a transition rule, and its states in the order in which they are reached.

    >>> explore(0, lambda count, letter: min(count + letter, 2), 2, "counting to 2")[0].steps
    ((0, 1), (1, 2), (2, 2))

    Raises:
        Unsupported: if there are more than MOST_EXPLORED states.
    """
    found, order, steps = {start: 0}, [start], []
    for state in order:  # grows in the loop
        row = []
        for letter in range(letters):
            after = step(state, letter)
            if after not in found:
                found[after] = len(order)
                order.append(after)
                if len(order) > MOST_EXPLORED:
                    raise Unsupported(f"{what}: its automaton has more than {MOST_EXPLORED} states before it is "
                                      "minimised")
            row.append(found[after])
        steps.append(tuple(row))
    return Automaton(0, tuple(steps)), order


def first_words(automaton: Automaton, longest: int) -> dict[int, tuple[int, ...]]:
    """Map the states reached by words of at most ``longest`` letters to the first of their shortest words."""
    found: dict[int, tuple[int, ...]] = {automaton.start: ()}
    order = [automaton.start]
    for state in order:  # grows in the loop
        word = found[state]
        for letter, after in enumerate(automaton.steps[state]):
            if after not in found and len(word) < longest:
                found[after] = (*word, letter)
                order.append(after)
    return found


def product(automata: Sequence[Automaton], letters: int) -> tuple[Automaton, list[tuple[int, ...]]]:
    """Return the product automaton, and the state of each factor in each product state.

    Raises:
        Unsupported: if there are more than MOST_EXPLORED states.
    """
    def step(states: tuple[int, ...], letter: int) -> tuple[int, ...]:
        return tuple(one.steps[state][letter] for one, state in zip(automata, states, strict=True))

    return explore(tuple(one.start for one in automata), step, letters, "the languages of the claim together")


def minimal(automaton: Automaton, marks: Sequence[Hashable]) -> tuple[Automaton, list[int]]:
    """Return the minimal automaton that distinguishes the marks, and the new state of each old one (Hopcroft 1971).

    >>> minimal(Automaton(0, ((1, 2), (0, 2), (2, 2))), "aab")
    (Automaton(start=0, steps=((0, 1), (1, 1))), [0, 0, 1])
    """
    block = _numbered(_refined(automaton.steps, _numbered(marks)))
    one_of = {number: state for state, number in reversed(list(enumerate(block)))}
    steps = tuple(tuple(block[after] for after in automaton.steps[one_of[number]]) for number in range(len(one_of)))
    return Automaton(block[automaton.start], steps), block


def _refined(steps: Sequence[Sequence[int]], block: list[int]) -> list[int]:
    """Return the coarsest refinement of ``block`` where each letter maps every block into one block.

    Only the smaller half of a split block has to split others again: O(n log n) steps for each letter.
    """
    letters = range(len(steps[0]))
    before: list[list[list[int]]] = [[[] for _ in steps] for _ in letters]
    members: list[set[int]] = [set() for _ in range(max(block) + 1)]
    for state, row in enumerate(steps):
        members[block[state]].add(state)
        for letter, after in enumerate(row):
            before[letter][after].append(state)
    pending = {(number, letter) for number in range(len(members)) for letter in letters}
    while pending:
        number, letter = pending.pop()
        hit: dict[int, set[int]] = {}
        for after in members[number]:
            for state in before[letter][after]:
                hit.setdefault(block[state], set()).add(state)
        for whole, part in hit.items():
            if len(part) == len(members[whole]):
                continue
            smaller = part if 2 * len(part) <= len(members[whole]) else members[whole] - part
            members[whole] -= smaller
            for state in smaller:
                block[state] = len(members)
            pending |= {(len(members), each) for each in letters}
            members.append(smaller)
    return block


def minimal_language(language: RegularLanguage) -> RegularLanguage:
    """Return the language with its minimal automaton; all states of the given one are reachable.

    >>> minimal_language(RegularLanguage(Automaton(0, ((1, 0), (2, 0), (1, 0))), frozenset({1, 2}))).automaton.steps
    ((1, 0), (1, 0))
    """
    states = range(len(language.automaton.steps))
    automaton, block = minimal(language.automaton, [state in language.accepting for state in states])
    return RegularLanguage(automaton, frozenset(block[state] for state in language.accepting))


def small_language(language: RegularLanguage, what: str) -> RegularLanguage:
    """Return the language unchanged if its automaton has at most MOST_STATES states, else with its minimal automaton.

    Raises:
        Unsupported: if the minimal automaton has more states.
    """
    if len(language.automaton.steps) <= MOST_STATES:
        return language
    small = minimal_language(language)
    check_small(small.automaton, what)
    return small


def check_small(automaton: Automaton, what: str) -> None:
    """Check that a minimal automaton has at most MOST_STATES states.

    Raises:
        Unsupported: if it has more.
    """
    if len(automaton.steps) > MOST_STATES:
        raise Unsupported(f"{what}: its automaton has more than {MOST_STATES} states")


def _numbered(marks: Sequence[Hashable]) -> list[int]:
    """Assign numbers to distinct marks in the order of their first occurrence."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(mark, len(numbers)) for mark in marks]


def viable(language: RegularLanguage) -> frozenset[int]:
    """Return the states from which an accepting state is reachable: those of prefixes of words of the language."""
    reaching: dict[int, list[int]] = {}
    for state, row in enumerate(language.automaton.steps):
        for after in row:
            reaching.setdefault(after, []).append(state)
    return frozenset(reachable(language.accepting, lambda state: reaching.get(state, [])))


def bits_of(states: int) -> Iterator[int]:
    """Yield the indices of the 1 bits."""
    while states:
        yield (states & -states).bit_length() - 1
        states &= states - 1
