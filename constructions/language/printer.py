"""Printer of formulas in ASCII, Unicode or LaTeX. The first two parse back to the same formula.

Abbreviations are used wherever possible: ``true since a`` is printed ``O a``, ``(a | b) since b`` is printed ``a S b``.
In a long text, parts that occur more than once are first defined once (``let``).
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

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
    fold,
    operands,
    postorder,
    subformulas,
    write_with,
)
from constructions.text import printable

Style = Literal["ascii", "unicode", "latex"]
MAX_PLAIN = 2_000
"""Longest text, in characters, without definitions."""
MAX_BRIEF = 200
"""Characters shown of a formula that is only mentioned."""
_ENORMOUS = 10**9

# Level of each operator, and the least level of each operand without parentheses.
_LEVELS: dict[str, tuple[int, ...]] = {
    "iff": (0, 1, 1), "implies": (1, 2, 1), "or": (2, 2, 3), "and": (3, 3, 4),
    **dict.fromkeys(("since", "until", "S", "U"), (5, 6, 6)),
    **dict.fromkeys(("not", "prev", "next", "O", "H", "F", "G"), (6, 6)),
}  # fmt: skip
_COMPARISON_LEVEL = 4
_ATOM_LEVEL = 7


@dataclass(frozen=True)
class _Spelling:
    operators: dict[str, str]  # absent names are written unchanged
    relations: dict[str, str]
    symbol: Callable[[str], str]
    name: Callable[[str], str]
    count: dict[str, str]
    times: str


def symbol_text(symbol: str) -> str:
    """Return the atom about the symbol.

    >>> symbol_text("a"), symbol_text("(")
    ('Q_a', "Q['(']")
    """
    return f"Q_{symbol}" if re.fullmatch(r"[A-Za-z0-9_]+", symbol) else f"Q[{quote_symbol(symbol)}]"


def quote_symbol(symbol: str) -> str:
    """Return the symbol between quotes."""
    return "'" + re.sub(r"(['\\])", r"\\\1", symbol) + "'"


_LATEX_CHARACTERS = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "{}#$%&_"},
}  # fmt: skip


def latex_text(text: str) -> str:
    r"""Escape the text for LaTeX; unprintable characters are written as in Python.

    >>> print(latex_text("50%\n"))
    50\%\textbackslash{}n
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
    """Return the formula as text; with ``parenthesize`` every operand that is not an atom gets parentheses.

    If that takes more than 2,000 characters, parts that occur more than once are first defined, with ``let``.

    >>> from constructions.language.parser import parse_formula
    >>> formula = parse_formula("Q_a & !Q_b since prev Q_c")
    >>> print(format_formula(formula), "  ", format_formula(formula, "unicode", parenthesize=True))
    Q_a & !Q_b since prev Q_c    Q_a ∧ ((¬Q_b) since (⊖Q_c))
    """
    if written_length(formula) <= MAX_PLAIN:
        return FormulaWriter({}, style, parenthesize).formula(formula)
    return _format_with_definitions(formula, style, parenthesize)


def format_briefly(formula: Formula, length: int = MAX_BRIEF, style: Style = "ascii") -> str:
    """Return the formula as a short mention: the beginning of a long text.

    >>> from constructions.language.parser import parse_formula
    >>> format_briefly(parse_formula("Q_a since prev Q_b"), 12)
    'Q_a since pr...'
    """
    text = FormulaWriter({}, style).beginning(formula, length + 1)
    return text if len(text) <= length else text[:length] + "..."


def describe_formula(formula: Formula, style: Style = "ascii", parenthesize: bool = False) -> str:
    """Return the formula as the subject of a request: as ``format_formula``, or the beginning if it is still long.

    >>> from constructions.language.parser import parse_formula
    >>> describe_formula(parse_formula(" & ".join(f"next (prev Q_{k} since Q_b)" for k in range(100))))[-28:]
    ' (500 subformulas, 103 deep)'
    """
    text = format_formula(formula, style, parenthesize)
    if len(text) <= MAX_PLAIN:
        return text
    return f"{text[:MAX_BRIEF]}... ({len(subformulas(formula))} subformulas, {formula.depth} deep)"


def format_count(count: Count, style: Style = "ascii") -> str:
    """Return the count as text, or the beginning of a long one.

    >>> format_count(Count("right", Symbol("a")))
    '#>[Q_a]'
    """
    return _SPELLINGS[style].count[count.side].format(format_briefly(count.operand, MAX_PLAIN, style))


