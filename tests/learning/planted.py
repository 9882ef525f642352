"""A copy of a network with a neuron more, which fires on one word of n letters and on no other of at most n."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from constructions.trained.claim import Row, WordsClaim
from constructions.trained.network import Affine, AttentionStep, Tensor, TrainedNetwork, UnitsStep, View
from proofs.trained.forward import FloatNetwork
from proofs.trained.key_value_cache import EMPTY, extend
from proofs.words.tracking import cases_at, track

Numbers = NDArray[np.float64]
LEAST_GAP = 1e-9


def planted(network: TrainedNetwork, claim: WordsClaim, length: int, draws: int = 200) -> tuple[TrainedNetwork, str]:
    """Return the network with a neuron that is positive on one word only, and that word.

    It is the farthest word with a case, over two letters, in the best of ``draws`` random directions.

    The neuron is above 0 behind a cut between that word and the next one. It turns what the first row says there by a
    large number.
    """
    floats, draw = FloatNetwork(network), np.random.default_rng(0)
    words, streams = zip(*_levels(floats, claim, length), strict=True)
    best: tuple[float, Numbers, float, int] | None = None
    for direction in draw.normal(size=(draws, streams[0].shape[1])):
        values = streams[-1] @ direction
        second, first = np.sort(values)[-2:]
        second = max(second, *((level @ direction).max() for level in streams[:-1]))
        gap, place = float((first - second) / np.abs(direction).sum()), int(values.argmax())
        if len(set(words[-1][place])) > 1 and gap > (best[0] if best else LEAST_GAP):
            best = gap, direction * 2 / (first - second), -(first + second) / (first - second), place
    assert best is not None
    _, inward, bias, place = best
    word = "".join(claim.alphabet[letter] for letter in words[-1][place])
    row = claim.cases[cases_at(claim, word, length)[0]].above[0]
    return _with_neuron(network, inward, bias, row), word


def _levels(floats: FloatNetwork, claim: WordsClaim, length: int) -> Iterator[tuple[NDArray[np.int8], Numbers]]:
    """Yield the words of 1, 2, … letters with a case, and their streams after the last attention."""
    prefixes, words, tracker = EMPTY, np.zeros((1, 0), np.int8), track(claim)
    states = [tracker.start]
    for token in claim.before:
        prefixes = extend(floats, prefixes, np.array([0]), np.array([token]), 0, judged=False)
    for _ in range(length):
        longer = [(place, letter, after) for place, state in enumerate(states) for letter in range(2)
                  if (after := tracker.step(state, letter)).cases]
        parents, letters = (np.array([one[k] for one in longer]) for k in (0, 1))
        states = [one[2] for one in longer]
        words = np.concatenate([words[parents], letters[:, np.newaxis].astype(np.int8)], axis=1)
        prefixes = extend(floats, prefixes, parents, np.array(claim.tokens)[letters], 0, judged=True)
        assert prefixes.stream is not None
        yield words, prefixes.stream


def _with_neuron(network: TrainedNetwork, inward: Numbers, bias: float, row: Row) -> TrainedNetwork:
    last = max(k for k, step in enumerate(network.steps) if isinstance(step, AttentionStep))
    width, head = len(inward), network.tensors["lm_head.weight"]
    weights = np.frombuffer(head.data, "<f4").reshape(head.shape).astype(float)
    wanted = sum((float(number) * weights[token] for token, number in row), np.zeros(width))
    made = {"planted.in": inward[:, np.newaxis], "planted.bias": np.array([bias]),
            "planted.out": -1e4 * (wanted - wanted.mean())[np.newaxis]}
    tensors = {name: Tensor("binary64", values.shape, values.astype("<f8").tobytes()) for name, values in made.items()}
    neuron = UnitsStep(None, Affine(View("planted.in", 0, (width, 1), (1, 1)), View("planted.bias", 0, (1,), (1,))),
                       None, "relu", Affine(View("planted.out", 0, (1, width), (width, 1))))
    return replace(network, tensors=dict(network.tensors) | tensors,
                   steps=(*network.steps[: last + 1], neuron, *network.steps[last + 1 :]))
