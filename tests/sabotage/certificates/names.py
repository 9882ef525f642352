"""Names for symbols, directions and keys that a careless checker could take for its own."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import proofs.check

CONFUSABLE = ("", " ", "a ", "a'b", '"', "\\", "\\'", "\n", "\t", "\x00", "\x7f", "\u202e", "\u200b", "\uff41", "\xe9",
              "e\u0301", "\u0430", "\ud800", "]", "[", "Q_a", "Q['a']", "Q", "1", "-1", "0", "1/2", "None", "null",
              "True", "__class__", "__dict__", "__init__", "self", "y' is exactly 1 where true holds, and 'x", "%s",
              "{}", "{0}", "a" * 101, "a" * 5000)
"""Quotes, white space, letters that look alike, numbers, names of Python, and texts that read like a claim."""
LONGEST_WORD = 20


def checker_sources() -> list[Path]:
    """Return the files of the trusted checker."""
    start = Path(str(proofs.check.__file__))
    return sorted(start.parent.rglob("*.py")) if start.name == "__init__.py" else sorted(start.parent.glob("check*.py"))


def literals(path: Path) -> Iterator[str]:
    """Every text in a source file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@cache
def hostile_names() -> tuple[str, ...]:
    """Return the confusable ones, and the checker's own that are words and not sentences, the shortest first."""
    own = {text for path in checker_sources() for text in literals(path) if len(text) <= LONGEST_WORD}
    return (*CONFUSABLE, *sorted(own - {*CONFUSABLE}, key=lambda text: (len(text), text)))
