"""Quantised weights: integers q with scales and zero points, whose values are (q - zero) · scale, exactly.

This is ONNX's definition of ``DequantizeLinear``; programs round the product to the format that they compute in. There
is one scale, or one per index of an axis, or one per block of indices of an axis, the last of which may be shorter.

For checkpoints, ``config.json`` states how weights were quantised: compressed-tensors, GPTQ and AWQ. Their matrices
[out, in] of torch's Linear are packed: words of 32 bits, the lowest bits first.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.errors import InputError
from constructions.importing.array_files import EIGHT_BITS, units_of
from constructions.importing.config_file import Settings
from constructions.importing.contents import Contents, Stored
from constructions.importing.graph.affine_forms import Array, Exactness, NotUnderstood
from constructions.trained.json_values import found
from constructions.trained.network import Tensor
from constructions.trained.numbers import all_numbers
from constructions.trained.validation import check_total_bytes

Whole = NDArray[np.int64]
ROUNDING = re.compile(r"\w*([Qq]uantize|QLinear|QOrdered|Integer|NBits|Bnb4)\w*|QGemm|QAttention", re.ASCII)
"""Operations of ONNX, and of ONNX Runtime's own domain, on quantised numbers."""
WEIGHTS = re.compile(r"DequantizeLinear|GatherBlockQuantized|MatMul(NBits|Bnb4)", re.ASCII)
"""Operations that do not round."""
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
"""A note of the import report."""


def span(bits: int, signed: bool) -> tuple[int, int]:
    """Return the least and the greatest integer of this number of bits.

    >>> span(4, True), span(8, False)
    ((-8, 7), (0, 255))
    """
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def span_of(kind: str) -> tuple[int, int]:
    """Return the least and the greatest integer of an element type by its name: int8, uint4."""
    match = re.fullmatch(r"(u?)int(2|4|8|16|32)", kind, re.ASCII)
    if match is None:
        raise NotUnderstood(f"quantised numbers of type {kind[:20]}, expected integers of 2 to 32 bits")
    return span(int(match[2]), not match[1])


def dequantised(codes: Whole, limits: tuple[int, int], scale: Array, zero: Whole | None, axis: int, block: int,
                exactness: Exactness) -> Array:
    """Return (codes - zero) · scale, where ``zero`` defaults to 0; inexact binary64 products are noted, and rounded.

    ``limits`` are the least and the greatest zero point. ``scale`` is one number, one for each index of the axis, or,
    for block sizes above 0, one for each block. ONNX Runtime's tool makes some scales negative, as the negative range
    is larger by one.
    """
    if bad := [number for number in scale.ravel().tolist() if not math.isfinite(number)]:
        raise NotUnderstood(f"a scale of {bad[0]}, expected finite numbers")
    if zero is not None and scale.shape != zero.shape and not scale.size == zero.size == 1:
        raise NotUnderstood(f"zero points of shape {list(zero.shape)}, expected the shape of the scales, "
                            f"{list(scale.shape)}")
    if zero is not None and (outside := [z for z in zero.ravel().tolist() if not limits[0] <= z <= limits[1]]):
        raise NotUnderstood(f"a zero point of {outside[0]}, expected {limits[0]} to {limits[1]}")
    moved = codes if zero is None else codes - _spread(zero, codes.shape, axis, block)
    scales = _spread(scale, codes.shape, axis, block)
    with np.errstate(over="ignore"):
        short = (scale.astype(np.float32).astype(np.float64) == scale).all()
    if short and abs(moved).max(initial=0) < 1 << 29:
        return np.asarray(moved * scales, np.float64)  # exact: 29 and 24 bits
    return exactness.times(moved.astype(np.float64), scales)


