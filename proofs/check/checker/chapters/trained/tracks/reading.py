"""The objects of docs/tracks.md, sections 4 and 6: what is to prove a claim, or an input by which it is false."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from ....kernel.budget import Budget
from ....kernel.language import Language
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, integer_within, list_of, read_heading
from ....kernel.verdicts import expect, quote
from ..reading.decision import MAX_BITS, MAX_CUTS, Count, Int32
from ..reading.dyadics import read_base64
from ..reading.network import Network, read_network
from .claim import TracksClaim, read_claim

FORMAT_OF_TRACKS = "certify-tracks"
FORMAT_OF_WRONG_INPUT = "certify-wrong-input"


@dataclass(frozen=True)
class GroupCut:
    """A direction (of all heads, one after another) ends at / 2^bits below, and begins there above."""

    direction: int
    at: int
    below: Tree
    above: Tree


Tree = GroupCut | None


@dataclass(frozen=True)
class Unit:
    """How a form is proved: directions, the classes that are split, ranges, and a tree of cells for each group."""

    directions: tuple[bytes, ...]
    bits: int
    splits: tuple[tuple[int, ...], ...]
    ranges: bytes
    cells: tuple[Tree, ...]


@dataclass(frozen=True)
class EachInput:
    """A form is proved by running each of its inputs, of which there are so many."""

    inputs: int


@dataclass(frozen=True)
class TracksCertificate:
    """A claim about a network, and a unit for each form."""

    network: Network
    claim: TracksClaim
    units: tuple[Unit | EachInput, ...]
    language: Language


@dataclass(frozen=True)
class WrongInput:
    """A claim about a network, and an input, the place of an answer and another token by which it is false."""

    network: Network
    claim: TracksClaim
    form: int
    columns: tuple[int, ...]
    place: int
    other: int
    language: Language


def read_tracks(document: Json, budget: Budget) -> TracksCertificate:
    """The certificate that a document holds."""
    fields = Fields(document, "format", "version", "network", "claim", "units")
    read_heading(fields, FORMAT_OF_TRACKS)
    network = fields.read("network", partial(read_network, budget=budget))
    claim = fields.read("claim", partial(read_claim, network=network))
    units = fields.read("units", list_of(partial(read_unit, network=network)))
    expect(len(units) == len(claim.forms), "units: expected one for each form")
    return TracksCertificate(network, claim, units, Language(budget))


def read_unit(value: Json, network: Network) -> Unit | EachInput:
    """How one form is proved."""
    if isinstance(value, dict) and "inputs" in value:
        return EachInput(Fields(value, "inputs").read("inputs", Count))
    fields = Fields(value, "directions", "bits", "splits", "ranges", "cells")
    directions = fields.read("directions", list_of(read_base64))
    heads = [len(step.heads) for step in network.attention_steps]
    expect([len(directions)] == heads, "directions: expected them for each head of the one attention step")
    row = 4 * width_of_stream(network)
    expect(all(len(data) % row == 0 for data in directions), "directions: expected rows as wide as the stream")
    rows = sum(len(data) // row for data in directions)
    splits = fields.read("splits", list_of(list_of(Count)))
    expect(all(len(split) == 3 for split in splits), "splits: expected query, class and column of each")
    return Unit(directions, fields.read("bits", integer_within(range(MAX_BITS + 1))), splits,
                fields.read("ranges", read_base64), fields.read("cells", list_of(partial(read_tree, rows=rows))))


def width_of_stream(network: Network) -> int:
    """How wide the stream is where the heads write into it."""
    return network.attention_steps[0].heads[0].out.width


def read_tree(value: Json, rows: int, cuts: int = 0) -> Tree:
    """A tree below so many cuts."""
    if value is None:
        return None
    expect(isinstance(value, list) and len(value) == 4, "expected null, or a cut and two parts, got {}", quote(value))
    assert isinstance(value, list)
    expect(cuts < MAX_CUTS, "limit: {} cuts above a cell", MAX_CUTS)
    direction = integer_within(range(rows))(value[0]) if rows else Count(None)
    below, above = (read_tree(part, rows, cuts + 1) for part in value[2:])
    return GroupCut(direction, Int32(value[1]), below, above)


def read_wrong_input(document: Json, budget: Budget) -> WrongInput:
    """The refutation that a document holds."""
    fields = Fields(document, "format", "version", "network", "claim", "form", "input", "place", "other")
    read_heading(fields, FORMAT_OF_WRONG_INPUT)
    network = fields.read("network", partial(read_network, budget=budget))
    claim = fields.read("claim", partial(read_claim, network=network))
    form = fields.read("form", integer_within(range(len(claim.forms))))
    letters = fields.read("input", list_of(list_of(Count)))
    expect(len(letters) == len(claim.forms[form].columns), "input: expected as many columns as the form has")
    known = {column: index for index, column in enumerate(claim.columns)}
    expect(all(column in known for column in letters), "input: expected a letter of each track")
    return WrongInput(network, claim, form, tuple(known[column] for column in letters), fields.read("place", Count),
                      fields.read("other", Count), Language(budget))
