"""The text of a decision and of a wrong word: docs/trained.md, sections 4 and 7.

The same units give the same bytes: units are put in order, graphs and directions are listed as the units use them.
"""

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from constructions.network.json_form import write_canonical
from constructions.trained.claim import Claim
from constructions.trained.claim_form import claim_to_json
from constructions.trained.json_form import network_to_json
from constructions.trained.network import TrainedNetwork
from proofs.trained.classes.directions import Directions
from proofs.trained.classes.results import ClassUnit
from proofs.trained.classes.trees import Leaf, Tree
from proofs.trained.search import WrongWord

VERSION = 1


@dataclass(frozen=True)
class WordsUnit:
    """Obligations first … last at an offset, by running every word."""

    offset: int
    first: int
    last: int


Unit = WordsUnit | ClassUnit


@dataclass(frozen=True)
class Cover:
    """Units as values of JSON, and the graphs and directions that they name by their places, each once."""

    graphs: tuple[Any, ...] = ()
    directions: tuple[Any, ...] = ()
    units: tuple[dict[str, Any], ...] = ()


def cover_of(units: Iterable[Unit]) -> Cover:
    """The units in order."""
    graphs: dict[Any, int] = {}
    directions: dict[Any, int] = {}
    ordered = sorted(units, key=lambda unit: (unit.offset, unit.first, unit.last))
    cover = [_unit_to_json(unit, graphs, directions) for unit in ordered]
    return Cover(tuple([[list(node) for node in level] for level in graph] for graph in graphs),
                 tuple([list(step) for step in one] for one in directions), tuple(cover))


def joined(covers: Iterable[Cover]) -> Cover:
    """All units of several covers, in their order."""
    graphs, directions, units = _Listed(), _Listed(), []
    for cover in covers:
        graph_places = [graphs.place(graph) for graph in cover.graphs]
        direction_places = [directions.place(one) for one in cover.directions]
        units += [unit | {"graph": graph_places[unit["graph"]], "directions": direction_places[unit["directions"]]}
                  if unit["by"] == "classes" else unit for unit in cover.units]
    return Cover(tuple(graphs.values), tuple(directions.values), tuple(units))


class _Listed:
    """Values of JSON, equal ones once."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._places: dict[str, int] = {}

    def place(self, value: Any) -> int:
        """Where the value is in the list."""
        place = self._places.setdefault(json.dumps(value), len(self.values))
        if place == len(self.values):
            self.values.append(value)
        return place


def decision_text(network: TrainedNetwork, claim: Claim, cover: Cover) -> str:
    """A certificate of the format certify-decision."""
    return write_canonical({
        **_head("certify-decision", network, claim),
        "graphs": list(cover.graphs),
        "directions": list(cover.directions),
        "cover": list(cover.units),
    })  # fmt: skip


def wrong_word_text(network: TrainedNetwork, claim: Claim, found: WrongWord) -> str:
    """A certificate of the format certify-wrong-word."""
    return write_canonical({
        **_head("certify-wrong-word", network, claim),
        "word": list(found.word),
        "offset": found.offset,
        "place": found.place,
        "case": found.case,
        "row": found.row,
    })  # fmt: skip


def _head(name: str, network: TrainedNetwork, claim: Claim) -> dict[str, Any]:
    return {"format": name, "version": VERSION, "network": network_to_json(network), "claim": claim_to_json(claim)}


def _unit_to_json(unit: Unit, graphs: dict[Any, int], directions: dict[Any, int]) -> dict[str, Any]:
    """The unit; its graph and its directions are listed, if they are new."""
    head = {"offset": unit.offset, "from": unit.first, "to": unit.last}
    if isinstance(unit, WordsUnit):
        return {**head, "by": "words"}
    return {
        **head,
        "by": "classes",
        "graph": graphs.setdefault(unit.graph.successors, len(graphs)),
        "directions": directions.setdefault(_packed_directions(unit.directions), len(directions)),
        "bits": unit.bits,
        "ranges": packed(unit.ranges),
        **({"cells": [None if tree is None else _tree_to_json(tree) for tree in unit.cells]} if unit.cells else {}),
    }


def _tree_to_json(tree: Tree) -> dict[str, Any]:
    """TREE of the page."""
    if isinstance(tree, Leaf):
        return {"shares": [None if share is None else packed([share]) for share in tree.shares]}
    below, above = map(_tree_to_json, (tree.below, tree.above))
    return {"head": tree.head, "direction": tree.direction, "at": tree.at, "below": below, "above": above}


def _packed_directions(directions: Directions) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(packed([matrix]) for matrix in step) for step in directions.matrices)


def packed(arrays: Sequence[np.ndarray[Any, np.dtype[np.int32]]]) -> str:
    """Base64 of the numbers in row-major order as little-endian int32, array after array."""
    return base64.b64encode(b"".join(array.astype("<i4").tobytes() for array in arrays)).decode("ascii")
