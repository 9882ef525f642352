"""The grammars for editors colour a text as the lexers read it, token by token."""

import importlib.util
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lark import UnexpectedCharacters

from certify.claims.formula.examples import load_examples
from constructions.language.printer import format_formula

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "editors"


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_editors", ROOT / "docs" / "tools" / "write_editors.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = load_script()
LANGUAGES = list(SCRIPT.LANGUAGES)
Coloured = tuple[int, str, str]
"""Where a token begins in its line, its text, what it is."""


def colour(ending: str, line: str) -> Iterator[Coloured]:
    """Colour a line like an editor: the first match wins, at one position that of the first pattern."""
    grammar = json.loads((FOLDER / f"{ending}.tmLanguage.json").read_text(encoding="utf-8"))
    patterns = [(re.compile(each["match"]), each["name"].removesuffix(f".certify-{ending}"))
                for each in grammar["patterns"]]
    place = 0
    while place < len(line):
        found = [(match.start(), order, match, scope) for order, (pattern, scope) in enumerate(patterns)
                 if (match := pattern.search(line, place))]
        if not found:
            return
        start, _, match, scope = min(found, key=lambda one: one[:2])
        assert match.end() > start, "no pattern matches nothing"
        yield start, match[0], scope
        place = match.end()


def read(ending: str, line: str) -> list[Coloured]:
    """Return the tokens of the lexer for a line without comments."""
    tokens = SCRIPT.LANGUAGES[ending][1]().lex(line)
    return [(token.start_pos, str(token), SCRIPT.SCOPES[token.type]) for token in tokens
            if token.type != SCRIPT.NEWLINE]


def formulas() -> list[str]:
    spellings = (ROOT / "docs" / "reference" / "formulas.md").read_text(encoding="utf-8")
    cells = [cell.replace("\\|", "|") for row in re.findall(r"^\| (`.*)\|$", spellings, re.MULTILINE)
             for cell in re.findall("`([^`]+)`", row)]
    printed = [format_formula(each.formula, style) for each in load_examples() for style in ("ascii", "unicode")]
    return [*filter(is_read, [*cells, *printed])]


def is_read(text: str) -> bool:
    """Return whether the lexer of formulas accepts every character of the text."""
    try:
        read("ltl", text)
    except UnexpectedCharacters:
        return False
    return True


def lines_of(ending: str) -> list[str]:
    """Lines without comments, which the lexer reads."""
    if ending == "ltl":
        return [line for line in formulas() if len(line) < 2000]
    files = sorted((ROOT / "examples" / "programs").glob(f"*.{ending}"))
    comment = "//" if ending == "cr" else "#"
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if comment not in line or line.startswith("#import")]


def test_the_files_are_those_that_are_written_from_the_grammars() -> None:
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()} == SCRIPT.files()


@pytest.mark.parametrize("ending", LANGUAGES)
def test_shipped_texts_are_coloured_as_they_are_read(ending: str) -> None:
    lines = lines_of(ending)
    assert len(lines) > (15 if ending != "ltl" else 150)
    for line in lines:
        assert list(colour(ending, line)) == read(ending, line), line


def pieces_of(ending: str) -> list[str]:
    """Every token of the shipped texts once, and words that are nearly others."""
    return sorted({text for line in lines_of(ending) for _, text, _ in read(ending, line)} | {
        "sincer", "untilx", "S1", "Qx", "Q_a1", "notx", "iffy", "true1", "rightmost_j", "psum_j", "1a", "x1", "i",
        "X3"})


@pytest.mark.parametrize("ending", LANGUAGES)
def test_tokens_in_any_order_are_coloured_as_they_are_read(ending: str) -> None:
    """Whatever they mean together, and with or without blanks between them."""
    draw, pieces = random.Random(7), pieces_of(ending)
    compared = 0
    for _ in range(600):
        line = draw.choice(("", " ")).join(draw.choice(pieces) for _ in range(8))
        try:
            expected = read(ending, line)
        except UnexpectedCharacters:  # pieces that together are no token
            continue
        compared += 1
        assert list(colour(ending, line)) == expected, line
    assert compared > 200


@pytest.mark.parametrize(("ending", "line", "expected"), [
    ("ltl", "let p = Q_a; p # more", [(0, "let", "keyword.control"), (4, "p", "variable.other"),
                                      (6, "=", "keyword.operator"), (8, "Q_a", "entity.name.tag"),
                                      (11, ";", "keyword.operator"), (13, "p", "variable.other"),
                                      (15, "# more", "comment.line")]),
    ("ltl", "#<[Q_a] >= 2", [(0, "#<[", "support.function"), (3, "Q_a", "entity.name.tag"), (6, "]", "punctuation"),
                             (8, ">=", "keyword.operator"), (11, "2", "constant.numeric")]),
    ("ltl", "", []), ("ltl", "## all", [(0, "## all", "comment.line")]),
    ("rasp", "# since the last", [(0, "# since the last", "comment.line")]),
    ("cr", "x = #y // y so far", [(0, "x", "variable.other"), (2, "=", "keyword.operator"),
                                  (4, "#", "support.function"), (5, "y", "variable.other"),
                                  (7, "// y so far", "comment.line")]),
])
def test_comments_and_definitions_have_their_colours(ending: str, line: str, expected: list[Coloured]) -> None:
    assert list(colour(ending, line)) == expected


@pytest.mark.parametrize("ending", LANGUAGES)
def test_patterns_mean_the_same_to_the_engine_of_editors(ending: str) -> None:
    """Oniguruma reads ``[`` and ``&&`` within a class as more than characters, where Python does not."""
    for pattern, _ in SCRIPT.patterns_of(ending):
        for inside in re.findall(r"(?<!\\)\[\^?((?:\\.|[^\]\\])+)\]", pattern):
            assert "[" not in inside.replace("\\[", "") and "&&" not in inside, pattern


def test_the_extension_names_files_that_are_there() -> None:
    package: Any = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    contributed = package["contributes"]
    named = [each["configuration"] for each in contributed["languages"]] + [
        each["path"] for each in contributed["grammars"]]
    assert len(named) == 6 and all((FOLDER / name).is_file() for name in named)
    assert {name for each in contributed["languages"] for name in each["extensions"]} == {".ltl", ".rasp", ".cr"}
