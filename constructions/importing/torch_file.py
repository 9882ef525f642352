"""Files of torch.save: a zip archive with a pickle, interpreted as data, and one member for each storage.

No class of the pickle is imported and no function called: only the opcodes and globals of a state dict are accepted;
any other is named and refused.
"""

from __future__ import annotations

import math
import pickletools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.array_files import Archive, as_binary16
from constructions.importing.contents import MAX_DIMENSIONS, Contents, Stored
from constructions.importing.quantised import OF_RANGES, plain, whole_numbers
from constructions.trained.network import ELEMENT_BYTES
from constructions.trained.validation import check_total_bytes

MAX_PICKLE_BYTES = 16_000_000
_FORMATS = {"float64": "binary64", "float32": "binary32", "float16": "binary16", "bfloat16": "bfloat16"}
_EIGHT_BITS = {"float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2"}
"""Types of floating point of 8 bits, as safetensors has them."""
_WORDS = {8: "<u8", 4: "<u4", 2: "<u2", 1: "u1"}
_WHOLE_BYTES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "int32": 4, "int64": 8}
_WRAPPERS = ("model", "state_dict", "model_state_dict", "model_state", "net", "module", "weights")
"""The keys of the state dict in checkpoints."""
_PACKED = "_packed_params._packed_params"
"""The ending of the entry of a quantised Linear: its weight and its bias."""
_SETTINGS = "model_args"
"""The key of the sizes of the network in nanoGPT's files."""


@dataclass(frozen=True)
class Global:
    """The name of a class or function, never resolved."""

    name: str


@dataclass(frozen=True)
class Storage:
    """A range of bytes in the archive: element type (None if the tensor states it), member, number of elements."""

    kind: str | None
    key: str
    elements: int


@dataclass(frozen=True)
class StridedTensor:
    """A tensor inside a storage."""

    storage: Storage
    kind: str
    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True)
class QuantisedTensor:
    """Integers with one scale and zero point, or one of each for each index of an axis."""

    codes: StridedTensor
    scale: Real | StridedTensor
    zero: int | StridedTensor
    axis: int = 0


def read_torch(data: bytes, where: str) -> Contents:
    """Read the state dict of a file."""
    archive = Archive(data, where, len(data))  # torch does not compress, so the unpacked size is not larger
    pickles = [name for name in archive.sizes if name.split("/")[-1] == "data.pkl"]
    if len(pickles) != 1 or any(name.split("/")[-1] == "constants.pkl" for name in archive.sizes):
        raise InputError(f"{where}: a zip archive that is not of torch.save (or is TorchScript), expected a state dict")
    folder = pickles[0].removesuffix("data.pkl")
    if archive.sizes.get(folder + "byteorder") and archive.read(folder + "byteorder") != b"little":
        raise InputError(f"{where}: its byte order is not little-endian, expected little")
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
            others[name] = f"not a tensor, but of type {type(value).__name__}"
        else:
            raise InputError(f"{where}: entry {name[:60]} is of type {type(value).__name__}, expected a tensor")
    return Contents(tensors, settings, others)


def _without_packed(state: Mapping[Any, Any], storages: _Storages, where: str
                    ) -> tuple[Mapping[Any, Any], dict[str, Stored]]:
    """Return the state dict without the packed Linears of quantize_dynamic, and their weights and biases.

    Other kinds are refused: static quantisation, output scales, or weights of binary16.
    """
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
            raise InputError(f"{where}: entry {key[:60]} is of torch.ao.nn.quantized, expected a Linear of "
                             f"quantize_dynamic with weights of qint8")
        weight = storages.dequantised(packed[0], f"{where}, tensor {base}weight")
        tensors[f"{base}weight"] = replace(weight, kind=OF_RANGES)
        if packed[1] is not None:
            tensors[f"{base}bias"] = storages.stored(packed[1], f"{where}, tensor {base}bias")
        state = {name: value for name, value in state.items() if name not in (key, *(base + end for end in ends))}
    return state, tensors


