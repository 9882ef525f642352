"""Lemma 34: errors in the attention weights and in the activations, together after the value matrix.

Source      [SHA] Lemma 34: |u_j - û_j|_1 <= ε, |α - α̂|_1 <= ε1, both summing to 1 with entries in [0, 1]: |v - v̂|_1 <=
            d p_max (d u_max ε1 + ε), u_max the greatest absolute value of an entry of any u_j.
Reduction   v - v̂ = W Σ ((α_j - α̂_j) u_j + α̂_j (u_j - û_j)): at most ε1 d u_max + ε before W, d p times that after it.
            For n >= 2 it is attained for every ε1 <= 2, that is for every ε1 that can occur: all weight of α on
            position 1 (where all entries are u_max), ε1/2 of it moved to position 2 (where they are -u_max), an error
            of ε in one entry everywhere, all weights p. Both sides scale with p and are linear in ε, and in u_max ε1:
            the instances below have three values of (ε1, ε) each, u_max = p_max = 1, and attain the bound. For n = 1,
            ε1 = 0 and the value is d p ε.
"""

from collections.abc import Iterable
from fractions import Fraction
from itertools import product

from proofs.numbers.instances.comparing import equality
from proofs.numbers.instances.examination import Examination, Instance
from proofs.numbers.instances.vectors import column, filled, first_axis, norm

ONE, ZERO = Fraction(1), Fraction(0)
ERRORS = ((ONE, ONE), (Fraction(2), ZERO), (Fraction(1, 10), Fraction(1, 100)))
DIMENSIONS = (1, 2, 3)


def output_error(n: int, d: int, weight_error: Fraction, error: Fraction) -> Fraction:
    """Return |v - v̂|_1 for the instance described above; ``weight_error`` is 0 if n = 1."""
    weights = first_axis(n)
    moved = column([1 - weight_error / 2, weight_error / 2, *[ZERO] * (n - 2)]) if n > 1 else weights
    signs = column([ONE, *[-ONE] * (n - 1)]).transpose()
    exact = filled(d, 1) * signs
    shifted = exact - first_axis(d, error) * filled(1, n)
    return norm(filled(d, d) * (exact * weights - shifted * moved))


def _examine(n: int) -> Iterable[Instance]:
    for d, (weight_error, error) in product(DIMENSIONS, ERRORS):
        possible = weight_error if n > 1 else ZERO
        yield equality(n, f"d = {d}, ε1 = {possible}, ε = {error}", output_error(n, d, possible, error),
                       d * (d * possible + error))


EXAMINATIONS = (
    Examination("lemma-34", "Lemma 34", "|v_i - v̂_i|_1 <= d p_max (d u_max ε1 + ε), sharp",
                "n positions, d <= 3: every u, û, α, α̂, W", _examine),
)
