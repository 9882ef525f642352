"""Operations of torch that make constants, those on single numbers, and those supported on constants only."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from constructions.importing.graph.aten_call import (
    BFLOAT,
    BOOLEAN,
    DOUBLE,
    ELEMENTS,
    FLOAT,
    HALF,
    LONG,
    REAL,
    TYPES,
    WHOLE,
    Call,
    Name,
    Translator,
    Unfit,
    result_type,
)

# -- constants ---------------------------------------------------------------------------------------------------------


def _filled(number: int | None) -> Translator:
    """Return the translator of a constant with equal elements."""
    def handler(call: Call) -> None:
        call.get("self")  # shape and type are the stated ones
        value = number if number is not None else call.get("fill_value", call.get("s", call.get("value")))
        if isinstance(value, Name):
            call.emit("Expand", [call.as_kind(value), [*call.out_shape]])
            return
        if (size := call.get("size")) is not None:
            call.expect_shape(size)
        call.emit("Identity", [call.constant(np.full(call.out_shape, value), call.out_kind)])
    return handler


def _arange(call: Call) -> None:
    start, end, step = call.get("start", 0), call.get("end"), call.get("step", 1)
    if call.out_kind not in REAL and not all(isinstance(one, int) for one in (start, end, step)):
        raise Unfit("integers with a step that is not an integer")
    count = -((start - end) // step) if isinstance(start, int) else math.ceil((end - start) / step)
    call.expect_shape([int(count)])
    _keep_steps(call, start + np.arange(int(count)) * step, [start, step])


def _linspace(call: Call) -> None:
    if call.out_kind not in (FLOAT, DOUBLE):
        raise Unfit("integers with a step that is not an integer, or numbers of 16 bits")
    call.expect_shape([call.get("steps")])
    numbers = np.linspace(call.get("start"), call.get("end"), call.get("steps"))
    _keep_steps(call, numbers, np.diff(numbers[:2]))


def _keep_steps(call: Call, numbers: Any, ends: Any) -> None:
    """Store equidistant numbers, which are exact if they and their distance are numbers of their type."""
    kind = call.out_kind
    steps = np.arange(len(numbers)) * (np.asarray(ends).ravel()[-1] if len(numbers) > 1 else 0)
    exact = kind not in REAL or all((np.asarray(one, np.float64).astype(ELEMENTS[FLOAT if kind == BFLOAT else kind])
                                     == one).all() for one in (numbers, steps, np.asarray(ends)))
    if not exact and kind in (HALF, BFLOAT):
        raise Unfit("numbers of 16 bits that programs round in several ways")
    call.emit("Identity", [call.constant(numbers, kind)])
    if not exact:
        call.program.inexact.add(call.out)


def _eye(call: Call) -> None:
    sizes = [call.get("n"), call.get("m", call.get("n"))]
    call.expect_shape(sizes)
    call.emit("Identity", [call.constant(np.eye(*sizes), call.out_kind)])


def _one_hot(call: Call) -> None:
    size = call.get("num_classes", -1)
    if call.kind(call.x) != LONG or size < 1:
        raise Unfit("one-hot vectors of other integers than 64-bit ones, or without a stated length")
    call.expect_shape([*call.shape(call.x), size])
    call.emit("OneHot", [call.x, size, [0, 1]], axis=-1)


# -- two arrays, or an array and a number ------------------------------------------------------------------------------

_COMPARED: Mapping[str, Callable[[Any], int]] = {
    "Less": math.ceil, "LessOrEqual": math.floor, "Greater": math.floor, "GreaterOrEqual": math.ceil, "Equal": int}
"""Comparisons, each with the rounding of a right side between two integers."""
_SMALL = 1 << 23
"""Integers below it are numbers of binary32."""
_BITS: Mapping[str, Callable[..., Any]] = {"And": np.bitwise_and, "Or": np.bitwise_or, "Xor": np.bitwise_xor}


def _as_compared(call: Call, operation: str) -> tuple[str, str]:
    """Return both operands in their common type; integers and a real number are compared as integers."""
    one, other = call.operands(2)
    kind = result_type(call, [one, other])
    if kind == FLOAT and isinstance(one, Name) and call.kind(one) not in REAL and isinstance(other, np.floating):
        number = np.float64(np.float32(other))
        if number != other and number == np.floor(number):
            raise Unfit("integers compared with a number that binary32 rounds to an integer")
        if abs(number) < _SMALL and (operation != "Equal" or number == np.floor(number)):
            kind, other = LONG, _COMPARED[operation](number)
    if kind in WHOLE:
        if isinstance(other, int) and not np.iinfo(ELEMENTS[kind]).min <= other <= np.iinfo(ELEMENTS[kind]).max:
            raise Unfit("a number outside the type of the comparison")
        kind = LONG
    return call.as_kind(one, kind), call.as_kind(other, kind)


def _two(operation: str) -> Translator:
    """Return the translator of arithmetic, logic or a comparison; torch's alpha multiplies the second operand."""
    def handler(call: Call) -> None:
        kind, (one, other) = call.out_kind, call.operands(2)
        found = result_type(call, [one, other])
        if operation in _BITS and found != BOOLEAN and not call.operation.startswith("logical"):
            if found != kind or kind not in WHOLE:
                raise Unfit(f"elements of type {kind}, expected {found}, integers")
            call.keep(_BITS[operation](*(call.known(call.as_kind(value)) for value in (one, other))), [])
            return
        if (operation in ("And", "Or") or operation in _COMPARED) and kind != BOOLEAN:
            raise Unfit("truth values as elements of another type")
        if operation in _COMPARED:
            call.emit(operation, _as_compared(call, operation))
            return
        divides = operation == "Div" and kind in REAL and found not in REAL
        if operation not in ("And", "Or") and (
                kind == BOOLEAN or (found != kind and not divides and (kind, found) != (DOUBLE, FLOAT))):
            raise Unfit(f"elements of type {kind}, expected {found} by torch's promotion, and not truth values")
        if call.get("rounding_mode") is not None:
            {"floor": _floor_quotient, "trunc": _whole_quotient}[call.get("rounding_mode")](call)
            return
        small = kind in (HALF, BFLOAT) and operation in ("Mul", "Div")
        wide, second = FLOAT if small else kind, call.as_kind(other, FLOAT if small else kind)
        if call.get("alpha", 1) != 1:
            second = call.do("Mul", second, call.constant(call.get("alpha"), wide))
        made = call.emit(operation, [call.as_kind(one, wide), second],
                         call.new(call.out_shape, FLOAT) if small else None)
        if made in call.program.constants and wide in REAL and (
                (operation == "Pow" and isinstance(other, Name)) or 2 * abs(math.frexp(call.get("alpha", 1))[0]) != 1):
            call.program.inexact.add(made)
        if small:  # torch rounds only after products
            call.emit("Cast", [made], to=TYPES[kind])
    return handler


