"""Every spelling, precedence, and what the parser checks beyond the grammar."""

import logging
import subprocess
import sys

import pytest
from lark import Lark
from lark import logger as lark_logger

from constructions.errors import FormulaError, InputError
from constructions.language.alphabets import alphabet_of, parse_alphabet, parse_word
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definition
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
    Predicate,
    PredicateOnCount,
    Previous,
    Since,
    Symbol,
    Term,
    Until,
    always,
    eventually,
    historically,
    once,
    usual_since,
    usual_until,
)

A, B, C, D = map(Symbol, "abcd")
LEFT_A, RIGHT_B = Count("left", A), Count("right", B)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("true", TRUE), ("false", FALSE),
        ("Q_a", A), ("Q_1", Symbol("1")), ("Q_not", Symbol("not")), ("Q_since", Symbol("since")),
        ("Q_aB_2", Symbol("aB_2")), ("Q__", Symbol("_")), ("Q['a']", A), ("Q [ 'a' ]", A),
        ("Q['(']", Symbol("(")), ("Q['\\'']", Symbol("'")), ("Q['\\\\']", Symbol("\\")), ("Q['é ∧']", Symbol("é ∧")),
        ("!Q_a", Not(A)), ("~Q_a", Not(A)), ("¬Q_a", Not(A)), ("not Q_a", Not(A)), ("not(Q_a)", Not(A)),
        ("Q_a & Q_b", And(A, B)), ("Q_a && Q_b", And(A, B)), ("Q_a and Q_b", And(A, B)), ("Q_a ∧ Q_b", And(A, B)),
        ("Q_a | Q_b", Or(A, B)), ("Q_a || Q_b", Or(A, B)), ("Q_a or Q_b", Or(A, B)), ("Q_a ∨ Q_b", Or(A, B)),
        ("Q_a -> Q_b", Implies(A, B)), ("Q_a → Q_b", Implies(A, B)),
        ("Q_a <-> Q_b", Iff(A, B)), ("Q_a ↔ Q_b", Iff(A, B)),
        ("prev Q_a", Previous(A)), ("Y Q_a", Previous(A)), ("⊖Q_a", Previous(A)),
        ("next Q_a", Next(A)), ("X Q_a", Next(A)), ("⊕Q_a", Next(A)),
        ("Q_a since Q_b", Since(A, B)), ("Q_a until Q_b", Until(A, B)),
        ("Q_a S Q_b", usual_since(A, B)), ("Q_a U Q_b", usual_until(A, B)),
        ("O Q_a", once(A)), ("H Q_a", historically(A)), ("F Q_a", eventually(A)), ("G Q_a", always(A)),
        ("ODD", Predicate("ODD")), ("MOD(3,1)", Predicate("MOD", (3, 1))), ("MOD ( 3 , 01 )", Predicate("MOD", (3, 1))),
        ("ODD(#<[Q_a])", PredicateOnCount("ODD", (), LEFT_A)),
        ("MOD(3,1)(#>[Q_b])", PredicateOnCount("MOD", (3, 1), RIGHT_B)),
        ("MOD(3,1,→#[Q_b])", PredicateOnCount("MOD", (3, 1), RIGHT_B)),
        ("((Q_a))", A), (" \n\tQ_a\r\n", A),
    ],
)  # fmt: skip
def test_spellings(text: str, formula: Formula) -> None:
    assert parse_formula(text) is formula


