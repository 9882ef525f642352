"""Parts of a network put together from the tensors of a file: sums, norms, heads, units (``graph/`` lays them out)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np

from constructions.errors import InputError
from constructions.importing.graph.exact import Array, Exactness
from constructions.importing.graph.forms import (
    Attention,
    Flat,
    HeadBase,
    HeadReads,
    NormBase,
    NotUnderstood,
    TokenBase,
    UnitBase,
    Units,
    beside,
)
from constructions.importing.graph.network import write
from constructions.importing.graph.tensors import Tensors
from constructions.importing.parts import Found
from constructions.importing.weights import Weights
from constructions.trained.network import Activation, Affine, Attends, View
from constructions.trained.numbers import view_of_tensor


@dataclass
class Composer:
    """The weights of a file as forms of what a token has."""

    weights: Weights
    exactness: Exactness = field(default_factory=Exactness)

    def array(self, view: View) -> Array:
        """The numbers of a view."""
        return view_of_tensor(self.weights.tensors[view.tensor], view)

    def looked_up(self, table: Array) -> Flat:
        """Rows of a table, by tokens."""
        return Flat({TokenBase(len(table)): table}, (), table.shape[1])

    def moved(self, flat: Flat, constant: Array) -> Flat:
        """A row, or a table of positions, added."""
        return Flat(flat.terms, (*flat.constants, np.atleast_2d(constant)), flat.size)

    def plus(self, *flats: Flat) -> Flat:
        """The sum."""
        total = flats[0]
        for flat in flats[1:]:
            total = total.plus(flat, self.exactness)
        return total

    def linear(self, flat: Flat, affine: Affine) -> Flat:
        """A linear map."""
        made = flat.times(self.array(affine.weight), self.exactness)
        return self.moved(made, self.array(affine.bias)) if affine.bias else made

    def norm(self, flat: Flat, kind: Literal["layer", "rms"], epsilon: Fraction, gain: Array | None,
             bias: Array | None = None) -> Flat:
        """A norm."""
        return Flat({NormBase(flat.size, flat.as_sum(), kind, epsilon, gain, bias): np.eye(flat.size)}, (), flat.size)

    def units(self, inward: Flat, activation: Activation, gate: Flat | None = None) -> Flat:
        """Units."""
        return Flat({UnitBase(inward.size, Units(activation, gate, inward)): np.eye(inward.size)}, (), inward.size)

    def attention(self, heads: Sequence[HeadReads], scale: Fraction | int,
                  rotary: tuple[Array, Array] | None = None, cap: Fraction | None = None) -> Flat:
        """The averages of heads, one after another."""
        made = Attention(scale, rotary, list(heads), cap)
        bases = [HeadBase(head.value.size, made, index) for index, head in enumerate(heads)]
        return beside([Flat({base: np.eye(base.size)}, (), base.size) for base in bases])

    def finish(self, logits: Flat, positions: int, attends: Attends, kind: str) -> Found:
        """The network; tensors of the file whose numbers stand in others are set aside.

        Raises:
            InputError: if the parts do not fit into one stream.
        """
        tensors = Tensors({}, pieces=True)
        for name, tensor in self.weights.tensors.items():
            tensors.learn(name, tensor)
        try:
            found = write(logits, positions, attends, kind, self.exactness, tensors)
        except NotUnderstood as problem:
            raise InputError(f"{self.weights.where}: {problem}") from None
        for name in self.weights.tensors:
            if name not in tensors.made:
                self.weights.aside.setdefault(name, "its numbers are in tensors computed.…")
        self.weights.tensors |= tensors.made
        return found


def in_heads(flat: Flat, heads: int) -> list[Flat]:
    """The forms of each head, which follow one another."""
    width = flat.size // heads
    return [flat.columns(np.arange(head * width, (head + 1) * width)) for head in range(heads)]
