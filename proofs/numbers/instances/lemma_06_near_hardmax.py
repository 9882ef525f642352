"""Lemma 6: scores that decrease by γ per position leave at most 4e^(-γ) of attention elsewhere.

Source      [SHA] Lemma 6: if s_j <= s_j* - |j - j*| γ for all j, then |hardmax(s) - softmax(s)|_1 <= 4e^(-γ).
Reduction   The distance is 2(1 - α) with α the weight of j*, so it grows with every other score: for given n and j*
            the worst s has equality everywhere. With x = e^(-γ) and S = Σ x^k over k = 1, ..., j*-1 and over k = 1,
            ..., n-j* the worst distance is exactly 2S/(1+S).
Sharp form  It is at most 4x/(1+x), the number in the printed proof, since 2x(1+S) - S(1+x) = x^j* + x^(n-j*+1); both
            sides become equal as j* and n - j* grow. At x -> 0 it is 4x in first order if 1 < j* < n: no constant
            below 4 is enough for every γ.
Stronger    Section 3.2 calls it stronger than a bound of Edelman et al. for scores of gap γ, which the remark after
            Lemma 33 likens to 2n e^(-γ) (their paper was not read). From n = 2 on it is at most that, equal at n = 2.
Edge        γ > 0 is meant: hardmax is defined for tieless scores only. For γ <= 0 the bound is at least 4, and no two
            weightings differ by more than 2, for every definition of hardmax.
"""

from collections.abc import Iterable
from fractions import Fraction

from flint import fmpz_poly

from proofs.numbers.instances.comparing import PolynomialQuotient, instance_for_every_gamma, polynomial, quotient
from proofs.numbers.instances.examination import Examination, Instance

SHOWN_AT = Fraction(3)
ONE = polynomial({0: 1})
FOUR_X, FOUR_X_OVER_1_PLUS_X = quotient({1: 4}), quotient({1: 4}, {0: 1, 1: 1})


def geometric(last: int) -> fmpz_poly:
    """Return x + x^2 + ... + x^last."""
    return polynomial(dict.fromkeys(range(1, last + 1), 1))


def worst_distance(n: int, winner: int) -> PolynomialQuotient:
    """Return 2S/(1+S), the distance for the worst scores of length n that are greatest at position ``winner``."""
    others = geometric(winner - 1) + geometric(n - winner)
    return PolynomialQuotient(2 * others, ONE + others)


def _examine(n: int, bound: PolynomialQuotient) -> Iterable[Instance]:
    for winner in sorted(range(1, n + 1), key=lambda winner: abs(2 * winner - n - 1)):  # the most central first
        yield instance_for_every_gamma(n, f"s_j = -γ |j - {winner}|", worst_distance(n, winner), bound, SHOWN_AT)


EXAMINATIONS = (
    Examination("section-3-2-stronger", "Section 3.2", "4e^(-γ) is at most 2n e^(-γ), the bound of Lemma 33 for "
                "tieless scores with gap γ", "every γ", lambda n: instance_for_every_gamma(
                    n, "4e^(-γ) against 2n e^(-γ)", FOUR_X, quotient({1: 2 * n}), SHOWN_AT),
                "one position: both distances are 0"),
    Examination("lemma-06", "Lemma 6", "|hardmax(s) - softmax(s)|_1 <= 4e^(-γ)",
                "every γ > 0 and every s of length n", lambda n: _examine(n, FOUR_X)),
    Examination("lemma-06-sharp", "Lemma 6", "|hardmax(s) - softmax(s)|_1 <= 4e^(-γ)/(1 + e^(-γ))",
                "every γ > 0 and every s of length n", lambda n: _examine(n, FOUR_X_OVER_1_PLUS_X)),
)
