"""Lemma 7: attention with scores γ(2cj - j²) finds the number c to within (3/2)e^(-γ).

Source      [SHA] Lemma 7: γ >= 1, 1 <= c <= i, s_j = γ(2cj - j²) over j = 1, ..., i, α = softmax(s): |c - Σ α_j j| <=
            (3/2) e^(-γ).
Reduction   α_j is proportional to x^((j-c)²), x = e^(-γ). Let R and L be the sums of k x^(k²) over k = 1, ..., i-c and
            over k = 1, ..., c-1; the error is |R - L|/Z, exactly. Let P/Z_0 be the error for c = 1. For every c the
            difference P/Z_0 - |R - L|/Z, over the common denominator, has no negative coefficient (each length checks
            it), so c = 1 (or c = i) is the worst, for every γ. And P <= x Z_0 term by term, k x^(k²) <= x·x^((k-1)²),
            if k x^(2(k-1)) <= 1: this holds for every x with x² <= 1/2 if k <= 2^(k-1) (each length checks it), so for
            every γ >= (ln 2)/2; 1 is more than that.
Sharp form  So the error is at most e^(-γ) for γ >= (ln 2)/2, without the factor 3/2; it is x/(1+x) for i = 2, so no
            factor below 1 serves every γ.
Proof step  The printed proof continues from the two sums to "<= Σ over j > c" only. For c = i that sum is empty, but
            the error is L/Z > 0 unless i = 1: false at every γ from i = 2 on.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from flint import fmpz_poly

from proofs.enclosures.intervals import Interval
from proofs.numbers.instances.comparing import (
    PolynomialQuotient,
    confirmed_if,
    instance,
    instance_for_every_gamma,
    polynomial,
    power_of_e,
)
from proofs.numbers.instances.examination import Examination, Instance, Replay

LEAST_GAMMA = Fraction(1)
ONE = polynomial({0: 1})
REPLAY = Replay("lemma_07_last_position.json", "00")


def squares(last: int) -> fmpz_poly:
    """Return x + x^4 + x^9 + ... + x^(last²)."""
    return polynomial({k * k: 1 for k in range(1, last + 1)})


def weighted_squares(last: int) -> fmpz_poly:
    """Return x + 2x^4 + 3x^9 + ... + last·x^(last²)."""
    return polynomial({k * k: k for k in range(1, last + 1)})


def error(i: int, c: int) -> PolynomialQuotient:
    """Return the error of looking up c among 1, ..., i: the longer of the two sums dominates the shorter one."""
    longer, shorter = max(i - c, c - 1), min(i - c, c - 1)
    return PolynomialQuotient(weighted_squares(longer) - weighted_squares(shorter), ONE + squares(i - c)
                              + squares(c - 1))


def is_at_most_x(i: int) -> bool:
    """Return whether the error for c = 1 is at most x by comparing terms, for every x with x² <= 1/2."""
    return all(k <= 2 ** (k - 1) for k in range(2, i))


@lru_cache(maxsize=1 << 14)
def _compared(i: int, c: int) -> tuple[bool, Interval]:
    """Return whether the error at c never exceeds the error at 1, and its value at γ = LEAST_GAMMA."""
    return error(i, c).never_exceeds(error(i, 1)), error(i, c).enclose(LEAST_GAMMA)


def _examine(n: int, factor: Fraction) -> Iterable[Instance]:
    for c in range(1, n + 1):
        never_exceeds, value = _compared(n, min(c, n + 1 - c))  # the error of looking up n + 1 - c is the same
        proved = never_exceeds and is_at_most_x(n) and factor >= 1
        yield confirmed_if(proved, instance(n, f"i = {n}, c = {c}; numbers at γ = {LEAST_GAMMA}",
                                            value, power_of_e(-LEAST_GAMMA).scaled(factor)))


EXAMINATIONS = (
    Examination("lemma-07", "Lemma 7", "|c - Σ α_j j| <= (3/2) e^(-γ)", "every γ >= 1 and every c <= i, for i = n",
                lambda n: _examine(n, Fraction(3, 2))),
    Examination("lemma-07-sharp", "Lemma 7", "|c - Σ α_j j| <= e^(-γ)",
                "every γ >= (ln 2)/2 and every c <= i, for i = n", lambda n: _examine(n, Fraction(1))),
    Examination("lemma-07-proof-step", "Lemma 7", "|Σ α_j (j - c)| <= Σ over j > c of α_j (j - c), in the proof",
                "c = i = n, every γ", lambda n: instance_for_every_gamma(
                    n, f"c = i = {n}", error(n, n), PolynomialQuotient(polynomial({}), ONE + squares(n - 1)),
                    LEAST_GAMMA,
                    REPLAY)),
)
