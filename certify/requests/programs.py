"""A program where a formula is expected: it denotes the formula of its output.

See docs/reference/rasp.md, docs/reference/crasp.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from certify.common.files import check_unicode, read_text
from certify.common.look import SUFFIX_OF_COUNTING_PROGRAMS
from certify.requests.subjects import STANDARD_INPUT
from constructions.crasp.interpreter import run_counting_program
from constructions.crasp.parser import parse_counting_program
from constructions.crasp.syntax import CountingProgram
from constructions.crasp.to_formula import counting_program_to_formulas
from constructions.errors import InputError, NoFormula, ProgramError, Unsupported
from constructions.language.alphabets import parse_alphabet
from constructions.language.builder import MAX_NODES
from constructions.language.diagnosis import list_names, place_of, quote
from constructions.language.syntax import FALSE, Formula, subformulas
from constructions.language.terms import MAX_DIGITS
from constructions.rasp.interpreter import Value, run_program
from constructions.rasp.linear_forms import Linear
from constructions.rasp.parser import parse_program
from constructions.rasp.syntax import RaspProgram, Type, values_of
from constructions.rasp.to_formula import Table, formula_of_value, program_to_formulas

if TYPE_CHECKING:
    from constructions.network.transformer import Transformer

AnyProgram = RaspProgram | CountingProgram


@dataclass(frozen=True)
class OutputFormulas:
    """A program, and the formula of its output, or the formula of each value, by the value as text.

    For an unbounded integer, ``forms`` gives the condition of each linear form of counts instead.
    """

    path: str
    program: AnyProgram
    formulas: dict[str, Formula]
    forms: Table = field(default_factory=dict)

    @property
    def is_boolean(self) -> bool:
        """Whether the output is a truth value."""
        return self.program.output.type is Type.BOOLEAN

    @property
    def values(self) -> str:
        """The values of the output, as error messages list them."""
        return "an integer" if self.forms else f"one of {list_names(list(self.formulas))}"

    def by_value(self) -> dict[str, Formula]:
        """Return the formula of each value.

        Raises:
            InputError: if the output is an integer without a bound.
        """
        if self.forms:
            raise InputError(f"{self.path}: the output {self.program.output.name} is an integer without a bound, "
                             f"expected --symbol with {self.values}")
        return self.formulas

    def formula(self, value: str | None) -> Formula:
        """Return the formula that holds where the output has this value, or is true.

        Raises:
            InputError: if a value is given for a truth value, missing for another output, or not a value of the output.
            NoFormula: if an integer without a bound cannot be compared with the value.
        """
        name = self.program.output.name
        if self.is_boolean:
            if value is not None:
                raise InputError(f"--symbol: the output {name} of {self.path} is a truth value, expected no symbol")
            return self.formulas["true"]
        if value is None:
            raise InputError(f"{self.path}: the output {name} is {self.program.output.type.phrase}, expected --symbol "
                             f"with {self.values}")
        if self.forms and re.fullmatch(f"-?[0-9]{{1,{MAX_DIGITS}}}", value):
            return formula_of_value(self.forms, int(value))
        if value not in self.formulas:
            raise InputError(f"--symbol: {quote(value)} is not a value of the output {name} of {self.path}, expected "
                             f"{self.values}")
        return self.formulas[value]


def read_program(path: str, alphabet: str | Sequence[str] | None = None, text: str | None = None) -> AnyProgram:
    """Parse the program in a file, or its ``text`` if already read; if it states no alphabet, one may be given.

    Raises:
        InputError: if the file cannot be read, or the program is wrong.
        Unsupported: if it imports a predicate that is not known.
    """
    check_unicode(*([alphabet] if isinstance(alphabet, str) else alphabet or ()))
    parse = parse_counting_program if path.endswith(SUFFIX_OF_COUNTING_PROGRAMS) else parse_program
    symbols = parse_alphabet(alphabet) if alphabet is not None else None
    try:
        return parse(read_text(path) if text is None else text, symbols)
    except ProgramError as error:
        raise (error if path == STANDARD_INPUT else error.of_file(path)) from None
    except Unsupported as construct:
        named = "program" if path == STANDARD_INPUT else path
        raise Unsupported(str(construct).replace("program, line", f"{named}, line", 1)) from None


def read_output_formulas(path: str, alphabet: str | Sequence[str] | None = None,
                         text: str | None = None) -> OutputFormulas:
    """Return the formulas of the output of the program in a file.

    Raises:
        InputError: if the file cannot be read, or the program is wrong.
        Unsupported: if the program has no formula, or too long a one.
    """
    text = read_text(path) if text is None else text
    program = read_program(path, alphabet, text)
    try:
        found = (OutputFormulas(path, program, _formula_of_last(path, program)) if isinstance(program, CountingProgram)
                 else _formulas_of_output(path, program))
    except NoFormula as reason:
        line, column = place_of(text, reason.place)
        raise Unsupported(f"{path}, line {line}, column {column}: {reason}{_instead(program)}") from None
    for formula in found.formulas.values():
        _check_size(path, formula)
    return found


def _instead(program: AnyProgram) -> str:
    """Return the place of a formula, taken by what a program without one has."""
    if isinstance(program, CountingProgram):
        return ""
    try:
        compile_any_program(program)
    except Unsupported as reason:
        return f"; nor has it a network with hard attention: {reason}"
    return "; its network with hard attention is certified by certify model"


def _formula_of_last(path: str, program: CountingProgram) -> dict[str, Formula]:
    output = program.output
    if output.type is not Type.BOOLEAN:
        raise InputError(f"{path}: the last definition {output.name} is a number, expected a truth value")
    return {"true": counting_program_to_formulas(program)[output.name]}


def _formulas_of_output(path: str, program: RaspProgram) -> OutputFormulas:
    """Return the formula for each value that the output may be: every symbol, or the integers that it can be."""
    found, output = program_to_formulas(program), program.output
    if output.type is Type.BOOLEAN:
        return OutputFormulas(path, program, {"true": found[output.name]})
    table = {key[1]: formula for key, formula in found.items() if not isinstance(key, str) and key[0] == output.name}
    if any(isinstance(value, Linear) for value in table):
        formula_of_value(table, 0, values_of(output.body)[0].place)
        return OutputFormulas(path, program, {}, table)
    integers = sorted(value for value in table if isinstance(value, int))
    values = program.symbols if output.type is Type.SYMBOL else integers
    return OutputFormulas(path, program, {str(value): table.get(value, FALSE) for value in values})


def _check_size(path: str, formula: Formula) -> None:
    """Raise Unsupported if the formula has more parts than one that is given as text may have."""
    if (nodes := len(subformulas(formula))) > MAX_NODES:
        raise Unsupported(f"{path}: the formula of the output has {nodes} different subformulas, expected at most "
                          f"{MAX_NODES}")


def read_program_formula(path: str, alphabet: str | Sequence[str] | None, value: str | None,
                         text: str | None = None) -> tuple[Formula, tuple[str, ...]]:
    """Return the formula of the output being ``value`` (None if it is a truth value), and the alphabet of the program.

    Raises:
        InputError, Unsupported: as ``read_output_formulas`` and ``OutputFormulas.formula``.
    """
    output = read_output_formulas(path, alphabet, text)
    formula = output.formula(value)
    _check_size(path, formula)
    return formula, output.program.alphabet


def run_any_program(program: AnyProgram, word: Sequence[str],
                    earlier: tuple[Sequence[str], Mapping[str, tuple[Value, ...]]] | None = None,
                    ) -> Mapping[str, tuple[Value, ...]]:
    """Return the values of every vector or definition on the word; ``earlier`` is another word with its run, if known.

    Raises:
        InputError: if the word is not one over the alphabet of the program, or a limit is exceeded.
    """
    if isinstance(program, CountingProgram):
        return run_counting_program(program, word)
    return run_program(program, word, earlier)


def compile_any_program(program: AnyProgram) -> Transformer:
    """Return the hard-attention transformer of a program.

    Raises:
        Unsupported: if it has none.
    """
    if isinstance(program, CountingProgram):
        raise Unsupported("a C-RASP program has no network with hard attention; certify build writes the transformer "
                          "of its formula")
    from constructions.rasp_network.rasp_to_transformer import compile_program

    return compile_program(program)
