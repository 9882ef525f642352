"""The proof of a cover by the trusted checker, divided among workers."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from certify.claims.trained.decision import LengthRow
from certify.common.shards import ShardsProgress, Workers, content, digest_of, run_tasks
from constructions.errors import Unsupported
from constructions.trained.claim import WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.check import Refusal, check_text
from proofs.checking.parts import estimate, find_unproved_units, find_vacuous
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.certificate import wrong_word_text
from proofs.trained.search import RefutingWord

PARTS_OF_A_CLUSTER = 16
PARTS_OF_A_JOB, LONG = 16, 5
"""A long proof is split into parts of LONG seconds, at most PARTS_OF_A_JOB for each process, to show progress; each
part computes its tables again."""
NAMES = {"words": "words", "nodes": "classes"}
"""Names of the units of the checker's estimate in progress messages: a node is an abstract word at one place."""
WORK = 1000
"""Multiple of the checker's default budget, for the producer only; the default protects those who check files."""


def find_refusals(certificate: str, workers: Workers) -> Mapping[int, str]:
    """Return the units of the cover that the checker refuses, with reasons; without any, it accepts the certificate.

    Raises:
        Unsupported: if the checker is inconclusive.
    """
    work = expected_work(certificate)
    parts = PARTS_OF_A_CLUSTER if workers.dask else workers.jobs * parts_of_a_job(work, workers.jobs)
    unit = max("words", "nodes", key=lambda name: work.get(name, 0))
    digest = digest_of(certificate)
    tasks = [json.dumps({"certificate": digest, "part": part, "parts": parts}) for part in range(1, parts + 1)]
    what = f"proving {work[unit]:,} {NAMES[unit]}" if unit in work else "proving"
    with ShardsProgress(what, NAMES[unit], "parts") as progress:
        results = run_tasks(tasks, do_proof, jobs=workers.jobs, dask=workers.dask, progress=progress,
                            shared=[certificate], sizes=[1 + work.get(unit, 0) // parts] * parts)
    return {int(place): reason for result in results for place, reason in json.loads(result)}


def accepted_wrong_word(network: TrainedNetwork, claim: WordsClaim, wrong: RefutingWord | None, run: FloatModel
                        | None = None
                        ) -> str | None:
    """Return the certificate of a wrong word, if there is one that the checker accepts."""
    return None if wrong is None else if_accepted(wrong_word_text(network, claim, wrong, run))


def if_accepted(text: str) -> str | None:
    """Return the text of a refutation; None if the checker refuses it.

    It may need more than the checker's precision, or functions that are within 1 ulp.
    """
    return None if why_refused(text) else text


def why_refused(text: str) -> str:
    """Return why the checker refuses a certificate; empty if it accepts."""
    try:
        check_text(text.encode(), work=WORK)
    except Refusal as refusal:
        return str(refusal) or "refused"
    return ""


def with_vacuous_ones(rows: Sequence[LengthRow], texts: Iterable[str]) -> tuple[LengthRow, ...]:
    """Mark as vacuous the lengths at which the accepted certificates have nothing to prove."""
    vacuous = {n for text in texts for n in find_vacuous(text.encode(), WORK)}
    return tuple(replace(row, verdict="vacuous") if row.verdict == "certified" and row.n in vacuous else row
                 for row in rows)


def expected_work(certificate: str) -> Mapping[str, int]:
    """Return the checker's estimate of words, nodes and seconds; empty if it refuses the certificate."""
    try:
        return estimate(certificate.encode(), work=WORK)
    except Refusal:
        return {}


def parts_of_a_job(work: Mapping[str, int], jobs: int) -> int:
    """Return the number of parts for each process, by the estimated time of the proof."""
    return max(1, min(PARTS_OF_A_JOB, work.get("seconds", 0) // (jobs * LONG)))


def do_proof(task: str) -> str:
    """Return the units that a part does not prove, with reasons, as JSON."""
    keys = json.loads(task)
    try:
        return json.dumps(find_unproved_units(content(keys["certificate"]).encode(), keys["part"], keys["parts"], WORK))
    except Refusal as refusal:
        raise Unsupported(f"the checker: {refusal}") from None
