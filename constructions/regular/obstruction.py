"""Why a regular language has no formula: words that permute states in a way that counting does not follow."""

from __future__ import annotations

from collections.abc import Sequence

from constructions.errors import Unsupported
from constructions.regular.automata import Language
from constructions.regular.permutations import Permutation, generated, is_solvable

MOST_MAPS = 20_000
_MOST_SHOWN = 12
Word = tuple[int, ...]


def describe_obstruction(language: Language, alphabet: Sequence[str]) -> str | None:
    """Words, the states that they permute and the order of their group, if it is found to be not solvable.

    Looked at are the sets to which words carry all states: every group of the syntactic monoid is one of permutations
    of such a set.

    >>> from constructions.regular.automata import Automaton
    >>> five = Language(Automaton(0, ((1, 1), (2, 2), (3, 0), (4, 3), (0, 4))), frozenset([0]))
    >>> print(describe_obstruction(five, "ab"))
    the words a, b generate a group of 60 permutations of the states after (nothing), a, aa, aaa, aaaa
    """
    steps = language.automaton.steps
    access = _access(steps, language.automaton.start)
    sets = [tuple(range(len(steps)))]
    for states in sets:  # grows meanwhile
        words = _permuting_words(steps, states)
        chosen: dict[Word, Permutation] = {}
        size = 1
        for word, permutation in words:
            try:
                group = generated([*chosen.values(), permutation], len(states))
            except Unsupported:
                return None
            if len(group) > size:
                chosen[word], size = permutation, len(group)
            if not is_solvable(group):
                return (f"the words {_show(list(chosen), alphabet)} generate a group of {size} permutations of the "
                        f"states after {_show([access[state] for state in states], alphabet)}")
        for row in range(len(steps[0])):
            image = tuple(sorted({steps[state][row] for state in states}))
            if len(image) >= 5 and image not in sets and len(sets) < MOST_MAPS:
                sets.append(image)
    return None


def _permuting_words(steps: Sequence[Sequence[int]], states: tuple[int, ...]) -> list[tuple[Word, Permutation]]:
    """The shortest word for each permutation of the states by a word, shorter words first, as far as MOST_MAPS go."""
    found: dict[tuple[int, ...], Word] = {states: ()}
    order = [states]
    for images in order:  # grows meanwhile
        for letter in range(len(steps[0])):
            after = tuple(steps[state][letter] for state in images)
            if after not in found and len(set(after)) == len(states) and len(order) < MOST_MAPS:
                found[after] = (*found[images], letter)
                order.append(after)
    place = {state: number for number, state in enumerate(states)}
    return [(word, tuple(place[state] for state in images)) for images, word in found.items()
            if word and set(images) == set(states)]


def _access(steps: Sequence[Sequence[int]], start: int) -> dict[int, Word]:
    """A shortest word to each state."""
    found: dict[int, Word] = {start: ()}
    order = [start]
    for state in order:  # grows meanwhile
        for letter, after in enumerate(steps[state]):
            if after not in found:
                found[after] = (*found[state], letter)
                order.append(after)
    return found


def _show(words: Sequence[Word], alphabet: Sequence[str]) -> str:
    joint = "" if all(len(symbol) == 1 for symbol in alphabet) else " "
    shown = [joint.join(alphabet[letter] for letter in word) or "(nothing)" for word in words]
    return ", ".join(shown[:_MOST_SHOWN]) + (", …" if len(shown) > _MOST_SHOWN else "")
