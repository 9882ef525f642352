"""Keyword arguments of Python callers, as the texts of the command line; inexact values are refused.

Both are then parsed in certify/requests/request.py, so that they mean the same.
"""

import os
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, TypedDict

from certify.requests.inputs import MOST, Options
from certify.requests.subjects import NamedSubject, SubjectKind, find_language, find_subject
from constructions.arguments import unexpected_value
from constructions.errors import InputError, suggest
from constructions.language.expressions import Expression
from constructions.language.printer import format_formula
from constructions.language.syntax import Formula
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from constructions.network_builder import NetworkBuilder
from constructions.regimes import Regime

Exact = str | int | Fraction
"""A number, as itself or as an exact text."""


class SubjectOptions(TypedDict, total=False):
    """The keyword arguments of every function that takes a subject: those of ``certify``, and None where left out."""

    alphabet: str | Sequence[str] | None
    symbol: str | None
    predicates: str | Sequence[str]
    regime: Regime | str | None
    causal: bool
    as_printed: bool
    attention: str
    gamma: Exact | None
    temperature: Exact | Expression | None
    delta: Exact | None
    precision: str | None
    dialect: str | None
    regex: str | None
    dfa: str | os.PathLike[str] | None
    weighting: str | None
    given: str | None


NAMES = tuple(SubjectOptions.__annotations__)
EXACT = ("gamma", "temperature", "delta")
FLAGS = ("causal", "as_printed")
ATTENTION = ("soft", "hard")


def find_python_subject(subject: object, options: Options = Options()) -> NamedSubject:
    """Return a formula (its text or its node), a network, or the name of a file with a program or a network.

    It is None where the options name a regular language in its place.

    Raises:
        InputError: if it is something else, or beside a regular language.
    """
    name = None if subject is None else "the subject"
    language = find_language(name, {SubjectKind.REGEX: options.regex, SubjectKind.DFA: options.dfa}, tuple(SubjectKind))
    if language is not None:
        return language
    match subject:
        case Formula():
            return NamedSubject(format_formula(subject), SubjectKind.FORMULA, formula=subject)
        case Transformer():
            return NamedSubject("network", SubjectKind.NETWORK, network=subject)
        case NetworkBuilder():
            return NamedSubject("network", SubjectKind.NETWORK, network=subject.build())
        case str():
            return find_subject(subject, tuple(SubjectKind))
        case os.PathLike():
            return find_subject(_text("subject", os.fspath(subject), "a path of text"), tuple(SubjectKind))
    raise unexpected_value("subject", subject, "a formula, a network, or the path of a file")


def read_arguments(values: SubjectOptions) -> Options:
    """Return the options that keyword arguments name, as texts; None values are omitted.

    >>> read_arguments({"gamma": Fraction(13, 10), "alphabet": ["go", "stop"], "causal": True}).gamma
    '13/10'

    Raises:
        InputError: naming the argument, if it is unknown, or its value has the wrong type.
    """
    given = {name: value for name, value in values.items() if value is not None}
    check_names({**values, **given}, NAMES)
    found = _with_regime({name: _read(name, value) for name, value in given.items()})
    return Options(**{"allowed_error" if name == "delta" else name: value for name, value in found.items()})


def check_names(values: Iterable[str], names: Sequence[str]) -> None:
    """Raise InputError, naming all arguments and the nearest one, if a name is not one of these arguments."""
    for name in values:
        if name not in names:
            raise InputError(f"{name}: no such argument, expected one of {', '.join(names)}{suggest(name, names)}")


def read_lengths(min_n: object, max_n: object) -> Lengths:
    """Return all lengths from the least to the greatest.

    Raises:
        InputError: if they are not whole numbers in order.
    """
    return Lengths(whole_number("min_n", min_n), whole_number("max_n", max_n))


def whole_number(name: str, value: object) -> int:
    """Return an integer that is not a truth value.

    Raises:
        InputError: if it is something else.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise unexpected_value(name, value, "a whole number")
    return int(value.__index__())


def read_effort(value: object) -> int:
    """Return an effort.

    Raises:
        InputError: if it is not a whole number, or out of range.
    """
    found = whole_number("effort", value)
    if not 1 <= found <= MOST:
        raise InputError(f"effort: {found}, expected a number from 1 to {MOST}")
    return found


def _with_regime(found: dict[str, Any]) -> dict[str, Any]:
    """Replace a Regime by the two options that it denotes."""
    regime = found.pop("regime", None)
    if isinstance(regime, Regime):
        return found | {"regime": str(regime.sharpening), "causal": regime.causal or found.get("causal", False)}
    return found if regime is None else found | {"regime": regime}


def _read(name: str, value: object) -> object:
    if name == "alphabet":
        return value if isinstance(value, str) else _texts(name, value, "01, a,b,c, or a list of symbols")
    if name == "predicates":
        definitions = [value] if isinstance(value, str) else value
        return _texts(name, definitions, "a list of definitions such as 'THIRD(k,n) := k % 3 == 1'")
    if name in EXACT:
        return exact_text(name, value)
    if name in FLAGS:
        if not isinstance(value, bool):
            raise unexpected_value(name, value, "True or False")
        return value
    if name == "regime":
        return value if isinstance(value, Regime) else _text(name, value, "'temperature', 'position' or a Regime")
    if name == "attention" and value not in ATTENTION:
        raise unexpected_value(name, value, "'soft' or 'hard'")
    if name == "dfa" and isinstance(value, os.PathLike):
        value = os.fspath(value)
    return _text(name, value, "a text")


def exact_text(name: str, value: object) -> str:
    """Return the text of an exact number or expression.

    Raises:
        InputError: if it is something else, above all a float.
    """
    if isinstance(value, float):
        raise InputError(f"{name}: found the float {value!r}, which is not an exact number, expected a text such as "
                         f"{repr(value)!r}, an int or a Fraction")
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, Expression):
        return str(value)
    return _text(name, value, "a text, an int or a Fraction")


def _text(name: str, value: object, expected: str) -> str:
    if not isinstance(value, str):
        raise unexpected_value(name, value, expected)
    return str(value)


def _texts(name: str, values: object, expected: str) -> tuple[str, ...]:
    if not isinstance(values, Sequence) or isinstance(values, bytes) or not all(isinstance(x, str) for x in values):
        raise unexpected_value(name, values, expected)
    return tuple(values)
