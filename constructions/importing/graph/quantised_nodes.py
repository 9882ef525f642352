"""The supported operations on quantised numbers: they make weights, or round numbers of tokens.

A rounded array is represented by its values, (q - zero) · scale; other operations are refused by name.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from constructions.importing.array_files import units_of
from constructions.importing.graph import arithmetic
from constructions.importing.graph.affine_forms import HiddenUnits, NotUnderstood, UnitBase
from constructions.importing.graph.curves import Curve, resolved
from constructions.importing.graph.nodes import matmul
from constructions.importing.graph.operators import Attributes
from constructions.importing.graph.state import State
from constructions.importing.graph.values import (
    IntegerProduct,
    Quantised,
    Range,
    TableRows,
    Tokens,
    Tokenwise,
    placed,
    what,
)
from constructions.importing.quantised import ACTIVATIONS, WEIGHTS, dequantised, span, span_of, unpacked
from constructions.trained.network import Rounding


def quantised(state: State, how: Attributes, inputs: list[Any]) -> Any:
    """Return the node's result; None to fold it, if its inputs are constant and it does not make weights."""
    constant, operation = [value is None or isinstance(value, np.ndarray) for value in inputs], how.operation
    if operation == "DequantizeLinear" and all(constant):
        axis = how.attribute("axis")  # from the definition; without an axis there is one scale
        if axis is None and inputs[1].size != 1:
            raise NotUnderstood(f"{inputs[1].size} scales, expected one, as {operation} has no axis there")
        return _weights(state, *inputs, axis=axis or 0, block=how.attribute("block_size") or 0)
    if operation == "GatherBlockQuantized" and isinstance(inputs[1], Tokens) and sum(constant) == len(inputs) - 1:
        return _rows(state, how, *inputs)
    if operation == "MatMulNBits" and all(constant[1:]):
        return _product(state, how, *inputs)
    if not all(constant) and (rounding := ROUNDINGS.get(operation)):
        return rounding(state, how, *inputs)
    if not all(constant):
        raise NotUnderstood("quantised numbers that depend on tokens, expected constants"
                            if WEIGHTS.fullmatch(operation) else ACTIVATIONS)
    return None


_UNITS = {"float8_e4m3fn": units_of("F8_E4M3"), "float8_e5m2": units_of("F8_E5M2")}
"""The units of the formats of 8 bits."""


def _weights(state: State, codes: Any, scale: Any, zero: Any = None, *, axis: int = 0, block: int = 0) -> Any:
    """Return the weights of ``DequantizeLinear`` of constants, whatever the format of its output."""
    state.quantised = True
    if zero is not None and zero.dtype != codes.dtype:
        raise NotUnderstood(f"zero points of type {zero.dtype}, expected {codes.dtype}, the type of the numbers")
    if unit := _UNITS.get(str(codes.dtype)):
        codes, scale, zero = (None if one is None else one.astype(np.float64) for one in (codes, scale, zero))
        if not np.isfinite(codes).all() or (zero is not None and zero.any()):
            raise NotUnderstood("numbers of 8 bits that are not finite, or with zero points other than 0")
        codes, scale, zero = (codes / unit).astype(np.int32), scale * unit, None
    limits = span_of(str(codes.dtype))
    return dequantised(codes.astype(np.int64), limits, scale.astype(np.float64),
                       None if zero is None else zero.astype(np.int64), axis, block, state.exactness)


def _rows(state: State, node: Attributes, codes: Any, tokens: Tokens, scale: Any, zero: Any = None) -> Any:
    """Return rows, looked up by tokens, of a 4-bit table, by ``GatherBlockQuantized`` of ONNX Runtime."""
    axis, bits = node.attribute("gather_axis"), node.attribute("bits")
    if axis or bits != 4 or str(codes.dtype) not in ("int4", *(["uint4"] if zero is not None else [])):
        raise NotUnderstood(f"a table of {bits} bits, {codes.dtype}, looked up by its axis {axis}, expected by 0, of "
                            f"int4, or of uint4 with zero points")
    table = _weights(state, codes, scale, zero, axis=node.attribute("quantize_axis"),
                     block=node.attribute("block_size"))
    return state.looked_up(table, tokens)


