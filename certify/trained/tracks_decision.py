"""The main path of a decision about inputs in tracks: form by form a wrong input, or a proof the checker accepts."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass, replace

from certify.frame.answer import AnswerByLength
from certify.frame.shards import ShardsProgress, Workers, digest_of, run_tasks
from certify.frame.so_far import SoFar, answer_in_time
from certify.trained.proving import WORK
from certify.trained.tracks_forms import FormRow, do_form, form_result, task_of_form
from constructions.errors import Unsupported
from constructions.network.lengths import Lengths
from constructions.trained.json_form import network_to_json
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim, check_tracks_fit
from constructions.trained.tracks_form import tracks_claim_to_json
from proofs.check import Refusal, check_text
from proofs.trained.tracks.certificate import WrongInput, tracks_text, wrong_input_text


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


def decide_tracks_in_time(network: TrainedNetwork, claim: TracksClaim, effort: int, workers: Workers
                          ) -> TracksDecision | SoFar[TracksDecision]:
    """`decide_tracks`, or what is known of fewer columns when time is up."""
    known: dict[str, str] = {}
    columns = [len(form.columns) for form in claim.forms]
    return answer_in_time(Lengths(columns[0], columns[-1]), lambda some: decide_tracks(
        network, claim, effort, workers, sum(count <= some.last for count in columns), known))


def decide_tracks(network: TrainedNetwork, claim: TracksClaim, effort: int = 1, workers: Workers = Workers(),
                  first: int | None = None, known: dict[str, str] | None = None) -> TracksDecision:
    """Whether the claim is true of the network; what is certified was accepted by the checker, wrong inputs proved.

    Each form is a task of its own: with one number of columns, one worker does it all. Of the ``first`` forms alone, if
    that is given; what is found of tasks is added to what is ``known``.

    Raises:
        InputError: if the claim does not fit the network.
        Unsupported: if the checker says neither yes nor no.
    """
    start = time.perf_counter()
    check_tracks_fit(network, claim)
    texts = [json.dumps(network_to_json(network)), json.dumps(tracks_claim_to_json(claim))]
    tasks = [task_of_form(digest_of(texts[0]), digest_of(texts[1]), number, effort)
             for number in range(len(claim.forms))][:first]
    claim, known = replace(claim, forms=claim.forms[:first]), {} if known is None else known
    new = [task for task in tasks if task not in known]
    with ShardsProgress("deciding", "forms", "forms") as progress:
        known |= dict(zip(new, run_tasks(
            new, do_form, jobs=workers.jobs, dask=workers.dask, progress=progress, shared=texts,
            sizes=[len(form.columns) ** 2 for form in claim.forms[len(tasks) - len(new):]]), strict=True))
    found = [form_result(known[task]) for task in tasks]
    rows = tuple(one.row for one in found)
    units = [one.unit for one in itertools.takewhile(lambda one: one.unit is not None, found) if one.unit is not None]
    certificate = tracks_text(network, replace(claim, forms=claim.forms[:len(units)]), units) if units else None
    if certificate is not None and len(units) > 1:
        _check_together(certificate)
    wrong = next((row.wrong for row in rows if row.wrong), None)
    return TracksDecision(network, claim, rows, certificate,
                          None if wrong is None else _accepted_wrong_input(network, claim, wrong),
                          sum(one.classes for one in found), sum(one.cells for one in found),
                          time.perf_counter() - start)


def _check_together(certificate: str) -> None:
    """See that the checker accepts all forms in one file; it accepted each alone.

    Raises:
        Unsupported: if together they take more than it allows.
    """
    try:
        check_text(certificate.encode(), work=WORK)
    except Refusal as refusal:
        raise Unsupported(f"the checker, of all forms together: {refusal}; fewer columns may be asked about") from None


def _accepted_wrong_input(network: TrainedNetwork, claim: TracksClaim, wrong: WrongInput) -> str | None:
    """The certificate of a wrong input; None if it takes more than the checker's precision."""
    text = wrong_input_text(network, claim, wrong)
    try:
        check_text(text.encode(), work=WORK)
    except Refusal:
        return None
    return text
