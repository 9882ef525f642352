"""What is known of one form of a claim about tracks in every float run of a class: a wrong run, or a proof the trusted
folder accepts; also as a task."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from certify.frame.shards import content
from certify.trained.proving import WORK
from certify.trained.tracks_forms import FEW_LETTERS
from constructions.errors import Unsupported
from constructions.trained.json_form import network_from_json
from constructions.trained.network import AttentionStep, TrainedNetwork
from constructions.trained.tracks import Column, TracksClaim, all_inputs, count_inputs, sampled_inputs
from constructions.trained.tracks_form import tracks_claim_from_json
from proofs.check import Refusal, check_text
from proofs.enclosures.float_runs.run_class import RunClass, read_run_class
from proofs.trained.float_runs.casting import cast_network
from proofs.trained.float_runs.execution import Execution
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.certificate import WrongInput, tracks_text
from proofs.trained.tracks.deciding import FormSearch
from proofs.trained.tracks.ranges import BITS
from proofs.trained.tracks.wrong import SAMPLES, Margins, SeenInput, search
from proofs.trained.tracks.wrong_runs import WrongInputRun, WrongInputRuns

EACH = 2**10
"""Inputs of a form that are run one by one, times the effort."""
FIRST_SLACK, WIDER, WIDEST = 2**4, 4, 2**29
"""By how much ranges are wider than over the reals: in units in the last place of what is stored, of their greatest
number; how much more when that is not enough; units of the last place of what is stated at most."""


@dataclass(frozen=True)
class RunsRow:
    """What is known of all inputs of one form in every run; ``n`` is its number of columns. ``seen`` is evidence, of
    the network with rounded weights over the reals."""

    n: int
    verdict: str
    inputs: int
    seen: SeenInput
    wrong: WrongInputRun | None
    reason: str


@dataclass(frozen=True)
class RunsResult:
    """The row of a form; where it is certified, the unit of a certificate that the trusted folder has accepted."""

    row: RunsRow
    unit: dict[str, Any] | None = None


def task_of_runs(network: str, claim: str, number: int, run: RunClass, effort: int) -> str:
    """The task to decide a form in the runs of a class, for network and claim by their digests."""
    return json.dumps({"network": network, "claim": claim, "float": run.to_json(), "form": number, "effort": effort})


def do_runs_of_form(task: str) -> str:
    """The result of a form, as JSON."""
    keys = json.loads(task)
    found = _decider(content(keys["network"]), content(keys["claim"]), json.dumps(keys["float"]),
                     keys["effort"]).result(keys["form"])
    row, wrong = found.row, found.row.wrong
    return json.dumps({"unit": found.unit, "row": {**vars(row), "seen": vars(row.seen), "wrong": wrong and {
        "found": vars(wrong.found), "execution": wrong.execution.to_json(), "value": str(wrong.value)}}})


@lru_cache(maxsize=1)
def _decider(network: str, claim: str, run: str, effort: int) -> FormInRuns:
    fields = json.loads(run)
    return FormInRuns(network_from_json(json.loads(network), "network"),
                      tracks_claim_from_json(json.loads(claim), "claim"),
                      read_run_class(fields.pop("name"), fields), effort)


def runs_result(text: str) -> RunsResult:
    """What `do_runs_of_form` found."""
    found = json.loads(text)
    row = found["row"]
    row["seen"] = SeenInput(**{**row["seen"], "margin": np.float64(row["seen"]["margin"]),
                               "columns": _columns(row["seen"]["columns"])})
    if (wrong := row["wrong"]) is not None:
        row["wrong"] = WrongInputRun(
            WrongInput(**{**wrong["found"], "columns": _columns(wrong["found"]["columns"])}),
            Execution.from_json(wrong["execution"]), Fraction(wrong["value"]))
    return RunsResult(RunsRow(**row), found["unit"])


def _columns(columns: Sequence[Sequence[int]]) -> tuple[Column, ...]:
    return tuple(map(tuple, columns))


class FormInRuns:
    """Decides forms of a claim in the runs of a class."""

    def __init__(self, network: TrainedNetwork, claim: TracksClaim, run: RunClass, effort: int) -> None:
        self.network, self.claim, self.run, self.effort = network, claim, run, effort
        self.cast = cast_network(network, run)
        self.floats = FloatNetwork(self.cast)
        self.wrong = WrongInputRuns(self.cast, claim, run, effort)

    def result(self, number: int) -> RunsResult:
        """What is known of a form; and its unit of a certificate, if it is certified."""
        form, margins = self.claim.forms[number], Margins(self.floats, self.claim, number)
        inputs = count_inputs(self.claim, form)
        few = inputs <= EACH * self.effort
        drawn = margins.inputs.indices([*all_inputs(self.claim, form)] if few else
                                       sampled_inputs(self.claim, form, SAMPLES))
        row = RunsRow(len(form.columns), "unknown", inputs, margins.seen(drawn), None, "")
        if wrong := self.wrong.find(margins, drawn):
            return RunsResult(replace(row, verdict="refuted", wrong=wrong))
        unit, reason = self._unit(number, inputs, few)
        if unit is not None:
            return RunsResult(replace(row, verdict="certified"), unit)
        seen = row.seen if few else search(margins, self.effort)
        near = margins.inputs.indices([seen.columns])
        if wrong := self.wrong.find(margins, near if few else margins.inputs.near(near[0])):
            return RunsResult(replace(row, verdict="refuted", wrong=wrong, seen=seen))
        return RunsResult(replace(row, reason=reason, seen=seen))

    def _unit(self, number: int, inputs: int, few: bool) -> tuple[dict[str, Any] | None, str]:
        """The unit of a form that the trusted folder proves, or the reason why there is none."""
        form, reason = self.claim.forms[number], ""
        several = sum(isinstance(step, AttentionStep) for step in self.cast.steps) > 1
        each_first = few and (several or len(form.columns) * len(self.claim.tracks) <= FEW_LETTERS)
        for each in (True, False) if each_first else (False, True) if few else (False,):
            unit, why = self._accepted(number, {"inputs": inputs}) if each else self.by_classes(number)
            if unit is not None:
                return unit, ""
            reason = why if each or not reason else reason
        return None, reason

    def by_classes(self, number: int) -> tuple[dict[str, Any] | None, str]:
        """The unit of a form by classes, whose ranges get more room until all are proved; or why there is none."""
        try:
            search = FormSearch(self.floats, self.claim, number, self.effort)
        except Unsupported as why:
            return None, str(why)
        room, reason = max(1, int(FIRST_SLACK * self.run.storage.roundoff * 2**BITS)), ""
        while room <= WIDEST:
            search.widen(room)
            proved = search.run()
            if proved.unit is None:
                return None, proved.why_open + (reason and f" ({reason})")
            unit, reason = self._accepted(number, proved.unit)
            if unit is not None or "a range of head" not in reason:
                return unit, reason
            room *= WIDER
        return None, reason

    def _accepted(self, number: int, unit: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
        claim = replace(self.claim, forms=(self.claim.forms[number],))
        try:
            check_text(tracks_text(self.network, claim, [unit], self.run).encode(), work=WORK)
        except Refusal as refusal:
            return None, str(refusal)
        return unit, ""
