"""Validation of a trained network: views lie inside their tensors, sizes fit, every number is finite (section 2)."""

import math
from collections.abc import Iterable
from fractions import Fraction

from constructions.errors import InputError
from constructions.trained import network as trained
from constructions.trained.numbers import is_finite

MAX_TENSOR_BYTES = 40_000_000
"""Of all tensors together; as base64 they fit into the 64 MB that a file may have."""
LEAST_SCALE = Fraction(1, 2**1000)
MAX_VIEWED = 50_000_000
"""Elements of all views together, since views may share a tensor."""


def check_network(network: trained.TrainedNetwork, where: str) -> None:
    """Reject a network that section 2 of docs/reference/trained.md does not allow.

    Raises:
        InputError: one line that begins with ``where`` and says what does not fit.
    """
    check_total_bytes(sum(len(tensor.data) for tensor in network.tensors.values()), where)
    used = list(trained.views(network))
    for view in used:
        _check_inside(network, view, where)
    viewed = sum(math.prod(view.shape) for view in used)
    if viewed > MAX_VIEWED:
        raise InputError(f"{where}: views of {viewed} elements in all, expected at most {MAX_VIEWED}")
    _check_all_used(network, used, where)
    for name, tensor in network.tensors.items():
        _check_tensor(tensor, f"{where}, tensor {name}")
    _Sizes(network, where).check()


def check_total_bytes(total: int, where: str) -> None:
    """Reject more than MAX_TENSOR_BYTES.

    Raises:
        InputError: naming the limit.
    """
    if total > MAX_TENSOR_BYTES:
        raise InputError(f"{where}: tensors of {total} bytes, expected at most {MAX_TENSOR_BYTES} in all")


def _check_tensor(tensor: trained.Tensor, where: str) -> None:
    expected = math.prod(tensor.shape) * trained.ELEMENT_BYTES[tensor.format]
    if len(tensor.data) != expected:
        raise InputError(f"{where}: {len(tensor.data)} bytes, expected {expected} for its shape {list(tensor.shape)}")
    if not is_finite(tensor):
        raise InputError(f"{where}: an element is infinite or not a number, expected finite numbers")


def _check_inside(network: trained.TrainedNetwork, view: trained.View, where: str) -> None:
    tensor = network.tensors.get(view.tensor)
    if tensor is None:
        raise InputError(f"{where}: a view of tensor {view.tensor}, expected a tensor of the network")
    elements = math.prod(tensor.shape)
    last = view.start + sum((size - 1) * stride for size, stride in zip(view.shape, view.strides, strict=True))
    numbers = (view.start, *view.strides, *(size - 1 for size in view.shape))
    if min(numbers) < 0 or last >= elements or math.prod(view.shape) > elements:
        raise InputError(f"{where}: a view of shape {list(view.shape)}, start {view.start} and strides "
                         f"{list(view.strides)} is not inside tensor {view.tensor} of {elements} elements")


def _check_all_used(network: trained.TrainedNetwork, used: Iterable[trained.View], where: str) -> None:
    named = {view.tensor for view in used}
    for name in network.tensors:
        if name not in named:
            raise InputError(f"{where}: tensor {name} is not used, expected every tensor to be")


