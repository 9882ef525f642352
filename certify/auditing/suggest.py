"""The warmest constants, head by head: how small each may be, rounded to simple rationals and certified together.

Each head is looked at alone, all others as claimed. Errors that add up in one comparison leave less room for all heads
together, so the suggestion is made a little colder until the whole network is certified.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.auditing.decide import Question, Search, certify_run, question_of, sketch
from certify.auditing.results import Bracket
from certify.auditing.threshold import Probe, find_threshold, read_probe, shortest_between
from certify.outcomes import Outcome
from certify.request import Request
from constructions.network.lengths import Lengths
from constructions.network.sharpening import Place, is_sharpened, with_scores_times
from constructions.network.transformer import Head

WIDTH = Fraction(1, 1000)
ROOM = Fraction(102, 100)
"""A simple rational is looked for up to so far above the constant that is needed."""
COLDER = Fraction(105, 100)
ATTEMPTS = 60


@dataclass(frozen=True)
class SuggestedHead:
    """One head: the constant that is claimed, where its critical one lies (None: any will do), and the suggested one.

    ``critical`` is found by the exact prover alone; it is the network with all suggested constants that is certified.
    """

    place: Place
    name: str
    source: str
    claimed: Fraction
    critical: Bracket | None
    suggested: Fraction


@dataclass(frozen=True)
class Suggestion:
    """The heads, and what the main path says of the network with all suggested constants."""

    heads: tuple[SuggestedHead, ...]
    outcome: Outcome


def suggest(request: Request, lengths: Lengths, search: Search) -> Suggestion:
    """The warmest simple constants with which every obligation is proved at these lengths."""
    gamma = request.gamma
    heads = [((layer, place), head) for layer, place, head in request.network.heads() if is_sharpened(head)]
    suggested = tuple(_suggest_head(request, place, head, lengths, search) for place, head in heads)
    for _ in range(ATTEMPTS):
        factors = {head.place: head.suggested / gamma for head in suggested}
        question = _question(request, factors)
        if all(line.proved for line in sketch(question, lengths, search)):
            break
        suggested = tuple(_colder(head) for head in suggested)
    return Suggestion(suggested, certify_run(question, lengths, search))


def _suggest_head(request: Request, place: Place, head: Head, lengths: Lengths, search: Search) -> SuggestedHead:
    gamma = request.gamma
    search.progress(f"layer {place[0]}, head {place[1]}: {head.name}")

    def probe(constant: Fraction) -> Probe:
        lines = sketch(_question(request, {place: constant / gamma}), lengths, search)
        return read_probe([line for line in lines if line.layer >= place[0]], request.allowed_error)

    found = find_threshold(probe, gamma, WIDTH)
    if isinstance(found, str):
        return SuggestedHead(place, head.name, head.source, gamma, None, gamma)
    simple = shortest_between(found.passes, found.passes * ROOM)
    return SuggestedHead(place, head.name, head.source, gamma, Bracket(found.fails, found.passes), simple)


def _colder(head: SuggestedHead) -> SuggestedHead:
    constant = head.suggested
    return SuggestedHead(head.place, head.name, head.source, head.claimed, head.critical,
                         shortest_between(constant * COLDER, constant * COLDER * ROOM))


def _question(request: Request, factors: Mapping[Place, Fraction]) -> Question:
    network = with_scores_times(request.network, lambda place: factors.get(place, Fraction(1)))
    return replace(question_of(request), network=network)
