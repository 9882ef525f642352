"""What an audit found: plain data, which every report is drawn from and which is kept for ``--resume``.

Numbers are exact fractions. An interval has the true value between its ends.
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
"""``refuted on a reading``: of words that can be read otherwise, too.

``proved``: for every n, by Coq. ``vacuous``: true, as nothing is asked. ``not decidable``: no instance of any size
decides the statement; the claim says why. ``malformed``: a claim of a file with others that could not be read."""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


DIGITS = 30
"""Enclosures are kept to so many significant digits."""


def outward(lower: Fraction, upper: Fraction) -> Interval:
    """Return an interval around the two; ends that are long are rounded outward to DIGITS significant digits.

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
    """What refutes a claim: an instance, replayed in enclosed arithmetic, and the command that shows it.

    ``value`` is enclosed and lies outside ``allowed``, which may be one number that it should be ``at most`` or
    ``at least``. Of a network, ``word`` and ``position`` say where.
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
    """One claim at one length. ``error`` is the worst one: attained at its lower end, proved at its upper end.

    The error of heads is that on words. ``bound`` is what the error may be; ``where`` says which head and position (or
    which instance) has it.
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
    slack: certified at its lower end, refuted at its upper end. ``heads`` are those that share the claimed one at all
    lengths whose critical constants are asked for. In an irrational ``claimed`` ln and sqrt are rounded down, and
    ``text`` is what it is.
    """

    heads: tuple[Place, ...]
    claimed: Fraction
    critical: Interval
    text: str = ""


@dataclass(frozen=True)
class CriticalConstant:
    """The critical constant ``gamma`` at one length: refuted by ``witness`` at one end, certified at the other.

    If none was found ``gamma`` is None, and ``note`` says why. ``slack``: the factor by which the claimed scores exceed
    what is needed (above 1: the claim has room). ``temperatures``: those of all heads to which temperature matters.
    ``up_to``: the interval of the constant that certifies all claimed lengths up to this one, and the length
    ``up_to_n`` that needs it. ``form``: the exact number between the ends of ``gamma``, if it was found.
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
    """A law of growth fitted to the middles of the critical temperatures of ``heads``. It is a fit, and no claim."""

    law: str
    residual: float
    heads: tuple[Place, ...] = ()


@dataclass(frozen=True, repr=False)
class ClaimResult(Readable, WithExitStatus):
    """The verdict on one claim over its range of lengths.

    ``rows`` has one entry per length that was looked at one by one; ``fits`` one per temperature of ``criticals``.
    ``mismatch`` says how the verdict differs from the
    one that the claims file expects; empty if it does not. ``note`` and ``limit`` are texts of the claims file.
    ``error`` is what ``measure`` names: the worst error, the smallest gap, or the value of a statement about numbers.
    ``covers`` says what was looked at at each length; ``reading`` how the source is read, if it can be read otherwise,
    too; ``rests_on`` what was taken over without a check.
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
    """What the claims about one statement of the source say together."""

    statement: str
    verdict: Verdict
    text: str
    claims: tuple[str, ...]


@dataclass(frozen=True)
class Paper:
    """What the statements of a claims file are statements of, and which ``version`` of it was read."""

    title: str
    authors: str
    version: str


@dataclass(frozen=True)
class AuditReport(HasPage):
    """Everything a report is drawn from; true if it is complete and every claim came out as it should.

    ``complete`` is False if the audit was interrupted. ``paper`` is None where the claims file names none. ``command``
    repeats the audit, if no claims file was read.
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
        """0 if all is as expected; 1 for a mismatch, or a refutation nobody expected; 3 for a verdict not reached."""
        found: list[str] = ["refuted" for claim in self.claims if claim.mismatch]
        found += [claim.verdict for claim in self.claims if not claim.expected]
        return exit_status(worst(found)) if found else 0

    def __bool__(self) -> bool:
        return self.complete and not any(claim.mismatch or not (claim.expected or claim) for claim in self.claims)


# -- a report for others ----------------------------------------------------------------------------------------------


def without_folders(report: AuditReport) -> AuditReport:
    """Return the same report, whose texts name files alone."""
    return replace(report, source=PurePath(report.source).name, claims=tuple(map(_claim, report.claims)))


def _claim(claim: ClaimResult) -> ClaimResult:
    rows = tuple(replace(row, witness=_witness(row.witness)) for row in claim.rows)
    criticals = tuple(replace(one, witness=_witness(one.witness)) for one in claim.criticals)
    return replace(claim, witness=_witness(claim.witness), rows=rows, criticals=criticals)


def _witness(witness: Witness | None) -> Witness | None:
    return replace(witness, command=name_file_alone(witness.command)) if witness else None


# -- what is said of one claim -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClaimAnswer(AnswerByLength[LengthVerdict]):
    """A row for each length, and the certificates of runs of them; ``measure`` names the number of the rows.

    Of gaps and margins it is the least that matters. ``note`` says what is to be known where it is certified, and
    ``about`` what is to be known anyhow.
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
        """Why the row to report is what it is, and at which lengths nothing is asked."""
        row, vacuous = self.decisive, self.first("vacuous")
        lengths = show_lengths(self.lengths_that_are("vacuous"))
        asks_nothing = f"nothing is asked at n = {lengths}: {vacuous.reason}" if vacuous else ""
        why = f"n = {row.n}: {row.reason}" if row.reason else self.note * (row.verdict == "certified")
        return "; ".join(filter(None, (why if row.verdict != "vacuous" else "", asks_nothing, self.about)))

    @property
    def decisive(self) -> LengthVerdict:
        """The row to report: the first that is refuted, or not certified, or that with the largest error."""
        if said := self.first("refuted") or self.first("unknown"):
            return said
        asking = [row for row in self.rows if row.verdict != "vacuous"] or list(self.rows)
        measured = [row for row in asking if row.error is not None] or asking
        sign = -1 if self.least_matters else 1
        return max(measured, key=lambda row: (sign * row.error.upper if row.error else Fraction(0), row.n))


@dataclass(frozen=True)
class OneVerdict:
    """A verdict on all that is asked, for ``lengths`` other than those of the claim if it names some, by a witness."""

    verdict: Verdict
    reason: str = ""
    lengths: str = ""
    measure: str = "measured"
    witness: Witness | None = None
