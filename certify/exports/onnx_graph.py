"""The float program as an ONNX graph of standard operators.

Inputs      ``tokens``, int64 (batch, n): indices into the alphabet, from 0.
Outputs     ``truths``, float (batch, n, formulas): the claim's formula, last, and its subformulas; ``output``, float
            (batch, n): the direction that the claim is about.
Lengths     Gather rejects a word longer than the tables; a word shorter than all of the claim gives NaN.
16 bits     Weights are stored in 16 bits. Few operators of onnxruntime's CPU backend take such numbers, so every
            operator computes in binary32 and two Casts round its result to 16 bits and back; a MatMul and the Add of
            its bias are rounded once, together. Outputs are binary32. binary64 works as binary32, without a Cast.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from constructions.running.weights import Array, WeightArrays

OPSET = 18
IR_VERSION = 9
"""The version of the first onnx with this operator set, so that older runtimes read the file."""
_STORED = {"binary64": TensorProto.DOUBLE, "binary32": TensorProto.FLOAT, "binary16": TensorProto.FLOAT16,
           "bfloat16": TensorProto.BFLOAT16}


def onnx_model(weights: WeightArrays, metadata: Mapping[str, str]) -> Any:
    """Return the checked model.

    Raises:
        onnx.checker.ValidationError: if ONNX rejects it, which is a bug in this module.
    """
    graph = _Graph(weights)
    graph.build()
    model = helper.make_model(graph.proto(), opset_imports=[helper.make_opsetid("", OPSET)], producer_name="certify",
                              ir_version=IR_VERSION)
    helper.set_model_props(model, dict(metadata))
    onnx.checker.check_model(model, full_check=True)
    return model


class _Graph:
    """A graph under construction; the methods return names of values."""

    def __init__(self, weights: WeightArrays) -> None:
        self.weights = weights
        self.stored = _STORED[weights.precision]
        self.is_narrow = weights.precision in ("binary16", "bfloat16")
        self.computed = TensorProto.FLOAT if self.is_narrow else self.stored
        self.nodes: list[Any] = []
        self.initializers: dict[str, Any] = {}

    # -- nodes and constants
    # -----------------------------------------------------------------------------------------------

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Add a node with one output."""
        name = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def rounded(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node whose result is rounded to the format of the weights."""
        computed = self.add(operator, *inputs, **attributes)
        if not self.is_narrow:
            return computed
        return self.add("Cast", self.add("Cast", computed, to=self.stored), to=self.computed)

    def constant(self, name: str, array: Array) -> str:
        """Add an initializer."""
        if name not in self.initializers:
            self.initializers[name] = numpy_helper.from_array(np.asarray(array, order="C"), name)
        return name

    def integers(self, *numbers: int) -> str:
        """Add a vector of integers."""
        return self.constant("_".join(["int", *map(str, numbers)]), np.array(numbers, dtype=np.int64))

    def integer(self, number: int) -> str:
        """Add an integer."""
        return self.constant(f"scalar_{number}", np.array(number, dtype=np.int64))

    def weight(self, name: str) -> str:
        """Add an array of weights, in the format of the computation."""
        stored = self.constant(name, self.weights.arrays[name])
        return self.add("Cast", stored, to=self.computed) if self.is_narrow else stored

    def number(self, name: str, value: Any) -> str:
        """Add a constant number or array of numbers, in the format of the computation."""
        return self.constant(name, np.asarray(value, dtype=helper.tensor_dtype_to_np_dtype(self.computed)))

    # -- the program ---------------------------------------------------------------------------------------------------

    def build(self) -> None:
        """Add all nodes, from tokens to outputs."""
        n = self.add("Gather", self.add("Shape", "tokens"), self.integer(1), axis=0)
        self.places = self.add("Range", self.integer(0), n, self.integer(1))
        self.positions = self._positions(n)
        embedded = self.constant("embedded", self.weights.arrays["embedded"])
        stream = self.add("Add", self.add("Gather", self.weight("token_embedding"), "tokens", axis=0),
                          self.add("Gather", self.positions, embedded, axis=1))
        for layer in range(self.weights.layers):
            stream = self._feed_forward(f"layers.{layer}", self._attention(f"layers.{layer}", stream))
        self._outputs(stream, n)

    def _positions(self, n: str) -> str:
        """Return all functions of the position: (n, functions)."""
        last = self.add("Sub", n, self.integer(1))
        parts = [self.add("Gather", self.weight("by_i"), self.places, axis=0)]
        if self.weights.arrays["by_n"].size:
            everywhere = self.add("Expand", last, self.add("Shape", self.places))
            parts.append(self.add("Gather", self.weight("by_n"), everywhere, axis=0))
        if self.weights.arrays["by_n_and_i"].size:
            of_length = self.add("Gather", self.weight("by_n_and_i"), last, axis=0)
            parts.append(self.add("Gather", of_length, self.places, axis=0))
        return self.add("Concat", *parts, axis=1)

    def _attention(self, layer: str, stream: str) -> str:
        heads = len(self.weights.arrays[f"{layer}.scale"])
        if not heads:
            return stream
        every = self.add("Unsqueeze", stream, self.integers(1))
        query, key, value = (self.rounded("MatMul", every, self.weight(f"{layer}.{name}"))
                             for name in ("query", "key", "value"))
        if any(self.weights.arrays[f"{layer}.scale"] != 1):
            query = self.rounded("Mul", query, self._scale(layer))
        scores = self.rounded("MatMul", query, self.add("Transpose", key, perm=[0, 1, 3, 2]))
        masked = self.add("Where", self._seen(layer), scores, self.number("minus_infinity", -np.inf))
        out = self.rounded("MatMul", self.rounded("Softmax", masked, axis=-1), value)
        return self.add("Add", stream, self.add("ReduceSum", out, self.integers(1), keepdims=0))

    def _scale(self, layer: str) -> str:
        """Return the scales of the queries: (heads, n, 1)."""
        columns = self.constant(f"{layer}.scale", self.weights.arrays[f"{layer}.scale"])
        rows = self.add("Transpose", self.add("Gather", self.positions, columns, axis=1), perm=[1, 0])
        return self.add("Unsqueeze", rows, self.integers(2))

    def _seen(self, layer: str) -> str:
        """Return whether the query at i attends to the key at j: (heads, n, n)."""
        query = self.add("Unsqueeze", self.places, self.integers(1))
        not_before = self.add("LessOrEqual", query, self.places)
        not_after = self.add("GreaterOrEqual", query, self.places)
        before, after = (self.constant(f"{layer}.{name}", self.weights.arrays[f"{layer}.{name}"].reshape(-1, 1, 1))
                         for name in ("sees_before", "sees_after"))
        return self.add("And", self.add("Or", not_before, before), self.add("Or", not_after, after))

    def _feed_forward(self, layer: str, stream: str) -> str:
        arrays = self.weights.arrays
        if not arrays[f"{layer}.b1"].size:
            return self.rounded("Add", stream, self.weight(f"{layer}.b2")) if arrays[f"{layer}.b2"].any() else stream
        read = self.add("MatMul", stream, self.weight(f"{layer}.w1"))
        hidden = self.add("Relu", self.rounded("Add", read, self.weight(f"{layer}.b1")))
        written = self.add("MatMul", hidden, self.weight(f"{layer}.w2"))
        return self.add("Add", stream, self.rounded("Add", written, self.weight(f"{layer}.b2")))

    def _outputs(self, stream: str, n: str) -> None:
        """Add the truths and the output; at lengths of the claim 0 is added, at shorter ones NaN."""
        lengths = self.weights.lengths
        claimed = self.number("claimed", [np.nan] * lengths.first + [0] * (lengths.last + 1 - lengths.first))
        checked = self.add("Add", stream, self.add("Gather", claimed, n, axis=0))
        truths = np.array(list(self.weights.truths.values()), dtype=np.int64)
        self.add("Gather", checked, self.constant("truth_directions", truths), axis=2, output="truths")
        self.add("Gather", checked, self.integer(self.weights.output), axis=2, output="output")

    def proto(self) -> Any:
        """Return the graph."""
        tokens = helper.make_tensor_value_info("tokens", TensorProto.INT64, ["batch", "n"])
        truths = helper.make_tensor_value_info("truths", self.computed, ["batch", "n", len(self.weights.truths)])
        output = helper.make_tensor_value_info("output", self.computed, ["batch", "n"])
        return helper.make_graph(self.nodes, "certify", [tokens], [truths, output], [*self.initializers.values()])
