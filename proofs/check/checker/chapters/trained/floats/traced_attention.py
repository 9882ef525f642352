"""Attention at one token in all runs of a class; docs/floats.md, section 7, Backwards."""

from collections.abc import Sequence
from operator import add, mul
from typing import NamedTuple

from ..forms.affine import FRACTION, CentredRange, make_linear
from ..forms.maps import to_units
from ..forms.ranges import PathBounds
from .backwards import (
    PRECISION,
    SHORT,
    SLOT,
    BackMap,
    Backwards,
    GradientRows,
    make_back_map,
    plus,
    short,
    transposed_map,
)
from .operations import Operations
from .softmax import SoftmaxOfRuns
from .stack import AttentionOfRuns, Seen
from .traced_steps import TracedProduct, TracedReader, TracedWriting, Unread, outputs_of
from .traces import NormBack, Trace, TracedVector


class TracedScores(NamedTuple):
    """The scores of a head, how far each may be off, how far of that beside what the query makes, and what it makes."""

    numbers: list[int]
    deviations: list[int]
    errors: list[int]
    keys: BackMap


class AskedTrace(NamedTuple):
    """A token before an attention step: its stream, what it reads with the sum of its deviations, and its query."""

    stream: Trace
    read: NormBack | Unread
    of_read: int
    query: TracedVector
    greatest: int


class QueryBack(NamedTuple):
    """A query, backwards."""

    asked: AskedTrace
    query: BackMap

    def back(self, on: Backwards, given: GradientRows) -> GradientRows:
        """The rows of the stream."""
        given = on.meet(given, self.asked.query.errors)
        rows = on.through(self.query, given)
        on.lose(self.asked.of_read)
        return self.asked.read.back(on, rows)


class HeadBack(NamedTuple):
    """A head at a token: scores and averages backwards; errors of scores, and the sum of deviations of all."""

    firsts: BackMap
    keys: BackMap
    errors: list[int]
    of_scores: int


class AttentionBack(NamedTuple):
    """An attention step, backwards; errors of averages, and the sum of their deviations."""

    query: QueryBack
    heads: list[HeadBack]
    parts: list[range]
    outward: BackMap
    averages: list[int]
    written: list[int]
    of_averages: int

    def back(self, on: Backwards, given: GradientRows) -> GradientRows:
        """The rows of the stream before the step."""
        given = on.meet(given, self.written)
        averages = on.through(self.outward, given)
        averages = on.meet(averages, self.averages)
        on.lose(self.of_averages)
        found, most = list[int](), 0
        for head, part in zip(self.heads, self.parts, strict=True):
            scores = on.through(head.firsts, GradientRows(averages.rows[part.start:part.stop], averages.most))
            scores = on.meet(scores, head.errors)
            on.lose(head.of_scores)
            queries = on.through(head.keys, scores)
            found, most = found + list(queries.rows), max(most, queries.most)
        on.lose(sum(self.query.asked.query.deviations))
        rows = self.query.back(on, GradientRows(found, most))
        return plus(given, rows)


