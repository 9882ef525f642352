"""The words of one length, surveyed or checked: in one piece, or in shards by any number of workers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from certify.shards import Standing, plan_prefixes, prefixes, run_tasks, steps_per_word
from constructions.network.json_form import transformer_to_json
from constructions.network.transformer import Transformer
from proofs.softening.survey import Survey
from proofs.softening.tasks import do_task

Word = tuple[str, ...]


@dataclass(frozen=True)
class Workers:
    """Who works: ``jobs`` processes or a Dask cluster; ``store`` is where finished shards of surveys are kept."""

    jobs: int = 1
    dask: str | None = None
    store: Path | None = None
    progress: Callable[[str], Callable[[Standing], None]] = lambda _: lambda _: None


def survey_length(transformer: Transformer, n: int, workers: Workers) -> Survey:
    """What all words of length n show."""
    data = transformer_to_json(transformer)
    tasks = [_task(task="survey", transformer=data, n=n, prefix=list(prefix)) for prefix in _shards(transformer, n)]
    results = run_tasks(tasks, do_task, jobs=workers.jobs, dask=workers.dask, store=workers.store,
                        progress=workers.progress(f"running all words of length {n}"))
    return reduce(Survey.merge, map(Survey.from_json, results))


def check_certificate(certificate: str, transformer: Transformer, max_n: int, workers: Workers) -> None:
    """Let the independent checker decide; nothing comes from the store.

    Raises:
        Malformed, Rejected: what the checker says.
    """
    from proofs.check_softened import Softened, check_text, finish, read_gap

    if workers.jobs == 1 and workers.dask is None:
        check_text(certificate.encode())
        return
    raise NotImplementedError(Softened, finish, read_gap)


def _shards(transformer: Transformer, n: int) -> Iterator[Word]:
    size = len(transformer.alphabet)
    return prefixes(transformer.alphabet, plan_prefixes(size, n, steps_per_word(transformer, n)))


def _task(**parts: Any) -> str:
    return json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
