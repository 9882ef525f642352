"""Claims decided by `certify cross-entropy`: bounds on the cross-entropy of prefixes (docs/background/hahn.md).

The claim is about the least cross-entropy over all admitted output maps. An upper bound is attained by the map that was
found, a lower bound is forced by the small change of the predictions; for a given map it is its own.
"""

from dataclasses import replace

from certify.auditing.kinds.kind import ClaimedBound, ClaimEntry, Question, Side
from certify.auditing.results import ClaimAnswer, LengthVerdict, Witness, outward
from certify.claims.numbers.cross_entropy.measure import measure, read_head, read_probability
from certify.claims.numbers.cross_entropy.results import LengthOfPrefixes
from certify.requests.inputs import as_key
from certify.requests.subjects import Programs
from constructions.network.lengths import Lengths
from proofs.enclosures.intervals import Interval
from proofs.formula.discharge import Progress


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry: the network, its language, the admitted output maps, the claimed bounds."""
    bounds = ClaimedBound.read(entry)
    head = read_head(entry.get("slope"), entry.get("intercept"), entry.get("steepest"), as_key)
    p = read_probability(entry.table.get("p", "1/2"), "p")
    programs = Programs.FORMULA if entry.get("as_formula") else Programs.COMPILED
    request, language = entry.request(programs, entry.lengths), entry.choice("language", "parity", "2dyck")
    is_one_map = head.slope is not None and head.offset is not None

    def row_of(row: LengthOfPrefixes) -> LengthVerdict:
        lower = row.levels.optimal.lower
        if row.forced is not None:
            lower = max(lower, row.forced.lower)
        if is_one_map and row.found is not None:
            lower = row.found.lower
        ends = outward(lower, lower if row.found is None else row.found.upper)

        def witness(value: Interval, bound: Interval, side: Side) -> Witness:
            return Witness("the cross-entropy", row.n, value, bound, "", side=side)

        judged = bounds.row(row.n, ends.lower, None if row.found is None else ends.upper, witness)
        return replace(judged, reason=row.reason or judged.reason) if judged.verdict == "unknown" else judged

    def decide(lengths: Lengths, progress: Progress) -> ClaimAnswer:
        """Measure every length."""
        found = measure(replace(request, lengths=lengths), language, p, head, entry.get("direction"), list(lengths),
                        progress)
        return ClaimAnswer(tuple(map(row_of, found.rows)), measure="cross-entropy")

    return Question(f"{request.description}: cross-entropy (nats) on {language}, p = {p}", decide)