def _floor_quotient(call: Call) -> None:
    """Translate a floor division: of integers, or by a power of two, where torch's algorithm has the same result."""
    (one, other), kind = call.operands(2), call.out_kind
    if kind in WHOLE:
        one, other = (call.as_kind(call.as_kind(value), LONG) for value in (one, other))
        whole = call.do("Sub", one, call.do("Mod", one, other))
        call.emit("Cast", [call.do("Div", whole, other)], to=TYPES[kind])
    elif kind in (FLOAT, DOUBLE) and isinstance(other, int | np.floating) and abs(math.frexp(other)[0]) * 2 == 1:
        call.emit("Floor", [call.do("Div", call.as_kind(one), call.as_kind(other))])
    else:
        raise Unfit("a rounded quotient of non-integers by a number that is not a power of two")


def _expect_divisible(call: Call, what: str) -> None:
    if call.out_kind not in (FLOAT, DOUBLE, *WHOLE):
        raise Unfit(f"a {what} of elements of this type")


def _whole_quotient(call: Call) -> None:
    """Translate a quotient rounded towards 0."""
    _expect_divisible(call, "rounded quotient")
    call.emit("Identity" if call.out_kind in WHOLE else "Trunc", [call.do("Div", *map(call.as_kind, call.operands(2)))])


