"""Composition of a network from the tensors of a file: sums, norms, heads, hidden units (``graph/`` lays them out).

``rewritten`` does so with steps: for Linears that round their inputs by range, as torch's ``quantize_dynamic`` makes
them, and for logits of the mean over all tokens.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from constructions.errors import InputError
from constructions.importing.graph.affine_forms import (
    Array,
    Exactness,
    Flat,
    HeadBase,
    HeadReads,
    HiddenUnits,
    NormBase,
    NotUnderstood,
    SoftmaxHeads,
    TokenBase,
    UnitBase,
    beside,
)
from constructions.importing.graph.network import Writer
from constructions.importing.graph.tensors import Tensors
from constructions.importing.parts import RecognisedNetwork, TensorReader
from constructions.trained.network import (
    Activation,
    Affine,
    Attends,
    AttentionStep,
    NormStep,
    Rounding,
    Step,
    View,
)
from constructions.trained.numbers import view_of_tensor


@dataclass
class Composer:
    """Composition of the weights of a file as affine forms of a token's values."""

    weights: TensorReader
    exactness: Exactness = field(default_factory=Exactness)

    def array(self, view: View) -> Array:
        """Return the numbers of a view."""
        return view_of_tensor(self.weights.tensors[view.tensor], view)

    def looked_up(self, table: Array) -> Flat:
        """Return the rows of a table, by tokens."""
        return Flat({TokenBase(len(table)): table}, (), table.shape[1])

    def moved(self, flat: Flat, constant: Array) -> Flat:
        """Return the forms plus a row, or plus a table of positions."""
        return Flat(flat.terms, (*flat.constants, np.atleast_2d(constant)), flat.size)

    def plus(self, *flats: Flat) -> Flat:
        """Return the sum."""
        total = flats[0]
        for flat in flats[1:]:
            total = total.plus(flat, self.exactness)
        return total

    def linear(self, flat: Flat, affine: Affine) -> Flat:
        """Return a linear map."""
        made = flat.times(self.array(affine.weight), self.exactness)
        return self.moved(made, self.array(affine.bias)) if affine.bias else made

    def norm(self, flat: Flat, kind: Literal["layer", "rms"], epsilon: Fraction, gain: Array | None,
             bias: Array | None = None) -> Flat:
        """Return a norm."""
        return NormBase(flat.size, flat.as_sum(), kind, epsilon, gain, bias).values()

    def units(self, inward: Flat, activation: Activation | Rounding, gate: Flat | None = None) -> Flat:
        """Return the values of hidden units."""
        return UnitBase(inward.size, HiddenUnits(activation, gate, inward)).values()

    def attention(self, heads: Sequence[HeadReads], scale: Fraction | int,
                  rotary: tuple[Array, Array] | None = None, cap: Fraction | None = None) -> Flat:
        """Return the averages of heads, concatenated."""
        made = SoftmaxHeads(scale, rotary, list(heads), cap)
        return beside([HeadBase(head.value.size, made, index).values() for index, head in enumerate(heads)])

    def finish(self, logits: Flat, positions: int, attends: Attends, kind: str) -> RecognisedNetwork:
        """Return the network; tensors of the file that are contained in others are set aside."""
        tensors = Tensors({}, pieces=True)
        for name, tensor in self.weights.tensors.items():
            tensors.learn(name, tensor)
        try:
            found = Writer(logits, positions, self.exactness, tensors).network(attends, kind)
        except NotUnderstood as problem:
            raise InputError(f"{self.weights.where}: {problem}") from None
        for name in self.weights.tensors:
            if name not in tensors.made:
                self.weights.aside.setdefault(name, "its numbers are in tensors computed.…")
        self.weights.tensors |= tensors.made
        return found


def in_heads(flat: Flat, heads: int) -> list[Flat]:
    """Split the forms into those of each head, which are adjacent."""
    width = flat.size // heads
    return [flat.columns(np.arange(head * width, (head + 1) * width)) for head in range(heads)]


