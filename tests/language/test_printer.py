"""What is printed parses back to the same formula, and reads well."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.errors import InputError
from constructions.language.parser import parse_count, parse_formula
from constructions.language.printer import Style, format_count, format_formula
from constructions.language.syntax import And, Count, Formula, Or, Side, Since, Symbol
from tests.language.strategies import formulas


@pytest.mark.parametrize("style", ["ascii", "unicode"])
@pytest.mark.parametrize("parenthesize", [False, True])
@given(formula=formulas(counting=True))
def test_parsing_undoes_printing(style: Style, parenthesize: bool, formula: Formula) -> None:
    assert parse_formula(format_formula(formula, style, parenthesize)) is formula


@given(st.text(min_size=1))
def test_parsing_undoes_printing_of_any_symbol(symbol: str) -> None:
    assert parse_formula(str(Symbol(symbol))) is Symbol(symbol)


@given(formulas(counting=True), st.booleans())
def test_ascii_is_ascii(formula: Formula, parenthesize: bool) -> None:
    assert format_formula(formula, "ascii", parenthesize).isascii()


@given(formulas(counting=True), st.booleans())
def test_latex_is_balanced_ascii(formula: Formula, parenthesize: bool) -> None:
    text = format_formula(formula, "latex", parenthesize)
    assert text.isascii()
    assert text.count("{") == text.count("}")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("true since Q_a", "O Q_a"), ("!(true since !Q_a)", "H Q_a"), ("!(true since Q_a)", "!O Q_a"),
        ("true until Q_a", "F Q_a"), ("!(true until !Q_a)", "G Q_a"), ("!!(true since !Q_a)", "!H Q_a"),
        ("(Q_a | Q_b) since Q_b", "Q_a S Q_b"), ("(Q_a | Q_b) since Q_a", "(Q_a | Q_b) since Q_a"),
        ("(Q_a | Q_b) until Q_b", "Q_a U Q_b"), ("(true | Q_a) since Q_a", "true S Q_a"),
        ("(Q_a since Q_b) since Q_c", "(Q_a since Q_b) since Q_c"), ("Q_a since (Q_b S Q_c)", "Q_a since Q_b S Q_c"),
        ("(Q_a -> Q_b) -> Q_c", "(Q_a -> Q_b) -> Q_c"), ("Q_a & (Q_b & Q_c)", "Q_a & (Q_b & Q_c)"),
        ("(Q_a <-> Q_b) <-> Q_c", "(Q_a <-> Q_b) <-> Q_c"), ("!(Q_a & Q_b) | Q_c", "!(Q_a & Q_b) | Q_c"),
        ("(#<[Q_a] <= 1) & Q_b", "#<[Q_a] <= 1 & Q_b"), ("!(#<[Q_a] = 1)", "!(#<[Q_a] == 1)"),
        ("-1*#<[Q_a] + 1*#>[Q_b] - 0*#<[true] - 3 < 0", "-#<[Q_a] + #>[Q_b] + 0*#<[true] - 3 < 0"),
        ("MOD(3,1,#<[Q['a b']])", "MOD(3,1)(#<[Q['a b']])"), ("Y X Q_a", "prev next Q_a"),
    ],
)  # fmt: skip
def test_the_printed_spelling(text: str, printed: str) -> None:
    assert str(parse_formula(text)) == printed


@given(formulas(counting=True, max_depth=2), st.sampled_from(["left", "right"]))
def test_parsing_undoes_printing_of_counts(formula: Formula, side: Side) -> None:
    assert parse_count(format_count(Count(side, formula))) is Count(side, formula)


@pytest.mark.parametrize("text", ["Q_a", "2*#<[Q_a]", "#<[Q_a] + 1", "#<[Q_a] == 0 & #<[Q_a]", "1", "-#<[Q_a]", ""])
def test_what_is_no_single_count_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_count(text)


def test_unicode_spelling() -> None:
    formula = parse_formula("!prev Q_a & next (Q_a | Q_b) -> 2*#<[Q_a] >= #>[Q_b] <-> ODD")
    assert format_formula(formula, "unicode") == "¬⊖Q_a ∧ ⊕(Q_a ∨ Q_b) → 2*←#[Q_a] ≥ →#[Q_b] ↔ ODD"


def test_latex_spelling() -> None:
    formula = parse_formula("!prev Q_a since O Q['{'] & 2*#<[Q_b] != 1 | LAST")
    assert format_formula(formula, "latex") == (
        r"\lnot \ominus Q_{\texttt{a}} \mathbin{\mathbf{since}} \mathbf{O}\,Q_{\texttt{\{}}"
        r" \land 2\,\overleftarrow{\#}[Q_{\texttt{b}}] \ne 1 \lor \mathrm{LAST}"
    )


def test_every_operand_is_parenthesized_on_request() -> None:
    formula = parse_formula("!Q_a & O #<[Q_a -> Q_b] <= 1 since Q_b")
    assert format_formula(formula, parenthesize=True) == "(!Q_a) & ((O (#<[Q_a -> Q_b] <= 1)) since Q_b)"


def test_deep_abbreviations_print_without_doubling() -> None:
    formula: Formula = Symbol("a")
    for _ in range(2_000):
        formula = Since(Or(Symbol("b"), formula), formula)
    assert str(formula) == "Q_b S " * 2_000 + "Q_a"


def test_a_text_that_would_be_enormous_is_refused() -> None:
    formula: Formula = Symbol("a")
    for _ in range(200):
        formula = And(formula, formula)
    with pytest.raises(InputError, match="more than 5000000 characters"):
        str(formula)
