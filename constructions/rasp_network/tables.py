"""Functions of finitely many cases: functions of truths and symbols, before weights are chosen."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from constructions.network.transformer import Coefficients
from constructions.rasp.syntax import Variable as Place

MAX_CASES = 20_000
MANY_CASES = 1_000
"""A function with more cases is split into functions of functions, if possible, to save hidden units."""

Value = bool | int | str | None
"""The value of a variable; None represents no value."""


class TooManyCasesError(Exception):
    """A function of more than MAX_CASES cases."""


@dataclass(frozen=True, eq=False)
class Variable:
    """A quantity with finitely many values, held by directions: each literal is 1 at its value and else 0.

    ``definition`` is its function of other variables, or None.
    """

    name: str
    values: tuple[Value, ...]
    literals: Mapping[Value, Coefficients]
    definition: Table | None = None


Slot = tuple[Variable, Place]
"""A variable, at position i or at position j."""


@dataclass(frozen=True)
class Table:
    """A function of variables, all relevant: its values in the order of ``itertools.product``."""

    slots: tuple[Slot, ...]
    outputs: tuple[Any, ...]

    @property
    def range(self) -> tuple[Any, ...]:
        """The values that occur, each once."""
        return tuple(dict.fromkeys(self.outputs))

    @property
    def is_constant(self) -> bool:
        """True if the function has no variables."""
        return not self.slots

    @property
    def places(self) -> frozenset[Place]:
        """The positions that the function depends on."""
        return frozenset(place for _, place in self.slots)

    def at(self, place: Place) -> Table:
        """Return the same function of the same variables, all of them at ``place``."""
        return substitute(self, lambda slot: identity((slot[0], place)))

    def value(self, *arguments: Value) -> Any:
        """Return the value at one case."""
        index = 0
        for (variable, _), argument in zip(self.slots, arguments, strict=True):
            index = index * len(variable.values) + variable.values.index(argument)
        return self.outputs[index]


def constant(value: Any) -> Table:
    """Return the function that is ``value`` everywhere."""
    return Table((), (value,))


def identity(slot: Slot) -> Table:
    """Return the variable itself."""
    return tabulate([slot], lambda value: value)


def tabulate(slots: Sequence[Slot], function: Callable[..., Any]) -> Table:
    """Tabulate the function of these arguments; drop irrelevant ones.

    Raises:
        TooManyCasesError: if it has more than MAX_CASES cases.
    """
    if math.prod(len(variable.values) for variable, _ in slots) > MAX_CASES:
        raise TooManyCasesError
    cases = itertools.product(*(variable.values for variable, _ in slots))
    return _reduced(tuple(slots), tuple(function(*case) for case in cases))


def combine(function: Callable[..., Any], *tables: Table) -> Table:
    """Return the function of the values of the tables.

    Raises:
        TooManyCasesError: as ``tabulate``.
    """
    slots = tuple(dict.fromkeys(slot for table in tables for slot in table.slots))
    chosen = [[slots.index(slot) for slot in table.slots] for table in tables]
    return tabulate(slots, lambda *case: function(*(
        table.value(*(case[k] for k in places)) for table, places in zip(tables, chosen, strict=True))))


def substitute(table: Table, replace: Callable[[Slot], Table | None]) -> Table:
    """Substitute functions for some of the variables.

    Raises:
        TooManyCasesError: as ``tabulate``.
    """
    return combine(table.value, *((replace(slot) or identity(slot)) for slot in table.slots))


def residuals(table: Table, slots: Sequence[Slot]) -> dict[Table, list[tuple[Value, ...]]]:
    """Map the functions that remain when ``slots`` have values to the values that give them."""
    left: list[tuple[tuple[Value, ...], Table]] = [((), table)]
    for slot in slots:
        left = [((*case, value), rest) for case, before in left for value, rest in _by_value(before, slot)]
    found: dict[Table, list[tuple[Value, ...]]] = {}
    for case, rest in left:
        found.setdefault(rest, []).append(case)
    return found


def _by_value(table: Table, slot: Slot) -> list[tuple[Value, Table]]:
    """Return, for each value of one variable, the function that remains."""
    values = slot[0].values
    if slot not in table.slots:
        return [(value, table) for value in values]
    place = table.slots.index(slot)
    rest = table.slots[:place] + table.slots[place + 1 :]
    inner = math.prod(len(variable.values) for variable, _ in table.slots[place + 1 :])
    return [(value, _reduced(rest, tuple(itertools.chain.from_iterable(
        table.outputs[start : start + inner] for start in range(k * inner, len(table.outputs), inner * len(values))))))
        for k, value in enumerate(values)]


Cube = list[tuple[Slot, tuple[Value, ...]]]
"""A product of sets: each of these variables has one of these values."""


def cubes(table: Table, wanted: Any) -> Iterator[Cube]:
    """Yield disjoint cubes whose union is where the table has the wanted value, by a decision tree.

    The next variable is the one that leaves the fewest different functions.
    """
    if table.is_constant:
        if table.outputs[0] == wanted:
            yield []
        return
    best: tuple[Slot, dict[Table, list[tuple[Value, ...]]]] | None = None
    for slot in table.slots:
        left = residuals(table, [slot])
        if best is None or len(left) < len(best[1]):
            best = slot, left
    assert best is not None, "a table that is not constant has variables"
    slot, left = best
    for rest, cases in left.items():
        for cube in cubes(rest, wanted):
            yield [(slot, tuple(value for (value,) in cases)), *cube]


def _reduced(slots: tuple[Slot, ...], outputs: tuple[Any, ...]) -> Table:
    """Return the table without irrelevant variables."""
    inner = len(outputs)
    for place, (variable, _) in enumerate(slots):
        size = len(variable.values)
        outer, inner = inner, inner // size
        blocks = [outputs[start : start + outer] for start in range(0, len(outputs), outer)]
        if all(block == block[:inner] * size for block in blocks):
            remaining = tuple(entry for block in blocks for entry in block[:inner])
            return _reduced(slots[:place] + slots[place + 1 :], remaining)
    return Table(slots, outputs)
