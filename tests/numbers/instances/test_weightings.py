"""One additive head, and geometric attention that would be uniform: exact values, and what breaks them."""

from fractions import Fraction
from itertools import product

import pytest

from proofs.numbers.instances.additive_heads import least_values, output
from proofs.numbers.instances.geometric_shares import weights
from tests.numbers.instances.helpers import verdicts


def is_right(values: list[tuple[Fraction, Fraction, Fraction]]) -> bool:
    for word in product((0, 1, 2), repeat=len(values)):
        deciding = [printed for printed in word if printed != 2]
        number = output(values, word)
        if not (number >= Fraction(3, 4) if deciding and deciding[-1] == 0 else number <= Fraction(1, 4)):
            return False
    return True


@pytest.mark.parametrize("n", range(1, 8))
def test_the_head_with_equality_is_right_on_every_word(n: int) -> None:
    assert is_right(least_values(n))
    assert verdicts("additive-head-values", n) == {True}


@pytest.mark.parametrize("n", range(2, 7))
def test_no_value_of_it_may_be_any_smaller(n: int) -> None:
    for place in range(n):
        for printed in (0, 1):
            values = [list(each) for each in least_values(n)]
            values[place][printed] *= Fraction(99, 100)
            assert not is_right([(yes, no, nothing) for yes, no, nothing in values])


def test_longer_words_are_not_run() -> None:
    assert None in verdicts("additive-head-values", 10)


def test_shares_of_one_over_j_make_geometric_attention_uniform_and_constant_ones_do_not() -> None:
    assert verdicts("geometric-equal-shares", 8) == {True}
    assert set(weights([Fraction(1, j) for j in range(1, 9)])) == {Fraction(1, 8)}
    for share in (Fraction(1, 2), Fraction(1, 3), Fraction(9, 10)):
        first, second = weights([share, share])
        assert first == share * (1 - share) < second
