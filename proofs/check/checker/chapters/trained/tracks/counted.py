"""An accepted number of right inputs, in words; docs/background/counting.md."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ....kernel.kind import entry
from ....kernel.verdicts import show
from ..describing import covered
from ..reading.count_claim import Weights
from ..reading.count_parts import CountedParts
from ..reading.decision import Decision
from ..reading.tracks_claim import TracksClaim
from .counting import CountedCoverage
from .describing import folded

DIGITS = 15  # of a share in percent


def describe_counts(given: Decision[TracksClaim, CountedParts], coverage: CountedCoverage,
                    lines: list[str]) -> list[str]:
    """Return the claim, the weights, and how many inputs are right, at least and at most."""
    counts = given.counts
    assert counts is not None
    found = [*lines, *(line for number, weights in enumerate(counts.weights or (), 1)
                       for line in entry(f"weights {number}", list(words_of_weights(weights))))]
    for number, ((least, most), one) in enumerate(zip(counts.right, coverage.inputs, strict=True), 1):
        ends = [f"exactly {show(least)}"] if least == most else [f"at least {show(least)}", f"at most {show(most)}"]
        found += entry(f"right {number}", [
            f"of form {number}, whose inputs {'weigh' if counts.weights else 'are'} {show(one.total)}:",
            *(f"{text} ({percent(end, one.total)})" for text, end in zip(ends, (least, most), strict=False))])
        found += entry("first error", [f"at place {place + 1}, where token {token} is written: at least {show(weight)}"
                                       for (place, token), weight in sorted(one.wrong.items())]) if one.wrong else []
    return [*found, *covered(coverage)]


def words_of_weights(weights: Weights) -> Iterator[str]:
    """Yield a weighted automaton, all of it."""
    yield from folded("an input weighs the sum over runs of the product of weights; a run starts in",
                      [f"state {state} with {show(weight)}" for state, weight in enumerate(weights.start) if weight])
    yield from folded("columns are read by tables", [str(table + 1) for table in weights.columns])
    for number, table in enumerate(weights.tables, 1):
        for letter, steps in enumerate(table):
            yield from folded(f"table {number}, letters {letter}:",
                              [f"{one.source} > {one.target} with {show(one.weight)}" for one in steps])
    yield from folded("it ends in", [f"state {state} with {show(weight)}" for state, weight in enumerate(weights.end)])


def percent(part: Fraction, whole: Fraction) -> str:
    """Return a share in percent, exactly if it has few digits, else rounded down."""
    if not whole:
        return "of none"
    share = 100 * part / whole
    digits = f"{share.numerator * 10**DIGITS // share.denominator:0{DIGITS + 1}d}"
    text = f"{digits[:-DIGITS]}.{digits[-DIGITS:]}".rstrip("0").rstrip(".")
    return f"{text}{'' if Fraction(text) == share else '...'} %"
