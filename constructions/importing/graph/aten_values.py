"""Types, shapes and arguments of programs of torch.export."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

ELEMENTS = {1: "u1", 2: "i1", 3: "<i2", 4: "<i4", 5: "<i8", 6: "<f2", 7: "<f4", 8: "<f8", 10: "<c8", 11: "<c16",
            12: "?", 13: "<u2"}
"""How elements of torch's types are stored; 13 is bfloat16."""
TYPES = {1: 2, 2: 3, 3: 5, 4: 6, 5: 7, 6: 10, 7: 1, 8: 11, 12: 9, 13: 16}
"""The same types in ONNX."""
REAL, WHOLE, BOOLEAN = (6, 7, 8, 13), (1, 2, 3, 4, 5), 12
COMPLEX = {10: 7, 11: 8}
"""Types of complex numbers, and those of their parts."""


def shape_of(meta: Mapping[str, Any]) -> tuple[int, ...]:
    """The shape that a tensor states."""
    return tuple(int(size["as_int"]) for size in meta["sizes"])


class Name(str):
    """The name of a tensor, where other strings are words."""


def value_of(argument: Mapping[str, Any]) -> Any:
    """An argument: numbers, words, names of tensors, lists of these, or None.

    Raises:
        ValueError: if it is of another kind.
    """
    ((kind, inner),) = argument.items()
    if kind == "as_none":
        return None
    if kind == "as_tensor":
        return Name(inner["name"])
    if kind == "as_tensors":
        return [Name(one["name"]) for one in inner]
    if kind == "as_optional_tensor":
        return value_of(inner)
    if kind == "as_optional_tensors":
        return [None if "as_none" in one else Name(one["as_tensor"]["name"]) for one in inner]
    if kind == "as_float":
        return np.float64(inner)  # infinities are words
    if kind in ("as_int", "as_ints", "as_bool", "as_bools", "as_string", "as_scalar_type"):
        return inner
    if kind == "as_floats":
        return [np.float64(one) for one in inner]
    if kind in ("as_sym_int", "as_sym_bool") and next(iter(inner)) in ("as_int", "as_bool"):
        return next(iter(inner.values()))
    if kind == "as_sym_ints":
        return [int(one["as_int"]) for one in inner]
    if kind in ("as_device", "as_layout", "as_memory_format"):
        return argument  # where and how elements lie
    raise ValueError


def tensors_of(argument: Any) -> Iterator[Name]:
    """The names of all tensors in it, those in lists, too."""
    if isinstance(argument, Mapping):
        for kind, inner in argument.items():
            if kind == "as_tensor":
                yield Name(inner["name"])
            elif kind in ("as_tensors", "as_nested_tensors"):
                yield from _names_in(inner)
            else:
                yield from tensors_of(inner)
    elif isinstance(argument, list):
        for inner in argument:
            yield from tensors_of(inner)


def _names_in(listed: Any) -> Iterator[Name]:
    for one in listed:
        if isinstance(one, list):
            yield from _names_in(one)
        else:
            yield Name(one["name"])
