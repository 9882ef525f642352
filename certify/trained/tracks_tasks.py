"""Forms of a claim about inputs in tracks, each a task of its own: what is found of them, and one certificate."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import takewhile
from typing import Any

from certify.frame.shards import ShardsProgress, Workers, digest_of, run_tasks
from certify.frame.so_far import AnAnswer, SoFar, answer_in_time
from certify.trained.proving import WORK
from constructions.errors import Unsupported
from constructions.network.lengths import Lengths
from constructions.trained.json_form import network_to_json
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim
from constructions.trained.tracks_form import tracks_claim_to_json
from proofs.check import Refusal, check_text
from proofs.enclosures.float_runs.run_class import RunClass
from proofs.trained.tracks.certificate import tracks_text


def decide_forms_in_time(claim: TracksClaim, decide: Callable[[int, dict[str, str]], AnAnswer]
                         ) -> AnAnswer | SoFar[AnAnswer]:
    """What is decided of all forms, or of those with fewer columns when time is up.

    ``decide`` is given how many of them, and what is known of tasks.
    """
    known: dict[str, str] = {}
    columns = [len(form.columns) for form in claim.forms]
    return answer_in_time(Lengths(columns[0], columns[-1]),
                          lambda some: decide(sum(count <= some.last for count in columns), known))


def run_forms(network: TrainedNetwork, claim: TracksClaim, first: int | None, known: dict[str, str] | None,
              workers: Workers, task_of: Callable[[str, str, int], str], do: Callable[[str], str]) -> list[str]:
    """What is found of the ``first`` forms (None: of all), as text; it is added to what is ``known``.

    ``task_of`` makes the task of a form, of the digests of network and claim; with one number of columns, one worker
    does it all.
    """
    known = {} if known is None else known
    texts = [json.dumps(network_to_json(network)), json.dumps(tracks_claim_to_json(claim))]
    tasks = [task_of(digest_of(texts[0]), digest_of(texts[1]), number) for number in range(len(claim.forms))][:first]
    new = [(task, form) for task, form in zip(tasks, claim.forms, strict=False) if task not in known]
    with ShardsProgress("deciding", "forms", "forms") as progress:
        known |= dict(zip((task for task, _ in new), run_tasks(
            [task for task, _ in new], do, jobs=workers.jobs, dask=workers.dask, progress=progress, shared=texts,
            sizes=[len(form.columns) ** 2 for _, form in new]), strict=True))
    return [known[task] for task in tasks]


def certificate_of_forms(network: TrainedNetwork, claim: TracksClaim, units: Iterable[dict[str, Any] | None],
                         run: RunClass | None = None) -> str | None:
    """The certificate of the forms before the first one that has no unit; the checker accepted each alone.

    Raises:
        Unsupported: if together they take more than the checker allows.
    """
    proved = [unit for unit in takewhile(lambda unit: unit is not None, units) if unit is not None]
    if not proved:
        return None
    forms = claim.forms[:len(proved)]
    text = tracks_text(network, replace(claim, forms=forms), proved, run)
    if len(proved) > 1:
        try:
            check_text(text.encode(), work=WORK)
        except Refusal as refusal:
            raise Unsupported(f"the checker, of all forms together: {refusal}; fewer columns may be asked about"
                              ) from None
    return text
