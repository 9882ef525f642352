"""The pickle inside a file of torch.save, interpreted as data: no class of it is imported and no function called.

The opcodes and globals that a state dict needs are known; any other is named and refused.
"""

import pickletools
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from constructions.errors import InputError

MAX_PICKLE_BYTES = 16_000_000


@dataclass(frozen=True)
class Global:
    """The name of a class or function, which stays a name."""

    name: str


@dataclass(frozen=True)
class Storage:
    """A run of bytes in the archive: element type (None where the tensor says it), member, number of elements."""

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
    """Whole numbers with one scale and zero point, or one of each for each index of an axis."""

    codes: StridedTensor
    scale: Real | StridedTensor
    zero: int | StridedTensor
    axis: int = 0


_KINDS = {"Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64",
          "Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool"}
_QUANTISED = {"QInt8": "int8", "QUInt8": "uint8", "QInt32": "int32"}
STORAGES = {f"torch.{name}Storage": kind for name, kind in (_KINDS | _QUANTISED).items()}
"""The element type of each class of storage."""
_UNTYPED = "torch.storage.UntypedStorage"
_DTYPES = {f"torch.{kind}": kind for kind in _KINDS.values()}
_QUANTISED_NAMES = ("torch.per_tensor_affine", "torch.per_channel_affine",
                    *(f"torch.q{kind}" for kind in _QUANTISED.values()))
_REBUILT = ("torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_tensor_v3")
_PARAMETER, _QUANTISE = "torch._utils._rebuild_parameter", "torch._utils._rebuild_qtensor"
_CALLED = ("collections.OrderedDict", *_REBUILT, _PARAMETER, _QUANTISE, "torch.Size", "torch.device")
_GLOBALS = {*_CALLED, *STORAGES, *_DTYPES, *_QUANTISED_NAMES, _UNTYPED}
_MARK = Global("mark")
_STATE_DICT = "a state dict, as torch.save(model.state_dict()) writes it"


def interpret(data: bytes, where: str) -> Any:
    """The object that the pickle describes: dicts, lists, tuples, text, numbers, StridedTensor."""
    if len(data) > MAX_PICKLE_BYTES:
        raise InputError(f"{where}: a pickle of {len(data)} bytes, expected at most {MAX_PICKLE_BYTES}")
    machine = _Machine(where)
    try:
        for opcode, argument, _ in pickletools.genops(data):
            machine.step(opcode.name, argument)
        result = machine.pop()
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{where}: a damaged pickle: {str(error)[:80]}") from None
    return result


