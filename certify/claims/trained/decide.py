"""The main path of a decision: split into parts, search in floating point, cover all words, prove the cover."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from certify.claims.trained.decision import (
    MOST_WORDS,
    Decision,
    DecisionPart,
    ObligationResult,
    PartResult,
    is_whole_domain,
    rows_by_length,
    rows_by_offset,
    shortest,
    words_of,
)
from certify.claims.trained.proving import accepted_wrong_word, find_refusals, with_vacuous_ones
from certify.claims.trained.searching import do_part, parts_to_tasks
from certify.claims.trained.tasks import result_from_text, text_of_claim, text_of_network
from certify.common.shards import ShardsProgress, Workers, run_tasks
from certify.requests.arguments import read_effort
from constructions.errors import InputError
from constructions.progress import listening
from constructions.trained.claim import WordsClaim, check_fits, claim_of_lengths, is_by_place, obligations
from constructions.trained.network import TrainedNetwork
from proofs.trained.balls import BallNetwork
from proofs.trained.certificate import CoverJson, decision_text, joined
from proofs.trained.runs import runs
from proofs.trained.search import find_wrong_prefix, is_wrong

Avoided = frozenset[tuple[int, int, str]]
"""Obligations (offset, place or length) with a method by which they must not be covered."""
WAYS = ("words", "classes")
FEW_OFFSETS = 8
"""With at most this many offsets, each length is a separate part if lengths share no work."""


@dataclass(frozen=True)
class Settings:
    """The workers, the store of finished searches, and the effort."""

    workers: Workers = field(default_factory=Workers)
    store: Path | None = None
    most_words: int = MOST_WORDS
    effort: int = 1

    def __post_init__(self) -> None:
        """Raise InputError if the effort is out of range."""
        read_effort(self.effort)


def decide(network: TrainedNetwork, claim: WordsClaim, settings: Settings | None = None,
           searches: Searches | None = None) -> Decision:
    """Decide whether the claim is true of the network; the checker accepts certified lengths, wrong words are proved.

    ``searches`` of the same network may contain results of some parts.

    Raises:
        InputError: if the claim, or every word of these lengths, does not fit the network.
    """
    start, settings = time.perf_counter(), settings or Settings()
    check_fits(network, claim)
    found, texts = prove_all(searches or Searches(network, settings), claim)
    if settings.store:
        found = with_wrong_words_proved(network, claim, found)
    found = with_wrong_prefixes(network, claim, found)
    rows = with_vacuous_ones(rows_by_length(network, claim, found), texts.values())
    wrong = shortest(one.wrong for one in found if one.wrong)
    return Decision(
        network, claim, rows, texts.get(rows[0].n), wrong, accepted_wrong_word(network, claim, wrong),
        time.perf_counter() - start, offsets=tuple(rows_by_offset(network, claim, found)),
        covered=covered_by(claim, found), whole_domain=is_whole_domain(network, claim))


def with_wrong_words_proved(network: TrainedNetwork, claim: WordsClaim,
                            found: Iterable[ObligationResult]) -> list[ObligationResult]:
    """Drop the wrong words of a store that ball arithmetic does not confirm."""
    balls = BallNetwork(network)
    return [one if one.wrong is None or is_wrong(balls, claim, one.wrong)
            else replace(one, wrong=None, reason="the store's wrong word is right") for one in found]


def with_wrong_prefixes(network: TrainedNetwork, claim: WordsClaim,
                        found: Iterable[ObligationResult]) -> list[ObligationResult]:
    """Add wrong prefixes of wrong words, at lengths where no wrong word was found."""
    balls, by_obligation = BallNetwork(network), {(one.offset, one.count): one for one in found}
    for one in [one for one in by_obligation.values() if one.wrong]:
        prefix = find_wrong_prefix(network, claim, one.wrong) if one.wrong else None
        shorter = by_obligation.get((one.offset, len(prefix.word))) if prefix else None
        if prefix and shorter and shorter.way is None and not shorter.wrong and is_wrong(balls, claim, prefix):
            by_obligation[shorter.offset, shorter.count] = replace(shorter, wrong=prefix)
    return list(by_obligation.values())


class Searches:
    """The floating-point search results for the obligations of one network; each part is searched once."""

    def __init__(self, network: TrainedNetwork, settings: Settings) -> None:
        self.network, self.settings = network, settings
        self.text = text_of_network(network)
        self._results: dict[str, PartResult] = {}

    def results(self, claim: WordsClaim, avoided: Avoided) -> list[PartResult]:
        """Return the results of all obligations of a claim; ``avoided`` methods are not used."""
        parts = [replace(part, avoid=tuple(sorted((count, way) for offset, count, way in avoided
                                                  if offset == part.offset and part.first <= count <= part.last)))
                 for part in plan(self.network, claim, self.settings)]
        return self.of_parts(claim, parts)

    def of_parts(self, claim: WordsClaim, parts: Sequence[DecisionPart]) -> list[PartResult]:
        """Return the results of some parts of a claim; earlier ones are not searched again."""
        about = [self.text, text_of_claim(claim)]
        tasks = parts_to_tasks(about, parts)
        new = {task: sum(range(part.first, part.last + 1)) + 1
               for task, part in zip(tasks, parts, strict=True) if task not in self._results}
        with ShardsProgress("searching", "parts", "parts") as progress, listening(progress.hear):
            texts = run_tasks(list(new), do_part, jobs=self.settings.workers.jobs, dask=self.settings.workers.dask,
                              store=self.settings.store, progress=progress, sizes=list(new.values()),
                              shared=about)
        self._results |= {task: result_from_text(PartResult, text) for task, text in zip(new, texts, strict=True)}
        return [self._results[task] for task in tasks]


def prove_all(searches: Searches, claim: WordsClaim) -> tuple[list[ObligationResult], dict[int, str]]:
    """Decide all obligations; return a certificate for each run of covered lengths, by its first length.

    Obligations that the checker refuses are searched again, for another method; all that are covered at the end were
    accepted.
    """
    refused: dict[tuple[int, int, str], str] = {}
    texts: dict[str, Mapping[tuple[int, int, str], str]] = {}
    while True:
        found = found_in(searches.results(claim, frozenset(refused)))
        new: dict[tuple[int, int, str], str] = {}
        accepted: dict[int, str] = {}
        for first, last in runs(row.n for row in rows_by_length(searches.network, claim, found)
                                if row.verdict == "certified"):
            text, cover, open_ones = certificate_of(
                searches, claim_of_lengths(searches.network, claim, first, last), frozenset(refused))
            if not open_ones and text not in texts:
                texts[text] = refusals(text, cover, searches.settings)
            new |= open_ones or texts[text]
            accepted[first] = text
        if not new:
            return [with_reason(one, refused) for one in found], accepted
        refused |= new


def certificate_of(searches: Searches, claim: WordsClaim, avoided: Avoided
                   ) -> tuple[str, CoverJson, dict[tuple[int, int, str], str]]:
    """Return the certificate of some lengths, its cover, and their open obligations, with reasons."""
    results = searches.results(claim, avoided)
    cover = joined(result.cover for result in results)
    open_ones = {(one.offset, one.count, way): one.reason for one in found_in(results) if one.way is None
                 for way in WAYS if (one.offset, one.count, way) not in avoided}
    return decision_text(searches.network, claim, cover), cover, open_ones


def refusals(text: str, cover: CoverJson, settings: Settings) -> dict[tuple[int, int, str], str]:
    """Return the obligations whose units the checker refuses, each with its method and the reason."""
    refused = find_refusals(text, settings.workers)
    units = {place: cover.units[place] for place in refused}
    return {(unit["offset"], count, unit["by"]): refused[place] for place, unit in units.items()
            for count in range(unit["from"], unit["to"] + 1)}


def found_in(results: Iterable[PartResult]) -> list[ObligationResult]:
    """Return the results of all obligations of some parts."""
    return [one for result in results for one in result.found]


def with_reason(found: ObligationResult, refused: Mapping[tuple[int, int, str], str]) -> ObligationResult:
    """Add the checker's reason to an open obligation."""
    reasons = [refused[key] for way in WAYS if (key := (found.offset, found.count, way)) in refused]
    if found.way is not None or found.wrong or not reasons:
        return found
    return replace(found, reason=f"the checker does not accept it: {reasons[0]}")


