"""Obligations of heads of additive weightings that look up a count.

Source      docs/background/obligations.md, sum lookup.
Setting     A *case* is (n, i), the truth b of what is counted there, and the number m of other positions counted. The
            scores of each head are a (p - j) and a constant at every position j, where p = m + off and b decides off.
            In every case in which something is claimed, p is visible and has the claimed value: that is checked here.
            It remains to prove the response function around 0.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from constructions.language.positional import positional_truths
from constructions.language.printer import format_count
from constructions.language.syntax import Count, is_positional
from constructions.network.lengths import Lengths
from constructions.network.meanings import Near, Total, Truth
from constructions.network.transformer import Coefficients, Head, Mask, Transformer
from constructions.network.weightings import Weighting
from proofs.enclosures.exponential import PRECISIONS
from proofs.formula.additive.obligation import common_mask, common_value, heads_writing, the_count
from proofs.formula.additive.responses import Line, ResponseFunction, find_response_functions, lengths_that_differ
from proofs.formula.common.kinds import Approximation, ObligationKind
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.failures import NotDerived
from proofs.formula.lookup.obligation import LookupTargets
from proofs.formula.uniform.obligation import check_reads_known

ZERO = Fraction(0)
Offsets = tuple[int | None, int | None]
"""p - m, by the truth of the counted formula; None if it never has this truth."""


@dataclass(frozen=True)
class SumLookupObligation(Approximation):
    """Each response function is 1 at 0 and 0 elsewhere, to within ``allowed_error``."""

    kind: ClassVar[ObligationKind] = ObligationKind.SUM_LOOKUP
    meaning: Near
    allowed_error: Fraction
    functions: tuple[ResponseFunction, ...]

    def key(self) -> tuple[Hashable, ...]:
        """Return a key by which equal obligations are discharged once."""
        return self.allowed_error, self.functions, self.lengths


def oblige_sum_lookup(written: WrittenDirection) -> SumLookupObligation:
    """Return the obligation of one direction that means ``near χ when G``, written by heads that look up a count.

    Raises:
        NotDerived: if the rule does not cover them, or a value is not what is claimed.
    """
    transformer, known, lengths, direction = written.transformer, written.known, written.lengths, written.direction
    heads, meaning = heads_writing(written), written.meaning
    if not isinstance(meaning, Near):
        raise NotDerived(f"heads that look up a count are near a truth, and this direction is {meaning}")
    mask = common_mask(heads)
    count = the_count(transformer, [row for head in heads for row in head.queries])
    factors, value = common_value(heads, direction)
    check_reads_known(value, known, "a value")
    scores = [_Scores(transformer, known, head, count) for head in heads]
    places = _Places(heads[0].weighting, factors, scores, lengths)
    _check_values(known, _Claims(meaning, count, mask, value, lengths), places)
    return SumLookupObligation(written.layer, written.place, heads[0], direction, lengths, meaning,
                               written.allowed_error,
                               find_response_functions(heads[0].weighting, factors, places.lines, 0, two_sided=True))


class _Scores:
    """The scores of one head: a m + c_b - a j at every j, b the truth of the counted formula."""

    def __init__(self, transformer: Transformer, known: KnownValues, head: Head, count: Count):
        """Store a head whose queries read known directions, totals of the count, and the counted truth only."""
        self.known, self.head, self.count = known, head, count
        self.parts = [self._parts(transformer, row) for row in head.queries]
        for row in head.keys:
            check_reads_known(row, known, "a key")

    def _parts(self, transformer: Transformer, row: Coefficients) -> tuple[Fraction, Fraction]:
        """Return the coefficients of the count, and of the truth of the counted formula where that is not known."""
        total = here = ZERO
        for name, weight in row.items():
            match transformer.directions[name]:
                case _ if name in self.known:
                    pass
                case Total(other) if other is self.count:
                    total += weight
                case Truth(formula) if formula is self.count.operand:
                    here += weight
                case meaning:
                    raise NotDerived(f"a query reads {name}, {meaning}, which {format_count(self.count)} and the truth "
                                     "of what it counts do not decide")
        return total, here

    def at(self, n: int) -> tuple[Fraction, tuple[Fraction | None, Fraction | None]]:
        """Return a, and c_b for both truths; None for a truth that the counted formula never has.

        Raises:
            NotDerived: if scores do not have this form.
        """
        temperatures = self.head.temperature.column(range(1, n + 1), n)
        columns = [self.known.forms(row, n) for row in self.head.queries]
        rows = list(zip(temperatures, *columns, strict=True))
        keys = list(enumerate(zip(*(self.known.forms(row, n) for row in self.head.keys), strict=True), start=1))
        slopes = {sum((total * k for (total, _), k in zip(self.parts, key, strict=True)), ZERO) / temperature
                  for temperature in set(temperatures) for _, key in keys}
        if len(slopes) != 1 or not keys:
            raise NotDerived(f"scores do not grow with the count by one number, at n = {n}")
        slope = slopes.pop()
        found: list[Fraction | None] = []
        for here, seen in enumerate(_rows_by_truth(self.count, rows, n)):
            offsets = {sum(((q + (total + truth) * here) * k for q, (total, truth), k
                            in zip(query, self.parts, key, strict=True)), ZERO) / temperature + slope * j
                       for temperature, *query in seen for j, key in keys}
            if len(offsets) > 1:
                raise NotDerived(f"scores are not a number times the distance from one position, at n = {n}")
            found.append(offsets.pop() if offsets else None)
        return slope, (found[0], found[1])


Row = tuple[Fraction, ...]


def _rows_by_truth(count: Count, rows: Sequence[Row], n: int) -> tuple[set[Row], set[Row]]:
    """Return the rows at which the counted formula may be false, and those at which it may be true."""
    found: tuple[set[Row], set[Row]] = set(), set()
    for i, truths in _truths_of_rows(count, n):
        for truth in truths:
            found[truth].add(rows[i - 1])
    return found


class _Places:
    """The target position p at each length, and the scores there as lines in p - j."""

    def __init__(self, weighting: Weighting, factors: Sequence[Fraction], scores: Sequence[_Scores], lengths: Lengths):
        """Find the target positions of heads with these factors and scores."""
        self.weighting, self.factors = weighting, factors
        self.lines: list[dict[int, Line]] = [{} for _ in scores]
        self._offsets: dict[int, Offsets] = {}
        self._peaks: dict[Hashable, int] = {}
        self._last = lengths.last
        for n in sorted({n for each in scores for n in lengths_that_differ(each.known, each.head, lengths)}):
            self._place([each.at(n) for each in scores], n)

    def offsets(self, n: int) -> Offsets:
        """Return p - m at this length, by the truth of the counted formula."""
        return self._offsets.get(n) or self._offsets[self._last]

    def _place(self, scores: Sequence[tuple[Fraction, tuple[Fraction | None, Fraction | None]]], n: int) -> None:
        """Find the peak of the response function for one truth; that for the other truth is a shifted copy."""
        sure = 0 if scores[0][1][0] is not None else 1
        lines = [(slope, constant) for slope, constants in scores if (constant := constants[sure]) is not None]
        peak = self._peaks.setdefault(tuple(lines), self._peak(lines, n))
        offsets: list[int | None] = [None, None]
        offsets[sure] = peak
        moved = {(other - constant) / slope if slope else None
                 for slope, constants in scores
                 if (constant := constants[sure]) is not None and (other := constants[1 - sure]) is not None}
        if moved:
            (step,) = moved if len(moved) == 1 else (None,)
            if step is None or step.denominator != 1:
                raise NotDerived("the heads look for different positions where what is counted holds")
            offsets[1 - sure] = peak + int(step)
        self._offsets[n] = offsets[0], offsets[1]
        for line, (slope, constant) in zip(self.lines, lines, strict=True):
            line[n] = slope, constant - slope * peak

    def _peak(self, lines: Sequence[Line], n: int) -> int:
        """Return the number t in -n..n for which the response function is greatest at m - j = -t."""
        (function,) = find_response_functions(self.weighting, self.factors, [{n: line} for line in lines], 0,
                                              two_sided=True)
        return max(range(-n, n + 1), key=lambda t: function.weight(-t, PRECISIONS[0]).lower)


@dataclass(frozen=True)
class _Claims:
    """The claimed meaning of the output, and the linear form of the values."""

    meaning: Near
    count: Count
    mask: Mask
    value: Coefficients
    lengths: Lengths


def _check_values(known: KnownValues, claims: _Claims, places: _Places) -> None:
    """Check that the value at p is the claimed truth in every case, and that all values are in [0, 1].

    Raises:
        NotDerived: naming the first case where it is not.
    """
    targets = LookupTargets(claims.meaning, claims.count)
    for n in claims.lengths:
        values = known.forms(claims.value, n)
        if not all(0 <= value <= 1 for value in values):
            raise NotDerived(f"a value lies outside [0, 1] at n = {n}")
        for i, truths in _truths_of_rows(claims.count, n):
            visible, claimed = claims.mask.visible(i, n), targets.at(n, i)
            for here in truths:
                for others, target in enumerate(claimed[here]):
                    p = others + (places.offsets(n)[here] or 0)
                    if target is not None and (p not in visible or values[p - 1] != target):
                        raise NotDerived(f"position {p} is looked for where {others} others are counted at i = {i}, "
                                         f"n = {n}, and has not the value {target}")


def _truths_of_rows(count: Count, n: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield every position with the truths that the counted formula may have there."""
    if not is_positional(count.operand):
        yield from ((i, (0, 1)) for i in range(1, n + 1))
        return
    for i, truth in enumerate(positional_truths(count.operand, range(1, n + 1), n), start=1):
        yield i, (int(truth),)
