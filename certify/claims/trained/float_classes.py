"""Covers by abstract words for float executions: docs/background/floats_rules.md, section 7.

The network with rounded weights is searched over the reals, for rows that exceed the margin by ROOM; its ranges are
widened by a guess of the float error, which grows until the trusted folder proves the ranges. Only the trusted folder
certifies.
"""

import base64
from dataclasses import replace
from fractions import Fraction
from operator import itemgetter
from typing import Any

import numpy as np

from certify.claims.trained.decide import Searches, Settings, found_in
from certify.claims.trained.proving import WORK
from constructions.errors import Unsupported
from constructions.trained.claim import WordsClaim, claim_of_lengths
from constructions.trained.network import TrainedNetwork
from proofs.check import Refusal, check_text
from proofs.checking.parts import find_unproved_float_units
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.certificate import CoverJson, decision_text, joined

FEW_WORDS = 2**5
"""The number of words of a length that are run one by one beside a cover by abstract words."""
ROOM = Fraction(1, 64)
"""The excess over the margin that rows need over the reals, so that float executions exceed it, too."""
FIRST_SLACK, WIDER, TRIES = 2**4, 4, 5
"""Slack of the ranges, in units in the last place of the storage; its growth factor; the number of tries."""
LENGTHS_TRIED = 6
"""The number of shorter lengths that are tried if a cover is not proved."""
LARGEST = 2**31 - 1


def certified_by_classes(network: TrainedNetwork, cast: TrainedNetwork, claim: WordsClaim, run: FloatModel
                         ) -> tuple[int, str, str | None]:
    """Return the length up to which a cover is proved, why not more, and the certificate that is accepted.

    ``cast`` is the network with the weights rounded by the float model.
    """
    first, last = claim.lengths
    if cast.attention == "bidirectional":
        return first - 1, "abstract words in float executions: expected causal attention", None
    searches = Searches(cast, Settings(most_words=FEW_WORDS))
    proved = first - 1
    best: tuple[int, str, str | None] = proved, "", None
    for room in (ROOM, Fraction(0)):
        try:
            covered, reason = _covered(searches, _with_room(claim, room))
            if covered > proved:
                restricted = claim_of_lengths(network, claim, first, covered)
                best = max(best, _proved(network, searches, restricted, run, room, reason), key=itemgetter(0))
            proved = covered
        except (Refusal, Unsupported) as refusal:
            reason = str(refusal)
        best = best[0], best[1] or reason, best[2]
        if best[0] == last:
            break
    return best


def _proved(network: TrainedNetwork, searches: Searches, claim: WordsClaim, run: FloatModel, room: Fraction, reason: str
            ) -> tuple[int, str, str | None]:
    """Prove a claim that is covered over the reals, as far as possible; ``reason`` is why it is not covered farther."""
    first, reach = claim.lengths
    low, above, proved = first - 1, reach + 1, None
    for _ in range(LENGTHS_TRIED):
        if reach <= low:
            break
        restricted = claim_of_lengths(network, claim, first, reach)
        cover = joined(result.cover for result in searches.results(_with_room(restricted, room), frozenset()))
        text, unproved = _widened(network, restricted, run, cover)
        if unproved:
            count, reason = min((cover.units[place]["from"], why) for place, why in unproved)
            above, before = reach, min(reach, count) - 1
            reach = before if before > low else (low + above) // 2
        else:
            check_text(text.encode(), work=WORK)
            low, proved, reach = reach, text, (reach + above) // 2
    return low, reason, proved


def _with_room(claim: WordsClaim, room: Fraction) -> WordsClaim:
    return replace(claim, margin=claim.margin + room)


def _covered(searches: Searches, claim: WordsClaim) -> tuple[int, str]:
    """Return the length up to which all words are covered over the reals, and why not more."""
    holes = [(one.count, one.reason) for one in found_in(searches.results(claim, frozenset())) if one.way is None]
    count, reason = min(holes, default=(claim.lengths[1] + 1, ""))
    return count - 1, reason and f"the network with rounded weights, over the real numbers: {reason}"


def _widened(network: TrainedNetwork, claim: WordsClaim, run: FloatModel, cover: CoverJson
             ) -> tuple[str, list[tuple[int, str]]]:
    """Return the certificate with the least sufficient slack, and the units that are not proved with the last one."""
    slacks = [FIRST_SLACK * float(run.storage.roundoff)] * len(cover.units)
    for tried in range(TRIES):
        units = tuple(wider(unit, slack) for unit, slack in zip(cover.units, slacks, strict=True))
        text = decision_text(network, claim, replace(cover, units=units), run)
        unproved = find_unproved_float_units(text.encode(), WORK)
        narrow = [place for place, why in unproved if "a range of head" in why]
        if not narrow or tried == TRIES - 1:
            break
        for place in narrow:
            slacks[place] *= WIDER
    return text, unproved


def wider(unit: dict[str, Any], slack: float) -> dict[str, Any]:
    """Widen the ranges of a unit, relative to the greatest absolute value of them, or to 1."""
    if unit["by"] != "classes" or not unit["ranges"]:
        return unit
    numbers = np.frombuffer(base64.b64decode(unit["ranges"]), "<i4").astype(np.int64).reshape(-1, 2)
    more = int(np.ceil(slack * max(np.abs(numbers).max(), 2 ** unit["bits"])))
    found = np.clip(numbers + np.array([-more, more]), -LARGEST, LARGEST).astype("<i4")
    return unit | {"ranges": base64.b64encode(found.tobytes()).decode()}
