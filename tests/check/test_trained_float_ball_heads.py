"""A head on balls: what is said of queries, keys, values, scores and averages, worked out with rationals.

Numbers are in units of 2^-26. A bound is at least the expected one, and exceeds it by the number of units rounded up.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from proofs.check.checker.chapters.float_models.reading import Format
from proofs.check.checker.chapters.trained.balls.exponentials import RELATIVE_ERROR
from proofs.check.checker.chapters.trained.balls.heads import (
    HeadOnNumbers,
    TokenProjections,
    VisibleBounds,
    maps_of_heads,
)
from proofs.check.checker.chapters.trained.balls.linear import spectral_norm
from proofs.check.checker.chapters.trained.balls.precision import Precision
from proofs.check.checker.chapters.trained.floats.ball_heads import HeadOnBalls, ends_of_scale
from proofs.check.checker.chapters.trained.floats.balls import SHARE
from proofs.check.checker.chapters.trained.floats.softmax import SoftmaxOnForms
from proofs.check.checker.chapters.trained.reading.dyadics import Matrix, Vector
from proofs.check.checker.chapters.trained.reading.network import Affine, AttentionStep, NetworkHead, Norm, Scale
from proofs.check.checker.chapters.trained.zonotopes.affine import CentredRange
from proofs.check.checker.kernel.budget import Budget
from tests.check.test_trained_float_ball_edges import ONE, balls, is_refused, root

QUERY, KEY, VALUE = (Affine(Matrix(rows, 2, -1), Vector((1, 2), -1)) for rows in (
    ((3, 1), (-1, 4), (2, 2)), ((2, -1), (5, 1), (0, 3)), ((1, 1), (2, -2), (3, 1))))
HEAD = NetworkHead(QUERY, KEY, VALUE, Matrix(((4, 1, 0), (0, 3, 2)), 3, -1), None)
QUARTER, GAIN = Scale(Fraction(1, 4), None), Vector((3, -6, 1), -1)
SIZE, PLAIN = 2 * ONE, Format(12, -60, 60)


def head_of(scale: Scale = QUARTER, length: int = 6, gain: bool = False, reads: int = SIZE, **fields: Any
            ) -> HeadOnBalls:
    norm = Norm("layer", Fraction(1, 4), GAIN, None) if gain else None
    step = AttentionStep(norm, (HEAD,), None, scale, None)
    (maps,) = maps_of_heads(Precision(0), Budget(10), step, reads)
    return HeadOnBalls(balls(**fields), step, HEAD, maps, length)


def halves(numbers: Sequence[Fraction], bits: int) -> Fraction:
    """Half a unit in the last place of each number, in the 2-norm."""
    return root(sum(1 << 2 * int(x).bit_length() for x in numbers)) / (2 << bits)


def rounded(vector: Sequence[int], error: Fraction, scale: Fraction) -> Fraction:
    """Bound the error of a scaled vector that was stored with 12 bits, and entered with 9."""
    more = error
    for bits, lost in ((12, 2 * Fraction(ONE, 1 << 60)), (9, 2 * Fraction(ONE, 1 << 6))):
        more += (halves([(abs(y) + more) / scale for y in vector], bits) + lost) * scale
    return more


@pytest.mark.parametrize(("scale", "times"), [(QUARTER, Fraction(1, 4)), (Scale(None, 16), Fraction(1, 4)),
                                              (Scale(None, 2), root(Fraction(1, 2)))])
@pytest.mark.parametrize("gain", [False, True])
def test_what_a_head_makes_of_a_token_is_off_by_its_maps_and_roundings(scale: Scale, times: Fraction, gain: bool
                                                                       ) -> None:
    one = head_of(scale, gain=gain, inputs=Format(9, -6, 60), sum_ulp=Fraction(2))
    query, key, value, e, off = [ONE // 3, -ONE // 5], [3 * ONE // 2, ONE // 9], [ONE // 7, 5 * ONE // 4], 54321, 999
    seen = one.project_read(query, key, value, e, off, SIZE)
    errors = [rounded(vector, known.error(e) + made.error(off, SIZE) * factor, factor)
              for vector, known, made, factor in zip((query, key, value), (one.query, one.key, one.value),
                                                     one._products, (times, Fraction(1), Fraction(1)), strict=True)]
    for found, wanted in zip((seen.query_error, seen.reach.key_error), errors, strict=False):
        assert 0 <= found - wanted < 12
    assert seen.reach.key_norm == -int(-root(sum(y * y for y in key)) // 1)
    raised = root(sum(y * y for y in value)) + errors[2] + 2 * Fraction(ONE, 1 << 6)
    relative = raised * SoftmaxOnForms(Budget(1), balls(sum_ulp=Fraction(2)).model).relative(6)
    assert 0 <= seen.reach.value_error - errors[2] - relative < 16


def test_a_value_on_forms_is_off_by_its_reaches_and_its_weight_and_fits_the_slots_of_its_map() -> None:
    one, forms = head_of(), (None, None, None)
    room = min(one.value.bound, one.value.largest)
    seen = one.project_forms(forms, CentredRange([room, 0], [300, 400]))
    relative = (room + 500) * SoftmaxOnForms(Budget(1), balls().model).relative(6)
    assert seen.forms is forms and seen.value == [room, 0]
    assert 0 < seen.reach.value_error - 500 - relative <= 1 + one._raised
    assert is_refused(lambda: one.project_forms(forms, CentredRange([0, -room - 1], [0, 0])))


def test_where_all_formats_are_one_products_alone_are_off() -> None:
    """And a few units, as all else is rounded up."""
    one = head_of(**dict.fromkeys(("storage", "inputs", "sums", "softmax", "scores", "weights"), PLAIN))  # type: ignore
    seen = one.project_read([ONE, 7], [ONE // 3, -9], [5, ONE], 1000, 100, SIZE)
    found = seen.query_error, seen.reach.key_error
    for error, known, made, times, more in zip(found, (one.query, one.key), one._products, (4, 1), (3, 5),
                                               strict=False):
        assert error == known.error(1000) + made.error(100, SIZE) // times + more
    value = one.value.error(1000) + one._products[2].error(100, SIZE) + 5
    assert seen.reach.value_error == value + ((ONE + 1 + value) * one._relative >> SHARE) + 1


def test_what_a_query_is_without_the_scale_may_be_just_the_power_of_two_at_which_it_is_off_by_more() -> None:
    """|y| and its error, times 4/3, are 2^27, if neither is rounded down before they are added."""
    one = head_of(Scale(Fraction(3, 4), None))
    e = next(e for e in range(1000, 2000)
             if (one.query.error(e) + (one._products[0].error(0, SIZE) * 3 >> 2) + 1) % 3 == 1)
    error = one.query.error(e) + (one._products[0].error(0, SIZE) * 3 >> 2) + 1
    seen = one.project_read([3 * (ONE // 2) - error, 0], [0, 0], [0, 0], e, 0, SIZE)
    assert seen.query_error - error >= Fraction(3, 4) * ((1 << 28 >> 13) + (1 << 28 >> 10))


def test_norms_of_what_is_written_are_those_over_the_norm_of_the_matrix() -> None:
    """Their factor is between 1 and a little above 1024/1023."""
    one = head_of()
    norm = Fraction(one.out_norm, 1 << 32)
    pushed = root(Fraction(4 * 4 + 1, 4)), root(Fraction(9 + 4, 4))  # what is written of a coordinate
    for k, size in enumerate(pushed):
        assert 0 <= one.square([ONE, 0] if k == 0 else [0, ONE]) - (size / norm * ONE) ** 2 < 64 * ONE
        average = [0, 0]
        average[k] = ONE
        assert -64 - one.rounding < one.least_norm(average) - size / norm * ONE <= -one.rounding
        found = one._written.apply(average)
        assert one.least_norm(average) + one._written.error(0) + one.rounding <= root(sum(y * y for y in found))
    assert one.least_norm([0, 0]) == 0
    factor = (1 << 64) // (spectral_norm(Budget(1), HEAD.out) + 1) * 1023 >> 10
    assert 0 <= one.out_norm * factor - (1 << 64) < factor


def test_errors_are_packed_before_values_with_an_eighth_of_the_square_of_what_exponentials_make() -> None:
    one = head_of()
    slot, mask = one._precision.slot, (1 << one._precision.slot) - 1
    for e, e_score in ((77, 5), (ONE + 9, ONE // 9), (3, ONE // 2 + 7), (0, ONE - 4), (1, 12345)):
        found = one.weigh([ONE, -ONE], e, e_score)
        x = Fraction(e_score + RELATIVE_ERROR, ONE)
        assert found >> 2 * slot & mask == min(ONE, e)
        assert 0 <= (found >> 3 * slot & mask) - (x + Fraction(3, 4) * x * x) ** 2 / 8 * ONE <= 2
        assert found - HeadOnNumbers.weigh(one, [ONE, -ONE]) == (found >> 2 * slot & (1 << 2 * slot) - 1) << 2 * slot
    assert one.weigh([ONE, -ONE], 4) >> 3 * slot & mask == ONE


@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("scale", [QUARTER, Scale(Fraction(1, 3), None)])
def test_a_score_is_off_by_its_sum_and_what_is_rounded_after_it(dropped: bool, scale: Scale) -> None:
    """Where bounds of queries and keys are great, keys lose some bits."""
    sums = Format(14, -22, 60)
    one = head_of(scale, reads=(1 << 10) * SIZE if dropped else SIZE, sums=sums, sum_ulp=Fraction(2),
                  inputs=Format(9, -12, 60))
    assert (one._dropped > 0) == dropped
    query = [ONE // 3, -ONE // 5]
    querying = TokenProjections(query, (), (), 9000, VisibleBounds())
    size, drop = root(sum(y * y for y in query)), one._dropped
    base = (size + 9000) * (7000 + drop) + Fraction(3 * ONE // 2) * 9000
    reach = VisibleBounds(key_error=7000, key_norm=3 * ONE // 2)
    terms, u = 2 if scale is QUARTER else 4, Fraction(2, 1 << 14)
    raised = 2 * Fraction(ONE, 1 << 12)
    total = (size + 9000 + raised) * (3 * ONE // 2 + 7000 + raised) / ONE
    made = terms * u / (1 - terms * u) * total + 4 * terms * Fraction(ONE, 1 << 22)
    wanted = base / ONE + made
    assert 0 <= one._unstored_error(querying, reach) - wanted < 8
    scores = [5 * ONE, -9 * ONE]
    most = 9 * ONE + one._unstored_error(querying, reach)
    softmax = SoftmaxOnForms(Budget(1), balls(sums=sums).model)
    fixed, of_size = softmax.exponents_within(6)
    stored = Fraction(most, 1 << 12) + Fraction(ONE, 1 << 60)
    later = stored + fixed * ONE + of_size * (most + stored)
    found = one.score_error(querying, reach, scores)
    assert 0 <= found - one._unstored_error(querying, reach) - later < 8
    assert head_of(scale, sums=PLAIN, scores=Format(12, -59, 60))._stored_error(9 * ONE) >= 9 * ONE >> 12
    kept = head_of(scale, sums=PLAIN, scores=PLAIN)
    assert 2 <= kept._stored_error(9 * ONE) - fixed * ONE - of_size * 9 * ONE < 6


def test_factors_count_as_the_least_normal_number_each_of_queries_or_of_values_if_these_are_more() -> None:
    wide = Affine(Matrix(((1,) * 5,) * 3, 5, -1), None)
    head = NetworkHead(QUERY, KEY, wide, Matrix(((1, 0, 0),) * 5, 3, 0), None)
    step = AttentionStep(None, (head,), None, QUARTER, None)
    (maps,) = maps_of_heads(Precision(0), Budget(10), step, SIZE)
    one = HeadOnBalls(balls(inputs=Format(9, -10, 60), sum_ulp=Fraction(2)), step, head, maps, 6)
    assert one._raised == 3 * ONE >> 10


def test_weights_that_are_off_move_an_average_by_the_root_of_the_average_of_squares_and_its_third_power() -> None:
    one = head_of()
    room, slot = 1 << 20, one._precision.slot
    for k in range(1, 60):
        square = Fraction(k * ONE, 240) + Fraction(k, 7)
        sums = int(square * room / 8) << 3 * slot
        moved, most = one.sharpened(1 << 60, ONE, sums, room * ONE, 1)
        middle = root(square / ONE)
        assert 0 <= moved - 101 * ONE * middle * (1 + Fraction(5, 8) * square / ONE) < 101 * (3 + 1 / middle)
        assert most == ONE
    assert one.sharpened(1 << 60, ONE, (ONE >> 2) * (room >> 3) << 3 * slot, room * ONE, 1)[0] == 1 << 60
    assert one.sharpened(1 << 60, ONE, ((ONE >> 2) * (room >> 3)) - (room >> 3) << 3 * slot, room * ONE, 1)[0] < 1 << 60


def test_an_average_is_off_by_what_is_flushed_and_has_a_size() -> None:
    fields: dict[str, Any] = {"softmax": Format(16, -19, 60), "weights": Format(12, -20, 60),
                              "sums": Format(20, -21, 60)}
    one, softmax = head_of(**fields), SoftmaxOnForms(Budget(1), balls(**fields).model)
    values, weights = [[ONE, ONE // 2], [-ONE // 4, ONE]], [1 << one.weight_bits, 1 << one.weight_bits - 1]
    sums = sum(w * one.weigh(value, 30) for w, value in zip(weights, values, strict=True))
    reach = VisibleBounds(value_error=30)
    found, plain = (average(one, sums, ONE // 100, reach, 2, 26) for average in (
        HeadOnBalls.average, HeadOnNumbers.average))
    most, lost = one.values + 30, softmax.lost(6)
    flushed = (1 + softmax.relative(6)) * 16 * 6 * Fraction(1, 1 << 19) + 2 * lost
    assert 2 <= found.error - plain.error - most * flushed - 2 * lost * ONE < 6
    size = root(sum(y * y for y in found.numbers)) + found.error + 30 + 2 * Fraction(
        ONE // 100 + RELATIVE_ERROR, ONE) * one.values
    assert found.numbers == plain.numbers and 0 <= found.size - size < 5


def test_scales_above_1_or_below_twice_the_least_number_are_refused() -> None:
    for scale, known in ((Scale(Fraction(1), None), True), (Scale(Fraction(-1), None), True),
                         (Scale(Fraction(1025, 1024), None), False), (Scale(Fraction(1, 32), None), True),
                         (Scale(Fraction(63, 2048), None), False), (Scale(Fraction(0), None), False)):
        assert is_refused(partial(head_of, scale, sums=Format(20, -6, 60))) != known
    assert ends_of_scale(Scale(Fraction(-1, 3), None)) == (Fraction(1, 3), Fraction(1, 3))
    low, high = ends_of_scale(Scale(None, 3))
    assert low**2 < Fraction(1, 3) < high**2 and high - low <= Fraction(1, 1 << SHARE)


@pytest.mark.parametrize(("fields", "length", "known"), [
    ({"softmax": Format(16, -8, 60)}, 16, True), ({"softmax": Format(16, -8, 60)}, 17, False),  # 16 T 2^e_X
    ({"softmax": Format(16, -40, 5)}, 15, True), ({"softmax": Format(16, -40, 5)}, 16, False)])  # 2 T
def test_so_many_tokens_that_weights_may_vanish_or_sums_overflow_are_refused(fields: dict[str, Any], length: int,
                                                                            known: bool) -> None:
    assert is_refused(partial(head_of, length=length, **fields)) != known


EXACT = {"sums": PLAIN, "scores": PLAIN}


@pytest.mark.parametrize(("fields", "most"), [
    (EXACT | {"softmax": Format(16, -40, 5)}, 4 * ONE - 1), (dict.fromkeys(EXACT, Format(20, -60, 5)), 16 * ONE - 1),
    ({"scores": Format(12, -60, 4)}, 16 * ONE),
    (EXACT | {"softmax": Format(16, -60, 60), "exp_base": "2"}, int(
        (1 - 12 * Fraction(1, 1 << 16) / (1 - 6 * Fraction(1, 1 << 16)) - 10 * Fraction(1, 1 << 60))
        * Fraction(1 << 16, 6) * ONE) - 1)])
def test_scores_too_large_for_what_becomes_of_them_are_refused(fields: dict[str, Any], most: int) -> None:
    """8 times the score is finite in X, twice in A; it is so in C; and to base 2, 6 u times it is below 1."""
    one = head_of(**fields)
    assert one._stored_error(most - 1) > 0 and is_refused(lambda: one._stored_error(most))


def test_scores_stored_before_their_scale_are_rounded_once_more_and_fit_their_format() -> None:
    """The scale is in the query already; products have six roundings more instead of two, or of none."""
    querying, reach = TokenProjections([ONE, 0], (), (), 0, VisibleBounds()), VisibleBounds(key_norm=8 * ONE)
    plain, varied = head_of(), head_of(also=("scales",))
    model, width = balls().model, 2
    u = Fraction(1, 1 << model.sums.precision)
    terms = [k * u / (1 - k * u) for k in (width, width + 6)]
    wanted = 8 * ONE * (terms[1] - terms[0] + Fraction(1, 1 << model.scores.precision))
    found = varied._operation_error(querying, reach) - plain._operation_error(querying, reach)
    assert 0 <= found - wanted < 16 + wanted / 1000
    one = head_of(also=("scales",), scores=Format(12, -60, 6))
    assert one._operation_error(querying, VisibleBounds(key_norm=8 * ONE - 2))
    assert is_refused(lambda: one._operation_error(querying, VisibleBounds(key_norm=8 * ONE - 1)))


def test_products_of_queries_and_keys_too_large_for_sums_are_refused() -> None:
    """Before the scale."""
    one = head_of(sums=Format(20, -60, 6))
    querying, room = TokenProjections([ONE, 0], (), (), 0, VisibleBounds()), 8 * ONE  # 2^6 / 2 / 4
    assert one._operation_error(querying, VisibleBounds(key_norm=room - 2))
    assert is_refused(lambda: one._operation_error(querying, VisibleBounds(key_norm=room - 1)))


@pytest.mark.parametrize(("normalised", "fields", "known"), [
    ("before", {"sums": 9}, True), ("before", {"sums": 8}, False), ("after", {"sums": 8, "softmax": 9}, False),
    ("before", {"sums": 9, "softmax": 8}, True), ("after", {"sums": 9, "softmax": 8}, False),
    ("either", {"sums": 9, "softmax": 8}, False), ("either", {"softmax": 9}, True)])
def test_averages_of_values_so_large_that_a_weighted_sum_may_be_infinite_are_refused(
        normalised: str, fields: dict[str, int], known: bool) -> None:
    """4 T times a value, in A, and in X where it is divided afterwards."""
    given: dict[str, Any] = {name: Format(20, -60, greatest) for name, greatest in fields.items()}
    one = head_of(normalised=normalised, **given)
    packed, edge = (1 << one.weight_bits) * one.weigh([ONE, 0], 0), int(Fraction(512, 24) * ONE) - one.values
    for apart, is_known in ((edge, False), (edge - 1, known)):
        assert is_refused(partial(one.average, packed, 0, VisibleBounds(value_error=apart), 1, 26)) != is_known