def _remainder(call: Call) -> None:
    """Translate a remainder with the sign of the divisor, or (fmod) of the dividend."""
    _expect_divisible(call, "remainder")
    one, other = map(call.as_kind, call.operands(2))
    is_of_dividend = call.operation.startswith("fmod")
    if is_of_dividend or call.out_kind in WHOLE:
        call.emit("Mod", [one, other], fmod=int(is_of_dividend))
        return
    zero, rest = call.constant(0, call.out_kind), call.do("Mod", one, other, fmod=1)
    below = [call.do("Less", value, zero, kind=BOOLEAN) for value in (rest, other)]
    keeps = call.do("Or", call.do("Equal", rest, zero, kind=BOOLEAN), call.do("Equal", *below))
    call.emit("Where", [keeps, rest, call.do("Add", rest, other)])


def _where(call: Call) -> None:
    condition, one, other = call.operands(3)
    if call.kind(condition) != BOOLEAN:
        raise Unfit("a condition of another type than Boolean")
    call.emit("Where", [condition, call.as_kind(one), call.as_kind(other)])


def _masked_fill(call: Call) -> None:
    mask, value = call.get("mask"), call.get("value")
    if call.kind(mask) != BOOLEAN or result_type(call, [call.x, value]) != call.out_kind:
        raise Unfit("a mask of another type than Boolean, or a number outside the array's type")
    call.emit("Where", [mask, call.as_kind(value), call.x])


# -- one array ---------------------------------------------------------------------------------------------------------


def _one(operation: str) -> Translator:
    return lambda call: call.emit(operation, [call.as_kind(call.x)])


def _bitwise_not(call: Call) -> None:
    """Translate a negation; of constant integers, of all bits."""
    if call.kind(call.x) == BOOLEAN:
        _one("Not")(call)
    else:
        call.keep(~call.known(call.x), [])


def _leaky(call: Call) -> None:
    below = call.do("Relu", call.do("Neg", call.x))
    slope = call.constant(call.get("negative_slope", np.float64("0.01")), call.kind(call.x))
    call.emit("Sub", [call.do("Relu", call.x), call.do("Mul", below, slope)])


def _clip(least: str, most: str, defaults: tuple[Any, Any]) -> Translator:
    def handler(call: Call) -> None:
        bounds = [call.get(name, default) for name, default in zip((least, most), defaults, strict=True)]
        if any(isinstance(one, Name) for one in bounds):
            raise Unfit("bounds that are arrays")
        if call.out_kind != result_type(call, [call.x, *bounds]) or "nan" in map(str, bounds):
            raise Unfit("bounds that are not numbers, or of another type than the result")
        call.emit("Clip", [call.as_kind(call.x), *(None if one is None else call.as_kind(one) for one in bounds)])
    return handler


def _reduced(operation: str, of_truth: bool = False) -> Translator:
    """Return the translator of a sum, a mean or an extreme over axes; with ``of_truth`` of any or all."""
    def handler(call: Call) -> None:
        axes = call.get("dim")
        call.emit(operation, [call.as_kind(call.x, BOOLEAN if of_truth else None),
                              call.axes(axes if of_truth else axes if isinstance(axes, int) else axes or None)],
                  keepdims=call.keepdim())
    return handler


def _argmax(call: Call) -> None:
    if call.get("dim") is None:
        raise Unfit("an argmax over all elements")
    call.emit("ArgMax", [call.x], axis=call.axis(call.get("dim")), keepdims=call.keepdim())


