"""Operations of torch that make constants, and those on single numbers."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from constructions.importing.graph.aten_call import BFLOAT, DOUBLE, FLOAT, HALF, LONG, Call, Translator, Unfit
from constructions.importing.graph.aten_types import result_type
from constructions.importing.graph.aten_values import BOOLEAN, ELEMENTS, REAL, TYPES, WHOLE, Name


def filled(number: int | None) -> Translator:
    """A constant that is one number everywhere."""
    def handler(call: Call) -> None:
        call.get("self")  # its shape and type are those that are stated
        value = number if number is not None else call.get("fill_value", call.get("s", call.get("value")))
        if isinstance(value, Name):
            call.emit("Expand", [call.as_kind(value, call.kind(call.made[0])), call.constant([*call.shape(
                call.made[0])], LONG)])
            return
        if (size := call.get("size")) is not None:
            call.expect_shape(size)
        call.emit("Identity", [call.constant(np.full(call.shape(call.made[0]), value), call.kind(call.made[0]))])
    return handler


def arange(call: Call) -> None:
    """Numbers at equal distances."""
    start, end, step = call.get("start", 0), call.get("end"), call.get("step", 1)
    if call.kind(call.made[0]) not in REAL and not all(isinstance(one, int) for one in (start, end, step)):
        raise Unfit("whole numbers at distances that are not")
    count = -((start - end) // step) if isinstance(start, int) else math.ceil((end - start) / step)
    call.expect_shape([int(count)])
    _keep_steps(call, start + np.arange(int(count)) * step, [start, step])


def eye(call: Call) -> None:
    """Ones on the diagonal."""
    rows = call.get("n")
    call.expect_shape([rows, call.get("m", rows)])
    call.emit("Identity", [call.constant(np.eye(rows, call.get("m", rows)), call.kind(call.made[0]))])


def triangle(upper: int) -> Translator:
    """The lower or upper triangle."""
    def handler(call: Call) -> None:
        call.emit("Trilu", [call.x, call.constant(call.get("diagonal", 0), LONG)], upper=upper)
    return handler


COMPARED: Mapping[str, Callable[[Any], int]] = {
    "Less": math.ceil, "LessOrEqual": math.floor, "Greater": math.floor, "GreaterOrEqual": math.ceil, "Equal": int}
"""Comparisons, and which whole number stands for one between two of them."""
_SMALL = 1 << 23
"""Whole numbers below it are numbers of binary32."""


def as_compared(call: Call, operation: str, one: Any, other: Any, kind: int) -> tuple[Any, Any, int]:
    """Both operands in their common type; whole numbers and a real one are compared as whole numbers.

    Raises:
        Unfit: if it depends on rounding whether they are equal.
    """
    if kind == FLOAT and isinstance(one, Name) and call.kind(one) not in REAL and isinstance(other, np.floating):
        number = np.float64(np.float32(other))
        if number != other and number == np.floor(number):
            raise Unfit("whole numbers compared with a number that binary32 rounds to a whole one")
        if abs(number) < _SMALL and (operation != "Equal" or number == np.floor(number)):
            kind, other = LONG, COMPARED[operation](number)
    if kind in WHOLE:
        if isinstance(other, int) and not np.iinfo(ELEMENTS[kind]).min <= other <= np.iinfo(ELEMENTS[kind]).max:
            raise Unfit("a number beyond the type that it is compared in")
        kind = LONG
    return one, other, kind


def expect_promoted(kind: int, found: int, operation: str) -> None:
    """Compare the type that is stated with that of torch's rules, where the default may have been binary64.

    Raises:
        Unfit: if they differ.
    """
    divides = operation == "Div" and kind in REAL and found not in REAL
    if kind == BOOLEAN or (found != kind and not divides and (kind, found) != (DOUBLE, FLOAT)):
        raise Unfit(f"elements of type {kind}, expected {found} by torch's promotion, and not truth values")


def two(operation: str) -> Translator:
    """Of two arrays, or an array and a number; torch's alpha multiplies the second."""
    def handler(call: Call) -> None:
        kind = call.kind(call.made[0])
        one, other = call.operands(2)
        found = result_type(call, [one, other])
        if operation in _BITS and found != BOOLEAN and not call.operation.startswith("logical"):
            _bits(call, operation, [one, other], found)
            return
        if (operation in ("And", "Or") or operation in COMPARED) and kind != BOOLEAN:
            raise Unfit("truth values as elements of another type")
        if operation in COMPARED:
            one, other, kind = as_compared(call, operation, one, other, found)
        elif operation not in ("And", "Or"):
            expect_promoted(kind, found, operation)
        if call.get("rounding_mode") is not None:
            {"floor": floor_quotient, "trunc": _whole_quotient}[call.get("rounding_mode")](call)
            return
        small = kind in (HALF, BFLOAT) and operation in ("Mul", "Div")
        stated, kind = kind, FLOAT if small else kind
        second = call.as_kind(other, kind)
        if call.get("alpha", 1) != 1:
            second = call.emit("Mul", [second, call.constant(call.get("alpha"), kind)],
                               call.new(call.shape(second), kind))
        wide = call.new(call.shape(call.made[0]), FLOAT) if small else None
        made = call.emit(operation, [call.as_kind(one, kind), second], wide)
        if made in call.program.constants and kind in REAL and operation not in COMPARED and (
                (operation == "Pow" and isinstance(other, Name)) or 2 * abs(math.frexp(call.get("alpha", 1))[0]) != 1):
            call.program.inexact.add(made)
        if small:  # torch rounds the numbers of products after them alone
            call.emit("Cast", [made], to=TYPES[stated])
    return handler


