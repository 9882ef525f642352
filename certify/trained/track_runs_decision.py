"""Whether a trained network is right on inputs in tracks in every float run of a class: docs/floats.md, section 7.

Forms are certified by the trusted folder alone, from the weights. A wrong run is looked for in numpy, where margins are
least, and replayed bit by bit in integers before it is reported.
"""

import time
from dataclasses import dataclass, replace
from functools import partial

from certify.frame.answer import AnswerByLength
from certify.frame.shards import Workers
from certify.frame.so_far import SoFar
from certify.trained.float_decision import check_class
from certify.trained.proving import if_accepted
from certify.trained.track_runs_forms import RunsRow, do_runs_of_form, runs_result, task_of_runs
from certify.trained.tracks_tasks import certificate_of_forms, decide_forms_in_time, run_forms
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim, check_tracks_fit
from proofs.enclosures.float_runs.run_class import RunClass
from proofs.trained.tracks.certificate import wrong_input_text
from proofs.trained.tracks.wrong_runs import WrongInputRun


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


def decide_track_runs_in_time(network: TrainedNetwork, claim: TracksClaim, run: RunClass, effort: int,
                              workers: Workers) -> TrackRunsDecision | SoFar[TrackRunsDecision]:
    """`decide_track_runs`, or what is known of fewer columns when time is up."""
    return decide_forms_in_time(claim, lambda first, known: decide_track_runs(
        network, claim, run, effort, workers, first, known))


def decide_track_runs(network: TrainedNetwork, claim: TracksClaim, run: RunClass, effort: int = 1,
                      workers: Workers = Workers(), first: int | None = None, known: dict[str, str] | None = None
                      ) -> TrackRunsDecision:
    """Whether the claim is true of every run of the class; each form is a task of its own.

    Of the ``first`` forms alone, if that is given; what is found of tasks is added to what is ``known``.

    Raises:
        InputError: if the claim does not fit the network, or a weight is too large for its format.
        Unsupported: if there is no rule for the class, or for what the network does.
    """
    start = time.perf_counter()
    check_tracks_fit(network, claim)
    check_class(run)
    found = [*map(runs_result, run_forms(network, claim, first, known, workers, partial(
        task_of_runs, run=run, effort=effort), do_runs_of_form))]
    claim = replace(claim, forms=claim.forms[:first])
    text = certificate_of_forms(network, claim, (one.unit for one in found), run)
    wrong = next((one.row.wrong for one in found if one.row.wrong), None)
    return TrackRunsDecision(network, claim, run, tuple(one.row for one in found), text,
                             accepted_wrong_input_run(network, claim, run, wrong) if wrong else None,
                             time.perf_counter() - start)


def accepted_wrong_input_run(network: TrainedNetwork, claim: TracksClaim, run: RunClass, wrong: WrongInputRun
                             ) -> str | None:
    """The certificate of a wrong run; None if the trusted folder does not accept it, whose functions are within 1 ulp.
    """
    return if_accepted(wrong_input_text(network, claim, wrong.found, run, wrong.execution))
