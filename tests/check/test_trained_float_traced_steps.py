"""Steps of traces that write to the stream: what each is off, and what is met and lost on the way back."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp
from random import Random
from typing import Any

import pytest

from proofs.check.checker.chapters.run_classes.reading import Format
from proofs.check.checker.chapters.trained.balls.precision import Undecided
from proofs.check.checker.chapters.trained.floats.backwards import make_back_map, transposed_map
from proofs.check.checker.chapters.trained.floats.gradients import CURVES
from proofs.check.checker.chapters.trained.floats.softmax import SoftmaxOfRuns
from proofs.check.checker.chapters.trained.floats.stack import AttentionOfRuns
from proofs.check.checker.chapters.trained.floats.traced_attention import (
    AskedTrace,
    AttentionBack,
    HeadBack,
    QueryBack,
    TracedAttention,
    TracedScores,
)
from proofs.check.checker.chapters.trained.floats.traced_stack import nearby
from proofs.check.checker.chapters.trained.floats.traced_steps import (
    BITS,
    CUT,
    TracedProduct,
    TracedReader,
    TracedUnits,
    TracedWriting,
    UnitsBack,
    Unread,
    bent_lines,
    outputs_of,
)
from proofs.check.checker.chapters.trained.floats.traces import TracedVector
from proofs.check.checker.chapters.trained.forms.affine import FRACTION, UNIT, CentredRange, make_linear
from proofs.check.checker.chapters.trained.forms.maps import to_units
from proofs.check.checker.chapters.trained.forms.passing import UnitMaps, make_maps
from proofs.check.checker.chapters.trained.forms.ranges import PathBounds
from proofs.check.checker.chapters.trained.reading.dyadics import Matrix
from proofs.check.checker.chapters.trained.reading.network import Affine, Norm, Scale, UnitsStep
from proofs.check.checker.kernel.budget import Budget
from tests.check.test_trained_float_backwards import ONE, Slots, drawn, rows_of, slots_of
from tests.check.test_trained_float_operations import ENTERING, STORED, operations
from tests.check.test_trained_float_trace_edges import COUNT, Recorded, times
from tests.check.test_trained_float_traces import start, units_of

X = TracedVector([3 * UNIT, -2 * UNIT], [UNIT // 8, UNIT // 4], [UNIT // 64, UNIT // 32])
WEIGHTS = Affine(Matrix(((1, 2), (3, 4)), 2, 0), None)
MAPS = make_linear([[UNIT, 2 * UNIT], [-UNIT // 2, 0], [3 * UNIT, -UNIT]], [UNIT, 0, -UNIT])


def half(form: Format, size: Fraction | int) -> Fraction:
    """Half a unit in the last place of numbers of this size, in units."""
    return Fraction(1 << int(size).bit_length(), 2 << form.precision)


def test_a_product_is_off_by_its_roundings_by_weights_and_by_what_short_weights_make_of_deviations() -> None:
    one = operations()
    for more in (0, 1 << 50):
        x = X._replace(deviations=[dev + more for dev in X.deviations])
        numbers, made = TracedProduct(one, MAPS).find(x)
        assert numbers == [0, -3 * UNIT // 2, 10 * UNIT]
        sizes = [abs(y) + dev for y, dev in zip(x.numbers, x.deviations, strict=True)]
        for found, rounded in zip(made, one.product_errors(MAPS, sizes), strict=True):
            off = Fraction(sum(sizes), UNIT) + Fraction(sum(x.deviations), ONE)
            assert off + 2 <= found - rounded < off + 6
    spread = TracedProduct(one, MAPS).spread([3, UNIT // 8 + 1])
    assert spread[0] == UNIT // 4 + 6 and spread[1] in (2, 3) and spread[2] == 9 + UNIT // 8 + 2


def test_outputs_of_a_matrix_have_a_slot_each() -> None:
    found = outputs_of(make_back_map(MAPS.columns), 3)
    assert found.slots == 3 and found.rows.most > 4 * ONE
    assert slots_of(found.rows, 3) == [[ONE, -ONE // 2, 3 * ONE], [2 * ONE, 0, -ONE]]


@pytest.mark.parametrize("inputs", [ENTERING, STORED])
def test_a_stream_that_is_not_normed_is_rounded_as_it_enters(inputs: Format) -> None:
    one, stream = operations(inputs=inputs), start([3 * UNIT, -2 * UNIT], [UNIT // 8, UNIT // 4])
    known, step, off = TracedReader(one, None).read(stream, outputs_of(make_back_map(MAPS.columns), 3))
    errors = [int(half(inputs, 3 * UNIT)) if inputs != STORED else 0] * 2
    assert known == ([3 * UNIT, -2 * UNIT], [UNIT // 8 + errors[0], UNIT // 4 + errors[1]], errors)
    assert step == Unread(errors)
    for found, weights in zip(off, ((1, 2), (0.5, 0), (3, 1)), strict=True):
        exact = sum((Fraction(w) * dev for w, dev in zip(weights, known.deviations, strict=True)), Fraction(0))
        assert exact <= found < exact + (1 << 25)  # of errors 22 bits count


@pytest.mark.parametrize("bits", [3, 9])
def test_what_is_written_is_rounded_before_and_after_it_is_added(bits: int) -> None:
    """To what is stored, to the format of sums, and to what is stored; sizes are those with all that they are off."""
    stored, sums = Format(bits, -60, 60), Format(bits + 1, -60, 60)
    one, draw = operations(storage=stored, sums=sums, inputs=stored), Random(bits)
    for _ in range(40):
        stream = start([draw.randrange(-5 * UNIT, 5 * UNIT) for _ in range(3)], [draw.randrange(UNIT)] * 3)
        x = TracedVector([draw.randrange(-2 * UNIT, 2 * UNIT) for _ in range(2)], [draw.randrange(UNIT)] * 2, [0] * 2)
        found, product = TracedWriting(one, MAPS).add(stream, x), TracedProduct(one, MAPS)
        written, made = product.find(x)
        for k, apart in enumerate(product.spread(x.deviations)):
            off = made[k] + half(stored, abs(written[k]) + apart + made[k])
            number, wide = stream.numbers[k] + written[k], stream.deviations[k] + apart
            size = abs(number) + wide + off
            off += half(sums, size)
            off += half(stored, size + half(sums, size))
            assert found.numbers[k] == number
            assert off <= found.errors[k] <= off + 2 and wide + off <= found.deviations[k] <= wide + off + 2


@pytest.mark.parametrize("name", ["gelu", "relu"])
@pytest.mark.parametrize("kind", ["layer", ""])
def test_units_are_off_by_what_they_are_of_by_their_lines_and_as_they_enter(name: str, kind: str) -> None:
    """Of a class whose functions are coarse."""
    one, draw = operations(exp_ulp=Fraction(1 << 8)), Random(7)
    units = units_of(name, Norm(kind, Fraction(1, 50), None, None) if kind else None, one)
    for _ in range(20):
        stream = start([draw.randrange(-2 * UNIT, 2 * UNIT), 3 * UNIT], [draw.randrange(UNIT >> 5) for _ in range(2)])
        read, norm, apart = units._reader.read(stream, units._outputs)
        inner, made = units._inward.find(read)
        made = [int(off + half(STORED, abs(y) + more + off)) for y, more, off in zip(inner, apart, made, strict=True)]
        far = [more + off for more, off in zip(apart, made, strict=True)]
        numbers, slopes, rest = units._lines(inner, far)
        lines = [Fraction(abs(slope) * more, 1 << BITS) for slope, more in zip(slopes, far, strict=True)]
        functions = one.function_error("gelu", [abs(y) + more for y, more in zip(inner, far, strict=True)])
        found, errors = units.pass_on(stream), list[int]()
        step = found.steps[-1]
        assert isinstance(step, UnitsBack) and step.slopes == slopes and step.read == norm
        for k, off in enumerate(rest):
            size, more = abs(numbers[k]) + lines[k] + off, Fraction(off)
            if name == "gelu":
                size, more = size + functions[k], more + functions[k]
                more, size = more + half(STORED, size), size + half(STORED, size)
            errors.append(int(more + half(ENTERING, size)))
            wanted = errors[-1] + Fraction(abs(slopes[k]) * made[k], 1 << BITS)
            assert wanted - 4 <= step.units[k] <= wanted + 6
        assert step.of_read == sum(read.deviations)
        assert abs(step.of_units - sum(far) - sum(lines, Fraction(0)) - sum(errors)) <= 30
        deviations = [int(line) + 1 + error for line, error in zip(lines, errors, strict=True)]
        written = units._written.add(stream, TracedVector(numbers, deviations, errors))
        assert all(abs(a - b) < 30 for a, b in zip(step.written, written.errors, strict=True))
        assert found.numbers == written.numbers
        assert found.greatest >= max(*step.units, *read.errors, *step.written, stream.greatest)


@pytest.mark.parametrize("far", [0, 1 << 17, UNIT >> 8, UNIT >> 2, 3 * UNIT])
def test_lines_of_gelu_have_half_of_what_they_bend_beside_them_where_they_bend_one_way(far: int) -> None:
    """They go through the value, with the slope, at the number of the table before; from 5/4 to 3/2 they turn."""
    units, draw = units_of("gelu", None, operations()), Random(far)
    places = [sign * (edge * UNIT // 4 + way * far + more) for sign in (1, -1) for edge in (0, 1, 4, 5, 6, 7, 20)
              for way in (-1, 0, 1) for more in (-3 << CUT, -1, 0, 1, CUT)]
    places += [draw.randrange(-4 * UNIT, 4 * UNIT) for _ in range(20)]
    for x, found, slope, rest in zip(places, *units._lines(places, [far] * len(places)), strict=True):
        number, beside = x >> CUT, x % (1 << CUT)
        (value,), (wanted,) = units._activation.apply([number]), units._activation.slopes([number])
        reach = far + beside
        nearest, farthest = max(0, abs(x) - reach) * 4 // UNIT, (abs(x) + reach) * 4 // UNIT
        half = Fraction(CURVES[min(nearest, 16)] * reach * reach, 2000 * UNIT)
        sign = 1 if farthest < 5 else -1 if nearest >= 6 else 0
        line = (value << CUT) + Fraction(slope * beside, 1 << BITS) + sign * half / 2
        off = half / (2 if sign else 1) + (units._activation.error << CUT) + Fraction(
            units._activation.slope_error * reach, 1 << BITS)
        assert slope == wanted and abs(found - line) <= 3
        assert off + abs(found - line) <= rest <= off + 6


def test_units_with_a_gate_are_not_traced_and_relu_has_chords() -> None:
    relu = units_of("relu", None, operations())
    assert relu._lines([5, -7, UNIT], [9, 3, 2 * UNIT]) == bent_lines([5, -7, UNIT], [9, 3, 2 * UNIT])
    step = UnitsStep(None, WEIGHTS, WEIGHTS, "gelu", WEIGHTS)
    maps = make_maps(Budget(10), step)
    assert isinstance(maps, UnitMaps) and maps.gate is not None
    for given, known in ((maps, False), (maps._replace(gate=None), True)):
        try:
            assert TracedUnits(operations(), given, relu._activation) and known
        except Undecided:
            assert not known


def through(weights: Slots, slots: Slots) -> Slots:
    """Rows of what a matrix is multiplied with, whose weights are input by input."""
    return [times(row, slots) for row in weights]


def test_units_backwards_are_two_matrices_and_slopes() -> None:
    draw, on = Random(1), Recorded()
    inward, outward = drawn(draw, 2, 3, ONE), drawn(draw, 3, 2, ONE)
    slopes = [1 << BITS, -(1 << BITS) // 3, 12345]
    step = UnitsBack(Unread([50, 60]), transposed_map([*zip(*inward, strict=True)]),
                     transposed_map([*zip(*outward, strict=True)]), slopes, [7, 8, 9], [10, 20], 1 << 30, 1 << 40)
    slots = drawn(draw, 2, COUNT, ONE)
    found = step.back(on, rows_of(slots))
    units = through(outward, slots)
    inner = [[x * slope >> BITS for x in row] for slope, row in zip(slopes, units, strict=True)]
    read = through(inward, inner)
    assert on.met == [(slots, [10, 20]), (units, [7, 8, 9]), (read, [50, 60])]
    assert on.all_lost == (1 << 30) + (1 << 40)
    assert slots_of(found, COUNT) == [[a + b for a, b in zip(*rows, strict=True)]
                                      for rows in zip(slots, read, strict=True)]


def test_attention_backwards_goes_through_averages_scores_and_the_query() -> None:
    draw, on = Random(2), Recorded()
    outward, query = drawn(draw, 3, 2, ONE), drawn(draw, 2, 3, ONE)  # three coordinates of averages, and of queries
    firsts, keys = [drawn(draw, 4, k, ONE) for k in (2, 1)], [drawn(draw, k, 4, ONE) for k in (1, 2)]
    vector = TracedVector([0] * 3, [1 << 30] * 3, [1, 2, 3])
    asked = AskedTrace(start([0, 0], [0, 0]), Unread([50, 60]), 1 << 20, vector, 0)
    back = QueryBack(asked, transposed_map([*zip(*query, strict=True)]))
    heads = [HeadBack(transposed_map([*zip(*first, strict=True)]), transposed_map([*zip(*key, strict=True)]),
                      errors, lost) for first, key, errors, lost in zip(
                          firsts, keys, ([4, 5, 6, 7], [8, 9, 10, 11]), (1 << 35, 1 << 36), strict=True)]
    step = AttentionBack(back, heads, [range(2), range(2, 3)], transposed_map([*zip(*outward, strict=True)]),
                         [12, 13, 14], [15, 16], 1 << 40)
    slots = drawn(draw, 2, COUNT, ONE)
    found = step.back(on, rows_of(slots))
    averages = through(outward, slots)
    scores = [through(first, part) for first, part in zip(firsts, (averages[:2], averages[2:]), strict=True)]
    queries = [row for key, score in zip(keys, scores, strict=True) for row in through(key, score)]
    read = through(query, queries)
    assert on.met == [(slots, [15, 16]), (averages, [12, 13, 14]), (scores[0], [4, 5, 6, 7]),
                      (scores[1], [8, 9, 10, 11]), (queries, [1, 2, 3]), (read, [50, 60])]
    assert on.all_lost == (1 << 40) + (1 << 35) + (1 << 36) + 3 * (1 << 30) + (1 << 20)
    assert slots_of(found, COUNT) == [[a + b for a, b in zip(*rows, strict=True)]
                                      for rows in zip(slots, read, strict=True)]


QUERY = make_linear([[UNIT, UNIT // 2, 0], [-UNIT, UNIT, 2 * UNIT], [0, UNIT, UNIT // 4]], [0, UNIT // 2, 0])
VALUE = make_linear([[UNIT, 0, UNIT], [UNIT // 2, -UNIT, 0], [3 * UNIT, UNIT, UNIT]], [0, 0, UNIT])
OUT = make_linear([[UNIT, UNIT, -UNIT], [UNIT // 2, 0, UNIT], [0, -UNIT, 2 * UNIT]], [UNIT, 0, 0])
KEYS = [CentredRange([2 * UNIT, -UNIT], [UNIT >> 8, UNIT >> 9]), CentredRange([UNIT, UNIT], [0, UNIT >> 10]),
        CentredRange([-UNIT, UNIT // 3], [UNIT >> 12] * 2)]


def attention(scale: Scale, **fields: Any) -> TracedAttention:
    """Two heads, of two coordinates and of one."""
    one, parts = operations(**fields), [range(2), range(2, 3)]
    return TracedAttention(one, SoftmaxOfRuns(Budget(1), one.run),
                           AttentionOfRuns(None, QUERY, QUERY, VALUE, OUT, parts, parts, scale))


def times_scale(keys: Sequence[CentredRange], scale: Scale) -> list[list[int]]:
    """Centres times the scale, as weights."""
    return [to_units(key.centres, -FRACTION, scale) for key in keys]


@pytest.mark.parametrize("times_by", [Fraction(1), Fraction(1, 4), Fraction(-2, 3)])
@pytest.mark.parametrize("far", [UNIT >> 40, UNIT >> 10, UNIT // 2])
def test_scores_are_off_by_keys_by_products_by_what_is_stored_and_by_exponents(times_by: Fraction, far: int) -> None:
    scale, one = Scale(times_by, None), attention(Scale(times_by, None), scores=ENTERING)
    query = TracedVector([9 * UNIT, UNIT, -2 * UNIT, 5], [9 * UNIT, far, far // 3 + 1, 0], [0, 1, 2, 3])
    found, softmax = one._scores(query, range(1, 3), KEYS, times_scale(KEYS, scale)), one._softmax
    sizes = [UNIT + far, 2 * UNIT + far // 3 + 1]
    rows = list(zip(*found.keys.rows, strict=True))
    bounds, made = [], []
    for k, (key, off) in enumerate(zip(KEYS, softmax.score_errors(sizes, KEYS, scale), strict=True)):
        weights = [times_by * y / UNIT for y in key.centres]
        score = UNIT * weights[0] - 2 * UNIT * weights[1]
        apart = abs(weights[0]) * far + abs(weights[1]) * (far // 3 + 1)
        own = off + Fraction(sum(sizes), UNIT) + Fraction(far + far // 3 + 1, ONE)
        own += half(ENTERING, abs(score) + apart + own)
        assert all(abs(a - w * ONE) <= 1 for a, w in zip(rows[k], weights, strict=True))
        assert abs(found.numbers[k] - score) <= 4
        made.append(own)
        bounds.append((score, apart))
    for (_, apart), own, more, error, dev in zip(bounds, made, softmax.exponents([
            PathBounds(x - int(apart + own), x + int(apart + own)) for x, (_, apart), own in zip(
                found.numbers, bounds, made, strict=True)], 3), found.errors, found.deviations, strict=True):
        assert own + more <= error <= (own + more) * (1 + Fraction(1, 1 << 20)) + 12
        assert apart + error <= dev <= apart + error + 3


def test_how_far_scores_are_off_from_what_all_are_is_the_sum_over_all_errors_on_the_way() -> None:
    """Of the stream, of what is read, of the query, and of scores themselves; with weights 1, 2 and 5."""
    one, weights = attention(Scale(Fraction(1), None)), [1 << 90, 2 << 90, 5 << 90]
    errors = [[UNIT >> 8, UNIT >> 9, UNIT >> 7], [UNIT >> 11] * 3, [UNIT >> 10, 0, UNIT >> 12]]
    stream = start([UNIT, 0, -UNIT], errors[0])
    query = TracedVector([UNIT] * 3, [UNIT >> 6] * 3, errors[2])
    far = query._replace(deviations=[1 << 52] * 3)  # means are rounded down, by as much as a unit for all of these
    asked = AskedTrace(stream, Unread(errors[1]), sum(errors[0]) + sum(errors[1]), far, UNIT >> 7)
    back, lost = QueryBack(asked, one._query), Fraction(3 << 52, ONE)
    firsts, plain = [CentredRange(key.centres[:1], [0]) for key in KEYS], Scale(Fraction(1), None)
    scores = [one._scores(query, range(2), KEYS, times_scale(KEYS, plain)),
              one._scores(query, range(2, 3), firsts, times_scale(firsts, plain))]
    found = one._apart(back, scores, [weights, weights[::-1]])
    for head, (part, shares) in enumerate(((range(2), (1, 2, 5)), (range(2, 3), (5, 2, 1)))):
        keys = [[Fraction(y, UNIT) for y in key.centres[:len(part)]] for key in KEYS]
        mean = [sum((s * y for s, y in zip(shares, column, strict=True)), Fraction(0)) / 8
                for column in zip(*keys, strict=True)]
        for k, key in enumerate(keys):
            of_query = [Fraction(0)] * 3
            of_query[part.start:part.stop] = [y - m for y, m in zip(key, mean, strict=True)]
            of_read = [sum((Fraction(column[i], UNIT) * g for column, g in zip(QUERY.columns, of_query, strict=True)),
                           Fraction(0)) for i in range(3)]
            exact = sum((abs(g) * (a + b) for g, a, b in zip(of_read, errors[0], errors[1], strict=True)), Fraction(0))
            exact += sum(abs(g) * e for g, e in zip(of_query, errors[2], strict=True))
            own = scores[head].errors
            exact += sum((Fraction(s * e, 8) for s, e in zip(shares, own, strict=True)), Fraction(0))
            exact += own[k] - Fraction(2 * shares[k] * own[k], 8)
            assert exact + lost <= found[3 * head + k] < exact * (1 + Fraction(1, 1000)) + lost + 1000


def test_an_attention_step_is_off_by_averages_as_they_enter_and_by_what_is_written(monkeypatch: pytest.MonkeyPatch
                                                                                       ) -> None:
    one, softmax = attention(Scale(Fraction(1), None)), SoftmaxOfRuns(Budget(1), operations().run)
    draw = Random(5)
    streams = [start([draw.randrange(-UNIT, UNIT) for _ in range(3)], [draw.randrange(UNIT >> 8) for _ in range(3)])
               for _ in range(3)]
    both = [one.ask(stream) for stream in streams]
    asked, seen, reached, parts_of = both[-1][0], [other for _, other in both], list[int](), one._softmax.parts

    def kept(found: Any, values: Any, count: int, reach: int) -> Any:
        reached.append(reach)
        return parts_of(found, values, count, reach)

    monkeypatch.setattr(one._softmax, "parts", kept)
    stream = one.attend(asked, seen)
    step = stream.steps[-1]
    assert isinstance(step, AttentionBack) and stream.steps[:-1] == streams[-1].steps
    scores = [one._scores(asked.query, part, [other.keys[head] for other in seen],
                          [other.scaled[head] for other in seen]) for head, part in enumerate((range(2), range(2, 3)))]
    weights = [softmax.weights(known.numbers) for known in scores]
    apart = one._apart(step.query, scores, weights)
    numbers, deviations = list[int](), list[int]()
    for head, known in enumerate(scores):
        found = softmax.weigh(weights[head], apart[3 * head:3 * head + 3])
        assert found is not None and reached[head] == max(known.deviations)
        parts = softmax.parts(found, [other.values[head] for other in seen], 3, max(known.deviations))
        lost = sum(known.deviations)
        assert step.heads[head].of_scores == lost and step.heads[head].errors == known.errors
        for centre, first, more in zip(parts.centres, parts.firsts, parts.made, strict=True):
            wide = Fraction(sum(abs(f) * dev for f, dev in zip(first, known.deviations, strict=True)), UNIT)
            own = more + Fraction(2 * lost, ONE)  # lines are rounded down, and short
            own += half(STORED, abs(centre) + wide + own)
            own += half(ENTERING, abs(centre) + wide + own)
            assert own <= step.averages[len(numbers)] <= own + 3
            numbers, deviations = [*numbers, centre], [*deviations, int(wide + own) + 3]
    assert sum(deviations) - 50 - sum(sum(known.deviations) for known in scores) // ONE <= step.of_averages
    assert step.of_averages <= sum(deviations) + 50 + 3 * sum(sum(known.deviations) for known in scores) // ONE
    assert stream.greatest >= max(*step.averages, *step.written, *scores[0].errors, *scores[1].errors, asked.greatest)


def test_scores_whose_keys_do_not_fit_a_slot_are_undecided() -> None:
    """Of any head; 2^42 and -2^42 would be nothing in slots, with the mean 0."""
    one, vector = attention(Scale(Fraction(1), None)), TracedVector([0] * 3, [0] * 3, [0] * 3)
    back = QueryBack(AskedTrace(start([0] * 3, [0] * 3), Unread([0] * 3), 0, vector, 0), one._query)
    heads = [TracedScores([0, 0], [0, 0], [0, 0], transposed_map([[key], [-key]])) for key in (ONE, ONE << 42)]
    weights = [[1 << 90, 1 << 90]] * 2
    assert one._apart(back, [heads[0], heads[0]], weights)
    for some in (heads, heads[::-1]):
        with pytest.raises(Undecided):
            one._apart(back, some, weights)


def test_where_scores_may_be_far_off_averages_are_between_values() -> None:
    """Numbers are in the middle, whatever scores are."""
    one, draw = attention(Scale(Fraction(1), None)), Random(6)
    numbers = [[draw.randrange(-UNIT, UNIT) for _ in range(3)] for _ in range(3)]
    streams = [start(x, [UNIT] * 3) for x in numbers]
    both = [one.ask(stream) for stream in streams]
    found = one.attend(both[-1][0], [seen for _, seen in both])
    step, near = found.steps[-1], nearby(Budget(1), found)
    assert isinstance(step, AttentionBack) and not any(any(row) for row in step.heads[0].firsts.rows)
    for _ in range(200):
        corner = [[(y + draw.choice((-1, 0, 1)) * UNIT) / UNIT for y in x] for x in numbers]
        query, key, value = ([[sum(w * y for w, y in zip(column, x, strict=True)) / UNIT + b / UNIT
                               for column, b in zip(maps.columns, maps.bias, strict=True)] for x in corner]
                             for maps in (QUERY, QUERY, VALUE))
        averages = list[float]()
        for part in (range(2), range(2, 3)):
            scores = [exp(sum(query[-1][i] * row[i] for i in part)) for row in key]
            averages += [sum(w * row[i] for w, row in zip(scores, value, strict=True)) / sum(scores) for i in part]
        for k, (column, bias) in enumerate(zip(OUT.columns, OUT.bias, strict=True)):
            exact = corner[-1][k] * UNIT + sum(w * y for w, y in zip(column, averages, strict=True)) + bias
            assert abs(exact - found.numbers[k]) <= min(near.reaches[k], found.deviations[k]) + 64
