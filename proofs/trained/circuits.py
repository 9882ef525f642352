"""Search for small circuits of a network: the heads and neurons without which all answers stay right, in float64.

Nothing is proved here: ``certify.claims.trained.ablation`` decides what is found. docs/background/parts.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from constructions.trained.claim import WordsClaim, judged
from constructions.trained.edit_kinds import Constants, Edit, KeepNeurons, MarkTokens, SetHead
from constructions.trained.edits import check_unedited, edit_network, free_heads, unedited
from constructions.trained.network import AttentionStep, TrainedNetwork, UnitsStep
from proofs.trained.forward import FloatAttention, FloatNetwork, FloatUnits
from proofs.trained.initial_words import Starts
from proofs.trained.margins import Least, smaller
from proofs.trained.words import WordMargins, words_in_batches

Rows = NDArray[np.integer]
To = Literal["zero", "mean"]
HARD = 8
"""Words of each length by which parts are ordered, besides those on which a circuit was wrong."""
FEW = 1 << 8
"""Up to this many words of one length, the search has them all."""
LENGTHS = 12
"""Lengths of words in the search, besides short ones: spread evenly."""


@dataclass(frozen=True, order=True)
class Part:
    """A head of a step of attention, or a neuron of a feed-forward block; all are counted from 0."""

    step: int
    number: int
    is_head: bool


Circuit = frozenset[Part]


def parts_of(network: TrainedNetwork) -> list[Part]:
    """Return all heads and neurons, in order."""
    return [Part(number, k, isinstance(step, AttentionStep)) for number, step in enumerate(network.steps)
            for k in range(_size(step))]


def _size(step: object) -> int:
    if isinstance(step, AttentionStep):
        return len(step.heads)
    return step.inward.weight.shape[1] if isinstance(step, UnitsStep) else 0


class CircuitSearch:
    """Circuits of a network, judged by a growing set of words at some offsets of a claim.

    An edited network has the circuits of its ``whole``: the parts of its original, ``network``, that it has left.

    Raises:
        InputError: if the network ends at a head, or has edits and parts are to be set to means.
    """

    def __init__(self, network: TrainedNetwork, claim: WordsClaim, to: To = "zero", seed: int = 0) -> None:
        heads = {Part(step, head, True) for step, head in free_heads(network)}
        self.network, self.earlier = unedited(network)
        if to == "mean":
            check_unedited(network)
        self._gone = {edit.step: edit for edit in self.earlier if isinstance(edit, KeepNeurons)}
        self.whole = frozenset(part for part in parts_of(self.network) if part in heads or (not part.is_head and (
            part.step not in self._gone or part.number in self._gone[part.step].neurons)))
        self.claim, self.to = claim, to
        self.words = {rows.shape[1]: rows for rows in first_words(claim, np.random.default_rng(seed))}
        first, last = claim.offsets
        self.offsets = {first, (first + last) // 2, last}
        self._means = means(network, claim, self.words) if to == "mean" else {}
        self._hard = {n: rows[:: max(1, len(rows) // HARD)] for n, rows in self.words.items()}

    def add(self, word: Sequence[str], offset: int) -> None:
        """Add an offset, a word, and its prefixes in the lengths of the claim."""
        self.offsets.add(offset)
        letters = np.array(self.claim.letters(word), np.intp)
        for n in range(self.claim.lengths[0], len(word) + 1):
            for words in (self.words, self._hard):
                words[n] = np.concatenate([words.get(n, np.zeros((0, n), np.intp)), letters[np.newaxis, :n]])

    def edits(self, circuit: Circuit) -> list[Edit]:
        """Return the edits of the original that leave only this circuit: the earlier ones, and those of other parts."""
        found: list[Edit] = [edit for edit in self.earlier if isinstance(edit, MarkTokens | SetHead) or (
            not isinstance(edit, KeepNeurons) and Part(edit.step, edit.head, True) in circuit)]
        found += [SetHead(part.step, part.number, self._means.get((part.step, part.number)))
                  for part in sorted(self.whole - circuit) if part.is_head]
        for number, step in enumerate(self.network.steps):
            kept = tuple(sorted(part.number for part in circuit if part.step == number))
            if isinstance(step, UnitsStep) and len(kept) < _size(step):
                found.append(KeepNeurons(number, kept, self._constants(number, [
                    k for k in range(_size(step)) if k not in kept])))
        return found

    def _constants(self, number: int, others: Sequence[int]) -> Constants:
        """Return the constants of neurons that are gone: earlier ones, or means; None if all are 0."""
        mean, gone = self._means.get((number, -1)), self._gone.get(number)
        if mean is not None:
            return tuple(mean[k] for k in others)
        if gone is None or gone.to is None:
            return None
        before = [k for k in range(_size(self.network.steps[number])) if k not in gone.neurons]
        constants = dict(zip(before, gone.to, strict=True))
        return tuple(constants.get(k, Fraction(0)) for k in others)

    def least(self, circuit: Circuit, words: Mapping[int, Rows] | None = None) -> Least | None:
        """Return the least margin of the circuit on the words, all by default."""
        margins = WordMargins(FloatNetwork(edit_network(self.network, self.edits(circuit))), self.claim)
        found, around = None, len(self.claim.before) + len(self.claim.after)
        for n, rows in sorted((self.words if words is None else words).items()):
            for offset in sorted(self.offsets):
                if self.network.rows is None or offset + around + n <= self.network.rows:
                    found = smaller(found, margins.least(rows, offset))
        return found

    def margin(self, circuit: Circuit) -> np.float64:
        """Return the least margin on the words that were hard so far; infinite if nothing is judged."""
        least = self.least(circuit, self._hard)
        return np.float64(np.inf) if least is None else least.margin

    def stays(self, circuit: Circuit, floor: np.float64) -> bool:
        """Return whether all margins of the circuit are above ``floor``; a word on which one is not becomes hard."""
        if self.margin(circuit) <= floor:
            return False
        least = self.least(circuit)
        if least is None or least.margin > floor:
            return True
        self.add(least.word, least.offset)
        return False

    def shrink(self, circuit: Circuit, floor: np.float64) -> Circuit:
        """Return a part of the circuit whose margins stay above ``floor``, none of whose parts can go alone.

        The parts that matter least go first, as many at once as bisection finds; then each is tried alone.
        """
        order = sorted(circuit, key=lambda part: (-self.margin(circuit - {part}), part))
        low, high = 0, len(order)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.stays(circuit - {*order[:middle]}, floor) else (low, middle - 1)
        circuit -= {*order[:low]}
        order, changed = order[low:], True
        while changed:
            changed = False
            for part in order:
                if part in circuit and self.stays(circuit - {part}, floor):
                    circuit, changed = circuit - {part}, True
        return circuit


def first_words(claim: WordsClaim, draw: np.random.Generator) -> Iterator[Rows]:
    """Yield words of several lengths: all of a length if they are few, else regular and random ones."""
    shortest, longest = claim.lengths
    letters = len(claim.alphabet)
    spread = {int(n) for n in np.linspace(shortest, longest, LENGTHS).round()}
    for n in range(shortest, longest + 1):
        if letters**n <= FEW:
            yield np.concatenate(list(words_in_batches(letters, n, FEW)))
        elif n in spread:
            yield Starts(claim, n).first(draw, [])


def means(network: TrainedNetwork, claim: WordsClaim, words: Mapping[int, Rows]
          ) -> Mapping[tuple[int, int], tuple[Fraction, ...]]:
    """Return means over judged tokens, rounded to binary32: of each head's average; at -1, of a block's neurons."""
    floats, sums, total = FloatNetwork(network), dict[tuple[int, int], NDArray[np.float64]](), 0
    margins = WordMargins(floats, claim)
    for n, rows in sorted(words.items()):
        tokens = margins.inputs(rows)
        at = np.array([token for _, token in judged(claim, n)])
        numbers = claim.offsets[0] + np.arange(tokens.shape[1])
        everything = np.arange(tokens.shape[1])
        x, total = floats.embedded(tokens, numbers), total + len(rows) * len(at)
        for number, step in enumerate(floats.steps):
            if isinstance(step, FloatAttention):
                averages = step.averages(x, numbers, everything)
                found = {(number, k): average[:, at] for k, average in enumerate(averages)}
                x = step.write(x, averages)
            else:
                found = {(number, -1): step.neurons(x)[:, at]} if isinstance(step, FloatUnits) else {}
                x = step(x)
            for key, values in found.items():
                sums[key] = sums.get(key, np.float64()) + values.sum((0, 1))
    return {key: tuple(Fraction(one) for one in (value / total).astype(np.float32).tolist())
            for key, value in sums.items()}
