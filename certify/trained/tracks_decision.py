"""The main path of a decision about inputs in tracks: form by form a wrong input, or a proof the checker accepts."""

import time
from dataclasses import dataclass, replace
from functools import partial

from certify.frame.answer import AnswerByLength
from certify.frame.shards import Workers
from certify.frame.so_far import SoFar
from certify.trained.proving import if_accepted
from certify.trained.tracks_forms import FormRow, do_form, form_result, task_of_form
from certify.trained.tracks_tasks import certificate_of_forms, decide_forms_in_time, run_forms
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim, check_tracks_fit
from proofs.trained.tracks.certificate import wrong_input_text


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
    return decide_forms_in_time(claim, lambda first, known: decide_tracks(
        network, claim, effort, workers, first, known))


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
    found = [*map(form_result, run_forms(network, claim, first, known, workers, partial(task_of_form, effort=effort),
                                         do_form))]
    claim, rows = replace(claim, forms=claim.forms[:first]), tuple(one.row for one in found)
    certificate = certificate_of_forms(network, claim, (one.unit for one in found))
    wrong = next((row.wrong for row in rows if row.wrong), None)
    return TracksDecision(network, claim, rows, certificate,
                          None if wrong is None else if_accepted(wrong_input_text(network, claim, wrong)),
                          sum(one.classes for one in found), sum(one.cells for one in found),
                          time.perf_counter() - start)
