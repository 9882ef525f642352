"""Lemma 9: two ReLUs round approximate Booleans.

Source      [SHA] Lemma 9: f(x) = 2 ReLU(x - 1/4) - 2 ReLU(x - 3/4), and the remark that any δ < 1/2 in place of 1/4
            would do: f_δ(x) = (ReLU(x - δ) - ReLU(x - 1 + δ))/(1 - 2δ).
Reduction   Both sides are affine on each of (-∞, δ], [δ, 1-δ] and [1-δ, ∞): the breaks of the one are the kinks of the
            other. Two affine functions that agree at two points agree everywhere, so the ends of the pieces and one
            point beyond either end decide f on all reals.
"""

from collections.abc import Iterable
from fractions import Fraction

from proofs.numbers.instances.comparing import equality
from proofs.numbers.instances.examination import Examination, Instance

QUARTER = Fraction(1, 4)
ZERO, ONE = Fraction(0), Fraction(1)


def two_relus(x: Fraction, delta: Fraction) -> Fraction:
    """Return the feed-forward network.

    >>> str(two_relus(Fraction(1, 2), Fraction(1, 4)))
    '1/2'
    """
    return (max(x - delta, ZERO) - max(x - 1 + delta, ZERO)) / (1 - 2 * delta)


def rounded(x: Fraction, delta: Fraction) -> Fraction:
    """Return the function that the lemma prints, for any δ."""
    return ZERO if x <= delta else ONE if x >= 1 - delta else (x - delta) / (1 - 2 * delta)


def _examine(n: int, delta: Fraction) -> Iterable[Instance]:
    for x in (delta - 1, delta, 1 - delta, 2 - delta):
        yield equality(n, f"δ = {delta}, x = {x}", two_relus(x, delta), rounded(x, delta))


EXAMINATIONS = (
    Examination("lemma-09", "Lemma 9", "2 ReLU(x - 1/4) - 2 ReLU(x - 3/4) is f(x)", "every real x (independent of n)",
                lambda n: _examine(n, QUARTER)),
    Examination("lemma-09-any-delta", "Lemma 9", "any δ < 1/2 would do in place of 1/4",
                "every real x, for δ = 0, 1/(2n), ..., (n-1)/(2n)",
                lambda n: (found for k in range(n) for found in _examine(n, Fraction(k, 2 * n)))),
)
