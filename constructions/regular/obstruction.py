"""Proof that a regular language has no formula: words that generate an unsolvable group of permutations of states."""

from collections.abc import Collection, Sequence

from constructions.errors import Unsupported
from constructions.regular.automata import RegularLanguage, first_words
from constructions.regular.permutations import Permutation, generated, is_solvable

MOST_MAPS = 20_000
_MOST_SHOWN = 12
Word = tuple[int, ...]


def describe_obstruction(language: RegularLanguage, alphabet: Sequence[str], most: int | None = None) -> str | None:
    """Return words, the states that they permute and the order of their group, if it is not solvable, else None.

    The sets considered are the images of all states under words: every group of the syntactic monoid is a group of
    permutations of such a set. ``most`` limits the total number of images of states by words.

    >>> from constructions.regular.automata import Automaton
    >>> five = RegularLanguage(Automaton(0, ((1, 1), (2, 2), (3, 0), (4, 3), (0, 4))), frozenset([0]))
    >>> print(describe_obstruction(five, "ab"))
    the words a, b generate a group of 60 permutations of the states after (nothing), a, aa, aaa, aaaa
    """
    steps = language.automaton.steps
    access = first_words(language.automaton, len(steps))
    sets = [tuple(range(len(steps)))]
    for states in sets:  # grows in the loop
        looked_at, words = _permuting_words(steps, states, MOST_MAPS if most is None else min(most, MOST_MAPS))
        if most is not None and (most := most - looked_at) < 1:
            return None
        chosen: dict[Word, Permutation] = {}
        group: Collection[Permutation] = (tuple(range(len(states))),)
        for word, permutation in words:
            if permutation in group:
                continue
            chosen[word] = permutation
            try:
                group = generated(list(chosen.values()), len(states))
            except Unsupported:
                return None
            if not is_solvable(group):
                return (f"the words {_show(list(chosen), alphabet)} generate a group of {len(group)} permutations of "
                        f"the states after {_show([access[state] for state in states], alphabet)}")
        for row in range(len(steps[0])):
            image = tuple(sorted({steps[state][row] for state in states}))
            if len(image) >= 5 and image not in sets and len(sets) < MOST_MAPS:
                sets.append(image)
    return None


def _permuting_words(steps: Sequence[Sequence[int]], states: tuple[int, ...],
                     most: int) -> tuple[int, list[tuple[Word, Permutation]]]:
    """Return the number of images considered (at ``most``), and a shortest word per permutation, short ones first."""
    found: dict[tuple[int, ...], Word] = {states: ()}
    order = [states]
    for images in order:  # grows in the loop
        for letter in range(len(steps[0])):
            after = tuple(steps[state][letter] for state in images)
            if after not in found and len(set(after)) == len(states) and len(order) < most:
                found[after] = (*found[images], letter)
                order.append(after)
    place = {state: number for number, state in enumerate(states)}
    return len(order), [(word, tuple(place[state] for state in images)) for images, word in found.items()
                        if word and set(images) == set(states)]


def _show(words: Sequence[Word], alphabet: Sequence[str]) -> str:
    joint = "" if all(len(symbol) == 1 for symbol in alphabet) else " "
    shown = [joint.join(alphabet[letter] for letter in word) or "(nothing)" for word in words]
    return ", ".join(shown[:_MOST_SHOWN]) + (", …" if len(shown) > _MOST_SHOWN else "")