def format_term(term: Term, style: Style = "ascii") -> str:
    """Return the sum as text, with the beginnings of long counts.

    >>> a, b = Count("left", Symbol("a")), Count("left", Symbol("b"))
    >>> format_term(Term(((2, a), (-1, b)), 3))
    '2*#<[Q_a] - #<[Q_b] + 3'
    """
    names = {count.operand: format_briefly(count.operand, MAX_PLAIN, style) for _, count in term.coefficients}
    return FormulaWriter(names, style).term(term)


def _format_with_definitions(formula: Formula, style: Style, parenthesize: bool) -> str:
    """Return ``let p1 = ...; p2 = ...; ...``: each non-atomic part that is written more than once gets a name."""
    parts = postorder(formula, _written_parts)
    uses = Counter(operand for part in parts for operand in _written_parts(part))
    shared = [part for part in parts if uses[part] > 1 and _written_parts(part)]
    if not shared:
        return FormulaWriter({}, style, parenthesize).formula(formula)
    letter = _unused_letter(parts)
    let, number, end = (r"\mathbf{let}\ ", "_{{{}}}", r";\ ") if style == "latex" else ("let ", "{}", "; ")
    names = {part: letter + number.format(k) for k, part in enumerate(shared, 1)}
    writer = FormulaWriter(names, style, parenthesize)
    definitions = [f"{name} = {writer.definition(part)}{end}" for part, name in names.items()]
    return let + "".join(definitions) + writer.formula(formula)


def _unused_letter(parts: Iterable[Formula]) -> str:
    """Return a prefix of names that no predicate of the formula has."""
    taken = {part.name for part in parts if isinstance(part, Predicate | PredicateOnCount | PredicateOnSum)}
    return next(letter for letter in ("p" * length for length in itertools.count(1))
                if not any(re.fullmatch(letter + "[0-9]+", name) for name in taken))


def _view(formula: Formula) -> tuple[str, tuple[Formula, ...]]:
    """Return the operator to print and its operands; the empty name for atoms and comparisons."""
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
    return _plain_view(formula)


def _plain_view(formula: Formula) -> tuple[str, tuple[Formula, ...]]:
    """Return the operator and its operands without abbreviations."""
    return _NAMES.get(type(formula), ""), operands(formula)


_NAMES: dict[type[Formula], str] = {
    Not: "not", Previous: "prev", Next: "next", And: "and", Or: "or", Implies: "implies", Iff: "iff",
    Since: "since", Until: "until",
}  # fmt: skip


def _written_parts(formula: Formula) -> tuple[Formula, ...]:
    return _view(formula)[1]


@dataclass(frozen=True)
class _Operand:
    """A placeholder for an operand, and the least level that it needs to go without parentheses."""

    formula: Formula
    at_least: int


_Piece = str | _Operand