# -- supported on constants only, and computed at once ---------------------------------------------------------------


def _of(function: Callable[..., Any], is_exact: bool = True, is_jump: bool = False) -> Translator:
    """Return the translator of a function of the call and its constants; a discontinuous one needs exact numbers."""
    def handler(call: Call) -> None:
        names = [one for value in call.operands() for one in (value if isinstance(value, list) else [value])
                 if isinstance(one, Name)]
        if is_jump and call.program.inexact.intersection(names):
            raise Unfit("a jump on numbers that programs round in several ways, expected exact ones")
        if any(call.is_complex(name) for name in (*names, *call.made)):
            raise Unfit("an operation that is not supported on complex numbers")
        arrays = {name: call.known(name) for name in names}
        try:
            with np.errstate(all="ignore"):
                made = function(call, *arrays.values())
        except (ValueError, TypeError, IndexError, ArithmeticError):
            raise Unfit("arguments that do not fit") from None
        for name, array in zip(call.made, made if isinstance(made, list) else [made], strict=True):
            call.program.keep(name, np.asarray(array))
            if call.kind(name) in REAL and (not is_exact or call.program.inexact.intersection(names)):
                call.program.inexact.add(name)
    return handler


def _product(call: Call, x: Any) -> Any:
    kind, axis = np.dtype(ELEMENTS[call.out_kind]), None if call.get("dim") is None else call.axis(call.get("dim"))
    wide = x.astype(np.float64 if x.dtype.kind == "f" else kind)
    made = np.cumprod(wide, axis) if call.operation == "cumprod" else np.prod(
        wide, axis, wide.dtype, keepdims=bool(call.get("keepdim", False)))
    return made.astype(kind)


def _finite(call: Call, x: Any) -> Any:
    most = np.finfo(x.dtype).max
    nan, high, low = (default if call.get(name) is None else call.get(name) for name, default in (
        ("nan", 0), ("posinf", most), ("neginf", -most)))
    return np.nan_to_num(x, nan=nan, posinf=high, neginf=low)


def _bounded(call: Call, x: Any, *bounds: Any) -> Any:
    if any(one.dtype != x.dtype for one in bounds):
        raise Unfit("bounds of another type")
    for name, function in (("min", np.maximum), ("max", np.minimum)):
        if (bound := call.get(name)) is not None:
            x = function(x, call.known(bound))
    return x


def _gathered(call: Call, x: Any, places: Any) -> Any:
    if (places < 0).any():
        raise Unfit("indices below 0")
    return np.take_along_axis(x, places, call.axis(call.get("dim")))


def _sorted(call: Call, x: Any) -> Any:
    axis = call.axis(call.get("dim", -1))
    ordered, order = np.sort(x, axis), np.argsort(x, axis)
    if np.isnan(x).any() or (np.diff(ordered, axis=axis) == 0).any():
        raise Unfit("an order of equal numbers")
    made = (np.flip(ordered, axis), np.flip(order, axis)) if call.get("descending", False) else (ordered, order)
    return made[1] if call.operation == "argsort" else [*made]


def _corners(call: Call) -> Any:
    function = np.triu_indices if call.operation == "triu_indices" else np.tril_indices
    return np.stack(function(call.get("row"), call.get("offset", 0), call.get("col"))).astype(ELEMENTS[call.out_kind])


