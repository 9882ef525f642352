"""Shared steps of sweeps, exponentials and lengths have the results of separate computations."""

import random
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.auditing.claims import AboutNetwork
from certify.auditing.claims_file import read_claim
from certify.auditing.critical import Bracketing
from constructions.language.fragments import find_future_subformula
from constructions.language.parser import parse_formula
from constructions.network.lengths import Lengths
from constructions.regimes import ALL_REGIMES, Regime
from proofs.enclosures.by_mpmath import exponential
from proofs.enclosures.exponential import enclose_exp, enclose_exp_of_ratio
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.attention.worst_case import weigh
from proofs.formula.common.sweeps import Step
from proofs.formula.failures import NotDerived
from proofs.numbers.instances.lemma_07_table_lookup import error
from tests.formula.test_windows_agree_with_paths import BITS, FORMULAS, heads_of, mutated, obligation_of


def obligations(text: str, regime: Regime) -> list[AttentionObligation]:
    rng, found = random.Random(text), []
    for transformer, layer, place, head, direction in heads_of(text, regime, Fraction(13, 10)):
        for changed in (head, mutated(rng, head), mutated(rng, head)):
            try:
                found.append(obligation_of(transformer, layer, place, changed, direction, 5))
            except NotDerived:
                continue
    return found


@pytest.mark.parametrize(("text", "regime"), [
    (text, regime) for text in FORMULAS for regime in ALL_REGIMES
    if not (regime.causal and find_future_subformula(parse_formula(text)))])
def test_every_letter_gives_the_option_that_its_own_keys_and_value_make(text: str, regime: Regime) -> None:
    for obligation in obligations(text, regime):
        reading, steps = obligation.reading, list[Step]()
        for group in reading.all_groups():
            for step in reading.sweep(group).steps:
                offered = reading.offered[reading.positions(group.n).kinds[step.j - 1]]
                base = [reading.known.form(row, step.j, group.n) for row in reading.keys]
                for letter, choice in zip(offered.letters, step.choices, strict=True):
                    option = step.options[choice]
                    assert option.score == sum(q * (known + truth) for q, known, truth
                                               in zip(group.query, base, letter.keys, strict=True))
                    assert (option.value, option.effect) == (offered.base_value + letter.value, letter.effect)
                assert len(set(step.options)) == len(step.options)
                steps.append(step)
        for one, other in zip(steps, random.Random(1).sample(steps, len(steps)), strict=True):
            assert (one.number == other.number) == (one.options == other.options)
            shapes = [(step.choices, [(option.value, option.effect) for option in step.options])
                      for step in (one, other)]
            assert (one.shape == other.shape) == (shapes[0] == shapes[1])


@pytest.mark.parametrize("text", FORMULAS)
def test_weights_are_those_of_each_score_less_the_greatest(text: str) -> None:
    for obligation in obligations(text, ALL_REGIMES[0]):
        for sweep in obligation.sweeps():
            top = max(option.score for step in sweep.steps for option in step.options)
            assert weigh(sweep, BITS).weights == tuple(
                tuple(enclose_exp(option.score - top, BITS) for option in step.options) for step in sweep.steps)


@given(st.integers(-10**9, 10**9), st.integers(1, 10**6))
def test_the_exponential_of_a_ratio_is_that_of_the_rational(numerator: int, denominator: int) -> None:
    assert enclose_exp_of_ratio(numerator, denominator, BITS) == enclose_exp(Fraction(numerator, denominator), BITS)


@given(st.lists(st.sampled_from([0, 1, -1, -3, 7, -1000]), min_size=1), st.lists(st.sampled_from([15, 40, 100])))
def test_a_shared_exponential_is_that_of_mpmath_at_every_precision(numbers: list[int], digits: list[int]) -> None:
    for some in digits:
        with mpmath.workdps(some):
            for number in numbers:
                x = mpmath.mpf(number) / 3
                assert exponential(x) == mpmath.exp(x)


@pytest.mark.parametrize("i", [1, 2, 5, 8])
def test_the_last_positions_are_looked_up_with_the_errors_of_the_first(i: int) -> None:
    assert all(error(i, c) == error(i, i + 1 - c) for c in range(1, i + 1))


@pytest.mark.parametrize(("text", "keys"), [
    ("ODD(#<[Q_1])", {"temperature": "1/n"}), ("prev Q_1", {"temperature": "1/n"}), ("Q_1 S Q_0", {}),
    ("Q_1 S Q_0", {"causal": True}), ("#<[Q_1] > #<[Q_0]", {})])
def test_the_first_length_that_fails_is_found_without_every_probe(text: str, keys: dict[str, str]) -> None:
    about = read_claim({"name": "x", "formula": text, "alphabet": "01", "lengths": 9, **keys}).about
    assert isinstance(about, AboutNetwork)
    found = set()
    for share in range(1, 17):
        constant, bracketing = Fraction(share, 6), Bracketing(about.request, about.demands.width)
        expected = next((n for n in range(1, 10)
                         if not bracketing._over(Lengths(n, n)).probe(constant).passes), None)
        assert bracketing._first_failing(Lengths(1, 9), constant) == expected
        found.add(expected)
    assert len(found) > 1
