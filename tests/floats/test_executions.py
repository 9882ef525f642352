"""Executions of a class are replayed bit by bit, and wrong ones are found."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import mpmath
import pytest

from constructions.errors import InputError, Unsupported
from constructions.hard_attention import compile_hard
from constructions.language.parser import parse_formula
from constructions.network.float_formats import FORMATS, Format
from constructions.network.lengths import Lengths
from constructions.network.transformer import FeedForward, Transformer
from proofs.enclosures.float_models.exponentials import Exponential
from proofs.enclosures.float_models.numbers import Arithmetic, NotFinite, exact_value
from proofs.floats.execution.execution import Execution, OrderedSum, Pushed
from proofs.floats.execution.orders import add_terms
from proofs.floats.execution.program import FloatProgram
from proofs.floats.execution.replay import replay
from proofs.floats.execution.search import LengthSearch, find_first_wrong
from tests.floats.executions_read import parse_execution, parse_order
from tests.floats.helpers import ODD, PREVIOUS, SINCE, find_wrong, network, pure
from tests.floats.random_executions import random_execution

TINY = Format(3, -2, 3)
TINIER = Format(3, -1, 2)


def numbers_of(tiny: Format) -> list[Fraction]:
    unit = Fraction(2) ** (tiny.least - tiny.precision + 1)
    steps = [mantissa * unit * 2**k for mantissa in range(1 << tiny.precision)
             for k in range(tiny.greatest - tiny.least + 1)]
    return sorted({sign * x for x in steps for sign in (1, -1)})


@pytest.mark.parametrize("operation", ["add", "multiply", "divide"])
def test_each_operation_gives_the_nearest_number_and_of_two_the_even_one(operation: str) -> None:
    every = numbers_of(TINIER)
    arithmetic = Arithmetic(TINIER)
    exactly = {"add": Fraction.__add__, "multiply": Fraction.__mul__, "divide": Fraction.__truediv__}[operation]
    for x, y in product(every, every):
        if operation == "divide" and y <= 0:
            continue
        exact = exactly(x, y)
        try:
            computed = exact_value(getattr(arithmetic, operation)(arithmetic.number(x), arithmetic.number(y)))
        except NotFinite:
            assert abs(exact) >= TINIER.largest + TINIER.unit(TINIER.largest) / 2
            continue
        nearest = min(abs(exact - z) for z in every)
        assert abs(exact - computed) == nearest
        if [abs(exact - z) for z in every].count(nearest) == 2:
            assert (computed / TINIER.unit(computed)) % 2 == 0


def test_a_flushed_result_is_0_exactly_if_it_is_below_the_least_normal_number() -> None:
    kept, flushed = Arithmetic(TINY), Arithmetic(TINY, flush=True)
    for x in numbers_of(TINY):
        number = exact_value(kept.number(x))
        assert exact_value(flushed.number(x)) == (0 if abs(number) < Fraction(1, 4) else number)


@pytest.mark.parametrize("ulp", [Fraction(1, 2), Fraction(1), Fraction(4)])
@pytest.mark.parametrize("base", ["e", "2"])
def test_an_exponential_is_within_its_bound_and_its_ends_are_the_last_that_are(ulp: Fraction, base: str) -> None:
    target = FORMATS["bfloat16"]
    exponential = Exponential(Arithmetic(target), ulp, base)
    with mpmath.workprec(200):
        for k in range(1, 400, 7):
            d = Fraction(-k, 37).limit_denominator(64)
            number = (d.numerator, 0) if d.denominator == 1 else None
            number = number or Arithmetic(target).number(d)
            x = mpmath.mpf(exact_value(number).numerator) / exact_value(number).denominator
            true = mpmath.exp(x) if base == "e" else mpmath.power(2, x)
            unit = target.unit(Fraction(int(true * 2**150), 2**150))
            least, nearest, greatest = (exact_value(exponential.of(number, Fraction(s))) for s in (-1, 0, 1))
            assert least <= nearest <= greatest
            for found in (least, nearest, greatest):
                assert abs(mpmath.mpf(found.numerator) / found.denominator - true) <= mpmath.mpf(
                    (ulp * unit).numerator) / (ulp * unit).denominator
            above = greatest + target.unit(greatest)
            assert mpmath.mpf(above.numerator) / above.denominator - true > mpmath.mpf(
                (ulp * unit).numerator) / (ulp * unit).denominator


def test_the_exponential_of_0_is_1_whatever_is_pushed() -> None:
    exponential = Exponential(Arithmetic(FORMATS["binary16"]), Fraction(4), "e")
    assert {exponential.of((0, 0), Fraction(s)) for s in (-1, 0, 1)} == {(1, 0)}


def test_no_format_has_exponentials_within_less_than_half_a_unit() -> None:
    with pytest.raises(InputError):
        Exponential(Arithmetic(FORMATS["binary16"]), Fraction(49, 100), "e")
    assert find_wrong(network(*ODD), pure("bfloat16", exp_ulp=Fraction(0)), 12) is None


@pytest.mark.parametrize(("order", "total"), [
    ("ascending", 8), ("descending", 10), ("smallest first", 10), ("largest first", 8), ("balanced", 8),
    ("listed 1 2 3 0", 10), ("listed 1 0", 8)])
def test_a_sum_depends_on_its_order(order: str, total: int) -> None:
    # With 3 bits 8 and 10 are neighbours: 8 + 1/2 is 8, 8 + 1 a tie and 8, and 8 + 3/2 is 10.
    terms = [(8, 0), (1, -1), (1, -1), (1, -1)]
    assert exact_value(add_terms(terms, parse_order(order), False, Arithmetic(TINY), "")) == total


def test_a_fused_product_is_not_rounded() -> None:
    products = [(1, 0), (25, -4)]  # 25/16 is 3/2 with 3 bits, and 41/16 is 5/2
    sums = [exact_value(add_terms(products, parse_order("ascending"), fused, Arithmetic(Format(3, -9, 9)), ""))
            for fused in (False, True)]
    assert sums == [Fraction(5, 2), Fraction(5, 2)]
    fused, apart = (exact_value(add_terms([(1, 0), (-15, -4)], parse_order("ascending"), fused,
                                          Arithmetic(Format(3, -9, 9)), "")) for fused in (True, False))
    assert (fused, apart) == (Fraction(1, 16), Fraction(0))


def test_an_execution_is_read_back_from_json() -> None:
    execution = Execution(order=parse_order("drawn 3"), orders={OrderedSum.DENOMINATOR: parse_order("listed 2 0 1")},
                          fused=True, normalised="after", flush=True, base="2", shift=Fraction(-1, 3),
                          pushed=(Pushed(1, 2, 3, "+-0"),))
    assert parse_execution(execution.to_json()) == execution
    drawn = random_execution(pure("binary16"), 5)
    assert parse_execution(drawn.to_json()) == drawn


def test_an_execution_of_another_class_is_refused() -> None:
    for execution in (Execution(normalised="after"), Execution(base="2")):
        with pytest.raises(InputError):
            replay(network(*ODD), pure("bfloat16", "before", exp_base="e"), "1", 1, network(*ODD).output, execution)


def test_hard_attention_has_no_float_run() -> None:
    with pytest.raises(Unsupported):
        find_wrong(compile_hard(parse_formula(PREVIOUS[0]), PREVIOUS[1]), pure("binary32"), 2)


def test_odd_of_a_count_is_wrong_in_bfloat16_from_10_on_and_the_refutation_replays() -> None:
    transformer, run_class = network(*ODD), pure("bfloat16")
    found = find_first_wrong(transformer, run_class, Lengths(9, 12))
    assert found is not None and found.n == 10
    assert found.direction == transformer.output and found.value not in (0, 1)
    assert found.replays(transformer, run_class)
    assert not replace(found, value=Fraction(1, 3)).replays(transformer, run_class)
    assert not replace(found, word=("0",) * found.n).replays(transformer, run_class)
    assert parse_execution(found.to_json()["execution"]) == found.execution


def test_odd_of_a_count_is_wrong_in_binary16_at_28() -> None:
    found = find_wrong(network(*ODD), pure("binary16"), 28)
    assert found is not None and found.replays(network(*ODD), pure("binary16"))


@pytest.mark.exhaustive
def test_odd_of_a_count_is_first_found_wrong_in_binary16_between_20_and_32() -> None:
    found = find_first_wrong(network(*ODD), pure("binary16"), Lengths(1, 64))
    assert found is not None and 20 <= found.n <= 32


@pytest.mark.parametrize(("case", "name", "n"), [(SINCE, "bfloat16", 64), (PREVIOUS, "bfloat16", 192)])
def test_the_worst_word_of_a_head_is_wrong(case: tuple[str, str], name: str, n: int) -> None:
    found = find_wrong(network(*case), pure(name), n)
    assert found is not None and found.n == n
    assert found.replays(network(*case), pure(name))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "least", "greatest"), [("bfloat16", 28, 96), ("binary16", 320, 1024)])
def test_since_is_first_found_wrong_where_emulation_found_it(name: str, least: int, greatest: int) -> None:
    found = find_first_wrong(network(*SINCE), pure(name), Lengths(1, greatest))
    assert found is not None and least <= found.n <= greatest
    assert found.replays(network(*SINCE), pure(name))


def test_an_end_marker_of_a_third_is_wrong_in_binary32_at_length_1() -> None:
    """ReLU(x - 1/3) * 3/2 at x = 1 is 0.99999994 in every order."""
    transformer = with_a_third(network(*PREVIOUS))
    found = find_first_wrong(transformer, pure("binary32"), Lengths(1, 64))
    assert found is not None and found.n == 1 and found.direction == "is[FIRST]"
    assert found.value == 1 - Fraction(1, 2**24)


def with_a_third(transformer: Transformer) -> Transformer:
    layers = []
    for layer in transformer.layers:
        units = tuple(replace(unit, bias=-Fraction(1, 3), writes={"is[FIRST]": Fraction(3, 2)})
                      if "is[FIRST]" in unit.writes else unit for unit in layer.feedforward.units)
        layers.append(replace(layer, feedforward=FeedForward(units, layer.feedforward.bias)))
    return replace(transformer, layers=tuple(layers))


def test_binary32_is_found_wrong_nowhere_up_to_32() -> None:
    for case in (ODD, SINCE, PREVIOUS):
        for n in (1, 2, 32):
            assert find_wrong(network(*case), pure("binary32"), n, work=3_000) is None


def test_words_of_two_blocks_are_all_looked_at_where_they_change() -> None:
    """onnxruntime is wrong on this word at this position."""
    transformer, run_class = network("(Q_a | Q_b) since Q_a", "abc"), pure("bfloat16")
    found = LengthSearch(FloatProgram(transformer, run_class), 33).find_in_blocks()
    assert found is not None and found.replays(transformer, run_class)
    assert ("".join(found.word), found.position, found.direction) == ("a" * 9 + "c" * 24, 10, transformer.output)
    assert LengthSearch(FloatProgram(transformer, run_class), 32).find_in_blocks() is None
    assert LengthSearch(FloatProgram(transformer, run_class), 33, 1).find_in_blocks() is None
    first = find_first_wrong(transformer, run_class, Lengths(30, 52), work=40_000)
    assert first is not None and first.word == found.word
