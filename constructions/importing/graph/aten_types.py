"""Types of results of torch's operations: its rules of promotion, for arithmetic and comparisons."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from constructions.importing.graph.aten_call import DOUBLE, FLOAT, LONG, Call, Unfit
from constructions.importing.graph.aten_values import BOOLEAN, WHOLE, Name

_BYTE, _SHORT, _HALF, _BFLOAT = 1, 3, 6, 13
_LOW_TO_HIGH = (BOOLEAN, _BYTE, 2, _SHORT, 4, LONG, _BFLOAT, _HALF, FLOAT, DOUBLE)


def category(kind: int) -> int:
    """Booleans, whole numbers, real numbers."""
    return 0 if kind == BOOLEAN else 1 if kind in WHOLE else 2


def common_type(kinds: Sequence[int]) -> int | None:
    """The least type that holds several of the same priority; None of none."""
    found: int | None = None
    for kind in kinds:
        if found is None or category(kind) != category(found):
            found = kind if found is None or category(kind) > category(found) else found
        elif {kind, found} == {_HALF, _BFLOAT}:
            found = FLOAT
        else:
            least = [_SHORT] if kind != found and _BYTE in (kind, found) else []
            found = max(kind, found, *least, key=_LOW_TO_HIGH.index)
    return found


def kind_of_number(value: Any) -> int:
    """The type that a number in Python has beside tensors, where the default is binary32.

    Raises:
        Unfit: if it is not a number.
    """
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        return LONG
    if isinstance(value, np.floating):
        return FLOAT
    raise Unfit("an argument that is not a tensor or a number")


def result_type(call: Call, values: Sequence[Any]) -> int:
    """torch.result_type: arrays with axes come before those without, and these before numbers, within a category."""
    ranks: list[list[int]] = [[], [], []]
    for value in values:
        if isinstance(value, Name):
            ranks[0 if call.shape(value) else 1].append(call.kind(value))
        elif value is not None:
            ranks[2].append(kind_of_number(value))
    found: int | None = None
    for kind in map(common_type, reversed(ranks)):
        if found is None or (kind is not None and category(kind) >= category(found)):
            found = kind if kind is not None else found
    if found is None:
        raise Unfit("no operands")
    return found
