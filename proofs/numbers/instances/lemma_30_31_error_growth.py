"""Lemmas 30 and 31: the growth of an error by feed-forward and uniform attention layers.

Source      [SHA] Lemma 30: inputs within ε leave a feed-forward layer within d² p_max² ε. Lemma 31: inputs within ε
            leave uniform attention within d p_max ε (errors in the 1-norm, at every position).
Reduction   Lemma 30: W1 multiplies the error by at most d p (Lemma 28), biases cancel, ReLU is 1-Lipschitz in every
            entry, W2 again d p; all weights p, all inputs large enough to keep the units on, and the error in one
            entry attain it. Lemma 31: the weights are the same in both networks, and a mean of vectors of norm at most
            d p ε has norm at most d p ε; equal errors at all positions attain it. Both sides scale with p and ε, so
            one instance per d (with n positions) decides every p_max (also below 1) and ε >= 0, with or without
            biases.
"""

from fractions import Fraction
from typing import Any

from proofs.numbers.instances.comparing import equality
from proofs.numbers.instances.examination import Examination
from proofs.numbers.instances.vectors import filled, first_axis, norm, relu


def _feed_forward(u: Any) -> Any:
    """Return the output of a feed-forward layer with all weights and biases 1."""
    weights, bias = filled(u.nrows(), u.nrows()), filled(u.nrows(), 1)
    return weights * relu(weights * u + bias) + bias


def feed_forward_error(d: int) -> Fraction:
    """Return the error after a feed-forward layer for p_max = ε = 1, at its worst."""
    u = filled(d, 1)
    return norm(_feed_forward(u + first_axis(d)) - _feed_forward(u))


def uniform_error(n: int, d: int) -> Fraction:
    """Return the error after uniform attention over n positions for p_max = ε = 1, at its worst."""
    errors = first_axis(d) * filled(1, n)
    return norm(filled(d, d) * (errors * filled(n, 1, Fraction(1, n))))


EXAMINATIONS = (
    Examination("lemma-30", "Lemma 30", "|v_i - v̂_i|_1 <= d² p_max² ε, sharp",
                "d = n: every p_max, every ε >= 0, with and without biases",
                lambda n: equality(n, f"d = {n}, all weights and biases 1", feed_forward_error(n), Fraction(n * n))),
    Examination("lemma-31", "Lemma 31", "|v_i - v̂_i|_1 <= d p_max ε, sharp",
                "d = n: every p_max, every ε >= 0, every mask and length", lambda n: equality(
                    n, f"d = {n}, {n} positions with equal errors, all weights 1", uniform_error(n, n), Fraction(n))),
)
