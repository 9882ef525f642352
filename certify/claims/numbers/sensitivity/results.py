"""The results: a row for each length, from which the table, the plot and the JSON object are made."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Literal

from certify.common.answer import AnswerByLength
from proofs.numbers.sensitivity.changes import Change, ReplayedPair

At = Literal["first", "last", "every"]
Verdict = Literal["measured", "unknown"]


class Method(StrEnum):
    """The method by which the changes of one length were found; the table names it."""

    TRUTHS = "truths"
    WORDS = "words"
    CLASSES = "classes"
    BRACKET = "bracket"
    PAIRS = "pairs"
    BOUND = "bound"


CLAIMS = {
    Method.TRUTHS: "the network is certified: a change is 0 or 1, decided for all words by pairs of runs",
    Method.WORDS: "every word is run, enclosed",
    Method.CLASSES: "every abstract word, a set of words that agree as seen from the judged position, is run, enclosed",
    Method.BRACKET: "at most the growth of a change, layer by layer; at least the difference of two replayed words",
    Method.BOUND: "at most the growth of a change, layer by layer; words cannot be run here",
    Method.PAIRS: "at least the difference of two replayed words; no upper bound is known",
}


@dataclass(frozen=True)
class MeasuredLength:
    """The changes at one length, for the position of each exchange."""

    n: int
    method: Method
    changes: tuple[Change, ...]

    @property
    def verdict(self) -> Verdict:
        """Measured if there is an upper bound."""
        return "unknown" if self.upper is None else "measured"

    @property
    def greatest(self) -> Change:
        """The change with the greatest lower bound, which is shown."""
        return max(self.changes, key=lambda change: (change.lower, change.upper or 0))

    @property
    def lower(self) -> Fraction:
        """The lower bound of the largest change."""
        return max(change.lower for change in self.changes)

    @property
    def upper(self) -> Fraction | None:
        """The upper bound of the largest change; None if some change has none."""
        uppers = [change.upper for change in self.changes if change.upper is not None]
        return max(uppers) if len(uppers) == len(self.changes) else None

    @property
    def pair(self) -> ReplayedPair | None:
        """Two words that attain the lower bound."""
        return self.greatest.pair


@dataclass(frozen=True)
class FittedLaw:
    """A law of growth fitted to lower bounds, with its relative root-mean-square residual: it proves nothing."""

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
