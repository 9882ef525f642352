"""What each head makes of each token at each place, in float64: scores, and what it writes along its directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from constructions.errors import Unsupported
from constructions.trained.tracks import Form, TracksClaim, sampled_inputs
from proofs.trained.forward import FloatAttention, FloatHead, FloatNetwork, softmax

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
ONE = 1 << 30  # directions are whole numbers / 2^30
NOTHING = 10**-13  # of the greatest: directions along which a head writes less than that are none
SAMPLES = 64


class NotOneLayer(Unsupported):
    """The network has not exactly one attention step, or a later token changes what stands at earlier ones."""


@dataclass(frozen=True)
class HeadTable:
    """Of one head: keys, queries and values [token, place, width], what it writes [token, place, width of the stream].
    """

    head: FloatHead
    queries: Array
    keys: Array
    values: Array
    written: Array

    def average(self, tokens: Indices, place: int) -> Array:
        """What is averaged [inputs, value width] at a place of inputs [inputs, places]."""
        each = np.arange(place + 1)
        scores = np.stack([self.scores(place, own) for own in range(len(self.keys))])
        weights = softmax(scores[tokens[:, place, np.newaxis], each, tokens[:, : place + 1]])
        return np.asarray((weights[:, np.newaxis] @ self.values[tokens[:, : place + 1], each])[:, 0])

    def scores(self, place: int, own: int) -> Array:
        """The scores [place, token] of all places up to the query's."""
        distances = np.arange(place + 1) - place
        keys = self.keys[:, : place + 1]
        return np.asarray((keys @ self.queries[own, place]).T + self.head.slope * distances[:, np.newaxis])


class Heads:
    """The one attention step of a network, for inputs of a form: all that follows from tokens and places alone."""

    def __init__(self, floats: FloatNetwork, claim: TracksClaim, form: Form) -> None:
        """Raises NotOneLayer."""
        steps = [step for step in floats.steps if isinstance(step, FloatAttention)]
        if len(steps) != 1:
            raise NotOneLayer(f"the network has {len(steps)} layers of attention, not one")
        if not floats.network.is_causal:
            raise NotOneLayer("the network's tokens read later ones")
        (self.step,), self.floats = steps, floats
        length = len(form.layout) - 1
        self.numbers = claim.offset + np.arange(length)
        tokens = np.arange(len(floats.tokens))[:, np.newaxis]
        stream = floats.embedded(np.broadcast_to(tokens, (len(tokens), length)), self.numbers)
        for step in floats.steps[: floats.last_attention]:
            stream = floats.alone(step, stream)
        self.streams = stream if self.step.bias is None else stream + self.step.bias
        normed = self.step.normed(stream)
        values = [head.value(normed) for head in self.step.heads]
        self.tables = [HeadTable(head, self.step.queries(head, normed, self.numbers),
                                 self.step.keys(head, normed, self.numbers), value, value @ head.out)
                       for head, value in zip(self.step.heads, values, strict=True)]

    def logits(self, tokens: Indices, places: Sequence[int]) -> Array:
        """Logits [inputs, places, outputs] at some places of inputs [inputs, places]."""
        found = []
        for place in places:
            stream = self.streams[tokens[:, place], place]
            for table in self.tables:
                stream = stream + table.average(tokens, place) @ table.head.out
            found.append(self.floats.tail(stream))
        return np.stack(found, 1)


def directions(heads: Heads, claim: TracksClaim, form: Form) -> list[NDArray[np.int32]]:
    """For each head orthonormal rows / 2^30 that span what it writes, the principal ones of sampled averages first."""
    inputs = sampled_inputs(claim, form, SAMPLES)
    tokens = np.array([claim.tokens(form, one)[:-1] for one in inputs], np.intp)
    places = np.arange(tokens.shape[1])
    found = []
    for table in heads.tables:
        written = table.written[tokens, places]
        scores = table.queries[tokens, places] @ np.swapaxes(table.keys[tokens, places], 1, 2)
        scores = scores + table.head.slope * (places - places[:, np.newaxis])
        average = softmax(np.where(places > places[:, np.newaxis], -np.inf, scores)) @ written
        found.append(_basis(table.written.reshape(-1, table.written.shape[2]), average))
    return found


def _basis(written: Array, averages: Array) -> NDArray[np.int32]:
    _, sizes, rows = np.linalg.svd(written, full_matrices=False)
    span = rows[sizes > NOTHING * max(sizes.max(), NOTHING)]
    if not len(span):
        return np.zeros((0, written.shape[1]), np.int32)
    deviations = ((averages - averages.mean(axis=0)).reshape(-1, written.shape[1])) @ span.T
    turn = np.linalg.eigh(deviations.T @ deviations)[1][:, ::-1].T
    return np.asarray(np.rint(turn @ span * ONE), np.int32)
