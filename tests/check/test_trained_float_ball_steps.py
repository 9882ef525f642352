"""Steps on balls: what is said of units, of what heads write and of rows, worked out with rationals.

Numbers are in units of 2^-26. A bound is at least the expected one, and exceeds it by the number of units rounded up.
"""

from bisect import bisect
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil
from typing import Any

import pytest

from proofs.check.checker.chapters.float_models.reading import Format
from proofs.check.checker.chapters.trained.balls.exact import ExactLinear, linear
from proofs.check.checker.chapters.trained.balls.heads import HeadAverage
from proofs.check.checker.chapters.trained.balls.precision import Logits, Precision, Stream, Undecided
from proofs.check.checker.chapters.trained.balls.stack import NormOfStream, RowsOnNumbers
from proofs.check.checker.chapters.trained.floats import proof
from proofs.check.checker.chapters.trained.floats.ball_stack import (
    AttentionOnBalls,
    NormOnBalls,
    RowsOnBalls,
    StackOnBalls,
    UnitsOnBalls,
)
from proofs.check.checker.chapters.trained.floats.balls import Balls, InputOnBalls, ProductOnBalls, SumOnBalls
from proofs.check.checker.chapters.trained.reading.dyadics import Matrix, Vector
from proofs.check.checker.chapters.trained.reading.network import (
    Affine,
    AttentionStep,
    Network,
    Norm,
    UnitsStep,
)
from proofs.check.checker.chapters.trained.reading.words_claim import WordsUnit
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Rejected
from tests.check.test_trained_float_ball_edges import ONE, balls, is_refused, root
from tests.check.test_trained_float_ball_heads import HEAD, QUARTER
from tests.check.test_trained_float_balls import FINE, WORD, given_of
from tests.check.test_trained_float_operations import operations
from tests.check.trained_networks import make_network

