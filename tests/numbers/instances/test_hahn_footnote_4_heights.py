from fractions import Fraction

import pytest

from proofs.numbers.instances.hahn_footnote_4_heights import BELOW_HALF, balanced, carried_on, length_up_to
from tests.numbers.cross_entropy.enumeration import bracket_prefixes, open_brackets
from tests.numbers.instances.helpers import examined, verdicts

HALF = Fraction(1, 2)


def test_the_chain_is_refuted_first_at_four_symbols() -> None:
    assert [verdicts("hahn-footnote-4-chain", n) for n in (1, 2, 3, 4, 5, 6)] == [
        {True}, {True}, {True}, {False}, {True}, {False}]
    assert (balanced(4, HALF), carried_on(4, HALF)) == (Fraction(1, 3), Fraction(3, 8))


@pytest.mark.parametrize("p", [Fraction(1, 5), HALF, Fraction(3, 5)])
def test_the_share_of_balanced_prefixes_is_that_of_all_prefixes(p: Fraction) -> None:
    for n in range(1, 8):
        prefixes = bracket_prefixes(n, p)
        assert balanced(n, p) == sum(mass for word, mass in prefixes.items() if not open_brackets(word)) / sum(
            prefixes.values())


def test_the_expected_length_exceeds_every_bound_at_one_half() -> None:
    first = {k: next(n for n in range(1, 40) if length_up_to(n, HALF) > k) for k in (1, 2, 3, 4)}
    assert first == {1: 3, 2: 5, 3: 9, 4: 13}
    assert [one.holds for one in examined("hahn-footnote-4-length", 9)] == [False, False, False, True]


def test_below_one_half_it_tends_to_its_value_from_below() -> None:
    assert verdicts("hahn-footnote-4-length-repaired", 32) == {True}
    p = BELOW_HALF[0]
    assert 0 < 2 * p / (1 - 2 * p) - length_up_to(80, p) < Fraction(1, 10**6)
