"""A small network made of every kind of step, whose numbers are few and exact."""

from fractions import Fraction
from pathlib import Path

import numpy as np

from constructions.trained.json_form import network_text
from constructions.trained.network import (
    Affine,
    AttentionStep,
    Norm,
    NormStep,
    Rotary,
    Scale,
    Source,
    Tensor,
    TrainedHead,
    TrainedNetwork,
    UnitsStep,
    View,
)


def tensor(*shape: int) -> Tensor:
    """Binary32 numbers 0, 1/8, 2/8, ..., of this shape."""
    elements = np.arange(np.prod(shape), dtype="<f4") / np.float32(8)
    return Tensor("binary32", shape, elements.tobytes())


def matrix(name: str, rows: int, columns: int, start: int = 0) -> View:
    return View(name, start, (rows, columns), (columns, 1))


def small_network() -> TrainedNetwork:
    """Width 4, two heads of width 2 with rotary positions, three gated units."""
    square, wide = matrix("square", 4, 2), matrix("wide", 4, 3)
    bias = View("square", 0, (4,), (1,))
    head = TrainedHead(Affine(square, View("square", 2, (2,), (1,))), Affine(square), Affine(square),
                       View("square", 0, (2, 4), (1, 2)), Fraction(1, 3))
    rotary = Rotary(matrix("tables", 5, 1), matrix("tables", 5, 1, 5), "neighbours")
    norm = Norm("layer", Fraction("1e-5"), bias, bias)
    return TrainedNetwork(
        "causal", matrix("tokens", 3, 4), None,
        (AttentionStep(norm, (head, head), bias, Scale(root=2), rotary),
         UnitsStep(None, Affine(wide), Affine(wide), "silu", Affine(View("wide", 0, (3, 4), (1, 3)))),
         NormStep(Norm("rms", Fraction(1, 8)))),
        Affine(View("tokens", 0, (4, 3), (1, 4))),
        {"square": tensor(4, 2), "wide": tensor(4, 3), "tables": tensor(10), "tokens": tensor(3, 4)},
        (Source("model.safetensors", "0" * 64),))


def write_network(network: TrainedNetwork, path: str | Path) -> None:
    """Write the file of a network."""
    Path(path).write_text(network_text(network), encoding="utf-8")
