"""Small random networks: every kind of norm, attention (capped, of each third seed), position and unit, in the four
formats, with strided views."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from constructions.trained.network import (
    ELEMENT_BYTES,
    Activation,
    Affine,
    AttentionStep,
    Norm,
    NormStep,
    Rotary,
    Scale,
    Step,
    Tensor,
    TrainedHead,
    TrainedNetwork,
    UnitsStep,
    View,
)

ACTIVATIONS: tuple[Activation, ...] = ("relu", "gelu", "gelu-tanh", "silu", "sigmoid", "tanh", "identity")
ROWS = 12


@dataclass
class Maker:
    """Draws tensors and remembers them."""

    draw: np.random.Generator
    size: float
    images: bool = False
    rows: int = ROWS
    tensors: dict[str, Tensor] = field(default_factory=dict)

    def choice(self, *options: object) -> object:
        return options[self.draw.integers(len(options))]

    def tensor(self, count: int) -> str:
        """Return a new flat tensor of a random format; its name."""
        form, numbers = str(self.choice(*ELEMENT_BYTES)), self.draw.normal(size=count) * self.size
        if form == "bfloat16":
            data = (numbers.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
        else:
            data = numbers.astype({"binary64": "<f8", "binary32": "<f4", "binary16": "<f2"}[form]).tobytes()
        name = f"t{len(self.tensors)}"
        self.tensors[name] = Tensor(form, (count,), data)
        return name

    def matrix(self, rows: int, columns: int) -> View:
        """Return a view by rows, by columns, or with a gap before and between."""
        match self.choice("rows", "columns", "gap"):
            case "rows":
                return View(self.tensor(rows * columns), 0, (rows, columns), (columns, 1))
            case "columns":
                return View(self.tensor(rows * columns), 0, (rows, columns), (1, rows))
        return View(self.tensor(3 + rows * (columns + 2)), 3, (rows, columns), (columns + 2, 1))

    def vector(self, length: int) -> View:
        return View(self.tensor(length), 0, (length,), (1,))

    def maybe_vector(self, length: int) -> View | None:
        return self.vector(length) if self.choice(True, False) else None

    def affine(self, inward: int, outward: int) -> Affine:
        return Affine(self.matrix(inward, outward), self.maybe_vector(outward))

    def norm(self, width: int) -> Norm:
        kind: Literal["layer", "rms"] = "layer" if self.choice(True, False) else "rms"
        is_image = self.images and self.choice(True, True, False)
        of = self.affine(width, int(self.draw.integers(2, 7))) if is_image else None
        width = of.weight.shape[1] if of else width
        return Norm(kind, Fraction("1e-5"), self.maybe_vector(width), self.maybe_vector(width), of)

    def maybe_norm(self, width: int) -> Norm | None:
        return self.norm(width) if self.choice(True, True, False) else None

    def attention(self, width: int) -> AttentionStep:
        heads, head_width, value_width = (int(self.draw.integers(1, 4)), int(self.draw.integers(2, 6)),
                                          int(self.draw.integers(1, 6)))
        slopes = self.choice(True, False)
        norm = self.maybe_norm(width) if self.images else None
        reads = norm.reads(width) if norm else width
        made = tuple(TrainedHead(self.affine(reads, head_width), self.affine(reads, head_width),
                                 self.affine(reads, value_width), self.matrix(value_width, width),
                                 Fraction(1, 2 ** (h + 1)) if slopes else None) for h in range(heads))
        scale = Scale(root=head_width) if self.choice(True, False) else Scale(times=Fraction(2, 3))
        norm = norm if self.images else self.maybe_norm(width)
        return AttentionStep(norm, made, self.maybe_vector(width), scale, self.rotary(head_width))

    def rotary(self, head_width: int) -> Rotary | None:
        if self.choice(True, False):
            return None
        pairs = head_width // 2 if self.choice(True, False) else 1
        pairing: Literal["halves", "neighbours"] = "halves" if self.choice(True, False) else "neighbours"
        return Rotary(self.matrix(self.rows, pairs), self.matrix(self.rows, pairs), pairing)

    def units(self, width: int) -> UnitsStep:
        count = int(self.draw.integers(2, 10))
        norm = self.maybe_norm(width) if self.images else None
        reads = norm.reads(width) if norm else width
        gate = self.affine(reads, count) if self.choice(True, False) else None
        activation = ACTIVATIONS[self.draw.integers(len(ACTIVATIONS) - (not self.images))]
        norm = norm if self.images else self.maybe_norm(width)
        return UnitsStep(norm, self.affine(reads, count), gate, activation, self.affine(count, width))


def random_network(seed: int, *, vocabulary: int = 5, size: float = 0.7, images: bool = False, rows: int = ROWS
                   ) -> TrainedNetwork:
    """The network of this seed: one to three blocks of width 3 to 8; with ``images`` norms of images, linear steps."""
    maker = Maker(np.random.default_rng(seed), size, images, rows)
    width = int(maker.draw.integers(3, 9))
    tokens = maker.matrix(vocabulary, width)
    positions = maker.matrix(rows, width) if maker.choice(True, True, False) else None
    steps: list[Step] = []
    for _ in range(maker.draw.integers(1, 4)):
        attention = maker.attention(width)
        steps.append(attention if seed % 3 else replace(attention, cap=Fraction(seed % 5 + 1, 2)))
        steps += [maker.units(width)] if maker.choice(True, True, False) else []
        if maker.choice(True, False):
            norm = maker.norm(width)
            steps.append(NormStep(norm))
            width = norm.reads(width)
    causal = maker.choice(True, False)
    unembedding = maker.affine(width, int(maker.draw.integers(2, 6)))
    return TrainedNetwork("causal" if causal else "bidirectional", tokens, positions, tuple(steps), unembedding,
                          maker.tensors)
