"""All words up to a length, surveyed or checked: in shards, by any number of workers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from certify.shards import plan_prefixes, prefixes, run_tasks, steps_per_word
from certify.shards.standing import ShardsProgress
from constructions.errors import InputError
from constructions.network.json_form import transformer_to_json
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs.softening.findings import Survey
from proofs.softening.tasks import do_task

MAX_WORDS = 100_000_000
Word = tuple[str, ...]
Shard = tuple[int, Word]
"""The words of a length that begin with a prefix."""


@dataclass(frozen=True)
class Workers:
    """Who works: ``jobs`` processes or a Dask cluster; ``store`` is where finished shards of surveys are kept."""

    jobs: int = 1
    dask: str | None = None
    store: Path | None = None

    def do(self, what: str, transformer: Transformer, shards: Sequence[Shard], parts: dict[str, Any],
           store: Path | None = None, alone: bool = False) -> list[str]:
        """The results of a task for every shard; ``alone`` in this process."""
        tasks = [json.dumps({**parts, "n": n, "prefix": list(prefix)}) for n, prefix in shards]
        sizes = [len(transformer.alphabet) ** (n - len(prefix)) for n, prefix in shards]
        with ShardsProgress(what, "words") as progress:
            return run_tasks(tasks, do_task, jobs=1 if alone else self.jobs, dask=None if alone else self.dask,
                             store=store, progress=progress, sizes=sizes)


def plan_shards(transformer: Transformer, lengths: Lengths) -> dict[int, list[Shard]]:
    """The shards of every length; they depend on nothing but the transformer."""
    size = len(transformer.alphabet)
    return {n: [(n, prefix) for prefix in prefixes(
                transformer.alphabet, plan_prefixes(size, n, steps_per_word(transformer, n)))] for n in lengths}


def check_number_of_words(transformer: Transformer, max_n: int) -> None:
    """Raise InputError if there are too many words up to this length."""
    total, size = 0, len(transformer.alphabet)
    for n in range(1, max_n + 1):
        total += size**n
        if total > MAX_WORDS:
            raise InputError(f"max-n: {max_n}, expected at most {n - 1}: all words over {size} symbols are run, and "
                             f"those up to length {n} are more than {MAX_WORDS:,}")


def survey_lengths(transformer: Transformer, lengths: Lengths, workers: Workers) -> list[Survey]:
    """What the words of every length show, up to the first length with a tie.

    Lengths of one shard come first, one by one: a tie is likely to be found there.

    Raises:
        InputError: if there are more than MAX_WORDS words.
    """
    check_number_of_words(transformer, lengths.last)
    parts = {"task": "survey", "transformer": transformer_to_json(transformer)}
    surveys: list[Survey] = []
    plan = plan_shards(transformer, lengths)
    for n in [n for n, shards in plan.items() if len(shards) == 1]:
        (found,) = workers.do(f"all words of length {n}", transformer, plan.pop(n), parts, workers.store, alone=True)
        surveys.append(Survey.from_json(found))
        if surveys[-1].tie:
            return surveys
    shards = [shard for of_length in plan.values() for shard in of_length]
    results = iter(workers.do(f"all words up to length {lengths.last}", transformer, shards, parts, workers.store))
    for of_length in plan.values():
        surveys.append(reduce(Survey.merge, [Survey.from_json(next(results)) for _ in of_length]))
        if surveys[-1].tie:
            break
    return surveys


def check_certificate(certificate: str, transformer: Transformer, lengths: Lengths, workers: Workers) -> None:
    """Let the independent checker decide; nothing comes from a store.

    Raises:
        Malformed, Rejected: what the checker says.
    """
    from proofs.check_softened import check_text

    check_text(certificate.encode())


def check_length(certificate: str, n: int) -> None:
    """Let the independent checker decide about the words of one length, whatever is stated of others.

    Raises:
        Malformed, Rejected: what the checker says.
    """
    from proofs.check_softened import Softened, check_shard

    check_shard(Softened(certificate.encode()), n, ())
