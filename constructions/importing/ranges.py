"""Networks rewritten as forms: with Linears that round by the range of what they multiply, as torch's
``quantize_dynamic`` makes them, and with logits of the mean over all tokens.
"""

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction

import numpy as np

from constructions.errors import InputError
from constructions.importing.composing import Composer
from constructions.importing.graph.forms import Flat, HeadReads, UnitBase, Units
from constructions.importing.parts import Found
from constructions.importing.weights import Weights
from constructions.trained.network import Affine, AttentionStep, Norm, NormStep, Rounding, Step, UnitsStep

LEVELS = 127
"""torch rounds to 7 bits on x86 (``reduce_range``), so that its sums of products do not saturate."""


def rewritten(found: Found, weights: Weights, names: Collection[str]) -> Found:
    """The network, in which what the matrices of these names multiply is rounded by the range of all of its numbers.

    Logits of a mean are those of the last token: what a head without queries and keys writes there.

    Raises:
        InputError: if one of them is not a matrix of a linear map, or the network has parts that are not written so.
    """
    made = _Ranges(Composer(weights), names, weights.where)
    flat = made.embedded(found)
    for step in found.steps:
        flat = made.after(step, flat)
    if found.pooled is not None:
        empty = Flat({}, (), 1)
        flat = made.composer.attention([HeadReads(empty, empty, flat, None)], Fraction(1))
        for step in found.pooled:
            flat = made.after(step, flat)
    logits = made.linear(flat, found.unembedding)
    if unmet := [name for name in names if name not in made.met]:
        raise InputError(f"{weights.where}: tensor {unmet[0]} is of a Linear of quantize_dynamic, and no matrix of "
                         f"this kind of network; expected a graph of ONNX")
    composed = made.composer.finish(logits, found.rows or 1, found.attention, found.kind)
    return replace(composed, readout=found.readout)


class _Ranges:
    """Steps as forms; ``met`` are the matrices before which numbers are rounded."""

    def __init__(self, composer: Composer, names: Collection[str], where: str) -> None:
        self.composer, self.names, self.where = composer, names, where
        self.met: set[str] = set()
        self._rounded: dict[int, tuple[Flat, Flat]] = {}

    def embedded(self, found: Found) -> Flat:
        """What stands at each token."""
        flat = self.composer.looked_up(self.composer.array(found.tokens))
        return self.composer.moved(flat, self.composer.array(found.positions)) if found.positions else flat

    def rounded(self, flat: Flat, tensor: str) -> Flat:
        """What a matrix multiplies: the numbers, or those that they are rounded to."""
        if tensor not in self.names:
            return flat
        self.met.add(tensor)
        if id(flat) not in self._rounded:
            units = UnitBase(flat.size, Units(Rounding(0, LEVELS, range="input"), None, flat))
            self._rounded[id(flat)] = flat, Flat({units: np.eye(flat.size)}, (), flat.size)
        return self._rounded[id(flat)][1]

    def linear(self, flat: Flat, affine: Affine) -> Flat:
        """A linear map of the numbers, rounded or not."""
        return self.composer.linear(self.rounded(flat, affine.weight.tensor), affine)

    def normed(self, norm: Norm | None, flat: Flat) -> Flat:
        """A norm."""
        if norm is None:
            return flat
        if norm.of is not None:
            raise InputError(f"{self.where}: a norm of an image in a network of quantize_dynamic, expected a graph of "
                             f"ONNX")
        gain, bias = (None if view is None else self.composer.array(view) for view in (norm.gain, norm.bias))
        return self.composer.norm(flat, norm.kind, norm.epsilon, gain, bias)

    def after(self, step: Step, flat: Flat) -> Flat:
        """The stream after a step."""
        read = self.normed(step.norm, flat)
        if isinstance(step, NormStep):
            return read
        written = self._attention(step, read) if isinstance(step, AttentionStep) else self._units(step, read)
        return self.composer.plus(flat, written)

    def _units(self, step: UnitsStep, read: Flat) -> Flat:
        gate = None if step.gate is None else self.linear(read, step.gate)
        assert not isinstance(step.activation, Rounding)
        return self.linear(self.composer.units(self.linear(read, step.inward), step.activation, gate), step.outward)

    def _attention(self, step: AttentionStep, read: Flat) -> Flat:
        tables = None
        if step.rotary is not None:
            if step.rotary.pairing != "halves":
                raise InputError(f"{self.where}: rotary positions of neighbours in a network of quantize_dynamic, "
                                 f"expected a graph of ONNX")
            tables = self.composer.array(step.rotary.cosines), self.composer.array(step.rotary.sines)
        reads = [HeadReads(self.linear(read, head.query), self.linear(read, head.key), self.linear(read, head.value),
                           head.slope) for head in step.heads]
        scale = step.scale.root if step.scale.root is not None else step.scale.times
        assert scale is not None
        averages = self.composer.attention(reads, scale, tables)
        (tensor,) = {head.out.tensor for head in step.heads}
        matrix = np.concatenate([self.composer.array(head.out) for head in step.heads])
        written = self.rounded(averages, tensor).times(matrix, self.composer.exactness)
        return self.composer.moved(written, self.composer.array(step.bias)) if step.bias else written
