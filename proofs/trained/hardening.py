"""Hard attention to patterns on words without marks, in floating point: a search, evidence and not proof.

What a query attends to is selected by the definition of its pattern; constructions/trained/hard_patterns.py states the
same by marks, for proofs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from constructions.errors import Unsupported
from constructions.language.syntax import Formula, Symbol
from constructions.trained.claim import Case, When, WordsClaim, judged
from constructions.trained.hard_patterns import GREATEST, HardHead, any_of, is_supported, sees_itself
from constructions.trained.head_patterns import OF_KEYS, PATTERNS, SINGLE, HeadPattern
from constructions.trained.network import TrainedNetwork
from proofs.trained.circuits import first_words
from proofs.trained.forward import Array, FloatAttention, FloatNetwork, equal_weights
from proofs.trained.key_value_cache import Rows
from proofs.trained.margins import Least, smaller
from proofs.trained.words import WordMargins
from proofs.words.truths import CasesOfWords, Truths

Selected = NDArray[np.bool_]
Patterns = Mapping[tuple[int, int], HeadPattern]
"""The pattern of each hard head, by layer and head, from 1."""
MOST_LETTERS = 4
"""Alphabets of which every set of letters is tried."""
TIE = np.float64(1) / 10**9
"""Relative distance of weights that count as equal."""
SEED = 1


@dataclass(frozen=True, order=True)
class Score:
    """The length up to which all tried words are right, and the least margin of these words."""

    right_to: int
    margin: np.float64


class HardMargins(WordMargins):
    """The margins of whole words, where some heads attend to patterns alone."""

    def __init__(self, network: FloatNetwork, claim: WordsClaim, patterns: Patterns) -> None:
        super().__init__(network, claim)
        self.patterns = patterns
        keys = replace(claim, cases=tuple(Case(When(pattern.keys), ()) for pattern in patterns.values()),
                       automaton=None)
        self.keys = CasesOfWords(keys)

    def _run(self, words: Rows, offset: int) -> tuple[Array, Truths]:
        places, at = zip(*judged(self.claim, words.shape[1]), strict=True)
        tokens = self.inputs(words)
        numbers = offset + np.arange(tokens.shape[1])
        stream, layer, chosen = self.network.embedded(tokens, numbers), 0, self.chosen(words)
        for step in self.network.steps:
            if isinstance(step, FloatAttention):
                layer += 1
                stream = step.write(stream, self._averages(step, layer, stream, numbers, chosen))
            else:
                stream = self.network.alone(step, stream)
        return self.network.unembedding(stream[:, at]), self.cases.hold(words)[:, places]

    def chosen(self, words: Rows) -> Mapping[tuple[int, int], Selected]:
        """Return the tokens of each head's pattern, [B, queries, tokens]: none where the pattern has no position."""
        keys = self.keys.hold(words)[:, 1:]
        return {part: self._selected(pattern, keys[..., index])
                for index, (part, pattern) in enumerate(self.patterns.items())}

    @staticmethod
    def _averages(step: FloatAttention, layer: int, stream: Array, numbers: Rows,
                  chosen: Mapping[tuple[int, int], Selected]) -> list[Array]:
        normed, found, everything = step.normed(stream), [], np.arange(len(numbers))
        for number, head in enumerate(step.heads, 1):
            selected = chosen.get((layer, number))
            weights = (step.weights(head, normed, numbers, everything) if selected is None
                       else equal_weights(selected, np.eye(len(numbers), dtype=np.bool_)))
            found.append(weights @ head.value(normed))
        return found

    def _selected(self, pattern: HeadPattern, keys: Truths) -> Selected:
        """Return the tokens of the pattern, [B, queries, tokens], where ``keys`` [B, n] hold."""
        count, n = keys.shape
        before, last = len(self.claim.before), len(self.claim.before) + n + len(self.claim.after)
        chosen = np.zeros((count, last, last), np.bool_)
        if pattern.name == "start":
            chosen[:, :, :before] = np.tril(np.ones((last, before), np.bool_)) | (np.arange(last) >= before)[:, None]
            return chosen
        place, seen = np.arange(n), np.tril(np.ones((n, n), np.bool_))
        of_letters = {"letters": seen, "itself": place == place[:, None], "previous": place == place[:, None] - 1,
                      "first": np.tile(place == 0, (n, 1))}
        if pattern.name in of_letters:
            of_word = np.tile(of_letters[pattern.name], (count, 1, 1))
        else:
            of_word = keys[:, None, :] & seen
            ordered = of_word if pattern.name == "leftmost" else of_word[..., ::-1]
            if pattern.name != "all":
                first = ordered & (np.cumsum(ordered, axis=-1) == 1)
                of_word = first if pattern.name == "leftmost" else first[..., ::-1]
        chosen[:, before:before + n, before:before + n] = of_word
        chosen[:, before + n:, before:before + n] = of_word[:, -1:]
        return chosen


