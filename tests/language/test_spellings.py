"""Every spelling of every operator, against the textbook definitions on all words up to length 5."""

from itertools import product
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.errors import FormulaError
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.language.spellings import Dialect
from tests.language.textbook import Reading, Tree, holds
from tests.tiers import drawn

WORDS = ["".join(letters) for n in range(1, 6) for letters in product("ab", repeat=n)]
SHORT = [word for word in WORDS if len(word) < 5]
READINGS = {
    Dialect.SHA: Reading(), Dialect.SPOT: Reading(True, True), Dialect.BLACK: Reading(False, True),
    Dialect.LYDIA: Reading(True, True),
}  # fmt: skip

UNARY = {
    "not": ["!", "~", "¬", "not ", "NOT "], "previous": ["prev ", "Y ", "⊖", "Y[!] "], "next": ["next ", "⊕", "X[!] "],
    "X": ["X ", "○"], "weak next": ["wX ", "WX ", "N "], "weak previous": ["wY ", "WY ", "Z "],
    "F": ["F ", "<>", "◇", "eventually "], "G": ["G ", "[]", "□", "always "],
    "O": ["O ", "once "], "H": ["H ", "historically "],
}  # fmt: skip
BINARY = {
    "and": ["&", "&&", "/\\", "∧", "and", "AND"], "or": ["|", "||", "\\/", "∨", "or", "OR"],
    "implies": ["->", "=>", "→", "⇒", "implies", "IMPLIES", "then", "THEN"],
    "iff": ["<->", "<=>", "↔", "⇔", "iff", "IFF"], "xor": ["^", "⊻", "xor", "XOR"],
    "U": ["U"], "S": ["S"], "until": ["until"], "since": ["since"], "W": ["W"], "B": ["B"], "R": ["R", "V"],
    "T": ["T"], "M": ["M"],
}  # fmt: skip
ATOMS = {
    ("letter", "a"): ["Q_a", "Q['a']", '"a"', "a"], ("letter", "b"): ["Q_b", "b", 'Q[ \'b\' ]'],
    ("true",): ["true", "True", "TRUE", "tt", "1", "⊤"], ("false",): ["false", "False", "FALSE", "ff", "0", "⊥"],
}  # fmt: skip
Written = tuple[Tree, str]


def check_everywhere(text: str, tree: Tree, dialect: Dialect = Dialect.SHA) -> None:
    formula = parse_formula(text, "ab", dialect=dialect)
    for word in SHORT:
        expected = tuple(holds(tree, word, i, READINGS[dialect]) for i in range(1, len(word) + 1))
        assert truth_values(formula, word) == expected, (text, word)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize(("name", "spelling"), [(name, each) for name, all_ in UNARY.items() for each in all_])
def test_unary_operators(name: str, spelling: str, dialect: Dialect) -> None:
    check_everywhere(f"{spelling}Q_a", (name, ("letter", "a")), dialect)
    check_everywhere(f"{spelling}!{spelling}Q_a", (name, ("not", (name, ("letter", "a")))), dialect)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize(("name", "spelling"), [(name, each) for name, all_ in BINARY.items() for each in all_])
def test_binary_operators(name: str, spelling: str, dialect: Dialect) -> None:
    check_everywhere(f"Q_a {spelling} Q_b", (name, ("letter", "a"), ("letter", "b")), dialect)
    check_everywhere(f"(prev Q_b) {spelling} next Q_a",
                     (name, ("previous", ("letter", "b")), ("next", ("letter", "a"))), dialect)


def bounds(written: str) -> tuple[int, int | None]:
    low, high = written.split(",")
    return int(low or 0), int(high) if high else None


