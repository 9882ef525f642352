"""Wrong executions on inputs in tracks: emulated where margins are least, replayed bit by bit in integers."""

import numpy as np
from numpy.typing import NDArray

from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Column, TracksClaim
from proofs.enclosures.float_models.model import FloatModel
from proofs.enclosures.float_models.numbers import NotFinite
from proofs.trained.float_executions.adversary import Adversary, encoded, replay_of
from proofs.trained.float_executions.emulation import Emulation
from proofs.trained.float_executions.execution import Execution, executions
from proofs.trained.tracks.certificate import WrongInput
from proofs.trained.tracks.wrong import Margins

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
RUN_INPUTS = 48
"""Inputs with the least margins that are run in each execution, times the effort."""
REPLAYED = 4
AIMED_INPUTS, AIMED_ROUNDOFFS = 1, 2**7
"""The number of inputs, those with the least margins, that an adversary aims at, and the greatest margin of these."""


class WrongInputRuns:
    """Search for wrong executions of a network with weights rounded to the float model."""

    def __init__(self, cast: TrainedNetwork, claim: TracksClaim, run: FloatModel, effort: int) -> None:
        self.cast, self.claim, self.run, self.effort = cast, claim, run, effort

    def find(self, margins: Margins, columns: Indices) -> WrongInput | None:
        """Return a wrong execution on one of the inputs with the least margins over the reals, if one is found."""
        least = margins.of(columns)[0].min(axis=1)
        columns = columns[np.argsort(least, kind="stable")[:RUN_INPUTS * self.effort]]
        for execution in executions(self.run):
            values, others = self.margins(margins, columns, Emulation(self.cast, self.run, execution))
            values = np.nan_to_num(values, nan=-np.inf)
            wrong = np.argwhere(values <= 0)
            for number, answer in wrong[np.argsort(values[values <= 0], kind="stable")][:REPLAYED].tolist():
                if found := self.replayed(margins.number, margins.inputs.columns(columns[number]),
                                          margins.form.asked[answer], int(others[number, answer]), execution):
                    return found
        return self._aimed(margins, columns[:AIMED_INPUTS * self.effort])

    def _aimed(self, margins: Margins, columns: Indices) -> WrongInput | None:
        """Find a wrong execution by an adversary that aims at the least margin of each input."""
        adversary, near = Adversary(self.cast, self.run), AIMED_ROUNDOFFS * max(
            np.float64(form.roundoff) for form in (self.run.storage, self.run.inputs))
        for one in columns:
            least = margins.seen(one[np.newaxis])
            if least.margin > near:
                continue
            tokens, form = self.claim.tokens(margins.form, least.columns), np.zeros(self.cast.outputs)
            form[tokens[least.place]], form[least.other] = 1, -1
            value, choices = adversary.worst(tokens[:least.place], self.claim.offset, least.place - 1, form)
            if value <= self.claim.margin and (found := self.replayed(
                    margins.number, least.columns, least.place, least.other, encoded(self.run, choices))):
                return found
        return None

    def margins(self, margins: Margins, columns: Indices, emulation: Emulation) -> tuple[Array, Indices]:
        """Return margins [inputs, answers] of answers of inputs in an execution, and the nearest other tokens."""
        tokens, asked = margins.inputs.tokens(columns), [*margins.form.asked]
        places = np.array(asked) - 1
        if self.cast.attention == "causal":
            logits = emulation.logits(tokens[:, :places[-1] + 1], self.claim.offset, places)
        else:
            logits = np.concatenate([emulation.logits(tokens[:, :place + 1], self.claim.offset, np.array([place]))
                                     for place in places.tolist()], axis=1)
        right = tokens[:, asked, np.newaxis]
        with np.errstate(invalid="ignore"):
            rest = np.where(margins.among == right, np.inf,
                            np.take_along_axis(logits, right, 2) - logits[..., margins.among])
        return rest.min(axis=2) - np.float64(self.claim.margin), margins.among[rest.argmin(axis=2)]

    def replayed(self, number: int, columns: tuple[Column, ...], place: int, other: int, execution: Execution
                 ) -> WrongInput | None:
        """Return the wrong execution on an input of a form, if a replay in integers gives at most the margin."""
        tokens = self.claim.tokens(self.claim.forms[number], columns)
        try:
            logits = replay_of(self.cast, self.run, execution).logits(tokens[:place], self.claim.offset, place - 1)
        except (NotFinite, OverflowError):
            return None
        value = logits[tokens[place]] - logits[other]
        return WrongInput(number, columns, place, other, (value, value), execution
                          ) if value <= self.claim.margin else None
