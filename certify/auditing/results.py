"""The results of an audit: plain data, from which all reports are made, and which is stored for ``--resume``.

Numbers are exact fractions. An interval contains the true value.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import PurePath
from typing import Literal, get_args

from certify.claims.critical.brackets import ClosedForm
from certify.common.answer import AnswerByLength
from certify.common.readable import HasPage, Readable
from certify.common.verdicts import WithExitStatus, exit_status, worst
from certify.common.words import show_lengths
from certify.requests.run_command import name_file_alone
from constructions.language.expressions import Constant
from constructions.network.sharpening import Place
from proofs.enclosures.intervals import Interval

Verdict = Literal["certified", "refuted", "refuted on a reading", "unknown", "unsupported", "not decidable", "proved",
                  "unproved", "vacuous", "malformed"]
"""``refuted on a reading``: the statement is ambiguous.

``proved``: for every n, by Coq. ``vacuous``: true, since nothing is judged. ``not decidable``: no instance of any size
decides the statement, for the stated reason. ``malformed``: a malformed claim of a file with others."""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


DIGITS = 30
"""The number of significant digits of stored enclosures."""


def outward(lower: Fraction, upper: Fraction) -> Interval:
    """Return an interval around the two; long ends are rounded outward to DIGITS significant digits.

    >>> third = Fraction(10**40, 3 * 10**40 + 1)
    >>> found = outward(third, third)
    >>> found.lower < third < found.upper, float(found.upper - found.lower) < 1e-28
    (True, True)
    """
    return Interval(-_rounded_up(-lower), _rounded_up(upper))


def _rounded_up(x: Fraction) -> Fraction:
    if max(abs(x.numerator), x.denominator) < 10**DIGITS:
        return x
    magnitude = (x.numerator.bit_length() - x.denominator.bit_length()) * 30103 // 100000
    power = max(0, DIGITS - magnitude)
    unit = 10 ** max(0, magnitude - DIGITS)
    return Fraction(-(-x.numerator * 10**power // (x.denominator * unit)) * unit, 10**power)


@dataclass(frozen=True)
class Witness:
    """A counterexample to a claim: an instance, replayed in enclosed arithmetic, and the command that shows it.

    ``value`` is enclosed and lies outside ``allowed``, which may be one number that it should be ``at most`` or ``at
    least``. For a network, ``word`` and ``position`` locate it.
    """

    what: str
    n: int
    value: Interval
    allowed: Interval
    command: str
    word: str | None = None
    position: int | None = None
    side: Literal["", "at most", "at least", "more than", "less than"] = ""


@dataclass(frozen=True)
class LengthVerdict:
    """One claim at one length; ``error`` is the worst one: attained at its lower end, proved at its upper end.

    The error of heads is that on words. ``bound`` is the allowed error; ``where`` is the head and position (or the
    instance) that has it.
    """

    n: int
    verdict: Verdict
    error: Interval | None = None
    bound: Interval | None = None
    where: str = ""
    reason: str = ""
    witness: Witness | None = None


@dataclass(frozen=True)
class HeadTemperature:
    """The claimed temperature of row i = n, in units of the score, and the critical one: the largest that certifies.

    A constant in front of all scores divides all temperatures, so the critical one of a head is ``claimed`` times the
    slack: certified at its lower end, refuted at its upper end. ``heads`` share the claimed temperature at all lengths
    of the requested critical constants. In an irrational ``claimed``, ln and sqrt are rounded down, and ``text`` is the
    exact expression.
    """

    heads: tuple[Place, ...]
    claimed: Fraction
    critical: Interval
    text: str = ""


@dataclass(frozen=True)
class CriticalConstant:
    """The critical constant ``gamma`` at one length: refuted by ``witness`` at one end, certified at the other.

    If none was found ``gamma`` is None, for the reason ``note``. ``slack``: the factor by which the claimed scores
    exceed the required ones. ``temperatures``: those of all heads to which temperature matters. ``up_to``: the interval
    of the constant that certifies all claimed lengths up to this one, and ``up_to_n`` the length that needs it.
    ``form``: the exact number between the ends of ``gamma``, if it was found.
    """

    n: int
    gamma: Interval | None
    slack: Interval | None = None
    temperatures: tuple[HeadTemperature, ...] = ()
    witness: Witness | None = None
    note: str = ""
    up_to: Interval | None = None
    up_to_n: int = 0
    form: ClosedForm | None = None


@dataclass(frozen=True)
class GrowthLaw:
    """A law of growth fitted to the midpoints of the critical temperatures of ``heads``: not a claim."""

    law: str
    residual: float
    heads: tuple[Place, ...] = ()


@dataclass(frozen=True, repr=False)
class ClaimResult(Readable, WithExitStatus):
    """The verdict on one claim over its range of lengths.

    ``rows`` has one entry per length that was decided separately; ``fits`` one per temperature of ``criticals``.
    ``mismatch`` is the difference to the verdict that the claims file expects; empty if there is none. ``note`` and
    ``limit`` are texts of the claims file. ``error`` is what ``measure`` names: the worst error, the smallest gap, or
    the value of a statement about numbers. ``covers`` is what was decided at each length; ``reading`` the
    interpretation of an ambiguous source; ``rests_on`` the unchecked assumptions.
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
    rows: tuple[LengthVerdict, ...] = ()
    criticals: tuple[CriticalConstant, ...] = ()
    fits: tuple[GrowthLaw, ...] = ()
    witness: Witness | None = None
    note: str = ""
    limit: str = ""
    error: Interval | None = None
    where: str = ""
    gamma: Constant | None = None
    bound: Interval | None = None
    part: str = "statement"
    measure: str = "worst error"
    covers: str = ""
    reading: str = ""
    rests_on: str = ""