def _spread(part: Any, shape: tuple[int, ...], axis: int, block: int) -> Any:
    """Broadcast scales or zero points to an array of this shape."""
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
    """Unpack unsigned numbers of ``bits`` bits from words of ``width`` bits along an axis, the lowest bits first.

    >>> unpacked(np.array([[0x21, 0x43]]), 8, 4, 1).tolist()
    [[1, 2, 3, 4]]
    """
    parts = [words >> shift & (1 << bits) - 1 for shift in range(0, width, bits)]
    shape = [size * len(parts) if k == axis else size for k, size in enumerate(words.shape)]
    return np.stack(parts, axis + 1).reshape(shape)


# -- in files other than graphs ----------------------------------------------------------------------------------------


def whole_numbers(stored: Stored, where: str) -> tuple[str, Whole]:
    """Return the element type and the elements."""
    found = stored.whole()
    if found is None:
        raise InputError(f"{where}: elements {stored.kind}, expected integers")
    return found


def numbers(stored: Stored, where: str) -> Array:
    """Return the elements, of floating point."""
    form = stored.numbers_in(f"{where}: elements")
    return all_numbers(Tensor(form, stored.shape, stored.read())).reshape(stored.shape)


def codes_of(stored: Stored, where: str) -> tuple[tuple[str, Whole], Any]:
    """Return whole numbers with their type, and their unit: 1, or that of a format of 8 bits."""
    if stored.kind not in EIGHT_BITS:
        return whole_numbers(stored, where), 1
    found, unit = numbers(stored, where), units_of(stored.kind)
    if not np.isfinite(found).all():
        raise InputError(f"{where}: elements {stored.kind} that are not finite, expected finite numbers")
    return ("int32", (found / unit).astype(np.int64)), unit


def plain(codes: tuple[str, Whole], scale: Array, zero: Whole | None, where: str, axis: int = 0, block: int = 0,
          turned: bool = False) -> Stored:
    """Return the tensor of values of quantised numbers of a named type; ``turned``: transposed."""
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
        raise InputError(f"{where}: a number times its scale is not a binary64 number, expected scales of fewer bits")
    found = found.T if turned else found
    return Stored(f"{kind}, {DEQUANTISED}", "binary64", found.shape, found.astype("<f8").tobytes)


# -- in checkpoints whose config.json says so --------------------------------------------------------------------------

_AWQ_ORDER = (0, 4, 1, 5, 2, 6, 3, 7)
"""The places of the numbers of eight columns in a word of AWQ."""
Tensors = Mapping[str, Stored]
_WITHOUT_EFFECT = {key: reason for reason, keys in {
    "tensors show which layers are quantised": "block_name_to_quantize ignore lm_head "
        "module_name_preceding_first_block modules_in_block_to_quantize modules_to_not_convert targets",
    "tensors show order and zero points": "actorder desc_act static_groups sym symmetric zero_point",
    "how scales were found": "block_structure damp_percent dataset global_compression_ratio hyb_act meta mse observer "
        "observer_kwargs pad_token_id tokenizer true_sequential",
    "of speed or memory, with the same numbers": "backend batch_size cache_block_outputs do_fuse exllama_config "
        "fuse_max_seq_len max_input_length model_seqlen modules_to_fuse run_compressed use_cuda_fp16 use_exllama",
    "of the file": "model_file_base_name model_name_or_path version",
}.items() for key in keys.split()}
_OF_ACTIVATIONS = ("fp8", "fbgemm_fp8")
"""Methods of transformers whose Linears round their inputs to 8 bits, too."""
Made = Iterator[tuple[str, Stored, tuple[str, ...]]]
"""A weight, its tensor, and the endings of the names of the tensors that it was made from."""


