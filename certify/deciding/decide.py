"""The main path of a decision: obligations, parts, what floats find of them, a cover of all words, its proof."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from certify.deciding.decision import (
    Decision,
    Found,
    certified_to,
    is_whole_domain,
    rows_by_length,
    rows_by_offset,
    shortest,
)
from certify.deciding.part import MOST_WORDS, Part, PartResult, do_part, parts_to_tasks, result_from_json, words_of
from certify.deciding.proving import find_refusals
from certify.shards import ShardsProgress, Workers, run_tasks
from certify.verdicts import worst
from constructions.errors import InputError
from constructions.trained.claim import Claim, check_fits, is_by_place, obligations
from constructions.trained.network import TrainedNetwork
from proofs.trained.certificate import Cover, decision_text, joined, wrong_word_text

FEW_OFFSETS = 8
"""With no more offsets than these, each length is a part of its own where lengths have nothing in common."""


@dataclass(frozen=True)
class Settings:
    """Who works, where finished searches are kept, and how hard to try."""

    workers: Workers = field(default_factory=Workers)
    store: Path | None = None
    most_words: int = MOST_WORDS
    effort: int = 1


def decide(network: TrainedNetwork, claim: Claim, settings: Settings | None = None) -> Decision:
    """Whether the claim is true of the network; certified lengths were accepted by the checker, wrong words proved.

    Raises:
        InputError: if the claim does not fit the network, or no word of these lengths does.
    """
    start, settings = time.perf_counter(), settings or Settings()
    check_fits(network, claim)
    results = search(network, claim, settings)
    found = [one for result in results for one in result.found]
    certificate, found = prove_shortest(network, claim, settings, results, found)
    rows = rows_by_length(network, claim, found)
    wrong = shortest(one.wrong for one in found if one.wrong)
    return Decision(
        network, claim, verdict=worst([row.verdict for row in rows]), rows=tuple(rows),
        offsets=tuple(rows_by_offset(network, claim, found)), certified_to=certified_to(rows),
        certificate=certificate, wrong=wrong,
        wrong_certificate=wrong_word_text(network, claim, wrong) if wrong else None, covered=covered_by(claim, found),
        whole_domain=is_whole_domain(network, claim), seconds=time.perf_counter() - start)


def prove_shortest(network: TrainedNetwork, claim: Claim, settings: Settings, results: Sequence[PartResult],
                   found: list[Found]) -> tuple[str | None, list[Found]]:
    """The certificate of the lengths that are covered, from the shortest on, as far as the checker accepts it.

    Returned with what is known after that: a unit that is not accepted covers nothing.
    """
    while (reach := certified_to(rows_by_length(network, claim, found))) is not None:
        shorter = replace(claim, lengths=(claim.lengths[0], reach))
        if shorter.lengths != claim.lengths:
            results = search(network, shorter, settings)
        cover = joined(result.cover for result in results)
        text = decision_text(network, shorter, cover)
        refused = find_refusals(text, settings.workers)
        if not refused:
            return text, found
        found = without(found, cover, refused)
    return None, found


def search(network: TrainedNetwork, claim: Claim, settings: Settings) -> list[PartResult]:
    """What floats find of all obligations."""
    parts = plan(network, claim, settings)
    with ShardsProgress("searching", "obligations", "parts") as progress:
        texts = run_tasks(parts_to_tasks(network, claim, parts), do_part, jobs=settings.workers.jobs,
                          dask=settings.workers.dask, store=settings.store, progress=progress,
                          sizes=[sum(range(part.first, part.last + 1)) + 1 for part in parts])
    return [result_from_json(text) for text in texts]


def plan(network: TrainedNetwork, claim: Claim, settings: Settings) -> list[Part]:
    """The obligations in parts that depend on the claim alone, so that results do not depend on who works.

    Raises:
        InputError: if there are none.
    """
    counts: dict[int, list[int]] = {}
    for offset, count in obligations(network, claim):
        counts.setdefault(offset, []).append(count)
    if not counts:
        raise InputError(f"claim: no word of length {claim.lengths[0]} to {claim.lengths[1]} fits at the offsets "
                         f"{claim.offsets[0]} to {claim.offsets[1]}; the network has {network.rows} position rows")
    single = len(counts) <= FEW_OFFSETS and not is_by_place(network, claim)
    runs = ([(offset, count, count) for offset, those in counts.items() for count in those] if single
            else [(offset, those[0], those[-1]) for offset, those in counts.items()])
    return [Part(offset, first, last, settings.most_words, settings.effort) for offset, first, last in runs]


def without(found: Iterable[Found], cover: Cover, refused: Mapping[int, str]) -> list[Found]:
    """What is known when some units of the cover are not accepted."""
    reasons = {(unit["offset"], count): reason for unit, reason in ((cover.units[index], reason) for index, reason
                                                                    in refused.items())
               for count in range(unit["from"], unit["to"] + 1)}
    return [replace(one, way=None, reason=f"the checker does not accept it: {reasons[one.offset, one.count]}")
            if (one.offset, one.count) in reasons else one for one in found]


def covered_by(claim: Claim, found: Sequence[Found]) -> dict[str, int]:
    """How many obligations are covered in which way, and how many words they are about."""
    ways = {way: [one for one in found if one.way == way] for way in ("words", "classes")}
    return {"obligations": len(found), **{f"by {way}": len(those) for way, those in ways.items()},
            "words": sum(words_of(claim, one.count) for those in ways.values() for one in those)}
