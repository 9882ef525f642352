"""Printed programs are programs: they parse back to what was printed."""

import pytest
from hypothesis import given

from constructions.rasp.interpreter import run_program
from constructions.rasp.parser import parse_program
from constructions.rasp.printer import format_program
from constructions.rasp.syntax import RaspProgram
from tests.rasp.strategies import programs
from tests.tiers import drawn


@drawn(40)
@given(programs())
def test_a_printed_program_parses_to_the_same_program_with_the_same_types(program: RaspProgram) -> None:
    text = format_program(program)
    assert parse_program(text) == program
    assert format_program(parse_program(text)) == text


@pytest.mark.parametrize(("written", "printed"), [
    ("(P(i) & R(i)) | S(i)", "P(i) & R(i) | S(i)"),
    ("P(i) & (R(i) | S(i))", "P(i) & (R(i) | S(i))"),
    ("P(i) & (R(i) & S(i))", "P(i) & (R(i) & S(i))"),
    ("(P(i) -> R(i)) -> S(i)", "(P(i) -> R(i)) -> S(i)"),
    ("P(i) -> (R(i) -> S(i))", "P(i) -> R(i) -> S(i)"),
    ("!(pos(i) = 1)", "!pos(i) == 1"),
    ("pos(i) - (1 - 2) = -(3 + 4)", "pos(i) - (1 - 2) == -(3 + 4)"),
    ("(P(i) ? 1 : 2) = 1", "(1 if P(i) else 2) == 1"),
    ("P(i) ? R(i) : S(i) ? P(i) : R(i)", "R(i) if P(i) else P(i) if S(i) else R(i)"),
    ("(P(i) ? R(i) : S(i)) ? P(i) : R(i)", "P(i) if (R(i) if P(i) else S(i)) else R(i)"),
    ("Q['\\''](i) & in(i) ≠ '\\\\'", "Q['\\''](i) & in(i) != '\\\\'"),
])  # fmt: skip
def test_parentheses_are_printed_where_they_are_needed(written: str, printed: str) -> None:
    header = "alphabet 'a', '\\'', '\\\\'\nP(i) := Q_a(i)\nR(i) := !P(i)\nS(i) := pos(i) > 1\n"
    text = format_program(parse_program(f"{header}out(i) := {written}"))
    assert text.splitlines()[-1] == f"out(i) := {printed}"


def test_types_that_the_parser_finds_are_those_of_the_values() -> None:
    program = parse_program("alphabet ab  P(i) := Q_a(i)  R(i) := pos(i)  S(i) := in(i)")
    assert run_program(program, "ab") == {"P": (True, False), "R": (1, 2), "S": ("a", "b")}
    assert [vector.type.value for vector in program.vectors] == ["bool", "int", "symbol"]
