"""Weights of inputs, summed over the paths of a deterministic machine; docs/background/counting.md.

Integers are exact: a weight is an integer over a common denominator.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from math import lcm
from typing import TypeVar

from ...kernel.budget import ENTRY_BITS, Budget
from ...kernel.verdicts import require
from .reading.count_claim import WeightedStep, Weights, WeightTable

WORD = 64  # bits of an integer that are added in one step

State = TypeVar("State", bound=Hashable)


def weigh_paths(budget: Budget, start: State, step: Callable[[int, State, int], State | None], weights: Weights,
                size: int = 1) -> Iterator[tuple[dict[State, int], int]]:
    """Yield after 0, 1, … columns the weight of the inputs that lead to each state, and the common denominator.

    ``step`` returns the next state from a column, a state and letters, or None. It is a function, so each input has
    one path. A state has ``size`` numbers.
    """
    unit, ends = (lcm(*(weight.denominator for weight in some)) for some in (weights.start, weights.end))
    sums = {(start, state): int(weight * unit) for state, weight in enumerate(weights.start) if weight}
    tables, last = list(map(in_integers, weights.tables)), [int(weight * ends) for weight in weights.end]
    for column in range(len(weights.columns) + 1):
        reached: dict[State, int] = {}
        for (state, weighted), found in sums.items():
            reached[state] = reached.get(state, 0) + found * last[weighted]
        yield reached, unit * ends
        if column == len(weights.columns):
            return
        unit_of_table, of_state = tables[weights.columns[column]]
        unit *= unit_of_table
        words = 1 + max(map(int.bit_length, sums.values()), default=0) // WORD
        budget.spend(len(sums) * words * size * sum(map(len, of_state.values())))
        new: dict[tuple[State, int], int] = {}
        with budget.holding(len(sums) * (ENTRY_BITS * size + WORD * words)):
            for (state, weighted), found in sums.items():
                for letter, target, weight in of_state.get(weighted, ()):
                    after = step(column, state, letter)
                    if after is not None:
                        new[after, target] = new.get((after, target), 0) + found * weight
        sums = new


def require_proved(least: Fraction, most: Fraction, right: Fraction, total: Fraction, wrong: Fraction) -> None:
    """Compare claimed bounds of the weight of right inputs with what is proved.

    Raises:
        Rejected: if they do not follow.
    """
    require(least <= right, "right: {} are proved, {} are claimed", right, least)
    require(total - wrong <= most, "right: at most {} is proved, at most {} is claimed", total - wrong, most)


def unit_weights(columns: int, letters: int) -> Weights:
    """Return the automaton by which each input weighs 1."""
    one = Fraction(1)
    return Weights((one,), (0,) * columns, (((WeightedStep(0, 0, one),),) * letters,), (one,))


def in_integers(table: WeightTable) -> tuple[int, dict[int, list[tuple[int, int, int]]]]:
    """Return the common denominator of a table, and by source state the letters, targets and numerators."""
    unit = lcm(*(one.weight.denominator for row in table for one in row))
    of_state: dict[int, list[tuple[int, int, int]]] = {}
    for letter, row in enumerate(table):
        for one in row:
            of_state.setdefault(one.source, []).append((letter, one.target, int(one.weight * unit)))
    return unit, of_state
