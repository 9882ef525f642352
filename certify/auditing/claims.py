"""Claims about networks, statements about numbers, or programs, over a range of lengths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.auditing.kinds.kind import Question
from certify.auditing.results import Verdict
from certify.requests.request import Request
from constructions.language.expressions import Expression
from constructions.network.lengths import Lengths
from proofs.enclosures.float_models.model import FloatModel

PARTS = ("statement", "proof step", "transcription", "repair", "remark")
"""The relation of a claim to its statement: the statement as printed (or an instance of it), a step of its proof
as printed, an error in the text that was read but perhaps not in the source, a repair of the statement, or a remark
that is not in the source."""
DEFAULT_WIDTH = Fraction(1, 10**6)


@dataclass(frozen=True)
class Demands:
    """The demands on a network besides its meanings, and the requested critical constants.

    ``runs`` is the float model under which the claim is also made.
    """

    embeddings: tuple[str, ...] | None = None
    embedding_bound: Expression | None = None
    gap: Expression | None = None
    critical: tuple[int, ...] = ()
    width: Fraction = DEFAULT_WIDTH
    runs: FloatModel | None = None


@dataclass(frozen=True)
class AboutNetwork:
    """The network of a request."""

    request: Request
    demands: Demands = Demands()


@dataclass(frozen=True)
class MalformedClaim:
    """A claim of a file that is malformed; the other claims of the file are decided."""

    why: str


About = MalformedClaim | AboutNetwork | Question


@dataclass(frozen=True)
class Expected:
    """The expectations of a claims file: a verdict, the smallest counterexample, critical constants as decimals."""

    verdict: Verdict | None = None
    counterexample: tuple[str, int] | None = None
    constants: Mapping[int, str] | None = None


@dataclass(frozen=True)
class AuditClaim:
    """One claim of a claims file; ``part`` is one of PARTS, ``reading`` and ``rests_on`` are those of its result."""

    name: str
    statement: str
    says: str
    about: About
    lengths: Lengths
    expected: Expected
    part: str = "statement"
    limit: str = ""
    note: str = ""
    digest: str = ""
    reading: str = ""
    rests_on: str = ""

    def about_some(self, lengths: Lengths) -> AuditClaim:
        """Return the claim restricted to some of its lengths, with the expectations at these."""
        about, constants = self.about, self.expected.constants
        if isinstance(about, AboutNetwork):
            critical = tuple(n for n in about.demands.critical if n in lengths)
            about = AboutNetwork(about.request.about(lengths), replace(about.demands, critical=critical))
        expected = replace(self.expected, constants=constants and {n: constants[n] for n in constants if n in lengths})
        return replace(self, lengths=lengths, about=about, expected=expected)

    def of_short_words(self, max_n: int) -> AuditClaim:
        """Return the claim restricted to words up to this length, at least to the shortest.

        Claims that should be refuted stay as they are, since they may hold without the wrong word, and so do those that
        are not about all words of their lengths.
        """
        is_by_length = isinstance(self.about, AboutNetwork) or (
            isinstance(self.about, Question) and self.about.is_by_length)
        if self.expected.verdict != "certified" or not is_by_length:
            return self
        return self.about_some(Lengths(self.lengths.first, max(self.lengths.first, min(self.lengths.last, max_n))))
