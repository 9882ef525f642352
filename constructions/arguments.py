"""Type checks of arguments from Python callers: an InputError of one line."""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Collection, Mapping
from numbers import Real
from typing import ParamSpec, TypeVar

from constructions.errors import InputError

Given = ParamSpec("Given")
Result = TypeVar("Result")
PLAIN = (str, bytes, Real, list, tuple)
LONGEST = 40
_ALTERNATIVES = re.compile(r" \| (?![^\[]*\])")
_GENERIC = re.compile(r"(Sequence|Collection|Iterable)\[(.*)\]")
_MODULE = re.compile(r"\b[a-z_]+\.(?=[A-Z])")
"""The module before the name of a type: ``syntax.`` in ``syntax.Formula``."""
_TEXTS = frozenset({"str", "Activation", "At", "Attends", "Format", "LanguageName", "Like", "Literal", "MaskName",
                    "NormKind", "Positions", "WeightingName"})
_WORDS = {
    "int": "a whole number", "bool": "True or False", "Path": "a path",
    "Mapping": "a table", "Meaning": "a meaning", **dict.fromkeys(_TEXTS, "a text"),
}  # fmt: skip
_READ_ELSEWHERE = frozenset({"Any", "object", "Subject", "Number", "Exact", "Progress", "WrittenUnit"})
_ALIASES = {"Constant": ("Fraction", "Expression"), "Form": ("str", "Mapping"),
            "Forms": ("str", "Mapping", "Sequence[Form]")}


def unexpected_value(name: str, value: object, expected: str) -> InputError:
    """Return the InputError about an argument: what was found and what was expected."""
    shown = repr(value) if isinstance(value, PLAIN) or value is None else f"an object of type {type(value).__name__}"
    shortened = shown if len(shown) <= LONGEST else shown[:LONGEST] + "..."
    return InputError(f"{name}: found {shortened}, expected {expected}")


def typed(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Return the function with a check of its arguments against its annotations: InputError if one does not fit.

    Annotations that this module does not list are left to the function. They are read as strings, so the module of the
    function must import annotations from the future.

    >>> @typed
    ... def double(n: int) -> int:
    ...     return 2 * n
    >>> double("2")
    Traceback (most recent call last):
        ...
    constructions.errors.InputError: n: found '2', expected a whole number
    """
    signature = inspect.signature(function)
    stated = {name: _MODULE.sub("", str(parameter.annotation)) for name, parameter in signature.parameters.items()
              if parameter.annotation is not parameter.empty and parameter.kind is not parameter.VAR_KEYWORD}
    if not all(isinstance(one, str) for one in function.__annotations__.values()):
        raise TypeError(f"{function.__module__} does not import annotations from __future__")

    @functools.wraps(function)
    def checked(*args: Given.args, **options: Given.kwargs) -> Result:
        for name, value in signature.bind(*args, **options).arguments.items():
            if name in stated and not _fits(value, stated[name]):
                raise unexpected_value(name, value, _describe(stated[name]))
        return function(*args, **options)

    return checked


def _kinds(annotation: str) -> list[str]:
    return [kind for part in _ALTERNATIVES.split(annotation) for kind in _ALIASES.get(part, (part,))]


def _fits(value: object, annotation: str) -> bool:
    return any(_is_one(value, kind) for kind in _kinds(annotation))


def _is_one(value: object, kind: str) -> bool:
    if match := _GENERIC.fullmatch(kind):
        if not isinstance(value, Collection) or isinstance(value, bytes):
            return match[1] == "Iterable" and hasattr(value, "__iter__") and not isinstance(value, bytes)
        return all(_fits(element, match[2]) for element in value)
    if kind.partition("[")[0] in _TEXTS:
        return isinstance(value, str)
    match kind.partition("[")[0]:
        case "None":
            return value is None
        case "int":
            return hasattr(value, "__index__") and not isinstance(value, bool)
        case "bool":
            return isinstance(value, bool)
        case "Path":
            return isinstance(value, str | os.PathLike)
        case "Mapping":
            return isinstance(value, Mapping)
        case "Meaning":
            return type(value).__module__ == "constructions.network.meanings"
        case name if name.isidentifier() and name not in _READ_ELSEWHERE:
            return any(base.__name__ == name for base in type(value).__mro__)
    return True


def _describe(annotation: str) -> str:
    found = [_GENERIC.sub("several values", kind) for kind in _kinds(annotation) if kind != "None"]
    return " or ".join(dict.fromkeys(_WORDS.get(kind.partition("[")[0], kind) for kind in found))
