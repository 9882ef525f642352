"""Docstrings begin with a verb or a noun, and keep to the words that CONTRIBUTING names."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("certify", "constructions", "proofs", "benchmarks", "examples", "docs", "tests")
FIRST = re.compile(r"(What|How far|That of|Of)\b")
WORDS = re.compile(r"\b(likewise|but for|(?<!there )is no (?!more|less|longer|larger|greater|smaller|farther))\b")


def docstrings(path: Path) -> list[str]:
    """Return the docstrings of a file: of the module, its classes and functions."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [text for node in nodes if isinstance(node, kinds) and (text := ast.get_docstring(node))]


@pytest.mark.parametrize("folder", FOLDERS)
def test_docstrings_keep_to_the_words_of_the_house(folder: str) -> None:
    found = [(str(path.relative_to(ROOT)), text.splitlines()[0]) for path in sorted((ROOT / folder).rglob("*.py"))
             for text in docstrings(path) if FIRST.match(text) or WORDS.search(" ".join(text.lower().split()))]
    assert found == []
