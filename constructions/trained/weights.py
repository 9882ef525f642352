"""Weighted automata over the columns of inputs in tracks, and the exact weight of all inputs of a claim's form.

An input weighs the sum over the runs of the automaton of the product of their weights (docs/background/counting.md,
section 1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from constructions.errors import InputError
from constructions.trained.tracks import Layout, TracksClaim

ONE = Fraction(1)
Transition = tuple[int, int, Fraction]
"""Source, target, weight."""


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


def each_is_one(claim: TracksClaim, form: Layout) -> Weights:
    """Return the automaton that gives each input the weight 1."""
    return Weights((ONE,), (0,) * len(form.columns), ((((0, 0, ONE),),) * len(claim.all_columns),), (ONE,))


def by_letters(claim: TracksClaim, form: Layout, letters: Sequence[Sequence[Fraction]]) -> Weights:
    """Return the automaton that weighs an input by the product of its letters' weights, given by track.

    Raises:
        InputError: if a weight is negative, or there is not one for each letter.
    """
    if len(letters) != len(claim.tracks) or any(len(one) != len(track.letters) for one, track in
                                                zip(letters, claim.tracks, strict=False)):
        raise InputError("weights: expected a number for each letter of each track")
    if any(one < 0 for track in letters for one in track):
        raise InputError("weights: expected no negative number")
    row = []
    for column in claim.all_columns:
        weight = ONE
        for track, letter in enumerate(column):
            weight *= letters[track][letter]
        row.append(((0, 0, weight),) if weight else ())
    return Weights((ONE,), (0,) * len(form.columns), (tuple(row),), (ONE,))


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
