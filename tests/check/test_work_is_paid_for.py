"""The checker counts its work in steps, for any file; tests compare steps, not times."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from certify import certify
from certify.claims.formula.outcomes import Certified
from proofs.check.checker.checking import check_within
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.language import Language
from proofs.check.checker.kernel.language.columns import Columns
from proofs.check.checker.kernel.numbers import add, text_key
from proofs.check.checker.kernel.reading.records import Neuron
from proofs.check.checker.kernel.verdicts import Incomplete, TooLong, verdict_of
from proofs.check.checker.requirements import ANYTHING

NESTED_ROOTS = "sqrt(" * 20 + "i*n/7 + 2^64/3" + ")" * 20


def steps_of(formula: str, alphabet: list[str]) -> int:
    """Return the work of checking the certificate of a formula."""
    outcome = certify(formula, alphabet=alphabet, max_n=2)
    assert isinstance(outcome, Certified)
    budget = Budget()
    before = budget.steps_left
    check_within(outcome.certificate.encode(), ANYTHING, budget)
    return before - budget.steps_left


def grows_like_squares(work: Callable[[int], int], small: int) -> bool:
    """Return whether four times the size takes at most about 16 times the work, apart from constant work."""
    return work(4 * small) < 18 * work(small)


def test_symbols_of_formulas_cost_no_cube_of_the_alphabet() -> None:
    """A direction for each beginning of a disjunction has a cell for each symbol: squares are what is claimed."""
    def work(size: int) -> int:
        alphabet = [f"s{k}" for k in range(size)]
        return steps_of(" | ".join(f"Q_{symbol}" for symbol in alphabet), alphabet)

    assert grows_like_squares(work, 50)


def test_a_chain_of_negations_costs_work_in_proportion_to_its_length() -> None:
    assert steps_of("!" * 800 + "Q_a", ["a", "b"]) < 5 * steps_of("!" * 200 + "Q_a", ["a", "b"])


def test_every_root_is_paid_for() -> None:
    """20 roots at each of 64 * 65 / 2 places, each at least the 8 steps that its text and its root take."""
    budget = Budget()
    language = Language(budget)
    place, before = language.number(NESTED_ROOTS), budget.steps_left
    for n in range(1, 65):
        Columns(language, language.values, range(1, 65)).values(place, n)
    assert before - budget.steps_left >= 20 * 8 * 64 * 65 // 2


def test_long_numbers_that_find_results_are_paid_for() -> None:
    budget = Budget()
    before = budget.steps_left
    text_key(budget, (Fraction(1, 3**40_000), (7**20_000,)))
    assert before - budget.steps_left >= (63_000 >> 10) + (56_000 >> 10)


def test_a_unit_as_a_key_stands_for_itself() -> None:
    """Equal units, whose numbers a file can choose to be of one hash, are two keys."""
    one, other = (Neuron({"a": Fraction(1)}, Fraction(0), {}) for _ in range(2))
    assert one in {one} and other not in {one}


def test_a_number_that_is_too_long_is_no_end_of_the_budget() -> None:
    budget = Budget()
    with pytest.raises(TooLong):
        add(budget, Fraction(1, 2**70_000), Fraction(1, 3**50_000))
    assert verdict_of(TooLong("")) == "incomplete"
    budget.expect_kept()


def test_a_check_that_ran_out_is_incomplete_whoever_went_on() -> None:
    budget = Budget()
    with pytest.raises(Incomplete) as ended:
        budget.spend(budget.steps_left + 1)
    assert not isinstance(ended.value, TooLong)
    with pytest.raises(Incomplete):
        budget.expect_kept()
