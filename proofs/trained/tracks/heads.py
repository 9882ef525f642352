"""What each head makes of each token at each place, in float64: scores, and what it writes along its directions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from constructions.trained.tracks import Form, TracksClaim
from proofs.trained.forward import FloatAttention, FloatHead, FloatNetwork, softmax

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class HeadTable:
    """Of one head: keys, queries and values [token, place, width]."""

    head: FloatHead
    queries: Array
    keys: Array
    values: Array

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
        (self.step,) = (step for step in floats.steps if isinstance(step, FloatAttention))
        self.floats = floats
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
                                 self.step.keys(head, normed, self.numbers), value)
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
