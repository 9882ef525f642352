"""Smallest automata for words of bounded length (minimal cover automata).

Claim       The result gives every word of at most N letters the mark that the given automaton gives, and no automaton
            that does so has fewer states. Its marks of longer words are arbitrary.
Method      Words x and y are *similar* if x z and y z have equal marks for all z with max(|x|, |y|) + |z| <= N. States
            are taken in the order of their shortest words x; each is merged into the first similar kept one.
Proof       If |x| <= |y| <= |z|, then x ~ y and y ~ z imply x ~ z, and x ~ y and x ~ z imply y ~ z: conditions on the
            longest word are conditions on all. Along a word u each reached state p has x_p ~ u and |x_p| <= |u|: so
            does the next, as x_p a ~ u a, and x_p a is merged into a similar word that is not longer. Kept words are
            pairwise dissimilar, and two dissimilar words lead to different states of every automaton with the same
            marks.
Source      Câmpeanu, Sântean, Yu, "Minimal cover-automata for finite languages", 2001.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from constructions.regular.automata import Automaton, first_words

Word = tuple[int, ...]


@dataclass(frozen=True)
class Marked:
    """A complete automaton that starts in state 0, a mark for each state, and the first shortest word to each."""

    automaton: Automaton
    marks: tuple[int, ...]
    access: tuple[Word, ...]


def smallest_cover(automaton: Automaton, marks: Sequence[int], longest: int) -> Marked:
    """Return a smallest automaton that gives the same marks to all words of at most ``longest`` letters.

    >>> smallest_cover(Automaton(0, ((1,), (2,), (2,))), (0, 0, 1), 1).automaton.steps  # a and aa, up to one letter
    ((0,),)
    """
    reached = first_words(automaton, longest)
    gaps = gaps_of(automaton, marks, longest)
    kept: list[int] = []
    into: dict[int, int] = {}
    for state, word in reached.items():
        place = next((place for place, other in enumerate(kept) if gaps[state, other] + len(word) > longest), None)
        if place is None:
            place = len(kept)
            kept.append(state)
        into[state] = place
    steps = tuple(tuple(into.get(after, place) for after in automaton.steps[state]) for place, state in enumerate(kept))
    return Marked(Automaton(0, steps), tuple(marks[state] for state in kept), tuple(reached[state] for state in kept))


def smallest_cover_without_empty(automaton: Automaton, marks: Sequence[int], longest: int,
                                 among: Iterable[int]) -> Marked:
    """Return a smallest automaton for words of 1 … ``longest`` letters: the empty word may have any mark.

    Its mark is the best of ``among``, which other words have; a new mark would not give a smaller automaton.
    """
    start = len(automaton.steps)
    apart = Automaton(start, (*automaton.steps, automaton.steps[automaton.start]))
    found = [smallest_cover(apart, (*marks, mark), longest) for mark in dict.fromkeys(among)]
    return min(found, key=lambda one: len(one.marks))


def gaps_of(automaton: Automaton, marks: Sequence[int], longest: int) -> NDArray[np.int64]:
    """Return, for each two states, the length of the shortest word that separates their marks, at most longest + 1."""
    numbered = np.array(marks)
    gaps = np.where(numbered[:, np.newaxis] == numbered, longest + 1, 0).astype(np.int64)
    steps = np.array(automaton.steps, dtype=np.intp)
    for _ in range(longest):
        shorter = gaps.copy()
        for letter in range(steps.shape[1]):
            after = steps[:, letter]
            np.minimum(shorter, gaps[after[:, np.newaxis], after] + 1, out=shorter)
        if np.array_equal(shorter, gaps):
            break
        gaps = shorter
    return gaps


def telling_suffix(automaton: Automaton, marks: Sequence[int], one: int, other: int, longest: int) -> Word | None:
    """Return the first of the shortest words that separate the marks of two states; None above ``longest`` letters."""
    seen = {(one, other)}
    level: list[tuple[tuple[int, int], Word]] = [((one, other), ())]
    for _ in range(longest + 1):
        following: list[tuple[tuple[int, int], Word]] = []
        for (left, right), word in level:
            if marks[left] != marks[right]:
                return word
            for letter, pair in enumerate(zip(automaton.steps[left], automaton.steps[right], strict=True)):
                if pair not in seen:
                    seen.add(pair)
                    following.append((pair, (*word, letter)))
        level = following
    return None


def first_difference(one: Automaton, one_marks: Sequence[int], other: Automaton, other_marks: Sequence[int],
                     longest: int) -> Word | None:
    """Return the first of the shortest words whose marks differ; None if none of at most ``longest`` letters does."""
    shift = len(one.steps)
    both = Automaton(one.start, (*one.steps, *(tuple(after + shift for after in row) for row in other.steps)))
    return telling_suffix(both, (*one_marks, *other_marks), one.start, shift + other.start, longest)
