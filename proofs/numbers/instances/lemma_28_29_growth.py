"""Lemmas 28 and 29: bounds of the growth of a vector by a linear map, and by a transformer.

Source      [SHA] Lemma 28: |Wu|_1 <= d w_max |u|_1. Lemma 29: after layer ℓ, |v_i|_1 <= (d p_max)^(3ℓ) d x_max(n),
            where p_max is the greatest absolute value of any parameter, x_max(n) that of any initial activation, or 1.
Lemma 28    Both sides scale with w_max and |u|_1, and the left is convex in u: its maximum over |u|_1 <= 1 is at a
            unit vector, where it is a column sum, at most d w_max; all entries equal attain it. So one instance per d
            decides.
Lemma 29    Section 3.1 gives the feed-forward layers biases; the proof counts three linear maps and omits them. Let
            X bound |h_j|_1. The values, their means under any attention and any mask are at most d p X; W1 and b1 give
            at most d p (d p X) + d p, ReLU no more, W2 and b2 at most X' = (dp)³X + (dp)² + dp. All parameters p and
            all embeddings x_max attain it at every layer (all numbers positive, all positions equal): the recursion is
            the exact worst case, over all transformers with these d, p_max, x_max, uniform-tieless ones included.
As printed  False with biases: with all weights 0 and b2 = 1/2, d = 1, ℓ = 1, the output 1/2 exceeds (1/2)³; with
            everything 1 the output 3 exceeds 1. Without biases X' = (dp)³X: it holds, with equality.
Repaired    (3(dP)³)^ℓ d x_max(n) with P = max(1, p_max), as X' <= 3(dP)³X for X >= 1. Both sides are affine in x_max
            and the left has the smaller slope, so x_max = 1 is the worst; the left grows with p, so p = P is. With P =
            1 + t, bound minus worst case is a polynomial in t; each d checks that no coefficient is negative.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from flint import fmpz_poly

from proofs.numbers.instances.comparing import confirmed_if, equality, has_no_negative_coefficient, instance, polynomial
from proofs.numbers.instances.examination import Examination, Instance, Replay
from proofs.numbers.instances.vectors import filled, first_axis, norm, relu

ONE, HALF = Fraction(1), Fraction(1, 2)
LAYERS = (1, 2)
REPLAY = Replay("lemma_29_bias.json", "0")
_T = polynomial({0: 1, 1: 1})


def stretched(d: int) -> Fraction:
    """Return the greatest |Wu|_1 over |u|_1 <= 1 and entries of W in [-1, 1]: u a unit vector, all entries 1."""
    return norm(filled(d, d) * first_axis(d))


def layer(u: Any, weight: Fraction, biases: tuple[Fraction, Fraction]) -> Any:
    """Return the output on equal vectors of the layer with all weights ``weight`` and constant b1 and b2."""
    d = u.nrows()
    weights, (first, second) = filled(d, d, weight), (filled(d, 1, bias) for bias in biases)
    return weights * relu(weights * (weights * u) + first) + second


def worst_norm(d: int, layers: int, p: Fraction, bias: Fraction) -> Fraction:
    """Return |v|_1 after this number of layers, with all weights p, all biases ``bias`` and x_max = 1."""
    u = filled(d, 1)
    for _ in range(layers):
        u = layer(u, p, (bias, bias))
    return norm(u)


def _as_printed(n: int) -> Iterator[Instance]:
    yield instance(n, f"d = {n}, ℓ = 1, all weights 0, b2 = 1/2", norm(layer(filled(n, 1), Fraction(0), (HALF, HALF))),
                   (n * HALF) ** 3 * n, REPLAY)
    for layers in LAYERS:
        yield instance(n, f"d = {n}, ℓ = {layers}, all weights and biases 1", worst_norm(n, layers, ONE, ONE),
                       Fraction(n) ** (3 * layers) * n)


def _without_biases(n: int) -> Iterator[Instance]:
    for layers in LAYERS:
        for p in (HALF, ONE, Fraction(2)):
            yield equality(n, f"d = {n}, ℓ = {layers}, all weights {p}", worst_norm(n, layers, p, Fraction(0)),
                           (n * p) ** (3 * layers) * n)


def worst_in_t(d: int, layers: int) -> fmpz_poly:
    """Return the exact worst norm for p_max = 1 + t and x_max = 1, as a polynomial in t."""
    scale, bound = d * _T, polynomial({0: d})
    for _ in range(layers):
        bound = scale**3 * bound + scale**2 + scale
    return bound


def repaired_in_t(d: int, layers: int) -> fmpz_poly:
    """Return the repaired bound for p_max = 1 + t and x_max = 1."""
    return (3 * (d * _T) ** 3) ** layers * d


def _repaired(n: int) -> Iterable[Instance]:
    for layers in LAYERS:
        proved = has_no_negative_coefficient(repaired_in_t(n, layers) - worst_in_t(n, layers))
        yield confirmed_if(proved, instance(
            n, f"d = {n}, ℓ = {layers}, all weights and biases 1, standing for every p_max",
            worst_norm(n, layers, ONE, ONE), Fraction(int(repaired_in_t(n, layers)(0)))))


EXAMINATIONS = (
    Examination("lemma-28", "Lemma 28", "|Wu|_1 <= d w_max |u|_1", "d = n: every W and u", lambda n: equality(
        n, f"d = {n}, all entries 1, u a unit vector", stretched(n), Fraction(n))),
    Examination("lemma-29", "Lemma 29", "|v_i|_1 <= (d p_max)^(3ℓ) d x_max(n)",
                "d = n: all parameters equal, biases as in Section 3.1, ℓ <= 2", _as_printed),
    Examination("lemma-29-without-biases", "Lemma 29", "without biases |v_i|_1 <= (d p_max)^(3ℓ) d x_max(n), sharp",
                "d = n, ℓ <= 2: every transformer without biases (all weights equal are the worst)",
                _without_biases),
    Examination("lemma-29-repaired", "Lemma 29", "|v_i|_1 <= (3(d max(1, p_max))³)^ℓ d x_max(n)",
                "d = n, ℓ <= 2: every transformer with biases, every p_max and x_max", _repaired),
)
