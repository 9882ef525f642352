"""What was found: a row for each length, which the table, the plot and the JSON object are drawn from."""

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

    ``change`` is what the exchanges of the bound change the log-odds by, at most, with the steepest output map that is
    admitted, and ``forced`` the cross-entropy that no predictions with so small a change are below; ``found`` is that
    of the network with the ``output`` map. What is not known is None, and ``reason`` says why.
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
    """A network's cross-entropy, and what it is held against, at some lengths."""

    description: str
    language: LanguageName
    p: Fraction
    direction: str
    steepest: Fraction
    rows: tuple[LengthOfPrefixes, ...]
    seconds: float = 0.0

    def __repr__(self) -> str:
        return f"<{self.verdict}: cross-entropy of {self.language}, {len(self.rows)} lengths>"
