"""From formulas to text, in ASCII, Unicode or LaTeX. The first two parse back to the same formula.

Abbreviations are used wherever they fit: ``true since a`` is printed ``O a``, ``(a | b) since b`` is printed ``a S b``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from constructions.errors import InputError
from constructions.language.syntax import (
    And,
    Comparison,
    Constant,
    Count,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Predicate,
    PredicateOnCount,
    PredicateOnSum,
    Previous,
    Since,
    Symbol,
    Term,
    Until,
    operands,
    postorder,
)
from constructions.text import printable

Style = Literal["ascii", "unicode", "latex"]
MAX_LENGTH = 5_000_000

# For each operator how tightly it binds, then how tightly each operand must bind to go without parentheses.
_LEVELS: dict[str, tuple[int, ...]] = {
    "iff": (0, 1, 1), "implies": (1, 2, 1), "or": (2, 2, 3), "and": (3, 3, 4),
    **dict.fromkeys(("since", "until", "S", "U"), (5, 6, 5)),
    **dict.fromkeys(("not", "prev", "next", "O", "H", "F", "G"), (6, 6)),
}  # fmt: skip
_COMPARISON_LEVEL = 4
_ATOM_LEVEL = 7


@dataclass(frozen=True)
class _Spelling:
    operators: dict[str, str]  # a name absent here is written as it is
    relations: dict[str, str]
    symbol: Callable[[str], str]
    name: Callable[[str], str]
    count: dict[str, str]
    times: str


def symbol_text(symbol: str) -> str:
    """The atom about the symbol.

    >>> symbol_text("a"), symbol_text("(")
    ('Q_a', "Q['(']")
    """
    return f"Q_{symbol}" if re.fullmatch(r"[A-Za-z0-9_]+", symbol) else f"Q[{quote_symbol(symbol)}]"


def quote_symbol(symbol: str) -> str:
    """The symbol between quotes."""
    return "'" + re.sub(r"(['\\])", r"\\\1", symbol) + "'"


_LATEX_CHARACTERS = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "{}#$%&_"},
}  # fmt: skip


def latex_text(text: str) -> str:
    """The text with escapes for what LaTeX would act on; what cannot be printed is written as in Python.

    >>> print(latex_text("50%\\n"))
    50\\%\\textbackslash{}n
    """
    return "".join(_LATEX_CHARACTERS.get(character, character) for character in printable(text))


def _latex_symbol(symbol: str) -> str:
    return rf"Q_{{\texttt{{{latex_text(symbol)}}}}}"


def _latex_name(name: str) -> str:
    return rf"\mathrm{{{latex_text(name)}}}"


def _latex_operator(name: str) -> str:
    return rf"\mathbin{{\mathbf{{{name}}}}}"


_SPELLINGS: dict[Style, _Spelling] = {
    "ascii": _Spelling(
        {"iff": "<->", "implies": "->", "or": "|", "and": "&", "not": "!"},
        {},
        symbol_text,
        str,
        {"left": "#<[{}]", "right": "#>[{}]"},
        "*",
    ),
    "unicode": _Spelling(
        {"iff": "↔", "implies": "→", "or": "∨", "and": "∧", "not": "¬", "prev": "⊖", "next": "⊕"},
        {"<=": "≤", ">=": "≥", "!=": "≠", "==": "="},
        symbol_text,
        str,
        {"left": "←#[{}]", "right": "→#[{}]"},
        "*",
    ),
    "latex": _Spelling(
        {"iff": r"\leftrightarrow", "implies": r"\rightarrow", "or": r"\lor", "and": r"\land", "not": r"\lnot",
         "prev": r"\ominus", "next": r"\oplus", "true": r"\top", "false": r"\bot",
         **{name: _latex_operator(name) for name in ("since", "until", "S", "U")},
         **{name: rf"\mathbf{{{name}}}\," for name in "OHFG"}},
        {"<=": r"\le", ">=": r"\ge", "!=": r"\ne", "==": "="},
        _latex_symbol,
        _latex_name,
        {"left": r"\overleftarrow{{\#}}[{}]", "right": r"\overrightarrow{{\#}}[{}]"},
        r"\,",
    ),
}  # fmt: skip


def format_formula(formula: Formula, style: Style = "ascii", parenthesize: bool = False) -> str:
    """The formula as text; with ``parenthesize`` every operand that is not an atom gets parentheses.

    >>> from constructions.language.parser import parse_formula
    >>> formula = parse_formula("Q_a & !Q_b since prev Q_c")
    >>> print(format_formula(formula), "  ", format_formula(formula, "unicode", parenthesize=True))
    Q_a & !Q_b since prev Q_c    Q_a ∧ ((¬Q_b) since (⊖Q_c))

    Raises:
        InputError: if the text would have more than 5,000,000 characters. A formula can be that long
            because it shares its parts; one that was parsed never is.
    """
    writer = _Writer(_SPELLINGS[style], parenthesize)
    for part in postorder(formula, _written_parts):
        writer.write(part)
    return writer.texts[formula]


def format_count(count: Count, style: Style = "ascii") -> str:
    """The count as text.

    >>> format_count(Count("right", Symbol("a")))
    '#>[Q_a]'
    """
    return _SPELLINGS[style].count[count.side].format(format_formula(count.operand, style))


def format_term(term: Term, style: Style = "ascii") -> str:
    """The sum as text.

    >>> a, b = Count("left", Symbol("a")), Count("left", Symbol("b"))
    >>> format_term(Term(((2, a), (-1, b)), 3))
    '2*#<[Q_a] - #<[Q_b] + 3'
    """
    writer = _Writer(_SPELLINGS[style], parenthesize=False)
    for part in postorder(Comparison("==", term, Term((), 0)), _written_parts):
        writer.write(part)
    return writer.term(term)


def _view(formula: Formula) -> tuple[str, tuple[Formula, ...]]:
    """The operator to print and its operands; the empty name for atoms and comparisons."""
    match formula:
        case Not(Since(Constant(True), Not(operand))):
            return "H", (operand,)
        case Not(Until(Constant(True), Not(operand))):
            return "G", (operand,)
        case Since(Constant(True), operand):
            return "O", (operand,)
        case Until(Constant(True), operand):
            return "F", (operand,)
        case Since(Or(left, same), right) if same is right:
            return "S", (left, right)
        case Until(Or(left, same), right) if same is right:
            return "U", (left, right)
    return _NAMES.get(type(formula), ""), operands(formula)


_NAMES: dict[type[Formula], str] = {
    Not: "not", Previous: "prev", Next: "next", And: "and", Or: "or", Implies: "implies", Iff: "iff",
    Since: "since", Until: "until",
}  # fmt: skip


def _written_parts(formula: Formula) -> tuple[Formula, ...]:
    return _view(formula)[1]


class _Writer:
    """The text of every formula written so far, and how tightly it binds."""

    def __init__(self, spelling: _Spelling, parenthesize: bool) -> None:
        self._spelling = spelling
        self._parenthesize = parenthesize
        self.texts: dict[Formula, str] = {}
        self._levels: dict[Formula, int] = {}

    def write(self, formula: Formula) -> None:
        text, self._levels[formula] = self._text_and_level(formula)
        if len(text) > MAX_LENGTH:
            raise InputError(f"formula: its text has more than {MAX_LENGTH} characters")
        self.texts[formula] = text

    def _text_and_level(self, formula: Formula) -> tuple[str, int]:
        name, parts = _view(formula)
        if not name:
            return self._atom(formula), _COMPARISON_LEVEL if isinstance(formula, Comparison) else _ATOM_LEVEL
        level, *wanted = _LEVELS[name]
        pieces = [self._operand(part, at_least) for part, at_least in zip(parts, wanted, strict=True)]
        sign = self._spelling.operators.get(name, name)
        if len(pieces) == 2:
            return f"{pieces[0]} {sign} {pieces[1]}", level
        return f"{sign} {pieces[0]}" if sign[-1].isalpha() else sign + pieces[0], level

    def _operand(self, formula: Formula, at_least: int) -> str:
        wanted = _ATOM_LEVEL if self._parenthesize else at_least
        text = self.texts[formula]
        return text if self._levels[formula] >= wanted else f"({text})"

    def _atom(self, formula: Formula) -> str:
        spelling = self._spelling
        match formula:
            case Constant(value):
                name = "true" if value else "false"
                return spelling.operators.get(name, name)
            case Symbol(symbol):
                return spelling.symbol(symbol)
            case Predicate(name, parameters):
                return self._predicate(name, parameters)
            case PredicateOnCount(name, parameters, count):
                return f"{self._predicate(name, parameters)}({self._count(count)})"
            case PredicateOnSum(name, parameters, term):
                return f"{self._predicate(name, parameters)}({self.term(term)})"
            case Comparison(relation, left, right):
                return f"{self.term(left)} {spelling.relations.get(relation, relation)} {self.term(right)}"
        raise TypeError(f"not a formula: {type(formula).__name__}")

    def _predicate(self, name: str, parameters: tuple[int, ...]) -> str:
        arguments = f"({','.join(map(str, parameters))})" if parameters else ""
        return self._spelling.name(name) + arguments

    def _count(self, count: Count) -> str:
        return self._spelling.count[count.side].format(self.texts[count.operand])

    def term(self, term: Term) -> str:
        """The text of a sum whose counts' operands are written already."""
        summands = [(number, self._multiple(abs(number), count)) for number, count in term.coefficients]
        if term.constant or not summands:
            summands.append((term.constant, str(abs(term.constant))))
        first, *rest = summands
        head = ("-" if first[0] < 0 else "") + first[1]
        return head + "".join(f" {'-' if number < 0 else '+'} {text}" for number, text in rest)

    def _multiple(self, number: int, count: Count) -> str:
        text = self._count(count)
        return text if number == 1 else f"{number}{self._spelling.times}{text}"
