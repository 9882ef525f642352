"""Networks that add, written by hand: one layer, one head or two, no trained weights."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from constructions.tables import read_toml
from constructions.trained.network import (
    Affine,
    AttentionStep,
    Scale,
    Step,
    Tensor,
    TrainedHead,
    TrainedNetwork,
    UnitsStep,
    View,
)
from constructions.trained.tracks import TracksClaim

FAR = -60.0  # a score that is never heard


class Tensors:
    """Arrays as tensors of binary64 numbers."""

    def __init__(self) -> None:
        self.made: dict[str, Tensor] = {}

    def view(self, array: NDArray[np.float64]) -> View:
        name = f"t{len(self.made)}"
        self.made[name] = Tensor("binary64", array.shape, array.astype("<f8").tobytes())
        strides = (array.shape[1], 1) if array.ndim == 2 else (1,)
        return View(name, 0, array.shape, strides)


def adder(base: int, columns: int, *, heads: int = 1, blur: float = 0.0) -> TrainedNetwork:
    """Return a network that adds: digits (least first), base, digits, base + 1, and the digits of the sum.

    At the place before answer i the head weighs column j by base^(j - i), so that its average is s / constant, where
    floor(s) is the sum of both digits and the carry; units write a staircase of s, whose value modulo the base is the
    answer. ``blur`` moves one weight, so that some answers may be wrong.
    """
    length = 3 * columns + 2
    width = 3 + length
    total = 2 * base / (base - 1) + 0.5  # more than all weights of columns up to i, relative to that of column i
    score = np.full((length, length), FAR)
    for i in range(columns + 1):
        place = 2 * columns + 1 + i
        attended = 0.0
        for j in range(min(i, columns - 1) + 1):
            for first in (0, columns + 1):
                score[place, first + j] = (j - i) * math.log(base)
                attended += base ** (j - i)
        score[place, columns] = math.log(total - attended)
    make = Tensors()
    tokens, positions = np.zeros((base + 2, width)), np.zeros((length, width))
    tokens[:base, 0] = np.arange(base)
    positions[:, 3:] = np.eye(length)
    query, key = np.zeros((width, length)), np.zeros((width, length))
    query[3:], key[3:] = np.eye(length), score.T
    made = []
    for _ in range(heads):
        value, out = np.zeros((width, 1)), np.zeros((1, width))
        value[0] = 1
        out[0, 1] = total / heads
        made.append(TrainedHead(Affine(make.view(query)), Affine(make.view(key)), Affine(make.view(value)),
                                make.view(out)))
    attention = AttentionStep(None, tuple(made), None, Scale(times=Fraction(1)))
    unembedding, bias = np.zeros((width, base)), -np.square(np.arange(base, dtype=np.float64))
    unembedding[2] = 2 * np.arange(base)
    unembedding[1, 0] = blur
    return TrainedNetwork("causal", make.view(tokens), make.view(positions),
                          (attention, staircase(make, width, base, base ** -float(columns))),
                          Affine(make.view(unembedding), make.view(bias)), make.made)


def staircase(make: Tensors, width: int, base: int, gap: float) -> UnitsStep:
    """Writes floor(s) mod base beside s, for s below 2 base that is not within ``gap`` below a whole number."""
    inward, bias, outward = [], [], []
    for step in range(1, 2 * base):
        rise = 1 - base if step == base else 1
        for start, sign in ((step - 0.75 * gap, 1), (step - 0.25 * gap, -1)):
            inward.append(2 / gap)
            bias.append(-2 / gap * start)
            outward.append(sign * rise)
    weights, back = np.zeros((width, len(inward))), np.zeros((len(inward), width))
    weights[1], back[:, 2] = inward, outward
    return UnitsStep(None, Affine(make.view(weights), make.view(np.array(bias))), None, "relu", Affine(make.view(back)))


def claim_text(base: int, columns: int | str, more: str = "") -> str:
    """Return the claim that the network of ``adder`` adds."""
    digits = "0123456789"[:base]
    return (f'alphabet = "{digits}"\ncolumns = {columns}\ntracks = ["a", "b"]\nmachine = "add"\n'
            f'layout = ["a", {base}, "b", {base + 1}, "answer"]\n{more}')


def short_claim_text(base: int, columns: str) -> str:
    """Return the claim for shorter numbers, too, each padded with zeros to two digits."""
    tracks = (f'{{ track = "{name}", pad = 0, to = 2 }}' for name in "ab")
    return claim_text(base, columns).replace(f'"a", {base}, "b"', f"{next(tracks)}, {base}, {next(tracks)}")


def adds(network: TrainedNetwork, base: int, columns: int, more: str = "") -> TracksClaim:
    """Return the same about a network."""
    from certify.claims.trained.tracks_file import tracks_claim_of_table

    return tracks_claim_of_table(read_toml(claim_text(base, columns, more), "claim"), "claim", network)


def silent(step: Step) -> list[Step]:
    """Return a layer that writes nothing."""
    assert isinstance(step, AttentionStep)
    nothing = View(step.heads[0].out.tensor, 0, step.heads[0].out.shape, (0, 0))
    return [replace(step, heads=(replace(step.heads[0], out=nothing),))]
