"""What was measured: a row for each length, which the table, the plot and the JSON object are drawn from."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Literal

from certify.common.answer import AnswerByLength
from proofs.numbers.sensitivity.changes import Change, ReplayedPair

At = Literal["first", "last", "every"]
Verdict = Literal["measured", "unknown"]


class Method(StrEnum):
    """How the changes of one length were found; the table names it."""

    TRUTHS = "truths"
    WORDS = "words"
    CLASSES = "classes"
    BRACKET = "bracket"
    PAIRS = "pairs"
    BOUND = "bound"


CLAIMS = {
    Method.TRUTHS: "the network is certified: a change is 0 or 1, decided for all words by pairs of runs",
    Method.WORDS: "every word is run, enclosed",
    Method.CLASSES: "every class of words that look alike from the judged position is run, enclosed",
    Method.BRACKET: "at most as far as a change can grow, layer by layer; at least what two replayed words differ by",
    Method.BOUND: "at most as far as a change can grow, layer by layer; words cannot be run here",
    Method.PAIRS: "at least what two replayed words differ by; no upper bound is known",
}


@dataclass(frozen=True)
class MeasuredLength:
    """The changes at one length, for the position of each exchange."""

    n: int
    method: Method
    changes: tuple[Change, ...]

    @property
    def verdict(self) -> Verdict:
        """Measured if there is a bound from above."""
        return "unknown" if self.upper is None else "measured"

    @property
    def greatest(self) -> Change:
        """The one with the greatest lower end: the one that is shown."""
        return max(self.changes, key=lambda change: (change.lower, change.upper or 0))

    @property
    def lower(self) -> Fraction:
        """Some exchange changes so much, at least."""
        return max(change.lower for change in self.changes)

    @property
    def upper(self) -> Fraction | None:
        """No exchange changes more, if that is known."""
        uppers = [change.upper for change in self.changes if change.upper is not None]
        return max(uppers) if len(uppers) == len(self.changes) else None

    @property
    def pair(self) -> ReplayedPair | None:
        """Two words that show the lower end."""
        return self.greatest.pair


@dataclass(frozen=True)
class FittedLaw:
    """A law of growth fitted to lower ends, with its residual (root mean square, relative): it proves nothing."""

    text: str
    residual: float


@dataclass(frozen=True)
class Sensitivity(AnswerByLength[MeasuredLength]):
    """The largest changes of a direction (or of logits) at some lengths."""

    description: str
    alphabet: tuple[str, ...]
    direction: str
    """Its name, or which logits."""
    at: At
    rows: tuple[MeasuredLength, ...]
    law: FittedLaw | None
    seconds: float = 0.0

    def __repr__(self) -> str:
        return f"<{self.verdict}: sensitivity of {self.direction}, {len(self.rows)} lengths>"