LEVELS = 127
"""torch rounds to 7 bits on x86 (``reduce_range``), so that its sums of products do not saturate."""


def rewritten(found: RecognisedNetwork, weights: TensorReader, names: Collection[str]) -> RecognisedNetwork:
    """Return the network with the inputs of the named matrices rounded by the range of all tokens.

    Logits of the mean over all tokens become logits of the last token, from a uniform head.
    """
    made = _Ranges(weights, names)
    flat = made.looked_up(made.array(found.tokens))
    flat = made.moved(flat, made.array(found.positions)) if found.positions else flat
    for step in found.steps:
        flat = made.after(step, flat)
    if found.pooled is not None:
        empty = Flat({}, (), 1)
        flat = made.attention([HeadReads(empty, empty, flat, None)], Fraction(1))
        for step in found.pooled:
            flat = made.after(step, flat)
    logits = made.linear(flat, found.unembedding)
    if unmet := [name for name in names if name not in made.rounded]:
        raise InputError(f"{weights.where}: tensor {unmet[0]} is of a Linear of quantize_dynamic, but not a matrix of "
                         f"this kind of network; expected a graph of ONNX")
    return replace(made.finish(logits, found.rows or 1, found.attention, found.kind), readout=found.readout)


class _Ranges(Composer):
    """Steps as forms; ``rounded`` contains the matrices whose inputs are rounded."""

    def __init__(self, weights: TensorReader, names: Collection[str]) -> None:
        super().__init__(weights)
        self.names, self.rounded = names, set[str]()
        self._made: dict[int, tuple[Flat, Flat]] = {}

    def multiplied(self, flat: Flat, tensor: str) -> Flat:
        """Return the input of a matrix, rounded if its name is listed."""
        if tensor not in self.names:
            return flat
        self.rounded.add(tensor)
        if id(flat) not in self._made:
            self._made[id(flat)] = flat, self.units(flat, Rounding(0, LEVELS, range="input"))
        return self._made[id(flat)][1]

    def linear(self, flat: Flat, affine: Affine) -> Flat:
        """Return a linear map of the numbers, rounded or not."""
        return super().linear(self.multiplied(flat, affine.weight.tensor), affine)

    def after(self, step: Step, flat: Flat) -> Flat:
        """Return the stream after a step."""
        read = flat
        if (norm := step.norm) is not None:
            if norm.of is not None:
                raise InputError(f"{self.weights.where}: a norm of an image in a network of quantize_dynamic, expected "
                                 f"a graph of ONNX")
            read = self.norm(flat, norm.kind, norm.epsilon, *(
                None if view is None else self.array(view) for view in (norm.gain, norm.bias)))
        if isinstance(step, NormStep):
            return read
        if isinstance(step, AttentionStep):
            return self.plus(flat, self.heads_of(step, read))
        gate = None if step.gate is None else self.linear(read, step.gate)
        units = self.units(self.linear(read, step.inward), step.activation, gate)
        return self.plus(flat, self.linear(units, step.outward))

    def heads_of(self, step: AttentionStep, read: Flat) -> Flat:
        """Return the output of the heads of a step."""
        tables = None
        if step.rotary is not None:
            if step.rotary.pairing != "halves":
                raise InputError(f"{self.weights.where}: rotary positions of neighbours in a network of "
                                 f"quantize_dynamic, expected a graph of ONNX")
            tables = self.array(step.rotary.cosines), self.array(step.rotary.sines)
        reads = [HeadReads(self.linear(read, head.query), self.linear(read, head.key), self.linear(read, head.value),
                           head.slope) for head in step.heads]
        scale = step.scale.root if step.scale.root is not None else step.scale.times
        assert scale is not None
        averages = self.attention(reads, scale, tables, step.cap)
        (tensor,) = {head.out.tensor for head in step.heads}
        matrix = np.concatenate([self.array(head.out) for head in step.heads])
        written = self.multiplied(averages, tensor).times(matrix, self.exactness)
        return self.moved(written, self.array(step.bias)) if step.bias else written
