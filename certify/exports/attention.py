"""Attention weights of a certificate's heads on one word, in floating point: for pictures, and for nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Weights = tuple[tuple[float, ...], ...]
"""Row i is what position i attends to."""


def sample_word(alphabet: Sequence[str], n: int) -> tuple[str, ...]:
    """A word in which each symbol has each other one beside it somewhere, if it is long enough.

    >>> "".join(sample_word("ab", 8)), "".join(sample_word("abc", 9))
    ('abbaabba', 'abcbcacab')
    """
    size = len(alphabet)
    return tuple(alphabet[(place + place // size) % size] for place in range(n))


def attention_weights(arrays: Mapping[str, Array], word: Sequence[str]) -> dict[tuple[int, int], Weights]:
    """By layer and head (from 1), what each position of the word attends to; ``arrays`` are those of ``npz.py``."""
    n, alphabet = len(word), list(arrays["alphabet"])
    stream = arrays["token_embedding"][[alphabet.index(symbol) for symbol in word]]
    stream[:, arrays["position_directions"]] += arrays["position_embedding"][n - 1, :n]
    found: dict[tuple[int, int], Weights] = {}
    for layer, heads in enumerate(arrays["heads"], start=1):
        added = np.zeros_like(stream)
        for place in range(1, heads + 1):
            weights = _weights(arrays, f"layer{layer}.head{place}", stream)
            found[layer, place] = tuple(map(tuple, weights.tolist()))
            added += weights @ stream @ arrays[f"layer{layer}.head{place}.values"].T
        stream = stream + added
        w1, b1, w2, b2 = (arrays[f"layer{layer}.{name}"] for name in ("w1", "b1", "w2", "b2"))
        stream = stream + np.maximum(stream @ w1.T + b1, 0) @ w2.T + b2
    return found


def _weights(arrays: Mapping[str, Array], head: str, stream: Array) -> Array:
    n = len(stream)
    scores = (stream @ arrays[f"{head}.queries"].T) @ (stream @ arrays[f"{head}.keys"].T).T
    i, j = np.indices((n, n))
    hidden = {"none": j < 0, "future": j > i, "past": j < i}[str(arrays[f"{head}.mask"])]
    scaled = np.where(hidden, -np.inf, scores / arrays[f"{head}.temperature"][n - 1, :n, np.newaxis])
    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    weights: Array = powers / powers.sum(axis=1, keepdims=True)
    return weights
