"""What is claimed of a sum of counts that is looked up, and where; docs/certificate.md, section 5, Looking up a sum."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from ....kernel.numbers import ONE


class Claimed(NamedTuple):
    """In one case of truths here: the values of D at which something is claimed, with their p, and those at which the
    goal is not the value at p."""

    values: Sequence[int]
    places: Sequence[int]
    wrong: Sequence[int]


def list_claimed(sums: Iterable[int], find_goal: Callable[[int], int | None], find_place: Callable[[int], int],
                 values: Sequence[Fraction], scale: Fraction = ONE) -> Claimed:
    """For these values of D, in their order: the goals, None where nothing is claimed, and the values at the places.

    Values are ``scale`` times truths. Who asks sees to it that places are visible where something is claimed.
    """
    found, places, wrong = list[int](), list[int](), list[int]()
    for d in sums:
        goal = find_goal(d)
        if goal is not None:
            p = find_place(d)
            found.append(d)
            places.append(p)
            if 1 <= p <= len(values) and values[p - 1] != goal * scale:
                wrong.append(d)
    return Claimed(found, places, wrong)
