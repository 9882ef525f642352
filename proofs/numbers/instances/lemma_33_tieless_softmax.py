"""Lemma 33: softmax near a tieless maximum, with errors in the scores.

Source      [SHA] Lemma 33: s_1 >= M - ε, s_i <= M - γ + ε for i > 1, 0 <= ε < γ/2: the distance of softmax_τ(s) from
            (1, 0, ..., 0) is at most 2n e^(-(γ-2ε)/τ).
Reduction   The distance is 2(1 - α_1); it grows with every s_i, i > 1, and as s_1 falls. So the worst s has equality
            everywhere, and with q = e^(-(γ-2ε)/τ) the distance is exactly 2(n-1)q/(1 + (n-1)q), for all M, τ > 0, γ,
            ε. Printed bound minus this, over the common denominator, has no negative coefficient in q: it holds for
            every q > 0, that is without ε < γ/2 too, and for n - 1 in place of n (the printed sum has n - 1 terms).
"""

from fractions import Fraction

from proofs.numbers.instances.comparing import PolynomialQuotient, instance_for_every_gamma, quotient
from proofs.numbers.instances.examination import Examination, Instance

SHOWN_AT = Fraction(3)


def worst_distance(n: int) -> PolynomialQuotient:
    """Return 2(n-1)q/(1 + (n-1)q), the worst distance."""
    return quotient({1: 2 * (n - 1)}, {0: 1, 1: n - 1})


def _examine(n: int, count: int) -> Instance:
    return instance_for_every_gamma(n, "s = (M - ε, M - γ + ε, ..., M - γ + ε), (γ - 2ε)/τ in place of γ",
                                    worst_distance(n), quotient({1: 2 * count}), SHOWN_AT)


COVERS = "every s of length n, every M, γ, ε, τ > 0"
EXAMINATIONS = (
    Examination("lemma-33", "Lemma 33", "|t - softmax_τ(s)|_1 <= 2n e^(-(γ-2ε)/τ)", COVERS, lambda n: _examine(n, n)),
    Examination("lemma-33-sharp", "Lemma 33", "|t - softmax_τ(s)|_1 <= 2(n-1) e^(-(γ-2ε)/τ)", COVERS,
                lambda n: _examine(n, n - 1)),
)