@pytest.mark.one_in(8)
@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("written", ["0,0", "0,2", "1,3", "2,", ",2", "4,9", "7,8", "0,"])
def test_bounded_operators(written: str, dialect: Dialect) -> None:
    low, high = bounds(written)
    for separator in (",", ":", " .. "):
        between = f"[{written.replace(',', separator)}]"
        for name in ("F", "G", "O", "H"):
            check_everywhere(f"{name}{between} Q_b", (f"{name}[]", low, high, ("letter", "b")), dialect)
        for name in ("U", "S"):
            check_everywhere(f"Q_a {name}{between} Q_b", (f"{name}[]", low, high, ("letter", "a"), ("letter", "b")),
                             dialect)


@pytest.mark.parametrize("times", range(4))
@pytest.mark.parametrize("dialect", Dialect)
def test_repeated_operators(times: int, dialect: Dialect) -> None:
    for written in (f"[{times}]", f"^{times}", f" [ {times} ]"):
        check_everywhere(f"X{written} Q_a", ("X^", times, ("letter", "a")), dialect)
        check_everywhere(f"Y{written} Q_a", ("Y^", times, ("letter", "a")), dialect)


def test_a_strong_bound_asks_for_the_positions_it_speaks_of() -> None:
    for dialect in Dialect:
        assert parse_formula("X[2!] Q_a", dialect=dialect) is parse_formula("next next Q_a")
        assert parse_formula("F[1,2!] Q_a", dialect=dialect) is parse_formula("next (Q_a | next Q_a)")
        assert parse_formula("G[1,2!] Q_a", dialect=dialect) is parse_formula("!wX (!Q_a | wX !Q_a)")
    assert parse_formula("F[1,] Q_a", dialect=Dialect.SPOT) is parse_formula("wX F Q_a")


ZERO_OR_ONE = st.integers(-2, 3)


def trees(depth: int) -> st.SearchStrategy[Written]:
    """Return a formula of any operators beside one of its texts, fully parenthesised."""
    atoms = st.sampled_from([(tree, text) for tree, texts in ATOMS.items() for text in texts])
    if depth == 0:
        return cast("st.SearchStrategy[Written]", atoms)
    part = trees(depth - 1)
    unary = st.sampled_from([(name, each) for name, all_ in UNARY.items() for each in all_])
    binary = st.sampled_from([(name, each) for name, all_ in BINARY.items() for each in all_])
    bounded = st.tuples(st.sampled_from("FGOH"), st.integers(0, 2), st.integers(0, 2))
    return st.one_of(
        atoms,
        st.builds(lambda by, one: ((by[0], one[0]), f"{by[1]}({one[1]})"), unary, part),
        st.builds(lambda by, one, two: ((by[0], one[0], two[0]), f"({one[1]}) {by[1]} ({two[1]})"), binary, part, part),
        st.builds(lambda by, one: ((f"{by[0]}[]", by[1], by[1] + by[2], one[0]),
                                   f"{by[0]}[{by[1]},{by[1] + by[2]}] ({one[1]})"), bounded, part),
        comparisons(part),
    )


def comparisons(part: st.SearchStrategy[Written]) -> st.SearchStrategy[Written]:
    counts = st.builds(lambda side, one: ((side, one[0]), f"#{'<' if side == 'left' else '>'}[{one[1]}]"),
                       st.sampled_from(["left", "right"]), part)
    summands: st.SearchStrategy[tuple[Any, str]] = st.one_of(counts, st.sampled_from([("i", "i"), ("n", "n")]))
    sums = st.builds(lambda factor, one, other, number: (
        ("sum", (factor, one[0]), (-1, other[0]), (1, number)), f"{factor}*({one[1]}) - {other[1]} + {number}"),
        ZERO_OR_ONE, summands, summands, st.integers(0, 3))
    numbers = st.one_of(counts, sums)
    relations = st.sampled_from(["<=", "<", ">=", ">", "==", "!="])
    chains = st.builds(lambda one, first, low, second, two: (
        ("linear", low, first, one[0], second, two[0]), f"{low} {first} {one[1]} {second} {two[1]}"),
        numbers, relations, ZERO_OR_ONE, relations, numbers)
    remainders = st.builds(lambda one, m, relation, number: (
        ("linear", ("mod", one[0], m), relation, number), f"({one[1]}) % {m} {relation} {number}"),
        numbers, st.integers(1, 4), relations, ZERO_OR_ONE)
    return cast("st.SearchStrategy[Written]", st.one_of(chains, remainders))