READS = 4 * ONE
INWARD = Affine(Matrix(((2, -1), (1, 3)), 2, -1), Vector((1, 2), -1))
OUTWARD = Affine(Matrix(((1, 2), (-2, 1)), 2, -1), Vector((0, 1), -1))
NORM = Norm("layer", Fraction(1, 4), Vector((3, 1), -1), Vector((1, -1), -2))
COARSE: dict[str, Any] = {"softmax": Format(12, -16, 60), "storage": Format(9, -16, 60), "inputs": Format(9, -16, 60)}
X: Stream = ([ONE // 2, -ONE // 3], 1234)


def length(x: Sequence[int]) -> Fraction:
    return root(sum(y * y for y in x))


def test_a_step_that_norms_the_stream_is_off_by_the_norm_times_its_gain_and_by_gain_and_bias() -> None:
    known = balls(**COARSE)
    step, given = NormOnBalls(known, NORM, 2, READS), InputOnBalls(known, NORM, 2)
    plain = NormOfStream(Precision(0), Budget(1), NORM, 2, READS)
    x, e = step.apply(X)
    exact, before = plain.apply(given.widened(X))
    assert x == exact and 0 <= e - before - Fraction(3, 2) * given.more - given.gain_error < 3


@pytest.mark.parametrize("activation", ["relu", "gelu", "tanh"])
@pytest.mark.parametrize("norm", [None, NORM])
def test_units_are_off_by_their_products_their_function_and_what_is_stored(activation: str, norm: Norm | None) -> None:
    known = balls(**COARSE)
    step = UnitsOnBalls(known, UnitsStep(norm, INWARD, None, activation, OUTWARD), 2, READS)
    after, e_after = step.apply(X)
    given, inward = InputOnBalls(known, norm, 2), ProductOnBalls(known, linear(INWARD))
    read, e = step._reading.apply(given.widened(X))
    e_read, off, size = given.read(read, e)
    inner = step._in.apply(read)
    e_inner = Fraction(step._in.error(e_read) + inward.error(off, size))
    lost = 2 * Fraction(ONE, 1 << 16)
    e_inner += (length(inner) + e_inner) / (1 << 9) + lost
    u, function = Fraction(1, 1 << 12), 6 * Fraction(1, 1 << 12)
    hidden = step._activation.apply(inner)
    errors = Fraction(5, 4) * e_inner if activation == "gelu" else e_inner
    errors += 2 * step._activation.error
    if activation != "relu":
        size_inner = length(inner) + e_inner
        errors += (5 * u + function + 4 * Fraction(1, 1 << 16)) * size_inner if activation == "gelu" else (
            4 * Fraction(1, 1 << 16) * size_inner)
        errors += 2 * (4 * Fraction(ONE, 1 << 16) + (function * ONE if activation == "tanh" else 0))
        errors += (length(hidden) + errors) / (1 << 9) + lost
    outward, written, size = ProductOnBalls(known, linear(OUTWARD)), step._out.apply(hidden), -int(-length(hidden) // 1)
    found = [SumOnBalls(known, 2).add(X, written, step._out.error(off) + outward.error(0, size + off))
             for off in (ceil(errors), ceil(errors) + 16)]
    assert list(after) == found[0][0] and found[0][1] <= e_after <= found[1][1]


def test_tables_of_activations_may_be_off_by_a_64th_of_the_last_bit_of_what_is_stored() -> None:
    step = UnitsStep(None, INWARD, None, "gelu", OUTWARD)
    bits = {p: UnitsOnBalls(balls(storage=Format(p, -60, 60)), step, 2, READS)._activation for p in (8, 14, 20, 24)}
    for p, known in bits.items():
        rest = Fraction(13, 10) * Fraction(642, 10000) * ONE / 8**known._step_bits
        allowed = max(1, Fraction(ONE, 1 << p + 6))
        assert rest <= allowed and (known._step_bits == 6 or 8 * rest > allowed)


def test_units_too_large_for_the_format_of_their_function_are_refused() -> None:
    """Twice what a function is of; tanh, which is at most 1, if twice that is infinite."""
    for activation, greatest, known in (("tanh", 3, True), ("tanh", 2, False), ("gelu", 2, True)):
        step = UnitsStep(None, INWARD, None, activation, OUTWARD)
        make = partial(UnitsOnBalls, balls(softmax=Format(20, -40, greatest)), step, 2, READS)
        assert is_refused(make) != known
    inward, outward = Affine(Matrix(((1,), (0,)), 1, 0), None), Affine(Matrix(((1, 0),), 2, 0), None)
    one = UnitsOnBalls(balls(softmax=Format(20, -40, 2)), UnitsStep(None, inward, None, "gelu", outward), 2, READS)
    edge = bisect(range(2 * ONE), False, key=lambda x: is_refused(partial(one.apply, ([x, 0], 0))))
    read, e = one._reading.apply(one._input.widened(([edge - 1, 0], 0)))
    e, off, size = one._input.read(read, e)
    (x,), e = one._in.apply(read), one._in.error(e) + one._inward.error(off, size)
    e += one._stored.error(abs(x) + e)
    assert x + e < 2 * ONE <= x + e + 2


@pytest.mark.parametrize("bias", [None, Vector((3, -1, 2), -2)])
def test_what_heads_write_is_off_by_their_averages_and_one_product(bias: Vector | None) -> None:
    """Averages are stored, by their sizes or by what is known of each coordinate."""
    known = balls(**COARSE)
    one = AttentionOnBalls(known, AttentionStep(None, (HEAD, HEAD), bias, QUARTER, None), 3, READS, 6)
    stream: Stream = ([ONE, 0, -ONE // 2], 777)
    for apart in (50, 2 * ONE):
        numbers = [[ONE // 2, -ONE // 3], [ONE // 5, ONE // 7]]
        sizes = [int(length(z)) + 1 + apart for z in numbers]
        found, e = one.write(stream, [HeadAverage(z, 3000 + k, size) for k, (z, size) in enumerate(
            zip(numbers, sizes, strict=True))])
        z = [*numbers[0], *numbers[1]]
        out = ExactLinear(Matrix((*HEAD.out.rows, *HEAD.out.rows), 3, -1), bias or Vector((0, 0, 0), 0))
        written, stored = ProductOnBalls(known, out), known.stored(4)
        size = -int(-length(sizes) // 1)
        off = min(stored.error(size), stored.error_near(z, -int(-length([apart] * 2) // 1)))
        averages = Fraction(6001 * one._ball_heads[0].out_norm, 1 << 32)
        wanted = averages + one._out.error(0) + written.error(off, size + off)
        for more in (0, 3):
            _, summed = SumOnBalls(known, 3).add(stream, found_written(found, stream), int(wanted) + more)
            assert more or e >= summed - 1
            assert not more or e <= summed + 1


def found_written(after: Sequence[int], stream: Stream) -> list[int]:
    return [a - b for a, b in zip(after, stream[0], strict=True)]


def network_of(width: int, positions: Matrix | None = None) -> Network:
    tokens = Matrix(((3, -1), (1, 2)), width, -2)
    unembedding = Affine(Matrix(((2, -1, 1), (1, 3, 0)), 3, -1), Vector((1, 0, 2), -1))
    return Network((), None, True, "each", tokens, positions, (), unembedding)


ROWS = [((0, Fraction(1)), (1, Fraction(-2))), ((2, Fraction(1, 3)),)]


@pytest.mark.parametrize("norm", [None, NORM])
def test_rows_are_off_by_their_logits_as_these_are_stored(norm: Norm | None) -> None:
    known = balls(**COARSE)
    rows = RowsOnBalls(known, network_of(2), norm, 2, ROWS, Fraction(1, 2), READS)
    plain = RowsOnNumbers(Precision(0), Budget(1), network_of(2), norm, 2, ROWS, Fraction(1, 2), READS)
    given = InputOnBalls(known, norm, 2)
    logits = rows.logits(X)
    exact = plain.logits(given.widened(X))
    assert logits.numbers == exact.numbers and logits.error == exact.error + given.more
    size, common, off = given.size or READS + logits.error, plain._product.error(logits.error), []
    for place, z in enumerate(logits.numbers):
        unembedding = network_of(2).unembedding
        column = Matrix(tuple((row[place],) for row in unembedding.weight.rows), 1, -1)
        assert unembedding.bias is not None
        made = ProductOnBalls(known, ExactLinear(column, Vector((unembedding.bias.entries[place],), -1))).error(
            given.gain_error, size)
        off.append(made + Fraction(abs(z) + common + made, 1 << 9) + Fraction(ONE, 1 << 16))
    values = plain.values(Logits(exact.numbers, logits.error), [0, 1])
    for (value, error), (same, before), more in zip(rows.values(logits, [0, 1]), values, (off[0] + 2 * off[1], off[2]),
                                                    strict=True):
        assert value == same and 0 <= error - before - more < 6
    for row, (value, error) in enumerate(rows.values(logits, [0, 1])):
        rows.least[row] = value - error - 1
        assert are_above(rows, logits, [row])
        assert row == 0 or are_above(rows, logits, [0, row])
        rows.least[row] += 1
        assert not are_above(rows, logits, [row])
        assert not are_above(rows, logits, [row, 1 - row]) and not are_above(rows, logits, [1 - row, row])
        rows.least[row] -= 1


def are_above(rows: RowsOnBalls, logits: Logits, wanted: Sequence[int]) -> bool:
    return all(value - error > rows.least[row] for row, (value, error) in
               zip(wanted, rows.values(logits, wanted), strict=True))


@pytest.mark.parametrize("places", [None, Matrix(((1, 1), (-2, 4)), 2, -3)])
def test_what_is_looked_up_is_one_number_or_flushed(places: Matrix | None) -> None:
    run = operations(storage=Format(12, -10, 60)).model
    one = StackOnBalls(Precision(0), Budget(1), network_of(2, places), [0, 1], ROWS, Fraction(0), 3, run)
    for token, entries in enumerate(((3, -1), (1, 2))):
        for position in (0, 1):
            x, e = one.embed(token, position)
            row = places.rows[position] if places else (0, 0)
            assert x == [ONE * a // 4 + ONE * b // 8 for a, b in zip(entries, row, strict=True)]
            assert 2 * (1 + Fraction(ONE, 1 << 10)) <= e < 2 * (3 + Fraction(ONE, 1 << 10))
            assert length(x) + e <= one._bound
    assert Balls(run, Precision(0), Budget(1)).precision.one == ONE


def test_sums_of_more_terms_than_their_format_has_room_for_are_left_to_forms() -> None:
    """A logit is a sum of three terms: twice as many u must not be above 1."""
    for bits, known in ((3, True), (2, False)):
        run = operations(sums=Format(bits, -60, 60)).model
        make = partial(StackOnBalls, Precision(0), Budget(1), network_of(2), [0, 1], ROWS, Fraction(0), 3, run)
        assert is_refused(make) != known


def test_an_input_is_proved_where_all_its_places_are_and_balls_reject_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    given = given_of(make_network("post", 5), FINE)
    prover = proof.ModelProver(given, given.floats[0])
    known, asked = prover.inputs(WordsUnit(1, 1, 4)), list[Any]()
    answers: dict[int, Any] = {}

    def values(rows: RowsOnBalls, logits: Logits, wanted: Sequence[int]) -> list[tuple[int, int]]:
        asked.append((logits, wanted))
        if isinstance(answers[wanted[0]], Exception):
            raise answers[wanted[0]]
        return [(rows.least[wanted[0]] + (1 if answers[wanted[0]] else 0), 0)]

    monkeypatch.setattr(RowsOnBalls, "values", values)
    for one, other in product((True, False, Undecided(), Rejected("it is so")), repeat=2):
        answers.update({0: one, 1: other})
        assert known._prove_by_balls(WORD, {3: [0], 4: [1]}) == (one is other is True)
        assert all(logits == known._runner.logits(0, WORD, [3, 4])[3 + wanted[0]] for logits, wanted in asked)


def test_where_balls_are_too_coarse_for_every_word_nothing_is_asked_of_them() -> None:
    coarse = FINE | dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), "float(3,-60,60)")
    for fields, helps in ((FINE, True), (coarse, False)):
        given = given_of(make_network("post", 5), fields)
        rows = proof.ModelProver(given, given.floats[0])._rows
        assert is_refused(partial(rows.balls.beginning, 0)) != helps
