"""The shipped examples: real formulas, each with its alphabet and a sentence."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from constructions.language.parser import parse_alphabet, parse_formula
from constructions.language.syntax import Formula


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


def examples_folder() -> Path:
    """The folder of examples: inside the installed package, or at the top of the checkout."""
    inside = Path(__file__).parent / "examples"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "examples"


def load_examples() -> list[Example]:
    """All shipped examples, in the order of their files."""
    return [
        Example(name, " ".join(entry["formula"].split()), parse_alphabet(entry["alphabet"]), entry["about"])
        for path in sorted(examples_folder().glob("*.toml"))
        for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items()
    ]
