"""Repeated operands, operands that are each other's negations, constants under operators: all of them are certified.

The units that compute such a formula may cancel and read nothing, and its heads may attend to a truth that is constant.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

import pytest

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.language.parser import parse_formula
from constructions.language.syntax import (
    FALSE,
    TRUE,
    And,
    Comparison,
    Count,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    PredicateOnCount,
    Previous,
    Since,
    Term,
    Until,
    always,
    eventually,
    historically,
    once,
)
from constructions.network.lengths import up_to
from constructions.network.transformer import FeedForward, Layer
from constructions.regimes import Regime, Sharpening
from proofs.formula.discharge import DischargedObligations, discharge

REGIMES = [Regime(sharpening, causal) for sharpening in Sharpening for causal in (False, True)]
LEAVES = list(map(parse_formula, ["Q_a", "prev Q_a", "O Q_a", "#<[Q_a] >= 1", "ODD(#<[Q_a])", "FIRST", "next Q_a"]))
BINARY: list[Callable[[Formula, Formula], Formula]] = [And, Or, Implies, Iff, Since, Until]


def is_counted(operand: Formula) -> Formula:
    return Comparison(">=", Term(((1, Count("left", operand)),), 0), Term((), 1))


def is_counted_oddly(operand: Formula) -> Formula:
    return PredicateOnCount("ODD", (), Count("left", operand))


UNARY: list[Callable[[Formula], Formula]] = [
    Not, Previous, Next, once, historically, eventually, always, is_counted, is_counted_oddly]


def degenerate_pairs(operand: Formula) -> Iterator[tuple[Formula, Formula]]:
    """Yield the operand with itself, with its negation and with constants, on both sides."""
    yield operand, operand
    for other in (Not(operand), TRUE, FALSE):
        yield operand, other
        yield other, operand


def degenerate(operands: Iterable[Formula]) -> list[Formula]:
    """Every binary operator over every degenerate pair, each formula once."""
    return list(dict.fromkeys(operator(*pair) for operand in operands for pair in degenerate_pairs(operand)
                              for operator in BINARY))


def unproved(formulas: Iterable[Formula], regime: Regime, max_n: int) -> list[str]:
    """Return the unproved obligations of those formulas that the regime supports."""
    memory, found = DischargedObligations(), []
    for formula in formulas:
        try:
            transformer = compile_formula(formula, ("a", "b"), regime)
        except Unsupported:
            continue
        found += [f"{formula}: {line.direction}: {line.reason}"
                  for line in discharge(transformer, up_to(max_n), memory) if not line.proved]
    return found


@pytest.mark.one_in(4)
@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_every_operator_over_operands_that_are_equal_opposite_or_constant(regime: Regime) -> None:
    assert unproved(degenerate([*LEAVES, TRUE, FALSE]), regime, 3) == []


@pytest.mark.one_in(4)
@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_every_unary_operator_over_constants_and_over_tautologies_that_read_nothing(regime: Regime) -> None:
    constant = [TRUE, FALSE, *(operator(leaf, leaf) for leaf in LEAVES for operator in (Implies, Iff))]
    assert unproved((operator(operand) for operand in constant for operator in UNARY), regime, 3) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("operator", [*BINARY, *UNARY], ids=lambda operator: operator.__name__)
@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_degenerate_operands_of_operators_over_degenerate_operands(
        regime: Regime, operator: Callable[..., Formula]) -> None:
    inner = degenerate([*LEAVES[:4], TRUE, FALSE])
    if operator in UNARY:
        formulas = [operator(operand) for operand in inner]
    else:
        formulas = [operator(*pair) for operand in inner for pair in degenerate_pairs(operand)]
    assert unproved(formulas, regime, 4) == []


@pytest.mark.one_in(16)
@pytest.mark.parametrize("text", [
    "prev Q_a -> prev Q_a",
    "prev Q_a since prev Q_a",
    "H (prev Q_a -> prev Q_a)",
    "(O Q_a) since (O Q_a)",
    "(O Q_a) since !(O Q_a)",
    "(Q_a & prev Q_b) <-> (Q_a & prev Q_b)",
    "Q_a & (prev Q_b | !prev Q_b)",
    "prev (prev Q_a <-> prev Q_a)",
    "true since false",
    "O prev true",
])
@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_formulas_whose_units_cancel_are_certified(text: str, regime: Regime) -> None:
    assert isinstance(certify(text, max_n=6, regime=regime), Certified)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("text", [
    "ODD(#<[Q_a]) <-> ODD(#<[Q_a])",
    "ODD(#<[prev Q_a]) since ODD(#<[prev Q_a])",
    "#<[prev Q_a -> prev Q_a] >= 2",
    "#<[true] >= 2",
    "PRIME(#<[false])",
])
@pytest.mark.parametrize("causal", [False, True], ids=["both sides", "causal"])
def test_formulas_about_counts_whose_units_cancel_are_certified(text: str, causal: bool) -> None:
    assert isinstance(certify(text, max_n=6, regime=Regime(Sharpening.TEMPERATURE, causal)), Certified)


def test_more_free_formulas_than_are_handled_are_unknown_and_say_so() -> None:
    symbols = [f"s{k}" for k in range(14)]
    before = [parse_formula(f"prev Q_{symbol}", symbols) for symbol in symbols]
    both = list(itertools.accumulate(before, And))[-1]
    compiled = compile_formula(Implies(both, both), (*symbols, "t"), Regime())
    *below, last = compiled.layers  # it is true everywhere, but nobody sees that from formulas that are not read
    constant = Layer(last.heads, FeedForward((), {compiled.output: Fraction(1)}))
    transformer = replace(compiled, layers=(*below, constant))
    (reason,) = [line.reason for line in discharge(transformer, up_to(2)) if not line.proved]
    assert reason == "14 truth values and signs are free, at most 12 are handled"
