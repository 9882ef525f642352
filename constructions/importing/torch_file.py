"""Files of torch.save: a zip archive with a pickle, which is interpreted as data, and one member for each storage."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.array_files import Archive
from constructions.importing.contents import MAX_DIMENSIONS, Contents, Stored
from constructions.importing.quantised import OF_RANGES, plain, whole_numbers
from constructions.importing.torch_pickle import Global, QuantisedTensor, StridedTensor, interpret
from constructions.trained.network import ELEMENT_BYTES
from constructions.trained.validation import check_total_bytes

_FORMATS = {"float64": "binary64", "float32": "binary32", "float16": "binary16", "bfloat16": "bfloat16"}
_WORDS = {8: "<u8", 4: "<u4", 2: "<u2", 1: "u1"}
_WHOLE_BYTES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "int32": 4, "int64": 8}
_WRAPPERS = ("model", "state_dict", "model_state_dict", "model_state", "net", "module", "weights")
"""The keys under which checkpoints keep a state dict."""
_PACKED = "_packed_params._packed_params"
"""The end of the entry of a quantised Linear: its weight and its bias."""
_SETTINGS = ("model_args",)
"""The key under which nanoGPT keeps the sizes of the network."""


def is_old_torch_file(data: bytes) -> bool:
    """Whether it is a bare pickle, as torch.save wrote before version 1.6."""
    return data[:1] == b"\x80" and data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")


def read_torch(data: bytes, where: str) -> Contents:
    """The state dict of a file."""
    archive = Archive(data, where, len(data))  # torch does not compress, so nothing is larger unpacked
    pickles = [name for name in archive.sizes if name.split("/")[-1] == "data.pkl"]
    if len(pickles) != 1 or any(name.split("/")[-1] == "constants.pkl" for name in archive.sizes):
        raise InputError(f"{where}: a zip archive that is not of torch.save (or is TorchScript), expected a state dict")
    folder = pickles[0].removesuffix("data.pkl")
    if archive.sizes.get(folder + "byteorder") and archive.read(folder + "byteorder") != b"little":
        raise InputError(f"{where}: its byte order is not little, expected little")
    state, settings, others = _state_dict(interpret(archive.read(pickles[0]), where), where)
    storages = _Storages(archive, folder)
    state, tensors = _without_packed(state, storages, where)
    for key, value in state.items():
        name = str(key)
        if isinstance(value, QuantisedTensor):
            tensors[name] = storages.dequantised(value, f"{where}, tensor {name}")
        elif isinstance(value, StridedTensor):
            tensors[name] = storages.stored(value, f"{where}, tensor {name}")
        elif value is None or isinstance(value, Real | str):
            others[name] = f"no tensor, but of type {type(value).__name__}"
        else:
            raise InputError(f"{where}: entry {name[:60]} is of type {type(value).__name__}, expected a tensor")
    return Contents(tensors, settings, others)


def _without_packed(state: Mapping[Any, Any], storages: _Storages, where: str
                    ) -> tuple[Mapping[Any, Any], dict[str, Stored]]:
    """The state dict without the entries of the Linears of torch's quantize_dynamic, and their weights and biases."""
    tensors: dict[str, Stored] = {}
    for key in [str(key) for key in state if str(key).endswith(_PACKED)]:
        base = key.removesuffix(_PACKED)
        ends = ("scale", "zero_point", "_packed_params.dtype")
        scale, zero, kind = (state.get(base + end) for end in ends)
        packed = state[key]
        numbers = [storages.stored(one, f"{where}, tensor {base}").read() if isinstance(one, StridedTensor) else b""
                   for one in (scale, zero)]
        if not (isinstance(packed, tuple) and len(packed) == 2 and isinstance(packed[0], QuantisedTensor)
                and isinstance(packed[1], StridedTensor | None)) or kind != Global("torch.qint8") or numbers != [
                    b"\0\0\x80\x3f", bytes(8)]:
            raise InputError(f"{where}: entry {key[:60]} is of torch.ao.nn.quantized, but not as quantize_dynamic "
                             f"makes it with weights of qint8, expected that alone")
        weight = storages.dequantised(packed[0], f"{where}, tensor {base}weight")
        tensors[f"{base}weight"] = replace(weight, kind=OF_RANGES)
        if packed[1] is not None:
            tensors[f"{base}bias"] = storages.stored(packed[1], f"{where}, tensor {base}bias")
        state = {name: value for name, value in state.items() if name not in (key, *(base + end for end in ends))}
    return state, tensors


