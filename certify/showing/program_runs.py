"""`certify run PROGRAM.rasp`: what every vector of a program holds at every position of one word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import Console

from certify.showing.runs import check_length, print_rows
from certify.showing.terminal_tables import plain
from constructions.language.alphabets import parse_word
from constructions.rasp.interpreter import Value, run_program
from constructions.rasp.printer import format_program
from constructions.rasp.syntax import Program, Type
from constructions.text import printable


@dataclass(frozen=True)
class ProgramRun:
    """A program, a word, and the entries of all vectors by name."""

    program: Program
    word: tuple[str, ...]
    vectors: dict[str, tuple[Value, ...]]

    @property
    def output(self) -> tuple[Value, ...]:
        """The entries of the output vector."""
        return self.vectors[self.program.output.name]


def run_on_word(program: Program, word: str) -> ProgramRun:
    """The run of a program on a word as users write it.

    Raises:
        InputError: if the word is too long, or not one over the alphabet of the program.
    """
    letters = parse_word(word, program.alphabet)
    check_length(letters)
    return ProgramRun(program, letters, run_program(program, letters))


def print_program_run(out: Console, run: ProgramRun) -> None:
    """A row per vector, a column per position; the output last."""
    rows = [(f"{vector.name}(i)", vector.type.value, list(map(_cell, run.vectors[vector.name])))
            for vector in run.program.vectors]
    print_rows(out, run.word, rows)
    output = run.program.output
    out.print()
    if output.type == Type.BOOLEAN:
        out.print(plain(f"the program {'accepts' if run.output[-1] else 'rejects'} the word: {output.name} is "
                        f"{'true' if run.output[-1] else 'false'} at its last position"))
    else:
        out.print(plain(f"the output is {output.name}"))


def _cell(value: Value) -> str:
    match value:
        case bool():
            return "T" if value else "."
    return printable(str(value))


def program_run_to_json(run: ProgramRun) -> dict[str, Any]:
    """``truth`` by position if the output is Boolean, else ``output``; ``vectors`` has every vector by name."""
    key = "truth" if run.program.output.type == Type.BOOLEAN else "output"
    return {
        "program": format_program(run.program),
        "alphabet": list(run.program.alphabet),
        "word": list(run.word),
        key: list(run.output),
        "vectors": {name: list(values) for name, values in run.vectors.items()},
    }