def _product(state: State, node: Attributes, x: Any, words: Any, scale: Any, zero: Any = None, order: Any = None,
             bias: Any = None) -> Any:
    """Return x times the transpose of blocked weights, plus a bias, by ``MatMulNBits`` of ONNX Runtime."""
    state.quantised = True
    inward, outward, block, bits, level, prepacked = map(node.attribute, (
        "K", "N", "block_size", "bits", "accuracy_level", "weight_prepacked"))
    if level == 4:
        raise NotUnderstood(ACTIVATIONS)
    if order is not None or prepacked or bits not in (2, 4, 8) or block < 1:
        raise NotUnderstood(f"{bits} bits in blocks of {block}, or in another order, expected 2, 4 or 8 bits "
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
    return product if bias is None else arithmetic.add(state, product, bias)


# -- numbers of tokens, rounded ----------------------------------------------------------------------------------------


def _rounded(state: State, how: Attributes, x: Any, scale: Any, zero: Any = None) -> Quantised:
    """Return ``QuantizeLinear`` with one scale."""
    if not isinstance(scale, np.ndarray) or not isinstance(zero, np.ndarray | None) or scale.size != 1 or (
            zero is not None and zero.size != 1) or how.attribute("block_size"):
        raise NotUnderstood("numbers of tokens rounded by several scales, or by some that depend on them, expected one")
    stated = _KINDS.get(how.attribute("output_dtype") or 0, "float")
    kind = str(zero.dtype) if zero is not None else stated or "uint8"
    if stated not in ("", kind):
        raise NotUnderstood(f"rounded to {stated}, expected {kind}, the type of the zero point")
    (least, greatest), (number,) = span_of(kind), scale.astype(np.float64).ravel().tolist()
    if not 0 < number < np.inf:
        raise NotUnderstood(f"a scale of {number}, expected a finite number above 0")
    rounding = Rounding(least, greatest, Fraction(number), 0 if zero is None else int(zero.ravel()[0]))
    return Quantised(_made(state, x, rounding), Fraction(number), rounding.zero)


_KINDS = {0: "", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 21: "uint4", 22: "int4"}
"""Element types of ONNX."""


def _made(state: State, x: Any, rounding: Rounding | None) -> Tokenwise:
    """Return the values of the rounded numbers; without a rounding, by the range of all of them to 0 … 255."""
    if not isinstance(x, Tokenwise | Curve):
        raise NotUnderstood(f"{what(x)} rounded to integers, expected numbers of tokens")
    value = resolved(x, state.exactness).settled(state.exactness)
    chosen, places = np.unique(value.forms, return_inverse=True)
    if rounding is None:
        positions = np.unique(value.positions)
        if np.unique(value.codes).size != positions.size * chosen.size or positions.size not in (1, state.count):
            raise NotUnderstood("a range of some of the tokens, or of other numbers of each, expected that of all "
                                "tokens or of one")
        rounding = Rounding(0, 255, range="input" if positions.size == state.count else "token")
    state.rounded = True
    units = UnitBase(chosen.size, HiddenUnits(rounding, None, value.flat.columns(chosen)))
    return placed(units.values(), value.positions, places.reshape(value.shape))


def _rounded_by_range(state: State, how: Attributes, x: Any) -> tuple[Quantised, Range, Range]:
    """Return the results of ``DynamicQuantizeLinear``."""
    scale, zero = Range(how.output), Range(how.output, is_zero=True)
    return Quantised(_made(state, x, None), scale, zero), scale, zero


def _is(found: Any, wanted: Fraction | int | Range) -> bool:
    """Return whether a scale or a zero point (default 0) is the one by which numbers were rounded."""
    if isinstance(wanted, Range) or isinstance(found, Range):
        return isinstance(found, Range) and isinstance(wanted, Range) and found.times is wanted.times and (
            (found.node, found.is_zero) == (wanted.node, wanted.is_zero))
    return wanted == 0 if found is None else arithmetic.number_in(found) == wanted


def _dequantised(state: State, how: Attributes, value: Any, scale: Any, zero: Any = None) -> Tokenwise:
    """Return ``DequantizeLinear`` of rounded numbers, or of rows of a table, with one scale and any axis."""
    how.attribute("axis")
    if how.attribute("block_size"):
        raise NotUnderstood("quantised numbers of tokens with scales of blocks")
    if isinstance(value, TableRows):
        if scale.size != 1:
            raise NotUnderstood("rows of a table with several scales, expected one")
        return state.looked_up(_weights(state, value.table, scale, zero, axis=1), value.tokens)
    if not isinstance(value, Quantised) or not _is(scale, value.scale) or not _is(zero, value.zero):
        raise NotUnderstood("quantised numbers with another scale or zero point than those of their rounding")
    return value.value


def _whole_product(state: State, _: Attributes, x: Any, matrix: Any, zero: Any = None,
                   other: Any = None) -> IntegerProduct:
    """Return ``MatMulInteger`` with constants."""
    if not isinstance(x, Quantised) or not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or not _is(zero, x.zero):
        raise NotUnderstood("a product of integers that are not rounded numbers, and constants")
    codes = matrix.astype(np.int64) - (0 if other is None else other.astype(np.int64))
    state.quantised = True
    return IntegerProduct(matmul(state, x.value, codes.astype(np.float64)), x.scale)


def _rounded_product(state: State, how: Attributes, *inputs: Any) -> Quantised:
    """Return the result of ``QLinearMatMul``."""
    one, other = (_weights(state, *side, axis=side[0].ndim - 1) if isinstance(side[0], np.ndarray) else
                  _dequantised(state, how, *side) for side in (inputs[:3], inputs[3:6]))
    return _rounded(state, how, matmul(state, one, other), *inputs[6:8])


ROUNDINGS: Mapping[str, Callable[..., Any]] = {
    "QuantizeLinear": _rounded, "DynamicQuantizeLinear": _rounded_by_range, "DequantizeLinear": _dequantised,
    "MatMulInteger": _whole_product, "QLinearMatMul": _rounded_product}
READ = {*ROUNDINGS, "GatherBlockQuantized", "MatMulNBits"}
