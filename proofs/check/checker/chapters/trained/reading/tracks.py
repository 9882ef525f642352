"""Parsing of the evidence of docs/reference/tracks.md, section 4."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from struct import unpack

from ....kernel.budget import MAX_N
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, integer_within, list_of, or_null
from ....kernel.verdicts import Malformed, expect, quote
from .decision import MAX_BITS, MAX_CUTS, Decision
from .dyadics import read_base64
from .network import AttentionStep, Count, Int32, Network
from .tracks_claim import TracksClaim

LONG = integer_within(range(-1 << 127, 1 << 127))
LEAST_PRECISION, MOST_PRECISION = 32, 128  # fractional bits of scores, at most those of exponentials.py


@dataclass(frozen=True)
class GroupCut:
    """A cut of a direction (heads concatenated) at ``at`` / 2^bits: upper end below, lower end above."""

    direction: int
    at: int
    below: Tree
    above: Tree


Tree = GroupCut | None


@dataclass(frozen=True)
class StepRanges:
    """Evidence about an attention step: directions of each head, and ranges."""

    directions: tuple[bytes, ...]
    bits: int
    ranges: bytes


@dataclass(frozen=True)
class Unit:
    """Evidence of a form by classes; a step has ``window`` columns, each group a tree of cells.

    With ``verdicts`` splits are by steps, and each class has a token that is proved the greatest there, or None.
    """

    window: int
    labels: tuple[tuple[int, ...] | None, ...]
    steps: tuple[StepRanges, ...]
    splits: tuple[tuple[int, ...], ...]
    cells: tuple[Tree, ...]
    verdicts: tuple[int | None, ...] | None = None


@dataclass(frozen=True)
class EachInput:
    """Evidence of a form by enumeration of its inputs; their number."""

    inputs: int


@dataclass(frozen=True)
class ExactUnit:
    """Evidence of a form in exact numbers, of this precision: boxes and cuts over 2^bits, each class's box."""

    precision: int
    bits: int
    splits: tuple[tuple[int, ...], ...]
    ranges: bytes
    classes: bytes
    cells: tuple[Tree, ...]


@dataclass(frozen=True)
class LayoutProofs:
    """Evidence of each form."""

    units: tuple[Unit | EachInput | ExactUnit, ...]


def read_units(value: Json, about: Decision[TracksClaim, None]) -> LayoutProofs:
    """Parse the evidence of each form."""
    fields = Fields(value, "units")
    units = fields.read("units", list_of(partial(read_unit, network=about.network)))
    expect(len(units) == len(about.claim.forms), "units: expected one for each form")
    return LayoutProofs(units)


def read_unit(value: Json, network: Network, of_verdicts: bool = False) -> Unit | EachInput | ExactUnit:
    """Parse the evidence of one form; ``of_verdicts``: a verdict on each class in place of cells."""
    keys = value if isinstance(value, dict) and not of_verdicts else {}
    if "inputs" in keys:
        return EachInput(Fields(value, "inputs").read("inputs", Count))
    if "precision" in keys:
        return read_exact_unit(Fields(value, "precision", "bits", "splits", "ranges", "classes", "cells"), network)
    *before, last = network.attention_steps or (None,)
    if last is None:
        raise Malformed("units: without attention, inputs are run one by one")
    more = ("labels", "before") if before else ()
    optional = () if of_verdicts else ("window",)
    fields = Fields(value, "directions", "bits", "splits", "ranges", "verdicts" if of_verdicts else "cells", *more,
                    *optional, optional=optional)
    window = fields.read("window", integer_within(range(2, MAX_N + 1))) if "window" in fields else 1
    labels: tuple[tuple[int, ...] | None, ...] = ()
    steps: tuple[StepRanges, ...] = ()
    if before:
        labels = fields.read("labels", list_of(or_null(read_labels)))
        inner = fields.read("before", list_of(lambda one: one))
        expect(len(inner) == len(before), "before: expected one for each attention step but the last")
        steps = tuple(read_step(Fields(one, "directions", "bits", "ranges"), step)
                      for one, step in zip(inner, before, strict=True))
    averages = read_step(fields, last)
    rows = sum(len(data) for data in averages.directions) // (4 * width_of_stream(last))
    splits = read_splits(fields)
    if of_verdicts:
        return Unit(window, labels, (*steps, averages), splits, (), fields.read("verdicts", list_of(or_null(Count))))
    cells = fields.read("cells", list_of(partial(read_tree, rows=rows)))
    return Unit(window, labels, (*steps, averages), splits, cells)


def read_splits(fields: Fields) -> tuple[tuple[int, ...], ...]:
    """Parse the classes that are split."""
    splits = fields.read("splits", list_of(list_of(Count)))
    expect(all(len(split) >= 3 for split in splits), "splits: expected query, class and column of each")
    return splits


def read_exact_unit(fields: Fields, network: Network) -> ExactUnit:
    """Parse the evidence of a form in exact numbers."""
    precision = fields.read("precision", integer_within(range(LEAST_PRECISION, MOST_PRECISION + 1)))
    rows = sum(head.value.weight.width for step in network.attention_steps for head in step.heads)
    return ExactUnit(precision, fields.read("bits", integer_within(range(MAX_BITS + 1))), read_splits(fields),
                     fields.read("ranges", read_base64), fields.read("classes", read_base64),
                     fields.read("cells", list_of(partial(read_tree, rows=rows, number=LONG))))


def read_labels(value: Json) -> tuple[int, ...]:
    """Parse numbers of 16 bits."""
    data = read_base64(value)
    expect(len(data) % 2 == 0, "labels: expected numbers of 16 bits")
    return unpack(f"<{len(data) // 2}H", data)


def read_step(fields: Fields, step: AttentionStep) -> StepRanges:
    """Parse directions and ranges of an attention step."""
    directions = fields.read("directions", list_of(read_base64))
    expect(len(directions) == len(step.heads), "directions: expected them for each head of the attention step")
    expect(all(len(data) % (4 * width_of_stream(step)) == 0 for data in directions),
           "directions: expected rows as wide as the stream")
    return StepRanges(directions, fields.read("bits", integer_within(range(MAX_BITS + 1))),
                    fields.read("ranges", read_base64))


def width_of_stream(step: AttentionStep) -> int:
    """Return the width of the stream to which the heads' outputs are added."""
    return step.heads[0].out.width


def read_tree(value: Json, rows: int, cuts: int = 0, number: Callable[[Json], int] = Int32) -> Tree:
    """Parse a tree below ``cuts`` cuts."""
    if value is None:
        return None
    expect(isinstance(value, list) and len(value) == 4, "expected null, or a cut and two parts, got {}", quote(value))
    assert isinstance(value, list)
    expect(cuts < MAX_CUTS, "limit: {} cuts above a cell", MAX_CUTS)
    direction = integer_within(range(rows))(value[0]) if rows else Count(None)
    below, above = (read_tree(part, rows, cuts + 1, number) for part in value[2:])
    return GroupCut(direction, number(value[1]), below, above)
