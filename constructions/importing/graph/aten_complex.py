"""Complex numbers of torch, as rotary positions have them: arrays of pairs along a last axis of their own."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from constructions.importing.graph import aten_places as places
from constructions.importing.graph.aten_call import LONG, Call, Translator, Unfit
from constructions.importing.graph.aten_values import COMPLEX, Name


def in_pairs(values: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[str]]:
    """What a program says of its tensors, with complex ones as pairs; the names of these."""
    names = frozenset(name for name, meta in values.items() if meta.get("dtype") in COMPLEX)
    pairs = {name: {**values[name], "dtype": COMPLEX[values[name]["dtype"]],
                    "sizes": [*values[name]["sizes"], {"as_int": 2}]} for name in names}
    return {**values, **pairs}, names


def as_pairs(array: Any) -> Any:
    """A tensor of the file, in pairs if it is complex."""
    return np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


def _kept(handler: Translator) -> Translator:
    def kept(call: Call) -> None:
        if not call.is_complex(call.x) or not call.is_complex(call.made[0]):
            raise Unfit("complex numbers made of others, or others of complex numbers")
        handler(call)
    return kept


def _same(call: Call) -> None:
    call.emit("Identity", [call.x])


def _part(call: Call, name: str, index: int) -> str:
    """The real (0) or imaginary parts, with a last axis of size 1."""
    shape = call.shape(name)
    ends = [call.constant([one], LONG) for one in (index, index + 1, len(shape) - 1)]
    return call.emit("Slice", [name, *ends], call.new([*shape[:-1], 1], call.kind(name)))


def _single(call: Call, name: str) -> str:
    """Real numbers with a last axis of size 1."""
    return call.reshaped(name, [*call.shape(name), 1])


def _joined(call: Call, real: str, imaginary: str) -> None:
    call.emit("Concat", [real, imaginary], axis=len(call.shape(call.made[0])) - 1)


def _product(call: Call) -> None:
    one, other = call.operands(2)
    if not all(isinstance(value, Name) and call.is_complex(value) for value in (one, other)):
        raise Unfit("a product of complex numbers and others")
    shape, kind = [*call.shape(call.made[0])[:-1], 1], call.kind(call.made[0])
    (a, b), (c, d) = ([_part(call, name, index) for index in (0, 1)] for name in (one, other))

    def sum_of(operation: str, left: tuple[str, str], right: tuple[str, str]) -> str:
        return call.emit(operation, [call.emit("Mul", pair, call.new(shape, kind)) for pair in (left, right)],
                         call.new(shape, kind))

    _joined(call, sum_of("Sub", (a, c), (b, d)), sum_of("Add", (a, d), (b, c)))


def _polar(call: Call) -> None:
    size, angle = call.operands(2)
    parts = []
    for function in ("Cos", "Sin"):
        turned = call.emit(function, [angle], call.new(call.shape(angle), call.kind(angle)))
        shape = np.broadcast_shapes(call.shape(size), call.shape(angle))
        parts.append(_single(call, call.emit("Mul", [size, turned], call.new(shape, call.kind(angle)))))
    _joined(call, *parts)


def _complex(call: Call) -> None:
    _joined(call, *(_single(call, one) for one in call.operands(2)))


OF_COMPLEX: Mapping[str, Translator] = {
    "view_as_complex": _same, "view_as_real": _same, "mul": _product, "polar": _polar, "complex": _complex,
    **dict.fromkeys(("contiguous", "clone", "alias", "detach", "to", "_to_copy"), _kept(places.same)),
    **dict.fromkeys(("view", "reshape", "_unsafe_view", "flatten", "unflatten", "squeeze", "unsqueeze", "view_as",
                     "reshape_as"), _kept(places.reshape)),
    **dict.fromkeys(("expand", "expand_as"), _kept(places.expand)), "transpose": _kept(places.transpose),
    "slice": _kept(places.cut), "select": _kept(places.select), "index": _kept(places.index),
    "index_select": _kept(places.index_select)}
