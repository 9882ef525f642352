"""The truth of T R 0 from a number near the integer T, by ReLUs that saturate, in two feed-forward blocks.

Claim       Let T be an integer and |H - T| <= 1/4. ReLU(-2H - 1/2), the *slack* of T >= 0, is exactly 0 where T >= 0,
            as there H >= -1/4, and at least 1 elsewhere, as there H <= -3/4. ReLU(2H - 1/2) is the slack of T <= 0. If
            z is the slack of a comparison, ReLU(1 - z) is its truth; if z and z' are the slacks of both, one of which
            is always 0, ReLU(1 - z - z') is the truth of T = 0.
Differs     [SHA] rounds by a difference of two ReLUs (Lemma 9), which is small where both are large; here nothing large
            is ever subtracted (DIVERGENCES.md).
"""

from collections.abc import Callable
from fractions import Fraction

from constructions.draft import ONE, Draft
from constructions.language.syntax import Comparison, Formula, Relation, difference
from constructions.network.meanings import Meaning, Slack
from constructions.network.transformer import Coefficients

ZERO = Fraction(0)
MARGIN = Fraction(1, 4)
"""Greatest |H - T|; the slack rises from 0 to 1 between -MARGIN and MARGIN - 1."""
SLOPE = 1 / (1 - 2 * MARGIN)

SlackUnit = Callable[[Comparison], tuple[Coefficients, Fraction]]
"""The input row and bias of the hidden unit whose output is the slack of a comparison by >= or <=."""

_BOUNDS: dict[Relation, tuple[Relation, ...]] = {
    ">=": (">=",), "<": (">=",), "<=": ("<=",), ">": ("<=",), "==": (">=", "<="), "!=": (">=", "<=")}
"""The comparisons whose slacks decide a relation to 0: all of them hold, or, if it is negated, not all."""
_NEGATED: tuple[Relation, ...] = ("<", ">", "!=")


def decide(draft: Draft, formula: Comparison, row: Coefficients, constant: Fraction,
           meaning: Callable[[Formula], Meaning]) -> str:
    """Return the direction ``is[s R t]`` of a comparison, where row . h + constant is H and s - t is T.

    The slack directions have the ``meaning`` of their comparisons.
    """
    def unit_of(bound: Comparison) -> tuple[Coefficients, Fraction]:
        factor = -SLOPE if bound.relation == ">=" else SLOPE
        return {name: factor * weight for name, weight in row.items()}, factor * constant - SLOPE * MARGIN

    return decide_by_slack(draft, formula, unit_of, meaning)


def decide_by_slack(draft: Draft, formula: Comparison, unit_of: SlackUnit,
                    meaning: Callable[[Formula], Meaning] = Slack) -> str:
    """Return the direction ``is[s R t]`` of a comparison, from the slack of s - t >= 0 or s - t <= 0, or of both.

    Each slack is the output of ``unit_of`` its comparison, and its direction has the ``meaning`` of the comparison.
    """
    slacks = [_slack(draft, Comparison(relation, formula.left, formula.right), unit_of, meaning)
              for relation in _BOUNDS[formula.relation]]
    reads = dict.fromkeys(slacks, -ONE)
    if formula.relation in _NEGATED:
        return draft.add_truth(formula, [(reads, ONE, -ONE)], ONE)
    return draft.add_truth(formula, [(reads, ONE, ONE)], ZERO)


def _slack(draft: Draft, bound: Comparison, unit_of: SlackUnit, meaning: Callable[[Formula], Meaning]) -> str:
    """Return the direction ``slack[T >= 0]`` or ``slack[T <= 0]``, built once however T is spelled."""
    return draft.once(("slack", bound.relation, difference(bound)), lambda: draft.add_feed_forward(
        draft.spell("slack", bound), meaning(bound), [(*unit_of(bound), ONE)], ZERO))
