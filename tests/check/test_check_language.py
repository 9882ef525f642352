"""The checker's own reading of formulas, expressions and rationals."""

from fractions import Fraction

import pytest

from proofs.check import Incomplete, Malformed, Rejected
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.language import Language
from proofs.check.checker.kernel.reading.shapes import read_rational

Tree = str | tuple[object, ...]


def tree(table: Language, f: int) -> Tree:
    """Return the formula as nested tuples, predicates and symbols as in text."""
    op, operands, data = table.nodes[f]
    return (op, *data, *(tree(table, a) for a in operands)) if data or operands else op


def evaluate(text: str, n: int, i: int) -> Fraction:
    language = Language(Budget())
    return language.value_at(language.number(text), n, i)


A, B, C = ("Q", "a"), ("Q", "b"), ("Q", "c")
CASES: list[tuple[str, Tree]] = [
    ("Q_a", A),
    ("true", "true"),
    ("ODD", ("P", "ODD")),
    ("MOD(3,1)", ("P", "MOD", 3, 1)),
    ("Q['a']", A),
    (r"Q['\'']", ("Q", "'")),
    (r"Q['\\']", ("Q", "\\")),
    ("Q['(']", ("Q", "(")),
    ("!!Q_a", ("!", ("!", A))),
    ("~Q_a & not Q_b", ("&", ("!", A), ("!", B))),
    ("¬Q_a ∧ Q_b ∨ Q_c", ("|", ("&", ("!", A), B), C)),
    ("Q_a and Q_b or Q_c", ("|", ("&", A, B), C)),
    ("Q_a || Q_b && Q_c", ("|", A, ("&", B, C))),
    ("Q_a & Q_b & Q_c", ("&", ("&", A, B), C)),
    ("Q_a | Q_b | Q_c", ("|", ("|", A, B), C)),
    ("Q_a -> Q_b -> Q_c", ("->", A, ("->", B, C))),
    ("Q_a → Q_b ↔ Q_c", ("<->", ("->", A, B), C)),
    ("Q_a <-> Q_b -> Q_c", ("<->", A, ("->", B, C))),
    ("Q_a since Q_b since Q_c", ("since", A, ("since", B, C))),
    ("Q_a since Q_b until Q_c", ("since", A, ("until", B, C))),
    ("Q_a since Q_b & Q_c", ("&", ("since", A, B), C)),
    ("Q_a & Q_b until Q_c", ("&", A, ("until", B, C))),
    ("!Q_a since prev Q_b", ("since", ("!", A), ("prev", B))),
    ("Y X Q_a", ("prev", ("next", A))),
    ("⊖⊕Q_a", ("prev", ("next", A))),
    ("Q_a S Q_b", ("since", ("|", A, B), B)),
    ("Q_a U Q_b", ("until", ("|", A, B), B)),
    ("O Q_a", ("since", "true", A)),
    ("F Q_a", ("until", "true", A)),
    ("H Q_a", ("!", ("since", "true", ("!", A)))),
    ("G Q_a", ("!", ("until", "true", ("!", A)))),
    ("Q_a S Q_b S Q_c", ("since", ("|", A, ("since", ("|", B, C), C)), ("since", ("|", B, C), C))),
    ("((Q_a))", A),
    ("(Q_a | Q_b) & Q_c", ("&", ("|", A, B), C)),
    ("H Q_a & Q_b", ("&", ("!", ("since", "true", ("!", A))), B)),
    (" \t\nQ_a ", A),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_formulas_are_read_as_written_by_hand(text: str, expected: Tree) -> None:
    table = Language(Budget())
    assert tree(table, table.formula(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "(",
        ")",
        "()",
        "Q_a Q_b",
        "Q_a &",
        "& Q_a",
        "Q_",
        "Q",
        "Q['']",
        "Q['a",
        "Q['a'",
        "Q[a]",
        r"Q['\a']",
        "!",
        "Q_a)",
        "(Q_a",
        "Q_a since",
        "since Q_a",
        "Q_a not Q_b",
        "Q_a until! Q_b",
        "Q_a since!Q_b",
        "next! Q_a",
        "prev!Q_a",
        "Q_a = Q_b",
        "ODDLY",
        "odd",
        "TRUE",
        "MOD(0,0)",
                "MOD(03,1)",
        "MOD(3)",
        "MOD",
        "MOD(-1,0)",
        "MOD(9999999999,1)",
        "prev",
        "Q_a <- Q_b",
        "Q_a --> Q_b",
        "1",
        "Q_a;",
        "Q_a\0",
        '__import__("os").system("x")',
        "Q_a # comment",
        "lambda: 0",
        "truefalse",
        "true false",
    ],
)
def test_other_texts_are_malformed(text: str) -> None:
    with pytest.raises(Malformed, match=r"expected|unmatched|applied"):
        Language(Budget()).formula(text)


@pytest.mark.parametrize("text", ["Q_a\u00a0& Q_b", "Q_\u0430", "Q_é", "Q_a\u037e", "Ｑ_a"])
def test_other_characters_are_malformed_outside_quotes(text: str) -> None:
    with pytest.raises(Malformed):
        Language(Budget()).formula(text)


COUNT = ("#<", A)
COUNTING: list[tuple[str, Tree]] = [
    ("#<[Q_a] > 1", ("T", ">", -1, 1, COUNT)),
    ("1 <= #>[Q_a]", ("T", "<=", 1, -1, ("#>", A))),
    ("←#[Q_a] = 2", ("T", "==", -2, 1, COUNT)),
    ("→ # [Q_a] ≠ 0", ("T", "!=", 0, 1, ("#>", A))),
    ("3*#<[Q_a] - 2*#>[Q_b] >= 5", ("T", ">=", -5, 3, -2, COUNT, ("#>", B))),
    ("#<[Q_a]*3 - (2 - #<[Q_a]) < -1", ("T", "<", -1, 4, COUNT)),
    ("#<[Q_a] - #<[Q_a] == 0", ("T", "==", 0)),
    ("0 <= 1", ("T", "<=", -1)),
    ("ODD(#<[Q_a])", ("on", ("P", "ODD"), COUNT)),
    ("MOD(3,1)(#<[Q_a])", ("on", ("P", "MOD", 3, 1), COUNT)),
    ("!#<[Q_a] >= 1 & ODD", ("&", ("!", ("T", ">=", -1, 1, COUNT)), ("P", "ODD"))),
    ("Q_a since #<[Q_a] >= 1", ("since", A, ("T", ">=", -1, 1, COUNT))),
    ("#<[#<[Q_a] > 0] > 0", ("T", ">", 0, 1, ("#<", ("T", ">", 0, 1, COUNT)))),
]


@pytest.mark.parametrize(("text", "expected"), COUNTING)
def test_counting_is_read_as_written_by_hand(text: str, expected: Tree) -> None:
    table = Language(Budget())
    assert tree(table, table.formula(text)) == expected


@pytest.mark.parametrize(
    "text",
    ["#<[Q_a]", "#<[Q_a] + 1", "#<[Q_a) > 1", "#<(Q_a) > 1", "#<[1] > 1", "#<[Q_a] > Q_b", "Q_a + 1 > 0", "1 & 2",
     "#<[Q_a] * #<[Q_b] > 1", "ODD(#<[Q_a] + 1)", "ODD(#<[Q_a] - #<[Q_a])", "ODD(Q_a)", "Q_a(#<[Q_a])", "ODD(3)",
     "#<[] > 1", "#<[Q_a] // 2 > 1", "1 < #<[Q_a] < 3", "n > 1", "i == 1", "-Q_a", "!#<[Q_a]", "THIRD",
     "#[Q_a] > 1", "1/2 > #<[Q_a]", "#<[Q_a]^2 > 1", "#<[Q_a] / 2 > 1", "#<[Q_a] % 2 == 1", "1 + Q_a > 1",
     "Q_a == Q_b", "ODD == EVEN", "LAST(1)"],
)
def test_other_counting_is_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        Language(Budget()).formula(text)


def test_a_predicate_of_the_user_is_its_condition() -> None:
    table = Language(Budget())
    table.define("THIRD(k,n) := k % 3 == 1 and not k**2 == 16")
    table.define("SAME(m) := m%3 == 1 and not m^2 == 16")
    assert table.formula("THIRD") == table.formula("SAME")
    assert [k for k in range(1, 12) if table.value_at(table.formula("THIRD"), 12, k)] == [1, 7, 10]
    table.define("LAZY(k,n) := k > 1 and 6 // (k - 1) == n or n == 5")
    lazy = table.formula("LAZY")
    assert [k for k in range(5) if table.value_at(lazy, 3, k)] == [3]
    with pytest.raises(Rejected, match="no value"):
        table.define("BAD(k) := 1 // k == 1")
        table.value_at(table.formula("BAD"), 1, 0)


@pytest.mark.parametrize(
    "text",
    ["ODD(k) := k == 1", "S(k) := k == 1", "Q_x(k) := k == 1", "A(k,k) := k == 1", "A(k,n,m) := k == 1",
     "A := k == 1", "A(k) = k == 1", "A(k) := k", "A(k) := n == 1", "A(k) := k.real == 1", "A(k) := f(k) == 1",
     "A(k) := k == 1 == 1", "A(k) := ", "A(k) := (k == 1", "A(k) := 'k'", "A(k) := ODD", "A(k) := true",
     "A(k) := #<[k] == 1", "1A(k) := k == 1", "A(k) := #<[k == 1] == k", "A(k) := prev k == 1",
     "A(k) := k(1) == 1", "A(or) := or == 1"],
)
def test_other_definitions_are_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        Language(Budget()).define(text)


def test_a_bracket_is_one_where_its_formula_holds() -> None:
    table = Language(Budget())
    assert [table.value_at(table.value("[PRIME]"), 9, i) for i in range(1, 6)] == [0, 1, 1, 0, 1]
    assert [table.value_at(table.value("[EVEN & !PRIME](i-1)"), 9, i) for i in range(1, 6)] == [1, 0, 0, 0, 1]
    for text in ("[Q_a]", "[#<[Q_a] > 1]", "[PRIME](i-2)", "[PRIME]+1", "[prev true]", "[1]"):
        with pytest.raises(Malformed):
            table.value(text)


def test_a_quoted_symbol_may_be_any_text() -> None:
    table = Language(Budget())
    assert tree(table, table.formula("Q['é']")) == ("Q", "é")


@pytest.mark.parametrize(
    "text", ["(" * 10**5, "!" * 10**5 + "Q_a", "(" * 40000 + "Q_a" + ")" * 40000, "Q_a -> " * 10001]
)
def test_deep_nesting_is_a_limit(text: str) -> None:
    with pytest.raises(Malformed, match="limit"):
        Language(Budget()).formula(text)


def test_long_chains_are_read() -> None:
    table = Language(Budget())
    f = table.formula(" & ".join(["Q_a", "Q_b"] * 4000))
    assert len(table.below([f])) == 2 + 7999
    assert len(table.write_short(f)) < 200


def test_nested_abbreviations_stay_small() -> None:
    table = Language(Budget())
    f = table.formula(" S ".join(f"Q_{k}" for k in range(150)))
    assert len(table.below([f])) <= 150 * 3


EXPRESSIONS = [
    ("1", 4, 2, 1),
    ("i", 4, 2, 2),
    ("n", 4, 2, 4),
    ("i/n", 4, 2, Fraction(1, 2)),
    ("-1^i", 4, 2, -1),
    ("(-1)^i", 4, 2, 1),
    ("(-1)^i", 4, 3, -1),
    ("2^-1", 1, 1, Fraction(1, 2)),
    ("2^3^2", 1, 1, 512),
    ("-2^2", 1, 1, -4),
    ("2^-1^i", 1, 1, Fraction(1, 2)),
    ("2^-3*4", 1, 1, Fraction(1, 2)),
    ("7-2-1", 1, 1, 4),
    ("8/4/2", 1, 1, 1),
    ("2*3+4*5", 1, 1, 26),
    ("2+3*4^2", 1, 1, 50),
    ("--3", 1, 1, 3),
    ("2--3", 1, 1, 5),
    ("2*-3", 1, 1, -6),
    ("1/(n-i+1)", 5, 3, Fraction(1, 3)),
    ("0^(i-1)", 5, 1, 1),
    ("0^(i-1)", 5, 2, 0),
    ("0^0", 1, 1, 1),
    ("1^n^i", 9, 9, 1),
    ("(-1)^(n^i)", 9, 9, -1),
    ("i^64", 1, 2, 2**64),
    ("i^-64", 1, 2, Fraction(1, 2**64)),
    (" ( i + 1 ) / 2 ", 3, 3, 2),
    ("007", 1, 1, 7),
    ("2(3)"[0], 1, 1, 2),
]


@pytest.mark.parametrize(("text", "n", "i", "expected"), EXPRESSIONS)
def test_expressions_are_exact(text: str, n: int, i: int, expected: Fraction | int) -> None:
    assert evaluate(text, n, i) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "1.5",
        "1e3",
        "1_0",
        "+1",
        "i i",
        "in",
        "2i",
        "2(3)",
        "j",
        "i//2",
        "i%2",
        "(i",
        "i)",
        "i+",
        "*i",
        "1 2",
        "٣",
        "root(i)",
        "()",
        "-",
        "1/",
        "^2",
        "i" * 301,
        "__import__('os')",
        "i,n",
        "I",
    ],
)
def test_other_expressions_are_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        Language(Budget()).number(text)


