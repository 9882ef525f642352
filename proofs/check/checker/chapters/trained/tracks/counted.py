"""An accepted number of right inputs, in words; docs/background/counting.md."""

from __future__ import annotations

from ....kernel.kind import entry
from ....kernel.verdicts import show
from ..counted import words_of_ends, words_of_weights
from ..describing import covered
from ..reading.count_parts import CountedParts
from ..reading.decision import Decision
from ..reading.tracks_claim import TracksClaim
from .counting import CountedCoverage


def describe_counts(given: Decision[TracksClaim, CountedParts], coverage: CountedCoverage,
                    lines: list[str]) -> list[str]:
    """Return the claim, the weights, and how many inputs are right, at least and at most."""
    counts = given.counts
    assert counts is not None
    found = [*lines, *words_of_weights(counts)]
    for number, (ends, one) in enumerate(zip(counts.right, coverage.inputs, strict=True), 1):
        found += entry(f"right {number}", [
            f"of form {number}, whose inputs {'weigh' if counts.weights else 'are'} {show(one.total)}:",
            *words_of_ends(*ends, one.total)])
        found += entry("first error", [f"at place {place + 1}, where token {token} is written: at least {show(weight)}"
                                       for (place, token), weight in sorted(one.wrong.items())]) if one.wrong else []
    return [*found, *covered(coverage)]
