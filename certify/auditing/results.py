"""What an audit found: plain data, which every report is drawn from and which is kept for ``--resume``.

Numbers are exact fractions. A bracket has the true value between its ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Verdict = Literal["certified", "refuted", "unknown", "unsupported", "not decidable"]
"""``not decidable``: no instance of any size decides the statement; the claim says why."""
VERDICTS: tuple[Verdict, ...] = ("certified", "refuted", "unknown", "unsupported", "not decidable")


DIGITS = 30
"""Enclosures are kept to so many significant digits."""


@dataclass(frozen=True)
class Bracket:
    """A number known to lie between two fractions."""

    lower: Fraction
    upper: Fraction


def outward(lower: Fraction, upper: Fraction) -> Bracket:
    """A bracket around the two; ends that are long are rounded outward to DIGITS significant digits.

    >>> third = Fraction(10**40, 3 * 10**40 + 1)
    >>> found = outward(third, third)
    >>> found.lower < third < found.upper, float(found.upper - found.lower) < 1e-28
    (True, True)
    """
    return Bracket(-_rounded_up(-lower), _rounded_up(upper))


def _rounded_up(x: Fraction) -> Fraction:
    if max(abs(x.numerator), x.denominator) < 10**DIGITS:
        return x
    magnitude = (x.numerator.bit_length() - x.denominator.bit_length()) * 30103 // 100000
    scale = Fraction(10) ** (DIGITS - magnitude)
    return -(-x * scale // 1) / scale


@dataclass(frozen=True)
class Witness:
    """What refutes a claim: an instance, replayed in enclosed arithmetic, and the command that shows it.

    ``value`` is enclosed and lies outside ``allowed``, which may be one number that it should be ``at most`` or
    ``at least``. Of a network, ``word`` and ``position`` say where.
    """

    what: str
    n: int
    value: Bracket
    allowed: Bracket
    command: str
    word: str | None = None
    position: int | None = None
    side: Literal["", "at most", "at least"] = ""


@dataclass(frozen=True)
class Row:
    """One claim at one length. ``error`` is the worst one: attained at its lower end, proved at its upper end.

    ``bound`` is what the error may be; ``where`` says which head and position (or which instance) has it.
    """

    n: int
    verdict: Verdict
    error: Bracket | None = None
    bound: Bracket | None = None
    where: str = ""
    reason: str = ""
    witness: Witness | None = None


@dataclass(frozen=True)
class Critical:
    """The critical constant at one length, as a bracket: refuted by ``witness`` at one end and certified at the other.

    ``gamma``: refuted at its lower end, certified at its upper end; None for claims that have no constant in front.
    ``temperature``: that of row i = n; certified at its lower end, refuted at its upper end. ``slack``: the factor by
    which the claimed scores exceed what is needed (above 1: the claim has room). ``up_to``: the bracket of the constant
    that certifies all claimed lengths up to this one, and the length ``up_to_n`` that needs it.
    """

    n: int
    gamma: Bracket | None
    temperature: Bracket
    slack: Bracket
    witness: Witness | None
    claimed_temperature: Fraction
    note: str = ""
    up_to: Bracket | None = None
    up_to_n: int = 0


@dataclass(frozen=True)
class Fit:
    """A growth law fitted to the middles of brackets. It is a fit, and no claim."""

    law: str
    residual: float


@dataclass(frozen=True)
class ClaimResult:
    """The verdict on one claim over its range of lengths.

    ``rows`` has one entry per length that was looked at one by one. ``mismatch`` says how the verdict differs from the
    one that the claims file expects; empty if it does not. ``note`` and ``limit`` are texts of the claims file.
    ``error`` is what ``measure`` names: the worst error, the smallest gap, or the value of a statement about numbers.
    """

    name: str
    statement: str
    says: str
    subject: str
    lengths: str
    verdict: Verdict
    expected: str
    mismatch: str
    reason: str
    seconds: float
    rows: tuple[Row, ...] = ()
    criticals: tuple[Critical, ...] = ()
    fit: Fit | None = None
    witness: Witness | None = None
    note: str = ""
    limit: str = ""
    error: Bracket | None = None
    where: str = ""
    gamma: Fraction | None = None
    bound: Bracket | None = None
    part: str = "statement"
    measure: str = "worst error"


@dataclass(frozen=True)
class StatementVerdict:
    """What the claims about one statement of the source say together."""

    statement: str
    verdict: Verdict
    text: str
    claims: tuple[str, ...]


@dataclass(frozen=True)
class AuditReport:
    """Everything a report is drawn from. ``complete`` is False if the audit was interrupted."""

    title: str
    source: str
    claims: tuple[ClaimResult, ...]
    statements: tuple[StatementVerdict, ...]
    seconds: float
    complete: bool = True