@pytest.mark.parametrize(
    ("text", "relation"),
    [("<=", "<="), ("<", "<"), (">=", ">="), (">", ">"), ("==", "=="), ("=", "=="), ("!=", "!="),
     ("≤", "<="), ("≥", ">="), ("≠", "!=")],
)  # fmt: skip
def test_relations(text: str, relation: str) -> None:
    formula = parse_formula(f"#<[Q_a]{text}1")
    assert isinstance(formula, Comparison)
    assert formula.relation == relation


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("#<[Q_a]", Term(((1, LEFT_A),), 0)), ("←#[Q_a]", Term(((1, LEFT_A),), 0)),
        ("#> [Q_b]", Term(((1, RIGHT_B),), 0)),
        ("3*#<[Q_a]", Term(((3, LEFT_A),), 0)), ("3#<[Q_a]", Term(((3, LEFT_A),), 0)),
        ("-3 →#[Q_b]", Term(((-3, RIGHT_B),), 0)), ("0*#<[Q_a]", Term(((0, LEFT_A),), 0)),
        ("3*#<[Q_a] - 2*#>[Q_b] + 1", Term(((3, LEFT_A), (-2, RIGHT_B)), 1)),
        ("1 - #>[Q_b] + #<[Q_a] - -2", Term(((-1, RIGHT_B), (1, LEFT_A)), 3)),
        ("#<[Q_a] + #<[Q_a]", Term(((1, LEFT_A), (1, LEFT_A)), 0)), ("7", Term((), 7)), ("-7", Term((), -7)),
    ],
)  # fmt: skip
def test_terms_keep_the_order_of_their_counts(text: str, term: Term) -> None:
    assert parse_formula(f"{text} <= 0") is Comparison("<=", term, Term((), 0))


@pytest.mark.parametrize(
    ("loose", "explicit"),
    [
        ("!Q_a & Q_b", "(!Q_a) & Q_b"), ("!Q_a since Q_b", "(!Q_a) since Q_b"), ("prev Q_a S Q_b", "(prev Q_a) S Q_b"),
        ("O Q_a | Q_b", "(O Q_a) | Q_b"), ("! prev O Q_a", "!(prev (O Q_a))"),
        ("Q_a since Q_b until Q_c", "Q_a since (Q_b until Q_c)"), ("Q_a S Q_b U Q_c", "Q_a S (Q_b U Q_c)"),
        ("Q_a since Q_b & Q_c", "(Q_a since Q_b) & Q_c"), ("Q_a & Q_b until Q_c", "Q_a & (Q_b until Q_c)"),
        ("Q_a & Q_b & Q_c", "(Q_a & Q_b) & Q_c"), ("Q_a | Q_b | Q_c", "(Q_a | Q_b) | Q_c"),
        ("Q_a | Q_b & Q_c", "Q_a | (Q_b & Q_c)"), ("Q_a -> Q_b | Q_c", "Q_a -> (Q_b | Q_c)"),
        ("Q_a -> Q_b -> Q_c", "Q_a -> (Q_b -> Q_c)"), ("Q_a <-> Q_b <-> Q_c", "(Q_a <-> Q_b) <-> Q_c"),
        ("Q_a <-> Q_b -> Q_c", "Q_a <-> (Q_b -> Q_c)"),
        ("!#<[Q_a] <= 1 & Q_b", "(!(#<[Q_a] <= 1)) & Q_b"), ("O 1 < #<[Q_a] since Q_b", "(O (1 < #<[Q_a])) since Q_b"),
        ("Q_a → #<[Q_b] ≤ 1", "Q_a -> (#<[Q_b] <= 1)"), ("Q_a→#<[Q_b]<=1", "Q_a -> (#<[Q_b] <= 1)"),
        ("Q_a → →#[Q_b] ≤ 1", "Q_a -> (#>[Q_b] <= 1)"), ("#<[Q_a]<-3", "#<[Q_a] < -3"),
        ("1!=2&!Q_a", "(1 != 2) & (!Q_a)"), ("#<[Q_a -> Q_b since Q_c] = 1", "#<[(Q_a -> (Q_b since Q_c))] == 1"),
    ],
)  # fmt: skip
def test_precedence(loose: str, explicit: str) -> None:
    assert parse_formula(loose) is parse_formula(explicit)


@pytest.mark.parametrize("keyword", ["not", "since", "always", "prev", "next", "S", "W"])
def test_a_keyword_ends_where_the_word_ends(keyword: str) -> None:
    with pytest.raises(FormulaError, match=f"column 1: found '{keyword}Q_a'"):
        parse_formula(f"{keyword}Q_a")


@pytest.mark.parametrize("word", ["Some", "Until", "sinceQ_b", "andQ_b", "orQ_b", "U1", "And"])
def test_a_word_that_begins_like_an_operator_is_not_one(word: str) -> None:
    with pytest.raises(FormulaError, match=f"column 5: found '{word}'"):
        parse_formula(f"Q_a {word} Q_c")


