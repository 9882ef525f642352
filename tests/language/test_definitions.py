"""Definitions before a formula, files of them, and the table of formulas of a file: names for graphs."""

import pytest

from constructions.errors import FormulaError
from constructions.language.definitions import definitions_of_file
from constructions.language.formula_table import PLAIN_TEXTS, FormulaTable, texts_of
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.printer import written_length
from constructions.language.semantics import truth_values
from constructions.language.syntax import And, Formula, Previous, Symbol, subformulas


def doubling(times: int) -> str:
    return "let p0 = Q_a; " + "".join(f"p{k} = p{k - 1} & prev p{k - 1}; " for k in range(1, times)) + f"p{times - 1}"


@pytest.mark.parametrize(
    ("text", "written_out"),
    [
        ("let p = Q_a; p", "Q_a"), ("let p = Q_a;\n q = prev p;\n p & q", "Q_a & prev Q_a"),
        ("p = Q_a | Q_b; p since p", "(Q_a | Q_b) since (Q_a | Q_b)"), ("let p = Q[';']; q = p; q", "Q[';']"),
        ("p = Q_a; i = 3", "i = 3"), ("n = 3", "n = 3"),
        ("let p = Q_a; #<[p] >= 2 & ODD(#>[p])", "#<[Q_a] >= 2 & ODD(#>[Q_a])"),
        ("let p=Q_a;G p", "G Q_a"), ("let unused = Q_b; Q_a", "Q_a"), ("let Qx = Q_a; Qx", "Q_a"),
    ],
)  # fmt: skip
def test_a_name_stands_for_its_formula(text: str, written_out: str) -> None:
    assert parse_formula(text) is parse_formula(written_out)


def test_forty_definitions_that_double_are_a_small_graph() -> None:
    formula = parse_formula(doubling(40))
    assert len(subformulas(formula)) == 79
    assert written_length(formula) == 10**9
    assert truth_values(formula, "a" * 39)[-1] is False
    assert truth_values(formula, "a" * 40)[-1] is True


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("let p = Q_a; p = Q_b; p", 1, 14, "'p' is defined twice, expected distinct names"),
        ("let ODD = Q_a; ODD", 1, 5, "'ODD' is a predicate, expected another name"),
        ("let MINE = Q_a; MINE", 1, 5, "'MINE' is a predicate, expected another name"),
        ("let G = Q_a; G", 1, 5, "'G' is taken by the language, expected another name"),
        ("let prev = Q_a; prev", 1, 5, "'prev' is taken by the language, expected another name"),
        ("let let = Q_a; let", 1, 5, "'let' is taken by the language, expected another name"),
        ("let i = Q_a; i", 1, 5, "'i' is taken by the language, expected another name"),
        ("let Q_p = Q_a; Q_p", 1, 5, "'Q_p' is taken by the language, expected another name"),
        ("let p = Q_a", 1, 4, "found no ';', expected let p = ...; and then the formula"),
        ("let p Q_a; p", 1, 5, "found 'p Q_a', expected a definition such as p = Q_a"),
        ("let ; p", 1, 5, "found ';', expected a definition such as p = Q_a"),
        ("let p = Q_a;\nq = & p;\nq", 2, 5, "found '&', expected a formula"),
        ("let p = Q_a;\n", 1, 13, "found the end of the text, expected a formula"),
        ("p = Q_a", 1, 1, "found a definition of p without a formula after it, expected one such as p"),
        ("p = Q_a; q = prev p", 1, 10, "found a definition of q without a formula after it, expected one such as q"),
        ("let p = Q_a;\n r = p", 2, 2, "found a definition of r without a formula after it, expected one such as r"),
        ("$1", 1, 1, "found '$1', expected a formula: only a file has a table of them"),
    ],
)  # fmt: skip
def test_where_and_what_is_wrong(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula(text, predicates=parse_predicate_definitions(["MINE(k) := k > 2"]))
    assert (caught.value.line, caught.value.column, caught.value.message) == (line, column, message)
    assert caught.value.text == text


@pytest.mark.parametrize(
    "text", ["let p = p; p", "let p = q; q = Q_a; p", "let p = Q_a; q", "let p = Q_a; (let q = p; q)"])
def test_names_are_used_after_their_definition_only(text: str) -> None:
    with pytest.raises(FormulaError):
        parse_formula(text)


def test_files_have_comments_and_a_definition_a_line() -> None:
    text = "# seen before\np = O Q_a # once\n\nq = #<[p] >= 2   ## counted\nhash = Q['# ']\np & q | hash\n"
    expected = parse_formula("let p = O Q_a; q = #<[p] >= 2; hash = Q['# ']; p & q | hash")
    assert parse_formula(definitions_of_file(text)) is expected
    with_ends = "let p = O Q_a;  # once\nq = #<[p]\n  >= 2;\nhash = Q['# '];\np & q\n| hash"
    assert parse_formula(definitions_of_file(with_ends)) is expected
    assert parse_formula(definitions_of_file("Q_a &\n# and\n  Q_b\n")) is parse_formula("Q_a & Q_b")


def test_places_in_files_are_those_of_the_file() -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula(definitions_of_file("# a comment\np = Q_a\nq = p &\np | q\n"))
    assert (caught.value.line, caught.value.column) == (3, 8)


def test_tables_have_each_formula_once_and_read_back() -> None:
    formula: Formula = Symbol("a")
    for _ in range(50):
        formula = And(formula, Previous(formula))
    texts = texts_of([formula])
    assert isinstance(texts, FormulaTable)
    assert texts.entries[:4] == ("prev Q_a", "Q_a & $1", "prev $2", "$2 & $3")
    assert len(texts.entries) == 100
    table: dict[str, Formula] = {}
    for number, entry in enumerate(texts.entries, start=1):
        table[f"${number}"] = parse_formula(entry, table=table)
    assert table["$100"] is formula
    assert texts.formula(formula) == "$100"


def test_short_formulas_get_no_table() -> None:
    formula = parse_formula("O Q_a & H Q_b")
    assert texts_of([formula] * 100) is PLAIN_TEXTS
    assert isinstance(texts_of([formula] * 2_000), FormulaTable)


def test_forward_references_are_refused() -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula("Q_a & $3", table={"$1": Symbol("a"), "$2": Symbol("b")})
    assert caught.value.message == "found '$3', expected one of $1 .. $2"


@pytest.mark.parametrize(("text", "line", "column", "message"), [
    ("p = q\nq = p\np", 1, 5, "found 'q', whose definition needs 'p' itself, expected no cycle"),
    ("p = q\nq = r\nr = Q_a & p\np", 1, 5, "found 'q', whose definition needs 'p' itself, expected no cycle"),
    ("p = Q_a & p\np", 1, 11, "found 'p', whose definition needs 'p' itself, expected no cycle"),
    ("p = Q_a & q\nq = Q_b\np", 1, 11, "found 'q', which is defined below, expected its definition above"),
    ("A := B\nB := A\nA", 1, 3, "found ':=', expected a definition such as let A = Q_a;"),
])
def test_circles_and_forward_uses_of_definitions_are_named(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula(definitions_of_file(text))
    assert (caught.value.line, caught.value.column, caught.value.message) == (line, column, message)
