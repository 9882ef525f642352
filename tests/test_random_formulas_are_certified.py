"""The whole road on random formulas of the full language: proved by two provers and accepted by the checker."""

import pytest

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from constructions.language.printer import format_formula
from constructions.network.lengths import up_to
from constructions.regimes import Regime, Sharpening
from proofs.formula.refutation.plain_words import all_words
from tests.network.test_hard_and_soft_run_compute_the_formula import check_soft
from tests.network.test_hard_attention_counts_exactly import formula_number


def check_certified(seeds: range, max_n: int) -> None:
    """Every formula of these seeds is certified; the first that is not is named with the reason."""
    for seed in seeds:
        formula, regime = formula_number(seed)
        outcome = certify(formula, "ab", max_n, regime)
        assert isinstance(outcome, Certified), f"{format_formula(formula)}, {regime}: {outcome}"


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(0, 60, 15))
def test_random_counting_formulas_are_certified_up_to_length_3(first: int) -> None:
    check_certified(range(first, first + 15), 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(1000, 1400, 20))
def test_hundreds_of_random_counting_formulas_are_certified_up_to_length_5(first: int) -> None:
    check_certified(range(first, first + 20), 5)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("text", [
    "#<[Q_a] - #>[Q_a] != 1",  # the truth here cancels
    "0*#>[PRIME(#<[Q_a])] + 2 != -1",  # what is counted is of no account
    "LAST(#<[Q_a])", "MOD(3,5)(#>[ODD])", "#<[false] > 0",  # true nowhere
    "#<[true] == #>[true]", "PRIME(#<[ODD])",  # what is counted is known
    "1000000*#<[Q_a] >= 999999*#>[Q_b]", "3*#<[Q_a] > 1000000000000",
    "#<[#<[Q_a] > #<[Q_b]] - 2*#>[next Q_a | MOD(2,1)(#<[Q_b])] <= 1",
])
def test_edges_of_counting_are_certified(text: str) -> None:
    for regime in (Regime(), Regime(Sharpening.POSITION)):
        outcome = certify(text, "ab", 5, regime)
        assert isinstance(outcome, Certified), f"{text}, {regime}: {outcome}"


@pytest.mark.parametrize("formula", ["ODD(#<[Q_a])", "#<[Q_a] >= #<[Q_b]", "MOD(3,1)(#>[Q_a])", "#<[true] == 1"])
@pytest.mark.parametrize("alphabet", ["a", "ab"])
def test_words_of_one_and_two_positions_are_certified_and_run_rightly(formula: str, alphabet: str) -> None:
    for regime in (Regime(), Regime(Sharpening.POSITION), *([Regime(causal=True)] if ">[" not in formula else [])):
        text = formula if alphabet == "ab" else formula.replace("Q_b", "false")
        outcome = certify(text, alphabet, 2, regime)
        assert isinstance(outcome, Certified), f"{text}, {regime}: {outcome}"
        assert outcome.transformer
        check_soft(outcome.transformer, all_words(alphabet, up_to(2)))
