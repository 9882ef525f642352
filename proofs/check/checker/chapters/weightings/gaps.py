"""The gaps of sparse weightings and of softmax plus one; docs/background/obligations.md, Attention head, 7."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ...kernel.reading.records import SPARSE
from ..formula.attention.gaps import Gaps, Listed, ScoreGaps
from ..formula.kernels import NEGLIGIBLE


class GapsOfOtherWeightings(Gaps):
    """Gaps with other lists of gaps to sum."""

    def _groups(self, listed: Listed, longest: int, t: int, denominator: int,
                scores: ScoreGaps) -> Iterator[Sequence[Fraction]]:
        """Yield the gaps for each place of the pivot of a sparse weighting, or all gaps if one place has them all.

        Places outside of the range have no more gaps than its ends.
        """
        before, after = (max(side, default=0) for side in listed)
        if self._weighting not in SPARSE or before + after < longest:
            yield [*listed.before.values(), *listed.after.values(), *self._beside(t, denominator, scores)]
            return
        for place in range(max(1, longest - after), min(longest, before + 1) + 1):
            self._proof.budget.spend(len(listed.before) + len(listed.after))
            yield [*(gap for k, gap in listed.before.items() if k < place),
                   *(gap for k, gap in listed.after.items() if k <= longest - place)]

    def _beside(self, t: int, denominator: int, scores: ScoreGaps) -> list[Fraction]:
        """Return the gap of the additional 1 in the denominator of softmax plus one: its score and its value are 0."""
        if not t or self._weighting in SPARSE:
            return []
        return [max(Fraction(-min(scores.pivots), denominator), Fraction(-NEGLIGIBLE))]

    def _can_err(self, t: int) -> bool:
        """Return whether an error is possible; where t is true, the additional 1 of softmax plus one is bad."""
        some_pivot = any(both[t].pivots for both in self._rule.extremes)
        return super()._can_err(t) or (some_pivot and t == 1 and self._weighting not in SPARSE)
