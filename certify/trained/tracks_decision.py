"""The main path of a decision about inputs in tracks: form by form a wrong input, or a proof the checker accepts."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.frame.answer import AnswerByLength
from certify.trained.proving import WORK
from constructions.errors import Unsupported
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Column, TracksClaim, check_tracks_fit, count_inputs
from proofs.check import Refusal, Rejected, check_text
from proofs.trained.balls import BallNetwork
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.certificate import WrongInput, tracks_text, wrong_input_text
from proofs.trained.tracks.deciding import FormProved, FormSearch
from proofs.trained.tracks.heads import NotOneLayer
from proofs.trained.tracks.wrong import Margins, SeenInput, confirmed, glance, search

ROOMS = (1, 16, 256)
"""Units of the last place by which ranges are wider than floats say; more where the checker does not accept fewer."""


@dataclass(frozen=True)
class FormRow:
    """What is known of all inputs of one form; ``n`` is its number of columns. ``bound`` and ``seen`` are evidence."""

    n: int
    verdict: str
    inputs: int
    seen: SeenInput | None
    bound: float | None
    wrong: WrongInput | None
    value: tuple[Fraction, Fraction] | None
    reason: str


@dataclass(frozen=True)
class TracksDecision(AnswerByLength[FormRow]):
    """The answer about a network and a claim; certificates were accepted by the checker."""

    network: TrainedNetwork
    claim: TracksClaim
    rows: tuple[FormRow, ...]
    certificate: str | None
    wrong_certificate: str | None
    classes: int
    cells: int
    seconds: float

    @property
    def wrong_row(self) -> FormRow | None:
        """The first form with a wrong input."""
        return self.first("refuted")


def decide_tracks(network: TrainedNetwork, claim: TracksClaim, effort: int = 1) -> TracksDecision:
    """Whether the claim is true of the network; what is certified was accepted by the checker, wrong inputs proved.

    Raises:
        InputError: if the claim does not fit the network.
        Unsupported: if the checker says neither yes nor no.
    """
    start = time.perf_counter()
    check_tracks_fit(network, claim)
    found = _Forms(network, claim, effort)
    rows = tuple(found.row(number) for number in range(len(claim.forms)))
    proved = list(itertools.takewhile(lambda one: one is not None, map(found.proved.get, range(len(rows)))))
    units = [one.unit for one in proved if one is not None and one.unit is not None]
    certificate = tracks_text(network, replace(claim, forms=claim.forms[:len(units)]), units) if units else None
    if certificate is not None and len(units) > 1:
        _check_together(certificate)
    wrong = next((row.wrong for row in rows if row.wrong), None)
    return TracksDecision(network, claim, rows, certificate,
                          None if wrong is None else _accepted_wrong_input(network, claim, wrong),
                          sum(one.classes for one in found.proved.values()),
                          sum(one.cells for one in found.proved.values()), time.perf_counter() - start)


def _check_together(certificate: str) -> None:
    """See that the checker accepts all forms in one file; it accepted each alone.

    Raises:
        Unsupported: if together they take more than it allows.
    """
    try:
        check_text(certificate.encode(), work=WORK)
    except Refusal as refusal:
        raise Unsupported(f"the checker, of all forms together: {refusal}; fewer columns may be asked about") from None


class _Forms:
    """The forms of a claim, decided one by one; ``proved`` are those whose certificate the checker has accepted."""

    def __init__(self, network: TrainedNetwork, claim: TracksClaim, effort: int) -> None:
        self.network, self.claim, self.effort = network, claim, effort
        self.floats, self.balls = FloatNetwork(network), BallNetwork(network)
        self.proved: dict[int, FormProved] = {}

    def row(self, number: int) -> FormRow:
        """What is known of a form."""
        form, margins = self.claim.forms[number], Margins(self.floats, self.claim, number)
        inputs = count_inputs(self.claim, form)
        row = FormRow(len(form.columns), "unknown", inputs, glance(margins), None, None, None, "")
        if (wrong := self._wrong(row)) is not None:
            return wrong
        try:
            proved, reason = self._prove(number)
        except NotOneLayer as why:  # wrong inputs are found all the same
            return self._searched(row, (), str(why))
        if proved.unit is not None and not reason:
            self.proved[number] = proved
            return replace(row, verdict="certified", bound=float(proved.least), seen=search(margins, 1))
        return self._searched(row, proved.inputs, reason)

    def _searched(self, row: FormRow, inputs: Sequence[tuple[Column, ...]], reason: str) -> FormRow:
        """The row of a form that is not proved, after a longer search, also among these inputs."""
        assert row.seen is not None, "a few inputs were looked at"
        margins = Margins(self.floats, self.claim, row.seen.form)
        row = replace(row, seen=search(margins, 4 * self.effort, inputs))
        return self._wrong(row) or replace(row, reason=reason)

    def _prove(self, number: int) -> tuple[FormProved, str]:
        """A proof of a form, and why it is none: ranges that the checker does not accept get more room."""
        claim, reason = replace(self.claim, forms=(self.claim.forms[number],)), ""
        search = FormSearch(self.floats, self.claim, number, self.effort)
        for room in ROOMS:
            search.widen(room)
            proved = search.run()
            if proved.unit is None:
                return proved, reason or f"{proved.open} of {proved.classes} classes are not proved"
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
        """The row of a form whose least input is wrong."""
        if row.seen is None or row.seen.margin > 0:
            return None
        found = confirmed(self.balls, self.claim, row.seen)
        return found and replace(row, verdict="refuted", wrong=found[0], value=found[1])


def _accepted_wrong_input(network: TrainedNetwork, claim: TracksClaim, wrong: WrongInput) -> str | None:
    """The certificate of a wrong input; None if it takes more than the checker's precision."""
    text = wrong_input_text(network, claim, wrong)
    try:
        check_text(text.encode(), work=WORK)
    except Refusal:
        return None
    return text