class _Sizes:
    """The check of sizes that must agree; ``where`` is the place for the next error."""

    def __init__(self, network: trained.TrainedNetwork, where: str) -> None:
        self.network = network
        self.width = network.width
        self.where = where

    def expect(self, view: trained.View | None, shape: tuple[int | None, ...], what: str) -> None:
        """Check that the view has this shape; None means any size."""
        if view is None:
            return
        fits = len(view.shape) == len(shape) and all(wanted in (None, size)
                                                     for size, wanted in zip(view.shape, shape, strict=True))
        if not fits:
            wanted = ", ".join("any" if size is None else str(size) for size in shape)
            raise InputError(f"{self.where}: {what} (tensor {view.tensor}) has shape {list(view.shape)}, "
                             f"expected [{wanted}]")

    def affine(self, affine: trained.Affine, inward: int, outward: int | None, what: str) -> int:
        """Check that the weight is [inward, outward] and the bias fits; return the output size."""
        self.expect(affine.weight, (inward, outward), f"the weight of {what}")
        result = affine.weight.shape[1]
        self.expect(affine.bias, (result,), f"the bias of {what}")
        return result

    def norm(self, norm: trained.Norm | None) -> int:
        """Check that gain and bias have the width of the normalised vector, and epsilon > 0; return that width."""
        if norm is None:
            return self.width
        if norm.epsilon <= 0:
            raise InputError(f"{self.where}: epsilon {norm.epsilon} of a norm, expected more than 0")
        width = self.affine(norm.of, self.width, None, "what the norm is of") if norm.of else self.width
        self.expect(norm.gain, (width,), "the gain of the norm")
        self.expect(norm.bias, (width,), "the bias of the norm")
        return width

    def check(self) -> None:
        """Check the whole network."""
        network, place = self.network, self.where
        self.expect(network.tokens, (None, None), "the token table")
        self.expect(network.positions, (None, self.width), "the position table")
        for index, step in enumerate(network.steps):
            self.where = f"{place}, step {index}"
            reads = self.norm(step.norm)
            if isinstance(step, trained.AttentionStep):
                self.attention(step, reads)
            elif isinstance(step, trained.UnitsStep):
                self.units(step, reads)
            else:
                assert isinstance(step, trained.NormStep)
                self.width = reads
        self.where = place
        self.affine(network.unembedding, self.width, None, "the unembedding")

    def units(self, step: trained.UnitsStep, reads: int) -> None:
        """Check that inward and gate have the same number of hidden units, and outward the stream's width."""
        if isinstance(step.activation, trained.Rounding):
            self.rounding(step.activation, step.gate)
        units = self.affine(step.inward, reads, None, "the units")
        if step.gate:
            self.affine(step.gate, reads, units, "the gate")
        self.affine(step.outward, units, self.width, "the units' output")

    def rounding(self, rounding: trained.Rounding, gate: trained.Affine | None) -> None:
        """Check for a scale above 0 or a range, a zero point between the limits, and no gate."""
        if gate is not None:
            raise InputError(f"{self.where}: a gate of rounded numbers, expected none")
        if rounding.scale is not None and rounding.scale <= 0:
            raise InputError(f"{self.where}: a scale of {rounding.scale}, expected more than 0")
        if rounding.scale is not None and not LEAST_SCALE <= rounding.scale <= 1 / LEAST_SCALE:
            raise InputError(f"{self.where}: a scale that binary64 does not hold, expected 2^-1000 to 2^1000")
        if not rounding.least <= rounding.zero <= rounding.greatest:
            raise InputError(f"{self.where}: a zero point of {rounding.zero}, expected {rounding.least} to "
                             f"{rounding.greatest}")

    def attention(self, step: trained.AttentionStep, reads: int) -> None:
        """Check for at least one head, and a scale."""
        if not step.heads:
            raise InputError(f"{self.where}: no heads, expected at least one")
        if (step.scale.times is None) == (step.scale.root is None):
            raise InputError(f"{self.where}: expected a scale that is either a rational or one over a root")
        if step.cap is not None and step.cap <= 0:
            raise InputError(f"{self.where}: a cap of {step.cap} on scores, expected more than 0")
        self.expect(step.bias, (self.width,), "the bias of the heads")
        for head in step.heads:
            self.head(head, step.rotary, reads)

    def head(self, head: trained.TrainedHead, rotary: trained.Rotary | None, reads: int) -> None:
        """Check that keys are as wide as queries, and as wide as the rotary pairs need."""
        queries = self.affine(head.query, reads, None, "the queries")
        self.affine(head.key, reads, queries, "the keys")
        values = self.affine(head.value, reads, None, "the values")
        self.expect(head.out, (values, self.width), "the output of a head")
        if rotary:
            self.expect(rotary.cosines, (None, None), "the cosines")
            self.expect(rotary.sines, rotary.cosines.shape, "the sines")
            if 2 * rotary.cosines.shape[1] > queries:
                raise InputError(f"{self.where}: {rotary.cosines.shape[1]} rotary pairs in queries of width {queries}")