class TracedAttention:
    """An attention step."""

    def __init__(self, operations: Operations, softmax: SoftmaxOfRuns, maps: AttentionOfRuns) -> None:
        self._operations, self._softmax, self._maps = operations, softmax, maps
        self._reader = TracedReader(operations, maps.norm)
        columns = [column for one in (maps.query, maps.key, maps.value) for column in one.columns]
        bias = [entry for one in (maps.query, maps.key, maps.value) for entry in one.bias]
        self._product = TracedProduct(operations, make_linear(columns, bias))
        self._written = TracedWriting(operations, maps.out)
        self._outputs = outputs_of(self._product.back, len(columns))
        self._query, queries = make_back_map(maps.query.columns), len(maps.query.columns)
        self._keys, self._values = ([slice(part.start + start, part.stop + start) for part in parts]
                                    for parts, start in ((maps.queries, queries),
                                                         (maps.values, queries + len(maps.key.columns))))

    def ask(self, stream: Trace) -> tuple[AskedTrace, Seen]:
        """A token at the step, and what others see of it."""
        read, step, apart = self._reader.read(stream, self._outputs)
        numbers, made = self._product.find(read)
        errors, _ = self._operations.entered(list(map(add, map(abs, numbers), apart)), made)
        known = TracedVector(numbers, list(map(add, apart, errors)), errors)
        keys, values = ([CentredRange(known.numbers[part], known.deviations[part]) for part in parts]
                        for parts in (self._keys, self._values))
        query = TracedVector(*[one[:len(self._maps.query.columns)] for one in known])
        greatest = max(stream.greatest, *read.errors, *query.errors)
        return (AskedTrace(stream, step, sum(read.deviations), query, greatest),
                Seen(keys, values, [to_units(key.centres, -FRACTION, self._maps.scale) for key in keys]))

    def attend(self, asked: AskedTrace, seen: Sequence[Seen]) -> Trace:
        """The stream of a token after the step.

        Raises:
            Rejected, Undecided: if numbers are too large, or there is no rule.
        """
        operations, maps, count = self._operations, self._maps, len(seen)
        back = QueryBack(asked, self._query)
        scores = [self._scores(asked.query, part, [one.keys[head] for one in seen], [one.scaled[head] for one in seen])
                  for head, part in enumerate(maps.queries)]
        weights = [self._softmax.weights(one.numbers) for one in scores]
        apart = self._apart(back, scores, weights)
        heads, numbers, made, deviations = list[HeadBack](), list[int](), list[int](), list[int]()
        for head, (one, of_head) in enumerate(zip(scores, weights, strict=True)):
            values = [other.values[head] for other in seen]
            found = self._softmax.weigh(of_head, apart[head * count:(head + 1) * count])
            parts = (self._softmax.anywhere(values, count) if found is None
                     else self._softmax.parts(found, values, count, max(one.deviations)))
            firsts = [[short(weight) for weight in row] for row in parts.firsts]
            of_scores = sum(one.deviations)
            heads.append(HeadBack(transposed_map(firsts), one.keys, one.errors, of_scores))
            numbers += parts.centres
            made += [error + more + (2 * of_scores >> SHORT) + 1
                     for error, more in zip(parts.radii, parts.made, strict=True)]
            deviations += [(sum(map(mul, map(abs, row), one.deviations)) >> SHORT) + 1 for row in firsts]
        errors, _ = operations.entered(list(map(add, map(abs, numbers), deviations)), made)
        known = TracedVector(numbers, list(map(add, deviations, errors)), errors)
        written = self._written.add(asked.stream, known)
        step = AttentionBack(back, heads, maps.values, self._written.back, errors, written.errors,
                             sum(known.deviations))
        return asked.stream.then(step, written, max(asked.greatest, *errors, *[max(one.errors) for one in heads]))

    def _scores(self, query: TracedVector, part: range, keys: Sequence[CentredRange], factors: Sequence[Sequence[int]]
                ) -> TracedScores:
        """The scores of a head, of keys and their centres times the scale."""
        softmax, scale, cut = self._softmax, self._maps.scale, slice(part.start, part.stop)
        numbers, far = query.numbers[cut], query.deviations[cut]
        sizes = list(map(add, map(abs, numbers), far))
        off = (sum(sizes) >> FRACTION) + (sum(far) >> SHORT) + 3
        centres = [sum(map(mul, factor, numbers)) >> FRACTION for factor in factors]
        apart = [(sum(map(mul, map(abs, factor), far)) >> FRACTION) + 1 for factor in factors]
        made = [error + off for error in softmax.score_errors(sizes, keys, scale)]
        totals = [abs(x) + more + error for x, more, error in zip(centres, apart, made, strict=True)]
        made = list(map(add, made, softmax.storing(totals)))
        reaches = list(map(add, apart, made))
        bounds = [PathBounds(x - reach, x + reach) for x, reach in zip(centres, reaches, strict=True)]
        more = softmax.exponents(bounds, len(keys))
        return TracedScores(centres, list(map(add, reaches, more)), list(map(add, made, more)),
                      transposed_map([[short(weight) for weight in factor] for factor in factors]))

    def _apart(self, back: QueryBack, scores: Sequence[TracedScores], weights: Sequence[Sequence[int]]) -> list[int]:
        """How far each score may be off from what all of its head are, on the average."""
        rows, own, count = list[int](), list[int](), len(weights[0])
        for head, (one, of_head) in enumerate(zip(scores, weights, strict=True)):
            total = sum(of_head)
            for keys in one.keys.rows:
                mean = sum(map(mul, of_head, keys)) // total
                rows.append(PRECISION.pack([key - mean for key in keys]) << SLOT * head * count)
            average = sum(map(mul, of_head, one.errors)) // total + 1
            own += [error + average - 2 * w * error // total for w, error in zip(of_head, one.errors, strict=True)]
        asked = back.asked
        on = Backwards(self._operations.budget, len(own), asked.greatest)
        on.lose(sum(asked.query.deviations))
        given = back.back(on, GradientRows(rows, 2 * max(one.keys.greatest for one in scores) + 1))
        return list(map(add, asked.stream.go_back(on, given), own))
