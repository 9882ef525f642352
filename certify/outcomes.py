"""The four verdicts, and nothing else: certified, refuted (by a word, or a float run on one), unknown, unsupported."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from certify.vacuity import Vacuity, find_vacuity
from certify.verdicts import exit_status
from constructions.language.syntax import Formula
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from constructions.regimes import Regime
from proofs.discharge import Line
from proofs.exact.extremes import Extreme
from proofs.replay import Counterexample

if TYPE_CHECKING:
    from certify.floats.survey import FloatRow


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What is common to all verdicts.

    ``allowed_error`` is None where heads may err by 1/4, ``runs`` where nothing is claimed of float runs.
    """

    verdict: ClassVar[str]
    formula: Formula | None
    alphabet: tuple[str, ...]
    lengths: Lengths
    regime: Regime | None
    seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)
    transformer: Transformer | None = None
    lines: tuple[Line, ...] = ()
    allowed_error: Fraction | None = None
    runs: FloatRow | None = None

    @property
    def exit_code(self) -> int:
        """The exit status of the command."""
        return exit_status(self.verdict)

    @cached_property
    def vacuity(self) -> Vacuity | None:
        """What makes a claim idle: the formula is true, or false, everywhere."""
        return find_vacuity(self.formula, self.alphabet, self.max_n) if self.formula else None

    @property
    def max_n(self) -> int:
        """The greatest length."""
        return self.lengths.last

    @property
    def worst(self) -> Line | None:
        """The attention obligation with the largest proved error."""
        weighed = [line for line in self.lines if line.worst and line.worst.worst]
        return max(weighed, key=_worst_upper, default=None)

    @property
    def worst_error(self) -> Extreme | None:
        """That error: proved bound, attained value, n and i."""
        return self.worst.worst.worst if self.worst and self.worst.worst else None


def _worst_upper(line: Line) -> Fraction:
    assert line.worst and line.worst.worst
    return line.worst.worst.upper


@dataclass(frozen=True, kw_only=True)
class Certified(Outcome):
    """Proved for every word of these lengths; ``certificate`` is text that the independent checker has accepted."""

    verdict = "certified"
    certificate: str


@dataclass(frozen=True, kw_only=True)
class Refuted(Outcome):
    """A replayed word breaks the claim."""

    verdict = "refuted"
    counterexample: Counterexample


@dataclass(frozen=True, kw_only=True)
class RefutedRun(Outcome):
    """Right over the real numbers, but a float run of the class is wrong, which was replayed bit by bit."""

    verdict = "refuted"
    reason: str


@dataclass(frozen=True, kw_only=True)
class Unknown(Outcome):
    """Neither proved nor refuted; ``reason`` says what was not proved."""

    verdict = "unknown"
    reason: str


@dataclass(frozen=True, kw_only=True)
class UnsupportedClaim(Outcome):
    """Not handled: ``reason`` names the construct."""

    verdict = "unsupported"
    reason: str
