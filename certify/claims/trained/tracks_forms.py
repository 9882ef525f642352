"""One form of a claim about tracks, over the real numbers: a wrong input, or a proof that the checker accepts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from certify.claims.trained.proving import WORK, why_refused
from constructions.errors import Unsupported
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Column, Layout, TracksClaim, all_inputs, count_inputs
from proofs.check import Refusal, Rejected, check_text
from proofs.trained.balls import BallNetwork, decide_row
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.certificate import WrongInput, tracks_text
from proofs.trained.tracks.deciding import FormProved, FormSearch
from proofs.trained.tracks.exact_numbers import find_obstacle
from proofs.trained.tracks.exact_search import ExactSearch, Suspect
from proofs.trained.tracks.levels import NoClasses
from proofs.trained.tracks.queries import StepArrays, all_classes, queries
from proofs.trained.tracks.wrong import InputMargin, Margins, confirmed, sample_margin, search

EACH = 1 << 17
"""Inputs of a form that are run one by one, per unit of effort."""
MANY = 1 << 16
FEW = 1 << 10
"""So many inputs of a part of a count are run one by one before abstract words are tried."""
FEW_LETTERS = 2
"""Inputs with at most this many letters are run one by one first, since abstract words are hardly fewer. So are those
of networks of several layers, whose abstract words are coarser, if there are not many."""
A_CLASS = 32
"""So are many inputs, if there are at most this many for each abstract word: its ranges take longer."""
RARELY = 8
"""If inputs may be run one by one, and more than one of this many abstract words is open, these are not split."""
ROOMS = (1, 16, 256, 1 << 12, 1 << 16)
"""Slack of the ranges in units in the last place; increased while the checker refuses them."""


@dataclass(frozen=True)
class FormRow:
    """The verdict on all inputs of one form, or under a float model on all executions; ``n`` is its number of columns.

    ``bound`` and ``seen`` are evidence; for float executions, of the network with rounded weights over the reals.
    """

    n: int
    verdict: str
    inputs: int
    seen: InputMargin
    bound: float | None = None
    wrong: WrongInput | None = None
    reason: str = ""


@dataclass(frozen=True)
class FormResult:
    """The row of a form; if it is certified, the unit of a certificate that the checker has accepted."""

    row: FormRow
    unit: dict[str, Any] | None = None
    classes: int = 0
    cells: int = 0


def few_letters(network: TrainedNetwork, claim: TracksClaim, form: Layout) -> bool:
    """Return whether a few inputs are run one by one first: abstract words are hardly fewer, or too coarse."""
    several = len(network.attention_steps) > 1
    return several or len(form.columns) * len(claim.tracks) <= FEW_LETTERS


class FormDecider:
    """A decider of forms of a claim."""

    def __init__(self, network: TrainedNetwork, claim: TracksClaim, effort: int) -> None:
        self.network, self.claim, self.effort = network, claim, effort
        self.floats, self.balls = FloatNetwork(network), BallNetwork(network)
        self.several = len(network.attention_steps) > 1

    def result(self, number: int) -> FormResult:
        """Decide a form.

        Raises:
            Unsupported: if the checker is inconclusive.
        """
        form, margins = self.claim.forms[number], Margins(self.floats, self.claim, number)
        inputs = count_inputs(self.claim, form)
        row = FormRow(len(form.columns), "unknown", inputs, sample_margin(margins))
        if (wrong := self._wrong(row)) is not None:
            return FormResult(wrong)
        is_few = inputs <= EACH * self.effort
        if is_few and self._has_few_for_each_class(form, inputs):
            found = self._each(row, margins)
            if found.row.verdict != "unknown":
                return found
        obstacle, exactly = find_obstacle(self.network), None
        try:
            if not (obstacle or is_few or FormSearch(self.floats, self.claim, number, self.effort).looks_easy()):
                exactly = self._exactly(row, margins)
                if exactly.row.verdict != "unknown":
                    return exactly
            few = ROOMS if obstacle or exactly or is_few else ROOMS[:1]
            proved, reason = self._prove(number, few)
        except NoClasses as why:  # wrong inputs can still be found
            return self._each(row, margins) if is_few else FormResult(self._searched(
                row, (), f"{why}; then inputs are run one by one, and {inputs:,} are too many"))
        if proved.unit is not None and not reason:
            row = replace(row, verdict="certified", bound=float(proved.least), seen=search(margins, 1))
            return FormResult(row, proved.unit, proved.classes, proved.cells)
        if is_few:
            found = self._each(row, margins)
            return self._exactly(row, margins) if found.row.verdict == "unknown" and obstacle is None else found
        if self._are_wrong(number, proved.inputs):
            return FormResult(self._searched(row, proved.inputs, reason))
        if obstacle is None and exactly is None:
            exactly = self._exactly(row, margins)
            if exactly.row.verdict != "unknown":
                return exactly
        more = exactly.row.reason if exactly else f"exact numbers were not tried: {obstacle}"
        return FormResult(self._searched(row, proved.inputs, f"{reason}; {more}"))

    def proof(self, number: int) -> FormResult:
        """Return a proof of a form by classes if there is one, without a search for wrong inputs; else the result.

        Few inputs are run one by one.
        """
        form = self.claim.forms[number]
        inputs = count_inputs(self.claim, form)
        if inputs <= FEW or (inputs <= EACH * self.effort and self._has_few_for_each_class(form, inputs)):
            margins = Margins(self.floats, self.claim, number)
            found = self._each(FormRow(len(form.columns), "unknown", inputs, sample_margin(margins)), margins)
            if found.row.verdict == "certified":
                return found
        try:
            proved, reason = self._prove(number, ROOMS)
        except NoClasses:
            return self.result(number)
        is_proved = proved.unit is not None and not reason
        if not is_proved and (inputs <= EACH * self.effort or find_obstacle(self.network) is None):
            return self.result(number)
        seen = sample_margin(Margins(self.floats, self.claim, number))
        if not is_proved:
            return FormResult(FormRow(len(form.columns), "unknown", inputs, seen, reason=reason))
        row = FormRow(len(form.columns), "certified", inputs, seen, float(proved.least))
        return FormResult(row, proved.unit, proved.classes, proved.cells)

    def _are_wrong(self, number: int, inputs: Sequence[tuple[Column, ...]]) -> bool:
        """Return whether the input with the least margin is wrong."""
        margins = Margins(self.floats, self.claim, number)
        seen = margins.seen(margins.inputs.indices([*inputs])) if inputs else None
        return seen is not None and bool(seen.margin <= 0) and confirmed(self.balls, self.claim, seen) is not None

    def _exactly(self, row: FormRow, margins: Margins) -> FormResult:
        """Decide a form in exact numbers: a proof, or a wrong input at an end of an abstract word."""
        found = ExactSearch(self.network, self.claim, margins.number, self.effort).run()
        if found.unit is None:
            wrong = next(filter(None, (self._suspected(row, one) for one in found.suspects)), None)
            return FormResult(wrong or replace(row, reason=found.missing))
        claim = replace(self.claim, forms=(margins.form,))
        if why := why_refused(tracks_text(self.network, claim, [found.unit])):
            return FormResult(replace(row, reason=f"the checker, of exact numbers: {why}"))
        least = search(margins, 1)
        seen = min((near for one in (Suspect(least.columns, least.place), *found.suspects)
                    for near in self._near(margins.number, one)), key=lambda one: one.margin)
        row = replace(row, verdict="certified", bound=float(found.least), seen=seen)
        return FormResult(row, found.unit, found.classes, found.cells)

    def _near(self, form: int, suspect: Suspect) -> Iterator[InputMargin]:
        """Yield the margins of an input at an answer, in ball arithmetic."""
        tokens = self.claim.tokens(self.claim.forms[form], suspect.columns)
        right, before = tokens[suspect.place], tokens[:suspect.place]
        for other in self.claim.among:
            row = sorted([(right, Fraction(1)), (other, Fraction(-1))])
            found = None if other == right else decide_row(
                self.balls, before, self.claim.offset, suspect.place - 1, row, self.claim.margin).ends
            if found is not None:
                yield InputMargin(np.float64(found[0] - self.claim.margin), form, suspect.columns, suspect.place, other)

    def _suspected(self, row: FormRow, suspect: Suspect) -> FormRow | None:
        """Return the row of a form, if this input is wrong at this answer."""
        form = row.seen.form
        right = self.claim.tokens(self.claim.forms[form], suspect.columns)[suspect.place]
        for other in self.claim.among:
            seen = InputMargin(np.float64(0), form, suspect.columns, suspect.place, other)
            found = None if other == right else confirmed(self.balls, self.claim, seen)
            if found is not None:
                seen = replace(seen, margin=np.float64(found.value[1] - self.claim.margin))
                return replace(row, verdict="refuted", wrong=found, seen=seen)
        return None

    def _has_few_for_each_class(self, form: Layout, inputs: int) -> bool:
        """Return whether running inputs one by one is faster than abstract words."""
        if inputs <= MANY:
            return few_letters(self.network, self.claim, form)
        return inputs <= A_CLASS * sum(map(len, all_classes(queries(StepArrays(self.claim, form)))))

    def _each(self, row: FormRow, margins: Margins) -> FormResult:
        """Decide a form by running its inputs one by one."""
        row = replace(row, seen=margins.seen(margins.inputs.indices([*all_inputs(self.claim, margins.form)])))
        if (wrong := self._wrong(row)) is not None:
            return FormResult(wrong)
        claim, unit = replace(self.claim, forms=(margins.form,)), {"inputs": row.inputs}
        if why := why_refused(tracks_text(self.network, claim, [unit])):
            return FormResult(replace(row, reason=f"the checker does not accept it, input by input: {why}"))
        return FormResult(replace(row, verdict="certified", bound=float(row.seen.margin)), unit)

    def _searched(self, row: FormRow, inputs: Sequence[tuple[Column, ...]], reason: str) -> FormRow:
        """Return the row of a form that is not proved, after a longer search, also among these inputs."""
        margins = Margins(self.floats, self.claim, row.seen.form)
        row = replace(row, seen=search(margins, 4 * self.effort, inputs))
        return self._wrong(row) or replace(row, reason=reason)

    def _prove(self, number: int, rooms: Sequence[int]) -> tuple[FormProved, str]:
        """Return a proof of a form and the reason if it is refused; refused ranges are widened."""
        proved, reason = self._prove_by(number, 1, rooms)
        windows = range(2, self.effort + 1) if self.several else range(0)
        for window in windows if proved.unit is None else ():
            try:
                wider, why = self._prove_by(number, window, rooms)
            except Unsupported:
                break
            if wider.unit is not None and not why:
                return wider, why
        return proved, reason

    def _prove_by(self, number: int, window: int, rooms: Sequence[int]) -> tuple[FormProved, str]:
        """Prove a form with a window of this many columns for a step."""
        claim, reason = replace(self.claim, forms=(self.claim.forms[number],)), ""
        inputs = count_inputs(self.claim, self.claim.forms[number])
        search = FormSearch(self.floats, self.claim, number, self.effort, window=window,
                            rarely=RARELY if inputs <= EACH * self.effort else 1)
        for room in rooms:
            search.widen(room)
            proved = search.run(lambda inputs: self._are_wrong(number, inputs))
            if proved.unit is None:
                return proved, reason or proved.why_open
            try:
                check_text(tracks_text(self.network, claim, [proved.unit]).encode(), work=WORK)
            except Rejected as refusal:
                reason = f"the checker does not accept it: {refusal}"
            except Refusal as refusal:
                raise Unsupported(f"the checker: {refusal}") from None
            else:
                return proved, ""
        return proved, reason

    def _wrong(self, row: FormRow) -> FormRow | None:
        """Return the row of a form whose least input is wrong."""
        wrong = None if row.seen.margin > 0 else confirmed(self.balls, self.claim, row.seen)
        return None if wrong is None else replace(row, verdict="refuted", wrong=wrong)
