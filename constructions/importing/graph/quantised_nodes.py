"""The operations on quantised numbers that a graph may have: those that make weights; others are refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from constructions.importing.graph import arithmetic
from constructions.importing.graph.nodes import matmul
from constructions.importing.graph.state import Attributes, State
from constructions.importing.graph.values import NotUnderstood, Tokens
from constructions.importing.quantised import ACTIVATIONS, WEIGHTS, dequantised, span, span_of, unpacked


def quantised(state: State, node: Any, inputs: list[Any]) -> Any:
    """What the node makes; None if all that it reads is constant and it makes no weights, so that it can be folded.

    Raises:
        NotUnderstood: if it rounds what depends on tokens, or its constants are not as ONNX defines them.
    """
    constant = [value is None or isinstance(value, np.ndarray) for value in inputs]
    how = Attributes(node)
    if node.op_type == "DequantizeLinear" and all(constant):
        return _weights(state, inputs, how.attribute("axis", 1), how.attribute("block_size", 0))
    if node.op_type == "GatherBlockQuantized" and [place for place, is_constant in enumerate(constant)
                                                   if not is_constant] == [1] and isinstance(inputs[1], Tokens):
        return _rows(state, how, inputs)
    if node.op_type == "MatMulNBits" and all(constant[1:]):
        return _product(state, how, inputs)
    if not all(constant):
        raise NotUnderstood("quantised numbers that depend on tokens, expected constants"
                            if WEIGHTS.fullmatch(node.op_type) else ACTIVATIONS)
    return None


def _weights(state: State, inputs: list[Any], axis: int, block: int) -> Any:
    """``DequantizeLinear`` of constants; in whatever format its output is."""
    codes, scale, zero = [*inputs, None][:3]
    state.quantised = True
    limits = span_of(str(codes.dtype))
    if zero is not None and zero.dtype != codes.dtype:
        raise NotUnderstood(f"zero points of type {zero.dtype}, expected {codes.dtype}, that of the numbers")
    return dequantised(codes.astype(np.int64), limits, scale.astype(np.float64),
                       None if zero is None else zero.astype(np.int64), axis, block, state.exactness)


def _rows(state: State, node: Attributes, inputs: list[Any]) -> Any:
    """``GatherBlockQuantized`` of ONNX Runtime: rows, looked up by tokens, of a table in 4 bits."""
    codes, tokens, scale, zero = [*inputs, None][:4]
    if node.attribute("gather_axis", 0) or str(codes.dtype) not in ("int4", *(["uint4"] if zero is not None else [])):
        raise NotUnderstood(f"a table of {codes.dtype} looked up by its axis {node.attribute('gather_axis', 0)}, "
                            f"expected by 0, of int4, or of uint4 with zero points")
    table = _weights(state, [codes, scale, zero], node.attribute("quantize_axis", 1), node.attribute("block_size", 128))
    return state.looked_up(table, tokens)


def _product(state: State, node: Attributes, inputs: list[Any]) -> Any:
    """``MatMulNBits`` of ONNX Runtime: x times the transpose of blocks along the axis that is summed, plus a bias."""
    state.quantised = True
    x, words, scale, zero, order, bias = [*inputs, None, None, None][:6]
    inward, outward, block, bits, level, prepacked = (node.attribute(name, default) for name, default in (
        ("K", 0), ("N", 0), ("block_size", 0), ("bits", 4), ("accuracy_level", 0), ("weight_prepacked", 0)))
    if level == 4:
        raise NotUnderstood(ACTIVATIONS)
    if order is not None or prepacked or bits not in (2, 4, 8) or block < 1:
        raise NotUnderstood(f"{bits} bits in blocks of {block}, or in an order of their own, expected 2, 4 or 8 bits "
                            f"in blocks one after another")
    blocks = -(-inward // block)
    if words.dtype != np.uint8 or words.shape != (outward, blocks, block * bits // 8) or scale.size != outward * blocks:
        raise NotUnderstood(f"{words.dtype} of shape {list(words.shape)} and {scale.size} scales, expected uint8 of "
                            f"shape {[outward, blocks, block * bits // 8]} and {outward * blocks} scales")
    codes = unpacked(words.astype(np.int64).reshape(outward, -1), 8, bits, 1)[:, :inward]
    if zero is None:
        zeros = np.full((outward, blocks), 1 << bits - 1)
    elif zero.dtype == np.uint8 and zero.size == outward * -(-blocks * bits // 8):
        zeros = unpacked(zero.astype(np.int64).reshape(outward, -1), 8, bits, 1)[:, :blocks]
    else:
        raise NotUnderstood(f"{zero.size} zero points of type {zero.dtype}, expected {bits} bits of each block in "
                            f"uint8")
    weights = dequantised(codes, span(bits, False), scale.astype(np.float64).reshape(outward, blocks), zeros, 1, block,
                          state.exactness)
    product = matmul(state, x, weights.T)
    return product if bias is None else arithmetic.add(product, bias, 1, state.count, state.exactness)
