"""Lemmas G, M and T, and the errors of forms, against every order of small sums in tiny formats."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from constructions.network.float_formats import Format, parse_format
from proofs.enclosures.float_models.model import FloatModel, presets, read_float_model
from proofs.floats.float_enclosure import FloatEnclosure, enclose_number
from proofs.floats.forms import bound_form, sum_on_grid
from proofs.floats.outward import exp_down, exp_up
from proofs.floats.sums import error_by_length, error_by_tails

ZERO = Fraction(0)
TINY = parse_format("float(4,-20,20)")


def tiny_class(name: str, storage: str = "float(4,-20,20)", sums: str = "float(4,-20,20)") -> FloatModel:
    formats = dict.fromkeys(("inputs", "scores", "weights"), storage) | {"sums": sums, "softmax": sums}
    return read_float_model(name, {"storage": storage, **formats, "normalised": "either", "exp_ulp": "1",
                                   "exp_base": "e", "block": 0})


def every_sum(numbers: Sequence[Fraction], target: Format) -> Iterator[Fraction]:
    """Yield the sums of all binary trees over all arrangements."""
    if len(numbers) == 1:
        yield numbers[0]
    for place in range(1, len(numbers)):
        for left in every_sum(numbers[:place], target):
            for right in every_sum(numbers[place:], target):
                yield target.round(left + right)


def every_order(numbers: Sequence[Fraction], target: Format) -> set[Fraction]:
    return {total for arranged in set(permutations(numbers)) for total in every_sum(arranged, target)}


@pytest.mark.parametrize("seed", range(12))
def test_lemma_g_sums_on_a_grid_are_exact_in_every_order(seed: int) -> None:
    random = Random(seed)
    numbers = [Fraction(random.randint(-7, 7), 4) for _ in range(4)]
    products = [(enclose_number(x), enclose_number(Fraction(1))) for x in numbers]
    if sum_on_grid(products, TINY):
        assert every_order(numbers, TINY) == {sum(numbers, ZERO)}


def test_lemma_g_refuses_a_sum_that_an_order_rounds() -> None:
    numbers = [Fraction(15), Fraction(2), Fraction(-16)]
    assert len(every_order(numbers, TINY)) > 1
    assert sum_on_grid([(enclose_number(x), enclose_number(Fraction(1))) for x in numbers], TINY) is None


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(12))
def test_lemma_t_bounds_every_order_of_falling_weights(seed: int) -> None:
    random = Random(seed)
    weights = [TINY.round(exp_up(Fraction(-k))) for k in range(5)]
    random.shuffle(weights)
    exact = sum(weights, ZERO)
    run = tiny_class("tiny")
    error = error_by_tails(5, Fraction(1), Fraction(1, 16), run)
    assert error is not None
    for total in every_order(weights, TINY):
        assert abs(total - exact) <= error * exact


@pytest.mark.parametrize("seed", range(12))
def test_the_number_of_roundings_bounds_every_order(seed: int) -> None:
    random = Random(seed)
    numbers = [TINY.round(Fraction(random.randint(1, 60), 7)) for _ in range(4)]
    error = error_by_length(4, 0, tiny_class("tiny"))
    assert error is not None
    exact = sum(numbers, ZERO)
    assert all(abs(total - exact) <= error * exact for total in every_order(numbers, TINY))


@pytest.mark.parametrize("sums", ["float(4,-20,20)", "float(6,-20,20)"])
@pytest.mark.parametrize("seed", range(15))
def test_the_error_of_a_form_bounds_every_order_fused_or_not(seed: int, sums: str) -> None:
    random, run = Random(seed), tiny_class("tiny", sums=sums)
    count = random.randint(1, 3)
    weights = [TINY.round(Fraction(random.randint(-40, 40), 5)) for _ in range(count)]
    real = [Fraction(random.randint(-40, 40), 9) for _ in range(count)]
    held = [FloatEnclosure(x, x, abs(TINY.round(x) - x), 0) if TINY.round(x) != x else enclose_number(x) for x in real]
    bound = bound_form([(enclose_number(w), x) for w, x in zip(weights, held, strict=True)], run, run.storage)
    exact = sum((w * x for w, x in zip(weights, real, strict=True)), ZERO)
    products = [w * TINY.round(x) for w, x in zip(weights, real, strict=True)]
    results = every_order([run.sums.round(p) for p in products], run.sums)
    for place, fused in enumerate(products):
        rest = [run.sums.round(p) for k, p in enumerate(products) if k != place]
        results |= {run.sums.round(total + fused) for total in (every_order(rest, run.sums) if rest else {ZERO})}
    assert bound.lower <= exact <= bound.upper
    assert all(abs(run.storage.round(total) - exact) <= bound.error for total in results)


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 7), Fraction(-9, 2), Fraction(20), Fraction(-500)])
def test_exponentials_are_bounded_on_their_own_side(x: Fraction) -> None:
    assert exp_down(x) <= exp_up(x) <= exp_down(x) * Fraction(1001, 1000)
    assert exp_up(x) * exp_down(-x) <= 1 <= exp_up(x) * exp_up(-x)


def test_presets_have_the_formats_of_their_names() -> None:
    for name in ("binary32", "binary16", "bfloat16", "binary16/binary32", "bfloat16/binary32"):
        storage, _, sums = name.partition("/")
        assert (str(presets()[name].storage), str(presets()[name].sums)) == (storage, sums or storage)
