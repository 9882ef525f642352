"""Whether a trained network is right on inputs in tracks in every float run of a class: docs/floats.md, section 7.

Forms are certified by the trusted folder alone, from the weights. A wrong run is looked for in numpy, where margins are
least, and replayed bit by bit in integers before it is reported.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from certify.frame.answer import AnswerByLength
from certify.frame.progress import ProgressLine
from certify.frame.so_far import SoFar, answer_in_time
from certify.trained.float_decision import check_class
from certify.trained.proving import WORK
from certify.trained.tracks_forms import FEW_LETTERS
from constructions.errors import Unsupported
from constructions.network.lengths import Lengths
from constructions.trained.network import AttentionStep, TrainedNetwork
from constructions.trained.tracks import TracksClaim, all_inputs, check_tracks_fit, count_inputs, sampled_inputs
from proofs.check import Refusal, check_text
from proofs.enclosures.float_runs.run_class import RunClass
from proofs.trained.float_runs.casting import cast_network
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.certificate import tracks_text, wrong_input_text
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
class TrackRunsDecision(AnswerByLength[RunsRow]):
    """The answer about a network, a claim and a class; certificates were accepted by the trusted folder."""

    network: TrainedNetwork
    claim: TracksClaim
    run: RunClass
    rows: tuple[RunsRow, ...]
    certificate: str | None
    wrong_certificate: str | None
    seconds: float

    @property
    def wrong_row(self) -> RunsRow | None:
        """The first form with a wrong run."""
        return self.first("refuted")


def decide_track_runs_in_time(network: TrainedNetwork, claim: TracksClaim, run: RunClass, effort: int
                              ) -> TrackRunsDecision | SoFar[TrackRunsDecision]:
    """`decide_track_runs`, or what is known of fewer columns when time is up."""
    columns = [len(form.columns) for form in claim.forms]
    return answer_in_time(Lengths(columns[0], columns[-1]), lambda some: decide_track_runs(
        network, replace(claim, forms=tuple(form for form in claim.forms if len(form.columns) <= some.last)), run,
        effort))


def decide_track_runs(network: TrainedNetwork, claim: TracksClaim, run: RunClass, effort: int = 1
                      ) -> TrackRunsDecision:
    """Whether the claim is true of every run of the class.

    Raises:
        InputError: if the claim does not fit the network, or a weight is too large for its format.
        Unsupported: if there is no rule for the class, or for what the network does.
    """
    start = time.perf_counter()
    check_tracks_fit(network, claim)
    check_class(run)
    decider = FormInRuns(network, claim, run, effort)
    found: list[tuple[RunsRow, dict[str, Any] | None]] = []
    with ProgressLine() as progress:
        for number, form in enumerate(claim.forms):
            progress(f"looking at runs, {len(form.columns)} columns")
            found.append(decider.result(number))
    units = [unit for _, unit in takewhile(lambda one: one[1] is not None, found) if unit is not None]
    text = tracks_text(network, replace(claim, forms=claim.forms[:len(units)]), units, run) if units else None
    if text is not None and len(units) > 1:
        try:
            check_text(text.encode(), work=WORK)
        except Refusal as refusal:
            raise Unsupported(f"the checker, of all forms together: {refusal}; fewer columns may be asked about"
                              ) from None
    wrong = next((row.wrong for row, _ in found if row.wrong), None)
    return TrackRunsDecision(network, claim, run, tuple(row for row, _ in found), text,
                             accepted_wrong_input_run(network, claim, run, wrong) if wrong else None,
                             time.perf_counter() - start)


def accepted_wrong_input_run(network: TrainedNetwork, claim: TracksClaim, run: RunClass, wrong: WrongInputRun
                             ) -> str | None:
    """The certificate of a wrong run; None if the trusted folder does not accept it, whose functions are within 1 ulp.
    """
    text = wrong_input_text(network, claim, wrong.found, run, wrong.execution)
    try:
        check_text(text.encode(), work=WORK)
    except Refusal:
        return None
    return text


class FormInRuns:
    """Decides forms of a claim in the runs of a class."""

    def __init__(self, network: TrainedNetwork, claim: TracksClaim, run: RunClass, effort: int) -> None:
        self.network, self.claim, self.run, self.effort = network, claim, run, effort
        self.cast = cast_network(network, run)
        self.floats = FloatNetwork(self.cast)
        self.wrong = WrongInputRuns(self.cast, claim, run, effort)

    def result(self, number: int) -> tuple[RunsRow, dict[str, Any] | None]:
        """What is known of a form; and its unit of a certificate, if it is certified."""
        form, margins = self.claim.forms[number], Margins(self.floats, self.claim, number)
        inputs = count_inputs(self.claim, form)
        few = inputs <= EACH * self.effort
        drawn = margins.inputs.indices([*all_inputs(self.claim, form)] if few else
                                       sampled_inputs(self.claim, form, SAMPLES))
        row = RunsRow(len(form.columns), "unknown", inputs, margins.seen(drawn), None, "")
        if wrong := self.wrong.find(margins, drawn):
            return replace(row, verdict="refuted", wrong=wrong), None
        unit, reason = self._unit(number, inputs, few)
        if unit is not None:
            return replace(row, verdict="certified"), unit
        seen = row.seen if few else search(margins, self.effort)
        near = margins.inputs.indices([seen.columns])
        if wrong := self.wrong.find(margins, near if few else margins.inputs.near(near[0])):
            return replace(row, verdict="refuted", wrong=wrong, seen=seen), None
        return replace(row, reason=reason, seen=seen), None

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
                return None, f"{proved.open} of {proved.classes} classes are not proved{reason and f' ({reason})'}"
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