@pytest.mark.parametrize("name", ["grammar", "expressions"])
def test_the_grammars_are_unambiguous(name: str, caplog: pytest.LogCaptureFixture) -> None:
    start = "whole" if name == "grammar" else ["sum", "condition"]
    lark_logger.addHandler(caplog.handler)
    with caplog.at_level(logging.DEBUG, logger=lark_logger.name):
        Lark.open(f"../../constructions/language/{name}.lark", rel_to=__file__, parser="lalr", start=start, debug=True)
    lark_logger.removeHandler(caplog.handler)
    assert not [record for record in caplog.records if "conflict" in record.message.lower()]


def test_reading_the_language_does_not_import_sympy() -> None:
    code = (
        "import sys\n"
        "from constructions.language import fragments, parser, printer, semantics\n"
        "parser.parse_formula('Q_a & ODD')\n"
        "assert 'sympy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_symbols_outside_the_alphabet_are_refused() -> None:
    assert parse_formula("Q_a & Q_b", ("a", "b")) is And(A, B)
    with pytest.raises(FormulaError) as caught:
        parse_formula("Q_a &\n Q['(']", ("a", "b"))
    assert str(caught.value) == "line 2, column 2: symbol '(' is not in the alphabet a, b"


def test_user_predicates_are_known_only_where_they_are_given() -> None:
    third = parse_predicate_definition("THIRD(k,n) := k % 3 == 1")
    formula = parse_formula("THIRD & THIRD(#<[Q_a])", predicates={"THIRD": third})
    assert formula is And(Predicate("THIRD", (), third), PredicateOnCount("THIRD", (), LEFT_A, third))
    again = parse_predicate_definition("THIRD(i) := i%3 == 1")
    assert formula is parse_formula("THIRD & THIRD(#<[Q_a])", predicates={"THIRD": again})
    other = parse_predicate_definition("THIRD(k) := k%3 == 2")
    assert formula is not parse_formula("THIRD & THIRD(#<[Q_a])", predicates={"THIRD": other})
    with pytest.raises(FormulaError, match="column 1: found 'THIRD', expected a predicate such as ODD"):
        parse_formula("THIRD")


def test_alphabets() -> None:
    assert parse_alphabet("01") == ("0", "1")
    assert parse_alphabet("a, bc ,d") == ("a", "bc", "d")
    assert parse_alphabet("(") == ("(",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "alphabet: found nothing, expected at least one symbol, such as 01 or a,b,c"),
        ("010", "alphabet '010': '0' occurs twice, expected distinct symbols"),
        ("a,b,a", "alphabet 'a,b,a': 'a' occurs twice, expected distinct symbols"),
        ("a,,b", "alphabet 'a,,b': symbol 2 is empty, expected at least one character"),
        ("a,b,", "alphabet 'a,b,': symbol 3 is empty, expected at least one character"),
        ("0" * 100_001, "alphabet of 100001 characters: expected at most 100000"),
    ],
)
def test_bad_alphabets(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_alphabet(text)
    assert str(caught.value) == message


def test_the_alphabet_of_a_formula_has_one_fresh_symbol() -> None:
    assert alphabet_of(parse_formula("Q_b | Q_a since Q_b")) == ("a", "b", "?")
    assert alphabet_of(TRUE) == ("?",)
    assert alphabet_of(parse_formula("Q['?'] | Q['*']")) == ("*", "?", "_")
    assert alphabet_of(parse_formula(" | ".join(f"Q['{c}']" for c in "?*_.#%")))[-1] == "??"


def test_words() -> None:
    assert parse_word("0110", ("0", "1")) == ("0", "1", "1", "0")
    assert parse_word("go, stop,go", ("go", "stop")) == ("go", "stop", "go")
    assert parse_word("go", ("go", "stop")) == ("go",)


@pytest.mark.parametrize(
    ("text", "alphabet", "message"),
    [
        ("", "01", "word: found nothing, expected at least one symbol (words are not empty)"),
        ("0120", "01", "word, position 3: found '2', expected one of 0, 1"),
        ("go,,stop", ("go", "stop"), "word, position 2: found '', expected one of go, stop"),
        ("gostop", ("go", "stop"), "word, position 1: found 'gostop', expected one of go, stop"),
    ],
)
def test_bad_words(text: str, alphabet: str | tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_word(text, alphabet)
    assert str(caught.value) == message