@drawn(30)
@given(trees(3), st.sampled_from(Dialect))
def test_any_formula_means_what_the_textbook_says(written: Written, dialect: Dialect) -> None:
    tree, text = written
    try:
        formula = parse_formula(text, "ab", dialect=dialect)
    except FormulaError as error:
        assert "nested" in str(error) or "which is a truth value" in str(error)
        return
    for word in WORDS:
        expected = tuple(holds(tree, word, i, READINGS[dialect]) for i in range(1, len(word) + 1))
        assert truth_values(formula, word) == expected, (text, word)


# -- formulas of other tools, as their users write them ----------------------------------------------------------------

A, B = ("letter", "a"), ("letter", "b")


@pytest.mark.parametrize(("dialect", "text", "tree"), [
    (Dialect.SPOT, 'G("a" -> X[!]"b") && !X(1)',
     ("and", ("G", ("implies", A, ("next", B))), ("not", ("X", ("true",))))),
    (Dialect.SPOT, "(a U b) xor (b R a) <=> F[1:2]a", (
        "iff", ("xor", ("U", A, B), ("R", B, A)), ("F[]", 1, 2, A))),
    (Dialect.SPOT, "GFa <-> (b M a W b)", ("iff", ("G", ("F", A)), ("M", B, ("W", A, B)))),
    (Dialect.BLACK, "G(a => F(b)) && wX(a) || !Y(True)", (
        "or", ("and", ("G", ("implies", A, ("F", B))), ("weak next", A)), ("not", ("previous", ("true",))))),
    (Dialect.BLACK, "(((a S b) T Z(a)) AND H(O(b))) IFF X a", (
        "iff", ("and", ("T", ("S", A, B), ("weak previous", A)), ("H", ("O", B))), ("next", A))),
    (Dialect.BLACK, "(NOT (a V b) OR False) THEN a", (
        "implies", ("or", ("not", ("R", A, B)), ("false",)), A)),
    (Dialect.BLACK, "G(a -> WX(b)) & F(last & a)", (  # LTLf2DFA
        "and", ("G", ("implies", A, ("weak next", B))), ("F", ("and", ("not", ("next", ("true",))), A)))),
    (Dialect.LYDIA, "F(a & X[!] b) & G(last -> X(ff)) | tt & X(b)", (
        "or", ("and", ("F", ("and", A, ("next", B))),
               ("G", ("implies", ("not", ("next", ("true",))), ("weak next", ("false",))))),
        ("and", ("true",), ("weak next", B)))),
    (Dialect.LYDIA, "H(a -> Y(b)) | WY(a S b) & O(start)", (  # PPLTL
        "or", ("H", ("implies", A, ("previous", B))),
        ("and", ("weak previous", ("S", A, B)), ("O", ("not", ("previous", ("true",))))))),
])
def test_formulas_of_other_tools(dialect: Dialect, text: str, tree: Tree) -> None:
    check_everywhere(text, tree, dialect)


def test_glued_operators() -> None:
    for text in ("GFa", "GF a", "G Fa", "GFQ_a"):
        assert parse_formula(text, "ab") is parse_formula("G F Q_a")
    assert parse_formula("XXX1 | Htrue | ZQ_b", "ab") is parse_formula("next next next true | H true | Z Q_b")
    assert parse_formula("GF", ["GF"]) is parse_formula("Q_GF")
    with pytest.raises(FormulaError, match="column 1: found 'GFc'"):
        parse_formula("GFc", "ab")


