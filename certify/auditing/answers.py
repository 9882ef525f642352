"""What is said of a claim: a verdict for each length, or one for all that is asked."""

from dataclasses import dataclass
from fractions import Fraction

from certify.auditing.results import LengthVerdict, Verdict, Witness
from certify.frame.answer import AnswerByLength
from certify.frame.verdicts import worst
from certify.frame.words import show_lengths


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
