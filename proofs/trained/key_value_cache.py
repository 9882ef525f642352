"""Key-value cache for many prefixes at once, token by token: keys and values of shared prefixes are computed once.

A *level* is one token of the input; its rows are the different prefixes that end there. A longer prefix has a row at
each level. Float64: evidence, not proof.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proofs.trained.forward import Array, FloatAttention, FloatNetwork, equal_weights, softmax

Rows = NDArray[np.integer]


@dataclass(frozen=True)
class CachedToken:
    """Keys and values of one token, for each attention step and head: [rows, head width]; the tokens [rows]."""

    tokens: Rows
    keys: list[list[Array]]
    values: list[list[Array]]


@dataclass(frozen=True)
class Prefixes:
    """Prefixes of one length: ``path[:, j]`` are their rows at level j, the last column 0, 1, …."""

    levels: tuple[CachedToken, ...]
    path: Rows
    stream: Array | None
    """The streams of their last tokens after the last attention step, if ``judged``."""

    def __len__(self) -> int:
        return len(self.path)


EMPTY = Prefixes((), np.zeros((1, 0), dtype=np.intp), None)
"""The one prefix without a token."""


def extend(
    network: FloatNetwork, prefixes: Prefixes, parents: Rows, tokens: Rows, offset: int, *, judged: bool,
) -> Prefixes:  # fmt: skip
    """Return prefix ``parents[r]`` followed by token ``tokens[r]``, for each r; with streams if ``judged``."""
    number = np.array([offset + len(prefixes.levels)])
    stream = network.embedded(tokens, number)
    path = np.concatenate([prefixes.path[parents], np.arange(len(parents))[:, np.newaxis]], 1)
    level = CachedToken(tokens, [], [])
    levels = (*prefixes.levels, level)
    for k, step in enumerate(network.steps[: network.last_attention + 1]):
        if not isinstance(step, FloatAttention):
            stream = network.alone(step, stream)
            continue
        normed = step.normed(stream)[:, np.newaxis]
        level.keys.append([step.keys(head, normed, number)[:, 0] for head in step.heads])
        level.values.append([head.value(normed)[:, 0] for head in step.heads])
        if judged or k < network.last_attention:
            stream = step.write(stream, _averages(step, normed, number, levels, path))
    return Prefixes(levels, path, stream if judged else None)


def _averages(step: FloatAttention, normed: Array, number: Rows, levels: tuple[CachedToken, ...],
              path: Rows) -> list[Array]:
    """Return, for each head, the averages of the values of all levels, on the path of each row."""
    this, found = len(levels[-1].keys) - 1, []
    for index, head in enumerate(step.heads):
        queries = step.queries(head, normed, number)[:, 0]
        scores = np.empty(path.shape)
        for j, level in enumerate(levels):
            scores[:, j] = np.einsum("rd,rd->r", queries, level.keys[this][index][path[:, j]])
        if head.attends is None:
            weights = softmax(step.capped(scores) + head.slope * np.arange(1 - len(levels), 1))
        else:
            tokens = np.stack([level.tokens[path[:, j]] for j, level in enumerate(levels)], axis=1)
            weights = equal_weights(np.isin(tokens, head.attends), np.arange(1 - len(levels), 1) == 0)
        average = np.zeros((len(path), head.out.shape[0]))
        for j, level in enumerate(levels):
            average += weights[:, j, np.newaxis] * level.values[this][index][path[:, j]]
        found.append(average)
    return found


def numbers_of_a_row(network: FloatNetwork) -> int:
    """Return how many numbers one row of one level has."""
    steps = [step for step in network.steps if isinstance(step, FloatAttention)]
    return sum(head.key.weight.shape[1] + head.value.weight.shape[1] for step in steps for head in step.heads)
