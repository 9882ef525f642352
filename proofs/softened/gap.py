"""The gap of a head: the least difference of its greatest score and the next one, over all words of one length.

Source      [SHA] Definition 5 and Section 5: a head is tieless with gap g(n) if for every word of length n and every
            position i the greatest score is attained once, and every other score is less by at least g(n). Scores are
            not divided by the temperature, and the layers below the head have hard attention.
Claim       ``find_gap`` is exact, and its word and position attain it.
Method      Let queries and keys depend only on the letter at their position. Then the letter at i fixes the query, and
            every other position has a free choice among the scores of its letters. A score x at one position and
            y <= x at another are the two greatest on some word iff all other positions have a letter with a score of
            at most y; the closest pair is found by sorting. Otherwise all words are run, if they are few.
"""

import itertools
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from fractions import Fraction
from math import lcm

from constructions.network.run import Residual, run_hard
from constructions.network.transformer import Coefficients, Head, Transformer, combine
from proofs.formula.failures import NotDerived

MAX_WORDS = 2_000
Word = tuple[str, ...]
_Close = tuple[Fraction, Word, int]
"""The difference of the two greatest scores of a word at a position."""


@dataclass(frozen=True)
class Gap:
    """The gap of a head at one length, and a word and a position i that attain it.

    ``value`` is None if the greatest score is ``tied`` there, or if no position sees another one; then the word is
    arbitrary.
    """

    value: Fraction | None
    word: Word
    i: int
    tied: bool


class Dependence(IntEnum):
    """The part of the word that the value of a direction depends on, at one position of a given length."""

    NOTHING = 0
    LETTER = 1
    WORD = 2


def find_gap(transformer: Transformer, layer: int, place: int, n: int) -> Gap:
    """Return the gap of one head over all words of length n.

    Raises:
        NotDerived: if its scores depend on more than single letters, and there are more than MAX_WORDS words.
        InputError: if an embedding or a temperature is not defined at some position.
    """
    head = transformer.layers[layer - 1].heads[place - 1]
    below = replace(transformer, layers=transformer.layers[: layer - 1])
    words = len(transformer.alphabet) ** n
    if reach_of(below).of(*head.queries, *head.keys) < Dependence.WORD:
        closest = _closest_over_letters(below, head, n)
    elif words <= MAX_WORDS:
        closest = _closest_over_words(below, head, n)
    else:
        raise NotDerived(f"layer {layer}, head {place}: its scores depend on more than single letters, and there are "
                         f"{words if n <= 20 else 'far too many'} words of length {n}, at most {MAX_WORDS} are run")
    return _least(closest, Gap(None, (transformer.alphabet[0],) * n, 1, tied=False))


def _least(closest: Iterable[_Close], nothing_seen: Gap) -> Gap:
    best: _Close | None = None
    for candidate in closest:
        if best is None or candidate[0] < best[0]:
            best = candidate
        if best[0] == 0:
            return Gap(None, best[1], best[2], tied=True)
    return nothing_seen if best is None else Gap(*best, tied=False)


# -- dependences -------------------------------------------------------------------------------------------------------


class Reaches:
    """The dependence of every direction; NOTHING if it is not written yet."""

    def __init__(self, of_letters: Iterable[str]):
        self._reaches = dict.fromkeys(of_letters, Dependence.LETTER)

    def of(self, *rows: Coefficients) -> Dependence:
        """Return the greatest dependence of the directions that are read."""
        return max((self._reaches.get(name, Dependence.NOTHING) for row in rows for name in row),
                   default=Dependence.NOTHING)

    def raise_to(self, reaches: Iterable[tuple[str, Dependence]]) -> None:
        """Raise the dependence of directions to at least the given ones."""
        for name, reach in reaches:
            self._reaches[name] = max(reach, self._reaches.get(name, Dependence.NOTHING))


