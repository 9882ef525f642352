"""The main path of a decision about inputs in tracks: for each form a wrong input, or a proof that is accepted.

Over the real numbers, or under a float model. Each form is a separate task.
"""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import Any

from certify.claims.trained.float_decision import check_norms
from certify.claims.trained.proving import if_accepted, why_refused
from certify.claims.trained.tasks import (
    about,
    network_in,
    result_from_text,
    result_to_text,
    run_in,
    text_of_claim,
    text_of_network,
    tracks_claim_in,
)
from certify.claims.trained.track_runs_forms import FormInRuns
from certify.claims.trained.tracks_forms import FormDecider, FormResult, FormRow
from certify.common.answer import AnswerByLength
from certify.common.shards import ShardsProgress, Workers, run_tasks
from constructions.errors import Unsupported
from constructions.trained.edits import check_soft
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim, check_tracks_fit
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.tracks.certificate import WrongInput, tracks_text, wrong_input_text


@dataclass(frozen=True)
class TracksDecision(AnswerByLength[FormRow]):
    """The answer about a network and a claim, under the float model ``run``, if any; with accepted certificates.

    The numbers of ``classes`` and ``cells`` are not given for float executions.
    """

    network: TrainedNetwork
    claim: TracksClaim
    rows: tuple[FormRow, ...]
    certificate: str | None
    wrong_certificate: str | None
    seconds: float
    run: FloatModel | None = None
    classes: int = 0
    cells: int = 0

    @property
    def wrong(self) -> WrongInput | None:
        """The wrong input of the first form that has one."""
        return next((row.wrong for row in self.rows if row.wrong), None)


def decide_tracks(network: TrainedNetwork, claim: TracksClaim, effort: int = 1, workers: Workers = Workers(),
                  run: FloatModel | None = None, first: int | None = None, results: dict[str, str] | None = None
                  ) -> TracksDecision:
    """Decide whether the claim is true of the network; certified forms are accepted, wrong inputs proved.

    Under the float model ``run``, if any; only the ``first`` forms, if given; adds to ``results`` by task.

    Raises:
        InputError: if the claim does not fit the network, or a weight is too large for its format.
        Unsupported: if the checker is inconclusive, or the float model has no rule, or none for a step of the network.
    """
    start = time.perf_counter()
    check_tracks_fit(network, claim)
    check_soft(network)
    if run is not None:
        check_norms(run)
    found = results_of_forms(network, claim, effort, workers, run, first, {} if results is None else results)
    claim, rows = replace(claim, forms=claim.forms[:first]), tuple(one.row for one in found)
    wrong = next((row.wrong for row in rows if row.wrong), None)
    return TracksDecision(
        network, claim, rows, certificate_of_forms(network, claim, (one.unit for one in found), run),
        None if wrong is None else if_accepted(wrong_input_text(network, claim, wrong, run)),
        time.perf_counter() - start, run, sum(one.classes for one in found), sum(one.cells for one in found))


def results_of_forms(network: TrainedNetwork, claim: TracksClaim, effort: int, workers: Workers, run: FloatModel | None,
                     first: int | None, results: dict[str, str]) -> list[FormResult]:
    """Decide the ``first`` forms (None: all), each by one worker; tasks with ``results`` are skipped."""
    texts = [text_of_network(network), text_of_claim(claim)]
    tasks = [json.dumps(about(texts, run, form=number, effort=effort)) for number in range(len(claim.forms))][:first]
    new = [(task, form) for task, form in zip(tasks, claim.forms, strict=False) if task not in results]
    with ShardsProgress("deciding", "forms", "forms") as progress:
        results |= dict(zip((task for task, _ in new), run_tasks(
            [task for task, _ in new], do_form, jobs=workers.jobs, dask=workers.dask, progress=progress, shared=texts,
            sizes=[len(form.columns) ** 2 for _, form in new]), strict=True))
    return [result_from_text(FormResult, results[task]) for task in tasks]


def do_form(task: str) -> str:
    """Return the result of a form, as text."""
    keys = json.loads(task)
    run = keys["float"] and json.dumps(keys["float"])
    decider = _decider(keys["network"], keys["claim"], run, keys["effort"])
    if keys.get("expected") and isinstance(decider, FormDecider):
        return result_to_text(decider.proof(keys["form"]))
    return result_to_text(decider.result(keys["form"]))


@lru_cache(maxsize=1)
def _decider(network: str, claim: str, run: str | None, effort: int) -> FormDecider | FormInRuns:
    """Make the decider of forms of a claim, by digests; kept for the next form."""
    question = network_in(network), tracks_claim_in(claim)
    return FormDecider(*question, effort) if run is None else FormInRuns(*question, run_in(run), effort)


def certificate_of_forms(network: TrainedNetwork, claim: TracksClaim, units: Iterable[dict[str, Any] | None],
                         run: FloatModel | None = None) -> str | None:
    """Return the certificate of the forms before the first one that has no unit; the checker accepted each separately.

    Raises:
        Unsupported: if together they exceed the checker's budget.
    """
    proved = [unit for unit in takewhile(lambda unit: unit is not None, units) if unit is not None]
    if not proved:
        return None
    forms = claim.forms[:len(proved)]
    text = tracks_text(network, replace(claim, forms=forms), proved, run)
    if len(proved) > 1 and (why := why_refused(text)):
        raise Unsupported(f"the checker, on all forms together: {why}; try fewer columns")
    return text
