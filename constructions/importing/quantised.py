"""Quantised weights: whole numbers q with scales and zero points, which stand for (q - zero) · scale, exactly.

So ONNX defines ``DequantizeLinear``; programs round the product to the format that they compute in. There is one scale,
one for each index of an axis, or one for each block of indices of an axis, the last of which may be shorter.
"""

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.errors import InputError
from constructions.importing.contents import Stored
from constructions.importing.graph.forms import Array, Exactness, NotUnderstood
from constructions.trained.network import Tensor
from constructions.trained.numbers import all_numbers
from constructions.trained.validation import check_total_bytes

Whole = NDArray[np.int64]
ROUNDING = re.compile(r"\w*([Qq]uantize|QLinear|QOrdered|Integer|NBits|Bnb4)\w*|QGemm|QAttention", re.ASCII)
"""Operations of ONNX, and of its runtime's own domain, on quantised numbers."""
WEIGHTS = re.compile(r"DequantizeLinear|GatherBlockQuantized|MatMul(NBits|Bnb4)", re.ASCII)
"""Those that round nothing."""
ACTIVATIONS = ("it rounds what depends on tokens to whole numbers (quantised activations), for which there is no rule; "
               "expected quantised weights alone, or numbers rounded by ONNX's own operators")
ROUNDED = ("numbers of tokens are rounded to whole numbers, over the real numbers: programs round scales and quotients "
           "to binary32, too, and may round numbers near a tie the other way")
ROUNDED_BY_TORCH = ("what a Linear of quantize_dynamic multiplies is rounded to 7 bits of the range of all tokens of "
                    "an input, as torch does on x86 where one input is run at once, over the real numbers")
DEQUANTISED = "dequantised"
OF_RANGES = f"of a Linear of quantize_dynamic, {DEQUANTISED}"
"""The kind of a weight that multiplies numbers rounded by their range."""
WEIGHTS_ALONE = "quantised weights are exactly (q - zero) times scale; what is multiplied by them is not rounded"
"""The note of a report."""


def span(bits: int, signed: bool) -> tuple[int, int]:
    """The least and the greatest whole number of so many bits.

    >>> span(4, True), span(8, False)
    ((-8, 7), (0, 255))
    """
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def span_of(kind: str) -> tuple[int, int]:
    """Likewise, by the name of an element type: int8, uint4."""
    match = re.fullmatch(r"(u?)int(2|4|8|16|32)", kind, re.ASCII)
    if match is None:
        raise NotUnderstood(f"quantised numbers of type {kind[:20]}, expected whole numbers of 2 to 32 bits")
    return span(int(match[2]), not match[1])


def dequantised(codes: Whole, limits: tuple[int, int], scale: Array, zero: Whole | None, axis: int, block: int,
                exactness: Exactness) -> Array:
    """(codes - zero) · scale; without ``zero`` it is 0. What is no binary64 number is noted, and rounded to nearest.

    Args:
        limits: the least and the greatest number that a zero point may be.
        scale: one number, or one for each index of the axis, or, with a block size above 0, for each block of them;
            the tool of ONNX Runtime makes some negative, as there is one more number below 0 than above.
    """
    if bad := [number for number in scale.ravel().tolist() if not math.isfinite(number)]:
        raise NotUnderstood(f"a scale of {bad[0]}, expected finite numbers")
    if zero is not None and scale.shape != zero.shape and not scale.size == zero.size == 1:
        raise NotUnderstood(f"zero points of shape {list(zero.shape)}, expected that of the scales, "
                            f"{list(scale.shape)}")
    if zero is not None and (outside := [z for z in zero.ravel().tolist() if not limits[0] <= z <= limits[1]]):
        raise NotUnderstood(f"a zero point of {outside[0]}, expected {limits[0]} to {limits[1]}")
    moved = codes if zero is None else codes - _spread(zero, codes.shape, axis, block)
    scales = _spread(scale, codes.shape, axis, block)
    with np.errstate(over="ignore"):
        short = (scale.astype(np.float32).astype(np.float64) == scale).all()
    if short and abs(moved).max(initial=0) < 1 << 29:
        return np.asarray(moved * scales, np.float64)  # 29 and 24 bits: exact
    return exactness.times(moved.astype(np.float64), scales)


def _spread(part: Any, shape: tuple[int, ...], axis: int, block: int) -> Any:
    """Scales or zero points, one for each number of an array of this shape, as numpy broadcasts them."""
    if part.size == 1 and part.ndim <= 1:
        return part.reshape(())
    if not -len(shape) <= axis < len(shape):
        raise NotUnderstood(f"axis {axis} of numbers of shape {list(shape)}, expected {-len(shape)} to "
                            f"{len(shape) - 1}")
    axis %= len(shape)
    if block < 0:
        raise NotUnderstood(f"blocks of {block}, expected 1 or more")
    wanted = [-(-size // block) if k == axis else size for k, size in enumerate(shape)] if block else [shape[axis]]
    if list(part.shape) != wanted:
        raise NotUnderstood(f"scales of shape {list(part.shape)}, expected {wanted} for numbers of shape "
                            f"{list(shape)}" + (f" in blocks of {block}" if block else "") + f" along axis {axis}")
    if block:
        return np.take(part, np.arange(shape[axis]) // block, axis)
    return part.reshape([-1 if k == axis else 1 for k in range(len(shape))])


def unpacked(words: Whole, width: int, bits: int, axis: int) -> Whole:
    """Numbers of so many bits without sign, several in each word of that width along an axis, the lowest bits first.

    >>> unpacked(np.array([[0x21, 0x43]]), 8, 4, 1).tolist()
    [[1, 2, 3, 4]]
    """
    parts = [words >> shift & (1 << bits) - 1 for shift in range(0, width, bits)]
    shape = [size * len(parts) if k == axis else size for k, size in enumerate(words.shape)]
    return np.stack(parts, axis + 1).reshape(shape)


# -- in files other than graphs ----------------------------------------------------------------------------------------


def whole_numbers(stored: Stored, where: str) -> tuple[str, Whole]:
    """The element type and the elements."""
    found = stored.whole()
    if found is None:
        raise InputError(f"{where}: elements {stored.kind}, expected whole numbers")
    return found


def numbers(stored: Stored, where: str) -> Array:
    """The elements, of floating point."""
    form = stored.numbers_in(f"{where}: elements")
    return all_numbers(Tensor(form, stored.shape, stored.read())).reshape(stored.shape)


def plain(codes: tuple[str, Whole], scale: Array, zero: Whole | None, where: str, axis: int = 0, block: int = 0,
          turned: bool = False) -> Stored:
    """The tensor that quantised numbers of a named type stand for; turned: with rows and columns exchanged."""
    (kind, whole), exactness = codes, Exactness()
    check_total_bytes(8 * whole.size, where)
    if (below := scale[scale <= 0]).size:
        raise InputError(f"{where}: a scale of {below.flat[0]}, expected finite numbers above 0")
    try:
        found = dequantised(whole, span_of(kind), scale, zero, axis, block, exactness)
    except NotUnderstood as problem:
        raise InputError(f"{where}: {problem}") from None
    except OverflowError:
        raise InputError(f"{where}: a number times its scale is beyond binary64, expected smaller scales") from None
    if exactness.rounded:
        raise InputError(f"{where}: a number times its scale is no binary64 number, expected scales of fewer bits")
    found = found.T if turned else found
    return Stored(f"{kind}, {DEQUANTISED}", "binary64", found.shape, found.astype("<f8").tobytes)
