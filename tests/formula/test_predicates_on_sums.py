"""Predicates on sums of counts: proved, accepted by the checker, right on all short words; and refused if changed."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.syntax import Formula, PredicateOnSum, subformulas
from constructions.network.lengths import up_to
from constructions.network.meanings import Near
from constructions.network.transformer import Transformer
from constructions.regimes import Regime, Sharpening
from proofs.check import Rejected, check_text
from proofs.every_n.transformer_file import theorem_file
from proofs.formula.certificate import seal
from proofs.formula.discharge import Line, discharge
from tests.check.handmade import dump
from tests.covered import fields
from tests.formula.test_counting_networks import check_all_words, unproved

DIFFERENCE = "PRIME(#<[Q_1] - #<[Q_0])"
SUMS = [DIFFERENCE, "SQUARE(#<[Q_1] + #>[Q_0])"]
DEFINED = parse_predicate_definitions(["BEND(k,n) := k*k % 5 == 1 or k == 2 - n", "SHY(k) := POW2(3 - k)"])
USERS = ["BEND(#<[Q_1] - #>[Q_0])", "SHY(#<[Q_1] - #<[Q_0])"]
BACK = Regime(causal=True)
REGIMES = [Regime(), Regime(Sharpening.POSITION), BACK]


def formula_of(text: str) -> Formula:
    return parse_formula(text, "01", DEFINED)


def proved(text: str, regime: Regime, max_n: int) -> tuple[Transformer, list[Line]]:
    transformer = compile_formula(formula_of(text), "01", regime)
    lines = discharge(transformer, up_to(max_n))
    assert unproved(lines) == []
    return transformer, lines


def sealed(text: str, regime: Regime = BACK, max_n: int = 5) -> Any:
    transformer, lines = proved(text, regime, max_n)
    return json.loads(seal(formula_of(text), up_to(max_n), regime, transformer, lines))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("regime", REGIMES, ids=str)
@pytest.mark.parametrize("text", [*SUMS, *USERS])
def test_sums_are_proved_accepted_and_right_on_all_words_up_to_4(text: str, regime: Regime) -> None:
    if regime.causal and "#>" in text:
        with pytest.raises(Unsupported, match="looks ahead"):
            compile_formula(formula_of(text), "01", regime)
        return
    transformer, lines = proved(text, regime, 5)
    check_all_words(transformer, lines, 4)
    accepted = check_text(seal(formula_of(text), up_to(5), regime, transformer, lines).encode())
    assert fields(accepted).subformulas == len(subformulas(formula_of(text)))


def test_a_sum_of_both_sides_with_both_signs_is_proved_accepted_and_right_on_all_words_up_to_3() -> None:
    text = "SQUARE(#<[Q_1] - #>[prev Q_1] + #>[Q_0])"
    transformer, lines = proved(text, Regime(), 3)
    check_all_words(transformer, lines, 3)
    check_text(seal(formula_of(text), up_to(3), Regime(), transformer, lines).encode())


@pytest.mark.one_in(6)
@pytest.mark.parametrize("text", ["SQUARE(2*#<[Q_1] + #<[Q_0] - 1)", "PRIME(3*#<[Q_1] - 2*#<[Q_0])",
                                  "SHY(#<[Q_1] - 2*#<[true])"])
def test_multiples_of_counts_are_proved_and_accepted_at_8(text: str) -> None:
    transformer, lines = proved(text, BACK, 8)
    check_text(seal(formula_of(text), up_to(8), BACK, transformer, lines).encode())


def test_the_difference_is_proved_and_accepted_at_20() -> None:
    transformer, lines = proved(DIFFERENCE, BACK, 20)
    check_text(seal(formula_of(DIFFERENCE), up_to(20), BACK, transformer, lines).encode())


def test_a_constant_that_is_too_small_is_not_proved() -> None:
    transformer = compile_formula(formula_of(DIFFERENCE), "01", Regime(), Fraction(4, 5))
    assert "the worst error exceeds 1/4" in {line.reason for line in discharge(transformer, up_to(4))}


def test_a_guard_that_says_too_much_is_not_proved() -> None:
    transformer = compile_formula(formula_of(DIFFERENCE), "01", Regime())
    (name,) = [name for name in transformer.directions if name.endswith("if positive")]
    meaning = transformer.directions[name]
    assert isinstance(meaning, Near)
    guard = formula_of("#<[Q_1] - #<[Q_0] >= 0")
    wider = replace(transformer, directions={**transformer.directions, name: replace(meaning, when=guard)})
    reasons = [line.reason for line in discharge(wider, up_to(4)) if line.direction == name]
    assert reasons == ["position 0 is looked for where the counts sum to 0, and is not visible at i = 1, n = 2"]


def test_coq_is_told_of_the_sum() -> None:
    text = theorem_file(compile_formula(formula_of(DIFFERENCE), "01", Regime()), formula_of(DIFFERENCE))
    assert "OnSum PRIME (Plus " in text


# -- the checker -------------------------------------------------------------------------------------------------------

LOOKUP = ("transformer", "layers", 2, "heads", 0)
POSITIVE = "near[PRIME(#<[Q_1] - #<[Q_0])] if positive"
OTHERS = ["others[#<[Q_1]] for 2", "others[#<[Q_0]] for 2"]
CHANGES: list[tuple[tuple[Any, ...], Any, str]] = [
    ((*LOOKUP, "queries", 0, OTHERS[0]), "4", "the counts that are read are not those of the sum"),
    ((*LOOKUP, "queries", 0, OTHERS[1]), "3", "the counts that are read are not those of the sum"),
    ((*LOOKUP, "queries", 0, "is[Q_1]"), "-3", "a position that is looked for is not visible at n = 5, i = 1"),
    ((*LOOKUP, "queries", 0, "is[Q_1]"), "6", "a value is not the truth that is claimed, at n = 5, i = 1"),
    ((*LOOKUP, "queries", 0, "is[Q_1]"), "1", "a truth is read in part"),
    ((*LOOKUP, "queries", 0), {OTHERS[0]: "3", OTHERS[1]: "-3"}, "a position that is looked for is not visible"),
    ((*LOOKUP, "queries", 1), {"1/i": "3"}, "the known part of a query differs from row to row"),
    ((*LOOKUP, "queries", 1), {"one": "6"}, "the counts that are read are not those of the sum"),
    ((*LOOKUP, "queries", 1), {"one": "-3"}, "the scores are no parabola"),
    ((*LOOKUP, "keys", 0), {"i^2": "1"}, "the scores are no parabola"),
    ((*LOOKUP, "keys", 1), {"i": "-1"}, "the scores are no parabola"),
    ((*LOOKUP, "keys", 1), {"1/i": "-1", "i^2": "-3"}, "the scores are no parabola"),
    ((*LOOKUP, "keys", 0), {"is[Q_1]": "1"}, "exact directions are read|is not determined by the directions read"),
    ((*LOOKUP, "values", POSITIVE), {"i": "1"}, "a value is not in 0..1"),
    ((*LOOKUP, "values", POSITIVE), {"one": "1"}, "a value is not the truth that is claimed"),
    ((*LOOKUP, "values", POSITIVE), {"is[PRIME]": "1/2"}, "a value is not the truth that is claimed"),
    ((*LOOKUP, "temperature"), "i", "the error exceeds its bound"),
    ((*LOOKUP, "mask"), "past", "causal: a head is not future-masked"),
    (("transformer", "directions", POSITIVE, "when"), "#<[Q_1] - #<[Q_0] >= 0", "not visible"),
    (("transformer", "directions", POSITIVE, "when"), "true", "not visible"),
    (("transformer", "directions", POSITIVE, "when"), "#<[Q_1] > 0", "is not determined by the directions read"),
    (("transformer", "directions", POSITIVE, "when"), "prev Q_1", "is not determined by the directions read"),
    (("transformer", "directions", POSITIVE, "formula"), "SQUARE(#<[Q_1] - #<[Q_0])", "a value is not the truth"),
    (("transformer", "directions", POSITIVE, "formula"), "PRIME(2*#<[Q_1] - 2*#<[Q_0])", "not those of the sum"),
    (("transformer", "directions", POSITIVE, "formula"), "PRIME(#<[Q_1] + #<[Q_0])", "not those of the sum"),
    (("transformer", "directions", POSITIVE, "formula"), "PRIME(#<[Q_1])", "does not belong to the sum"),
    (("transformer", "directions", POSITIVE, "formula"), "#<[Q_1] - #<[Q_0] == 2", "has no predicate of a sum"),
]


def at(made: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        made = made[step]
    return made


@pytest.fixture(scope="module")
def difference() -> str:
    return json.dumps(sealed(DIFFERENCE))


@pytest.mark.parametrize(("path", "changed", "reason"), CHANGES, ids=lambda each: str(each)[-50:])
def test_a_changed_certificate_is_rejected_for_this_reason(difference: str, path: tuple[Any, ...], changed: Any,
                                                            reason: str) -> None:
    made = json.loads(difference)
    at(made, path[:-1])[path[-1]] = changed
    with pytest.raises(Rejected, match=reason):
        check_text(dump(made))


@pytest.mark.parametrize(("direction", "error", "reason"), [
    (POSITIVE, "1/1000", "the error exceeds its bound, where the least curvature is 3"),
    (OTHERS[0], "1/4", "expected at least 1"),
    (OTHERS[0], "1/5", "the error exceeds its bound"),
    ("near[PRIME(#<[Q_1] - #<[Q_0])] if negative", "-1/1000", "expected 0 to 1/4"),
])
def test_errors_that_are_not_true_are_rejected(difference: str, direction: str, error: str, reason: str) -> None:
    made = json.loads(difference)
    for bound in made["bounds"]:
        if bound["direction"] == direction:
            bound["error_if_false"] = bound["error_if_true"] = error
    with pytest.raises(Rejected, match=reason):
        check_text(dump(made))


def test_a_predicate_of_a_sum_is_one_node_of_the_core_language() -> None:
    formula = formula_of(DIFFERENCE)
    assert isinstance(formula, PredicateOnSum)
    assert parse_formula(str(formula), "01") is formula
