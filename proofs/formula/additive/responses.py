"""Response functions: the joint weight of heads of an additive weighting, as a function of an integer d.

Claim       Let the scaled score of head h be a_h d + b_h at all visible pairs. Together the heads give the value at d
            the weight W(d) = Σ c_h w(a_h d + b_h), where w is ReLU or σ.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from constructions.language.syntax import Count
from constructions.network.lengths import Lengths
from constructions.network.meanings import Total
from constructions.network.transformer import Coefficients, Head, Transformer
from constructions.network.weightings import Response, Weighting
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.enclosures.intervals import Interval, point
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived

ZERO = Fraction(0)
Line = tuple[Fraction, Fraction]
"""Slope and offset of the scores slope * d + offset."""


@dataclass(frozen=True)
class ResponseFunction:
    """The function W(d) = Σ factor * w(slope * d + offset) over the ``parts``, where w is the ``response``.

    At every d of ``distances`` it is required to be near 1 at the ``peak``, and near 0 elsewhere.
    """

    response: Response
    parts: tuple[tuple[Fraction, Fraction, Fraction], ...]
    distances: range
    peak: int

    def weight(self, d: int, bits: int) -> Interval:
        """Enclose W(d), exactly for ReLU.

        For positive x, σ(x) is written 1 - σ(-x): the ones cancel exactly, and the rest has a small relative error.
        """
        scores = [(factor, slope * d + offset) for factor, slope, offset in self.parts]
        if self.response is Response.RELU:
            return point(sum((factor * score for factor, score in scores if score > 0), ZERO))
        whole = sum((factor for factor, score in scores if score > 0), ZERO)
        with working_precision(bits):
            rest = sum(((ball(-factor) if score > 0 else ball(factor)) / (1 + ball(abs(score)).exp())
                        for factor, score in scores), arb(0))
            return Interval(*exact_ends(ball(whole) + rest if whole else rest))


def find_response_functions(weighting: Weighting, factors: Sequence[Fraction], lines: Sequence[Mapping[int, Line]],
                            peak: int, two_sided: bool) -> tuple[ResponseFunction, ...]:
    """Return the response functions of heads with these factors, each once with the greatest length that has it.

    ``lines`` has the line of each head by length, or one line for all lengths. Distances are 0..n - 1, or 1 - n..n - 1
    if ``two_sided``.
    """
    assert weighting.row.response, f"{weighting} is not additive"
    longest: dict[tuple[tuple[Fraction, Fraction, Fraction], ...], int] = {}
    lengths = sorted({n for line in lines for n in line})
    for n in lengths:
        divisor = n if weighting.row.over_n else 1
        parts = tuple((factor, line[n][0] / divisor, line[n][1] / divisor) if n in line else _constant(line, factor)
                      for factor, line in zip(factors, lines, strict=True))
        longest[parts] = n
    return tuple(ResponseFunction(weighting.row.response, parts, range(1 - n if two_sided else 0, n), peak)
                 for parts, n in longest.items())


def _constant(line: Mapping[int, Line], factor: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """Return the part of a head whose line is the same at every length."""
    ((slope, offset),) = line.values()
    return factor, slope, offset


def find_lines(transformer: Transformer, known: KnownValues, head: Head, count: Count,
               lengths: Lengths) -> dict[int, Line]:
    """Return a and b of each length: scaled scores are a (x - y) + b, where x and y are the counts here and there.

    All pairs of positions are checked, also those that the mask separates.

    Raises:
        NotDerived: if scores do not have this form.
    """
    parts = [(_total_part(transformer, known, query, count), _total_part(transformer, known, key, count))
             for query, key in zip(head.queries, head.keys, strict=True)]
    if sum((x * y for x, y in parts), ZERO):
        raise NotDerived("scores have a product of counts, expected a difference")
    return {n: _line(known, head, parts, n) for n in lengths_that_differ(known, head, lengths)}


def lengths_that_differ(known: KnownValues, head: Head, lengths: Lengths) -> Iterable[int]:
    """Return the lengths whose scores may differ from those of the last one, and the last one."""
    mentions_n = (head.weighting.row.over_n or head.temperature.mentions_n
                  or any(known.mentions_n(row) for row in (*head.queries, *head.keys)))
    return lengths if mentions_n else [lengths.last]


def _total_part(transformer: Transformer, known: KnownValues, row: Coefficients, count: Count) -> Fraction:
    """Return the coefficient of the count in a linear form.

    Raises:
        NotDerived: if the form reads anything else that is not known.
    """
    part = ZERO
    for name, weight in row.items():
        match transformer.directions[name]:
            case _ if name in known:
                pass
            case Total(other) if other is count:
                part += weight
            case meaning:
                raise NotDerived(f"a query or key reads {name}, {meaning}, and the heads select by one count")
    return part


def _line(known: KnownValues, head: Head, parts: Sequence[tuple[Fraction, Fraction]], n: int) -> Line:
    temperatures = head.temperature.column(range(1, n + 1), n)
    queries = set(zip(temperatures, *(known.forms(row, n) for row in head.queries), strict=True))
    keys = set(zip(*(known.forms(row, n) for row in head.keys), strict=True)) or {()}
    slopes, offsets = set(), set()
    for (temperature, *query), key in itertools.product(queries, keys):
        slopes.add(sum((x * k for (x, _), k in zip(parts, key, strict=True)), ZERO) / temperature)
        slopes.add(-sum((y * q for (_, y), q in zip(parts, query, strict=True)), ZERO) / temperature)
        offsets.add(sum((q * k for q, k in zip(query, key, strict=True)), ZERO) / temperature)
        if len(slopes) > 1 or len(offsets) > 1:
            raise NotDerived(f"scores are not a number times the difference of counts, and a number, at n = {n}")
    return slopes.pop(), offsets.pop()
