"""Flip-flop against brute force: every word of writes and other symbols, each with either bit."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest

from proofs.numbers.instances.section_6_flip_flop import gap, is_worst_at_the_end, worst_error
from tests.numbers.instances.helpers import examined, verdicts

Word = tuple[tuple[int, int], ...]
"""At each position: whether it is a write, and its bit."""


def words(n: int) -> Iterator[Word]:
    return product(product((0, 1), (0, 1)), repeat=n)


def scores(word: Word, i: int) -> list[int]:
    """n times the scores that position i sees."""
    return [len(word) * write + j for j, (write, _) in enumerate(word[:i], start=1)]


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_gap_is_that_of_all_words(n: int) -> None:
    gaps = [sorted(scores(word, i))[-1] - sorted(scores(word, i))[-2] for word in words(n) for i in range(2, n + 1)]
    assert gap(n) == Fraction(min(gaps), n) == Fraction(1, n)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("x", [Fraction(1, 2), Fraction(1, 7), Fraction(9, 10)], ids=str)
def test_the_worst_error_is_that_of_all_words(n: int, x: Fraction) -> None:
    errors = []
    for word in words(n):
        for i in range(1, n + 1):
            seen = scores(word, i)
            weights = [x ** (max(seen) - score) for score in seen]
            right = word[seen.index(max(seen))][1]
            errors.append(sum(w for w, (_, bit) in zip(weights, word, strict=False) if bit != right) / sum(weights))
    assert max(errors) == worst_error(n, x) and is_worst_at_the_end(n)


@pytest.mark.parametrize("name", ["lemma-24", "section-6-gap", "section-6-ln-4"])
def test_it_holds_for_every_length(name: str) -> None:
    assert all(verdicts(name, n) == {True} for n in (1, 2, 3, 4, 32))


def test_one_over_n_log_n_errs_by_more_than_a_quarter_for_two_and_three_positions_only() -> None:
    assert [verdicts("section-6-log", n) for n in range(1, 33)] == [{True}, {False}, {False}, *[{True}] * 29]
    assert [examined("section-6-log", n)[0].value.lower for n in (2, 3, 4)] == [
        Fraction(1, 3), Fraction(4, 13), Fraction(21, 85)]


def test_one_over_n_without_a_constant_errs_by_more_than_a_quarter_from_two_positions_on() -> None:
    assert verdicts("section-6-one-over-n", 1) == {True}
    assert all(verdicts("section-6-one-over-n", n) == {False} for n in range(2, 33))


def test_ln_4_is_the_least_constant_for_all_lengths() -> None:
    """x = 1/4 errs by less than 1/4 at every length; x a little above does not for long words."""
    assert all(worst_error(n, Fraction(1, 4)) < Fraction(1, 4) for n in range(1, 33))
    assert worst_error(12, Fraction(1001, 4000)) > Fraction(1, 4)
