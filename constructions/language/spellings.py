"""Operators of other tools, each as a formula of the core language, and the dialects.

Claim       Every function returns a formula with the textbook meaning of its operator on finite words, at every
            position; docs/reference/formulas.md has the table. Operands are shared, not copied.
Edges       A *strong* operator requires the position that it refers to; a *weak* one holds if there is none.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from constructions.errors import InputError
from constructions.language import syntax
from constructions.language.diagnosis import quote

Unary = Callable[[syntax.Formula], syntax.Formula]
Binary = Callable[[syntax.Formula, syntax.Formula], syntax.Formula]


class Dialect(StrEnum):
    """The tool whose reading is used where tools differ."""

    SHA = "sha"
    SPOT = "spot"
    BLACK = "black"
    LYDIA = "lydia"

    @property
    def next_is_weak(self) -> bool:
        """True if ``X`` holds at the last position, where ``X[!]`` does not."""
        return self in (Dialect.SPOT, Dialect.LYDIA)

    @property
    def words_are_usual(self) -> bool:
        """True if the words ``since`` and ``until`` mean ``S`` and ``U``: left need not hold at the witness."""
        return self is not Dialect.SHA


def read_dialect(name: str, where: str) -> Dialect:
    """Return the dialect of this name.

    >>> read_dialect("black", "--dialect").next_is_weak
    False

    Raises:
        InputError: if there is none; the message names the option.
    """
    if name not in list(Dialect):
        raise InputError(f"{where}: found {quote(name)}, expected {', '.join(list(Dialect)[:-1])} or {[*Dialect][-1]}")
    return Dialect(name)


# -- weak and dual operators -------------------------------------------------------------------------------------------


def weak_next(operand: syntax.Formula) -> syntax.Formula:
    """Return the formula: the operand holds at the next position, or there is none."""
    return syntax.Not(syntax.Next(syntax.Not(operand)))


def weak_previous(operand: syntax.Formula) -> syntax.Formula:
    """Return the formula: the operand holds at the previous position, or there is none."""
    return syntax.Not(syntax.Previous(syntax.Not(operand)))


def exclusive_or(left: syntax.Formula, right: syntax.Formula) -> syntax.Formula:
    """Return the formula: exactly one operand holds."""
    return syntax.Not(syntax.Iff(left, right))


def weak_until(left: syntax.Formula, right: syntax.Formula) -> syntax.Formula:
    """Return ``left U right``, or left at every position from here: no position fails both before right has held."""
    return syntax.Not(syntax.Until(syntax.Not(right), syntax.Not(syntax.Or(left, right))))


def weak_since(left: syntax.Formula, right: syntax.Formula) -> syntax.Formula:
    """Return ``left S right``, or left at every position up to here: ``weak_until`` mirrored."""
    return syntax.Not(syntax.Since(syntax.Not(right), syntax.Not(syntax.Or(left, right))))


def release(left: syntax.Formula, right: syntax.Formula) -> syntax.Formula:
    """Return the dual of ``U``: right holds from here to the first position with left, inclusive, or to the end."""
    return syntax.Not(syntax.usual_until(syntax.Not(left), syntax.Not(right)))


def trigger(left: syntax.Formula, right: syntax.Formula) -> syntax.Formula:
    """Return the dual of ``S``: right has held since the latest position with left, inclusive, or always."""
    return syntax.Not(syntax.usual_since(syntax.Not(left), syntax.Not(right)))


def strong_release(left: syntax.Formula, right: syntax.Formula) -> syntax.Formula:
    """Return ``left R right`` with left at some position from here: right up to it and at it."""
    return syntax.Until(right, left)


OF_DIALECTS: Mapping[str, Callable[[Dialect], Unary | Binary]] = {
    "LETTER_NEXT": lambda dialect: weak_next if dialect.next_is_weak else syntax.Next,
    "SINCE": lambda dialect: syntax.usual_since if dialect.words_are_usual else syntax.Since,
    "UNTIL": lambda dialect: syntax.usual_until if dialect.words_are_usual else syntax.Until,
}
"""The terminals that dialects read differently."""
UNARY: Mapping[str, Unary] = {
    "NOT": syntax.Not, "PREVIOUS": syntax.Previous, "STRONG_PREVIOUS": syntax.Previous, "WEAK_PREVIOUS": weak_previous,
    "NEXT": syntax.Next, "STRONG_NEXT": syntax.Next, "WEAK_NEXT": weak_next,
    "ONCE": syntax.once, "HISTORICALLY": syntax.historically, "EVENTUALLY": syntax.eventually, "ALWAYS": syntax.always,
}  # fmt: skip
BINARY: Mapping[str, Binary] = {
    "AND": syntax.And, "OR": syntax.Or, "IMPLIES": syntax.Implies, "IFF": syntax.Iff, "XOR": exclusive_or,
    "USUAL_SINCE": syntax.usual_since, "USUAL_UNTIL": syntax.usual_until,
    "WEAK_SINCE": weak_since, "WEAK_UNTIL": weak_until,
    "RELEASE": release, "STRONG_RELEASE": strong_release, "TRIGGER": trigger,
}  # fmt: skip
NAMES: Mapping[str, syntax.Formula] = {
    "last": syntax.Not(syntax.Next(syntax.TRUE)), "first": syntax.Not(syntax.Previous(syntax.TRUE)),
    "start": syntax.Not(syntax.Previous(syntax.TRUE))}
"""Names of formulas, unless a predicate or a symbol has the name."""


def unary_operator(terminal: str, dialect: Dialect) -> Unary:
    """Return the constructor of a unary operator."""
    return OF_DIALECTS[terminal](dialect) if terminal in OF_DIALECTS else UNARY[terminal]  # type: ignore[return-value]


def binary_operator(terminal: str, dialect: Dialect) -> Binary:
    """Return the constructor of a binary operator."""
    return OF_DIALECTS[terminal](dialect) if terminal in OF_DIALECTS else BINARY[terminal]  # type: ignore[return-value]


# -- bounded operators -------------------------------------------------------------------------------------------------

_BOUNDS = re.compile(r"(?P<first>[0-9]*)(?P<between>[,:]|\.\.)?(?P<last>[0-9]*|\$)(?P<strong>!?)")
_FEW_DIGITS = 6


@dataclass(frozen=True)
class Bounded:
    """The bounds of ``F[2,4]``: least and greatest distance from here; ``last`` None is unbounded.

    ``strong`` is the ``!`` before the bracket: every position referred to must exist.
    """

    operator: str
    first: int
    last: int | None
    strong: bool

    @property
    def looks_back(self) -> bool:
        """True if it refers to positions to the left."""
        return self.operator in "YOHS"


def read_bounded(text: str) -> Bounded:
    """Parse an operator and its bounds.

    >>> read_bounded("F[2,4]"), read_bounded("X^3").first, read_bounded("G[1:$]").last
    (Bounded(operator='F', first=2, last=4, strong=False), 3, None)

    Raises:
        InputError: with the problem; the caller adds the place.
    """
    operator, written = text[0], re.sub(r"\s", "", text[1:])
    parts = _BOUNDS.fullmatch(written[1:] if written.startswith("^") else written[1:-1])
    repeats = operator in "XY"
    expected = "X[3] or X^3" if repeats else f"{operator}[2,4] or {operator}[2,]"
    if parts is None or repeats == bool(parts["between"]) or (not repeats and written.startswith("^")):
        raise InputError(f"found {quote(text)}, expected bounds such as {expected}")
    if max(len(parts["first"]), len(parts["last"])) > _FEW_DIGITS:
        raise InputError(f"found {quote(text)}, expected bounds of at most {_FEW_DIGITS} digits")
    first = int(parts["first"] or 0)
    last = first if repeats else int(parts["last"]) if parts["last"].isdecimal() else None
    if last is not None and last < first:
        raise InputError(f"found {quote(text)}, expected the smaller bound first")
    return Bounded(operator, first, last, bool(parts["strong"]))


def bounded_unary(bounded: Bounded, dialect: Dialect, check: Unary) -> Unary:
    """Return the constructor of ``X[k]``, ``Y[k]``, ``F[a,b]``, ``G[a,b]``, ``O[a,b]``, ``H[a,b]``.

    ``F[a,b]`` and ``O[a,b]`` are about some existing position, ``G[a,b]`` and ``H[a,b]`` about all existing ones. In a
    dialect with a weak ``X``, ``F[a,b]`` and ``X[k]`` are built with it, and hold where the word ends before. ``check``
    is called on every intermediate formula, which it returns or refuses.
    """
    strong, weak = (syntax.Previous, weak_previous) if bounded.looks_back else (syntax.Next, weak_next)
    is_dual = bounded.operator in "GH"
    usual = weak if bounded.operator in "XF" and dialect.next_is_weak else strong
    step = (weak if is_dual else strong) if bounded.strong else usual
    unbounded = syntax.once if bounded.looks_back else syntax.eventually

    def exists(operand: syntax.Formula) -> syntax.Formula:
        reached = operand if bounded.last is not None else unbounded(operand)
        for _ in range((bounded.last or 0) - bounded.first):
            reached = check(syntax.Or(operand, step(reached)))
        return repeat(step, bounded.first, reached, check)

    return (lambda operand: syntax.Not(exists(syntax.Not(operand)))) if is_dual else exists


def bounded_binary(bounded: Bounded, check: Unary) -> Binary:
    """Return the constructor of ``U[a,b]`` and ``S[a,b]``: right at such a distance, left before it from here on."""
    step, unbounded = (syntax.Previous, syntax.usual_since) if bounded.looks_back else (syntax.Next, syntax.usual_until)

    def build(left: syntax.Formula, right: syntax.Formula) -> syntax.Formula:
        reached = right if bounded.last is not None else unbounded(left, right)
        for _ in range((bounded.last or 0) - bounded.first):
            reached = check(syntax.Or(right, syntax.And(left, step(reached))))
        return repeat(lambda later: syntax.And(left, step(later)), bounded.first, reached, check)

    return build


def repeat(step: Unary, times: int, operand: syntax.Formula, check: Unary) -> syntax.Formula:
    """Apply the step this number of times."""
    for _ in range(times):
        operand = check(step(operand))
    return operand