_BITS: Mapping[str, Callable[..., Any]] = {"And": np.bitwise_and, "Or": np.bitwise_or, "Xor": np.bitwise_xor}


def _bits(call: Call, operation: str, operands: list[Any], found: int) -> None:
    """Bits of whole numbers, which are constants."""
    kind = call.kind(call.made[0])
    if found != kind or kind not in WHOLE:
        raise Unfit(f"elements of type {kind}, expected {found}, whole numbers")
    call.keep(_BITS[operation](*(call.known(call.as_kind(one, kind)) for one in operands)), [])


def floor_quotient(call: Call) -> None:
    """A quotient rounded down: of whole numbers, or by a power of two, where torch's way has the same result."""
    one, other = call.operands(2)
    shape, kind = call.shape(call.made[0]), call.kind(call.made[0])
    if kind in WHOLE:
        one, other = (call.as_kind(call.as_kind(value, kind), LONG) for value in (one, other))
        rest = call.emit("Mod", [one, other], call.new(shape, LONG))
        whole = call.emit("Sub", [one, rest], call.new(shape, LONG))
        found = call.emit("Div", [whole, other], call.new(shape, LONG))
        call.emit("Cast", [found], to=TYPES[kind])
    elif kind in (FLOAT, DOUBLE) and isinstance(other, int | np.floating) and abs(math.frexp(other)[0]) * 2 == 1:
        found = call.emit("Div", [call.as_kind(one, kind), call.as_kind(other, kind)], call.new(shape, kind))
        call.emit("Floor", [found])
    else:
        raise Unfit("a rounded quotient of numbers that are not whole by another one than a power of two")


def _whole_quotient(call: Call) -> None:
    """A quotient rounded towards 0."""
    kind, operands = call.kind(call.made[0]), call.operands(2)
    if kind not in (FLOAT, DOUBLE, *WHOLE):
        raise Unfit("a rounded quotient of elements of this type")
    found = call.emit("Div", [call.as_kind(one, kind) for one in operands], call.new(call.shape(call.made[0]), kind))
    call.emit("Identity" if kind in WHOLE else "Trunc", [found])


def remainder(call: Call) -> None:
    """A remainder with the sign of the divisor."""
    one, other = call.operands(2)
    shape, kind = call.shape(call.made[0]), call.kind(call.made[0])
    if kind in WHOLE:
        call.emit("Mod", [call.as_kind(one, kind), call.as_kind(other, kind)])
        return
    if kind not in (FLOAT, DOUBLE):
        raise Unfit("a remainder of elements of this type")
    one, other, zero = call.as_kind(one, kind), call.as_kind(other, kind), call.constant(0, kind)
    rest = call.emit("Mod", [one, other], call.new(shape, kind), fmod=1)
    below = [call.emit("Less", [value, zero], call.new(call.shape(value), BOOLEAN)) for value in (rest, other)]
    none = call.emit("Equal", [rest, zero], call.new(shape, BOOLEAN))
    alike = call.emit("Equal", below, call.new(shape, BOOLEAN))
    keeps = call.emit("Or", [none, alike], call.new(shape, BOOLEAN))
    call.emit("Where", [keeps, rest, call.emit("Add", [rest, other], call.new(shape, kind))])


def fmod(call: Call) -> None:
    """A remainder with the sign of what is divided."""
    kind = call.kind(call.made[0])
    if kind not in (FLOAT, DOUBLE, *WHOLE):
        raise Unfit("a remainder of elements of this type")
    call.emit("Mod", [call.as_kind(one, kind) for one in call.operands(2)], fmod=1)