def with_plain_weights(contents: Contents, where: str, settings_file: str) -> Contents:
    """Return the contents with quantised weights replaced by their values."""
    stated = contents.settings.get("quantization_config")
    if stated is None:
        return contents
    place = f"{settings_file}, quantization_config"
    if not isinstance(stated, dict):
        raise InputError(f"{place}: {found(stated)}, expected an object")
    settings = Settings(stated, place, _WITHOUT_EFFECT)
    method = settings.get("quant_method")
    if method in _OF_ACTIVATIONS:
        raise InputError(f"{place}, quant_method: {found(method)}: {ACTIVATIONS}")
    if method not in (*_METHODS,):
        raise InputError(f"{place}, quant_method: {found(method)} is not supported, expected {', '.join(_METHODS)}")
    turned = contents.settings.get("model_type") != "gpt2"  # whose matrices are [in, out]
    tensors = dict(contents.tensors)
    for name, stored, ends in _METHODS[method](contents.tensors, settings, where, turned):
        tensors = {key: tensor for key, tensor in tensors.items()
                   if key not in {name.removesuffix("weight") + end for end in ends}}
        tensors[name] = stored
    if alone := [name for name, stored in tensors.items() if stored.kind in EIGHT_BITS]:
        raise InputError(f"{where}: tensor {alone[0]} has elements {tensors[alone[0]].kind} without scales, expected "
                         f"{alone[0]}_scale as {place} says")
    settings.finish()
    left = {key: value for key, value in contents.settings.items() if key != "quantization_config"}
    return Contents(tensors, left, contents.others)


class _Layer:
    """The tensors whose names begin with ``base``."""

    def __init__(self, tensors: Tensors, base: str, where: str) -> None:
        self.tensors, self.base, self.where = tensors, base, where

    def stored(self, end: str) -> Stored:
        if self.base + end not in self.tensors:
            raise InputError(f"{self.where}: no tensor {self.base}{end}, expected it beside the other tensors")
        return self.tensors[self.base + end]

    def whole(self, end: str) -> tuple[str, Whole]:
        """Return the two-dimensional integers, and their type."""
        kind, array = whole_numbers(self.stored(end), f"{self.where}, tensor {self.base}{end}")
        if array.ndim != 2 or not array.size:
            raise InputError(f"{self.where}: tensor {self.base}{end} has shape {list(array.shape)}, expected two sizes "
                             f"above 0")
        return kind, array

    def words(self, end: str, bits: int, axis: int) -> Whole:
        """Return the numbers in words of 32 bits."""
        kind, array = self.whole(end)
        if kind not in ("int32", "uint32"):
            raise InputError(f"{self.where}: tensor {self.base}{end} has elements {kind}, expected int32")
        return unpacked(array, 32, bits, axis)

    def numbers(self, end: str) -> Any:
        return numbers(self.stored(end), f"{self.where}, tensor {self.base}{end}")


def _layers(tensors: Tensors, end: str, where: str) -> Iterator[_Layer]:
    return (_Layer(tensors, name.removesuffix(end), where) for name in tensors if name.endswith(f".{end}"))


def _bits(settings: Settings, name: str) -> int:
    bits = settings.count(name)
    if bits not in (2, 4, 8):
        raise InputError(f"{settings.where}, {name}: {found(bits)}, expected 2, 4 or 8")
    return bits


