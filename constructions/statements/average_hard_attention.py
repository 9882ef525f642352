"""Softening of average-hard attention, including ties: one temperature for all layers, no rounding between them.

Source      Ours; [SHA] leaves the case open (Section 1). Setting, norm and constants are those of
            ``theorem_26_uniform_tieless``, where *tieless head* is any head that is not uniform: average-hard, ties
            allowed. The gap γ(n) is the least *positive* difference from the greatest score
            (docs/background/softened_rules.md, 1); γ is min(γ(n), 1), and 1 if there is no gap.
Tied head   If the input of layer ℓ has error ε with 8 K2 x ε <= τ, then by Lemma 32 no δ_j of
docs/background/softened_rules.md, section
            3, is above D = 2 K2 x ε, and ρ = D/τ <= 1/4. With m winners and S the greatest |v_t(j) - μ_t| the rule
            there adds to the error of a direction, besides ν_t: for the ties at most (m - 1)(e^ρ - 1) S/(1 + (m - 1)
            e^-ρ) <= (e^ρ - 1) e^ρ S <= 3ρS/2, as (e^ρ - 1) e^ρ/ρ grows and is below 3/2 at 1/4; and for the losers at
            most n e^ρ e^(-γ/τ) S, as the denominator is at least 1. S <= 2 max|v_t|, which adds up to 2 ‖W‖ C_ℓ x.
One layer   After layer ℓ the error is at most (1 + F_ℓ)((1 + V_ℓ)ε + 2 T_ℓ C_ℓ x (n e^ρ e^(-γ/τ) + 3ρ/2)) <= K1(ε + 3
            K2 x² ε/τ + e n x e^(-γ/τ)). The term with 1/τ is the cost of ties.
Theorem     Let G = 4 K1 K2 x²/γ and R = 8e K1 n x (2(L - 1) G/e)^(L-1), the power being 1 for L = 1. At every τ <= γ/(2
            ln R) softmax in all heads changes every direction by at most 1/4, and the rules of
            docs/background/softened_rules.md certify it.
Proof       y = γ/τ >= 2 ln R >= 2. Let κ = e K1 n x e^-y and Λ = K1(1 + 3 K2 x²/τ) = K1(1 + 3 K2 x² y/γ): then 2 <= Λ
            <= G y, as K2 x²/γ >= 1. Claim: after layer ℓ the error is at most κ(1 + Λ + ... + Λ^(ℓ-1)) <= 2κ Λ^(ℓ-1),
            and for ℓ < L it is ε with 8 K2 x ε <= τ. By induction: one layer gives Λε + κ. The second part requires 8
            K2 x 2κ (Gy)^(ℓ-1) <= γ/y, which is 4 e n (Gy)^ℓ e^-y <= 1. Both this and 2κ (Gy)^(L-1) <= 1/4 follow from
            8e K1 n x (Gy)^(L-1) e^-y <= 1. As y^(L-1) e^(-y/2) is greatest at y = 2(L - 1), the left side is at most R
            e^(-y/2) <= 1. ∎
Order       1/τ = O((L/γ) log(n x K1 K2 L/γ)), as in Theorem 26. Ties in a layer are broken by errors of about e^(-γ/τ)
            times powers of 1/τ, compared with τ: one exponential is smaller than L powers. (Exact weights with error
            e^±ρ among ties have an error of tanh(D/(4τ)) in total variation: this would allow a quarter of G.)
Temperature For γ >= c/n^k and x <= s n^m at the lengths at hand, with 2^b >= 8 e^(2-L) K1 s (8 (L - 1) K1 K2
            s²/c)^(L-1) and ln 2 < 7/10, τ(n) = 5 c/(7 n^k (b + log2ceil(n^p))), p = 1 + m + (L - 1)(k + 2m), is not
            above γ/(2 ln R).
Mixtures    Leftmost and rightmost heads without ties are average-hard; those with ties get a term that breaks them
            (``breaking_ties``).
"""

from fractions import Fraction

from constructions.language.expressions import Expression
from constructions.statements.theorem_26_uniform_tieless import Constants, Law, temperature_from_powers

E_AT_LEAST, E_AT_MOST = Fraction(27182, 10_000), Fraction(27183, 10_000)


def temperature_with_ties(constants: Constants, gap: Law, x_max: Law) -> Expression:
    """Return a τ(n) at most that of the theorem if the gap is at least its law, and x_max at most its own.

    >>> one = Fraction(1)
    >>> str(temperature_with_ties(Constants(1, one, 1, Fraction(2), one), Law(one, -1), Law(one, 0)))
    '5/(7*n*(6+log2ceil(n)))'

    Raises:
        Unsupported: if its numbers are too long.
    """
    powers = constants.layers - 1
    scale = 8 * constants.k1 * x_max.factor * _power_of_e(1 - powers)
    if powers > 0:
        scale *= (8 * powers * constants.k1 * constants.k2 * x_max.factor**2 / gap.factor) ** powers
    exponent = 1 + x_max.exponent + max(powers, 0) * (2 * x_max.exponent - gap.exponent)
    return temperature_from_powers(gap, scale, exponent)


def _power_of_e(exponent: int) -> Fraction:
    """Bound e^exponent from above by a rational number."""
    return E_AT_MOST**exponent if exponent > 0 else 1 / E_AT_LEAST**-exponent
