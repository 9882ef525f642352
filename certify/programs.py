"""A program where a formula is expected: it denotes the formula of its output vector (docs/rasp.md, "As a formula")."""

from __future__ import annotations

from dataclasses import dataclass

from certify.files import check_unicode, read_text
from constructions.errors import InputError, Unsupported
from constructions.language.diagnosis import list_names, place_of, quote
from constructions.language.parser import MAX_NODES, parse_alphabet
from constructions.language.syntax import FALSE, Formula, subformulas
from constructions.rasp.parser import parse_program
from constructions.rasp.syntax import Program, Type
from constructions.rasp.to_ltl import NoFormula, program_to_formulas


@dataclass(frozen=True)
class OutputFormulas:
    """A program, and when its output is true; or else when it is which value, by the value as text."""

    path: str
    program: Program
    formulas: dict[str, Formula]

    @property
    def is_boolean(self) -> bool:
        """Whether the output is a truth value."""
        return self.program.output.type is Type.BOOLEAN

    def formula(self, value: str | None) -> Formula:
        """The formula of the output, or of its being this value.

        Raises:
            InputError: if a value is named of a truth value or none of another output, or it is no value of the output.
        """
        name = self.program.output.name
        if self.is_boolean:
            if value is not None:
                raise InputError(f"--symbol: the output {name} of {self.path} is a truth value, expected no symbol")
            return self.formulas["true"]
        if value is None:
            raise InputError(f"{self.path}: the output {name} is {self.program.output.type.phrase}, expected --symbol "
                             f"with one of {list_names(list(self.formulas))}")
        if value not in self.formulas:
            raise InputError(f"--symbol: {quote(value)} is no value of the output {name} of {self.path}, expected one "
                             f"of {list_names(list(self.formulas))}")
        return self.formulas[value]


def read_program(path: str, alphabet: str | None = None) -> Program:
    """The program in a file; where it states no alphabet, one may be given.

    Raises:
        InputError: if the file cannot be read, or the program is wrong.
    """
    return _parse(read_text(path), alphabet)


def _parse(text: str, alphabet: str | None) -> Program:
    check_unicode(*([alphabet] if alphabet else []))
    return parse_program(text, parse_alphabet(alphabet) if alphabet is not None else None)


def read_output_formulas(path: str, alphabet: str | None = None) -> OutputFormulas:
    """The formulas of the output of the program in a file.

    Raises:
        InputError: if the file cannot be read, or the program is wrong.
        Unsupported: if the program has no formula of LTL, or too long a one.
    """
    text = read_text(path)
    program = _parse(text, alphabet)
    try:
        found = program_to_formulas(program)
    except NoFormula as reason:
        line, column = place_of(text, reason.place)
        raise Unsupported(f"{path}, line {line}, column {column}: {reason}") from None
    output = program.output
    formulas = ({"true": found[output.name]} if output.type is Type.BOOLEAN
                else {str(value): found.get((output.name, value), FALSE) for value in _values(program, found)})
    for formula in formulas.values():
        _check_size(path, formula)
    return OutputFormulas(path, program, formulas)


def _values(program: Program, found: dict[str | tuple[str, bool | int | str], Formula]) -> list[bool | int | str]:
    """What the output may be: every symbol, or the integers that it can be."""
    if program.output.type is Type.SYMBOL:
        return list(program.symbols)
    return sorted(int(key[1]) for key in found if not isinstance(key, str) and key[0] == program.output.name)


def _check_size(path: str, formula: Formula) -> None:
    """Raise Unsupported if the formula has more parts than one that is given as text may have."""
    if (nodes := len(subformulas(formula))) > MAX_NODES:
        raise Unsupported(f"{path}: the formula of the output has {nodes} different subformulas, expected at most "
                          f"{MAX_NODES}")


def read_program_formula(path: str, alphabet: str | None, value: str | None) -> tuple[Formula, tuple[str, ...]]:
    """The formula of the output being ``value`` (None if it is a truth value), and the alphabet of the program.

    Raises:
        InputError, Unsupported: as ``read_output_formulas`` and ``OutputFormulas.formula``.
    """
    output = read_output_formulas(path, alphabet)
    return output.formula(value), output.program.alphabet
