"""What is softened: a model file, a certificate, a program; the shipped examples."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from certify.examples import examples_folder
from certify.files import read_text
from certify.options import read_model
from constructions.errors import InputError
from constructions.language.expressions import Expression, parse_expression
from constructions.language.parser import parse_alphabet
from constructions.network.transformer import Transformer
from constructions.rasp.parser import parse_program
from constructions.rasp_to_transformer import compile_program


@dataclass(frozen=True)
class Example:
    """Hard attention worth softening, on words up to ``max_n``; without a temperature, at that of Theorem 26."""

    name: str
    path: Path
    max_n: int
    about: str
    temperature: Expression | None = None

    def build(self) -> Transformer:
        """The transformer with hard attention."""
        return read_subject(str(self.path))


def load_examples() -> list[Example]:
    """All shipped examples, in the order of their file."""
    folder = examples_folder() / "hard"
    entries = tomllib.loads((folder / "examples.toml").read_text(encoding="utf-8"))
    return [Example(name, (folder / entry["subject"]).resolve(), entry["max_n"], entry["about"],
                    parse_expression(entry["temperature"]) if "temperature" in entry else None)
            for name, entry in entries.items()]


def read_subject(path: str, alphabet: str | None = None) -> Transformer:
    """The transformer in a file, or that of a program, whose alphabet may be given.

    Raises:
        InputError: if the file is none of these, or says its alphabet itself.
        Unsupported: if the program has no transformer.
    """
    if path.endswith(".rasp"):
        return compile_program(parse_program(read_text(path), parse_alphabet(alphabet) if alphabet else None))
    if alphabet is not None:
        raise InputError(f"--alphabet: {path} says this itself, expected a program (.rasp) beside it")
    return read_model(path)
