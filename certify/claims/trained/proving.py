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
"""Of a proof that takes long each process does a part for so many seconds, at most so many parts, so that people see
how far it is; each part makes its tables anew."""
NAMES = {"words": "words", "nodes": "classes"}
"""Units of the checker's estimate, as progress calls them: a node is a class of words at one place."""
WORK = 1000
"""Times the checker's default budget: whoever makes a proof is willing to wait, and whoever is sent a file is not."""


def find_refusals(certificate: str, workers: Workers) -> Mapping[int, str]:
    """The units of the cover that the checker does not accept, with reasons; if none, it accepts the certificate.

    Raises:
        Unsupported: if the checker says neither yes nor no.
    """
    known = expected_work(certificate)
    parts = PARTS_OF_A_CLUSTER if workers.dask else workers.jobs * parts_of_a_job(known, workers.jobs)
    unit = max("words", "nodes", key=lambda name: known.get(name, 0))
    digest = digest_of(certificate)
    tasks = [json.dumps({"certificate": digest, "part": part, "parts": parts}) for part in range(1, parts + 1)]
    what = f"proving {known[unit]:,} {NAMES[unit]}" if unit in known else "proving"
    with ShardsProgress(what, NAMES[unit], "parts") as progress:
        results = run_tasks(tasks, do_proof, jobs=workers.jobs, dask=workers.dask, progress=progress,
                            shared=[certificate], sizes=[1 + known.get(unit, 0) // parts] * parts)
    return {int(place): reason for result in results for place, reason in json.loads(result)}


def accepted_wrong_word(network: TrainedNetwork, claim: WordsClaim, wrong: RefutingWord | None, run: FloatModel
                        | None = None
                        ) -> str | None:
    """Return the certificate of a wrong word, if there is one that the checker accepts."""
    return None if wrong is None else if_accepted(wrong_word_text(network, claim, wrong, run))


def if_accepted(text: str) -> str | None:
    """Return the text of a refutation; None if the checker does not accept it.

    It may take more than its precision, or functions that are within 1 ulp.
    """
    return None if why_refused(text) else text


def why_refused(text: str) -> str:
    """Why the checker does not accept a certificate; empty if it does."""
    try:
        check_text(text.encode(), work=WORK)
    except Refusal as refusal:
        return str(refusal) or "refused"
    return ""


def with_vacuous_ones(rows: Sequence[LengthRow], texts: Iterable[str]) -> tuple[LengthRow, ...]:
    """The lengths, those called vacuous of which the checker says that their accepted certificates ask nothing."""
    vacuous = {n for text in texts for n in find_vacuous(text.encode(), WORK)}
    return tuple(replace(row, verdict="vacuous") if row.verdict == "certified" and row.n in vacuous else row
                 for row in rows)


def expected_work(certificate: str) -> Mapping[str, int]:
    """Words, nodes and seconds that the checker expects of the proof; nothing if the proof will say why."""
    try:
        return estimate(certificate.encode(), work=WORK)
    except Refusal:
        return {}


def parts_of_a_job(known: Mapping[str, int], jobs: int) -> int:
    """Number of parts that each process does, by the time that the checker expects the proof to take."""
    return max(1, min(PARTS_OF_A_JOB, known.get("seconds", 0) // (jobs * LONG)))


def do_proof(task: str) -> str:
    """Return the units that a part does not prove, with reasons, as JSON."""
    keys = json.loads(task)
    try:
        return json.dumps(find_unproved_units(content(keys["certificate"]).encode(), keys["part"], keys["parts"], WORK))
    except Refusal as refusal:
        raise Unsupported(f"the checker: {refusal}") from None
