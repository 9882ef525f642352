"""Directions along which averages are bounded: principal components of the averages of heads on sampled words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from constructions.trained.claim import WordsClaim
from proofs.trained.classes.paths import Skeleton
from proofs.trained.forward import FloatAttention, FloatNetwork

Array = NDArray[np.float64]

ONE = 1 << 30  # directions are integers / 2^30
CLASSES = 32   # from which words are sampled
WORDS = 24     # from each


@dataclass(frozen=True, eq=False)
class Directions:
    """Square matrices of integers, one for each attention step and head; rows / 2^30 are nearly orthonormal."""

    matrices: tuple[tuple[NDArray[np.int32], ...], ...]

    def rows(self, step: int, head: int) -> Array:
        """Return the rows as floats."""
        return self.matrices[step][head] / ONE


def sampled_directions(floats: FloatNetwork, claim: WordsClaim, skeleton: Skeleton, offset: int) -> Directions:
    """Return principal directions of deviations from class means; equal arguments sample equal words."""
    steps = [step for step in floats.steps if isinstance(step, FloatAttention)]
    moments = [[np.zeros((head.out.shape[0],) * 2) for head in step.heads] for step in steps]
    random = np.random.default_rng(0)
    asked = skeleton.asked
    for place in np.unique(np.linspace(0, len(asked) - 1, CLASSES).astype(int)):
        level, node = asked[place]
        paths = _sample(skeleton, level, node, random)
        inputs = np.array([path_tokens(claim, skeleton, level, path) for path in paths])
        at = 0 if claim.read == "first" else inputs.shape[1] - 1
        moments = [[moment + _moment(average) for moment, average in zip(*step, strict=True)]
                   for step in zip(moments, averages_at(floats, inputs, offset, at), strict=True)]  # fmt: skip
    return Directions(tuple(tuple(_principal(moment) for moment in step) for step in moments))


def plain_directions(floats: FloatNetwork) -> Directions:
    """Return the coordinate directions, for units without asked nodes."""
    steps = [step for step in floats.steps if isinstance(step, FloatAttention)]
    return Directions(tuple(tuple(_principal(np.eye(head.out.shape[0])) for head in step.heads) for step in steps))


def path_tokens(claim: WordsClaim, skeleton: Skeleton, level: int,
                path: Sequence[int] | NDArray[np.intp]) -> list[int]:
    """Return the input up to the node at a level, for a path of nodes (indices in the graph) on levels 1 … ."""
    letters = [claim.tokens[letter] for letter in path_letters(skeleton, path)]
    return [*claim.before, *letters, *claim.after[: max(0, level - skeleton.graph.length)]]


def path_letters(skeleton: Skeleton, path: Sequence[int] | NDArray[np.intp]) -> tuple[int, ...]:
    """Return the letters of the word that follows a path."""
    return tuple(skeleton.graph.levels[depth].letters[node]
                 for depth, node in enumerate(path[: skeleton.graph.length], start=1))  # fmt: skip


def averages_at(floats: FloatNetwork, inputs: NDArray[np.intp], offset: int, at: int) -> list[list[Array]]:
    """Return, for each attention step and head, the averages [words, value width] at a token."""
    numbers = offset + np.arange(inputs.shape[1])
    everything, end = np.arange(inputs.shape[1]), np.array([at])
    stream, found = floats.embedded(inputs, numbers), []
    for place, step in enumerate(floats.steps[: floats.last_attention + 1]):
        if isinstance(step, FloatAttention):
            found.append([average[:, 0] for average in step.averages(stream, numbers, end, inputs)])
        if place < floats.last_attention:
            stream = floats.after(step, stream, numbers, everything, inputs)
    return found


def _sample(skeleton: Skeleton, level: int, node: int, random: np.random.Generator) -> NDArray[np.intp]:
    """Sample paths to a node, [WORDS, level] nodes in the graph: each predecessor is drawn at random."""
    places = np.repeat(skeleton.places([(level, node)]), WORDS)
    paths = np.empty((WORDS, level), np.intp)
    for depth in range(level, 0, -1):
        paths[:, depth - 1] = skeleton.levels[depth].nodes[places]
        options = skeleton.levels[depth].predecessors[:, places]
        places = options[random.integers(len(options), size=WORDS), np.arange(WORDS)]
    return paths


def _moment(average: Array) -> Array:
    """Return the second moment of the deviations, normalised to trace 1 (0 without deviations)."""
    deviations = average - average.mean(axis=0)
    moment = deviations.T @ deviations
    trace = np.float64(np.trace(moment))
    return np.asarray(moment / trace) if trace > 0 else np.zeros_like(moment)


def _principal(moment: Array) -> NDArray[np.int32]:
    """Return the eigenvectors as rows, the greatest eigenvalue first."""
    vectors = np.linalg.eigh(moment)[1][:, ::-1].T
    return np.asarray(np.rint(vectors * ONE), np.int32)
