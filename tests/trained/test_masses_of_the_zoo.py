"""Masses of every head of the zoo: by every short word, by a second method to n = 40, and proved up to rounding.

The second method knows nothing of trackers or of Dinkelbach's iteration: for each pattern it enumerates where marked
positions are, and chooses each other letter for itself. It has the weights from runs of words of one letter.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from certify.claims.trained.heads import DIGITS, HeadsQuestion, family, find_patterns, numbered_heads
from constructions.language.syntax import TRUE, Symbol
from constructions.trained.claim import WordsClaim, input_tokens
from constructions.trained.head_patterns import HeadPattern
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.trained.forward import FloatNetwork
from proofs.trained.masses import Masses

Array = NDArray[np.float64]
FAST = ("first", "d_2", "last_letter_sloped")
ONE_LAYER = [name for name, plan in plans().items() if plan.layers == 1]
LENGTHS = 9


def some_and_all(names: list[str]) -> list[object]:
    """Return the names of FAST always, and the others with what is exhaustive."""
    return [name if name in FAST else pytest.param(name, marks=pytest.mark.exhaustive) for name in names]


def words_of(name: str, n: int) -> tuple[TrainedNetwork, WordsClaim]:
    network = plans()[name].network()
    return network, replace(plans()[name].claim(network), lengths=(1, n), offsets=(0, 0))


def symbol_of(pattern: HeadPattern) -> str:
    """Return the letter of the pattern's keys; empty if it has no formula."""
    return pattern.keys.symbol if isinstance(pattern.keys, Symbol) else ""


def positions(pattern: HeadPattern, word: tuple[str, ...]) -> list[int] | None:
    """Return the positions of a pattern in a word, by Python's own searches; None where it has none."""
    n = len(word)
    mine = [place for place, symbol in enumerate(word) if symbol == symbol_of(pattern)] or None
    return {"letters": list(range(n)), "itself": [n - 1], "previous": [n - 2] if n > 1 else None, "first": [0],
            "start": [], "all": mine, "rightmost": mine and mine[-1:], "leftmost": mine and mine[:1]}[pattern.name]


def by_words(network: TrainedNetwork, words: WordsClaim, head: tuple[int, int], n: int
             ) -> dict[HeadPattern, tuple[float, float]]:
    """Return the least and the greatest mass of each pattern, from the weights of every word of a length."""
    floats, found = FloatNetwork(network), dict[HeadPattern, list[float]]()
    before, last = len(words.before), words.read == "each"
    for word in product(words.alphabet, repeat=n):
        tokens = np.array(input_tokens(words, word)[:before + n if last else None])
        weights = floats.attention(tokens, 0)[head[0] - 1][head[1] - 1, 0 if words.read == "first" else -1]
        for pattern in family(words):
            places = positions(pattern, word)
            if places is not None:
                at = range(before) if pattern.name == "start" else [before + k for k in places]
                found.setdefault(pattern, []).append(float(weights[list(at)].sum()))
    return {pattern: (min(masses), max(masses)) for pattern, masses in found.items()}


def measured(network: TrainedNetwork, words: WordsClaim, head: tuple[int, int], lengths: set[int]
             ) -> dict[tuple[HeadPattern, int], tuple[float, float]]:
    masses = Masses(network, words)
    return {(pattern, one.n): (float(one.least), float(one.most)) for pattern in family(words)
            for one in masses.ranges(*head, pattern) if one.n in lengths}


@pytest.mark.parametrize("name", some_and_all(list(plans())))
def test_masses_are_those_of_every_word(name: str) -> None:
    letters = len(plans()[name].claim(plans()[name].network()).alphabet)
    longest = 5 if name in FAST else LENGTHS if letters == 2 and name in ONE_LAYER else 6
    network, words = words_of(name, longest)
    for head in numbered_heads(network):
        found = measured(network, words, head, set(range(1, longest + 1)))
        for n in range(1, longest + 1):
            expected = by_words(network, words, head, n)
            assert {pattern: found[pattern, n] for pattern in expected} == {
                pattern: pytest.approx(ends, abs=1e-12) for pattern, ends in expected.items()}


# -- the second method: one layer, long words --------------------------------------------------------------------------


def weights_by_letter(network: TrainedNetwork, words: WordsClaim, head: int, n: int
                      ) -> Iterator[tuple[Array, tuple[float, float], int]]:
    """Yield, for each letter of the query, weights [n, letters] and those before and after, over that of the query.

    The last number is the query's letter; -1 if the query is a token after the word.
    """
    floats, before, count = FloatNetwork(network), len(words.before), len(words.alphabet)
    ends_here = words.read == "each" or not words.after
    for asked in range(count if ends_here else 1):
        rows, outside = np.zeros((n, count)), (0.0, 0.0)
        for letter in range(count):
            word = [words.alphabet[letter]] * n
            if ends_here:
                word[-1] = words.alphabet[asked]
            tokens = input_tokens(words, word)[:before + n if ends_here else None]
            weights = floats.attention(np.array(tokens), 0)[0][head - 1, -1]
            weights = weights / weights[-1]
            rows[:, letter] = weights[before:before + n]
            outside = float(weights[:before].sum()), float(weights[before + n:].sum())
        yield rows, outside, asked if ends_here else -1


