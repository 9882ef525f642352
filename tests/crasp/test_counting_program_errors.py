"""Errors in a C-RASP program: one line with the place, what was found, and what was expected."""

import pytest

from constructions.crasp.parser import parse_counting_program
from constructions.errors import ProgramError, Unsupported

VALUE = 'expected a value such as "a" or # "a"'
OPERATOR = "an operator such as && or +, a comparison such as =="
GOES_ON = f"expected {OPERATOR}, if, the end of the line or the end of the program"
SECOND = "expected another name (the first is in line 1)"
NUMBER = "found a truth value, expected a number; # counts where a truth value holds"
PAIR = "expected an imported predicate of two positions"
ABOVE = "expected a name that is defined above"


def refuse(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse_counting_program(text)
    error = caught.value
    assert (error.line, error.column, error.message) == (line, column, message)
    assert "\n" not in str(error)


@pytest.mark.parametrize(("text", "column", "message"), [
    ("", 1, "found the end of the program, expected a definition"),
    ("// nothing", 11, "found the end of the program, expected a definition"),
    ("#import pred", 13, 'found no definition, expected one such as D = # "a" > 0'),
    ("D", 2, "found the end of the program, expected '='"),
    ("D == 1", 3, "found '==', expected '='"),
    ("D = ", 4, f"found the end of the program, {VALUE}"),
    ("D = 3 +\nE = 1", 8, f"found the end of the line, {VALUE}"),
    ("D = (1", 7, f"found the end of the program, expected ')', {OPERATOR} or if"),
    ("D = 1)", 6, f"found ')', {GOES_ON}"),
    ('D = "a" E = 1', 9, f"found 'E', {GOES_ON}"),
    ('D = "a" = "b"', 9, f"found '=', {GOES_ON}; equality is written =="),
    ('D = "a" & "b"', 9, f"found '&', {GOES_ON}; conjunction is written &&"),
    ('D = "a" | "b"', 9, f"found '|', {GOES_ON}; disjunction is written ||"),
    ("D = 'a'", 5, f"found \"'\", {VALUE}; a symbol is written \"a\""),
    ('D = #<["a"]', 6, f"found '<', {VALUE} or '['; a count is written # \"a\""),
    ('D = "a', 5, f"found '\"', {VALUE}"),
    ('D = ""', 5, "found an empty symbol, expected at least one character between the quotes"),
    ('D = "a" ∧ "b"', 9, f"found '∧', {GOES_ON}"),
    ("#import", 8, "found the end of the program, expected a name"),
    (f"D = {'1' * 1001}", 5, "found an integer of 1001 digits, expected at most 1000"),
])  # fmt: skip
def test_syntax(text: str, column: int, message: str) -> None:
    refuse(text, 1, column, message)


@pytest.mark.parametrize(("text", "line", "column", "message"), [
    ("D = E", 1, 5, f"found 'E', {ABOVE}"),
    ("D = D", 1, 5, f"found 'D' before the end of its definition (line 1), {ABOVE}"),
    ("A = 1\nD = E\nE = A", 2, 5, f"found 'E' before the end of its definition (line 3), {ABOVE}, such as A"),
    ("A = 1\nA = 2", 2, 1, f"found a second definition of 'A', {SECOND}"),
    ("#import pred\npred = 2", 2, 1, f"found a second definition of 'pred', {SECOND}"),
    ("D = pos_even", 1, 5, f"found 'pos_even', {ABOVE}; #import pos_even imports it"),
    ("#import pred\nD = pred", 2, 5,
     "found 'pred', a predicate of two positions, expected it in a count such as #[pred] \"a\""),
    ('D = #[pred] "a"', 1, 7, f"found 'pred', {PAIR}; #import pred imports one"),
    ('#import pred\n#import pos_even\nD = #[pos_even] "a"', 3, 7,
     f"found 'pos_even', {PAIR}, such as pred"),
    ('D = "a" && 1', 1, 12, "found a number, expected a truth value"),
    ('D = "a" + 1', 1, 5, NUMBER),
    ('D = # # "a"', 1, 7, "found a number, expected a truth value"),
    ('A = "a"\nB = "b"\nD = A == B', 3, 5, NUMBER),
    ('D = "a" if "b" else "c"', 1, 5, NUMBER),
    ("D = 1 if 2 else 3", 1, 10, "found a number, expected a truth value"),
    ('D = max("a", 1)', 1, 9, NUMBER),
])  # fmt: skip
def test_names_and_types(text: str, line: int, column: int, message: str) -> None:
    refuse(text, line, column, message)


@pytest.mark.parametrize(("value", "first", "second"), [
    ('!"a" && "b"', '(!"a") && "b"', '!("a" && "b")'),
    ('!"a" || "b"', '(!"a") || "b"', '!("a" || "b")'),
    ('#"a" == #"b" && "c"', '(#"b") && "c"', '#("b" && "c")'),
    ('#"a" && "c"', '(#"a") && "c"', '#("a" && "c")'),
    ("!x == y", "(!x) == y", "!(x == y)"),
    ("x - y + z", "(x - y) + z", "x - (y + z)"),
    ("x + y - z + x", "(x + y - z) + x", "x + y - (z + x)"),
    ("2*x + y == z", "(2*x) + y", "2*(x + y)"),
    ("x - 2*y - z", "(2*y) - z", "2*(y - z)"),
    ('x == 1 if "b" else 0', '(x == 1) if "b" else 0', 'x == (1 if "b" else 0)'),
    ('1 if "b" else 0 == x', '(1 if "b" else 0) == x', '1 if "b" else (0 == x)'),
    ('1 if "a" else 2 if "b" else 3', '(1 if "a" else 2) if "b" else 3', '1 if "a" else (2 if "b" else 3)'),
])  # fmt: skip
def test_what_is_grouped_in_two_ways_needs_brackets(value: str, first: str, second: str) -> None:
    text = f'x = #"a"\ny = #"b"\nz = 1\nD = {value}'
    with pytest.raises(ProgramError) as caught:
        parse_counting_program(text)
    assert caught.value.line == 4
    assert caught.value.message == f"found no brackets where readings differ, expected {first} or {second}"


@pytest.mark.parametrize("value", [
    '"a" && "b" || "a" && !"b"', '!("a" && "b")', "x + y - z - x == 2*x", "x - 2*y == z", "(x - y) + z > -x + y",
    '(x + 1 if "a" && "b" else y - 1) > 0', '# !"a" == #true', '"c" && #"a" == 3', 'x == #"a" + y', "!true",
    "min(x, y) * 2 < 3",
])  # fmt: skip
def test_what_is_grouped_in_one_way_needs_none(value: str) -> None:
    parse_counting_program(f'x = #"a"\ny = #"b"\nz = 1\nD = {value}')


def test_comments_blanks_and_ends_of_lines() -> None:
    text = '\n// first\n\n  A = # "a" // counts\r\n\t\nB = (A ==  1)//\n // last'
    assert [made.name for made in parse_counting_program(text).definitions] == ["A", "B"]
    assert parse_counting_program('D = "//"').alphabet == ("//", "?")


def test_an_unknown_predicate_is_unsupported_with_its_name() -> None:
    with pytest.raises(Unsupported) as caught:
        parse_counting_program("\n#import primes\nD = primes")
    assert str(caught.value) == ("program, line 2, column 9: the predicate 'primes' is unknown, expected pos_even, "
                                 "pos_odd, pred or pred2, ..., pred64")
    with pytest.raises(Unsupported):
        parse_counting_program("#import pred65\nD = true")


@pytest.mark.parametrize("text", [
    "D = " + "(" * 20_000, "D = " + "!" * 20_000 + "true", "D = " + "# !" * 5_000 + "true", "D = " + "-" * 20_000 + "1",
    "D = " + "true && !" * 5_000 + "true", "D = 1" + " + 1" * 5_000, "\n" * 90_000, "D = " + '"' * 90_001,
    " " * 90_000 + "D", "x" * 1_000_000, "D = 1 " + "if true else 1 " * 5000, "//" * 50_000 + "\nx",
])  # fmt: skip
def test_hostile_texts_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse_counting_program(text)
    assert len(str(caught.value)) < 400
    assert "\n" not in str(caught.value)


def test_brackets_may_nest_as_deep_as_the_text_is_long() -> None:
    parse_counting_program("D = " + "(" * 10_000 + "true" + ")" * 10_000)
