"""What the operators of other tools abbreviate: each as a formula of the core language, and the dialects.

Claim       Every function here returns a formula with the textbook meaning of its operator on finite words, at every
            position; docs/formulas.md has the table. Operands are shared, not copied.
Edges       A *strong* operator asks for the position that it speaks of; a *weak* one holds where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from constructions.errors import InputError
from constructions.language.diagnosis import quote
from constructions.language.syntax import (
    TRUE,
    And,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Previous,
    Since,
    Until,
    always,
    eventually,
    historically,
    once,
    usual_since,
    usual_until,
)

Unary = Callable[[Formula], Formula]
Binary = Callable[[Formula, Formula], Formula]


class Dialect(StrEnum):
    """Whose reading is meant where tools differ."""

    SHA = "sha"
    SPOT = "spot"
    BLACK = "black"
    LYDIA = "lydia"

    @property
    def next_is_weak(self) -> bool:
        """Whether ``X`` holds at the last position, where ``X[!]`` does not."""
        return self in (Dialect.SPOT, Dialect.LYDIA)

    @property
    def words_are_usual(self) -> bool:
        """Whether the words ``since`` and ``until`` mean ``S`` and ``U``: left need not hold at the witness."""
        return self is not Dialect.SHA


def read_dialect(name: str, where: str) -> Dialect:
    """The dialect of that name.

    >>> read_dialect("black", "--dialect").next_is_weak
    False

    Raises:
        InputError: if there is none, naming the option.
    """
    if name not in list(Dialect):
        raise InputError(f"{where}: found {quote(name)}, expected {', '.join(list(Dialect)[:-1])} or {[*Dialect][-1]}")
    return Dialect(name)


# -- weak and dual operators -------------------------------------------------------------------------------------------


def weak_next(operand: Formula) -> Formula:
    """It holds at the next position, or there is none."""
    return Not(Next(Not(operand)))


def weak_previous(operand: Formula) -> Formula:
    """It holds at the previous position, or there is none."""
    return Not(Previous(Not(operand)))


def exclusive_or(left: Formula, right: Formula) -> Formula:
    """Exactly one of them holds."""
    return Not(Iff(left, right))


def weak_until(left: Formula, right: Formula) -> Formula:
    """``left U right``, or left at every position from here: no position fails both before right has held."""
    return Not(Until(Not(right), Not(Or(left, right))))


def weak_since(left: Formula, right: Formula) -> Formula:
    """``left S right``, or left at every position up to here: ``weak_until`` mirrored."""
    return Not(Since(Not(right), Not(Or(left, right))))


def release(left: Formula, right: Formula) -> Formula:
    """Right holds from here to the first position with left, that one included, or to the end: the dual of ``U``."""
    return Not(usual_until(Not(left), Not(right)))


def trigger(left: Formula, right: Formula) -> Formula:
    """Right has held since the latest position with left, that one included, or always: the dual of ``S``."""
    return Not(usual_since(Not(left), Not(right)))


def strong_release(left: Formula, right: Formula) -> Formula:
    """``left R right``, and left holds at some position from here: right up to it and at it."""
    return Until(right, left)


OF_DIALECTS: Mapping[str, Callable[[Dialect], Unary | Binary]] = {
    "LETTER_NEXT": lambda dialect: weak_next if dialect.next_is_weak else Next,
    "SINCE": lambda dialect: usual_since if dialect.words_are_usual else Since,
    "UNTIL": lambda dialect: usual_until if dialect.words_are_usual else Until,
}
"""The terminals that dialects read differently."""
UNARY: Mapping[str, Unary] = {
    "NOT": Not, "PREVIOUS": Previous, "STRONG_PREVIOUS": Previous, "WEAK_PREVIOUS": weak_previous,
    "NEXT": Next, "STRONG_NEXT": Next, "WEAK_NEXT": weak_next,
    "ONCE": once, "HISTORICALLY": historically, "EVENTUALLY": eventually, "ALWAYS": always,
}  # fmt: skip
BINARY: Mapping[str, Binary] = {
    "AND": And, "OR": Or, "IMPLIES": Implies, "IFF": Iff, "XOR": exclusive_or,
    "USUAL_SINCE": usual_since, "USUAL_UNTIL": usual_until, "WEAK_SINCE": weak_since, "WEAK_UNTIL": weak_until,
    "RELEASE": release, "STRONG_RELEASE": strong_release, "TRIGGER": trigger,
}  # fmt: skip
NAMES: Mapping[str, Formula] = {"last": Not(Next(TRUE)), "first": Not(Previous(TRUE)), "start": Not(Previous(TRUE))}
"""Names that stand for a formula where no predicate and no symbol is called so."""


def unary_operator(terminal: str, dialect: Dialect) -> Unary:
    """What a unary operator builds."""
    return OF_DIALECTS[terminal](dialect) if terminal in OF_DIALECTS else UNARY[terminal]  # type: ignore[return-value]


def binary_operator(terminal: str, dialect: Dialect) -> Binary:
    """What a binary operator builds."""
    return OF_DIALECTS[terminal](dialect) if terminal in OF_DIALECTS else BINARY[terminal]  # type: ignore[return-value]


# -- bounded operators -------------------------------------------------------------------------------------------------

_BOUNDS = re.compile(r"(?P<first>[0-9]*)(?P<between>[,:]|\.\.)?(?P<last>[0-9]*|\$)(?P<strong>!?)")
_FEW_DIGITS = 6


@dataclass(frozen=True)
class Bounded:
    """``F[2,4]``: how many positions away from here, at least and (unless it is None) at most.

    ``strong`` is what a ``!`` before the bracket says: every position that is spoken of must be there.
    """

    operator: str
    first: int
    last: int | None
    strong: bool

    @property
    def looks_back(self) -> bool:
        """Whether it speaks of positions to the left."""
        return self.operator in "YOHS"


def read_bounded(text: str) -> Bounded:
    """The operator and its bounds.

    >>> read_bounded("F[2,4]"), read_bounded("X^3").first, read_bounded("G[1:$]").last
    (Bounded(operator='F', first=2, last=4, strong=False), 3, None)

    Raises:
        InputError: with what is wrong, for the place that the caller knows.
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
    """What ``X[k]``, ``Y[k]``, ``F[a,b]``, ``G[a,b]``, ``O[a,b]``, ``H[a,b]`` build.

    ``F[a,b]`` and ``O[a,b]`` speak of some position that is there, ``G[a,b]`` and ``H[a,b]`` of all that are there. In
    a dialect with a weak ``X``, ``F[a,b]`` and ``X[k]`` are built with it, and hold where the word ends before.
    ``check`` is called on every formula on the way, which it returns or refuses.
    """
    strong, weak = (Previous, weak_previous) if bounded.looks_back else (Next, weak_next)
    is_dual = bounded.operator in "GH"
    usual = weak if bounded.operator in "XF" and dialect.next_is_weak else strong
    step = (weak if is_dual else strong) if bounded.strong else usual
    unbounded = once if bounded.looks_back else eventually

    def exists(operand: Formula) -> Formula:
        reached = operand if bounded.last is not None else unbounded(operand)
        for _ in range((bounded.last or 0) - bounded.first):
            reached = check(Or(operand, step(reached)))
        return repeat(step, bounded.first, reached, check)

    return (lambda operand: Not(exists(Not(operand)))) if is_dual else exists


def bounded_binary(bounded: Bounded, check: Unary) -> Binary:
    """What ``U[a,b]`` and ``S[a,b]`` build: right at a position so far away, left before it from here on."""
    step, unbounded = (Previous, usual_since) if bounded.looks_back else (Next, usual_until)

    def build(left: Formula, right: Formula) -> Formula:
        reached = right if bounded.last is not None else unbounded(left, right)
        for _ in range((bounded.last or 0) - bounded.first):
            reached = check(Or(right, And(left, step(reached))))
        return repeat(lambda later: And(left, step(later)), bounded.first, reached, check)

    return build


def repeat(step: Unary, times: int, operand: Formula, check: Unary) -> Formula:
    """The step applied so often."""
    for _ in range(times):
        operand = check(step(operand))
    return operand
