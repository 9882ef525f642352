"""All words up to a length, surveyed or checked: in shards, by any number of workers.

The division into shards does not change results (tests/softened). A single process takes whole lengths, since words of
one shard share most work; shards for several, or for a store, depend only on the transformer.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from certify.common.json_form import from_json, to_json
from certify.common.shards import content, digest_of, plan_prefixes, prefixes, run_tasks, steps_per_word_of_many
from certify.common.shards.progress import ShardsProgress
from constructions.errors import InputError
from constructions.network.json_form import transformer_from_json, transformer_to_json
from constructions.network.lengths import Lengths
from constructions.network.transformer import Mask, Transformer
from proofs import check
from proofs.checking.shards import ShardResult, check_shard, finish, read_softened_text
from proofs.softened.findings import Survey
from proofs.softened.gap import Word
from proofs.softened.survey import survey_words

MAX_WORDS = 100_000_000
FEW_WORDS = 10_000
"""Lengths with at most this many words are surveyed by this process, one after another: a second or two."""
TOGETHER = 64
"""Factor of the words in a shard if words are run at once: then parts of it take almost as long as the whole."""
WORK = 1000
"""Multiple of the checker's default budget, for the producer only: MAX_WORDS limits the words. The default protects
those who check the files of others."""
REFUSALS: dict[str, type[check.Refusal]] = {
    "rejected": check.Rejected, "malformed": check.Malformed, "incomplete": check.Incomplete}
Shard = tuple[int, Word]
"""The words of a length that begin with a prefix."""


@dataclass(frozen=True)
class Workers:
    """The workers: ``jobs`` processes or a Dask cluster; ``store`` keeps finished shards of surveys."""

    jobs: int = 1
    dask: str | None = None
    store: Path | None = None

    @property
    def is_alone(self) -> bool:
        """True if one process does all, and nothing is kept."""
        return self.jobs == 1 and self.dask is None and self.store is None

    def plan(self, transformer: Transformer, lengths: Lengths) -> list[Shard]:
        """Return the shards of all lengths, in the order of words."""
        size = len(transformer.alphabet)
        return [(n, prefix) for n in lengths for prefix in prefixes(
            transformer.alphabet, 0 if self.is_alone else plan_prefixes(size, n, _steps_per_word(transformer, n)))]

    def do(self, what: str, do: Callable[[str], str], shards: Sequence[Shard], text: str, size: int,
           store: Path | None = None) -> list[str]:
        """Return the results of a task for every shard of words over ``size`` symbols; all tasks share the text."""
        about = digest_of(text)
        tasks = [json.dumps({"about": about, "n": n, "prefix": list(prefix)}) for n, prefix in shards]
        with ShardsProgress(what, "words") as progress:
            return run_tasks(tasks, do, jobs=self.jobs, dask=self.dask, store=store, progress=progress,
                             sizes=[size ** (n - len(prefix)) for n, prefix in shards], shared=[text])


def _steps_per_word(transformer: Transformer, n: int) -> int:
    """Estimate the work per word; future-masked transformers run all words of a shard at once."""
    is_causal = all(head.mask is Mask.FUTURE for _, _, head in transformer.heads())
    return max(1, steps_per_word_of_many(transformer, n) // (TOGETHER if is_causal else 1))


def check_number_of_words(transformer: Transformer, max_n: int) -> None:
    """Raise InputError if there are too many words up to this length."""
    total, size = 0, len(transformer.alphabet)
    for n in range(1, max_n + 1):
        total += size**n
        if total > MAX_WORDS:
            raise InputError(f"max-n: {max_n}, expected at most {n - 1}: all words over {size} symbols are run, and "
                             f"those up to length {n} are more than {MAX_WORDS:,}")


def survey_lengths(transformer: Transformer, lengths: Lengths, workers: Workers) -> list[Survey]:
    """Survey the words of every length, up to the first length with a tie.

    Short lengths come first, by this process: a tie is likely to be found there.

    Raises:
        InputError: if there are more than MAX_WORDS words.
    """
    check_number_of_words(transformer, lengths.last)
    text, size = json.dumps(transformer_to_json(transformer)), len(transformer.alphabet)
    plan = workers.plan(transformer, lengths)
    surveys: dict[int, Survey] = {}
    short = [(n, prefix) for n, prefix in plan if not prefix and (workers.is_alone or size**n <= FEW_WORDS)]
    for n, prefix in short:
        (found,) = Workers().do(f"words of length {n}", do_survey, [(n, prefix)], text, size, workers.store)
        surveys[n] = Survey.from_json(found)
        if surveys[n].tie:
            return list(surveys.values())
    long = plan[len(short):]
    for (n, _), found in zip(long, workers.do(f"words up to length {lengths.last}", do_survey, long, text, size,
                                              workers.store), strict=True):
        part = Survey.from_json(found)
        surveys[n] = surveys[n].merge(part) if n in surveys else part
    return [surveys[n] for n in lengths if not any(surveys[m].tie for m in range(1, n))]


def do_survey(task: str) -> str:
    """Survey the words of a shard; return the result as JSON.

    Raises:
        Unsupported: if the transformer has a head that is soft but not uniform.
    """
    keys = json.loads(task)
    return survey_words(_transformer(keys["about"]), keys["n"], keys["prefix"]).to_json()


@lru_cache(maxsize=4)
def _transformer(digest: str) -> Transformer:
    """Return the transformer with this digest; many successive tasks share it."""
    return transformer_from_json(json.loads(content(digest)))


# -- the independent checker -------------------------------------------------------------------------------------------


def check_certificate(certificate: str, transformer: Transformer, lengths: Lengths, workers: Workers) -> None:
    """Let the independent checker decide, as ``proofs.check.check_text`` does; nothing comes from a store.

    Raises:
        Refusal: if the checker refuses a shard; the first of several.
    """
    shards = replace(workers, store=None).plan(transformer, lengths)
    results = workers.do("the independent checker", check_task, shards, certificate, len(transformer.alphabet))
    finish(_read(certificate), dict(zip(shards, map(_read_result, results), strict=True)))


def check_length(certificate: str, n: int) -> None:
    """Let the independent checker decide about the words of one length, ignoring all others.

    Raises:
        Refusal: if the checker refuses it.
    """
    check_shard(read_softened_text(certificate.encode(), WORK), n, ())


def check_task(task: str) -> str:
    """Check one shard with the independent checker; return verdict and result, or reason, as canonical JSON."""
    data = json.loads(task)
    try:
        found = check_shard(_read(content(data["about"])), data["n"], tuple(data["prefix"]))
    except check.Refusal as refusal:
        return json.dumps({"verdict": check.verdict_of(refusal), "reason": str(refusal)})
    return json.dumps({"verdict": check.ACCEPTED, "found": to_json(found)})


def _read_result(text: str) -> ShardResult:
    result = json.loads(text)
    if result["verdict"] != check.ACCEPTED:
        raise REFUSALS[result["verdict"]](result["reason"])
    return from_json(ShardResult, result["found"], "what the checker found")


@lru_cache(maxsize=2)
def _read(certificate: str) -> check.Softened:
    return read_softened_text(certificate.encode(), WORK)