NUMBERS: Mapping[str, Translator] = {
    **dict.fromkeys(("ones", "ones_like", "new_ones"), _filled(1)),
    **dict.fromkeys(("zeros", "zeros_like", "new_zeros", "zero", "empty", "empty_like", "new_empty"), _filled(0)),
    **dict.fromkeys(("full", "full_like", "new_full", "fill", "scalar_tensor"), _filled(None)),
    "arange": _arange, "linspace": _linspace, "eye": _eye, "one_hot": _one_hot,
    "tril": lambda call: call.emit("Trilu", [call.x, call.get("diagonal", 0)], upper=0),
    "triu": lambda call: call.emit("Trilu", [call.x, call.get("diagonal", 0)], upper=1),
    **{name: _two(operation) for names, operation in (
        ("add", "Add"), ("sub", "Sub"), ("mul", "Mul"), ("div", "Div"), ("pow", "Pow"), ("minimum min.other", "Min"),
        ("maximum max.other", "Max"), ("le", "LessOrEqual"), ("lt", "Less"), ("ge", "GreaterOrEqual"),
        ("gt", "Greater"), ("eq", "Equal"), ("logical_and bitwise_and __and__", "And"),
        ("logical_or bitwise_or __or__", "Or"), ("bitwise_xor __xor__", "Xor")) for name in names.split()},
    "ne": lambda call: call.emit("Not", [call.do("Equal", *_as_compared(call, "Equal"), kind=BOOLEAN)]),
    "remainder": _remainder, "fmod": _remainder, "floor_divide": _floor_quotient, "where": _where,
    "rsub": lambda call: call.emit("Sub", [*map(call.as_kind, call.operands(2)[::-1])]),
    "masked_fill": _masked_fill, "logical_not": _one("Not"), "bitwise_not": _bitwise_not,
    **{name: _one(name.capitalize()) for name in (
        "neg", "sqrt", "exp", "log", "sin", "cos", "tanh", "sigmoid", "relu", "abs", "erf", "reciprocal", "floor",
        "ceil", "round", "sign", "tan", "trunc", "exp2", "log2", "log10", "log1p", "expm1")},
    "gelu": lambda call: call.emit("Gelu", [call.x], approximate=call.get("approximate", "none")),
    "silu": lambda call: call.emit("Mul", [call.x, call.do("Sigmoid", call.x)]),
    "square": lambda call: call.emit("Mul", [call.x, call.x]), "leaky_relu": _leaky,
    "rsqrt": lambda call: call.emit("Reciprocal", [call.do("Sqrt", call.x)]),
    **dict.fromkeys(("clamp", "clamp_min", "clamp_max"), _clip("min", "max", (None, None))),
    "hardtanh": _clip("min_val", "max_val", (-1, 1)), "relu6": _clip("", "", (0, 6)),
    "sum": _reduced("ReduceSum"), "mean": _reduced("ReduceMean"), "amax": _reduced("ReduceMax"),
    "amin": _reduced("ReduceMin"), "any": _reduced("ReduceMax", of_truth=True),
    "all": _reduced("ReduceMin", of_truth=True), "argmax": _argmax,
    "cumsum": lambda call: call.emit("CumSum", [call.as_kind(call.x), call.axis(call.get("dim"))]),
    "prod": _of(_product, is_exact=False), "cumprod": _of(_product, is_exact=False), "nan_to_num": _of(_finite),
    **{name: _of(lambda _, x, function=getattr(np, name): function(x)) for name in (
        "isinf", "isnan", "isfinite", "isneginf", "isposinf")},
    "clamp.Tensor": _of(_bounded), "gather": _of(_gathered), "sort": _of(_sorted, is_jump=True),
    "argsort": _of(_sorted, is_jump=True), "tril_indices": _of(_corners), "triu_indices": _of(_corners),
    "logspace": _of(lambda call: np.float64(call.get("base", 10)) ** np.linspace(
        *(call.get(name) for name in ("start", "end", "steps"))), is_exact=False),
    "diagonal": _of(lambda call, x: np.array(np.diagonal(x, call.get("offset", 0), call.get("dim1", 0),
                                                         call.get("dim2", 1)))),
    "diag": _of(lambda call, x: np.diag(x, call.get("diagonal", 0))),
    "meshgrid": _of(lambda call, *arrays: [*np.meshgrid(*arrays, indexing=call.get("indexing", "ij"))]),
    "logical_xor": _of(lambda _, x, y: (x != 0) ^ (y != 0), is_jump=True)}
"""Translators by operation."""