def _compressed_tensors(tensors: Tensors, settings: Settings, where: str, _: bool) -> Made:
    """Yield matrices [out, in] with groups along the second axis; packed ones are shifted to be unsigned."""
    settings.only("format", None, "pack-quantized", "int-quantized", "naive-quantized", "float-quantized")
    if (status := settings.get("quantization_status")) != "compressed":
        raise InputError(f"{settings.where}, quantization_status: {found(status)} (or left out), expected "
                         f"\"compressed\", as programs read other weights without it")
    for name in ("kv_cache_scheme", "sparsity_config", "transform_config"):
        settings.only(name, None, {})
    groups = settings.inside("config_groups")
    if len(groups.settings) != 1:
        raise InputError(f"{groups.where}: {found(groups.settings)}, expected one group")
    one = groups.inside(next(iter(groups.settings)))
    if one.get("input_activations") is not None or one.get("output_activations") is not None:
        raise InputError(f"{settings.where}, config_groups: {ACTIVATIONS}")
    one.only("format", None, "pack-quantized", "int-quantized", "naive-quantized", "float-quantized")
    weights = one.inside("weights")
    weights.only("type", None, "int", "float")
    weights.only("dynamic", None, False)
    weights.only("strategy", None, "tensor", "channel", "group")
    bits, is_float = _bits(weights, "num_bits"), weights.get("type") == "float"
    if is_float and bits != 8:
        raise InputError(f"{weights.where}, num_bits: {bits} of type float, expected 8")
    if not is_float and "float-quantized" in (settings.get("format"), one.get("format")):
        raise InputError(f"{settings.where}, format: float-quantized of numbers of type int, expected type float")
    size = weights.count("group_size") if weights.get("strategy") == "group" else None
    skewed = weights.flag("symmetric") is False
    for layer in _layers(tensors, "weight_packed", where):
        if is_float:
            raise InputError(f"{where}: tensor {layer.base}weight_packed of numbers of type float, expected weight")
        if f"{layer.base}weight_g_idx" in tensors:
            raise InputError(f"{where}: tensor {layer.base}weight_g_idx (groups in an order of their own) is not "
                             f"handled, expected none")
        shape = whole_numbers(layer.stored("weight_shape"), where)[1].ravel().tolist()
        codes = layer.words("weight_packed", bits, 1)
        if len(shape) != 2 or not codes.shape[1] - 32 // bits < shape[1] <= codes.shape[1] or shape[0] != len(codes):
            raise InputError(f"{where}: tensor {layer.base}weight_packed holds {list(codes.shape)} numbers, expected "
                             f"{shape}, as weight_shape says")
        zero = None
        if f"{layer.base}weight_zero_point" in tensors:
            zero = layer.words("weight_zero_point", bits, 0)[: shape[0]] - (1 << bits - 1)
        yield _grouped(layer, codes[:, : shape[1]] - (1 << bits - 1), bits, _zero(layer, zero, skewed), size, (
            "weight_packed", "weight_shape", "weight_scale", "weight_zero_point"))
    for layer in _layers(tensors, "weight_scale", where):
        if f"{layer.base}weight" in tensors and is_float:
            yield _of_eight_bits(layer, size)
        elif f"{layer.base}weight" in tensors:
            zero = layer.whole("weight_zero_point")[1] if f"{layer.base}weight_zero_point" in tensors else None
            yield _grouped(layer, layer.whole("weight")[1], bits, _zero(layer, zero, skewed), size, (
                "weight_scale", "weight_zero_point"))


def _zero(layer: _Layer, zero: Whole | None, skewed: bool) -> Whole | None:
    """Return the zero points, which programs read only if the settings state ``symmetric: false``."""
    if zero is not None and zero.any() and not skewed:
        raise InputError(f"{layer.where}: tensor {layer.base}weight_zero_point is not 0, expected symmetric: false in "
                         f"quantization_config, as programs ignore it otherwise")
    return zero


def _grouped(layer: _Layer, codes: Whole, bits: int, zero: Whole | None, size: int | None, ends: tuple[str, ...],
             ) -> tuple[str, Stored, tuple[str, ...]]:
    """Return a weight in groups along its rows, or with one scale for each row or for all."""
    name, (least, most) = f"{layer.base}weight", span(bits, True)
    if codes.size and not least <= codes.min() <= codes.max() <= most:
        raise InputError(f"{layer.where}: tensor {name} has numbers outside {least} to {most}")
    scale = layer.numbers("weight_scale")
    return name, plain((f"int{bits}", codes), scale, zero, f"{layer.where}, tensor {name}", 1,
                       size or codes.shape[1]), ends