def _state_dict(value: Any, where: str) -> tuple[Mapping[Any, Any], Mapping[str, Any], dict[str, str]]:
    """Return the state dict, perhaps inside a checkpoint; the settings beside it; other entries beside it."""
    def has_tensors(part: Any) -> bool:
        return isinstance(part, dict) and any(isinstance(entry, StridedTensor | QuantisedTensor)
                                              or str(name).endswith(_PACKED) for name, entry in part.items())

    inside = [key for key in _WRAPPERS if isinstance(value, dict) and has_tensors(value.get(key))]
    if len(inside) == 1:
        settings = value[_SETTINGS] if isinstance(value.get(_SETTINGS), dict) else {}
        return value[inside[0]], settings, {
            str(key): "beside the state dict" for key in value if key not in (*inside, _SETTINGS)}
    if not has_tensors(value):
        missing = " without tensors" if isinstance(value, dict) else ""
        raise InputError(f"{where}: a {type(value).__name__}{missing} is saved in it, expected a state dict: names "
                         f"and tensors")
    return value, {}, {}


class _Storages:
    """The bytes of the storages, each read at most once."""

    def __init__(self, archive: Archive, folder: str) -> None:
        self.archive, self.folder = archive, folder
        self.read: dict[str, bytes] = {}

    def stored(self, tensor: StridedTensor, where: str) -> Stored:
        member = f"{self.folder}data/{tensor.storage.key}"
        form, eight = _FORMATS.get(tensor.kind), _EIGHT_BITS.get(tensor.kind)
        size = ELEMENT_BYTES[form] if form else 1 if eight else _WHOLE_BYTES.get(tensor.kind)
        if len(tensor.shape) > MAX_DIMENSIONS or member not in self.archive.sizes:
            raise InputError(f"{where}: its storage {tensor.storage.key[:20]} is missing, or it has over "
                             f"{MAX_DIMENSIONS} dimensions")
        if size is None:
            return Stored(tensor.kind, None, tensor.shape, bytes)
        last = tensor.start + sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.strides, strict=True))
        if math.prod(tensor.shape) and (last + 1) * size > self.archive.sizes[member]:
            raise InputError(f"{where}: reaches to element {last + 1} of a storage of "
                             f"{self.archive.sizes[member]} bytes, expected it to lie inside")
        check_total_bytes(math.prod(tensor.shape) * (2 if eight else size if form else 0), where)
        if eight:
            return Stored(eight, "binary16", tensor.shape,
                          lambda: as_binary16(eight, self.elements(member, size, tensor)))
        return Stored(tensor.kind, form, tensor.shape, lambda: self.elements(member, size, tensor))

    def dequantised(self, tensor: QuantisedTensor, where: str) -> Stored:
        """Return a tensor of a quantised type of torch, whose scales are binary64; some kernels round them."""
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
            raise InputError(f"{where}: a scale of {rough[0]}, expected a binary32 number, as observers compute it")
        return plain(whole_numbers(codes, where), scale, zero, where, axis=tensor.axis)

    def elements(self, member: str, size: int, tensor: StridedTensor) -> bytes:
        """Return the elements in row-major order."""
        if member not in self.read:
            self.read[member] = self.archive.read(member)
        words = np.frombuffer(self.read[member], _WORDS[size], len(self.read[member]) // size)[tensor.start :]
        strides = [stride * size for stride in tensor.strides]
        return np.lib.stride_tricks.as_strided(words, tensor.shape, strides, writeable=False).tobytes()


# -- the pickle --------------------------------------------------------------------------------------------------------

_KINDS = {"Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64",
          "Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool"}
_QUANTISED = {"QInt8": "int8", "QUInt8": "uint8", "QInt32": "int32"}
STORAGES = {f"torch.{name}Storage": kind for name, kind in (_KINDS | _QUANTISED).items()}
"""The element type of each class of storage."""
_UNTYPED = "torch.storage.UntypedStorage"
_DTYPES = {f"torch.{kind}": kind for kind in (*_KINDS.values(), *_EIGHT_BITS)}
_CALLED = ("collections.OrderedDict", "torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_tensor_v3",
           "torch._utils._rebuild_parameter", "torch._utils._rebuild_qtensor", "torch.Size", "torch.device")
_GLOBALS = {*_CALLED, *STORAGES, *_DTYPES, _UNTYPED, "torch.per_tensor_affine", "torch.per_channel_affine",
            *(f"torch.q{kind}" for kind in _QUANTISED.values())}
_MARK = Global("mark")
_STATE_DICT = "a state dict, as torch.save(model.state_dict()) writes it"


def interpret(data: bytes, where: str) -> Any:
    """Return the object that the pickle describes: dicts, lists, tuples, text, numbers, StridedTensor."""
    if len(data) > MAX_PICKLE_BYTES:
        raise InputError(f"{where}: a pickle of {len(data)} bytes, expected at most {MAX_PICKLE_BYTES}")
    machine = _PickleMachine(where)
    try:
        for opcode, argument, _ in pickletools.genops(data):
            if opcode.name in _ACTIONS:
                _ACTIONS[opcode.name](machine, argument)
            else:
                raise machine.refuse(f"the pickle has opcode {opcode.name}")
        return machine.pop()
    except InputError:
        raise
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        raise InputError(f"{where}: a damaged pickle: {str(error)[:80]}") from None


class _PickleMachine:
    """The stack and the memo of a pickle."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.push = self.stack.append

    def refuse(self, what: str, expected: str = _STATE_DICT) -> InputError:
        """Return the error about a part of the pickle that would need execution."""
        return InputError(f"{self.where}: {what}, which is never run; expected {expected}")

    def pop(self) -> Any:
        """Pop the top of the stack, which must not be a mark."""
        value = self.stack.pop()
        if value is _MARK:
            raise ValueError("a mark where a value is expected")
        return value

    def to_mark(self) -> list[Any]:
        """Pop the values above the last mark, and the mark."""
        above = []
        while (value := self.stack.pop()) is not _MARK:
            above.append(value)
        return above[::-1]

    def top(self, kind: type) -> Any:
        """Return the top of the stack, which must have this type."""
        if type(self.stack[-1]) is not kind:
            raise ValueError(f"an operation on a {type(self.stack[-1]).__name__}, expected a {kind.__name__}")
        return self.stack[-1]

    def extend(self, values: list[Any]) -> None:
        """Append values to the list below them."""
        self.top(list).extend(values)

    def set_items(self, values: list[Any]) -> None:
        """Add pairs to the dict below them; keys are text or numbers."""
        target = self.top(dict)
        if len(values) % 2:
            raise ValueError("a key without a value")
        for key, value in zip(values[::2], values[1::2], strict=True):
            if not isinstance(key, str | int):
                raise self.refuse(f"a key of type {type(key).__name__}", "text or a number as a key")
            target[key] = value

    def last(self, count: int) -> list[Any]:
        """Pop the last values."""
        return [self.pop() for _ in range(count)][::-1]

    def name_global(self, module: Any, name: Any) -> None:
        """Push a class or function by its name."""
        whole = f"{module}.{name}" if isinstance(name, str) and isinstance(module, str) else "no text"
        if whole not in _GLOBALS:
            raise self.refuse(f"the pickle names {whole[:80]}")
        self.push(Global(whole))

    def reduce(self, function: Any, arguments: Any) -> None:
        """Push the result of a function call of torch."""
        name = function.name if isinstance(function, Global) else type(function).__name__
        if name not in _CALLED or not isinstance(arguments, tuple):
            raise self.refuse(f"the pickle calls {name[:80]}")
        self.push(self.call(name, arguments))

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Return the value that represents a call."""
        match name, arguments:
            case "collections.OrderedDict", ():
                return {}
            case "torch._utils._rebuild_tensor_v2", (Storage(kind=str() as kind) as storage, *place, _, _):
                return StridedTensor(storage, kind, *_checked(*place))
            case "torch._utils._rebuild_tensor_v3", (Storage() as storage, *place, _, _, Global(dtype)):
                return StridedTensor(storage, _DTYPES[dtype], *_checked(*place))
            case "torch._utils._rebuild_parameter", (StridedTensor() | QuantisedTensor() as tensor, *_):
                return tensor
            case "torch._utils._rebuild_qtensor", (Storage(kind=str() as kind) as storage, *place, (
                    Global("torch.per_tensor_affine"), Real() as scale, int() as zero), _, _) if (
                    not isinstance(scale, int) and abs(zero) < 2**40):
                return QuantisedTensor(StridedTensor(storage, kind, *_checked(*place)), scale, zero)
            case "torch._utils._rebuild_qtensor", (Storage(kind=str() as kind) as storage, *place, (
                    Global("torch.per_channel_affine"), StridedTensor() as scales, StridedTensor() as zeros,
                    int() as axis), _, _):
                return QuantisedTensor(StridedTensor(storage, kind, *_checked(*place)), scales, zeros, axis)
            case "torch.Size", (tuple() as sizes,):
                return sizes
            case "torch.device", _:
                return None
        raise self.refuse(f"the pickle calls {name} with other arguments than torch.save writes")

    def build(self, _: Any) -> None:
        """Ignore the versions of a state dict; no other object may have a state."""
        self.top(dict)

    def persistent(self, reference: Any) -> None:
        """Push a storage of the archive."""
        match reference:
            case ("storage", Global(name), str() as key, _, int() as elements) if name in (*STORAGES, _UNTYPED):
                self.push(Storage(STORAGES.get(name), key, elements))
            case _:
                raise self.refuse("a reference to something other than a storage")

    def remember(self, place: int | None) -> None:
        """Store the top of the stack under a number, by default the next one."""
        self.memo[len(self.memo) if place is None else place] = self.stack[-1]


def _checked(*place: Any) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return start, shape and strides of a tensor: equally many strides and sizes, none negative."""
    start, shape, strides = place
    numbers = (start, *shape, *strides) if isinstance(shape, tuple) and isinstance(strides, tuple) else (None,)
    if any(type(number) is not int or not 0 <= number < 2**40 for number in numbers) or len(shape) != len(strides):
        raise ValueError("a tensor whose start, shape or strides are not numbers of 0 or more")
    return start, shape, strides


_ACTIONS: dict[str, Callable[[_PickleMachine, Any], None]] = {
    **dict.fromkeys(("PROTO", "FRAME", "STOP"), lambda _, __: None),
    **dict.fromkeys(("BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BININT", "BININT1", "BININT2", "LONG1",
                     "BINFLOAT", "BINBYTES", "SHORT_BINBYTES"), lambda machine, value: machine.push(value)),
    "MARK": lambda machine, _: machine.push(_MARK), "NONE": lambda machine, _: machine.push(None),
    "NEWTRUE": lambda machine, _: machine.push(True), "NEWFALSE": lambda machine, _: machine.push(False),
    "EMPTY_TUPLE": lambda machine, _: machine.push(()), "EMPTY_DICT": lambda machine, _: machine.push({}),
    "EMPTY_LIST": lambda machine, _: machine.push([]),
    "TUPLE": lambda machine, _: machine.push(tuple(machine.to_mark())),
    "TUPLE1": lambda machine, _: machine.push(tuple(machine.last(1))),
    "TUPLE2": lambda machine, _: machine.push(tuple(machine.last(2))),
    "TUPLE3": lambda machine, _: machine.push(tuple(machine.last(3))),
    "APPEND": lambda machine, _: machine.extend(machine.last(1)),
    "APPENDS": lambda machine, _: machine.extend(machine.to_mark()),
    "SETITEM": lambda machine, _: machine.set_items(machine.last(2)),
    "SETITEMS": lambda machine, _: machine.set_items(machine.to_mark()),
    **dict.fromkeys(("BINPUT", "LONG_BINPUT", "MEMOIZE"), _PickleMachine.remember),
    **dict.fromkeys(("BINGET", "LONG_BINGET"), lambda machine, place: machine.push(machine.memo[place])),
    "GLOBAL": lambda machine, name: machine.name_global(*name.split(" ", 1)),
    "STACK_GLOBAL": lambda machine, _: machine.name_global(*machine.last(2)),
    "REDUCE": lambda machine, _: machine.reduce(*machine.last(2)),
    "BUILD": lambda machine, _: machine.build(machine.pop()),
    "BINPERSID": lambda machine, _: machine.persistent(machine.pop())}
"""The actions of the accepted opcodes, with their argument."""
