"""Spellings, alphabets and comments: what different texts have in common."""

import pytest

from constructions.errors import InputError
from constructions.rasp.parser import parse_program
from constructions.rasp.syntax import AttentionTerm, PrefixSum, SymbolTest, TruthValue, Vector, VectorEntry

HEADER = "alphabet ab\nP(i) := Q_a(i)\nR(i) := Q_b(i)\n"


def last_body(text: str) -> object:
    return parse_program(HEADER + text).vectors[-1].body


@pytest.mark.parametrize(("one", "other"), [
    ("!P(i) & R(i) | P(i)", "((¬P(i)) ∧ R(i)) ∨ P(i)"),
    ("!P(i) & R(i) | P(i)", "not P(i) and R(i) or P(i)"),
    ("!P(i) && R(i) || P(i)", "~P(i) & R(i) | P(i)"),
    ("P(i) -> R(i) <-> true", "P(i) → R(i) ↔ ⊤"),
    ("false", "⊥"),
    ("pos(i) <= 2", "pos(i) ≤ 2"),
    ("pos(i) = 2", "pos(i) == 2"),
    ("pos(i) != 2", "pos(i) ≠ 2"),
    ("1 if P(i) else 0", "P(i) ? 1 : 0"),
    ("Q_a(i)", "Q['a'](i)"),
    ("rightmost j [j<i, P(j)] R(j) : false", "▶_j [j < i, P(j)] R(j) : ⊥"),
    ("rightmost j [j<i, P(j)] R(j) : false", "rightmost_j[j<i,P(j)]R(j):false"),
    ("leftmost j [j>=i, P(j)] R(j) : false", "◀ j [j ≥ i, P(j)] R(j) : false"),
    ("leftmost j [1, P(j)] R(j) : false", "◀_j [true, P(j)] R(j) : false"),
    ("psum j [j<=i] 1", "psum_j [j ≤ i] 1"),
    ("rightmost j [1, true] P(j) ? 1 : 2 : 3", "rightmost j [1, true] (1 if P(j) else 2) : 3"),
    ("rightmost j [1, true] 1 : P(i) ? 2 : 3", "rightmost j [1, true] 1 : (2 if P(i) else 3)"),
])  # fmt: skip
def test_spellings_of_the_same(one: str, other: str) -> None:
    assert last_body(f"out(i) := {one}") == last_body(f"out(i) := {other}")


def test_the_right_pointing_triangle_is_the_rightmost_position() -> None:
    expected = AttentionTerm("rightmost", "j<i", VectorEntry("P", "i"), SymbolTest("a", "j"), TruthValue(False))
    assert last_body("out(i) := ▶_j [j<i, P(i)] Q_a(j) : ⊥") == expected
    assert last_body("out(i) := psum j [j<=i] pos(j)") == PrefixSum(VectorEntry("pos", "j"))


@pytest.mark.parametrize(("header", "alphabet", "auxiliary"), [
    ("alphabet 01", ("0", "1"), ()),
    ("alphabet\t01 # the bits", ("0", "1"), ()),
    ("alphabet 0, one", ("0", "one"), ()),
    ("alphabet '(', ')'", ("(", ")"), ()),
    ("alphabet '#',\n'\\'', '\\\\' auxiliary ab", ("#", "'", "\\"), ("a", "b")),
    ("auxiliary '?'\nalphabet 'two words'", ("two words",), ("?",)),
])  # fmt: skip
def test_stated_alphabets(header: str, alphabet: tuple[str, ...], auxiliary: tuple[str, ...]) -> None:
    program = parse_program(f"{header}\nP(i) := true")
    assert (program.alphabet, program.auxiliary) == (alphabet, auxiliary)


def test_an_alphabet_that_is_not_stated_has_the_symbols_mentioned_and_another() -> None:
    text = "auxiliary 'no'  P(i) := in(i) if Q_b(i) else 'a' if Q_a(i) else 'no'"
    assert parse_program(text).alphabet == ("a", "b", "?")
    assert parse_program(text, "abc").alphabet == ("a", "b", "c")


def test_the_other_symbol_is_not_auxiliary() -> None:
    assert parse_program("auxiliary '?'  P(i) := Q_a(i)").alphabet == ("a", "*")
    with pytest.raises(InputError, match=r"^alphabet: '\?' is an auxiliary symbol of the program, expected others$"):
        parse_program("auxiliary '?'  P(i) := Q_a(i)", "a?")


def test_an_alphabet_is_stated_once() -> None:
    with pytest.raises(InputError, match=r"^alphabet '0, 1': the program states its own, expected only one$"):
        parse_program("alphabet ab  P(i) := true", "01")


def test_comments_and_line_ends_mean_nothing() -> None:
    spread = "# a program\nalphabet ab#:=\nP(i)\n:=   # a, b\n  Q_a(i) # '\n |\r\n Q_b(i) #"
    assert parse_program(spread) == parse_program("alphabet ab P(i) := Q_a(i) | Q_b(i)")


def test_the_output_is_out_or_else_the_last_vector() -> None:
    names = [parse_program(text).output.name
             for text in ("out(i) := true  P(i) := false", "P(i) := true  R(i) := false")]
    assert names == ["out", "R"]


def test_parentheses_may_nest_as_deep_as_the_text_is_long() -> None:
    text = f"P(i) := {'(' * 49_990}true{')' * 49_990}"
    assert [vector.body for vector in parse_program(text).vectors] == [TruthValue(True)]


def test_definitions_know_where_they_stand() -> None:
    (vector,) = parse_program("alphabet ab\nP(i) := pos(i) = 1").vectors
    assert isinstance(vector, Vector) and getattr(vector.body, "place", None) == 20
