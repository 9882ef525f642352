"""The text of a certificate about inputs in tracks, and of a wrong input: docs/tracks.md, sections 4 and 6."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.network.json_form import write_canonical
from constructions.trained.json_form import network_to_json
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Column, TracksClaim
from constructions.trained.tracks_form import tracks_claim_to_json
from proofs.enclosures.float_runs.run_class import RunClass
from proofs.trained.certificate import VERSION, packed
from proofs.trained.float_runs.execution import Execution
from proofs.trained.tracks.cells import Cell, Group
from proofs.trained.tracks.ranges import FormRanges, Ranged, StepRanges


@dataclass(frozen=True)
class WrongInput:
    """An input of a form (its index); after it and the right answers before ``place`` (of the layout) the logit of
    ``other`` is not below the right one's by more than the margin."""

    form: int
    columns: tuple[Column, ...]
    place: int
    other: int


def unit_to_json(form: FormRanges, splits: Sequence[tuple[int, ...]], ranged: Sequence[Sequence[Ranged]],
                 groups: Sequence[Group], window: int = 1) -> dict[str, Any]:
    """How one form is proved; of a machine that knows so many columns (windows.py)."""
    numbers = [np.stack([one.least, one.greatest], axis=-1).ravel() for row in ranged for one in row]
    last = _averages(form.last, np.concatenate(numbers))
    unit = {
        "directions": last["directions"], "bits": last["bits"],
        "splits": [list(split) for split in splits],
        "ranges": last["ranges"],
        "cells": [_tree(group.root) for group in groups]}
    told = {} if window == 1 else {"window": window}
    if form.nodes is None:
        return unit | told
    return unit | {
        "labels": [None if labels is None else b64encode(labels.astype("<u2").tobytes()).decode("ascii")
                   for labels in form.nodes.labels],
        "before": [_averages(step, np.stack(bounds, axis=-1).ravel()) for step, bounds in form.before]} | told


def _averages(step: StepRanges, ranges: NDArray[np.int64]) -> dict[str, Any]:
    """What is stated of an attention step."""
    return {"directions": [packed([matrix]) for matrix in step.directions], "bits": step.bits,
            "ranges": packed([ranges.astype(np.int32)])}


def _tree(cell: Cell | None) -> Any:
    if cell is None or cell.cut is None:
        return None
    return [*cell.cut, _tree(cell.below), _tree(cell.above)]


def tracks_text(network: TrainedNetwork, claim: TracksClaim, units: Sequence[dict[str, Any]],
                run: RunClass | None = None) -> str:
    """A certificate of the format certify-tracks; of the runs of a class certify-track-runs."""
    name = "certify-tracks" if run is None else "certify-track-runs"
    return write_canonical({**_head(name, network, claim, run), "units": list(units)})


def wrong_input_text(network: TrainedNetwork, claim: TracksClaim, found: WrongInput, run: RunClass | None = None,
                     execution: Execution | None = None) -> str:
    """A certificate of the format certify-wrong-input; of an execution of a class certify-wrong-input-run."""
    name = "certify-wrong-input" if run is None else "certify-wrong-input-run"
    return write_canonical({
        **_head(name, network, claim, run), "form": found.form, "input": [list(column) for column in found.columns],
        "place": found.place, "other": found.other, **({} if execution is None else execution.to_json())})


def _head(name: str, network: TrainedNetwork, claim: TracksClaim, run: RunClass | None) -> dict[str, Any]:
    most = max(len(form.columns) for form in claim.forms)
    return {"format": name, "version": VERSION, "network": network_to_json(network),
            "claim": tracks_claim_to_json(claim),
            **({} if run is None else {"floats": [{**run.to_json(), "max_n": most}]})}
