"""The results: a row for each length, from which the table, the plot and the JSON object are made."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from certify.common.answer import AnswerByLength
from proofs.enclosures.intervals import Interval
from proofs.numbers.cross_entropy.languages import Levels
from proofs.numbers.cross_entropy.predictions import OutputMap

LanguageName = Literal["parity", "2dyck"]
Verdict = Literal["measured", "unknown"]


@dataclass(frozen=True)
class LengthOfPrefixes:
    """The cross-entropies at one length.

    ``change`` bounds the change of the log-odds by the exchanges of the bound, with the steepest output map that is
    admitted; ``forced`` is a lower bound on the cross-entropy of all predictions with at most that change; ``found`` is
    the network's own with the ``output`` map. Values not computed are None, for the ``reason``.
    """

    n: int
    levels: Levels
    output: OutputMap | None = None
    change: Fraction | None = None
    forced: Interval | None = None
    found: Interval | None = None
    reason: str = ""

    @property
    def verdict(self) -> Verdict:
        """Measured if the network's own cross-entropy is enclosed."""
        return "unknown" if self.found is None else "measured"


@dataclass(frozen=True)
class CrossEntropy(AnswerByLength[LengthOfPrefixes]):
    """The cross-entropy of a network, and its comparison values, at some lengths."""

    description: str
    language: LanguageName
    p: Fraction
    direction: str
    steepest: Fraction
    rows: tuple[LengthOfPrefixes, ...]
    seconds: float = 0.0

    def __repr__(self) -> str:
        return f"<{self.verdict}: cross-entropy of {self.language}, {len(self.rows)} lengths>"
