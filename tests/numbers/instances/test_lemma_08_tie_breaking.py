from fractions import Fraction
from math import lcm

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from proofs.enclosures.rationals import from_flint
from proofs.numbers.instances.lemma_08_tie_breaking import CASES, satisfies_lemma_6, worst_losses
from tests.numbers.instances.helpers import distance_from_one_hot, examined, quick, verdicts

A, B, C = CASES.values()
BASE = Fraction(1, 2)
"""e^(-γ/m), where m clears the denominators of all losses: then every weight is rational."""


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("form", ["", "-sharp"])
def test_it_holds_with_one_instance_per_winning_position(case: str, form: str) -> None:
    for n in (1, 2, 3, 8, 32):
        assert verdicts(f"lemma-08-{case}{form}", n) == {True} and len(examined(f"lemma-08-{case}{form}", n)) == n


def test_the_worst_losses_are_exact() -> None:
    assert [str(lost) for lost in worst_losses(4, 4, A)] == ["4/3", "4", "12"]
    assert worst_losses(4, 4, B) == worst_losses(4, 1, C) == (1, 2, 3)
    assert worst_losses(4, 2, B) == (1, 6, 7)


def test_no_constant_below_2_would_do_in_b_and_c() -> None:
    """With x = e^(-γ) = 10^-6 the distance is above 1.9999 x."""
    x = Fraction(1, 10**6)
    for losses in (worst_losses(3, 3, B), worst_losses(3, 1, C)):
        others = sum(x ** int(lost) for lost in losses)
        assert 2 * others / (1 + others) > Fraction(19999, 10000) * x


def test_a_gap_below_1_would_not_do() -> None:
    """The hypothesis of the examination is not vacuous: half a gap breaks Lemma 6's hypothesis."""
    assert satisfies_lemma_6(5, 1, B)
    assert B.loss(5, 1, 5, fmpq(1, 3)) < 4


def printed(case: str, n: int, j: int, score: Fraction) -> Fraction:
    """ŝ_j/γ as the paper prints it."""
    return {"a": n * n * (score - Fraction(1, j)), "b": 2 * n * (score + Fraction(j, 2 * n)),
            "c": 2 * n * (score - Fraction(j, 2 * n))}[case]


@quick
@given(st.sampled_from(sorted(CASES)), st.lists(st.integers(0, 2), min_size=1, max_size=5))
def test_no_scores_with_gap_1_are_worse(case: str, scores: list[int]) -> None:
    n, best = len(scores), max(scores)
    tied = [j for j, score in enumerate(scores, start=1) if score == best]
    winner = tied[-1] if CASES[case].rightmost else tied[0]
    unit = lcm(*range(1, n + 1)) if case == "a" else 1
    sharpened = [printed(case, n, j, Fraction(score)) for j, score in enumerate(scores, start=1)]

    def weight(lost: Fraction) -> Fraction:
        assert (lost * unit).denominator == 1
        return BASE ** int(lost * unit)

    found = distance_from_one_hot([weight(sharpened[winner - 1] - score) for score in sharpened], winner)
    worst = distance_from_one_hot([Fraction(1), *map(weight, worst_losses(n, winner, CASES[case]))], 1)
    assert found <= worst <= 2 * weight(Fraction(1))


@quick
@given(st.sampled_from(sorted(CASES)), st.integers(2, 9), st.data())
def test_losses_are_those_of_the_printed_scores(case: str, n: int, data: st.DataObject) -> None:
    winner, j = data.draw(st.integers(1, n)), data.draw(st.integers(1, n))
    found = from_flint(CASES[case].loss(n, winner, j, 1))
    assert found == printed(case, n, winner, Fraction(1)) - printed(case, n, j, Fraction(0))
