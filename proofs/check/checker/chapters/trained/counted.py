"""An accepted number of right inputs or words, and their weights, in words; docs/background/counting.md."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ...kernel.kind import entry
from ...kernel.verdicts import show
from .describing import covered, folded

if TYPE_CHECKING:
    from .reading.count_claim import CountClaim, Weights
    from .reading.count_parts import CountedParts
    from .reading.decision import Decision
    from .reading.tracks_claim import TracksClaim
    from .reading.word_parts import WordsParts
    from .reading.words_claim import TrainedClaim
    from .tracks.counting import CountedCoverage
    from .words.counting import WordsCoverage

DIGITS = 15  # of a share in percent


def describe_inputs(given: Decision[TracksClaim, CountedParts], coverage: CountedCoverage,
                    lines: list[str]) -> list[str]:
    """Return the claim, the weights, and how many inputs are right, at least and at most."""
    counts = given.counts
    assert counts is not None
    found = [*lines, *words_of_weights(counts)]
    for number, (ends, one) in enumerate(zip(counts.right, coverage.inputs, strict=True), 1):
        found += entry(f"right {number}", [
            f"of form {number}, whose inputs {'weigh' if counts.weights else 'are'} {show(one.total)}:",
            *words_of_ends(*ends, one.total)])
        found += entry("error", [f"at place {place + 1}, where token {token} is written: at least {show(weight)}"
                                 for (place, token), weight in sorted(one.wrong.items())]) if one.wrong else []
    return [*found, *covered(coverage)]


def describe_words(given: Decision[TrainedClaim, WordsParts], coverage: WordsCoverage,
                    lines: list[str]) -> list[str]:
    """Return the claim, the weights, and how many words of each length are right, at least and at most."""
    counts = given.counts
    assert counts is not None
    found = [*lines, *words_of_weights(counts)]
    for n, ends, one in zip(given.claim.widths, counts.right, coverage.words, strict=True):
        noun = "words, which weigh" if counts.weights else "words:"
        found += entry(f"right {n}", [f"of {show(one.total)} {noun} " + ", ".join(words_of_ends(*ends, one.total))])
    return [*found, *covered(coverage)]


def words_of_ends(least: Fraction, most: Fraction, total: Fraction) -> list[str]:
    """Return the claimed number, or the least and the greatest one, with the share of the total."""
    if least == most:
        return [f"exactly {show(least)} ({percent(least, total)})"]
    return [f"at least {show(least)} ({percent(least, total)})", f"at most {show(most)} ({percent(most, total)})"]


def words_of_weights(counts: CountClaim) -> Iterator[str]:
    """Yield the weighted automata, if there are some, an entry for each."""
    for number, weights in enumerate(counts.weights or (), 1):
        yield from entry(f"weights {number}", list(words_of_automaton(weights)))


def words_of_automaton(weights: Weights) -> Iterator[str]:
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