def _of_eight_bits(layer: _Layer, size: int | None) -> tuple[str, Stored, tuple[str, ...]]:
    """Return a weight of 8-bit floating point times scales, one for all, for each row or for each group; exact."""
    name, stored = f"{layer.base}weight", layer.stored("weight")
    where = f"{layer.where}, tensor {name}"
    if stored.kind not in EIGHT_BITS or len(stored.shape) != 2:
        raise InputError(f"{where}: elements {stored}, expected {' or '.join(EIGHT_BITS)} [out, in]")
    if f"{layer.base}weight_zero_point" in layer.tensors:
        raise InputError(f"{where}: zero points of numbers of floating point, expected none")
    codes, unit = codes_of(stored, where)
    made = plain(codes, layer.numbers("weight_scale") * unit, None, where, 1, size or stored.shape[1])
    return name, replace(made, kind=f"{stored.kind}, {DEQUANTISED}"), ("weight_scale",)


def _gptq(tensors: Tensors, settings: Settings, where: str, turned: bool) -> Made:
    """Yield matrices [in, out] of unsigned numbers, with groups along the first axis in any order.

    In the first version of the format zero points are stored minus one; if the sum needs one more bit, the behaviour of
    programs is unknown.
    """
    for name in ("checkpoint_format", "format"):
        settings.only(name, None, "gptq", "gptq_v2")
    less = (settings.get("checkpoint_format") or settings.get("format") or "gptq") == "gptq"
    for name, handled in (("pack_dtype", "int32"), ("is_marlin_format", False), ("dynamic", {})):
        settings.only(name, None, handled)
    bits, size = _bits(settings, "bits"), _group_size(settings)
    for layer in _layers(tensors, "qweight", where):
        codes, scale = layer.words("qweight", bits, 0), layer.numbers("scales")
        zero = layer.words("qzeros", bits, 1) + less
        if zero.shape != scale.shape:
            raise InputError(f"{where}: tensor {layer.base}qzeros holds {list(zero.shape)} numbers, expected "
                             f"{list(scale.shape)}, as there are scales")
        order = np.arange(len(codes)) // (size or len(codes))
        if f"{layer.base}g_idx" in tensors:
            order = whole_numbers(layer.stored("g_idx"), f"{where}, tensor {layer.base}g_idx")[1]
        if order.shape != codes.shape[:1] or not 0 <= order.min() <= order.max() < len(scale):
            raise InputError(f"{where}: tensor {layer.base}qweight has {len(codes)} rows, expected of each which of "
                             f"{len(scale)} groups contains it")
        yield _turned(layer, codes, bits, scale[order], zero[order], 1, turned)


def _group_size(settings: Settings) -> int | None:
    """Return the number of rows of a group; None: all."""
    return None if settings.get("group_size") == -1 else settings.count("group_size")


def _awq(tensors: Tensors, settings: Settings, where: str, turned: bool) -> Made:
    """Yield matrices as in GPTQ, without order and with zeros as stored; columns are interleaved."""
    settings.only("version", None, "gemm", "GEMM")
    settings.only("zero_point", None, True)
    size = _group_size(settings)
    if _bits(settings, "bits") != 4:
        raise InputError(f"{settings.where}, bits: {found(settings.get('bits'))}, expected 4")
    for layer in _layers(tensors, "qweight", where):
        codes, zero = (words.reshape(len(words), -1, 8)[:, :, _AWQ_ORDER].reshape(words.shape)
                       for words in (layer.words(end, 4, 1) for end in ("qweight", "qzeros")))
        yield _turned(layer, codes, 4, layer.numbers("scales"), zero, size or len(codes), turned)


def _turned(layer: _Layer, codes: Whole, bits: int, scale: Any, zero: Whole, block: int, turned: bool,
            ) -> tuple[str, Stored, tuple[str, ...]]:
    name = f"{layer.base}weight"
    made = plain((f"uint{bits}", codes), scale, zero, f"{layer.where}, tensor {name}", 0, block, turned)
    return name, made, ("qweight", "qzeros", "scales", "g_idx")


_METHODS: Mapping[str, Callable[[Tensors, Settings, str, bool], Made]] = {
    "compressed-tensors": _compressed_tensors, "gptq": _gptq, "awq": _awq}
