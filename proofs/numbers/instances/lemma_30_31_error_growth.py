"""Lemmas 30 and 31: how far feed-forward and uniform attention layers magnify an error.

Source      [SHA] Lemma 30: inputs within ε leave a feed-forward layer within d² p_max² ε. Lemma 31: inputs within ε
            leave uniform attention within d p_max ε (errors in the 1-norm, at every position).
Reduction   Lemma 30: W1 magnifies the error by at most d p (Lemma 28), biases cancel, ReLU is 1-Lipschitz in every
            entry, W2 again d p; all weights p, all inputs large enough to keep the units on, and the error in one
            entry attain it. Lemma 31: the weights are the same in both networks, and a mean of vectors of norm at most
            d p ε has norm at most d p ε; equal errors at all positions attain it. Both sides scale with p and ε, so
            one instance per d (with n positions) decides every p_max and ε >= 0, biases or none, p_max below 1
            included.
"""

from fractions import Fraction

from proofs.numbers.instances.comparing import equality
from proofs.numbers.instances.examination import Examination
from proofs.numbers.instances.vectors import (
    Vector,
    constant_matrix,
    constant_vector,
    first_axis,
    mean,
    minus,
    norm,
    plus,
    relu,
    times,
)

ONE = Fraction(1)


def _feed_forward(u: Vector) -> Vector:
    """All weights and biases 1."""
    weights, bias = constant_matrix(len(u), ONE), constant_vector(len(u), ONE)
    return plus(times(weights, relu(plus(times(weights, u), bias))), bias)


def feed_forward_error(d: int) -> Fraction:
    """The error behind a feed-forward layer for p_max = ε = 1, at its worst."""
    u = constant_vector(d, ONE)
    return norm(minus(_feed_forward(plus(u, first_axis(d, ONE))), _feed_forward(u)))


def uniform_error(n: int, d: int) -> Fraction:
    """The error behind uniform attention over n positions for p_max = ε = 1, at its worst."""
    weights = [Fraction(1, n)] * n
    error = mean(weights, [first_axis(d, ONE)] * n)
    return norm(times(constant_matrix(d, ONE), error))


EXAMINATIONS = (
    Examination("lemma-30", "Lemma 30", "|v_i - v̂_i|_1 <= d² p_max² ε, sharp",
                "d = n: every p_max, every ε >= 0, with and without biases",
                lambda n: equality(n, f"d = {n}, all weights and biases 1", feed_forward_error(n), Fraction(n * n))),
    Examination("lemma-31", "Lemma 31", "|v_i - v̂_i|_1 <= d p_max ε, sharp",
                "d = n: every p_max, every ε >= 0, every mask and length", lambda n: equality(
                    n, f"d = {n}, {n} positions with equal errors, all weights 1", uniform_error(n, n), Fraction(n))),
)
