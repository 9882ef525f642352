"""The shipped examples: formulas, some of programs, each with its alphabet and a sentence."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from certify.common.shipped import examples_folder
from constructions.language.alphabets import parse_alphabet
from constructions.language.diagnosis import quote
from constructions.language.parser import parse_formula
from constructions.language.printer import format_formula
from constructions.language.syntax import Formula

if TYPE_CHECKING:
    from certify.requests.programs import OutputFormulas


@dataclass(frozen=True)
class Example:
    """A formula worth certifying."""

    name: str
    text: str
    alphabet: tuple[str, ...]
    about: str

    @property
    def formula(self) -> Formula:
        """The parsed formula."""
        return parse_formula(self.text, self.alphabet)


def load_examples() -> list[Example]:
    """Return all shipped examples, in the order of their files."""
    return [_read_example(name, entry) for path in sorted(examples_folder().glob("*.toml"))
            for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items()]


def _read_example(name: str, entry: Mapping[str, str]) -> Example:
    """Read a formula with its alphabet, or a program and perhaps its alphabet or a symbol."""
    if "program" in entry:
        from certify.requests.programs import read_program_formula

        path = str(examples_folder() / entry["program"])
        formula, alphabet = read_program_formula(path, entry.get("alphabet"), entry.get("symbol"))
        return Example(name, format_formula(formula), alphabet, entry["about"])
    return Example(name, " ".join(entry["formula"].split()), parse_alphabet(entry["alphabet"]), entry["about"])


def examples_of(output: OutputFormulas) -> list[Example]:
    """Return an example for each value of a program's output, named after the program and the value."""
    stem, name = Path(output.path).stem, output.program.output.name
    return [Example(f"{stem}_{value if re.fullmatch('[A-Za-z0-9]+', value) else f'symbol_{number}'}",
                    format_formula(formula), output.program.alphabet, f"{name} is {quote(value)}")
            for number, (value, formula) in enumerate(output.by_value().items(), start=1)]
