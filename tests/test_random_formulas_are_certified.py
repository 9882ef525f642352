"""The whole road on random formulas of the full language: proved by two provers and accepted by the checker."""

from __future__ import annotations

import pytest

from certify.outcomes import Certified
from certify.pipeline import certify
from constructions.language.printer import format_formula
from tests.network.test_hard_attention_counts_exactly import formula_number


def check_certified(seeds: range, max_n: int) -> None:
    """Every formula of these seeds is certified; the first that is not is named with the reason."""
    for seed in seeds:
        formula, regime = formula_number(seed)
        outcome = certify(formula, "ab", max_n, regime)
        assert isinstance(outcome, Certified), f"{format_formula(formula)}, {regime}: {outcome}"


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_random_counting_formulas_are_certified_up_to_length_3(first: int) -> None:
    check_certified(range(first, first + 15), 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(1000, 1400, 20))
def test_hundreds_of_random_counting_formulas_are_certified_up_to_length_5(first: int) -> None:
    check_certified(range(first, first + 20), 5)