def by_choices(pattern: HeadPattern, words: WordsClaim, rows: Array, outside: tuple[float, float], asked: int
               ) -> list[float]:
    """Return the least and the greatest mass, of one query's letter; nothing where no word has the pattern."""
    n, count = rows.shape
    before, after = outside
    choices = [[asked] if place == n - 1 and asked >= 0 else list(range(count)) for place in range(n)]
    letter = -1 if pattern.keys is TRUE else words.alphabet.index(symbol_of(pattern))

    def ratio(marked: list[int], allowed: list[list[int]], sign: int) -> float | None:
        if any(not some for some in allowed):
            return None
        inside = sum(sign * max(sign * rows[k, a] for a in allowed[k]) for k in marked)
        others = sum(-sign * max(-sign * rows[k, a] for a in allowed[k]) for k in range(n) if k not in marked)
        return float(inside / (inside + others + before + after))

    found: list[float] = []
    for sign in (-1, 1):
        several: list[float | None] = []
        if pattern.name in ("first", "itself", "previous", "letters"):
            marked = {"first": [0], "itself": [n - 1], "previous": [n - 2], "letters": list(range(n))}[pattern.name]
            several = [None if marked[0] < 0 else ratio(marked, choices, sign)]
        elif pattern.name == "start":
            inside = sum(-sign * max(-sign * rows[k, a] for a in choices[k]) for k in range(n))
            several = [float(before / (inside + before + after))]
        elif pattern.name in ("rightmost", "leftmost"):
            for place in range(n):
                free = range(place) if pattern.name == "rightmost" else range(place + 1, n)
                allowed = [[a for a in choices[k] if k in free or (a == letter) == (k == place)] for k in range(n)]
                several.append(ratio([place], allowed, sign))
        else:
            several = [by_bisection(rows, choices, letter, before + after, sign)]
        found += [sign * max(sign * one for one in several if one is not None)] if any(
            one is not None for one in several) else []
    return found


def by_bisection(rows: Array, choices: list[list[int]], letter: int, rest: float, sign: int) -> float | None:
    """Return the extreme mass on all positions with a letter: for a mass r, each position has its best letter."""
    if not any(letter in some for some in choices):
        return None
    low, high = 0.0, 1.0
    for _ in range(60):
        r = (low + high) / 2
        best = [max(sign * rows[k, a] * ((a == letter) - r) for a in some) for k, some in enumerate(choices)]
        forced = max(sign * rows[k, letter] * (1 - r) - best[k] for k, some in enumerate(choices) if letter in some)
        taken = any(max(some, key=lambda a: sign * rows[k, a] * ((a == letter) - r)) == letter
                    for k, some in enumerate(choices))
        exceeds = sum(best) + (0 if taken else min(0.0, forced)) - sign * rest * r > 0
        low, high = (r, high) if exceeds == (sign > 0) else (low, r)
    return (low + high) / 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ONE_LAYER)
def test_masses_of_long_words_are_those_of_a_second_method(name: str) -> None:
    lengths = {n for n in (10, 17, 25, 32, 40) if n <= (32 if name == "even" else 40)}
    network, words = words_of(name, max(lengths) - 1 if name == "even" else max(lengths))
    for layer, head in numbered_heads(network):
        found = measured(network, words, (layer, head), lengths)
        for pattern, n in found:
            ends = [by_choices(pattern, words, *each) for each in weights_by_letter(network, words, head, n)]
            least, most = min(one[0] for one in ends if one), max(one[1] for one in ends if one)
            assert found[pattern, n] == pytest.approx((least, most), rel=1e-8, abs=1e-12), (str(pattern), n)


@pytest.mark.parametrize("name", some_and_all(ONE_LAYER))
def test_the_least_mass_of_a_head_of_one_layer_is_proved_up_to_rounding(name: str) -> None:
    table = find_patterns(*words_of(name, 5), HeadsQuestion(proves=True))
    for row in table.rows:
        if row.decision is not None:
            assert row.decision.verdict == "certified" and row.claimed is not None
            assert 0 <= row.least.least - float(row.claimed) < 2 / 10**DIGITS
    assert all(row.decision or row.least.least < 2 / 10**DIGITS for row in table.rows if row is next(
        one for one in table.rows if (one.layer, one.head) == (row.layer, row.head)))
