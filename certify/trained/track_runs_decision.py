"""Whether a trained network is right on inputs in tracks in every float run of a class: docs/floats.md, section 7.

Forms are certified by the trusted folder alone, from the weights. A wrong run is looked for in numpy, where margins are
least, and replayed bit by bit in integers before it is reported.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from itertools import takewhile

from certify.frame.answer import AnswerByLength
from certify.frame.shards import ShardsProgress, Workers, digest_of, run_tasks
from certify.frame.so_far import SoFar, answer_in_time
from certify.trained.float_decision import check_class
from certify.trained.proving import WORK
from certify.trained.track_runs_forms import RunsRow, do_runs_of_form, runs_result, task_of_runs
from constructions.errors import Unsupported
from constructions.network.lengths import Lengths
from constructions.trained.json_form import network_to_json
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim, check_tracks_fit
from constructions.trained.tracks_form import tracks_claim_to_json
from proofs.check import Refusal, check_text
from proofs.enclosures.float_runs.run_class import RunClass
from proofs.trained.tracks.certificate import tracks_text, wrong_input_text
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
    known: dict[str, str] = {}
    columns = [len(form.columns) for form in claim.forms]
    return answer_in_time(Lengths(columns[0], columns[-1]), lambda some: decide_track_runs(
        network, claim, run, effort, workers, sum(count <= some.last for count in columns), known))


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
    texts = [json.dumps(network_to_json(network)), json.dumps(tracks_claim_to_json(claim))]
    tasks = [task_of_runs(digest_of(texts[0]), digest_of(texts[1]), run, number, effort)
             for number in range(len(claim.forms))][:first]
    claim, known = replace(claim, forms=claim.forms[:first]), {} if known is None else known
    new = [task for task in tasks if task not in known]
    with ShardsProgress("deciding", "forms", "forms") as progress:
        known |= dict(zip(new, run_tasks(
            new, do_runs_of_form, jobs=workers.jobs, dask=workers.dask, progress=progress, shared=texts,
            sizes=[len(form.columns) ** 2 for form in claim.forms[len(tasks) - len(new):]]), strict=True))
    found = [runs_result(known[task]) for task in tasks]
    units = [one.unit for one in takewhile(lambda one: one.unit is not None, found) if one.unit is not None]
    text = tracks_text(network, replace(claim, forms=claim.forms[:len(units)]), units, run) if units else None
    if text is not None and len(units) > 1:
        try:
            check_text(text.encode(), work=WORK)
        except Refusal as refusal:
            raise Unsupported(f"the checker, of all forms together: {refusal}; fewer columns may be asked about"
                              ) from None
    wrong = next((one.row.wrong for one in found if one.row.wrong), None)
    return TrackRunsDecision(network, claim, run, tuple(one.row for one in found), text,
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
