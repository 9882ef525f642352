"""Certificates about inputs in tracks, and of wrong inputs: docs/reference/tracks.md, sections 4 and 6."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Column, TracksClaim
from constructions.trained.tracks_form import tracks_claim_to_json
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.certificate import TRACKS, certificate_text, packed
from proofs.trained.float_executions.execution import Execution
from proofs.trained.tracks.cells import ClassBoxes, ClassGroup
from proofs.trained.tracks.ranges import FormRanges, Ranged, StepRanges


@dataclass(frozen=True)
class WrongInput:
    """An input of a form (its index) by which the claim is false.

    After it, and the right answers before ``place`` (of the layout), the right logit minus that of ``other`` is at
    most the margin; it lies in ``value``. Under a float model an ``execution`` is replayed, and the value exact.
    """

    form: int
    columns: tuple[Column, ...]
    place: int
    other: int
    value: tuple[Fraction, Fraction]
    execution: Execution | None = None


def unit_to_json(form: FormRanges, splits: Sequence[tuple[int, ...]], ranged: Sequence[Sequence[Ranged]],
                 groups: Sequence[ClassGroup], window: int = 1) -> dict[str, Any]:
    """Return the evidence of one form, for a transducer whose states have ``window`` - 1 columns (windows.py)."""
    numbers = [np.stack([one.least, one.greatest], axis=-1).ravel() for row in ranged for one in row]
    last = _averages(form.last, np.concatenate(numbers))
    unit = {
        "directions": last["directions"], "bits": last["bits"],
        "splits": [list(split) for split in splits],
        "ranges": last["ranges"],
        "cells": [_tree(group.root) for group in groups]}
    windowed = {} if window == 1 else {"window": window}
    if form.nodes is None:
        return unit | windowed
    return unit | {
        "labels": [None if labels is None else b64encode(labels.astype("<u2").tobytes()).decode("ascii")
                   for labels in form.nodes.labels],
        "before": [_averages(step, np.stack(bounds, axis=-1).ravel()) for step, bounds in form.before]} | windowed


def _averages(step: StepRanges, ranges: NDArray[np.int64]) -> dict[str, Any]:
    """Return directions and ranges of an attention step."""
    return {"directions": [packed([matrix]) for matrix in step.directions], "bits": step.bits,
            "ranges": packed([ranges.astype(np.int32)])}


def _tree(cell: ClassBoxes | None) -> Any:
    if cell is None or cell.cut is None:
        return None
    return [*cell.cut, _tree(cell.below), _tree(cell.above)]


def tracks_text(network: TrainedNetwork, claim: TracksClaim, units: Sequence[dict[str, Any]],
                run: FloatModel | None = None) -> str:
    """Return the certificate of a claim about inputs in tracks, of exact outputs or under a float model."""
    return _text("forms", network, claim, {"units": list(units)}, run)


def wrong_input_text(network: TrainedNetwork, claim: TracksClaim, found: WrongInput, run: FloatModel | None = None
                     ) -> str:
    """Return the certificate of a wrong input, in an execution under a float model if there is one."""
    return _text("wrong input", network, claim, {
        "form": found.form, "input": [list(column) for column in found.columns], "place": found.place,
        "other": found.other, **({} if found.execution is None else {"run": found.execution.to_json()})}, run)


def _text(by: str, network: TrainedNetwork, claim: TracksClaim, evidence: dict[str, Any], run: FloatModel
          | None) -> str:
    most = max(len(form.columns) for form in claim.forms)
    return certificate_text(TRACKS, by, network, tracks_claim_to_json(claim), evidence,
                            None if run is None else {**run.to_json(), "max_n": most})
