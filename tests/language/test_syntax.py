"""Interned nodes, subformulas and the simple questions about formulas."""

import copy
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given

from constructions.language.parser import parse_formula
from constructions.language.syntax import (
    FALSE,
    TRUE,
    And,
    Comparison,
    Constant,
    Count,
    Formula,
    Not,
    Or,
    Predicate,
    Since,
    Symbol,
    Term,
    Until,
    always,
    difference,
    eventually,
    historically,
    is_constant_comparison,
    is_positional,
    is_symbolic,
    once,
    operands,
    subformulas,
    symbols_of,
    usual_since,
    usual_until,
)
from tests.language.strategies import formulas

A, B = Symbol("a"), Symbol("b")


def test_equal_formulas_are_the_same_object() -> None:
    assert And(A, Not(B)) is And(Symbol("a"), Not(Symbol("b")))
    assert And(A, B) is not And(B, A)
    assert len({Since(A, B), Until(A, B)}) == 2
    assert Constant(True) is TRUE and Constant(False) is FALSE
    assert Count("left", A) is Count("left", A) is not Count("right", A)
    assert Term(((2, Count("left", A)),), 1) is Term(((2, Count("left", A)),), 1)
    assert Predicate("ODD") is Predicate("ODD", ()) is Predicate(name="ODD")


def test_formulas_are_immutable() -> None:
    with pytest.raises(FrozenInstanceError):
        A.symbol = "b"  # type: ignore[misc]


@given(formulas(counting=True))
def test_copies_are_the_same_object(formula: Formula) -> None:
    assert copy.copy(formula) is formula
    assert copy.deepcopy(formula) is formula


def test_nodes_match_by_position() -> None:
    match Since(A, Not(B)):
        case Since(left, Not(right)):
            assert (left, right) == (A, B)
        case _:
            pytest.fail("no match")


def test_abbreviations_expand_as_defined() -> None:
    assert once(A) is Since(TRUE, A)
    assert historically(A) is Not(Since(TRUE, Not(A)))
    assert eventually(A) is Until(TRUE, A)
    assert always(A) is Not(Until(TRUE, Not(A)))
    assert usual_since(A, B) is Since(Or(A, B), B)
    assert usual_until(A, B) is Until(Or(A, B), B)


def test_operands_include_those_inside_counts() -> None:
    term, other = Term(((1, Count("left", A)), (2, Count("right", B))), 3), Term(((0, Count("left", TRUE)),), 0)
    assert operands(Comparison("<=", term, other)) == (A, B, TRUE)
    assert operands(parse_formula("ODD(#<[Q_a])")) == (A,)
    assert operands(A) == operands(TRUE) == operands(Predicate("ODD")) == ()


@given(formulas(counting=True))
def test_subformulas_come_once_and_after_their_operands(formula: Formula) -> None:
    parts = subformulas(formula)
    assert parts[-1] is formula
    assert len(set(parts)) == len(parts)
    for place, part in enumerate(parts):
        assert set(operands(part)) <= set(parts[:place])


@given(formulas(counting=True))
def test_depth_is_one_more_than_that_of_the_deepest_operand(formula: Formula) -> None:
    for part in subformulas(formula):
        assert part.depth == 1 + max((operand.depth for operand in operands(part)), default=0)


def test_very_deep_and_heavily_shared_formulas_do_no_harm() -> None:
    formula: Formula = A
    for _ in range(10_000):
        formula = Since(Or(A, formula), formula)
    assert len(subformulas(formula)) == 20_001
    assert symbols_of(formula) == ["a"]


@pytest.mark.parametrize(
    ("text", "positional", "symbolic"),
    [("true", True, True), ("Q_a", False, True), ("FIRST", True, False), ("!(FIRST & MOD(3,1)) | true", True, False),
     ("Q_a -> !Q_b", False, True), ("FIRST <-> Q_a", False, False), ("O true", False, False),
     ("ODD(#<[true])", False, False), ("1 <= 2", True, False), ("0*#<[Q_a] <= 2 & ODD", True, False),
     ("#<[ODD] <= 2", False, False), ("prev Q_a", False, False)],
)  # fmt: skip
def test_positional_and_symbolic(text: str, positional: bool, symbolic: bool) -> None:
    formula = parse_formula(text)
    assert (is_positional(formula), is_symbolic(formula)) == (positional, symbolic)


def test_the_difference_has_each_count_once_and_no_zero_coefficient() -> None:
    a, b = Count("left", A), Count("right", B)
    assert difference(comparison("3*#<[Q_a] + #>[Q_b] - 1 <= #<[Q_a] + 4")) is Term(((2, a), (1, b)), -5)
    assert difference(comparison("#<[Q_a] + 2 > #<[Q_a] + 2*#>[Q_b]")) is Term(((-2, b),), 2)
    assert difference(comparison("#<[Q_a] == #<[Q_a]")) is Term((), 0)
    assert is_constant_comparison(comparison("0*#<[Q_a] == 1")) and not is_constant_comparison(TRUE)


def comparison(text: str) -> Comparison:
    parsed = parse_formula(text)
    assert isinstance(parsed, Comparison)
    return parsed


def test_symbols_are_found_inside_counts_and_sorted() -> None:
    assert symbols_of(parse_formula("#<[Q_c] <= #>[Q_a since Q_b]")) == ["a", "b", "c"]
