"""Heads under a float model; docs/background/floats_rules.md, section 4, rules 3, 4 and 7."""

from collections.abc import Callable, Iterable
from fractions import Fraction

from ...kernel.budget import Cache
from ...kernel.language import Place
from ...kernel.numbers import ZERO
from ...kernel.reading.records import ApproximateCount, ApproximateTruth, Average, Head, Mean, PositionalNumber
from ...kernel.verdicts import Rejected, refuse, require
from ..formula.attention.attention import AttendedTruth
from ..formula.composition import names_in
from ..formula.families import WrittenDirection, looks_up_a_sum
from ..formula.proof import ProofContext
from ..sums.lookup.peaked import find_covered, find_shapes
from ..sums.lookup.target import LookupTarget
from .enclosures import FloatEnclosures
from .forms import Arithmetic, FloatValue, join
from .rows import ENOUGH, RowByRow
from .score_differences import AttentionScores, LookupScores, RealSpread, ScoreSpread, find_score, join_spread
from .softmax import Softmax

ANY_CURVATURE = Fraction(64)  # any curvature is right where a row sees one position
FEW = 8  # positions: fewer have no second differences


class Heads:
    """Proofs of the heads' outputs under a float model; ``by_rows`` allows rule 7 for lookups."""

    def __init__(self, proof: ProofContext, arithmetic: Arithmetic, enclosures: FloatEnclosures, by_rows: bool) -> None:
        self._proof, self._arithmetic, self._enclosures, self._by_rows = proof, arithmetic, enclosures, by_rows
        self._powers = Cache[tuple[int, bool], int]()
        self._softmax = Softmax(arithmetic.budget, arithmetic.claim, proof.claim.max_n)

    def check(self, head: Head, name: str) -> None:
        """Check one direction that a head writes."""
        meaning = self._proof.directions[name]
        if isinstance(meaning, PositionalNumber | Mean | Average):
            require(not any(head.queries), "a head of equal weights reads something in its queries")
            self._check_values(head, name)
            for n in self._lengths(head, name):
                find_score(self._proof, self._arithmetic, self._enclosures, head, n)  # all is finite
                self._enclosures.value(name, n)
        elif isinstance(meaning, ApproximateTruth):
            self._check_near(head, name, meaning)
        elif isinstance(meaning, ApproximateCount):
            self._check_number(head, name, meaning)

    def _lengths(self, head: Head, name: str, more: Iterable[Place] = ()) -> list[int]:
        """Return the lengths whose rows are checked."""
        read = [name, *names_in([*head.queries, *head.keys, head.values[name]])]
        places = [*self._proof.places_of(read), head.temperature, *more]
        return [n for n, _ in self._enclosures.lengths(self._proof.lengths(places, head.mask), read)]

    def _check_values(self, head: Head, name: str) -> None:
        """Check that the value row is exact, for any word."""
        for n in self._lengths(head, name):
            self._enclosures.values(name, n)

    def _check_near(self, head: Head, name: str, meaning: ApproximateTruth) -> None:
        """Check rule 3: for all rows of a length together; then row by row where that fails and is allowed."""
        sums = looks_up_a_sum(self._proof, WrittenDirection(name, meaning, [head]))
        require(not sums, "lookups of sums of counts have no rule for float executions")
        self._check_values(head, name)
        errors = self._proof.errors[name]
        attends = all(self._proof.is_known(self._proof.directions[source]) for source in names_in(head.queries))
        lengths = [*self._proof.claim.lengths]
        if attends:
            attention = AttendedTruth(self._proof, head, name, meaning, errors)
            lengths = self._lengths(head, name, attention.places)
            is_ranked, rows = has_truths_as_values(attention, lengths), None
            find: Callable[[int], RealSpread] = AttentionScores(self._proof, attention).find
        else:
            target = LookupTarget(self._proof, head, name, meaning)
            is_ranked, rows = False, self._rows(head, name, target)
            find = LookupScores(self._proof, head, name, target).find
        spreads = dict[ScoreSpread, list[int]]()
        for n in reversed(lengths):
            score = find_score(self._proof, self._arithmetic, self._enclosures, head, n)
            spreads.setdefault(join_spread(score, find(n)), []).append(n)
        for spread in sorted(spreads, key=lambda spread: spread.difference, reverse=True):
            try:
                self._softmax.prove_near(spread, errors, is_ranked)
            except Rejected:
                if rows is None:
                    raise
                self._softmax.check_range(spread)
                for n in spreads[spread]:
                    rows.find_error(n)

    def _rows(self, head: Head, name: str, target: LookupTarget) -> RowByRow | None:
        """Return rule 7 for a head, if it is allowed."""
        return None if not self._by_rows else RowByRow(
            self._proof, self._enclosures, self._softmax, head, name, target, self._powers)

    def _check_number(self, head: Head, name: str, meaning: ApproximateCount) -> None:
        """Check rule 4: every value is j - off, and the scores are a parabola with its top at the target number."""
        self._check_values(head, name)
        target, lengths = LookupTarget(self._proof, head, name, meaning), self._proof.claim.lengths
        scores = LookupScores(self._proof, head, name, target)
        rows, curvature = self._rows(head, name, target), self._find_curvature(head, name, target, scores)
        values = join([self._enclosures.values(name, n) for n in lengths])
        require(values.low >= 0, "a value is negative")
        errors, error = dict[ScoreSpread, Fraction | None](), ZERO
        for n in reversed(lengths):
            spread = join_spread(find_score(self._proof, self._arithmetic, self._enclosures, head, n), scores.find(n))
            if spread not in errors:
                errors[spread] = self._number_error(spread, curvature, values.high, rows is not None)
            error = max(error, find_least(errors[spread], rows, n))
        self._enclosures.numbers[name] = FloatValue(ZERO, Fraction(lengths[-1]), error, None)

    def _number_error(self, spread: ScoreSpread, curvature: Fraction, greatest: Fraction,
                      may_fail: bool) -> Fraction | None:
        """Return the error by rule 4; None if there is none, and rule 7 may give one."""
        try:
            return self._softmax.number_error(spread, curvature, greatest)
        except Rejected:
            if not may_fail:
                raise
            self._softmax.check_range(spread)
            return None

    def _find_curvature(self, head: Head, name: str, target: LookupTarget, scores: LookupScores) -> Fraction:
        """Return the least curvature of all parabolas, 1 or more; for few positions it is computed from the scores."""
        covered = find_covered(self._proof, head, name, target)
        shapes = find_shapes(self._proof, head, target)
        found = [shapes[n][1] for n in covered]
        for n in self._proof.claim.lengths:
            if n not in covered:
                require(n <= FEW, "the scores are not proved to be a parabola around the target")
                own = scores.find_curvature(n)
                found += [] if own is None else [own]
        least = min(found, default=ANY_CURVATURE)
        require(least >= 1, "the scores are flatter than j^2")
        return least


def find_least(error: Fraction | None, rows: RowByRow | None, n: int) -> Fraction:
    """Return the lesser of the errors by rule 4, if there is one, and by rule 7, if it is allowed and may help."""
    if error is not None and (rows is None or error <= ENOUGH):
        return error
    if rows is None:
        refuse("no bounds of the weights")
    try:
        found = rows.find_error(n)
    except Rejected:
        if error is None:
            raise
        return error
    return found if error is None else min(error, found)


def has_truths_as_values(attention: AttendedTruth, lengths: Iterable[int]) -> bool:
    """Return whether every value is 0 or 1, for any word: lemma T ranks weights, and their products with values."""
    letters = (one for n in lengths for one in attention.read_letters(n)[0])
    return all(known + letter.adds[-1] in (0, 1) for known, some in letters for letter in some)
