"""The shipped examples of hard attention: what `certify soften` without a subject softens."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from certify.asking.request import read_request
from certify.asking.subjects import Kind, Programs
from certify.frame.shipped import examples_folder
from constructions.language.expressions import Expression, parse_expression
from constructions.network.transformer import Transformer


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
        return read_request(str(self.path), taken=(Kind.PROGRAM, Kind.NETWORK), programs=Programs.RUN).network


def load_examples() -> list[Example]:
    """All shipped examples, in the order of their file."""
    folder = examples_folder() / "hard"
    entries = tomllib.loads((folder / "examples.toml").read_text(encoding="utf-8"))
    return [Example(name, (folder / entry["subject"]).resolve(), entry["max_n"], entry["about"],
                    parse_expression(entry["temperature"]) if "temperature" in entry else None)
            for name, entry in entries.items()]