def _state_dict(value: Any, where: str) -> tuple[Mapping[Any, Any], Mapping[str, Any], dict[str, str]]:
    """The state dict, perhaps inside a checkpoint; the settings beside it; what else is beside it."""
    inside = [key for key in _WRAPPERS if isinstance(value, dict) and _has_tensors(value.get(key))]
    if len(inside) == 1:
        settings = [value[key] for key in _SETTINGS if isinstance(value.get(key), dict)]
        others = {str(key): "beside the state dict" for key in value if key not in (*inside, *_SETTINGS)}
        return value[inside[0]], settings[0] if settings else {}, others
    if not _has_tensors(value):
        missing = " without tensors" if isinstance(value, dict) else ""
        raise InputError(f"{where}: a {type(value).__name__}{missing} is saved in it, expected a state dict: names "
                         f"and tensors")
    return value, {}, {}


def _has_tensors(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(entry, StridedTensor | QuantisedTensor)
                                           or str(name).endswith(_PACKED) for name, entry in value.items())


class _Storages:
    """The bytes of the storages, each read at most once."""

    def __init__(self, archive: Archive, folder: str) -> None:
        self.archive = archive
        self.folder = folder
        self.read: dict[str, bytes] = {}

    def stored(self, tensor: StridedTensor, where: str) -> Stored:
        """The tensor, once it is known to lie inside its storage."""
        member = f"{self.folder}data/{tensor.storage.key}"
        form = _FORMATS.get(tensor.kind)
        size = ELEMENT_BYTES[form] if form else _WHOLE_BYTES.get(tensor.kind)
        if len(tensor.shape) > MAX_DIMENSIONS or member not in self.archive.sizes:
            raise InputError(f"{where}: its storage {tensor.storage.key[:20]} is missing, or it has over "
                             f"{MAX_DIMENSIONS} dimensions")
        if size is None:
            return Stored(tensor.kind, None, tensor.shape, bytes)
        last = tensor.start + sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.strides, strict=True))
        if math.prod(tensor.shape) and (last + 1) * size > self.archive.sizes[member]:
            raise InputError(f"{where}: reaches to element {last + 1} of a storage of "
                             f"{self.archive.sizes[member]} bytes, expected it to lie inside")
        check_total_bytes(math.prod(tensor.shape) * size if form else 0, where)
        return Stored(tensor.kind, form, tensor.shape, lambda: self.elements(member, size, tensor))

    def dequantised(self, tensor: QuantisedTensor, where: str) -> Stored:
        """A tensor of torch's quantised types, whose scales are binary64 in the file; some kernels round these."""
        codes, scale, zero = self.stored(tensor.codes, where), np.array(tensor.scale), np.array(tensor.zero)
        if isinstance(tensor.scale, StridedTensor) and isinstance(tensor.zero, StridedTensor):
            scales, zeros = (self.stored(one, where) for one in (tensor.scale, tensor.zero))
            if (scales.kind, zeros.kind) != ("float64", "int64"):
                raise InputError(f"{where}: scales of type {scales.kind}, zero points of type {zeros.kind}, expected "
                                 f"float64 and int64")
            scale, zero = (np.frombuffer(one.read(), kind).reshape(one.shape)
                           for one, kind in ((scales, "<f8"), (zeros, "<i8")))
        with np.errstate(over="ignore"):
            rough = scale[scale.astype(np.float32) != scale].tolist()
        if rough:
            raise InputError(f"{where}: a scale of {rough[0]}, expected a binary32 number, as observers make it")
        return plain(whole_numbers(codes, where), scale, zero, where, axis=tensor.axis)

    def elements(self, member: str, size: int, tensor: StridedTensor) -> bytes:
        """The elements in row-major order."""
        if member not in self.read:
            self.read[member] = self.archive.read(member)
        words = np.frombuffer(self.read[member], _WORDS[size], len(self.read[member]) // size)[tensor.start :]
        strides = [stride * size for stride in tensor.strides]
        return np.lib.stride_tricks.as_strided(words, tensor.shape, strides, writeable=False).tobytes()