def reach_of(transformer: Transformer) -> Reaches:
    """Return the dependence of every direction, from the reads and writes only; meanings are not used."""
    reaches = Reaches(name for row in transformer.token_embedding.values() for name in row)
    for layer in transformer.layers:
        reaches.raise_to([
            (name, Dependence.WORD if reaches.of(*head.queries, *head.keys, row) else Dependence.NOTHING)
            for head in layer.heads for name, row in head.values.items()])
        reaches.raise_to([(name, reaches.of(unit.reads)) for unit in layer.feedforward.units for name in unit.writes])
    return reaches


# -- scores that depend on single letters ------------------------------------------------------------------------------


def _closest_over_letters(below: Transformer, head: Head, n: int) -> Iterator[_Close]:
    """Yield the closest scores at every i, for every letter there."""
    streams = {letter: run_hard(below, (letter,) * n) for letter in below.alphabet}
    (queries, unit), (keys, unit_of_keys) = (_in_integers(rows, streams) for rows in (head.queries, head.keys))
    for i, letter in itertools.product(range(1, n + 1), below.alphabet):
        offers = {j: {sum(map(operator.mul, queries[i, letter], keys[j, other])): other
                      for other in ((letter,) if j == i else reversed(below.alphabet))}
                  for j in head.mask.visible(i, n)}
        if found := find_closest(offers):
            difference, letters = found
            word = tuple(letters.get(j, below.alphabet[0]) for j in range(1, n + 1))
            yield Fraction(difference, unit * unit_of_keys), word, i


def _in_integers(rows: Iterable[Coefficients], streams: Mapping[str, Sequence[Residual]],
                 ) -> tuple[dict[tuple[int, str], list[int]], int]:
    """Return the linear forms at each position of each letter, and the integer that clears their denominators."""
    found = {(j, letter): [combine(row, vector) for row in rows]
             for letter, stream in streams.items() for j, vector in enumerate(stream, start=1)}
    unit = lcm(*(x.denominator for numbers in found.values() for x in numbers))
    return {place: [int(x * unit) for x in numbers] for place, numbers in found.items()}, unit


def find_closest(offers: Mapping[int, Mapping[int, str]]) -> tuple[int, dict[int, str]] | None:
    """Find the least difference of the two greatest scores, over all choices of one score per position; and the choice.

    >>> find_closest({1: {1: "a", 4: "b"}, 2: {2: "c"}})
    (1, {1: 'a', 2: 'c'})
    """
    floors = {j: min(scores) for j, scores in offers.items()}
    highest_floors = sorted(floors, key=floors.__getitem__, reverse=True)[:3]
    offered = sorted((score, j) for j, scores in offers.items() for score in scores)
    best: tuple[int, dict[int, int]] | None = None
    for place, (second, q) in enumerate(offered):
        forced = [j for j in highest_floors if j != q and floors[j] > second]
        if len(forced) > 1:
            continue
        greater = (((floors[j], j) for j in forced) if forced
                   else ((score, j) for score, j in itertools.islice(offered, place + 1, None) if j != q))
        first, p = next(iter(greater), (None, q))
        if first is not None and (best is None or first - second < best[0]):
            best = first - second, {p: first, q: second}
    if best is None:
        return None
    difference, chosen = best
    return difference, {j: scores[chosen.get(j, floors[j])] for j, scores in offers.items()}


# -- scores that depend on whole words ---------------------------------------------------------------------------------


def _closest_over_words(below: Transformer, head: Head, n: int) -> Iterator[_Close]:
    """Yield the two greatest scores of every word at every i."""
    for word in itertools.product(below.alphabet, repeat=n):
        stream = run_hard(below, word)
        for i in range(1, n + 1):
            if len(scores := _scores(head, stream, i)) > 1:
                second, first = sorted(scores)[-2:]
                yield first - second, word, i


def _scores(head: Head, stream: list[Residual], i: int) -> list[Fraction]:
    query = [combine(row, stream[i - 1]) for row in head.queries]
    return [sum((q * combine(row, stream[j - 1]) for q, row in zip(query, head.keys, strict=True)), Fraction(0))
            for j in head.mask.visible(i, len(stream))]
