"""An accepted number of right words of each length, in words; docs/background/counting.md, section 5."""

from __future__ import annotations

from ....kernel.kind import entry
from ....kernel.verdicts import show
from ..counted import words_of_ends, words_of_weights
from ..describing import covered
from ..reading.decision import Decision
from ..reading.word_parts import WordsParts
from ..reading.words_claim import TrainedClaim
from .counting import WordsCoverage


def describe_counts(given: Decision[TrainedClaim, WordsParts], coverage: WordsCoverage,
                    lines: list[str]) -> list[str]:
    """Return the claim, the weights, and how many words of each length are right, at least and at most."""
    counts = given.counts
    assert counts is not None
    found = [*lines, *words_of_weights(counts)]
    for n, ends, one in zip(given.claim.widths, counts.right, coverage.words, strict=True):
        noun = "words, which weigh" if counts.weights else "words:"
        found += entry(f"right {n}", [f"of {show(one.total)} {noun} " + ", ".join(words_of_ends(*ends, one.total))])
    return [*found, *covered(coverage)]