@dataclass(frozen=True)
class StatementVerdict:
    """The joint verdict of the claims about one statement of the source."""

    statement: str
    verdict: Verdict
    text: str
    claims: tuple[str, ...]


@dataclass(frozen=True)
class Paper:
    """The source of the statements of a claims file, with the ``version`` that was read."""

    title: str
    authors: str
    version: str


@dataclass(frozen=True)
class AuditReport(HasPage):
    """The data of all reports; true if it is complete and every claim has its expected verdict.

    ``complete`` is False if the audit was interrupted. ``paper`` is None if the claims file names none. ``command``
    repeats the audit, if there was no claims file.
    """

    title: str
    source: str
    claims: tuple[ClaimResult, ...]
    statements: tuple[StatementVerdict, ...]
    seconds: float
    complete: bool = True
    paper: Paper | None = None
    command: str = ""

    @property
    def exit_code(self) -> int:
        """0 if all is as expected; 1 for a mismatch, or an unexpected refutation; 3 if a verdict was not reached."""
        found: list[str] = ["refuted" for claim in self.claims if claim.mismatch]
        found += [claim.verdict for claim in self.claims if not claim.expected]
        return exit_status(worst(found)) if found else 0

    def __bool__(self) -> bool:
        return self.complete and not any(claim.mismatch or not (claim.expected or claim) for claim in self.claims)


# -- a report for others ----------------------------------------------------------------------------------------------


def without_folders(report: AuditReport) -> AuditReport:
    """Return the report with file names only, without folders."""
    return replace(report, source=PurePath(report.source).name, claims=tuple(map(_claim, report.claims)))


def _claim(claim: ClaimResult) -> ClaimResult:
    rows = tuple(replace(row, witness=_witness(row.witness)) for row in claim.rows)
    criticals = tuple(replace(one, witness=_witness(one.witness)) for one in claim.criticals)
    return replace(claim, witness=_witness(claim.witness), rows=rows, criticals=criticals)


def _witness(witness: Witness | None) -> Witness | None:
    return replace(witness, command=name_file_alone(witness.command)) if witness else None


# -- answers to one claim ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClaimAnswer(AnswerByLength[LengthVerdict]):
    """A row for each length, and the certificates of ranges of them; ``measure`` names the number of the rows.

    For gaps and margins the least number matters. ``note`` is a remark if it is certified, ``about`` one in any case.
    """

    rows: tuple[LengthVerdict, ...]
    certificates: tuple[str, ...] = ()
    measure: str = "worst error"
    least_matters: bool = False
    note: str = ""
    about: str = ""

    @property
    def verdict(self) -> Verdict:
        """Refuted if some row is; vacuous if all are; certified if all others are; else unknown."""
        return worst({row.verdict for row in self.rows})

    @property
    def reason(self) -> str:
        """The reason of the row to report, and the vacuous lengths."""
        row, vacuous = self.decisive, self.first("vacuous")
        lengths = show_lengths(self.lengths_that_are("vacuous"))
        idle = f"vacuous at n = {lengths}: {vacuous.reason}" if vacuous else ""
        why = f"n = {row.n}: {row.reason}" if row.reason else self.note * (row.verdict == "certified")
        return "; ".join(filter(None, (why if row.verdict != "vacuous" else "", idle, self.about)))

    @property
    def decisive(self) -> LengthVerdict:
        """The row to report: the first that is refuted, or not certified, or that with the largest error."""
        if open_row := self.first("refuted") or self.first("unknown"):
            return open_row
        judged = [row for row in self.rows if row.verdict != "vacuous"] or list(self.rows)
        measured = [row for row in judged if row.error is not None] or judged
        sign = -1 if self.least_matters else 1
        return max(measured, key=lambda row: (sign * row.error.upper if row.error else Fraction(0), row.n))


@dataclass(frozen=True)
class OneVerdict:
    """A single verdict; ``lengths`` if they differ from those of the claim; perhaps with a witness, or a number.

    ``error`` and ``bound`` are the measured number and the stated one.
    """

    verdict: Verdict
    reason: str = ""
    lengths: str = ""
    measure: str = "measured"
    witness: Witness | None = None
    error: Interval | None = None
    bound: Interval | None = None
    certificates: tuple[str, ...] = ()