def taken_from(call: Call) -> None:
    """The second less the first."""
    one, other = call.operands(2)
    kind = call.kind(call.made[0])
    if call.get("alpha", 1) != 1:
        raise Unfit("a difference with a factor")
    call.emit("Sub", [call.as_kind(other, kind), call.as_kind(one, kind)])


def linspace(call: Call) -> None:
    """Numbers from one to another."""
    if call.kind(call.made[0]) not in (FLOAT, DOUBLE):
        raise Unfit("whole numbers at distances that are not, or numbers of 16 bits")
    call.expect_shape([call.get("steps")])
    numbers = np.linspace(call.get("start"), call.get("end"), call.get("steps"))
    _keep_steps(call, numbers, np.diff(numbers[:2]))


def _keep_steps(call: Call, numbers: Any, ends: Any) -> None:
    """Numbers at equal distances, which are exact if all of them, and their distance, are numbers of their type."""
    kind = call.kind(call.made[0])
    steps = np.arange(len(numbers)) * (np.asarray(ends).ravel()[-1] if len(numbers) > 1 else 0)
    exact = kind not in REAL or all((np.asarray(one, np.float64).astype(ELEMENTS[FLOAT if kind == BFLOAT else kind])
                                     == one).all() for one in (numbers, steps, np.asarray(ends)))
    if not exact and kind in (HALF, BFLOAT):
        raise Unfit("numbers of 16 bits that programs round in several ways")
    call.emit("Identity", [call.constant(numbers, kind)])
    if not exact:
        call.program.inexact.add(call.made[0])


def differs(call: Call) -> None:
    """Whether elements differ."""
    one, other = call.operands(2)
    one, other, kind = as_compared(call, "Equal", one, other, result_type(call, [one, other]))
    equal = call.emit("Equal", [call.as_kind(one, kind), call.as_kind(other, kind)],
                      call.new(call.shape(call.made[0]), BOOLEAN))
    call.emit("Not", [equal])


def one(operation: str, **attributes: Any) -> Translator:
    """Of one array, as ONNX has it."""
    def handler(call: Call) -> None:
        call.emit(operation, [call.as_kind(call.x, call.kind(call.made[0]))], **attributes)
    return handler


def bitwise_not(call: Call) -> None:
    """The other truth value; of constants, all bits."""
    if call.kind(call.x) == BOOLEAN:
        one("Not")(call)
    else:
        call.keep(~call.known(call.x), [])


def rounded(call: Call) -> None:
    """To whole numbers."""
    if call.get("decimals", 0):
        raise Unfit("numbers rounded to decimal places")
    one("Round")(call)


def gelu(call: Call) -> None:
    """GELU, by erf or tanh."""
    call.emit("Gelu", [call.x], approximate=call.get("approximate", "none"))


def silu(call: Call) -> None:
    """x times the logistic function."""
    call.emit("Mul", [call.x, call.emit("Sigmoid", [call.x], call.new(call.shape(call.x), call.kind(call.x)))])


def glu(call: Call) -> None:
    """One half of an axis times the logistic function of the other."""
    axis, shape, kind = call.axis(call.get("dim", -1)), call.shape(call.made[0]), call.kind(call.x)
    halves = [call.emit("Slice", [call.x, *(call.constant([one], LONG) for one in (first, first + shape[axis], axis))],
                        call.new(shape, kind)) for first in (0, shape[axis])]
    call.emit("Mul", [halves[0], call.emit("Sigmoid", [halves[1]], call.new(shape, kind))])


def length_of(call: Call) -> None:
    """The root of a sum of squares."""
    axes = call.get("dim")
    if call.get("ord", 2) != 2 or not axes or len(axes) != 1:
        raise Unfit("a length by another norm than that of squares, or over several axes")
    call.emit("ReduceL2", [call.x, call.constant([call.axis(axes[0])], LONG)],
              keepdims=int(bool(call.get("keepdim", False))))


def square(call: Call) -> None:
    """x · x."""
    call.emit("Mul", [call.x, call.x])


def rsqrt(call: Call) -> None:
    """One over the root."""
    call.emit("Reciprocal", [call.emit("Sqrt", [call.x], call.new(call.shape(call.x), call.kind(call.x)))])


def leaky(call: Call) -> None:
    """A rectifier with a slope below 0."""
    shape, kind = call.shape(call.x), call.kind(call.x)
    minus = call.emit("Neg", [call.x], call.new(shape, kind))
    below = call.emit("Relu", [minus], call.new(shape, kind))
    slope = call.constant(call.get("negative_slope", np.float64("0.01")), kind)
    scaled = call.emit("Mul", [below, slope], call.new(shape, kind))
    call.emit("Sub", [call.emit("Relu", [call.x], call.new(shape, kind)), scaled])


