"""Search for small circuits of a network: heads, neurons and edges without which all answers stay right, in float64.

Nothing is proved here: ``certify.claims.trained.ablation`` decides what is found. docs/background/parts.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from constructions.errors import InputError
from constructions.trained.claim import WordsClaim, judged
from constructions.trained.edit_kinds import Constants, CutEdges, Edit, KeepNeurons, MarkTokens, SetHead
from constructions.trained.edits import check_unedited, edge_parts, edit_network, free_heads, unedited
from constructions.trained.network import AttentionStep, NormStep, TrainedNetwork, UnitsStep
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
    """A head of a step of attention, or a neuron of a feed-forward block; all are counted from 0.

    An edge is from a head, a block (number 0) or a table ``to`` a later part, step and number (`edge_parts`).
    """

    step: int
    number: int
    is_head: bool
    to: tuple[int, ...] = ()


Circuit = frozenset[Part]


def parts_of(network: TrainedNetwork) -> list[Part]:
    """Return all heads and neurons, in order."""
    return [Part(number, k, isinstance(step, AttentionStep)) for number, step in enumerate(network.steps)
            for k in range(_size(step))]


def edges_of(network: TrainedNetwork) -> list[Part]:
    """Return all edges, in order."""
    parts = [part for part in edge_parts(network) if part != (-1, 1) or network.positions]
    return [Part(step, number, step >= 0 and isinstance(network.steps[step], AttentionStep), to)
            for step, number in parts for to in parts if step < to[0]]


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

    def __init__(self, network: TrainedNetwork, claim: WordsClaim, to: To = "zero", seed: int = 0, edges: bool = False
                 ) -> None:
        heads = {Part(step, head, True) for step, head in free_heads(network)}
        self.network, self.earlier = unedited(network)
        if to == "mean":
            check_unedited(network)
        self._gone = {edit.step: edit for edit in self.earlier if isinstance(edit, KeepNeurons)}
        self.whole = frozenset(part for part in parts_of(self.network) if part in heads or (not part.is_head and (
            part.step not in self._gone or part.number in self._gone[part.step].neurons)))
        self.claim, self.to = claim, to
        self._cut: dict[tuple[int, ...], CutEdges] = {
            (edit.step, edit.head): edit for edit in self.earlier if isinstance(edit, CutEdges)}
        if edges:
            if to == "mean" and any(isinstance(step, NormStep) for step in self.network.steps[:-1]):
                raise InputError("a norm replaces the stream, so outputs have no means behind it; expected --to zero")
            cut = {(part, to) for to, edit in self._cut.items() for part in edit.parts}
            self.whole = self.tidy(self.whole | {edge for edge in edges_of(self.network)
                                                 if ((edge.step, edge.number), edge.to) not in cut})
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

    def tidy(self, circuit: Circuit) -> Circuit:
        """Return a circuit without the edges of parts that it lacks."""
        there = self._ends(circuit)
        return frozenset(part for part in circuit if not part.to or {part.to, (part.step, part.number)} <= there)

    def _ends(self, circuit: Circuit) -> set[tuple[int, ...]]:
        """Return what can have edges in a circuit: its heads and blocks, the tables and the end."""
        return {(part.step, part.number if part.is_head else 0) for part in circuit if not part.to} | {
            (-1, 0), (-1, 1), edge_parts(self.network)[-1]}

    def _cuts(self, circuit: Circuit) -> list[Edit]:
        """Return the edits of edges to parts of a circuit: those of the whole that it lacks, and earlier ones."""
        gone = self.tidy(circuit | {part for part in self.whole if part.to}) - circuit
        found = list[Edit]()
        for to in sorted(({part.to for part in gone} | {*self._cut}) & self._ends(circuit)):
            earlier = self._cut.get(to, CutEdges(to[0], to[1], ()))
            parts = {(part.step, part.number) for part in gone if part.to == to} | {*earlier.parts}
            constants = earlier.to
            if self.to == "mean":
                total = np.sum([self._written(part) for part in parts], 0)
                constants = tuple(Fraction(one) for one in total.astype(np.float32).tolist())
            found.append(replace(earlier, parts=tuple(sorted(parts)), to=constants))
        return found

    def _written(self, part: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the mean of what a part writes."""
        step = FloatNetwork(self.network).steps[part[0]] if part[0] >= 0 else None
        mean = np.array(self._means[(part[0], -1) if isinstance(step, FloatUnits) else part], np.float64)
        if isinstance(step, FloatAttention):
            return np.asarray(mean @ step.heads[part[1]].out)
        return np.asarray(mean @ step.outward.weight) if isinstance(step, FloatUnits) else mean

    def edits(self, circuit: Circuit) -> list[Edit]:
        """Return the edits of the original that leave only this circuit: the earlier ones, and those of other parts."""
        found: list[Edit] = [edit for edit in self.earlier if isinstance(edit, MarkTokens | SetHead) or (
            not isinstance(edit, KeepNeurons) and Part(edit.step, edit.head, True) in circuit)]
        found += [SetHead(part.step, part.number, self._means.get((part.step, part.number)))
                  for part in sorted(self.whole - circuit) if part.is_head and not part.to]
        for number, step in enumerate(self.network.steps):
            kept = tuple(sorted(part.number for part in circuit if part.step == number and not part.to))
            if isinstance(step, UnitsStep) and len(kept) < _size(step):
                found.append(KeepNeurons(number, kept, self._constants(number, [
                    k for k in range(_size(step)) if k not in kept])))
        return found + self._cuts(circuit)

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
        """Return a part of the circuit whose margins stay above ``floor``: without heads and neurons, then edges."""
        for are_edges in (False, True):
            circuit = self.tidy(self._shrink(circuit, floor, {one for one in circuit if bool(one.to) == are_edges}))
        return circuit

    def _shrink(self, circuit: Circuit, floor: np.float64, parts: set[Part]) -> Circuit:
        """Return a circuit without some of the parts, none of which can go alone.

        The parts that matter least go first, as many at once as bisection finds; then each is tried alone.
        """
        order = sorted(parts, key=lambda part: (-self.margin(circuit - {part}), part))
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
          ) -> Mapping[tuple[int, ...], tuple[Fraction, ...]]:
    """Return means over judged tokens, rounded to binary32: of each head's average; at -1, of a block's neurons.

    The means of rows of tokens and of positions are at (-1, 0) and (-1, 1).
    """
    floats, sums, total = FloatNetwork(network), dict[tuple[int, ...], NDArray[np.float64]](), 0
    margins = WordMargins(floats, claim)
    for n, rows in sorted(words.items()):
        tokens = margins.inputs(rows)
        at = np.array([token for _, token in judged(claim, n)])
        numbers = claim.offsets[0] + np.arange(tokens.shape[1])
        everything = np.arange(tokens.shape[1])
        x, total = floats.embedded(tokens, numbers), total + len(rows) * len(at)
        found: dict[tuple[int, ...], NDArray[np.float64]] = {(-1, 0): floats.tokens[tokens][:, at]}
        if floats.positions is not None:
            found[-1, 1] = np.broadcast_to(floats.positions[numbers][at], found[-1, 0].shape)
        for number, step in enumerate(floats.steps):
            if isinstance(step, FloatAttention):
                averages = step.averages(x, numbers, everything)
                found |= {(number, k): average[:, at] for k, average in enumerate(averages)}
                x = step.write(x, averages)
            else:
                found |= {(number, -1): step.neurons(x)[:, at]} if isinstance(step, FloatUnits) else {}
                x = step(x)
        for key, values in found.items():
            sums[key] = sums.get(key, np.float64()) + values.sum((0, 1))
    return {key: tuple(Fraction(one) for one in (value / total).astype(np.float32).tolist())
            for key, value in sums.items()}