class _Machine:
    """The stack and the memo of a pickle."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def refuse(self, what: str, expected: str = _STATE_DICT) -> InputError:
        """The complaint about something that only running it could read."""
        return InputError(f"{self.where}: {what}, which is not run; expected {expected}")

    def step(self, name: str, argument: Any) -> None:
        """One opcode."""
        if name in _PUSHED:
            self.stack.append(argument)
        elif name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name])
        elif name in _ACTIONS:
            _ACTIONS[name](self, argument)
        elif name not in _NOTHING:
            raise self.refuse(f"the pickle has opcode {name}")

    def pop(self) -> Any:
        """The top of the stack, which is no mark."""
        value = self.stack.pop()
        if value is _MARK:
            raise ValueError("a mark where a value is expected")
        return value

    def to_mark(self) -> list[Any]:
        """What stands above the last mark, which goes, too."""
        above = []
        while (value := self.stack.pop()) is not _MARK:
            above.append(value)
        return above[::-1]

    def top(self, kind: type) -> Any:
        """The top of the stack, which must be of a kind."""
        if type(self.stack[-1]) is not kind:
            raise ValueError(f"an operation on a {type(self.stack[-1]).__name__}, expected a {kind.__name__}")
        return self.stack[-1]

    def tuple_of(self, count: int) -> None:
        """The last values become a tuple."""
        values = [self.pop() for _ in range(count)]
        self.stack.append(tuple(values[::-1]))

    def set_items(self, values: list[Any]) -> None:
        """Pairs go into the dict below them; keys are text or numbers."""
        target = self.top(dict)
        if len(values) % 2:
            raise ValueError("a key without a value")
        for key, value in zip(values[::2], values[1::2], strict=True):
            if not isinstance(key, str | int):
                raise self.refuse(f"a key of type {type(key).__name__}", "text or a number as a key")
            target[key] = value

    def name_global(self, name: str) -> None:
        """A class or function by its name."""
        if name not in _GLOBALS:
            raise self.refuse(f"the pickle names {name[:80]}")
        self.stack.append(Global(name))

    def stack_global(self) -> None:
        """Likewise, with module and name on the stack."""
        name, module = self.pop(), self.pop()
        self.name_global(f"{module}.{name}" if isinstance(name, str) and isinstance(module, str) else "no text")

    def reduce(self) -> None:
        """What torch would call a function for."""
        arguments, function = self.pop(), self.pop()
        name = function.name if isinstance(function, Global) else type(function).__name__
        if name not in _CALLED or not isinstance(arguments, tuple):
            raise self.refuse(f"the pickle calls {name[:80]}")
        self.stack.append(self.call(name, arguments))

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """The value that stands for a call."""
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

    def build(self) -> None:
        """A state dict gets its versions, which are not needed; nothing else has a state."""
        self.pop()
        self.top(dict)

    def persistent(self) -> None:
        """A storage of the archive."""
        match self.pop():
            case ("storage", Global(name), str() as key, _, int() as elements) if name in (*STORAGES, _UNTYPED):
                self.stack.append(Storage(STORAGES.get(name), key, elements))
            case _:
                raise self.refuse("a reference that is not to a storage")


def _checked(*place: Any) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Start, shape and strides of a tensor: as many strides as sizes, none negative."""
    start, shape, strides = place
    numbers = (start, *shape, *strides) if isinstance(shape, tuple) and isinstance(strides, tuple) else (None,)
    if any(type(number) is not int or not 0 <= number < 2**40 for number in numbers) or len(shape) != len(strides):
        raise ValueError("a tensor whose start, shape or strides are not numbers of 0 or more")
    return start, shape, strides


_PUSHED = {"BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT",
           "BINBYTES", "SHORT_BINBYTES"}
_CONSTANTS: dict[str, Any] = {"MARK": _MARK, "NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
_NOTHING = {"PROTO", "FRAME", "STOP"}


def _append(machine: _Machine, _: Any) -> None:
    value = machine.pop()
    machine.top(list).append(value)


def _appends(machine: _Machine, _: Any) -> None:
    values = machine.to_mark()
    machine.top(list).extend(values)


def _set_item(machine: _Machine, _: Any) -> None:
    value, key = machine.pop(), machine.pop()
    machine.set_items([key, value])


def _remember(machine: _Machine, place: Any) -> None:
    machine.memo[len(machine.memo) if place is None else place] = machine.stack[-1]


_ACTIONS: dict[str, Callable[[_Machine, Any], None]] = {
    "EMPTY_DICT": lambda machine, _: machine.stack.append({}),
    "EMPTY_LIST": lambda machine, _: machine.stack.append([]),
    "TUPLE": lambda machine, _: machine.stack.append(tuple(machine.to_mark())),
    "TUPLE1": lambda machine, _: machine.tuple_of(1),
    "TUPLE2": lambda machine, _: machine.tuple_of(2),
    "TUPLE3": lambda machine, _: machine.tuple_of(3),
    "APPEND": _append,
    "APPENDS": _appends,
    "SETITEM": _set_item,
    "SETITEMS": lambda machine, _: machine.set_items(machine.to_mark()),
    "BINPUT": _remember,
    "LONG_BINPUT": _remember,
    "MEMOIZE": _remember,
    "BINGET": lambda machine, place: machine.stack.append(machine.memo[place]),
    "LONG_BINGET": lambda machine, place: machine.stack.append(machine.memo[place]),
    "GLOBAL": lambda machine, name: machine.name_global(name.replace(" ", ".")),
    "STACK_GLOBAL": lambda machine, _: machine.stack_global(),
    "REDUCE": lambda machine, _: machine.reduce(),
    "BUILD": lambda machine, _: machine.build(),
    "BINPERSID": lambda machine, _: machine.persistent(),
}
