"""Errors of input from outside, and of formulas that no construction handles."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Self

_EXCERPT_WIDTH = 72


def suggest(name: str, known: Iterable[str]) -> str:
    """Return a hint with the known name nearest to ``name``, as the end of a message.

    >>> suggest("formulae", ("formula", "floats")), suggest("xyz", ("formula",))
    ('; did you mean formula?', '')
    """
    near = get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""


def install(extra: str) -> str:
    """Return the command that installs an extra; certify itself is not on an index.

    >>> install("mcp")
    "pip install '.[mcp]' in a checkout of certify"
    """
    return f"pip install '.[{extra}]' in a checkout of certify"


class WithoutAnswer(BaseException):
    """The end of a question without an answer: its verdict, and the text ``before`` its message."""

    verdict = "unknown"
    before = ""


class InputError(WithoutAnswer, ValueError):
    """Bad input from outside. ``str()`` is one line: where, what was found, and what was expected."""

    verdict = "malformed"


class Unreadable(InputError):
    """A file that is missing or cannot be read."""

    verdict = "unreadable"


class TextError(InputError):
    """An error at a place of a text; line and column count from 1.

    ``where`` is the name of the file that contains the text, or empty.
    """

    subject = ""

    def __init__(self, message: str, line: int, column: int, text: str, where: str = "") -> None:
        super().__init__(f"{f'{where}, ' if where else self.subject}line {line}, column {column}: {message}")
        self.message = message
        self.line = line
        self.column = column
        self.text = text

    def of_file(self, where: str) -> Self:
        """Return the same error, located in a file."""
        return type(self)(self.message, self.line, self.column, self.text, where)

    def caret(self) -> str:
        """Return two lines: the source line (a window of it, if long) and a ``^`` under the column."""
        line = self.text.split("\n")[self.line - 1]
        first = max(0, self.column - 1 - _EXCERPT_WIDTH // 2)
        excerpt = line[first : first + _EXCERPT_WIDTH]
        shown = "".join(c if c.isprintable() else " " for c in excerpt)
        return f"{shown}\n{' ' * (self.column - 1 - first)}^"


class FormulaError(TextError):
    """A formula that does not parse.

    >>> error = FormulaError("found ')', expected a formula", 1, 7, "Q_a & )")
    >>> print(error)
    line 1, column 7: found ')', expected a formula
    >>> print(error.caret())
    Q_a & )
          ^
    """


class ProgramError(TextError):
    """A program that does not parse, or whose names or types do not fit."""

    subject = "program, "


class Unsupported(WithoutAnswer, Exception):
    """A construct that is not supported; the message names it. It does not imply anything about the claim."""

    verdict = "unsupported"
    before = "unsupported: "


class NoFormula(Unsupported):
    """A part of a program without a formula; ``place`` is the offset of its text."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


class Missing(WithoutAnswer, Exception):
    """A program that is not installed; the message gives the command that installs it."""

    before = "unknown: "


class WorkLost(WithoutAnswer, Exception):
    """Work that was lost because workers died repeatedly. It does not imply anything about the result."""

    before = "no verdict: "


class InternalError(WithoutAnswer, Exception):
    """A contradiction inside this program: a bug, never a verdict."""

    before = "internal error, no verdict: "
