"""Lower bounds of the cross-entropy of predictions that change little when one symbol of the prefix is exchanged.

Source      [Hahn] Theorem 6, with the constants and the repair of docs/background/hahn.md. ln(1 + e^x) is written
            sp(x).
PARITY      s is the greatest change of the log-odds of the end, at position n >= 2, when one symbol before the last is
            exchanged. Then CE_n >= H_1 - (p(1-p)/(2-p)²) s.
            Proof. The symbols 0 and 1 cost at least (1-p/2) ln 2, whatever is predicted of the end. For the end:
            exchanging the symbol before the last, b, is a bijection between even and odd prefixes that end with b. Of
            u0b and u1b one is even before b and one is odd, and up to there both weigh the same; so the pair's masses
            are λ_b : 1 - λ_b, the even one first. With log-odds a even, c odd, |a - c| <= s, m = λa + (1-λ)c:
            λ(sp(a) - pa) + (1-λ)sp(c) >= sp(m) - λp a >= sp(m) - λp m - λp(1-λ)s >= h(λp) - λ(1-λ)p s, by convexity,
            a - m = (1-λ)(a-c) <= (1-λ)s, and Gibbs. Both λ_b(1-λ_b) are (1-p)/(2-p)². ∎
            With s' for an exchange at any position, including the last: CE_n >= H_0 - (p/4)s', the same with λ = 1/2.
2DYCK       s is the greatest change of the log-odds of ) against ], at position n, when the type of one bracket before
            the last is exchanged. Then CE_n >= h(p) + p ln 2 + P_0(n)(1-p) ln(1 + e^(-s/2)), and ln(1 + e^(-s/2)) >=
            ln 2 - s/4.
            Proof. The kind of the next symbol (opening, closing or end) costs at least h(p), whether a bracket is open
            or not, and the type of an opening bracket at least ln 2. The type of a closing bracket: let the
            prefix end with a closing bracket and not be balanced; exchange the type of the innermost open bracket.
            It is before position n and matched by nothing in the prefix, so the result is a prefix of the same
            mass, after which the other type closes: a bijection. On both together (sp(-a) + sp(c))/2 >=
            sp(-(a-c)/2) >= sp(-s/2), by convexity. ∎ sp(-s/2) is attained at a = s/2, c = -s/2; the tangent at s = 0
            is ln 2 - s/4.
"""

from fractions import Fraction

from constructions.errors import InternalError
from proofs.enclosures.intervals import Interval, point
from proofs.numbers.cross_entropy import brackets, parity
from proofs.numbers.cross_entropy.entropies import cost, logistic, softplus, total

HALF = Fraction(1, 2)


def parity_lower_bound(p: Fraction, sensitivity: Fraction) -> Interval:
    """Return the least cross-entropy at every n >= 2 for that sensitivity, by the least cost of each pair of log-odds.

    It is at least H_1 - (p(1-p)/(2-p)²) s, and attained by log-odds that depend on the parity and the last symbol.
    """
    costs = (least_cost_of_pair(parity.share_of_even(last, p), p, sensitivity).scaled(HALF) for last in (0, 1))
    return total(*costs, parity.cost_of_symbols(p))


def bracket_lower_bound(n: int, p: Fraction, sensitivity: Fraction) -> Interval:
    """Return h(p) + p ln 2 + P_0(n)(1-p) ln(1 + e^(-s/2))."""
    excess = softplus(point(-sensitivity / 2)).scaled(brackets.asked_for_type(n, p) * (1 - p))
    return total(brackets.optimal_entropy(p), excess)


def least_cost_of_pair(share: Fraction, p: Fraction, sensitivity: Fraction, steps: int = 64) -> Interval:
    """Enclose the least λ(sp(a) - pa) + (1-λ)sp(c) over all a and c with |a - c| <= s; 0 < λ = ``share`` < 1.

    For fixed a it decreases with c, so c = a - s; the rest is convex in a, and its slope is at least -1: where the
    slope is negative at ``low`` and positive at ``high``, no value is below the one at ``low`` minus the distance.
    """
    low, high = _around_the_least(share, p, sensitivity)
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if _slope_is_positive(share, p, sensitivity, middle) else (middle, high)
    value = total(cost(p, point(low)).scaled(share), softplus(point(low - sensitivity)).scaled(1 - share))
    return Interval(value.lower - (high - low), value.upper)


def _around_the_least(share: Fraction, p: Fraction, sensitivity: Fraction) -> tuple[Fraction, Fraction]:
    """Return numbers between which the least value is attained."""
    low, high = Fraction(-1), Fraction(1)
    while _slope_is_positive(share, p, sensitivity, low):
        low *= 2
    while not _slope_is_positive(share, p, sensitivity, high):
        high *= 2
    return low, high


def _slope_is_positive(share: Fraction, p: Fraction, sensitivity: Fraction, a: Fraction) -> bool:
    """Return whether λ(σ(a) - p) + (1-λ)σ(a - s) > 0, σ the logistic function.

    Raises:
        InternalError: if the enclosures do not decide it.
    """
    slope = total(logistic(a).scaled(share), logistic(a - sensitivity).scaled(1 - share), point(-share * p))
    if slope.lower <= 0 < slope.upper:
        raise InternalError(f"the sign of a slope is not decided at {a}")
    return slope.lower > 0
