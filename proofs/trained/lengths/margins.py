"""Rows of a claim over cells of Parikh vectors, in float64 (docs/background/lengths.md, section 4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from constructions.errors import Unsupported
from constructions.trained.claim import WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.trained.classes.cover_unit import alone
from proofs.trained.classes.forms import Forms, added, linear
from proofs.trained.forward import FloatAttention, FloatHead, FloatNetwork
from proofs.trained.lengths.cells import Counts, ParikhBox
from proofs.trained.lengths.truths import reads_last_letter

Array = NDArray[np.float64]


def has_slopes(network: TrainedNetwork) -> bool:
    """Return whether scores of some head depend on distances by a slope (ALiBi)."""
    return any(head.slope is not None for step in network.attention_steps for head in step.heads)


def expect_tokens_suffice(network: TrainedNetwork, claim: WordsClaim) -> None:
    """Require that logits are a function of the judged token and of the amounts of visible tokens.

    A token's amount is its number, or with slopes a function of its distances.

    Raises:
        Unsupported: with the reason.
    """
    steps = network.attention_steps
    reasons = (
        (len(steps) != 1, f"the network has {len(steps)} steps of attention: with one alone order does not matter"),
        (network.rows is not None, "the network has a table of positions, so that order matters"),
        (has_slopes(network) and not all(head.slope is not None and head.slope > 0
                                         for step in steps for head in step.heads),
         "the scores of some heads fall with the distance (ALiBi), those of others do not"),
        (network.by_ranges, "numbers are rounded by their range"),
        (claim.read == "first", "logits are judged at the first token"),
        (claim.read == "each" and not network.is_causal, "every letter's token sees later letters"),
        (claim.empty, "logits are judged at the empty prefix, too"))
    for forbids, why in reasons:
        if forbids:
            raise Unsupported(f"counts of letters do not decide this: {why}")


@dataclass(frozen=True)
class Bounded:
    """Bounds for each cell and row: a lower bound, the middle value, and the effect of each token's share."""

    least: Array
    middle: Array
    moves: Array


