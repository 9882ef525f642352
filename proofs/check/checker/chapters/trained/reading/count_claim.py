"""The property *count* of docs/background/counting.md: what is claimed of the number of right inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import lcm
from typing import TYPE_CHECKING

from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, integer_within, list_of, or_null, read_rational
from ....kernel.verdicts import expect, quote

if TYPE_CHECKING:
    from .tracks_claim import TracksClaim
    from .words_claim import TrainedClaim

WEIGHT_BITS = 128  # of the weights of transitions, and of their common denominator in a table


@dataclass(frozen=True)
class WeightedStep:
    """A transition of a weighted automaton."""

    source: int
    target: int
    weight: Fraction


WeightTable = tuple[tuple[WeightedStep, ...], ...]
"""For each combination of letters its transitions."""


@dataclass(frozen=True)
class Weights:
    """A weighted automaton over the columns of one form; an input weighs the sum over its runs.

    ``tables[columns[k]][letters]`` has the transitions of column k. All weights are 0 or more.
    """

    start: tuple[Fraction, ...]
    columns: tuple[int, ...]
    tables: tuple[WeightTable, ...]
    end: tuple[Fraction, ...]


@dataclass(frozen=True)
class CountClaim:
    """For each form: the weight of the right inputs is at least and at most ``right``.

    Without ``weights`` each input weighs 1. With them there is one automaton for each form.
    """

    right: tuple[tuple[Fraction, Fraction], ...]
    weights: tuple[Weights, ...] | None


def read_counts(value: Json, claim: TracksClaim | TrainedClaim) -> CountClaim:
    """Return the claimed numbers, which fit the claim.

    Raises:
        Malformed: if they do not.
    """
    fields = Fields(value, "right", "weights")
    right = fields.read("right", list_of(list_of(read_rational)))
    expect(len(right) == len(claim.widths), "right: expected two numbers for each form")
    expect(all(len(ends) == 2 and 0 <= ends[0] <= ends[1] for ends in right),
           "right: expected a least and a greatest number of each form")
    weights = fields.read("weights", or_null(list_of(lambda one: one)))
    if weights is None:
        return CountClaim(tuple((least, most) for least, most in right), None)
    expect(len(weights) == len(claim.widths), "weights: expected an automaton for each form")
    return CountClaim(tuple((least, most) for least, most in right), tuple(
        read_weights(one, width, claim.combinations) for one, width in zip(weights, claim.widths, strict=True)))


def read_weights(value: Json, width: int, letters: int) -> Weights:
    """Return the weighted automaton of one form."""
    fields = Fields(value, "start", "columns", "tables", "end")
    start, end = fields.read("start", list_of(read_weight)), fields.read("end", list_of(read_weight))
    expect(start and len(start) == len(end), "start, end: expected a weight for each state")
    state = integer_within(range(len(start)))
    tables = fields.read("tables", list_of(list_of(list_of(partial(read_weighted_step, state=state)))))
    expect(all(len(table) == letters for table in tables), "tables: expected transitions for each of {} letters",
           letters)
    for table in tables:
        unit = lcm(*(one.weight.denominator for row in table for one in row))
        expect(unit.bit_length() <= WEIGHT_BITS and all(one.weight < 1 << WEIGHT_BITS for row in table for one in row),
               "limit: transitions with weights of {} bits", WEIGHT_BITS)
    columns = fields.read("columns", list_of(integer_within(range(len(tables)))))
    expect(len(columns) == width, "columns: expected a table for each of {} columns", width)
    return Weights(start, columns, tables, end)


def read_weight(value: Json) -> Fraction:
    """Return a rational number that is 0 or more."""
    weight = read_rational(value)
    expect(weight >= 0, "expected a weight of 0 or more, got {}", weight)
    return weight


def read_weighted_step(value: Json, state: Callable[[Json], int]) -> WeightedStep:
    """Return a transition: source, target, weight."""
    expect(isinstance(value, list) and len(value) == 3, "expected source, target and weight, got {}", quote(value))
    assert isinstance(value, list)
    return WeightedStep(state(value[0]), state(value[1]), read_weight(value[2]))
