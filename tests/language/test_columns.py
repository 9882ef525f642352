"""Columns of expressions: the values and the errors of evaluating position by position."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.errors import InputError
from constructions.language.brackets import parse_position_function
from constructions.language.expressions import EvaluationError, parse_expression
from constructions.language.parser import parse_formula
from constructions.network.meanings import Meaning, Position, Product, Truth
from proofs.formula.common.word_independent import KnownValues, known_value
from tests.language.strategies import expression_texts


def outcome(function: object) -> object:
    try:
        return function()  # type: ignore[operator]
    except InputError as error:
        return str(error)


@given(expression_texts(), st.integers(1, 9), st.integers(0, 9))
def test_a_column_is_what_every_position_gives(text: str, n: int, first: int) -> None:
    expression = parse_expression(text)
    positions = range(first, n + 1)
    assert outcome(lambda: expression.column(positions, n)) == outcome(
        lambda: tuple(expression.evaluate(i=i, n=n) for i in positions))


@pytest.mark.parametrize("text", [
    "1/(n-i)", "(-1)^i", "0^(i-1)", "(i-3)^-1", "-1/(i-9)", "(n/n)^100", "2^i", "(1/2)^(n-i)", "i^(i/i)", "(i^64)^64",
    "(-1)^(10^60+i)", "ln(i-2)", "sqrt(i-1)", "log2ceil(i/n)", "i/-n", "(i/n+1/n)*n", "(2-i)^-3", "i^0", "(i-i)^0",
    "[PRIME](i-1)", "[LAST | ODD]",
])  # fmt: skip
def test_columns_at_the_edges_of_the_rules(text: str) -> None:
    function = parse_position_function(text)
    for n in (1, 2, 7, 70):
        assert outcome(lambda n=n: function.column(range(1, n + 1), n)) == outcome(
            lambda n=n: tuple(function.evaluate(i=i, n=n) for i in range(1, n + 1)))


def test_an_error_names_the_first_position_without_a_value() -> None:
    with pytest.raises(EvaluationError, match=r"divides by zero at i = 3, n = 5"):
        parse_expression("1/((i-3)*(i-4))").column(range(1, 6), 5)


DIRECTIONS: dict[str, Meaning] = {
    "share": Position(parse_expression("i/n")),
    "square": Position(parse_expression("i^2")),
    "last": Truth(parse_formula("LAST")),
    "product": Product(parse_expression("1/(i-1)"), parse_formula("!FIRST")),
}


@pytest.mark.parametrize("name", DIRECTIONS)
def test_known_columns_hold_the_known_values_in_any_order_of_lengths(name: str) -> None:
    known = KnownValues(DIRECTIONS)
    for n in (5, 2, 7, 7, 1):
        expected = tuple(known_value(DIRECTIONS[name], i, n) for i in range(1, n + 1))
        assert known.column(name, n) == expected
        assert tuple(known.value(name, i, n) for i in range(1, n + 1)) == expected


def test_forms_are_the_forms_at_every_position() -> None:
    known, row = KnownValues(DIRECTIONS), {"share": parse_expression("1/2").evaluate(), "square": -2, "product": 1}
    for n in (3, 6, 2):
        assert known.forms(row, n) == tuple(known.form(row, i, n) for i in range(1, n + 1))  # type: ignore[arg-type]


def test_a_copy_knows_the_same() -> None:
    known = KnownValues(DIRECTIONS)
    column = known.column("share", 60)
    assert copy.deepcopy(known).column("share", 60) == column


def test_what_mentions_the_length_is_known() -> None:
    known = KnownValues(DIRECTIONS)
    assert [known.mentions_n({name: 1}) for name in DIRECTIONS] == [True, False, True, False]  # type: ignore[dict-item]
