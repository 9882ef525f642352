"""Bad programs are refused at the right place, in plain words, and without a traceback of another kind."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from constructions.errors import ProgramError
from constructions.rasp.interpreter import run_program
from constructions.rasp.parser import parse_program
from constructions.rasp.printer import format_program
from tests.tiers import drawn

OPERATOR = "an operator such as & or +, if, a definition or the end of the program"
START = "expected an alphabet or a definition"
ABOVE = "expected a vector that is defined above, such as in, pos"
MASKS = "expected the mask 1 or j<i or j<=i or j>i or j>=i"
BOUND = "; j is in scope in attention and psum only, not in the default"


def refuse(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse_program(text)
    error = caught.value
    assert (error.line, error.column, error.message) == (line, column, message)
    assert str(error) == f"program, line {line}, column {column}: {message}"


@pytest.mark.parametrize(("text", "line", "column", "message"), [
    ("", 1, 1, f"found the end of the program, {START}"),
    ("alphabet ab", 1, 12, f"found the end of the program, {START}"),
    ("alphabet\nP(i) := true", 2, 1, "found 'P', expected a quoted symbol such as 'a'"),
    ("alphabet 'a' 'b'", 1, 14, "found \"'b'\", expected an alphabet, ',' or a definition"),
    ("alphabet aa\nP(i) := true", 1, 1, "alphabet 'aa': 'a' occurs twice, expected distinct symbols"),
    ("alphabet 'a', 'a'\nP(i) := true", 1, 1, "found a symbol twice, expected distinct symbols"),
    ("alphabet ''\nP(i) := true", 1, 1, "found an empty symbol, expected at least one character between the quotes"),
    ("alphabet a alphabet b P(i) := true", 1, 12, "found a second line 'alphabet', expected one"),
    ("alphabet ab\nauxiliary b\nP(i) := true", 2, 1, "found 'b' in the alphabet and auxiliary, expected it in one"),
    ("func f(s) := true", 1, 18, "found no vector, expected a definition such as P(i) := Q_a(i)"),
])  # fmt: skip
def test_headers_and_empty_programs(text: str, line: int, column: int, message: str) -> None:
    refuse(text, line, column, message)


@pytest.mark.parametrize(("text", "column", "message"), [
    ("P(i) = Q_a(i)", 6, "found '=', expected ':='"),
    ("P := Q_a(i)", 3, "found ':=', expected '('"),
    ("P(i, j) := true", 4, "found ',', expected ')'"),
    ("if(i) := true", 1, f"found 'if', {START}"),
    ("Q_a(i) := true", 8, f"found ':=', {START}; rows such as Q_a(i) are the input and have no definition"),
    ("Q_a(i)", 7, "found the end of the program, expected an alphabet or a definition"),
    ("P(i) := Q_a", 12, "found the end of the program, expected '('"),
    ("P(i) := Q_a(i) &", 17, "found the end of the program, expected a value"),
    ("P(i) := Q_a(i) Q_b(i)", 16, f"found 'Q_b', expected a comparison such as <=, {OPERATOR}"),
    ("P(i) := 1 < 2 < 3", 15, f"found '<', expected {OPERATOR}"),
    ("P(i) := $", 9, "found '$', expected a value or attention or psum"),
    ("P(i) := 'a", 9, "found \"'\", expected a value or attention or psum"),
    ("P(i) := true if true", 21,
     "found the end of the program, expected a comparison such as <=, else or an operator such as & or +"),
    ("P(i) := rightmost j [j<i] true : true", 25, "found ']', expected ','"),
    ("P(i) := rightmost j [j<i, true] true", 37, "found the end of the program, expected a comparison such as <=, "
                                                 "':', an operator such as & or + or if"),
    ("P(i) := psum j [j<=i, true] 1", 21, "found ',', expected ']'"),
    ("P(i) := !(rightmost j [1, true] true : true)", 11, "found 'rightmost', expected a value"),
    ("func f(s) := psum j [j<=i] 1", 14, "found 'psum', expected a value"),
    ("P(i) := in(i) = ''", 17, "found an empty symbol, expected at least one character between the quotes"),
])  # fmt: skip
def test_syntax(text: str, column: int, message: str) -> None:
    refuse(f"alphabet ab\n{text}", 2, column, message)


@pytest.mark.parametrize(("text", "column", "message"), [
    ("P(k) := Q_a(k)", 3, "found 'k', expected i"),
    ("P(i) := Q_a(k)", 9, "found an entry at k, expected i"),
    ("P(i) := Q_a(j)", 9, f"found an entry at j, expected i{BOUND}"),
    ("P(i) := pos(j) = 1", 9, f"found an entry at j, expected i{BOUND}"),
    ("P(i) := rightmost j [1, true] true : Q_a(j)", 38, f"found an entry at j, expected i{BOUND}"),
    ("P(i) := rightmost j [1, Q_a(k)] true : true", 25, "found an entry at k, expected i or j"),
    ("P(i) := rightmost k [k<i, true] true : true", 19, "found 'k', expected j"),
    ("P(i) := rightmost j [j<k, true] true : true", 22, f"found 'j<k', {MASKS}"),
    ("P(i) := rightmost j [j=i, true] true : true", 22, f"found 'j==i', {MASKS}"),
    ("P(i) := rightmost j [2, true] true : true", 22, f"found '2', {MASKS}"),
    ("P(i) := psum j [j<i] 1", 17, "found 'j<i', expected the mask j<=i"),
    ("P(i) := pos(i) = i", 18, "found the variable i, expected a value; the position is pos(i)"),
    ("P(i) := s", 9, "found 's' alone, expected an entry such as in(i)"),
    ("P(i) := Q_c(i)", 9, "found the symbol 'c', expected one of a, b"),
    ("P(i) := in(i) = 'c'", 17, "found the symbol 'c', expected one of a, b"),
    ("P(i) := R(i)", 9, f"found 'R', {ABOVE}"),
    ("P(i) := P(i)", 9, f"found 'P' before the end of its definition (line 2), {ABOVE}"),
    ("P(i) := R(i)\nR(i) := true", 9, f"found 'R' before the end of its definition (line 3), {ABOVE}"),
    ("P(i) := g(in(i))", 9, "found 'g', expected a function that is defined above"),
    ("in(i) := true", 1, "found 'in', a name of the language, expected another one"),
    ("func f(i) := true", 8, "found 'i', expected parameters with distinct names other than i and j"),
    ("func f(s, s) := true", 11, "found 's', expected parameters with distinct names other than i and j"),
    ("func f(s) := s = t", 18, "found 't', expected s"),
    ("func f(s, t) := u = t", 17, "found 'u', expected s or t"),
    ("func f(s) := in(i) = s", 14, "found an entry at i, expected s"),
    ("func f(s) := f(s)", 14, "found 'f' before the end of its definition (line 2), expected a function that is "
                              "defined above"),
])  # fmt: skip
def test_names_and_variables(text: str, column: int, message: str) -> None:
    refuse(f"alphabet ab\n{text}", 2, column, message)


@pytest.mark.parametrize(("text", "column", "message"), [
    ("P(i) := false", 1, "found a second definition of 'P', expected another name (the first is in line 3)"),
    ("f(i) := true", 1, "found a second definition of 'f', expected another name (the first is in line 2)"),
    ("R(i) := P(pos(i))", 9, "found the vector 'P' with another argument, expected i"),
    ("R(i) := P & true", 9, "found 'P' alone, expected an entry such as in(i)"),
    ("R(i) := f(i)", 9, "found the function 'f' at i, expected a symbol as its argument, such as in(i)"),
    ("R(i) := f(pos(i))", 11, "found an integer, expected a symbol"),
    ("R(i) := f(in(i), in(i))", 9, "found 2 arguments of 'f', expected 1"),
    ("func g(s, t) := f(s)  R(i) := g(in(i))", 31, "found 1 argument of 'g', expected 2"),
    ("func g(s) := P(s)", 14, "found the vector 'P' with another argument, expected a function"),
])  # fmt: skip
def test_uses_of_what_is_defined(text: str, column: int, message: str) -> None:
    refuse(f"alphabet ab\nfunc f(s) := s = 'a'\nP(i) := true\n{text}", 4, column, message)


@pytest.mark.parametrize(("value", "column", "message"), [
    ("pos(i) & true", 1, "found an integer, expected a truth value"),
    ("true | in(i)", 8, "found a symbol, expected a truth value"),
    ("!pos(i)", 2, "found an integer, expected a truth value"),
    ("-true", 2, "found a truth value, expected an integer"),
    ("1 + in(i)", 5, "found a symbol, expected an integer"),
    ("pos(i) < in(i)", 10, "found a symbol, expected an integer"),
    ("in(i) < 'a'", 1, "found a symbol, expected an integer"),
    ("in(i) = 1", 9, "found an integer, expected a symbol"),
    ("1 = in(i)", 5, "found a symbol, expected an integer"),
    ("Q_a(i) = Q_b(i)", 1, "found a truth value, expected an integer or a symbol; truth values are compared by <->"),
    ("1 if pos(i) else 0", 6, "found an integer, expected a truth value"),
    ("1 if true else 'a'", 16, "found a symbol, expected an integer"),
    ("rightmost j [1, pos(j)] true : true", 17, "found an integer, expected a truth value"),
    ("rightmost j [1, 2] true : true", 17, "found an integer, expected a truth value"),
    ("rightmost j [1, true] true : 2", 30, "found an integer, expected a truth value"),
    ("psum j [j<=i] Q_a(j)", 15, "found a truth value, expected an integer"),
])  # fmt: skip
def test_types(value: str, column: int, message: str) -> None:
    refuse(f"alphabet ab\nP(i) := {value}", 2, 8 + column, message)


def test_the_caret_stands_under_the_column() -> None:
    with pytest.raises(ProgramError) as caught:
        parse_program("alphabet ab\nP(i) := true |\n\tR(i)")
    assert caught.value.caret() == " R(i)\n ^"


def test_texts_of_more_than_100000_characters_are_refused() -> None:
    refuse("#" * 100_001, 1, 1, "found 100001 characters, expected at most 100000")


def test_integers_of_more_than_1000_digits_are_refused() -> None:
    assert parse_program(f"P(i) := {'9' * 1000}").vectors[0].body.depth == 1  # type: ignore[union-attr]
    refuse(f"P(i) := {'9' * 1001}", 1, 9, "found an integer of 1001 digits, expected at most 1000")


def nested(kind: str, depth: int) -> str:
    """Return a program whose deepest value is ``depth`` deep."""
    header = "alphabet a\nfunc f(s) := s\n"
    chain = "".join(f"func f{k}(s) := {f'f{k - 1}' if k else 'f'}(s)\n" for k in range(depth - 2))
    return header + {
        "not": f"P(i) := {'!' * (depth - 1)}true",
        "and": f"P(i) := {'true & ' * (depth - 1)}true",
        "sum": f"P(i) := 1{' + 1' * (depth - 1)}",
        "if": f"P(i) := {'1 if true else ' * (depth - 1)}1",
        "call": f"P(i) := {'f(' * (depth - 1)}in(i){')' * (depth - 1)}",
        "functions": f"{chain}P(i) := f{depth - 3}(in(i))",
    }[kind]


@pytest.mark.parametrize("kind", ["not", "and", "sum", "if", "call", "functions"])
def test_values_200_deep_are_parsed_printed_and_run_and_deeper_ones_refused(kind: str) -> None:
    program = parse_program(nested(kind, 200))
    assert parse_program(format_program(program)).vectors[0].type == program.vectors[0].type
    assert len(run_program(program, "a")["P"]) == 1
    with pytest.raises(ProgramError, match="found values nested 201 deep in 'P', expected at most 200"):
        parse_program(nested(kind, 201))


def test_endless_nesting_is_an_error_of_one_line() -> None:
    for text in ("(" * 5_000, "!" * 5_000 + "true", "1 + " * 5_000 + "1", "f(" * 5_000 + "s" + ")" * 5_000):
        with pytest.raises(ProgramError):
            parse_program(f"P(i) := {text}")


PIECES = ["P(i) := ", "Q_a(i)", "R(j)", "rightmost j [", "psum j [j<=i] ", "j<i, ", "true", "] ", ": ", "func f(s) := ",
          "f(s)", "in(i)", "'a'", "1", " & ", "!", "(", ")", " if ", " else ", "?", "\n", "alphabet ab", "# ", "▶", "'"]


@drawn(150)
@given(st.text(max_size=40) | st.lists(st.sampled_from(PIECES)).map("".join))
@example("\ud800")
@example("alphabet 'a\nb'")
def test_any_text_is_a_program_or_one_line_of_error(text: str) -> None:
    try:
        parse_program(text)
    except ProgramError as error:
        assert "\n" not in str(error) and "Token" not in str(error) and "__ANON" not in str(error)
        assert error.caret().count("\n") == 1
        assert 1 <= error.line <= text.count("\n") + 1
        assert 1 <= error.column <= len(text.split("\n")[error.line - 1]) + 1


@pytest.mark.parametrize(("text", "column", "message"), [
    ("P(i) := rightmost j [j<2, true] Q_a(j) : 0", 24, f"found '2', {MASKS}"),
    ("P(i) := leftmost [2<=j, true] Q_a(j) : 0", 20, f"found '<=', {MASKS}"),
    ("P(i) := psum j [j<=7] 1", 20, "found '7', expected the mask j<=i"),
])
def test_what_is_no_mask_is_told_which_masks_there_are(text: str, column: int, message: str) -> None:
    refuse(text, 1, column, message)
