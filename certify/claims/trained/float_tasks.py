"""Tasks that search lengths for wrong float executions: one after another, or by several workers.

The result does not depend on the workers: each length is searched by itself, and beyond the first wrong execution,
which seeds the next search, no length is distributed.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from certify.claims.trained.decision import LengthRow
from certify.claims.trained.float_search import WrongRuns
from certify.claims.trained.tasks import (
    about,
    claim_in,
    network_in,
    result_from_text,
    result_to_text,
    run_in,
    text_of_claim,
    text_of_network,
)
from certify.common.shards import ShardsProgress, Workers, run_tasks
from constructions.errors import InternalError
from constructions.trained.network import TrainedNetwork

SECONDS_HERE = 3.0
"""Seconds that this process searches alone before others, which take a second to begin, help it."""


@dataclass(frozen=True)
class Length:
    """A length: all its words, or those that a search finds; if it ``is_open``, wrong executions are searched, too."""

    n: int
    all_words: bool
    is_open: bool


def find_rows(network: TrainedNetwork, search: WrongRuns, lengths: Sequence[Length], workers: Workers,
              progress: Callable[[str], None]) -> list[LengthRow]:
    """Search each length, the shortest first; stop at a wrong execution that refutes all longer lengths."""
    found, start = list[LengthRow](), time.monotonic()
    several = workers.jobs > 1 or workers.dask is not None
    while (rest := lengths[len(found):]) and not (found and found[-1].wrong and search.stops_at_wrong):
        if several and len(rest) > 1 and not search.given and time.monotonic() - start >= SECONDS_HERE:
            found += _dealt(network, search, rest, workers)
            search.given += [row.wrong.word for row in found if row.wrong]
        else:
            progress(f"looking at runs, n = {rest[0].n}")
            found.append(search.row(rest[0].n, rest[0].all_words, rest[0].is_open))
    return found


def _dealt(network: TrainedNetwork, search: WrongRuns, lengths: Sequence[Length], workers: Workers) -> list[LengthRow]:
    """Search with several workers, up to the first wrong execution; this process replays that one.

    Raises:
        InternalError: if the replay contradicts the worker.
    """
    texts = [text_of_network(network), text_of_claim(search.claim)]
    keys = about(texts, search.run, effort=search.effort)
    with ShardsProgress("looking at runs", "lengths", "lengths") as progress:
        found = [*map(row_from_text, run_tasks(
            [json.dumps(keys | {"length": vars(each)}) for each in lengths], do_length, jobs=workers.jobs,
            dask=workers.dask, progress=progress, shared=texts,
            is_last=lambda text: row_from_text(text).wrong is not None))]
    wrong = found[-1].wrong
    if wrong and (wrong.execution is None or wrong != search.replayed(
            wrong.word, wrong.offset, wrong.place, wrong.case, wrong.row, wrong.execution)):
        raise InternalError(f"a worker found a wrong execution of {len(wrong.word)} letters that is not wrong here")
    return found


def do_length(task: str) -> str:
    """Search a length; return its row as text."""
    keys = json.loads(task)
    one = Length(**keys["length"])
    search = _search(keys["network"], keys["claim"], json.dumps(keys["float"]), keys["effort"])
    search.given.clear()  # as for a worker without a wrong execution
    return result_to_text(search.row(one.n, one.all_words, one.is_open))


row_from_text = partial(result_from_text, LengthRow)


@lru_cache(maxsize=1)
def _search(network: str, claim: str, run: str, effort: int) -> WrongRuns:
    """Make the search of a network and a claim, by their digests; kept for the next length."""
    return WrongRuns(network_in(network), claim_in(claim), run_in(run), effort)