@pytest.mark.parametrize(
    "text", ["1/(i-1)", "0^-1", "0^(i-2)", "2^65", "2^-65", "2^(1/2)", "1^(1/2)", "(i-1)^(1/i-1-1)"]
)
def test_expressions_without_a_value_are_rejected(text: str) -> None:
    with pytest.raises(Rejected, match="n = 1, i = 1"):
        evaluate(text, 1, 1)


def test_large_powers_are_a_limit() -> None:
    with pytest.raises(Incomplete, match="a rational of more than"):
        evaluate("(((9^64)^64)^64)^64", 1, 1)
    assert evaluate("(" * 149 + "i" + ")" * 149, 1, 1) == 1
    assert evaluate("-" * 150 + "i", 1, 1) == 1


@pytest.mark.parametrize("text", ["0", "1", "-1", "1/2", "-3/7", "10", "9" * 1000, "1/" + "9" * 1000])
def test_rationals_have_one_spelling(text: str) -> None:
    assert read_rational(text) == Fraction(text)


BAD_RATIONALS = [
    "2/4",
    "1/-2",
    "1/0",
    "-0",
    "+1",
    "01",
    " 1",
    "1 ",
    "1_0",
    "1e3",
    "0x1",
    "1.0",
    "\u0661",
    "１２",
    "1/1",
    "0/2",
    "1/02",
    "--1",
    "",
    "-",
    "/",
    "1/",
    "1\n",
    "inf",
    "nan",
    "a",
    "1/2/3",
    "-0/1",
    "½",
]


@pytest.mark.parametrize("text", BAD_RATIONALS)
def test_other_rationals_are_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        read_rational(text)


def test_long_rationals_are_a_limit() -> None:
    for text in ("1" * 1001, "1/" + "3" * 4301, "-" + "7" * 10**6):
        with pytest.raises(Malformed, match="limit"):
            read_rational(text)


def test_predicates() -> None:
    table = Language(Budget())
    expected = {
        "ODD": [1, 3, 5, 7, 9, 11],
        "EVEN": [2, 4, 6, 8, 10, 12],
        "FIRST": [1],
        "LAST": [12],
        "SQUARE": [1, 4, 9],
        "POW2": [1, 2, 4, 8],
        "PRIME": [2, 3, 5, 7, 11],
        "MOD(5,2)": [2, 7, 12],
        "MOD(1,0)": list(range(1, 13)),
    }
    for text, places in expected.items():
        f = table.formula(text)
        assert [i for i in range(1, 13) if table.value_at(f, 12, i)] == places