def plan(network: TrainedNetwork, claim: WordsClaim, settings: Settings) -> list[DecisionPart]:
    """Split the obligations into parts that depend only on the claim, so that results do not depend on the workers.

    Raises:
        InputError: if there are no obligations.
    """
    counts: dict[int, list[int]] = {}
    for offset, count in obligations(network, claim):
        counts.setdefault(offset, []).append(count)
    if not counts:
        raise InputError(f"claim: no word of length {claim.lengths[0]} to {claim.lengths[1]} fits at the offsets "
                         f"{claim.offsets[0]} to {claim.offsets[1]}; the network has {network.rows} position rows")
    single = len(counts) <= FEW_OFFSETS and not is_by_place(network, claim)
    stretches = ([(offset, count, count) for offset, those in counts.items() for count in those] if single
                 else [(offset, those[0], those[-1]) for offset, those in counts.items()])
    return [DecisionPart(offset, first, last, settings.most_words, settings.effort) for offset, first,
            last in stretches]


def covered_by(claim: WordsClaim, found: Sequence[ObligationResult]) -> dict[str, int]:
    """Count the obligations covered by each method, and the words that they are about."""
    ways = {way: [one for one in found if one.way == way] for way in WAYS}
    return {"obligations": len(found), **{f"by {way}": len(those) for way, those in ways.items()},
            "words": sum(words_of(claim, one.count) for those in ways.values() for one in those)}
