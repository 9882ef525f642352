"""Claims decided by `certify cross-entropy`: bounds on the cross-entropy of prefixes (docs/background/hahn.md).

The claim is about the least cross-entropy over all admitted output maps. An upper bound is attained by the map that was
found, a lower bound is forced by the small change of the predictions; for a given map it is its own.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from certify.auditing.kinds.kind import ClaimedBound, ClaimEntry, Question
from certify.auditing.results import ClaimAnswer, LengthVerdict, Witness, outward
from certify.claims.numbers.cross_entropy.measure import LogOddsHead, measure, read_head, read_probability
from certify.claims.numbers.cross_entropy.results import LanguageName, LengthOfPrefixes
from certify.requests.inputs import as_key
from certify.requests.request import Request
from certify.requests.subjects import Programs
from constructions.network.lengths import Lengths
from proofs.enclosures.intervals import Interval
from proofs.formula.discharge import Progress


@dataclass(frozen=True)
class LeastCrossEntropy(Question):
    """A network, its language, the admitted output maps, and the claimed bounds."""

    request: Request
    language: LanguageName
    p: Fraction
    head: LogOddsHead
    direction: str | None
    bounds: ClaimedBound

    @property
    def subject(self) -> str:
        """The network and its language."""
        return f"{self.request.description}: cross-entropy (nats) on {self.language}, p = {self.p}"

    def decide(self, lengths: Lengths, progress: Progress) -> ClaimAnswer:
        """Measure every length."""
        request = replace(self.request, lengths=lengths)
        found = measure(request, self.language, self.p, self.head, self.direction, list(lengths), progress)
        return ClaimAnswer(tuple(map(self._row, found.rows)), measure="cross-entropy")

    def _row(self, row: LengthOfPrefixes) -> LengthVerdict:
        is_one_map = self.head.slope is not None and self.head.offset is not None
        lower = row.levels.optimal.lower
        if row.forced is not None:
            lower = max(lower, row.forced.lower)
        if is_one_map and row.found is not None:
            lower = row.found.lower
        ends = outward(lower, lower if row.found is None else row.found.upper)

        def witness(value: Interval, bound: Interval, side: str) -> Witness:
            return Witness("the cross-entropy", row.n, value, bound, "",
                           side="at most" if side == "at most" else "at least")

        judged = self.bounds.row(row.n, ends.lower, None if row.found is None else ends.upper, witness)
        return replace(judged, reason=row.reason or judged.reason) if judged.verdict == "unknown" else judged


def read(entry: ClaimEntry) -> LeastCrossEntropy:
    """Return the claim of an entry."""
    bounds = ClaimedBound.read(entry)
    head = read_head(entry.get("slope"), entry.get("intercept"), entry.get("steepest"), as_key)
    p = read_probability(entry.table.get("p", "1/2"), "p")
    programs = Programs.FORMULA if entry.get("as_formula") else Programs.COMPILED
    return LeastCrossEntropy(entry.request(programs, entry.lengths), entry.choice("language", "parity", "2dyck"), p,
                             head, entry.get("direction"), bounds)
