"""The smallest sufficient constants, head by head, rounded to simple rationals and certified together.

Each head is examined separately, with all others as claimed. Errors that add up in one comparison leave less slack for
all heads together, so the suggestion is made slightly colder until the whole network is certified.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from certify.auditing.decide import AuditSearch, ClaimedNetwork, certify_run, network_of, read_probe, sketch
from certify.claims.critical.threshold import NoChange, Probe, find_threshold, rational_nearby, shortest_between
from certify.claims.formula.outcomes import Outcome
from certify.requests.request import Request
from constructions.language.expressions import Constant
from constructions.network.lengths import Lengths
from constructions.network.sharpening import Place, is_sharpened, with_scores_times
from constructions.network.transformer import Head
from proofs.enclosures.intervals import Interval

WIDTH = Fraction(1, 1000)
ROOM = Fraction(102, 100)
"""The factor above the required constant within which a simple rational is chosen."""
COLDER = Fraction(105, 100)
ATTEMPTS = 60
Passing = Literal["", "any", "none"]


@dataclass(frozen=True)
class SuggestedHead:
    """One head: the claimed constant, the bracket of its critical one, and the suggested one.

    ``critical`` is found by the exact prover only; the network with all suggested constants is certified. If there is
    none, ``passing`` is which of the tried constants suffice: any, or none.
    """

    place: Place
    name: str
    source: str
    claimed: Constant
    critical: Interval | None
    suggested: Fraction
    passing: Passing = ""


@dataclass(frozen=True)
class Suggestion:
    """The heads, and the outcome of the network with all suggested constants."""

    heads: tuple[SuggestedHead, ...]
    outcome: Outcome


def suggest(request: Request, lengths: Lengths, search: AuditSearch) -> Suggestion:
    """Return the smallest simple constants with which every obligation is proved at these lengths."""
    claimed, request = request.gamma, request.with_gamma(rational_nearby(request.gamma))
    heads = [((layer, number), head) for layer, number, head in request.network.heads() if is_sharpened(head)]
    suggested = tuple(_suggest_head(request, place, head, lengths, search) for place, head in heads)
    for _ in range(ATTEMPTS):
        if all(line.proved for line in sketch(_with_suggested(request, suggested), lengths, search)):
            break
        suggested = tuple(replace(head, suggested=shortest_between(colder, colder * ROOM))
                          for head in suggested for colder in [head.suggested * COLDER])
    suggested = tuple(replace(head, claimed=claimed) for head in suggested)
    return Suggestion(suggested, certify_run(_with_suggested(request, suggested), lengths, search))


def _suggest_head(request: Request, place: Place, head: Head, lengths: Lengths, search: AuditSearch) -> SuggestedHead:
    gamma = rational_nearby(request.gamma)
    search.progress(f"layer {place[0]}, head {place[1]}: {head.name}")

    def probe(constant: Fraction) -> Probe:
        lines = sketch(_with_factors(request, {place: constant / gamma}), lengths, search)
        return read_probe([line for line in lines if line.layer >= place[0]], request.allowed_error)

    found = find_threshold(probe, gamma, WIDTH)
    if isinstance(found, NoChange):
        passing: Passing = "any" if found is NoChange.ALL_PASS else "none"
        return SuggestedHead(place, head.name, head.source, gamma, None, gamma, passing)
    simple = shortest_between(found.passes, found.passes * ROOM)
    return SuggestedHead(place, head.name, head.source, gamma, Interval(found.fails, found.passes), simple)


def _with_suggested(request: Request, heads: Iterable[SuggestedHead]) -> ClaimedNetwork:
    return _with_factors(request, {head.place: head.suggested / rational_nearby(request.gamma) for head in heads})


def _with_factors(request: Request, factors: Mapping[Place, Fraction]) -> ClaimedNetwork:
    network = with_scores_times(request.network, lambda place: factors.get(place, Fraction(1)))
    return replace(network_of(request), network=network)
