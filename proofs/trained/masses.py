"""The least and the greatest attention mass of a head on a pattern, in floating point: evidence, not proof.

In the first layer a score depends on the two tokens and their places alone. So the mass over all words is a ratio of
two sums over a path of letters and tracker states: Dinkelbach's iteration with a longest path in each pass. Behind it
every word is run. docs/background/parts.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.language.syntax import TRUE, Formula
from constructions.trained.claim import Case, When, WordsClaim
from constructions.trained.edit_kinds import ReadHead
from constructions.trained.edits import edit_network
from constructions.trained.head_patterns import HeadPattern, marked_copies, marked_formula, step_of
from constructions.trained.network import TrainedNetwork
from proofs.trained.forward import FloatAttention, FloatNetwork
from proofs.words.tracking import State, Tracker, track

Array = NDArray[np.float64]
_Path = tuple[np.float64, Any]
"""The value of a path, and its letters as nested pairs, the last one first; None without a letter."""
Fixed = tuple[int, int] | None
"""Place and letter of a query that is a letter of the word."""
PASSES = 60
"""Limit of Dinkelbach's iterations, which converge quadratically."""
MOST_WORDS = 1 << 12
"""Words of one length that are run, behind the first layer."""


@dataclass(frozen=True)
class MassRange:
    """The least and the greatest mass at place ``n``, each with a word of that length."""

    n: int
    least: np.float64
    most: np.float64
    least_word: tuple[str, ...]
    most_word: tuple[str, ...]


class Masses:
    """Masses of the heads of a network on the words of a claim, at its first offset; layers and heads count from 1.

    Heads of an edited network are numbered as in its original.
    """

    def __init__(self, network: TrainedNetwork, words: WordsClaim) -> None:
        self._network, self._words, self._heads = network, words, dict[tuple[int, int], _HeadMasses]()

    def _head(self, layer: int, head: int) -> _HeadMasses:
        if (layer, head) not in self._heads:
            self._heads[layer, head] = _HeadMasses(self._network, self._words, layer, head)
        return self._heads[layer, head]

    def ranges(self, layer: int, head: int, pattern: HeadPattern, given: Formula = TRUE) -> Iterator[MassRange]:
        """Yield the range at each place that has a word whose prefix satisfies ``given``, from 1 on."""
        return self._head(layer, head).ranges(pattern, given)

    def on_word(self, layer: int, head: int, word: Sequence[str], pattern: HeadPattern
                ) -> tuple[Array, tuple[bool, ...]]:
        """Return the weights of the tokens of a word's input at its query, and whether the pattern marks each."""
        return self._head(layer, head).on_word(word, pattern)


class _HeadMasses:
    """Masses of one head; that of an edited network is read in the network that ends at it."""

    def __init__(self, network: TrainedNetwork, words: WordsClaim, layer: int, head: int) -> None:
        step = step_of(network, layer, head)
        if network.edits:
            network = edit_network(network, [ReadHead(step, head - 1, "average")])
            layer, head = len(network.attention_steps), 1
        self._floats, self._words, self._layer, self._head = FloatNetwork(network), words, layer, head
        self._found = dict[tuple[int, ...], Array]()
        self._layers = [number for number, one in enumerate(self._floats.steps) if isinstance(one, FloatAttention)]

    def ranges(self, pattern: HeadPattern, given: Formula) -> Iterator[MassRange]:
        tracker = self._tracker(pattern, given)
        for n in range(self._words.lengths[0] if self._words.read != "each" else 1, self._words.lengths[1] + 1):
            if self._layer == 1:
                yield from self._of_paths(n, pattern, tracker)
            elif len(self._words.alphabet) ** n <= MOST_WORDS:
                yield from self._of_words(n, pattern, tracker)

    def on_word(self, word: Sequence[str], pattern: HeadPattern) -> tuple[Array, tuple[bool, ...]]:
        letters, words = self._words.letters(word), self._words
        before, length, at = self._around(len(letters))
        tokens = (*words.before, *(words.tokens[letter] for letter in letters), *words.after)[:length]
        marks = next(markings(self._tracker(pattern, TRUE), letters), (False,) * len(letters))
        rest = (False,) * (length - before - len(letters))
        return self._attention(tokens)[at], ((pattern.name == "start",) * before + marks + rest)

    def _tracker(self, pattern: HeadPattern, given: Formula) -> Tracker:
        letters = self._words.alphabet
        return track(replace(self._words, alphabet=(*letters, *marked_copies(letters)), automaton=None,
                             cases=(Case(When(marked_formula(letters, pattern, given)), ()),)))

    def _around(self, n: int) -> tuple[int, int, int]:
        """Return the numbers of tokens before and in the input, and the place of the query, for words of length n."""
        before = len(self._words.before)
        if self._words.read == "each":
            return before, before + n, before + n - 1
        tokens = before + n + len(self._words.after)
        return before, tokens, 0 if self._words.read == "first" else tokens - 1

    # -- the first layer -----------------------------------------------------------------------------------------------

    def _weights(self, n: int) -> Iterator[tuple[Array, Array, Fixed]]:
        """Yield, for each token of the query, the weights [n, letters], those before and after, and its position."""
        words, (before, tokens, at) = self._words, self._around(n)
        step = self._floats.steps[self._layers[0]]
        assert isinstance(step, FloatAttention)
        numbers = words.offsets[0] + np.arange(tokens)
        letters = np.array(words.tokens)
        grid = np.tile(letters, (tokens, 1))  # at each place each letter, or the token that is there
        grid[:before] = np.array(words.before, int)[:, np.newaxis]
        grid[before + n:] = np.array(words.after[:tokens - before - n], int)[:, np.newaxis]
        stream = self._floats.embedded(grid, numbers[:, np.newaxis])
        for earlier in self._floats.steps[:self._layers[0]]:
            stream = self._floats.alone(earlier, stream)
        normed, one = step.normed(stream), step.heads[self._head - 1]
        keys = np.stack([step.keys(one, normed[:, letter], numbers) for letter in range(len(letters))], axis=1)
        here = slice(at, at + 1)
        queries = [step.queries(one, normed[here, letter], numbers[here])[0] for letter in range(len(letters))]
        is_letter = before <= at < before + n
        for letter, query in enumerate(queries if is_letter else queries[:1]):
            scores = step.capped(keys @ query) + one.slope * (numbers - numbers[at])[:, np.newaxis]
            if step.causal:
                scores[at + 1:] = -np.inf
            weights = np.exp(scores - scores.max())
            rest = np.array([weights[:before, 0].sum(), weights[before + n:, 0].sum()])
            yield weights[before:before + n], rest, (at - before, letter) if is_letter else None

    def _of_paths(self, n: int, pattern: HeadPattern, tracker: Tracker) -> Iterator[MassRange]:
        found: list[tuple[np.float64, tuple[int, ...], np.float64, tuple[int, ...]]] = []
        for weights, (before, after), fixed in self._weights(n):
            rest = (before if pattern.name == "start" else np.float64(), before + after)
            least, most = (extreme(tracker, weights, rest, fixed, sign) for sign in (-1, 1))
            if least is not None and most is not None:
                found.append((*least, *most))
        if found:
            least_one, most_one = min(found, key=lambda one: one[0]), max(found, key=lambda one: one[2])
            yield MassRange(n, least_one[0], most_one[2], self._word(least_one[1]), self._word(most_one[3]))

    def _word(self, letters: Sequence[int]) -> tuple[str, ...]:
        return tuple(self._words.alphabet[letter % len(self._words.alphabet)] for letter in letters)

    # -- other layers --------------------------------------------------------------------------------------------------

    def _of_words(self, n: int, pattern: HeadPattern, tracker: Tracker) -> Iterator[MassRange]:
        words, (before, _, at) = self._words, self._around(n)
        after = () if words.read == "each" else words.after
        found = []
        for word in product(range(len(words.alphabet)), repeat=n):
            tokens = (*words.before, *(words.tokens[letter] for letter in word), *after)
            weights = self._attention(tokens)[at]
            rest = weights[:before].sum() if pattern.name == "start" else np.float64()
            for marks in markings(tracker, word):
                found.append((rest + weights[before:before + n] @ np.array(marks, np.float64), self._word(word)))
        if found:
            least, most = min(found), max(found)
            yield MassRange(n, least[0], most[0], least[1], most[1])


    def _attention(self, tokens: tuple[int, ...]) -> Array:
        """Return the weights [T, T] of the head for an input."""
        if tokens not in self._found:
            self._found[tokens] = self._floats.attention(np.array(tokens), self._words.offsets[0])[self._layer - 1][
                self._head - 1]
        return self._found[tokens]


