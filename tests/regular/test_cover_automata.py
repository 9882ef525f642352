"""Smallest automata for words of at most so many letters: they agree on them, and none of fewer states does."""

import itertools
import random
from collections.abc import Iterator, Sequence

import pytest

from constructions.regular.automata import Automaton
from constructions.regular.cover_automata import (
    first_difference,
    smallest_cover,
    smallest_cover_without_empty,
    telling_suffix,
)

Pair = tuple[Automaton, Sequence[int]]


def drawn(seed: int) -> tuple[Automaton, list[int], int, int]:
    """Return an automaton, marks, a number of letters and a greatest length."""
    draw = random.Random(seed)
    states, letters, longest = draw.randint(1, 6), draw.choice([1, 2]), draw.randint(1, 5)
    steps = tuple(tuple(draw.randrange(states) for _ in range(letters)) for _ in range(states))
    return Automaton(draw.randrange(states), steps), [draw.randrange(2) for _ in range(states)], letters, longest


def words(letters: int, shortest: int, longest: int) -> Iterator[tuple[int, ...]]:
    for n in range(shortest, longest + 1):
        yield from itertools.product(range(letters), repeat=n)


def agree(one: Pair, other: Pair, letters: int, shortest: int, longest: int) -> bool:
    return all(one[1][one[0].read(word)] == other[1][other[0].read(word)] for word in words(letters, shortest, longest))


def every_automaton(states: int, letters: int) -> Iterator[Pair]:
    for steps in itertools.product(itertools.product(range(states), repeat=letters), repeat=states):
        for marks in itertools.product(range(2), repeat=states):
            yield Automaton(0, steps), marks


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("shortest", [0, 1])
def test_it_agrees_and_no_automaton_of_fewer_states_does(seed: int, shortest: int) -> None:
    automaton, marks, letters, longest = drawn(seed)
    found = (smallest_cover(automaton, marks, longest) if shortest == 0
             else smallest_cover_without_empty(automaton, marks, longest, marks))
    assert agree((automaton, marks), (found.automaton, found.marks), letters, shortest, longest)
    fewer = len(found.marks) - 1
    assert fewer == 0 or fewer > 3 or not any(agree((automaton, marks), one, letters, shortest, longest)
                                              for one in every_automaton(fewer, letters))


@pytest.mark.parametrize("seed", range(40))
def test_an_access_word_leads_to_its_state_and_has_its_mark(seed: int) -> None:
    automaton, marks, _, longest = drawn(seed)
    found = smallest_cover(automaton, marks, longest)
    assert [found.automaton.read(word) for word in found.access] == list(range(len(found.marks)))
    assert [marks[automaton.read(word)] for word in found.access] == list(found.marks)


@pytest.mark.parametrize("seed", range(40))
def test_two_states_are_told_apart_by_a_suffix_with_which_neither_word_is_too_long(seed: int) -> None:
    """No automaton may merge them: the proof that none is smaller needs no network."""
    automaton, marks, _, longest = drawn(seed)
    found = smallest_cover(automaton, marks, longest)
    for (one, left), (other, right) in itertools.combinations(enumerate(found.access), 2):
        suffix = telling_suffix(found.automaton, found.marks, one, other, longest - max(len(left), len(right)))
        assert suffix is not None
        assert marks[automaton.read(left + suffix)] != marks[automaton.read(right + suffix)]


@pytest.mark.parametrize("seed", range(40))
def test_the_first_difference_is_the_first_word_whose_marks_differ(seed: int) -> None:
    one, one_marks, letters, longest = drawn(seed)
    other, other_marks, _, _ = drawn(seed + 1000)
    if len(one.steps[0]) == len(other.steps[0]):
        expected = next((word for word in words(letters, 0, longest)
                         if one_marks[one.read(word)] != other_marks[other.read(word)]), None)
        assert first_difference(one, one_marks, other, other_marks, longest) == expected
