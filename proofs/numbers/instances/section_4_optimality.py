"""Section 4's remark on optimality, and two constants of its proofs.

Source      [SHA] after Corollary 18: by Lemma 5 of [Hahn], "for a fixed-size gap, some activation in the transformer
            must be scaled up by a factor of n", so 1/n is "optimal in the sense that we should not expect the factor
            of n to be asymptotically any smaller".
What it is  A statement about all transformers, which no instance decides. What [Hahn] proves is that a weight is at
            most e^(2A)/(n-1) if the scores are at most A in absolute value. For a fixed gap that requires scores of
            (ln n)/2 - O(1), not of order n. Two heads show that no more follows:
First       The scores β[j is first] with the first symbol as value. The first position has weight e^β/(e^β + m - 1)
            among m visible ones; the error is at most 1/4 if and only if β >= ln(3(m - 1)), and m = n is the worst. At
            e^β = 3(n-1) it is 1/4 exactly, and below that above 1/4: the critical factor is ln(3(n-1)). The change of
            one symbol changes the output by 3/4 at every position.
Previous    The task of Theorem 12. Write j - 1 in base B with 4 digits a_1, ..., a_4, B least with B^4 >= n, and embed
            a_k/B and (a_k/B)², all in [0, 1]. Let position i query the digits q of i - 1: γB²·Σ(2(q_k/B)(a_k/B) -
            (a_k/B)²) is, up to a constant, -γ·Σ(q_k - a_k)². With x = e^(-γ) = 1/27 the weights other than that of i
            - 1 sum to at most (1 + 2x + 2x^4 + 2x^9 + ...)^4 - 1 < 1/3 times it, as (1 + 2x + 2x^4/(1-x))^4 < 4/3:
            error below 1/4 for every n. The factor is (ln 27)·B², of order √n; with D digits it is of order n^(2/D).
            So with these embeddings the head of `prev` needs no factor of n. (For `since` in one head the tie-breaking
            terms are n numbers of a bounded range, any two neighbours apart by a constant over the factor: n is
            needed.)
Factor      "For a fixed-size gap, some activation must be scaled up by a factor of n": of order n, at least K n for
            some K. The first head needs ln(3(n-1)), less than n from n = 2 on, than n/8 from n = 41 on, and so on.
Constants   4e^(-3) < 1/4 (Theorems 12, 13, 15, 16); (3/2)e^(-3C) <= 1/(4C) for C >= 1 (Theorem 20): the left falls by
            e^(-3) < 1/2 from C to C + 1, the right by C/(C+1) >= 1/2.
"""

from collections.abc import Iterable
from fractions import Fraction

from proofs.numbers.instances.comparing import at_least, equality, instance, logarithm, power_of_e
from proofs.numbers.instances.examination import Examination, Instance

QUARTER, ZERO = Fraction(1, 4), Fraction(0)
DIGITS = 4
DIGIT_WEIGHT = Fraction(1, 27)


def first_position_error(n: int, e_to_beta: Fraction) -> Fraction:
    """Return the weight that is not on the first of n visible positions.

    >>> str(first_position_error(5, Fraction(12)))
    '1/4'
    """
    return Fraction(n - 1) / (e_to_beta + n - 1)


def base(n: int) -> int:
    """Return the least B with B^DIGITS >= n.

    >>> base(16), base(17)
    (2, 3)
    """
    return next(b for b in range(1, n + 1) if b**DIGITS >= n)


def digits(number: int, b: int) -> tuple[int, ...]:
    """Return the digits in base b, the lowest first.

    >>> digits(5, 2)
    (1, 0, 1, 0)
    """
    return tuple(number // b**k % b for k in range(DIGITS)) if b > 1 else (0,) * DIGITS


def previous_error(n: int, i: int) -> Fraction:
    """Return the weight that is not on position i - 1 when all n positions are visible."""
    b = base(n)
    asked = digits(i - 2, b)
    total = sum((DIGIT_WEIGHT ** sum((q - a) ** 2 for q, a in zip(asked, digits(j - 1, b), strict=True))
                 for j in range(1, n + 1)), ZERO)
    return 1 - 1 / total


def _previous(n: int) -> Instance:
    worst, i = max((previous_error(n, i), i) for i in range(2, n + 1))
    return instance(n, f"i = {i}, factor (ln 27)·{base(n)}²", worst, QUARTER)


def _factor(n: int) -> Iterable[Instance]:
    for k in (1, 2, 4, 8):
        yield at_least(n, f"the factor that attention to the first position needs, K = 1/{k}",
                       logarithm(Fraction(3 * (n - 1))), Fraction(n, k))


EXAMINATIONS = (
    Examination("section-4-factor-of-n", "Section 4", "for a fixed gap scores need a factor of K n",
                "K = 1, 1/2, 1/4, 1/8, attention to the first position", _factor,
                "one position: nothing is to be found"),
    Examination("section-4-first-position", "Section 4",
                "the first position is found to within 1/4 with a factor of ln(3(n-1)), exactly",
                "every word of length n and every position", lambda n: equality(
                    n, f"i = {n}, e^β = {3 * (n - 1)}", first_position_error(n, Fraction(3 * (n - 1))), QUARTER),
                "one position: exact"),
    Examination("section-4-previous-by-digits", "Section 4",
                "the previous position is found to within 1/4 with embeddings in [0, 1], factor (ln 27)⌈n^(1/4)⌉²",
                "every word of length n and every position", _previous, "one position: there is no previous one"),
    Examination("theorem-12-constant", "Theorem 12 a", "4e^(-3) < 1/4", "one number (independent of n)",
                lambda n: instance(n, "4e^(-3) against 1/4", power_of_e(Fraction(-3)).scaled(Fraction(4)), QUARTER)),
    Examination("theorem-20-constant", "Theorem 20 a", "(3/2)e^(-3C) <= 1/(4C)", "C = n",
                lambda n: instance(n, f"C = {n}", power_of_e(Fraction(-3 * n)).scaled(Fraction(3, 2)),
                                   Fraction(1, 4 * n))),
)
