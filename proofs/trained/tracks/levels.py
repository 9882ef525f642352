"""An attention step in float64: queries, keys and outputs as affine forms, of tokens at places, or of nodes.

A row is one source: in the first step a token at a place, later a node (docs/background/tracks_rules.md, section 5,
Layers).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from constructions.errors import Unsupported
from constructions.trained.tracks import Layout, TracksClaim, sampled_inputs
from proofs.trained.classes.cover_unit import alone
from proofs.trained.classes.forms import Forms, affine, exact, linear, normed
from proofs.trained.forward import FloatAttention, FloatNetwork, FloatRotary, FloatStep

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
ONE = 1 << 30  # directions are integers / 2^30
NOTHING = 10**-13  # of the greatest output: directions with less are dropped
LOOSE = 2**-38  # relative error bound of a stream where forms begin
ROOM = 2**-10  # of radii, for the checker's curves, which differ
SAMPLES = 64


class NoClasses(Unsupported):
    """The network has no attention, or is not causal."""


def attention_steps(floats: FloatNetwork) -> list[int]:
    """Return the indices of the attention steps.

    Raises:
        NoClasses: if the network has no attention, or is not causal.
    """
    found = [k for k, step in enumerate(floats.steps) if isinstance(step, FloatAttention)]
    if not found:
        raise NoClasses("the network has no attention")
    if not floats.network.is_causal:
        raise NoClasses("the network's tokens attend to later ones")
    return found


@dataclass(frozen=True)
class HeadForms:
    """Query, key and output of one head, for each row."""

    queries: Forms
    keys: Forms
    written: Forms


class AttentionLevel:
    """One attention step at rows."""

    def __init__(self, step: FloatAttention, streams: Forms, places: Indices, offset: int) -> None:
        self.step, self.places, self.is_exact = step, places, not streams.symbols
        self.streams = streams if step.bias is None else Forms(streams.centre + step.bias, streams.parts, streams.loose)
        read, numbers = normed(streams, step.norm), offset + places
        self.heads = [HeadForms(_scaled(_turned(step.rotary, affine(read, head.query), numbers), step.scale),
                                _turned(step.rotary, affine(read, head.key), numbers),
                                linear(affine(read, head.value), head.out)) for head in step.heads]
        self._intervals = [(_ends(head.queries), _ends(head.keys)) for head in self.heads]

    def scores(self, head: int, own: int, rows: Indices) -> tuple[Array, Array]:
        """Return the least and the greatest scores of the query of one row and the keys of some rows."""
        queries, keys = self.heads[head].queries, self.heads[head].keys
        (middle, reach), (centres, reaches) = self._intervals[head]
        centre, size = centres[rows] @ middle[own], reaches[rows] @ reach[own]
        size = size + np.abs(np.einsum("nsd,d->ns", keys.parts[rows], middle[own])).sum(axis=1)
        size = size + keys.loose[rows] @ np.abs(middle[own])
        size = size + np.abs(centres[rows] @ queries.parts[own].T).sum(axis=1)
        size = size + np.abs(centres[rows]) @ queries.loose[own]
        added = self.step.heads[head].slope * (self.places[rows] - self.places[own])
        return self.step.capped(centre - size) + added, self.step.capped(centre + size) + added

    def most(self, head: int, vector: Array) -> Array:
        """Return, for each row, the greatest vector · output of the head."""
        written = self.heads[head].written
        return np.asarray(written.centre @ vector + np.abs(written.parts @ vector).sum(axis=1)
                          + written.loose @ np.abs(vector))


def _ends(forms: Forms) -> tuple[Array, Array]:
    return forms.centre, forms.radius


def _scaled(forms: Forms, scale: np.float64) -> Forms:
    return Forms(scale * forms.centre, scale * forms.parts, abs(scale) * forms.loose)


def _turned(rotary: FloatRotary | None, forms: Forms, numbers: Indices) -> Forms:
    if rotary is None:
        return forms
    parts = np.swapaxes(rotary(np.swapaxes(forms.parts, 0, 1), numbers), 0, 1)
    return Forms(rotary(forms.centre, numbers), parts, np.broadcast_to(
        forms.loose.sum(axis=1, keepdims=True), forms.loose.shape))


def first_level(floats: FloatNetwork, claim: TracksClaim, form: Layout) -> AttentionLevel:
    """Return the first attention step; row place · tokens + token is a token at a place."""
    first, tokens, length = attention_steps(floats)[0], len(floats.tokens), len(form.layout) - 1
    places = np.repeat(np.arange(length), tokens)
    stream = floats.embedded(np.tile(np.arange(tokens), length), claim.offset + places)
    for step in floats.steps[:first]:
        stream = floats.alone(step, stream)
    (attention,) = _attention(floats, first)
    return AttentionLevel(attention, exact(stream), places, claim.offset)


def next_level(floats: FloatNetwork, number: int, level: AttentionLevel, own: Indices, box: tuple[Array, Array],
               rows: Array) -> AttentionLevel:
    """Return attention step ``number`` at nodes: queries ``own`` of the level before, with averages in the box."""
    steps = attention_steps(floats)
    stream = after_heads(level.streams.only(own), box, rows)
    stream = between(floats.steps[steps[number - 1] + 1:steps[number]], stream)
    stream = Forms(stream.centre, stream.parts, stream.loose + ROOM * stream.radius)
    (attention,) = _attention(floats, steps[number])
    return AttentionLevel(attention, stream, level.places[own], 0)


def after_heads(streams: Forms, box: tuple[Array, Array], rows: Array) -> Forms:
    """Return the streams after heads whose outputs are in these boxes [N, directions]; their symbols come first."""
    centre, half = (box[0] + box[1]) / 2, (box[1] - box[0]) / 2
    parts = np.concatenate([half[:, :, np.newaxis] * rows, streams.parts], axis=1)
    base = streams.centre + centre @ rows
    return Forms(base, parts, streams.loose + LOOSE * (1 + np.abs(base).max(initial=0)))


def between(steps: tuple[FloatStep, ...], stream: Forms) -> Forms:
    """Return the streams after steps on a token alone."""
    for step in steps:
        stream = alone(step, stream)
    return stream


def _attention(floats: FloatNetwork, step: int) -> list[FloatAttention]:
    return [one for one in (floats.steps[step],) if isinstance(one, FloatAttention)]


def directions(floats: FloatNetwork, claim: TracksClaim, form: Layout, number: int, level: AttentionLevel
               ) -> list[NDArray[np.int32]]:
    """Return orthonormal rows / 2^30 that span each head's output, principal directions of sampled averages first."""
    inputs = sampled_inputs(claim, form, SAMPLES)
    tokens = np.array([claim.tokens(form, one)[:-1] for one in inputs], np.intp)
    places, at = np.arange(tokens.shape[1]), attention_steps(floats)[number]
    stream = floats.embedded(tokens, claim.offset + places)
    for step in floats.steps[:at]:
        stream = floats.after(step, stream, claim.offset + places, places)
    read, found = level.step.normed(stream), []
    for head, forms in zip(level.step.heads, level.heads, strict=True):
        weights = level.step.weights(head, read, claim.offset + places, places)
        written = np.concatenate([forms.written.centre, forms.written.parts.reshape(-1, stream.shape[2])])
        found.append(_basis(written, weights @ (head.value(read) @ head.out)))
    return found


def _basis(written: Array, averages: Array) -> NDArray[np.int32]:
    _, sizes, rows = np.linalg.svd(written, full_matrices=False)
    span = rows[sizes > NOTHING * max(sizes.max(), NOTHING)]
    if not len(span):
        return np.zeros((0, written.shape[1]), np.int32)
    deviations = ((averages - averages.mean(axis=0)).reshape(-1, written.shape[1])) @ span.T
    turn = np.linalg.eigh(deviations.T @ deviations)[1][:, ::-1].T
    return np.asarray(np.rint(turn @ span * ONE), np.int32)
