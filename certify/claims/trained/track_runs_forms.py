"""One form of a claim about tracks under a float model: a wrong execution, or a proof that the checker accepts.

The proof is from the weights. A wrong execution is searched in numpy, where margins are least, and replayed bit by bit
in integers: docs/background/floats_rules.md, section 7.
"""

from dataclasses import replace
from typing import Any

from certify.claims.trained.proving import why_refused
from certify.claims.trained.tracks_forms import FormResult, FormRow, few_letters
from constructions.errors import Unsupported
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim, all_inputs, count_inputs, sampled_inputs
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.certificate import tracks_text
from proofs.trained.tracks.deciding import FormSearch
from proofs.trained.tracks.ranges import BITS
from proofs.trained.tracks.wrong import SAMPLES, Margins, search
from proofs.trained.tracks.wrong_runs import WrongInputRuns

EACH = 2**10
"""Inputs of a form that are run one by one, per unit of effort."""
FIRST_SLACK, WIDER, WIDEST = 2**4, 4, 2**29
"""Slack of the ranges over those of the reals: in units in the last place of the storage, of their greatest
number; its growth factor; its greatest value, in units in the last place of the stated ranges."""


class FormInRuns:
    """A decider of forms of a claim under a float model."""

    def __init__(self, network: TrainedNetwork, claim: TracksClaim, run: FloatModel, effort: int) -> None:
        self.network, self.claim, self.run, self.effort = network, claim, run, effort
        self.cast = cast_network(network, run)
        self.floats = FloatNetwork(self.cast)
        self.wrong = WrongInputRuns(self.cast, claim, run, effort)

    def result(self, number: int) -> FormResult:
        """Decide a form; return its unit of a certificate, if it is certified."""
        form, margins = self.claim.forms[number], Margins(self.floats, self.claim, number)
        inputs = count_inputs(self.claim, form)
        few = inputs <= EACH * self.effort
        drawn = margins.inputs.indices([*all_inputs(self.claim, form)] if few else
                                       sampled_inputs(self.claim, form, SAMPLES))
        row = FormRow(len(form.columns), "unknown", inputs, margins.seen(drawn))
        if wrong := self.wrong.find(margins, drawn):
            return FormResult(replace(row, verdict="refuted", wrong=wrong))
        unit, reason = self._unit(number, inputs, few)
        if unit is not None:
            return FormResult(replace(row, verdict="certified"), unit)
        seen = row.seen if few else search(margins, self.effort)
        near = margins.inputs.indices([seen.columns])
        if wrong := self.wrong.find(margins, near if few else margins.inputs.near(near[0])):
            return FormResult(replace(row, verdict="refuted", wrong=wrong, seen=seen))
        return FormResult(replace(row, reason=reason, seen=seen))

    def _unit(self, number: int, inputs: int, few: bool) -> tuple[dict[str, Any] | None, str]:
        """Return the unit of a form that the trusted folder proves, or the reason why there is none."""
        form, reason = self.claim.forms[number], ""
        each_first = few and few_letters(self.cast, self.claim, form)
        for each in (True, False) if each_first else (False, True) if few else (False,):
            unit, why = self._accepted(number, {"inputs": inputs}) if each else self.by_classes(number)
            if unit is not None:
                return unit, ""
            reason = why if each or not reason else reason
        return None, reason

    def by_classes(self, number: int) -> tuple[dict[str, Any] | None, str]:
        """Return the unit of a form by abstract words, its ranges widened until all are proved; or why it fails."""
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
        why = why_refused(tracks_text(self.network, claim, [unit], self.run))
        return None if why else unit, why
