"""An execution: everything that a class of float runs leaves open (docs/floats.md, section 1), decided."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from constructions.errors import InputError
from proofs.floats.execution.orders import ASCENDING, Order, parse_order, stream
from proofs.floats.run_class import RunClass

SIGNS = {"+": 1, "0": 0, "-": -1}
_KEYS = ("order", "orders", "fused", "normalised", "subnormals", "base", "exponentials", "pushed")
_PUSHED_KEYS = ("layer", "head", "position", "signs")
_SHIFT = re.compile(r"-?\d{1,9}(/[1-9]\d{0,8})?")
_DRAWN = re.compile(r"drawn (\d{1,18})")


class Sum(StrEnum):
    """The sums of a run that may have an order of their own."""

    QUERY = "query"
    KEY = "key"
    VALUE = "value"
    SCORE = "score"
    DENOMINATOR = "denominator"
    WEIGHTED = "weighted"
    UNIT = "unit"
    OUTPUT = "output"


@dataclass(frozen=True)
class Pushed:
    """Exponentials of one head's row (all counted from 1): at their greatest (+), least (-) or nearest (0) value that
    the class allows, one sign for each visible position in turn."""

    layer: int
    head: int
    position: int
    signs: str


@dataclass(frozen=True)
class Execution:
    """``order`` of all sums but those of ``orders``; products ``fused`` with the sums they enter, or none; weights
    ``normalised`` before or after the values are summed; results below the least normal number flushed to 0, or kept;
    ``base`` of exponentials; all of these shifted by ``shift`` (see ``Exponential``), or each to one end of what is
    allowed, as drawn with ``drawn_shifts``; but those ``pushed``.
    """

    order: Order = ASCENDING
    orders: Mapping[Sum, Order] = field(default_factory=dict)
    fused: bool = False
    normalised: str = "before"
    flush: bool = False
    base: str = "e"
    shift: Fraction = Fraction(0)
    drawn_shifts: int | None = None
    pushed: tuple[Pushed, ...] = ()

    def order_of(self, which: Sum) -> Order:
        """The order of the sums of one kind."""
        return self.orders.get(which, self.order)

    def shift_at(self, layer: int, head: int, i: int, j: int, nth: int) -> Fraction:
        """How the exponential of the score (i, j) is shifted; j is the ``nth`` visible position, from 0."""
        for row in self.pushed:
            if (row.layer, row.head, row.position) == (layer, head, i) and nth < len(row.signs):
                return Fraction(SIGNS[row.signs[nth]])
        if self.drawn_shifts is None:
            return self.shift
        drawn = next(stream(f"{self.drawn_shifts}/exp/{layer}/{head}/{i}/{j}"))
        return Fraction(drawn % 2 * 2 - 1)

    def check_member(self, of: RunClass) -> None:
        """Check that the class leaves open what the execution decides.

        Raises:
            InputError: if it has decided otherwise.
        """
        if of.normalised not in (self.normalised, "either"):
            raise InputError(f"execution: normalised {self.normalised}, but the class says {of.normalised}")
        if of.exp_base not in (self.base, "either"):
            raise InputError(f"execution: exponentials of base {self.base}, but the class says {of.exp_base}")

    def to_json(self) -> dict[str, Any]:
        """As JSON; ``parse_execution`` reads it back."""
        drawn = self.drawn_shifts
        return {
            "order": str(self.order),
            "orders": {which.value: str(order) for which, order in sorted(self.orders.items())},
            "fused": self.fused,
            "normalised": self.normalised,
            "subnormals": "flushed" if self.flush else "kept",
            "base": self.base,
            "exponentials": str(self.shift) if drawn is None else f"drawn {drawn}",
            "pushed": [{"layer": row.layer, "head": row.head, "position": row.position, "signs": row.signs}
                       for row in self.pushed],
        }


def parse_execution(data: Any) -> Execution:
    """The execution that is written so.

    >>> execution = Execution(order=parse_order("drawn 3"), pushed=(Pushed(1, 1, 2, "+-"),))
    >>> parse_execution(execution.to_json()) == execution
    True

    Raises:
        InputError: if it is not one.
    """
    record = _record(data, _KEYS, "execution")
    if not isinstance(record["fused"], bool):
        raise InputError("execution: fused, expected true or false")
    shift, drawn = _parse_shift(_one_of_text(record, "exponentials"))
    orders = _record_of_texts(record["orders"])
    return Execution(
        order=parse_order(_one_of_text(record, "order")),
        orders={_parse_sum(name): parse_order(text) for name, text in orders.items()},
        fused=record["fused"],
        normalised=_one_of_text(record, "normalised", "before", "after"),
        flush=_one_of_text(record, "subnormals", "flushed", "kept") == "flushed",
        base=_one_of_text(record, "base", "e", "2"),
        shift=shift,
        drawn_shifts=drawn,
        pushed=tuple(map(_parse_pushed, record["pushed"] if isinstance(record["pushed"], list) else [None])),
    )


def _record(data: Any, keys: tuple[str, ...], what: str) -> dict[str, Any]:
    if not isinstance(data, dict) or sorted(data) != sorted(keys):
        raise InputError(f"{what}: expected an object with the keys {', '.join(keys)}")
    return data


def _record_of_texts(data: Any) -> dict[str, str]:
    if not isinstance(data, dict) or not all(isinstance(text, str) for text in data.values()):
        raise InputError("execution: orders, expected an object of texts")
    return data


def _one_of_text(record: dict[str, Any], key: str, *allowed: str) -> str:
    text = record[key]
    if not isinstance(text, str) or (allowed and text not in allowed):
        raise InputError(f"execution: {key}, expected {' or '.join(allowed) or 'a text'}")
    return text


def _parse_sum(name: str) -> Sum:
    if name not in set(Sum):
        raise InputError(f"execution: sum {name[:40]!r}, expected one of {', '.join(Sum)}")
    return Sum(name)


def _parse_shift(text: str) -> tuple[Fraction, int | None]:
    if drawn := _DRAWN.fullmatch(text):
        return Fraction(0), int(drawn[1])
    if _SHIFT.fullmatch(text) and abs(shift := Fraction(text)) <= 1:
        return shift, None
    raise InputError(f"execution: exponentials {text[:40]!r}, expected a number from -1 to 1 or drawn SEED")


def _parse_pushed(data: Any) -> Pushed:
    record = _record(data, _PUSHED_KEYS, "execution: pushed")
    layer, head, position, signs = (record[key] for key in _PUSHED_KEYS)
    if any(type(number) is not int or number < 1 for number in (layer, head, position)):
        raise InputError("execution: pushed, expected layer, head and position to be numbers from 1")
    if not isinstance(signs, str) or set(signs) - set(SIGNS):
        raise InputError("execution: signs, expected a text of +, - and 0")
    return Pushed(layer, head, position, signs)