class FormulaWriter:
    """Writer of formulas, counts and terms, where some formulas have ``names``. Not recursive.

    With ``abbreviate`` unset, operators are written as they are in the graph: ``true since a``, not ``O a``.
    """

    def __init__(self, names: Mapping[Formula, str], style: Style = "ascii", parenthesize: bool = False,
                 abbreviate: bool = True) -> None:
        """Set the options; a name is written in place of its formula, as an atom."""
        self.names = names
        self._spelling = _SPELLINGS[style]
        self._parenthesize = parenthesize
        self._view = _view if abbreviate else _plain_view

    def formula(self, formula: Formula) -> str:
        """Return the text of the formula, or its name if it has one."""
        return self._join([_Operand(formula, 0)])

    def definition(self, formula: Formula) -> str:
        """Return the text of the formula, without its own name."""
        return self._join(self._pieces(formula))

    def beginning(self, formula: Formula, length: int) -> str:
        """Return the beginning of the text: at least ``length`` characters, or all."""
        return self._join([_Operand(formula, 0)], length)

    def count(self, count: Count) -> str:
        """Return the text of the count."""
        return self._join(self._count(count))

    def term(self, term: Term) -> str:
        """Return the text of the sum."""
        return self._join(self._term(term))

    def _join(self, pieces: Sequence[_Piece], enough: int | None = None) -> str:
        written, length, pending = list[str](), 0, list(reversed(pieces))
        while pending and (enough is None or length < enough):
            piece = pending.pop()
            if isinstance(piece, str):
                written.append(piece)
                length += len(piece)
            else:
                pending += reversed(self._written_operand(piece))
        return "".join(written)

    def _written_operand(self, operand: _Operand) -> list[_Piece]:
        formula = operand.formula
        if formula in self.names:
            return [self.names[formula]]
        pieces = self._pieces(formula)
        wanted = _ATOM_LEVEL if self._parenthesize and operand.at_least else operand.at_least
        return pieces if self._level(formula) >= wanted else ["(", *pieces, ")"]

    def _level(self, formula: Formula) -> int:
        name, _ = self._view(formula)
        return _LEVELS[name][0] if name else _COMPARISON_LEVEL if isinstance(formula, Comparison) else _ATOM_LEVEL

    def _pieces(self, formula: Formula) -> list[_Piece]:
        """Return the text of a formula with placeholders for its operands."""
        name, parts = self._view(formula)
        if not name:
            return self._atom(formula)
        _, *wanted = _LEVELS[name]
        operands = [_Operand(part, at_least) for part, at_least in zip(parts, wanted, strict=True)]
        sign = self._spelling.operators.get(name, name)
        if len(operands) == 2:
            return [operands[0], f" {sign} ", operands[1]]
        return [f"{sign} " if sign[-1].isalpha() else sign, operands[0]]

    def _atom(self, formula: Formula) -> list[_Piece]:
        spelling = self._spelling
        match formula:
            case Constant(value):
                name = "true" if value else "false"
                return [spelling.operators.get(name, name)]
            case Symbol(symbol):
                return [spelling.symbol(symbol)]
            case Predicate(name, parameters):
                return [self._predicate(name, parameters)]
            case PredicateOnCount(name, parameters, count):
                return [f"{self._predicate(name, parameters)}(", *self._count(count), ")"]
            case PredicateOnSum(name, parameters, term):
                return [f"{self._predicate(name, parameters)}(", *self._term(term), ")"]
            case Comparison(relation, left, right):
                return [*self._term(left), f" {spelling.relations.get(relation, relation)} ", *self._term(right)]
        raise TypeError(f"not a formula: {type(formula).__name__}")

    def _predicate(self, name: str, parameters: tuple[int, ...]) -> str:
        arguments = f"({','.join(map(str, parameters))})" if parameters else ""
        return self._spelling.name(name) + arguments

    def _count(self, count: Count) -> list[_Piece]:
        before, after = self._spelling.count[count.side].format("\0").split("\0")
        return [before, _Operand(count.operand, 0), after]

    def _term(self, term: Term) -> list[_Piece]:
        summands = [(number, self._multiple(abs(number), count)) for number, count in term.coefficients]
        if term.constant or not summands:
            summands.append((term.constant, [str(abs(term.constant))]))
        pieces: list[_Piece] = ["-"] if summands[0][0] < 0 else []
        for place, (number, text) in enumerate(summands):
            pieces += [" - " if number < 0 else " + "] * (place > 0) + text
        return pieces

    def _multiple(self, number: int, count: Count) -> list[_Piece]:
        return ([] if number == 1 else [f"{number}{self._spelling.times}"]) + self._count(count)

    def length_from(self, formula: Formula, lengths: Mapping[Formula, int]) -> int:
        """Return the length of the text of a formula, from the lengths of its operands."""
        return sum(len(piece) if isinstance(piece, str) else
                   lengths[piece.formula] + 2 * (self._level(piece.formula) < piece.at_least)
                   for piece in self._pieces(formula))


_LENGTHS: WeakKeyDictionary[Formula, int] = WeakKeyDictionary()
_PLAIN = FormulaWriter({})


def written_length(formula: Formula) -> int:
    """Return the number of characters of the formula without definitions, at most 1,000,000,000.

    >>> written_length(Symbol("a"))
    3
    """
    return fold(formula, _LENGTHS, lambda part: min(_PLAIN.length_from(part, _LENGTHS), _ENORMOUS), _written_parts)


def represent(formula: Formula) -> str:
    """Return an expression that evaluates to the formula, or its beginning if long, for Python's ``repr``."""
    if written_length(formula) > MAX_PLAIN:
        return f"<formula, {formula.depth} deep: {format_briefly(formula)}>"
    return f"parse_formula({str(formula)!r})"


write_with(format_formula, represent)
