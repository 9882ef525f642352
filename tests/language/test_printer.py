"""A printed formula parses back to the same formula, and is readable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.errors import FormulaError, InputError
from constructions.language.parser import parse_count, parse_formula
from constructions.language.predicates import parse_predicate_definition
from constructions.language.printer import (
    FormulaWriter,
    Style,
    format_briefly,
    format_count,
    format_formula,
    written_length,
)
from constructions.language.syntax import (
    And,
    Count,
    Formula,
    Implies,
    Not,
    Or,
    Predicate,
    Previous,
    Side,
    Since,
    Symbol,
    Until,
)
from tests.language.strategies import formulas


@pytest.mark.parametrize("style", ["ascii", "unicode", "latex"])
@pytest.mark.parametrize("parenthesize", [False, True])
@given(formula=formulas(counting=True))
def test_parsing_undoes_printing(style: Style, parenthesize: bool, formula: Formula) -> None:
    assert parse_formula(format_formula(formula, style, parenthesize)) is formula


@given(st.text(min_size=1))
def test_parsing_undoes_printing_of_any_symbol(symbol: str) -> None:
    assert parse_formula(str(Symbol(symbol))) is Symbol(symbol)


@given(formulas(alphabet=["a", "(", "'", "\\", "{x}", "a_b^~", "%#$&", "go on"], counting=True))
def test_parsing_undoes_printing_in_latex_of_any_printable_symbol(formula: Formula) -> None:
    assert parse_formula(format_formula(formula, "latex")) is formula


def test_long_latex_with_definitions_is_read() -> None:
    formula: Formula = Symbol("a")
    for _ in range(12):
        formula = And(Or(Previous(formula), formula), Since(formula, Symbol("b")))
    text = format_formula(formula, "latex")
    assert text.startswith(r"\mathbf{let}\ p_{1} = ") and parse_formula(text) is formula


@pytest.mark.parametrize(("latex", "plain"), [
    (r"\overleftarrow{\#}[Q_1] \geq 2", "#<[Q_1] >= 2"), (r"\ominus Q_{a}", "prev Q_a"),
    (r"\neg Q_a \wedge \top", "!Q_a & true"),
    (r"3\,\overrightarrow{\#}[Q_{\texttt{a\_b}}] \leq 2", "3*#>[Q_a_b] <= 2"),
    (r"Q_a \mathbin{\mathbf{since}} Q_b", "Q_a since Q_b"),
    (r"\left(Q_a \to Q_b\right)", "Q_a -> Q_b"), (r"Q['\\'] \/ Q['a']", r"Q['\\'] | Q_a"),
])
def test_latex_of_papers_is_read(latex: str, plain: str) -> None:
    assert parse_formula(latex) is parse_formula(plain)


def test_complaints_about_latex_point_into_what_was_written() -> None:
    with pytest.raises(FormulaError) as error:
        parse_formula(r"\ominus Q_{a} \land \lor Q_b")
    assert (error.value.column, error.value.text) == (21, r"\ominus Q_{a} \land \lor Q_b")


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
        ("(Q_a since Q_b) since Q_c", "(Q_a since Q_b) since Q_c"), ("Q_a since (Q_b S Q_c)", "Q_a since (Q_b S Q_c)"),
        ("Q_a since (Q_b until Q_c)", "Q_a since (Q_b until Q_c)"), ("Q_a U Q_b U Q_c", "Q_a U (Q_b U Q_c)"),
        ("prev Q_a since !Q_b until O Q_c", "prev Q_a since (!Q_b until O Q_c)"),
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
    assert str(formula) == "Q_b S (" * 1_999 + "Q_b S Q_a" + ")" * 1_999


def test_what_occurs_often_is_written_once() -> None:
    formula: Formula = Symbol("a")
    for _ in range(1_000):
        formula = And(Previous(formula), formula)
    text = str(formula)
    assert text.startswith("let p1 = prev Q_a & Q_a; p2 = prev p1 & p1; p3 = ")
    assert text.endswith("; p999 = prev p998 & p998; prev p999 & p999")
    assert parse_formula(text) is formula
    assert format_briefly(formula, 20) == "prev (prev (prev (pr..."
    assert written_length(formula) == 10**9


def test_definitions_in_unicode_and_latex() -> None:
    formula: Formula = Symbol("a")
    for _ in range(12):
        formula = And(formula, Not(formula))
    text = format_formula(formula, "unicode")
    assert text.startswith("let p1 = Q_a ∧ ¬Q_a; p2 = p1 ∧ ¬p1; ")
    assert parse_formula(text) is formula
    assert format_formula(formula, "latex").startswith(
        r"\mathbf{let}\ p_{1} = Q_{\texttt{a}} \land \lnot Q_{\texttt{a}};\ p_{2} = p_{1} \land \lnot p_{1};\ ")


def test_names_in_definitions_are_no_predicates() -> None:
    predicate = parse_predicate_definition("p1(k) := k > 2")
    formula: Formula = Predicate("p1", (), predicate)
    for _ in range(12):
        formula = And(formula, Not(formula))
    text = str(formula)
    assert text.startswith("let pp1 = p1 & !p1; ")
    assert parse_formula(text, predicates={"p1": predicate}) is formula


@given(formulas())
def test_parsing_undoes_printing_without_abbreviations(formula: Formula) -> None:
    """`true since a` binds less tightly than `O a`."""
    assert parse_formula(FormulaWriter({}, abbreviate=False).formula(formula), "abc") is formula


@given(st.lists(st.tuples(st.sampled_from([Not, Previous, And, Or, Since, Until, Implies]), st.integers(0, 99),
                          st.integers(0, 99)), min_size=30, max_size=60))
def test_parsing_undoes_printing_of_graphs(steps: list[tuple[type[Formula], int, int]]) -> None:
    nodes: list[Formula] = [Symbol("a"), Symbol("b")]
    for operator, first, second in steps:
        chosen = [nodes[-1 - first % min(len(nodes), 3)], nodes[-1 - second % min(len(nodes), 3)]]
        nodes.append(operator(*chosen[:1 if operator in (Not, Previous) else 2]))
    for style in ("ascii", "unicode"):
        text = format_formula(nodes[-1], style)
        assert parse_formula(text) is nodes[-1]
        assert len(text) < 4_000
