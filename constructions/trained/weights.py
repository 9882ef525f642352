"""Weighted automata over the columns of inputs in tracks, and the exact weight of all inputs of a claim's form.

An input weighs the sum over the runs of the automaton of the product of their weights (docs/background/counting.md,
section 1).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from constructions.errors import InputError
from constructions.trained.tracks import Column, Layout, TracksClaim

ONE = Fraction(1)
Transition = tuple[int, int, Fraction]
"""Source, target, weight."""
WEIGHT_BITS = 128
"""The most bits of weights of transitions, and of their common denominator in a table, that the checker reads."""
MOST_TRANSITIONS = 1 << 20


@dataclass(frozen=True)
class Weights:
    """A weighted automaton: ``tables[columns[k]][letters]`` has the transitions of column k; no weight is negative."""

    start: tuple[Fraction, ...]
    columns: tuple[int, ...]
    tables: tuple[tuple[tuple[Transition, ...], ...], ...]
    end: tuple[Fraction, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the automaton as JSON of a certificate."""
        return {"start": list(map(str, self.start)), "columns": list(self.columns),
                "tables": [[[[source, target, str(weight)] for source, target, weight in row] for row in table]
                           for table in self.tables], "end": list(map(str, self.end))}

    def times(self, factor: Fraction) -> "Weights":
        """Return the automaton with the weights of all inputs multiplied by a factor."""
        return Weights(tuple(factor * one for one in self.start), self.columns, self.tables, self.end)


def weights_from_json(data: Mapping[str, Any]) -> Weights:
    """Return the automaton of a certificate that the checker has accepted."""
    tables = tuple(tuple(tuple((source, target, Fraction(weight)) for source, target, weight in row) for row in table)
                   for table in data["tables"])
    return Weights(tuple(map(Fraction, data["start"])), tuple(data["columns"]), tables,
                   tuple(map(Fraction, data["end"])))


def each_is_one(claim: TracksClaim, form: Layout) -> Weights:
    """Return the automaton that gives each input the weight 1."""
    return Weights((ONE,), (0,) * len(form.columns), ((((0, 0, ONE),),) * len(claim.all_columns),), (ONE,))


def by_steps(letters: Sequence[Column], columns: int, start: Sequence[Fraction], end: Sequence[Fraction],
             steps: Callable[[int, Column], Iterable[Transition]]) -> Weights:
    """Return the automaton with these ``steps`` at each column, counted from 0, on each combination of letters.

    Raises:
        InputError: if the transitions are very many, or their weights are too long for the checker.
    """
    found: dict[tuple[tuple[Transition, ...], ...], int] = {}
    numbers = []
    for column in range(columns):
        table = tuple(tuple(step for step in steps(column, one) if step[2]) for one in letters)
        numbers.append(found.setdefault(table, len(found)))
    return checked(Weights(tuple(start), tuple(numbers), tuple(found), tuple(end)))


def product_of(first: Weights, second: Weights) -> Weights:
    """Return the automaton that gives an input the product of its two weights.

    Raises:
        InputError: as for ``by_steps``.
    """
    states = len(second.start)
    pairs = list(dict.fromkeys(zip(first.columns, second.columns, strict=True)))
    tables = []
    for one, other in pairs:
        rows = list(zip(first.tables[one], second.tables[other], strict=True))
        if sum(len(row) * len(more) for row, more in rows) > MOST_TRANSITIONS:
            raise InputError(f"more than {MOST_TRANSITIONS} transitions, expected fewer")
        tables.append(tuple(tuple((source * states + origin, target * states + goal, weight * factor)
                                  for source, target, weight in row for origin, goal, factor in more)
                            for row, more in rows))
    return checked(Weights(
        tuple(weight * factor for weight in first.start for factor in second.start),
        tuple(pairs.index(pair) for pair in zip(first.columns, second.columns, strict=True)), tuple(tables),
        tuple(weight * factor for weight in first.end for factor in second.end)))


def checked(weights: Weights) -> Weights:
    """Return the automaton, if it is within the checker's limits.

    Raises:
        InputError: if its transitions are very many, or their weights are too long.
    """
    if sum(len(row) for table in weights.tables for row in table) > MOST_TRANSITIONS:
        raise InputError(f"more than {MOST_TRANSITIONS} transitions, expected fewer")
    for table in weights.tables:
        found = {weight for row in table for _, _, weight in row}
        if lcm(*(one.denominator for one in found)) >> WEIGHT_BITS or any(one >= 1 << WEIGHT_BITS for one in found):
            raise InputError(f"weights with more than {WEIGHT_BITS} bits, expected shorter fractions")
    return weights


def total_weight(claim: TracksClaim, form: Layout, weights: Weights) -> Fraction:
    """Return the weight of all inputs of a form that the claim's machine allows."""
    scale = lcm(*(one.denominator for one in (*weights.start, *weights.end)),
                *(weight.denominator for table in weights.tables for row in table for _, _, weight in row))

    def whole(weight: Fraction) -> int:
        return weight.numerator * (scale // weight.denominator)

    sums = {(claim.machine.start, state): whole(weight) for state, weight in enumerate(weights.start) if weight}
    for table, by in zip(form.columns, weights.columns, strict=True):
        moves: dict[int, list[tuple[int, int, int]]] = {}
        for letter, row in enumerate(weights.tables[by]):
            for source, target, weight in row:
                moves.setdefault(source, []).append((letter, target, whole(weight)))
        new: dict[tuple[int, int], int] = {}
        for (state, weighted), found in sums.items():
            steps = claim.machine.tables[table][state]
            for letter, target, factor in moves.get(weighted, ()):
                step = steps[letter]
                if step is not None:
                    new[step[0], target] = new.get((step[0], target), 0) + found * factor
        sums = new
    total = sum(found * whole(weights.end[weighted]) for (state, weighted), found in sums.items()
                if claim.machine.end[state] is not None)
    return Fraction(total, scale ** (len(form.columns) + 2))
