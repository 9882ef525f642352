"""Lengths at which wrong float runs are looked for: one after another, or dealt to several workers.

What is found is the same, whoever looks: a length is searched by itself, and beyond the first wrong run, which tells
where to look for the next one, nothing is dealt.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from certify.frame.shards import ShardsProgress, Workers, content, digest_of, run_tasks
from certify.trained.float_search import FloatRow, SeenMargin, WrongRuns
from constructions.errors import InternalError
from constructions.trained.claim_form import claim_from_json, claim_to_json
from constructions.trained.json_form import network_from_json, network_to_json
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.float_runs.run_class import read_run_class
from proofs.trained.float_runs.execution import Execution, WrongRun

SECONDS_HERE = 3.0
"""So long this process looks for wrong runs before others help it, which take a second to begin."""


@dataclass(frozen=True)
class Length:
    """A length that is looked at: all of its words, or those that a search finds; runs, too, if it ``is_open``."""

    n: int
    all_words: bool
    is_open: bool


def find_rows(network: TrainedNetwork, search: WrongRuns, lengths: Sequence[Length], workers: Workers,
              progress: Callable[[str], None]) -> list[FloatRow]:
    """What is found at each length, the shortest first; where a wrong run is one of all longer words, none of these."""
    found, start = list[FloatRow](), time.monotonic()
    several = workers.jobs > 1 or workers.dask is not None
    while (rest := lengths[len(found):]) and not (found and found[-1].wrong and search.stops_at_wrong):
        if several and len(rest) > 1 and not search.given and time.monotonic() - start >= SECONDS_HERE:
            found += _dealt(network, search, rest, workers)
            search.given += [row.wrong.word for row in found if row.wrong]
        else:
            progress(f"looking at runs, n = {rest[0].n}")
            found.append(search.row(rest[0].n, rest[0].all_words, rest[0].is_open))
    return found


def _dealt(network: TrainedNetwork, search: WrongRuns, lengths: Sequence[Length], workers: Workers) -> list[FloatRow]:
    """The same, up to the first wrong run, by several workers; that one is replayed by this process.

    Raises:
        InternalError: if it is not wrong here.
    """
    texts = [json.dumps(network_to_json(network)), json.dumps(claim_to_json(search.claim))]
    about = {"network": digest_of(texts[0]), "claim": digest_of(texts[1]), "float": search.run.to_json(),
             "effort": search.effort}
    with ShardsProgress("looking at runs", "lengths", "lengths") as progress:
        found = [*map(row_from_json, run_tasks(
            [json.dumps(about | {"length": vars(each)}) for each in lengths], do_length, jobs=workers.jobs,
            dask=workers.dask, progress=progress, shared=texts,
            is_last=lambda text: row_from_json(text).wrong is not None))]
    if (wrong := found[-1].wrong) and wrong != search.replayed(
            wrong.word, wrong.offset, wrong.place, wrong.case, wrong.row, wrong.execution):
        raise InternalError(f"a worker found a wrong run of {len(wrong.word)} letters that is another one here")
    return found


def do_length(task: str) -> str:
    """What is found at a length, as JSON."""
    keys = json.loads(task)
    one = Length(**keys["length"])
    return row_to_json(_search(keys["network"], keys["claim"], json.dumps(keys["float"]), keys["effort"]).row(
        one.n, one.all_words, one.is_open))


@lru_cache(maxsize=1)
def _shared_search(network: str, claim: str, run: str, effort: int) -> WrongRuns:
    """By their digests; kept for the next length."""
    fields = json.loads(run)
    return WrongRuns(network_from_json(json.loads(content(network)), "network"),
                     claim_from_json(json.loads(content(claim)), "claim"),
                     read_run_class(fields.pop("name"), fields), effort)


def _search(network: str, claim: str, run: str, effort: int) -> WrongRuns:
    """One that knows of no wrong run."""
    search = _shared_search(network, claim, run, effort)
    search.given.clear()
    return search


def row_to_json(row: FloatRow) -> str:
    """The row as text; ``row_from_json`` reads it back."""
    wrong = row.wrong and {**vars(row.wrong), "execution": row.wrong.execution.to_json(), "value": str(row.wrong.value)}
    return json.dumps({**vars(row), "seen": row.seen and vars(row.seen), "wrong": wrong})


def row_from_json(text: str) -> FloatRow:
    """What ``row_to_json`` wrote."""
    data: dict[str, Any] = json.loads(text)
    seen, wrong = data.pop("seen"), data.pop("wrong")
    return FloatRow(**data, seen=seen and SeenMargin(**{**seen, "word": tuple(seen["word"])}), wrong=wrong and WrongRun(
        **{**wrong, "word": tuple(wrong["word"]), "execution": Execution.from_json(wrong["execution"]),
           "value": Fraction(wrong["value"])}))
