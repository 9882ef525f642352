"""Certificates about trained networks: docs/reference/trained.md, sections 2 to 4 and 7.

The same units give the same bytes: units are put in order, graphs and directions are listed as the units use them.
"""

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from constructions.network.json_form import write_canonical
from constructions.trained.claim import WordsClaim
from constructions.trained.claim_form import claim_to_json
from constructions.trained.json_form import network_to_json
from constructions.trained.network import TrainedNetwork
from constructions.trained.weights import Weights
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.classes.directions import Directions
from proofs.trained.classes.results import ClassUnit
from proofs.trained.classes.trees import Leaf, Tree
from proofs.trained.search import RefutingWord

FORMAT, VERSION = "certify-decision", 1
WORDS, ANY_LENGTH, TRACKS = "words", "words of any length", "tracks"
"""What a claim is about."""
EXACT, RUNS, ANSWERS, COUNT = "exact", "float executions", "answers", "count"


@dataclass(frozen=True)
class WordsUnit:
    """Obligations first … last at an offset, by enumeration of words."""

    offset: int
    first: int
    last: int


Unit = WordsUnit | ClassUnit


@dataclass(frozen=True)
class CoverJson:
    """Units as values of JSON, and the graphs and directions to which they refer by index, each once."""

    graphs: tuple[Any, ...] = ()
    directions: tuple[Any, ...] = ()
    units: tuple[dict[str, Any], ...] = ()


def cover_of(units: Iterable[Unit]) -> CoverJson:
    """Return the units in order."""
    graphs: dict[Any, int] = {}
    directions: dict[Any, int] = {}
    ordered = sorted(units, key=lambda unit: (unit.offset, unit.first, unit.last))
    cover = [_unit_to_json(unit, graphs, directions) for unit in ordered]
    return CoverJson(tuple([[list(node) for node in level] for level in graph] for graph in graphs),
                     tuple([list(step) for step in one] for one in directions), tuple(cover))


def joined(covers: Iterable[CoverJson]) -> CoverJson:
    """Return all units of several covers, in their order."""
    graphs, directions, units = _Listed(), _Listed(), []
    for cover in covers:
        graph_places = [graphs.place(graph) for graph in cover.graphs]
        direction_places = [directions.place(one) for one in cover.directions]
        units += [unit | {"graph": graph_places[unit["graph"]], "directions": direction_places[unit["directions"]]}
                  if unit["by"] == "classes" else unit for unit in cover.units]
    return CoverJson(tuple(graphs.values), tuple(directions.values), tuple(units))


class _Listed:
    """Values of JSON, equal ones once."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._places: dict[str, int] = {}

    def place(self, value: Any) -> int:
        """Return the index of the value in the list; a new value is appended."""
        place = self._places.setdefault(json.dumps(value), len(self.values))
        if place == len(self.values):
            self.values.append(value)
        return place


def certificate_text(inputs: str, by: str, network: TrainedNetwork, claim: dict[str, Any], evidence: dict[str, Any],
                     run: dict[str, Any] | None = None, counts: dict[str, Any] | None = None) -> str:
    """Return a certificate about ``inputs``, with the evidence of the method ``by``.

    It is about exact outputs or executions under a float model, and about all answers or the count of right inputs.
    """
    return write_canonical({
        "format": FORMAT, "version": VERSION, "inputs": inputs, "execution": EXACT if run is None else RUNS,
        "property": ANSWERS if counts is None else COUNT, "by": by, "network": network_to_json(network), "claim": claim,
        **({} if run is None else {"floats": [run]}), **({} if counts is None else {"counts": counts}),
        "evidence": evidence})


def counts_to_json(right: Iterable[tuple[Fraction, Fraction]], weights: Iterable[Weights] | None) -> dict[str, Any]:
    """Return what is claimed of a count: for each form two numbers, and the weights."""
    return {"right": [[str(least), str(most)] for least, most in right],
            "weights": None if weights is None else [one.to_json() for one in weights]}


def decision_text(network: TrainedNetwork, claim: WordsClaim, cover: CoverJson, run: FloatModel | None = None) -> str:
    """Return the certificate of a claim that a cover of all words proves."""
    return certificate_text(WORDS, "cover", network, claim_to_json(claim), {
        "graphs": list(cover.graphs), "directions": list(cover.directions), "units": list(cover.units)},
        run_to_json(run, claim))


def each_word_text(network: TrainedNetwork, claim: WordsClaim, run: FloatModel) -> str:
    """Return the certificate of a claim under a float model that the checker proves word by word."""
    return certificate_text(WORDS, "each word", network, claim_to_json(claim), {}, run_to_json(run, claim))


def wrong_word_text(network: TrainedNetwork, claim: WordsClaim, found: RefutingWord, run: FloatModel
                    | None = None) -> str:
    """Return the certificate of a wrong word, in an execution under a float model if there is one."""
    return certificate_text(WORDS, "wrong word", network, claim_to_json(claim), {
        "word": list(found.word), "offset": found.offset, "place": found.place, "case": found.case, "row": found.row,
        **({} if found.execution is None else {"run": found.execution.to_json()})}, run_to_json(run, claim))


def run_to_json(run: FloatModel | None, claim: WordsClaim) -> dict[str, Any] | None:
    """Return the float model of a claim about words."""
    return None if run is None else {**run.to_json(), "max_n": claim.lengths[1]}


def _unit_to_json(unit: Unit, graphs: dict[Any, int], directions: dict[Any, int]) -> dict[str, Any]:
    """Return the unit; list its graph and directions, if they are new."""
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
    """Return TREE of docs/reference/trained.md."""
    if isinstance(tree, Leaf):
        return {"shares": [None if share is None else packed([share]) for share in tree.shares]}
    below, above = map(_tree_to_json, (tree.below, tree.above))
    return {"head": tree.head, "direction": tree.direction, "at": tree.at, "below": below, "above": above}


def _packed_directions(directions: Directions) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(packed([matrix]) for matrix in step) for step in directions.matrices)


def packed(arrays: Sequence[np.ndarray[Any, np.dtype[np.int32]]]) -> str:
    """Return the base64 of the numbers in row-major order as little-endian int32, array after array."""
    return base64.b64encode(b"".join(array.astype("<i4").tobytes() for array in arrays)).decode("ascii")
