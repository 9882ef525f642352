"""Differences and errors of the scores of a head; docs/background/floats_rules.md, section 4, rule 2.

Real scores are those of the certificate, over all words: letters of attention.py, cases of lookup.py.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from operator import mul
from typing import NamedTuple

from ...kernel.numbers import ONE, over_one_denominator
from ...kernel.reading.records import Head, visible
from ...kernel.verdicts import require, within
from ..formula.attention.attention import AttendedTruth
from ..formula.composition import names_in
from ..formula.proof import ProofContext
from ..sums.lookup.lookup import Lookup, RowScores
from ..sums.lookup.target import LookupTarget
from .enclosures import FloatEnclosures
from .forms import Arithmetic, FloatValue
from .rounding import up

GAP_BITS = 32  # fractional bits of a gap that is rounded down


class ScoreSpread(NamedTuple):
    """Quantities of rule 3 for the scores of some rows.

    Attributes:
        error: of a computed score (delta); if it is 0, scores are multiples of 2^grid.
        difference: the greatest of two real scores of one row (D).
        size: the greatest absolute value of a real score (M).
        gap: least difference of scores of different positions of one row, over all words; None if unknown.
    """

    error: Fraction
    grid: int | None
    difference: Fraction
    size: Fraction
    gap: Fraction | None


class RealSpread(NamedTuple):
    """Difference, size and gap of the real scores of some rows."""

    difference: Fraction
    size: Fraction
    gap: Fraction | None


def find_score(proof: ProofContext, arithmetic: Arithmetic, enclosures: FloatEnclosures, head: Head,
               n: int) -> FloatValue:
    """Enclose all computed scores of a length; the temperature scales the queries, unless it is 1 everywhere."""
    read = names_in([*head.queries, *head.keys])
    enclosed: Mapping[str, FloatValue] = {name: enclosures.value(name, n) for name in read}
    with within("queries"):
        queries = [arithmetic.form(query, enclosed) for query in head.queries]
        temperatures = set(proof.columns.numbers(head.temperature, n))
        if not is_one_everywhere(proof, head):
            scale = arithmetic.inverse(sorted(temperatures))
            queries = [arithmetic.scaled(query, scale) for query in queries]
    with within("keys"):
        keys = [arithmetic.form(key, enclosed) for key in head.keys]
    with within("scores"):
        return arithmetic.score(queries, keys)


def is_one_everywhere(proof: ProofContext, head: Head) -> bool:
    """Return whether the temperature is 1 at every (n, i): then nothing is multiplied."""
    lengths = proof.claim.lengths if "n" in proof.language.leaves(head.temperature) else proof.claim.lengths[-1:]
    return all(temperature == ONE for n in lengths for temperature in proof.columns.numbers(head.temperature, n))


def join_spread(score: FloatValue, real: RealSpread) -> ScoreSpread:
    """Combine both, in few bits; what is exact stays exact."""
    gap = None if real.gap is None else Fraction(real.gap * (1 << GAP_BITS) // 1, 1 << GAP_BITS)
    return ScoreSpread(score.error, None if score.error else score.grid, up(real.difference), up(real.size), gap)


class AttentionScores:
    """The real scores of an attention head."""

    def __init__(self, proof: ProofContext, attention: AttendedTruth) -> None:
        self._proof, self._attention = proof, attention

    def find(self, n: int) -> RealSpread:
        """Return difference, size and gap over all rows of a length, whether the guard holds there or not."""
        letters, kinds = self._attention.read_letters(n)
        positions = self._attention.read_positions(n, letters, kinds)
        added = {letter.adds for _, some in letters for letter in some}
        budget = self._proof.budget
        unit, rows = over_one_denominator(budget, [*(position.known for position in positions), *added])
        known, adds = rows[: len(positions)], dict(zip(added, rows[len(positions) :], strict=True))
        options = [{adds[letter.adds] for letter in position.letters} for position in positions]
        found = []
        for query, lengths in self._attention.group(n, [True] * n):
            over, (factors,) = over_one_denominator(budget, [query])
            seen = max(lengths)
            budget.spend(seen * (8 + len(query) * max(map(len, options)) * (1 + (unit.bit_length() >> 6))))
            scores = list(self._scores(factors, known[:seen], options))
            found.append(measure(scores, unit * over))
        return join_real(found)

    def _scores(self, query: Sequence[int], known: Sequence[Sequence[int]],
                options: Sequence[set[tuple[int, ...]]]) -> Iterator[tuple[int, int]]:
        """Yield every score that a position can have, with the position."""
        for place, (keys, some) in enumerate(zip(known, options, strict=False)):
            start = sum(map(mul, query, keys))
            products = {sum(map(mul, query, adds)) for adds in some}
            yield from ((start + product, place) for product in products)


def measure(scores: Sequence[tuple[int, int]], unit: int) -> RealSpread:
    """Return difference, size and gap of scores over a unit, with their positions.

    The least difference of scores of different positions is one of neighbours in order: between two scores of different
    positions lie two neighbours of different positions, which differ by no more.
    """
    ordered = sorted(scores)
    gaps = [b - a for (a, place), (b, other) in pairwise(ordered) if place != other]
    low, high = ordered[0][0], ordered[-1][0]
    return RealSpread(Fraction(high - low, unit), Fraction(max(-low, high, 0), unit),
                Fraction(min(gaps), unit) if gaps else None)


def join_real(found: Sequence[RealSpread]) -> RealSpread:
    """Combine rows; a row that sees one position has no gap, and needs none."""
    gaps = [real.gap for real in found if real.gap is not None]
    return RealSpread(max(real.difference for real in found), max(real.size for real in found), min(gaps, default=None))


class LookupScores:
    """The real scores of a lookup head."""

    def __init__(self, proof: ProofContext, head: Head, name: str, target: LookupTarget) -> None:
        self._proof, self._head, self._target = proof, head, target
        self._lookup = Lookup(proof, head, name, target)

    def find(self, n: int) -> RealSpread:
        """Return difference and size over all rows of a length, and all counts.

        Scores are linear in the count, so the greatest difference and size, which are convex, are at its ends.
        """
        found = []
        for row_scores, numbers in self._scores_of_rows(n):
            for m in {numbers[0], numbers[-1]}:
                scores = [start + m * step for start, step in zip(row_scores.starts, row_scores.steps, strict=True)]
                unit = row_scores.denominator * row_scores.size
                found.append(RealSpread(Fraction(max(scores) - min(scores), unit),
                                  Fraction(max(map(abs, scores)), unit), None))
        return join_real(found)

    def _scores_of_rows(self, n: int) -> Iterator[tuple[RowScores, range]]:
        """Yield the scores of each row, for both truths of what is counted, with the possible numbers of others."""
        size, rows = self._lookup.keys_and_values(n)
        for i in range(1, n + 1):
            settled = self._proof.language.settle(self._target.order, n, i)
            first, last = visible(self._head.mask, n, i)
            span = self._proof.positions_counted(self._target.count, n, i)
            for b in [settled[self._target.counted]] if self._target.counted in settled else [False, True]:
                yield self._lookup.row_scores(n, i, b, size, rows[first - 1 : last]), range(span)

    def find_curvature(self, n: int) -> Fraction | None:
        """Return the least curvature over all rows and numbers m of others; None if any curvature is right.

        It is the greatest c such that a position has the value m, and scores where the value is m + k or m - k are at
        least c k^2 below its score. Values must be one apart.
        """
        found: list[Fraction] = []
        for row_scores, numbers in self._scores_of_rows(n):
            is_stepped = all(b - a == row_scores.size for a, b in pairwise(row_scores.values))
            require(is_stepped and row_scores.values[0] <= 0 and row_scores.values[-1] >= numbers[-1] * row_scores.size,
                    "the values are not consecutive, or miss a target, at n = {}", n)
            for m in numbers:
                scores = [start + m * step for start, step in zip(row_scores.starts, row_scores.steps, strict=True)]
                distances = [value // row_scores.size - m for value in row_scores.values]
                top = scores[distances.index(0)]
                found += [Fraction(top - score, row_scores.denominator * row_scores.size * k * k)
                          for score, k in zip(scores, distances, strict=True) if k]
        return min(found, default=None)
