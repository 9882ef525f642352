"""Layer norms: enclosed roots, and classes of words against floating-point runs of every word."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import cast

import pytest

from proofs.enclosures.intervals import Interval, point
from proofs.enclosures.rationals import to_flint
from proofs.words.classes.buckets import Buckets
from proofs.words.classes.enclosing import enclose_class
from proofs.words.classes.norms import NoNorm, Norms, enclose_inverse_root, enclose_root
from tests.words.float_run import FloatRun
from tests.words.soft_models import soft_transformer


def number(p: int, q: int = 1) -> Fraction:
    """Return a rational of FLINT, which replaces Fractions inside runs."""
    return cast(Fraction, to_flint(Fraction(p, q)))


SMALL = Fraction(1, 100)


@pytest.mark.parametrize("x", [number(2), number(1, 3), number(10**40 + 1), number(1, 10**40 + 1), number(0)])
def test_roots_are_enclosed_closely(x: Fraction) -> None:
    found = enclose_root(point(x), 64)
    assert found.lower * found.lower <= x <= found.upper * found.upper
    assert found.upper - found.lower <= found.upper / 2**60


def test_roots_of_squares_are_exact() -> None:
    assert enclose_root(point(number(49, 9)), 1) == point(number(7, 3))
    assert enclose_inverse_root([point(number(3)), point(number(-3))], Fraction(16), 1) == point(number(1, 5))


def test_a_vector_of_equal_numbers_has_no_norm_without_an_epsilon() -> None:
    with pytest.raises(NoNorm):
        enclose_inverse_root([point(number(0)), Interval(number(-1), number(1))], Fraction(0), 64)


@pytest.mark.parametrize("norms", [
    Norms(((SMALL, SMALL), (SMALL, SMALL))), Norms(((None, SMALL), (SMALL, None))),
    Norms(((SMALL, None), (None, None)))])
def test_classes_with_norms_against_floating_point_runs_of_all_words(norms: Norms) -> None:
    for seed in range(3):
        transformer = soft_transformer(seed)
        for at in (1, 3):
            buckets = Buckets(transformer, [transformer.alphabet] * 3, at, norms=norms)
            outputs = {one.signature: enclose_class(buckets, one, 128) for one in buckets.classes()}
            for word in product(transformer.alphabet, repeat=3):
                seen = FloatRun(transformer, word, norms.epsilons).output(at)
                found = outputs[buckets.signature(word)]
                assert found.upper - found.lower < Fraction(1, 2**60)
                assert abs(float(found.lower) - seen) < 1e-9, (seed, word, at)


def test_classes_without_norms_against_the_same_evaluator() -> None:
    for seed in range(6):
        transformer = soft_transformer(seed, 3)
        buckets = Buckets(transformer, [transformer.alphabet] * 3, 2)
        outputs = {one.signature: enclose_class(buckets, one, 128) for one in buckets.classes()}
        for word in product(transformer.alphabet, repeat=3):
            seen = FloatRun(transformer, word).output(2)
            assert abs(float(outputs[buckets.signature(word)].lower) - seen) < 1e-9 * max(1, abs(seen))