def test_what_dialects_share_and_what_not() -> None:
    def read(text: str) -> list[str]:
        return [str(parse_formula(text, dialect=dialect)) for dialect in Dialect]

    assert read("X Q_a") == ["next Q_a", "!next !Q_a", "next Q_a", "!next !Q_a"]
    assert read("next Q_a") == read("X[!] Q_a") == ["next Q_a"] * 4
    assert read("Q_a until Q_b") == ["Q_a until Q_b", *["Q_a U Q_b"] * 3]
    assert read("Q_a U Q_b") == ["Q_a U Q_b"] * 4


def test_bare_symbols() -> None:
    assert parse_formula("go U stop", ["go", "stop"]) is parse_formula("Q_go U Q_stop")
    assert parse_formula("i U n", "in") is parse_formula("Q_i U Q_n")
    assert parse_formula("i & i >= 2", "in") is parse_formula("Q_i & #<[true] >= 2")
    assert parse_formula("last", ["last"]) is parse_formula("Q_last")
    assert parse_formula("ODD", ["ODD"]) is parse_formula("ODD")
    assert parse_formula("F Q_F", "FG") is parse_formula("eventually Q['F']")


@pytest.mark.parametrize(("dialects", "text", "operators"), [
    ("spot black lydia", "a | b ^ a", "'|' and '^'"),
    ("spot black lydia", "a ^ b | a", "'^' and '|'"),
    ("spot black", "a -> b <-> a", "'->' and '<->'"),
    ("black", "a & b -> a", "'&' and '->'"),
    ("black", "a -> b & a", "'->' and '&'"),
    ("black", "a | b <-> a", "'|' and '<->'"),
    ("black lydia", "a -> b -> a", "'->' and '->'"),
    ("black lydia", "a U b & a", "'U' and '&'"),
    ("black lydia", "a U b U a", "'U' and 'U'"),
    ("spot black lydia", "!(a | b ^ a)", "'|' and '^'"),
    ("spot black lydia", "#<[a | X b ^ a] >= 1", "'|' and '^'"),
    ("spot black lydia", "let p = a | b ^ a; p", "'|' and '^'"),
])
def test_brackets_are_asked_for_where_tools_group_differently(dialects: str, text: str, operators: str) -> None:
    parse_formula(text, "ab")
    for dialect in Dialect:
        if dialect in dialects.split():
            with pytest.raises(FormulaError) as caught:
                parse_formula(text, "ab", dialect=dialect)
            assert caught.value.message.startswith(f"found {operators} without brackets, which tools group differently")
        else:
            parse_formula(text, "ab", dialect=dialect)


@pytest.mark.parametrize(("dialects", "text"), [
    ("spot black lydia", "a & b | a & b & a | b"),
    ("spot black lydia", "(a | b) & !(a ^ b)"),
    ("spot lydia", "a & b -> a | b"),
    ("spot lydia", "a <-> b | a"),
    ("spot", "a U b W a & b -> a -> X b U a"),
    ("spot", "a <-> b -> a"),
    ("spot black lydia", "(a | b) ^ a"),
])
def test_no_brackets_are_asked_for_where_tools_agree(dialects: str, text: str) -> None:
    for dialect in dialects.split():
        assert parse_formula(text, "ab", dialect=Dialect(dialect))


@pytest.mark.parametrize(("text", "word"), [
    ("Q_a until! Q_b", "until"), ("Q_a since!Q_b", "since"), ("next! Q_a", "next"), ("eventually! Q_a", "eventually"),
])
@pytest.mark.parametrize("dialect", Dialect)
def test_words_with_an_exclamation_mark_are_not_read_as_negations(text: str, word: str, dialect: Dialect) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula(text, dialect=dialect)
    assert caught.value.message == (
        f"found '{word}!', which is one word in other tools, expected '{word}' or '{word} !'")
    assert parse_formula(text.replace("!", " !"), dialect=dialect)