def clip(least: str, most: str, defaults: tuple[Any, Any]) -> Translator:
    """Bounds."""
    def handler(call: Call) -> None:
        bounds = [call.get(name, default) for name, default in zip((least, most), defaults, strict=True)]
        if any(isinstance(one, Name) for one in bounds):
            raise Unfit("bounds that are arrays")
        kind = call.kind(call.made[0])
        if kind != result_type(call, [call.x, *bounds]) or "nan" in map(str, bounds):
            raise Unfit("bounds that are no numbers, or of another type than the result")
        call.emit("Clip", [call.as_kind(call.x, kind),
                           *(None if one is None else call.constant(one, kind) for one in bounds)])
    return handler


def where(call: Call) -> None:
    """One of two, by a condition."""
    condition, one, other = call.operands(3)
    if call.kind(condition) != BOOLEAN:
        raise Unfit("a condition that is not one of truth values")
    kind = call.kind(call.made[0])
    call.emit("Where", [condition, call.as_kind(one, kind), call.as_kind(other, kind)])


def masked_fill(call: Call) -> None:
    """A number where a mask says so."""
    kind, mask, value = call.kind(call.made[0]), call.get("mask"), call.get("value")
    if call.kind(mask) != BOOLEAN or result_type(call, [call.x, value]) != kind:
        raise Unfit("a mask that is not one of truth values, or a number that is not one of the array's type")
    call.emit("Where", [mask, call.as_kind(value, kind), call.x])


def reduced(operation: str) -> Translator:
    """A sum or mean over axes."""
    def handler(call: Call) -> None:
        axes = call.get("dim")
        axes = [axes] if isinstance(axes, int) else axes or range(len(call.shape(call.x)))
        name = call.as_kind(call.x, call.kind(call.made[0]))
        call.emit(operation, [name, call.constant([call.axis(one) for one in axes], LONG)],
                  keepdims=int(bool(call.get("keepdim", False))))
    return handler


def any_of(operation: str) -> Translator:
    """Whether any (or all) elements hold."""
    def handler(call: Call) -> None:
        axes = call.get("dim")
        axes = range(len(call.shape(call.x))) if axes is None else [axes] if isinstance(axes, int) else axes
        call.emit(operation, [call.as_kind(call.x, BOOLEAN), call.constant([call.axis(one) for one in axes], LONG)],
                  keepdims=int(bool(call.get("keepdim", False))))
    return handler


def variance(is_root: bool) -> Translator:
    """The mean of squares of what is less its mean, or the root of it; torch divides by one less than their number."""
    def handler(call: Call) -> None:
        axes, shape, kind = call.get("dim"), call.shape(call.x), call.kind(call.x)
        axes = [axes] if isinstance(axes, int) else axes
        if not axes or len(axes) != 1 or not call.get("keepdim", False):
            raise Unfit("a variance that drops its axis, or over several axes")
        axis, count = call.axis(axes[0]), shape[call.axis(axes[0])]
        less = call.get("correction", 1 if call.get("unbiased", True) else 0)
        less = 1 if less is None else less
        if not count > less:
            raise Unfit("a variance of no more numbers than are taken off their count")
        single, over = [*shape[:axis], 1, *shape[axis + 1:]], call.constant([axis], LONG)
        mean = call.emit("ReduceMean", [call.x, over], call.new(single, kind), keepdims=1)
        centred = call.emit("Sub", [call.x, mean], call.new(shape, kind))
        square = call.emit("Mul", [centred, centred], call.new(shape, kind))
        total = call.emit("ReduceSum", [square, over], call.new(single, kind), keepdims=1)
        divisor = call.constant(count - less, kind)
        if not is_root:
            call.emit("Div", [total, divisor])
            return
        call.emit("Sqrt", [call.emit("Div", [total, divisor], call.new(single, kind))])
    return handler


def argmax(call: Call) -> None:
    """The place of the greatest."""
    if call.get("dim") is None:
        raise Unfit("an argmax over all elements")
    call.emit("ArgMax", [call.x], axis=call.axis(call.get("dim")), keepdims=int(bool(call.get("keepdim", False))))


def cumsum(call: Call) -> None:
    """Sums of beginnings."""
    call.emit("CumSum", [call.as_kind(call.x, call.kind(call.made[0])),
                         call.constant(call.axis(call.get("dim")), LONG)])


def one_hot(call: Call) -> None:
    """A one at the place of each number."""
    size = call.get("num_classes", -1)
    if call.kind(call.x) != LONG or size < 1:
        raise Unfit("one-hot vectors of other numbers than those of 64 bits, or of a length that is not stated")
    call.expect_shape([*call.shape(call.x), size])
    call.emit("OneHot", [call.x, call.constant(size, LONG), call.constant([0, 1], LONG)], axis=-1)
