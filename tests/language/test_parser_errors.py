"""Bad formulas are refused at the right place, in plain words, and without a traceback of another kind."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from constructions.errors import FormulaError
from constructions.language import builder
from constructions.language.parser import parse_formula
from constructions.language.syntax import Formula, Symbol, subformulas

A_FORMULA = "expected a formula"
OR_END = "expected an operator such as & or since or the end of the text"
HINT = "; a symbol is written Q_a, or Q['a'] with any a"
PREDICATES = "expected a predicate such as ODD, EVEN, MOD, FIRST, LAST, SQUARE, POW2, PRIME"
A_NUMBER = "expected a number or a count such as #<[Q_a]"
COUNTS = "; write #<[...] to count the positions up to here, #>[...] from here"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, f"found the end of the text, {A_FORMULA}"),
        ("Q_a &  ", 1, 6, f"found the end of the text, {A_FORMULA}"),
        ("Q_a & )", 1, 7, f"found ')', {A_FORMULA}"),
        ("Q_a &\n  & Q_b", 2, 3, f"found '&', {A_FORMULA}"),
        ("& Q_a", 1, 1, f"found '&', {A_FORMULA}"),
        ("Q_a &\n  $", 2, 3, f"found '$', {A_FORMULA}"),
        ("prev", 1, 5, f"found the end of the text, {A_FORMULA}"),
        ("(Q_a", 1, 5, "found the end of the text, expected ')' or an operator such as & or since"),
        ("Q_a)", 1, 4, f"found ')', {OR_END}"),
        ("Q_a Q_b", 1, 5, f"found 'Q_b', {OR_END}"),
        ("Q_a # Q_b", 1, 5, f"found '#', {OR_END}{COUNTS}"),
        ("#<[Q_a <= 3", 1, 12, "found the end of the text, expected ']' or an operator such as & or since"),
        ("#<[Q_a <= 3]", 1, 8, f"found a formula beside '<=', {A_NUMBER}; implication is written '->'"),
        ("#<[Q_a]", 1, 1, "found a count, expected a formula; compare it, as in #<[Q_a] >= 1"),
        ("Q_b & #<[Q_a]", 1, 7, "found a count, expected a formula; compare it, as in #<[Q_a] >= 1"),
        ("#<[Q_a] 3", 1, 9, "found '3', expected '+' or '-' or a comparison such as <="),
        ("#<[Q_a] % 2", 1, 1, "found a remainder, expected a formula; compare it, as in #<[Q_a] % 2 == 0"),
        ("#<[Q_a] % 2 == #<[Q_b]", 1, 13, "found a remainder that is not compared with a number, "
                                          "expected one such as #<[Q_a] % 2 == 0"),
        ("1 + #<[Q_a] % 2 == 0", 1, 3, "found a remainder beside '+', expected it alone on its side of a comparison"),
        ("#<[Q_a] % 0 == 0", 1, 9, "found no positive number behind '%', expected one such as 2"),
        ("#<[Q_a] * #<[Q_b] > 1", 1, 9, "found a product of two counts, expected a number on one side of '*'"),
        ("F[4,2] Q_a", 1, 1, "found 'F[4,2]', expected the smaller bound first"),
        ("X[1,2] Q_a", 1, 1, "found 'X[1,2]', expected bounds such as X[3] or X^3"),
        ("F[2] Q_a", 1, 1, "found 'F[2]', expected bounds such as F[2,4] or F[2,]"),
        ("F[0,9999999] Q_a", 1, 1, "found 'F[0,9999999]', expected bounds of at most 6 digits"),
        ("3 <", 1, 4, "found the end of the text, expected a number or a count such as #<[Q_a]"),
        ("3 < Q_a", 1, 3, f"found a formula beside '<', {A_NUMBER}; implication is written '->'"),
        ("1.5 < 2", 1, 2, f"found '.', {OR_END}; numbers are integers: multiply both sides"),
        ("ODD(Q_1)", 1, 1, f"found a formula between the brackets of ODD, {A_NUMBER}"),
        ("MOD(3,", 1, 7, "found the end of the text, expected a number or a count such as #<[Q_a]"),
        ("MOD(3,1", 1, 8, "found the end of the text, expected ',', ')' or an operator such as & or since"),
        ("Q_b & MOD(3)", 1, 7, "MOD takes 2 parameters, got 1"),
        ("ODD(2)", 1, 1, "ODD takes no parameters, got 1"),
        ("MOD(0,0)", 1, 1, "MOD takes a first parameter of at least 1, got 0"),
        ("MOD(#<[Q_a])", 1, 1, "MOD takes 2 parameters, got 0"),
        ("a & b", 1, 1, f"found 'a', {PREDICATES}; write Q_a, or give --alphabet, whose symbols may be written bare"),
        ("Q_a & Q", 1, 7, f"found 'Q', {PREDICATES}{HINT}"),
        ("Q['']", 1, 1, "found an empty symbol, expected at least one character between the quotes"),
        ("Q['a", 1, 2, "found '[', expected '(', an operator such as & or since or the end of the text" + HINT),
        ("Q_é", 1, 3, "found 'é', expected '(', an operator such as & or since or the end of the text" + HINT),
        ("Q['\\a']", 1, 2, "found '[', expected '(', an operator such as & or since or the end of the text" + HINT),
    ],
)  # fmt: skip
def test_where_and_what(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula(text)
    error = caught.value
    assert (error.line, error.column, error.message, error.text) == (line, column, message, text)
    assert str(error) == f"line {line}, column {column}: {message}"


def test_the_caret_stands_under_the_column() -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula("Q_a &\n\tprev & Q_b")
    assert caught.value.caret() == " prev & Q_b\n      ^"


def test_the_excerpt_of_a_long_line_is_short() -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula("Q_a | " * 5_000 + ")" + " | Q_a" * 5_000)
    excerpt, caret = caught.value.caret().split("\n")
    assert len(excerpt) <= 72
    assert excerpt[caret.index("^")] == ")"


@given(st.text(max_size=40) | st.lists(st.sampled_from([*"()[]&|!'<>-=+*#,1 \n\\", "Q_a", "Q['", "#<[", "S ", "MOD("]))
       .map("".join))  # fmt: skip
@example("\ud800")
@example("Q['\n']\n)")
def test_any_text_is_a_formula_or_one_line_of_error(text: str) -> None:
    try:
        parse_formula(text)
    except FormulaError as error:
        assert "\n" not in str(error)
        assert "Token" not in str(error)
        assert error.caret().count("\n") == 1
        assert 1 <= error.line <= text.count("\n") + 1
        assert 1 <= error.column <= len(text.split("\n")[error.line - 1]) + 1


def refuse(text: str) -> FormulaError:
    with pytest.raises(FormulaError) as caught:
        parse_formula(text)
    return caught.value


def test_parentheses_may_nest_as_deep_as_the_text_is_long() -> None:
    assert parse_formula("(" * 9_998 + "Q_a" + ")" * 9_998) is Symbol("a")
    assert refuse("(" * 20_000).column == 20_001


def test_formulas_may_nest_deep() -> None:
    assert parse_formula("!" * 5_000 + "Q_a").depth == 5_001
    assert parse_formula("#<[" * 2_000 + "Q_a" + "] < 1" * 2_000).depth == 2_001
    assert refuse("!" * 100_000).message == f"found the end of the text, {A_FORMULA}"


def test_too_many_characters_are_refused() -> None:
    assert isinstance(parse_formula("Q_a" + " " * 999_997), Formula)
    assert refuse("Q_a" + " " * 999_998).message == (
        "found 1000001 characters in one formula, expected at most 1000000; let p = ...; names what occurs again")
    assert refuse("1" * 10_000_000 + " < 1").message == "found 10000004 characters, expected at most 4000000"


def test_too_many_different_subformulas_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constructions.language.parser.MAX_NODES", 100)
    assert parse_formula("!" * 99 + "Q_a").depth == 100
    assert refuse("!" * 100 + "Q_a").message == "found 101 different subformulas, expected at most 100"
    assert refuse("let " + "".join(f"p{k} = !{f'p{k - 1}' if k else 'Q_a'}; " for k in range(100)) + "p99").message == (
        "found 101 different subformulas, expected at most 100")


def test_integers_of_more_than_1000_digits_are_refused() -> None:
    assert isinstance(parse_formula("1" * 1000 + " < 1"), Formula)
    assert refuse("1 < " + "1" * 1001).column == 5
    assert refuse("1 < " + "1" * 90_000).message == "found an integer of 90000 digits, expected at most 1000"
    assert refuse(f"MOD({'1' * 1001},1)").column == 5
    assert refuse(f"{'9' * 1000} + 1 < 1").message == "found a sum of more than 1000 digits, expected at most 1000"


@pytest.mark.parametrize("text", [
    " & ".join(f"F[0,60] prev Q_{place}" for place in range(500)),
    " & ".join(f"MOD(20,1)(#<[Q_{place}] + #>[Q_{place}])" for place in range(100)),
    " & ".join(f"(#<[Q_{place}] + #>[Q_{place}]) % 9 > 1" for place in range(100)),
    "(" + "+".join(["#<[Q_a]"] * 100) + ")" + "*1" * 1_000 + " > 1",
    "-" * 1_000 + "(" + "+".join(["#<[Q_a]"] * 100) + ") > 1",
    "(1 - " * 1_000 + "1" + ")" * 1_000 + " > 1",
], ids=["bounds", "predicates", "remainders", "products", "signs", "brackets"])  # fmt: skip
def test_a_short_text_that_makes_a_huge_formula_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "MAX_EXPANDED", 5_000)
    assert refuse(text).message == "found abbreviations of more than 5000 parts in all, expected at most 5000"


def test_products_of_more_than_1000_digits_are_refused() -> None:
    nines = "9" * 600
    for text in (f"{nines} * {nines} * #<[Q_a] > 1", f"#<[Q_a] * {nines} * {nines} > 1", f"1 > {nines}*{nines}"):
        assert refuse(text).message == "found a product of more than 1000 digits, expected at most 1000"


def test_nested_abbreviations_do_not_blow_up() -> None:
    formula = parse_formula("Q_a S " * 99 + "Q_a")
    assert len(subformulas(formula)) == 199
    assert str(formula) == "Q_a S (" * 98 + "Q_a S Q_a" + ")" * 98
