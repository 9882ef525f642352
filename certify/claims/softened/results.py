"""The results of softening a transformer: plain data, from which the report and the JSON object are made."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from certify.common.verdicts import WithExitStatus
from constructions.language.expressions import Expression
from constructions.network.transformer import Transformer
from constructions.network.weightings import Weighting
from constructions.statements.theorem_26_uniform_tieless import Constants, Law
from proofs.enclosures.intervals import Interval
from proofs.softened.errors import Errors
from proofs.softened.findings import Survey, Where
from proofs.softened.gap import Word

Verdict = Literal["certified", "vacuous", "refuted", "unknown", "unsupported"]
"""``vacuous``: no head is hard, so there is nothing to replace by softmax."""
StageErrors = list[Errors]
"""The stated error bounds of all stages, at one length."""


@dataclass(frozen=True)
class Tie:
    """A head whose greatest score, ``score``, is attained at several ``winners`` (positions from 1)."""

    word: Word
    position: int
    layer: int
    head: int
    name: str
    score: Fraction
    winners: tuple[int, ...]


@dataclass(frozen=True)
class Moved:
    """A word and a position where Û is more than 1/4 from U, replayed; ``distance`` encloses the 1-norm."""

    word: Word
    position: int
    distance: Interval
    temperature: Fraction


@dataclass(frozen=True)
class CriticalTemperature:
    """The critical temperature at one length: the bounds hold at ``passes``; a word refutes ``refuted.temperature``.

    ``checked`` if the independent checker accepted ``passes`` for the words of length n. Without ``passes``, ``note``
    is the reason; without ``refuted`` no word was found.
    """

    n: int
    passes: Fraction | None
    refuted: Moved | None
    checked: bool = False
    note: str = ""


@dataclass(frozen=True)
class SoftenedLength:
    """The results for the words of one length.

    ``theorem`` is Theorem 26's temperature, ``with_ties`` the one of the theorem with ties; for a sparse weighting
    ``theorem`` is the one at which it is exactly hard, and ``with_ties`` is None.
    """

    n: int
    survey: Survey
    theorem: Fraction
    with_ties: Fraction | None
    temperature: Fraction
    errors: StageErrors
    error: Fraction
    critical: CriticalTemperature | None = None


@dataclass(frozen=True, repr=False)
class Softening(WithExitStatus):
    """The verdict on a transformer, with all results; ``stated`` if the temperature was given.

    ``broken`` are the heads (layer and place) of ``transformer`` that were given a term that breaks their ties.
    """

    verdict: Verdict
    transformer: Transformer
    max_n: int
    seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)
    surveys: tuple[Survey, ...] = ()
    lengths: tuple[SoftenedLength, ...] = ()
    constants: Constants | None = None
    gap_law: Law | None = None
    x_law: Law | None = None
    temperature: Expression | None = None
    stated: bool = False
    weighting: Weighting = Weighting.SOFTMAX
    certificate: str | None = None
    tie: Tie | None = None
    broken: tuple[Where, ...] = ()
    moved: Moved | None = None
    reason: str = ""

    def __repr__(self) -> str:
        temperature = f", temperature {self.temperature}" if self.temperature else ""
        return f"<{self.verdict}: softened {self.transformer!r} for every n <= {self.max_n}{temperature}>"

    def _repr_html_(self) -> str:
        from constructions.html_text import html_text

        return f"<p>{html_text(repr(self)[1:-1], 400)}</p>{self.transformer._repr_html_()}"

    @property
    def is_sparse(self) -> bool:
        """True if the claim is that nothing moves at all, by sparsemax or entmax-1.5."""
        return not self.weighting.is_softmax

    @property
    def has_ties(self) -> bool:
        """True if some head averages positions that tie."""
        return any(survey.averaged for survey in self.surveys)