def extreme(tracker: Tracker, weights: Array, rest: tuple[np.float64, np.float64], fixed: Fixed, sign: int
            ) -> tuple[np.float64, tuple[int, ...]] | None:
    """Return the greatest (``sign`` 1) or least (-1) ratio of marked to all weight, with a path of marked letters.

    ``weights`` [n, letters]; ``rest`` is the weight outside the word that is marked, and all of it. ``fixed`` is the
    place and the letter of the query. None if no marked word of this length has the pattern.
    """
    ratio, path = np.float64(1) / 2, None
    for _ in range(PASSES):
        found = longest_path(tracker, weights, ratio, fixed, sign)
        if found is None:
            return None
        path = found
        places, letters = np.arange(len(path)), np.array(path)
        chosen, marked = weights[places, letters % weights.shape[1]], letters >= weights.shape[1]
        new = (chosen[marked].sum() + rest[0]) / (chosen.sum() + rest[1])
        if abs(new - ratio) <= 4 * np.finfo(np.float64).eps * new:
            break
        ratio = new
    assert path is not None
    return ratio, path


def longest_path(tracker: Tracker, weights: Array, ratio: np.float64, fixed: Fixed, sign: int
                 ) -> tuple[int, ...] | None:
    """Return the marked word with the greatest sign · Σ weight · (marked - ratio), or None."""
    count = weights.shape[1]
    level: dict[State, _Path] = {tracker.start: (np.float64(), None)}
    for place, row in enumerate(weights):
        after: dict[State, _Path] = {}
        for state, (value, path) in level.items():
            for letter in range(2 * count):
                if fixed is not None and place == fixed[0] and letter % count != fixed[1]:
                    continue
                gain = value + sign * row[letter % count] * ((letter >= count) - ratio)
                reached = tracker.step(state, letter)
                if reached not in after or after[reached][0] < gain:
                    after[reached] = gain, (letter, path)
        level = after
    ends = [one for state, one in level.items() if tracker.cases(state)]
    if not ends:
        return None
    letters, rest = list[int](), max(ends, key=lambda one: one[0])[1]
    while rest:
        letter, rest = rest
        letters.append(letter)
    return tuple(reversed(letters))


def markings(tracker: Tracker, word: Sequence[int]) -> Iterator[tuple[bool, ...]]:
    """Yield the markings of a word that have the pattern."""
    count = len(tracker.claim.alphabet) // 2
    level: dict[State, list[tuple[bool, ...]]] = {tracker.start: [()]}
    for letter in word:
        after: dict[State, list[tuple[bool, ...]]] = {}
        for state, found in level.items():
            for mark in (False, True):
                after.setdefault(tracker.step(state, letter + count * mark), []).extend(
                    (*marks, mark) for marks in found)
        level = after
    for state, found in level.items():
        if tracker.cases(state):
            yield from found