class CountMargins:
    """All rows of a claim (case by case) at the judged token."""

    def __init__(self, network: TrainedNetwork, claim: WordsClaim, floats: FloatNetwork | None = None) -> None:
        """Prepare the step; in float64, unless ``floats`` is a network in another domain."""
        expect_tokens_suffice(network, claim)
        self.claim, self.floats = claim, floats or FloatNetwork(network)
        self.around = (*claim.before, *(() if reads_last_letter(claim) else claim.after))
        self.tokens = list(dict.fromkeys((*claim.tokens, *self.around)))
        step = self.floats.steps[self.floats.last_attention]
        assert isinstance(step, FloatAttention)
        self._step = step
        streams = self.floats.embedded(np.array(self.tokens, np.intp), np.zeros(len(self.tokens), np.intp))
        for one in self.floats.steps[: self.floats.last_attention]:
            streams = self.floats.alone(one, streams)
        self._streams, self._normed = streams, step.normed(streams)
        self.rows = [(case, row) for case, one in enumerate(claim.cases) for row in range(len(one.above))]
        self._columns = self.floats.domain.entering(np.zeros((network.outputs, len(self.rows))))
        for number, (case, row) in enumerate(self.rows):
            for token, coefficient in claim.cases[case].above[row]:
                self._columns[token, number] = self.floats.domain.number(coefficient)

    def over(self, last: int | None, cells: Sequence[ParikhBox]) -> Bounded:
        """Bound all rows in cells of regions with this last letter."""
        low, high = (np.array([self._amounts(cell, end) for cell in cells], np.float64) for end in (0, 1))
        return self.within(self._judged(last), [(low, high)] * len(self._step.heads))

    @property
    def slopes(self) -> list[np.float64]:
        """The ALiBi slope of each head."""
        return [np.float64(head.slope) for head in self._step.heads]

    def within(self, judged: int, amounts: Sequence[tuple[Array, Array]]) -> Bounded:
        """Bound all rows at a judged token (its place in ``tokens``), for bounds of amounts [cells, tokens] by head."""
        count = len(amounts[0][0])
        nothing = np.zeros((count, 0, self._streams.shape[1]))
        stream = np.tile(self._streams[judged], (count, 1))
        forms, tokens = Forms(stream, nothing, np.zeros_like(stream)), len(self.tokens)
        for number, (head, (low, high)) in enumerate(zip(self._step.heads, amounts, strict=True)):
            weights = self._weights(head, judged)
            least, greatest = _shares(low * weights, high * weights)
            averages = _averages(least, greatest, head.value(self._normed), number * tokens)
            forms = added(forms, linear(averages, head.out))
        if self._step.bias is not None:
            forms = Forms(forms.centre + self._step.bias, forms.parts, forms.loose)
        for step in self.floats.steps[self.floats.last_attention + 1 :]:
            forms = alone(step, forms)
        image = self.floats.unembedding
        bias = None if image.bias is None else image.bias @ self._columns
        rows = linear(forms, image.weight @ self._columns, bias)
        heads = len(self._step.heads)
        moves = np.abs(rows.parts[:, : heads * tokens]).reshape(count, heads, tokens, -1).sum(axis=1)
        return Bounded(rows.centre - rows.radius, rows.centre, moves)

    def _judged(self, last: int | None) -> int:
        return self.tokens.index(self.around[-1] if last is None else self.claim.tokens[last])

    def _weights(self, head: FloatHead, judged: int) -> Array:
        """Return the weight of each token for the judged one, the greatest being 1."""
        queries = self._step.queries(head, self._normed[judged : judged + 1], np.zeros(1, np.intp))
        keys = self._step.keys(head, self._normed, np.zeros(len(self.tokens), np.intp))
        return self.floats.domain.exponentials(self._step.capped(self.floats.domain.product(queries, keys.T)[0]))

    def is_loose_by_length(self, last: int | None, cell: ParikhBox, letter: int) -> bool:
        """Return whether lengths, by the tokens around the word, loosen weights more than a letter's share does."""
        judged, tokens = self._judged(last), self.tokens
        width = 1 / cell.least - (0 if cell.greatest is None else 1 / cell.greatest)
        own = tokens.index(self.claim.tokens[letter])
        return any(
            width * sum(weights[tokens.index(token)] for token in self.around)
            > np.float64(cell.high[letter] - cell.low[letter]) * weights[own]
            for head in self._step.heads for weights in [self._weights(head, judged)])

    def at(self, last: int | None, vectors: Sequence[Counts]) -> Array:
        """Return all rows on words with these Parikh vectors."""
        counts = np.zeros((len(vectors), len(self.tokens)))
        for token, column in zip(self.claim.tokens, np.array(vectors, np.float64).T, strict=True):
            counts[:, self.tokens.index(token)] += column
        for token in self.around:
            counts[:, self.tokens.index(token)] += 1
        judged, averages, product = self._judged(last), [], self.floats.domain.product
        for head in self._step.heads:
            parts = counts * self._weights(head, judged)
            averages.append(product(parts / parts.sum(axis=1, keepdims=True), head.value(self._normed)))
        stream = self._step.write(np.tile(self._streams[judged], (len(vectors), 1)), averages)
        return product(self.floats.tail(stream), self._columns)

    def _amounts(self, cell: ParikhBox, end: int) -> list[Fraction]:
        """Return the least or greatest amount of each token, over the length."""
        amounts = dict.fromkeys(self.tokens, Fraction(0))
        for token, share in zip(self.claim.tokens, (cell.low, cell.high)[end], strict=True):
            amounts[token] += share
        length = cell.least if end else cell.greatest
        for token in self.around:
            amounts[token] += Fraction(0) if length is None else Fraction(1, length)
        return list(amounts.values())


def _shares(low: Array, high: Array) -> tuple[Array, Array]:
    """Bound the share of each part in the sum."""
    below = low + (high.sum(axis=1, keepdims=True) - high)
    above = high + (low.sum(axis=1, keepdims=True) - low)
    least = np.divide(low, below, out=np.zeros_like(low), where=below > 0)
    return least, np.divide(high, above, out=np.ones_like(low), where=above > 0)


def _averages(least: Array, greatest: Array, values: Array, first: int) -> Forms:
    """Enclose averages of values with bounded shares; a symbol for each token except the one with the widest share."""
    chosen = np.argmax(greatest - least, axis=1)
    base = values[chosen]
    away = values[np.newaxis] - base[:, np.newaxis]
    centre = base + np.einsum("nt,ntd->nd", (least + greatest) / 2, away)
    own = away * ((greatest - least) / 2)[:, :, np.newaxis]
    parts = np.concatenate([np.zeros((len(own), first, own.shape[2])), own], axis=1)
    return Forms(centre, parts, np.zeros_like(centre))
