"""`certify run PROGRAM`: the values of every vector or definition of a program along one word."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from certify.claims.formula.runs import check_length, print_rows
from certify.common.terminal_tables import plain
from certify.requests.programs import AnyProgram, run_any_program
from constructions.crasp.syntax import CountingProgram
from constructions.language.alphabets import parse_word
from constructions.rasp.interpreter import Value
from constructions.rasp.printer import format_program
from constructions.rasp.syntax import Type
from constructions.text import printable


@dataclass(frozen=True)
class ProgramRun:
    """A program, a word, and the entries of all vectors, or definitions, by name."""

    program: AnyProgram
    word: tuple[str, ...]
    vectors: Mapping[str, tuple[Value, ...]]

    @property
    def output(self) -> tuple[Value, ...]:
        """The entries of the output."""
        return self.vectors[self.program.output.name]


def run_on_word(program: AnyProgram, word: str) -> ProgramRun:
    """Run a program on a word as users write it; for C-RASP, its symbols may be separated by blanks.

    Raises:
        InputError: if the word is too long, or has a symbol outside the alphabet of the program.
    """
    has_blanks = isinstance(program, CountingProgram) and " " in word.strip()
    letters = tuple(word.split()) if has_blanks else parse_word(word, program.alphabet)
    check_length(letters)
    return ProgramRun(program, letters, run_any_program(program, letters))


def print_program_run(out: Console, run: ProgramRun) -> None:
    """Print a row for each vector, a column for each position; the output last."""
    program = run.program
    named = ([(definition.name, definition) for definition in program.definitions]
             if isinstance(program, CountingProgram)
             else [(f"{vector.name}(i)", vector) for vector in program.vectors])
    rows = [(label, row.type.value, list(map(_cell, run.vectors[row.name]))) for label, row in named]
    print_rows(out, run.word, rows)
    output = program.output
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
    """Return ``truth`` by position if the output is Boolean, else ``output``; and all ``vectors`` by name."""
    program = run.program
    key = "truth" if run.program.output.type == Type.BOOLEAN else "output"
    return {
        "program": program.source if isinstance(program, CountingProgram) else format_program(program),
        "alphabet": list(run.program.alphabet),
        "word": list(run.word),
        key: list(run.output),
        "vectors": {name: list(values) for name, values in run.vectors.items()},
    }
