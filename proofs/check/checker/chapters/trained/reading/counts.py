"""The property *count* of docs/counting.md: how many inputs are right, and the parts that prove it."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, integer_within, list_of, one_of, or_null, read_rational
from ....kernel.verdicts import expect, quote
from .decision import Decision
from .tracks import EachInput, ExactUnit, Unit, read_unit
from .tracks_claim import Layout, TracksClaim, Transducer, read_machine, written_tokens


@dataclass(frozen=True)
class WeightedStep:
    """A transition of a weighted automaton."""

    source: int
    target: int
    weight: Fraction


@dataclass(frozen=True)
class Weights:
    """A weighted automaton over the columns of one layout; an input weighs the sum over its runs.

    ``tables[columns[k]][letters]`` has the transitions of column k. All weights are 0 or more.
    """

    start: tuple[Fraction, ...]
    columns: tuple[int, ...]
    tables: tuple[tuple[tuple[WeightedStep, ...], ...], ...]
    end: tuple[Fraction, ...]


@dataclass(frozen=True)
class Counts:
    """For each layout: the weight of the right inputs is at least and at most ``right``.

    Without ``weights`` each input weighs 1. With them there is one automaton for each layout.
    """

    right: tuple[tuple[Fraction, Fraction], ...]
    weights: tuple[Weights, ...] | None


@dataclass(frozen=True)
class CountedPart:
    """The inputs of layout ``form`` that ``machine`` allows: they are right, or wrong first at ``place`` of the layout,
    where the logit of ``token`` is the greatest."""

    form: int
    place: int | None
    token: int | None
    machine: Transducer
    unit: Unit | EachInput | ExactUnit


@dataclass(frozen=True)
class CountedParts:
    """Disjoint sets of inputs, each with the proof of its claim."""

    parts: tuple[CountedPart, ...]


def read_counts(value: Json, claim: TracksClaim) -> Counts:
    """Return the claimed numbers, which fit the claim.

    Raises:
        Malformed: if they do not.
    """
    fields = Fields(value, "right", "weights")
    right = fields.read("right", list_of(list_of(read_rational)))
    expect(len(right) == len(claim.forms), "right: expected two numbers for each form")
    expect(all(len(ends) == 2 and 0 <= ends[0] <= ends[1] for ends in right),
           "right: expected a least and a greatest number of each form")
    weights = fields.read("weights", or_null(list_of(lambda one: one)))
    if weights is None:
        return Counts(tuple((least, most) for least, most in right), None)
    expect(len(weights) == len(claim.forms), "weights: expected an automaton for each form")
    return Counts(tuple((least, most) for least, most in right), tuple(
        read_weights(one, form, len(claim.columns)) for one, form in zip(weights, claim.forms, strict=True)))


def read_weights(value: Json, form: Layout, letters: int) -> Weights:
    """Return the weighted automaton of one layout."""
    fields = Fields(value, "start", "columns", "tables", "end")
    start, end = fields.read("start", list_of(read_weight)), fields.read("end", list_of(read_weight))
    expect(start and len(start) == len(end), "start, end: expected a weight for each state")
    state = integer_within(range(len(start)))
    tables = fields.read("tables", list_of(list_of(list_of(partial(read_weighted_step, state=state)))))
    expect(all(len(table) == letters for table in tables), "tables: expected transitions for each of {} letters",
           letters)
    columns = fields.read("columns", list_of(integer_within(range(len(tables)))))
    expect(len(columns) == len(form.columns), "columns: expected a table for each of {} columns", len(form.columns))
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


def read_parts(value: Json, about: Decision[TracksClaim, None]) -> CountedParts:
    """Return the parts; no two are about the same layout, place and token.

    Raises:
        Malformed: if two are, or one does not fit the claim.
    """
    parts = Fields(value, "parts").read("parts", list_of(partial(read_part, about=about)))
    keys = [(part.form, part.place, part.token) for part in parts]
    expect(len({*keys}) == len(keys), "parts: expected one for each form, place and token")
    return CountedParts(parts)


def read_part(value: Json, about: Decision[TracksClaim, None]) -> CountedPart:
    """Return one part; place and token are null if its inputs are right."""
    claim = about.claim
    fields = Fields(value, "form", "place", "token", "machine", "unit")
    number = fields.read("form", integer_within(range(len(claim.forms))))
    form = claim.forms[number]
    place = fields.read("place", or_null(integer_within(range(form.first_answer, len(form.layout)))))
    token = fields.read("token", or_null(one_of(*claim.among)))
    expect((token is None) == (place is None), "place, token: expected both, or none")
    machine = fields.read("machine", partial(
        read_machine, tracks=claim.tracks, token=integer_within(range(len(about.network.tokens.rows)))))
    expect(len(machine.tables) == len(form.columns), "machine: expected a table for each of {} columns",
           len(form.columns))
    expect(widths(machine) == widths(claim.machine), "machine: expected as many answers as the claim's writes")
    expect(written_tokens(machine) <= {*claim.among}, "machine: it writes a token that is not compared")
    unit = fields.read("unit", partial(read_unit, network=about.network))
    return CountedPart(number, place, None if token is None else int(str(token)), machine, unit)


def widths(machine: Transducer) -> tuple[set[int], set[int]]:
    """Return how many answers the steps of a machine write, and how many its ends do."""
    return ({len(step) - 1 for table in machine.tables for row in table for step in row if step is not None},
            {len(end) for end in machine.end if end is not None})
