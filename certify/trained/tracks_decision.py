"""The main path of a decision about inputs in tracks: form by form a wrong input, or a proof the checker accepts."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.frame.answer import AnswerByLength
from certify.trained.proving import WORK
from constructions.errors import Unsupported
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim, check_tracks_fit, count_inputs
from proofs.check import Refusal, Rejected, check_text
from proofs.trained.balls import BallNetwork
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.certificate import WrongInput, tracks_text, wrong_input_text
from proofs.trained.tracks.deciding import FormProved, FormSearch
from proofs.trained.tracks.wrong import Margins, SeenInput, confirmed, glance, search


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
        Unsupported: if it is not about a network with one layer of causal attention.
    """
    start = time.perf_counter()
    check_tracks_fit(network, claim)
    floats, balls = FloatNetwork(network), BallNetwork(network)
    found = [_decide_form(floats, balls, claim, number, effort) for number in range(len(claim.forms))]
    rows = [row for row, _ in found]
    certificate, reason = _certificate(network, claim, found)
    if reason:
        rows = [replace(row, verdict="unknown", reason=f"the checker does not accept it: {reason}")
                if row.verdict == "certified" else row for row in rows]
    wrong = next((row.wrong for row in rows if row.wrong), None)
    proved = [one for _, one in found if one is not None and one.unit is not None]
    return TracksDecision(network, claim, tuple(rows), certificate,
                          None if wrong is None else _accepted_wrong_input(network, claim, wrong),
                          sum(one.classes for one in proved), sum(one.cells for one in proved),
                          time.perf_counter() - start)


def _decide_form(floats: FloatNetwork, balls: BallNetwork, claim: TracksClaim, number: int,
                 effort: int) -> tuple[FormRow, FormProved | None]:  # fmt: skip
    form, margins = claim.forms[number], Margins(floats, claim, number)
    row = FormRow(len(form.columns), "unknown", count_inputs(claim, form), glance(margins), None, None, None, "")
    if (wrong := _wrong(balls, claim, row)) is not None:
        return wrong, None
    proved = FormSearch(floats, claim, number, effort).run()
    if proved.unit is not None:
        return replace(row, verdict="certified", bound=float(proved.least), seen=search(margins, 1)), proved
    row = replace(row, seen=search(margins, 4 * effort, proved.inputs))
    wrong = _wrong(balls, claim, row)
    return wrong or replace(row, reason=f"{proved.open} of {proved.classes} classes are not proved"), proved


def _wrong(balls: BallNetwork, claim: TracksClaim, row: FormRow) -> FormRow | None:
    """The row of a form whose least input is wrong."""
    if row.seen is None or row.seen.margin > 0:
        return None
    found = confirmed(balls, claim, row.seen)
    return found and replace(row, verdict="refuted", wrong=found[0], value=found[1])


def _certificate(network: TrainedNetwork, claim: TracksClaim,
                 found: list[tuple[FormRow, FormProved | None]]) -> tuple[str | None, str]:  # fmt: skip
    """The certificate of the forms from the first on that are proved, if the checker accepts it; else its reason."""
    units = []
    for _, one in found:
        if one is None or one.unit is None:
            break
        units.append(one.unit)
    if not units:
        return None, ""
    text = tracks_text(network, replace(claim, forms=claim.forms[:len(units)]), units)
    try:
        check_text(text.encode(), work=WORK)
    except Rejected as refusal:
        return None, str(refusal)
    except Refusal as refusal:
        raise Unsupported(f"the checker: {refusal}") from None
    return text, ""


def _accepted_wrong_input(network: TrainedNetwork, claim: TracksClaim, wrong: WrongInput) -> str | None:
    """The certificate of a wrong input; None if it takes more than the checker's precision."""
    text = wrong_input_text(network, claim, wrong)
    try:
        check_text(text.encode(), work=WORK)
    except Refusal:
        return None
    return text
