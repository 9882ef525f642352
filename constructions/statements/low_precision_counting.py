"""Counts for low precision: decided from their mean by saturation, without attention to a position.

Claim       Let L be the number of positions of the count (i to the left, n + 1 - i to the right), v = 1/L, K >= 2N a
            power of two, N the greatest length.
            (a) *Thresholds.* Let D be a sum of multiples of counts of one side, and a its average D/L, which a uniform
            head holds exactly. ReLU(K((m - 1/2) v - a)) is the slack of D >= m: exactly 0 where D >= m, at least 1
            elsewhere. ReLU(K(a - (m + 1/2) v)) is that of D <= m.
            (b) *One side.* T = q D + c, D with coprime coefficients: T >= 0 if and only if D >= ceil(-c/q) for q > 0,
            or D <= floor(-c/q) for q < 0; T <= 0 is symmetric. So its slack is the slack of a threshold.
            (c) *Predicates.* With z_m the slack of κ >= m, θ(κ) = θ(0) + Σ (θ(m) - θ(m - 1)) ReLU(1 - z_m) over m = 1,
            ..., N; only those m contribute where θ changes.
            (d) *Both sides.* κ = Σ ReLU(1 - z_m) over m = 1, ..., N, so T is a sum of exact integers: ReLU(-T) is the
            slack of T >= 0, and ReLU(T) that of T <= 0.
Proof       (a) K((m - 1/2) v - a) = K (m - 1/2 - D)/L is at most -K/(2L) < 0 where D >= m, and at least K/(2L) >= 1
            where D <= m - 1, as L <= N; the other one is symmetric. (c), (d): ReLU(1 - z_m) is 1 where κ >= m and 0
            elsewhere, so the sum telescopes, κ being at most N.
Depends     on N, by K and the number of thresholds: this does not weaken a certificate for n <= N; there is no theorem
            for every n. In floating point the half is the margin for the rounding errors of a and v, and the reason for
            K to be greater than necessary.
Uses        Theorem 20's uniform heads; 1/i and 1/(n + 1 - i) are embedded.
"""

from fractions import Fraction
from math import ceil, floor, gcd

from constructions.draft import ONE, Draft
from constructions.errors import Unsupported
from constructions.language.predicates import definition_of
from constructions.language.printer import format_briefly
from constructions.language.syntax import Comparison, Count, PredicateOnCount, Term
from constructions.network.meanings import Average, Slack, Total
from constructions.network.transformer import Coefficients, Mask
from constructions.statements.lemma_07_table_lookup import reciprocal_of_length
from constructions.statements.proposition_11_end_markers import add_uniform_head
from constructions.statements.saturated_comparison import decide_by_slack
from constructions.statements.theorem_20_counting import add_mean, bounded_difference

ZERO, HALF = Fraction(0), Fraction(1, 2)
SOURCE = "counts for low precision"
STEEPNESS = 4
"""K is this multiple of a power of two that is at least N."""


def add_comparison_for_low_precision(draft: Draft, formula: Comparison) -> str:
    """Return the direction ``is[s R t]`` where s - t mentions a count; the directions inside counts must exist."""
    term = bounded_difference(formula)
    if len({count.side for _, count in term.coefficients}) == 1:
        return decide_by_slack(draft, formula, lambda bound: _slack_of_one_side(draft, bound, term))
    return decide_by_slack(draft, formula, lambda bound: _slack_of_both_sides(draft, bound, term))


def add_predicate_on_count_for_low_precision(draft: Draft, formula: PredicateOnCount) -> str:
    """Return the direction ``is[θ(κ)]``; the direction of the truth inside the count must exist.

    Raises:
        Unsupported: if the predicate depends on n, so that its thresholds do.
    """
    rule = definition_of(formula)
    if rule.depends_on_n:
        raise Unsupported(f"{format_briefly(formula)}: {formula.name} depends on the length n, expected "
                          "the same thresholds at every length")
    truths = [rule.holds(k, _longest(draft), formula.parameters) for k in range(_longest(draft) + 1)]
    units = [({_threshold(draft, formula.count, m): -ONE}, ONE, ONE if truths[m] else -ONE)
             for m in range(1, len(truths)) if truths[m] != truths[m - 1]]
    return draft.add_truth(formula, units, Fraction(truths[0]))


def add_total(draft: Draft, count: Count) -> str:
    """Return the direction ``total[κ]``: exactly κ."""
    return draft.once(Total(count), lambda: draft.add_feed_forward(
        draft.spell("total", count), Total(count),
        [({_threshold(draft, count, m): -ONE}, ONE, ONE) for m in range(1, _longest(draft) + 1)], ZERO))


def _longest(draft: Draft) -> int:
    assert draft.low_precision_up_to is not None, "only drafts for low precision come here"
    return draft.low_precision_up_to


def _threshold(draft: Draft, count: Count, m: int) -> str:
    """Return the direction that holds the slack of κ >= m."""
    bound = Comparison(">=", Term(((1, count),), 0), Term((), m))
    term = Term(((1, count),), -m)
    return draft.once(("slack", ">=", term), lambda: draft.add_feed_forward(
        draft.spell("slack", bound), Slack(bound), [(*_slack_of_one_side(draft, bound, term), ONE)], ZERO))


def _slack_of_one_side(draft: Draft, bound: Comparison, term: Term) -> tuple[Coefficients, Fraction]:
    """Return the input row and bias of the hidden unit of the slack of T >= 0 or T <= 0."""
    divisor = gcd(*(number for number, _ in term.coefficients)) * (1 if term.coefficients[0][0] > 0 else -1)
    parts = Term(tuple((number // divisor, count) for number, count in term.coefficients), 0)
    average, reciprocal = _add_average(draft, parts), reciprocal_of_length(draft, parts.coefficients[0][1].side)
    zero, steepness = Fraction(-term.constant, divisor), Fraction(STEEPNESS * _power_of_two(_longest(draft)))
    if (bound.relation == ">=") == (divisor > 0):
        return {average: -steepness, reciprocal: steepness * (ceil(zero) - HALF)}, ZERO
    return {average: steepness, reciprocal: -steepness * (floor(zero) + HALF)}, ZERO


def _slack_of_both_sides(draft: Draft, bound: Comparison, term: Term) -> tuple[Coefficients, Fraction]:
    """Return the input row and bias of that hidden unit from the counts themselves."""
    sign = -1 if bound.relation == ">=" else 1
    return ({add_total(draft, count): Fraction(sign * number) for number, count in term.coefficients},
            Fraction(sign * term.constant))


def _power_of_two(least: int) -> int:
    """Return the least power of two that is at least ``least``.

    >>> _power_of_two(64), _power_of_two(65)
    (64, 128)
    """
    return 1 << (least - 1).bit_length()


def _add_average(draft: Draft, term: Term) -> str:
    """Return the direction ``average[Σ c κ]``, or the mean of a single count."""
    match term.coefficients:
        case ((1, count),):
            return add_mean(draft, count)
    return draft.once(Average(term), lambda: _add_average_head(draft, term))


def _add_average_head(draft: Draft, term: Term) -> str:
    mask = Mask.FUTURE if term.coefficients[0][1].side == "left" else Mask.PAST
    values = {draft.truth(count.operand): Fraction(number) for number, count in term.coefficients}
    return add_uniform_head(draft, "uniform", SOURCE, mask, draft.spell("average", term), values, Average(term))