def candidates(words: WordsClaim) -> Iterator[HeadPattern]:
    """Yield the patterns that are tried: of few letters with every set of them, else with each letter."""
    letters = words.alphabet
    sizes = range(1, len(letters)) if len(letters) <= MOST_LETTERS else range(1, 2)
    sets: list[Formula] = [any_of(list(map(Symbol, some))) for size in sizes for some in combinations(letters, size)]
    yield from (HeadPattern(name, keys) for name in ("rightmost", "leftmost", "all") for keys in sets)
    yield from (HeadPattern(name) for name in PATTERNS
               if name not in (*OF_KEYS, "marks") and (name != "start" or words.before))


class HardeningSearch:
    """The search for patterns with which a network stays right on words: several lengths, all words of the short."""

    def __init__(self, network: TrainedNetwork, words: WordsClaim) -> None:
        self.network, self.claim, self._floats = network, words, FloatNetwork(network)
        self._words: dict[int, Rows] = {}
        for rows in first_words(words, np.random.default_rng(SEED)):
            self._words[rows.shape[1]] = rows
        self._scores: dict[tuple[tuple[tuple[int, int], HeadPattern], ...], Score] = {}

    def add(self, word: Sequence[str]) -> None:
        """Add a wrong word, without its marks; all scores change."""
        row = np.array([self.claim.letters(word)])
        known = self._words.get(len(word))
        self._words[len(word)] = row if known is None else np.concatenate([known, row])
        self._scores.clear()

    def score(self, patterns: Patterns) -> Score:
        """Return the score of a network with these hard heads."""
        key = tuple(sorted(patterns.items(), key=lambda item: item[0]))
        if key not in self._scores:
            self._scores[key] = self._score(patterns)
        return self._scores[key]

    def _score(self, patterns: Patterns) -> Score:
        margins, least, right = HardMargins(self._floats, self.claim, patterns), np.float64(np.inf), 0
        for n, rows in sorted(self._words.items()):
            found: Least | None = None
            for part in np.array_split(rows, -(-len(rows) // margins.batch(n))):
                found = smaller(found, margins.least(part, self.claim.offsets[0]))
            if found is not None and not found.margin > 0:
                break
            right, least = n, least if found is None else min(least, found.margin)
        return Score(right, least if right else np.float64())

    def margins(self, patterns: Patterns) -> Iterator[tuple[Rows, Array]]:
        """Yield words of one length, and their margins [B, places, rows], infinite where a case does not hold."""
        judge = HardMargins(self._floats, self.claim, patterns)
        for n, rows in sorted(self._words.items()):
            for part in np.array_split(rows, -(-len(rows) // judge.batch(n))):
                yield part, judge.margins(part, self.claim.offsets[0])

    def greatest(self, head: int) -> HeadPattern:
        """Return a pattern of the position at which the own score of a head is greatest, on all words that are tried.

        Raises:
            Unsupported: if there are several layers, or no pattern of one position that is tried is that.
        """
        if len(self.network.attention_steps) != 1:
            raise Unsupported(f"{GREATEST}: for networks with one layer of attention, expected a pattern")
        waiting = [pattern for pattern in candidates(self.claim) if pattern.name in SINGLE and (
            sees_itself(self.claim) or pattern.name in ("first", "itself"))]
        for n, rows in sorted(self._words.items()):
            at = np.array([token for _, token in judged(self.claim, n)])
            tokens = HardMargins(self._floats, self.claim, {}).inputs(rows)
            weights = np.array([self._floats.attention(one, self.claim.offsets[0])[0][head - 1][at] for one in tokens])
            winners = weights >= weights.max(-1, keepdims=True) * (1 - TIE)
            for pattern in [*waiting]:
                chosen = HardMargins(self._floats, self.claim, {(1, head): pattern}).chosen(rows)[1, head][:, at]
                chosen |= (np.arange(tokens.shape[1]) == at[:, np.newaxis]) & ~chosen.any(-1, keepdims=True)
                differ = (chosen != winners).any((-1, -2))
                if differ.any():
                    waiting.remove(pattern)
                    last = pattern, "".join(self.claim.alphabet[letter] for letter in rows[differ.argmax()])
            if not waiting:
                raise Unsupported(f"head 1.{head}: its own score is greatest at no pattern that was tried; the last of "
                                  f"them, {last[0]}, is another position on the word {last[1]}")
        return waiting[0]

    def best(self) -> dict[tuple[int, int], HeadPattern]:
        """Return the best pattern of each head, one after the other; a head stays soft if it is better so.

        A head that is the only one stays soft only if every pattern is wrong on a shortest word.
        """
        found = dict[tuple[int, int], HeadPattern]()
        heads = [(layer, head) for layer, step in enumerate(self.network.attention_steps, 1)
                 for head in range(1, len(step.heads) + 1)]
        for part in heads:
            tried = [{**found, part: pattern} for pattern in candidates(self.claim)
                     if is_supported(self.network, part[0], pattern)]
            best = max(tried, key=self.score)
            least = 1 if len(heads) == 1 else self.score(found).right_to
            if self.score(best).right_to >= least:
                found = best
        return found


def hard_heads(patterns: Patterns) -> list[HardHead]:
    """Return the heads, by layer and head."""
    return [HardHead(*part, pattern) for part, pattern in sorted(patterns.items(), key=lambda item: item[0])]
