"""Theorem 26: the temperature of Section 5, its induction, a network of one layer, and large gaps.

Source      [SHA] Theorem 26 and D.5: with γ = min(γ(n), 1), E_L = γ/(4 K2 x_max), E_ℓ = E_(ℓ+1)/(2 K1) and e^(-γ/(2τ))
            = E_1/(K1 n x_max), every layer errs by at most E_ℓ, and the last by at most 1/4.
Induction   (1) K2 x_max E_ℓ <= γ/4, (2) E_L <= 1/4, and K1(E_ℓ + n x_max e^(-γ/(2τ))) = K1(E_ℓ + E_1/K1) <= E_(ℓ+1)
            are relations of rational numbers, as e^(-γ/(2τ)) is one: checked below. They need no more than K1, K2,
            x_max >= 1 and γ <= 1: E_1/K1 <= E_1 <= E_ℓ. With the sign of Lemma 25 (D.5 prints the other one), -γ + 2
            K2 x_max E_ℓ <= -γ/2 by (1).
One layer   Flip-flop (``section_6_flip_flop``) as a network of Section 3.1: d = d_k = 4 with coordinates 1, [write],
            bit, j/n, W^Q = 2 in one entry as √d_k = 2, W^K, W^V, W1, W2 of entries 0 and 1; p_max = 2, x_max = 1, γ(n)
            = 1/n, and K1, K2 of the repaired Lemma 25. Then e^(-1/(nτ)) = (E_1/(K1 n))² is rational, and the worst
            error over all words is exactly that of ``worst_error``. For n = 1 there is no gap, and γ = 1 is taken.
Large gaps  The theorem asserts 1/τ(n) ∈ O((1/γ(n)) log(n x_max(n)/γ(n))), but D.5 has min(γ(n), 1) for γ(n). For d =
            1, all weights 1, no biases, no mask, embedding 2n²/j: the scores 4n⁴/(ij) are tieless with gap 2n³ = n
            x_max(n) for every n >= 2, so the logarithm is 0, and no temperature has 1/τ(n) <= 0. Not even 1/τ = 0,
            uniform attention, is within 1/4: it errs by 2n(n - H_n), H_n = 1 + 1/2 + ... + 1/n, at every position. As
            proved, the theorem needs γ(n) <= 1, or min(γ(n), 1) in its statement.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

from proofs.numbers.instances.comparing import confirmed_if, instance
from proofs.numbers.instances.examination import Examination, Instance, Replay
from proofs.numbers.instances.lemma_25_one_layer import Constants, constants
from proofs.numbers.instances.section_6_flip_flop import is_worst_at_the_end, worst_error

ONE, QUARTER = Fraction(1), Fraction(1, 4)
REPLAY = Replay("theorem_26_large_gap.json", "00")


def error_bounds(gap: Fraction, x_max: Fraction, k: Constants, layers: int) -> list[Fraction]:
    """Return E_1, ..., E_L.

    >>> [str(e) for e in error_bounds(Fraction(1), Fraction(1), Constants(Fraction(2), Fraction(1)), 2)]
    ['1/16', '1/4']
    """
    last = min(gap, ONE) / (4 * k.k2 * x_max)
    return [last / (2 * k.k1) ** (layers - number) for number in range(1, layers + 1)]


def share_of_half_gap(n: int, gap: Fraction, x_max: Fraction, k: Constants, layers: int) -> Fraction:
    """Return the right side of (3): e^(-γ/(2τ)) with γ = min(gap, 1)."""
    return error_bounds(gap, x_max, k, layers)[0] / (k.k1 * n * x_max)


def _induction(n: int) -> Iterator[Instance]:
    for (k1, k2), gap, layers in product(((1, 1), (3, 1), (1, 3), (512, 24)), (Fraction(1, n), ONE, Fraction(n)),
                                         (1, 2, 3)):
        yield from _layers(n, gap, Constants(Fraction(k1), Fraction(k2)), layers)


def _layers(n: int, gap: Fraction, k: Constants, layers: int) -> Iterator[Instance]:
    where = f"K1 = {k.k1}, K2 = {k.k2}, γ(n) = {gap}, x_max = 1, L = {layers}"
    bounds, share = error_bounds(gap, ONE, k, layers), share_of_half_gap(n, gap, ONE, k, layers)
    yield instance(n, f"(2), {where}", bounds[-1], QUARTER)
    yield instance(n, f"(3) has a temperature, {where}", share, 1 - share)
    yield instance(n, f"layer 1, {where}", k.k1 * n * share**2, bounds[0])
    for number, (error, after) in enumerate(pairwise(bounds), start=1):
        yield instance(n, f"(1), ℓ = {number}, {where}", k.k2 * error, min(gap, ONE) / 4)
        yield instance(n, f"layer {number + 1}, {where}", k.k1 * (error + n * share), after)


def _one_layer(n: int) -> Instance:
    share = share_of_half_gap(n, Fraction(1, n), ONE, constants(4, 2, Fraction(2), 1), 1)
    return confirmed_if(is_worst_at_the_end(n), instance(n, f"c = i = {n}, the temperature of (3)",
                                                         worst_error(n, share**2), QUARTER))


def uniform_attention_error(n: int) -> Fraction:
    """Return 2n(n - H_n), the error of uniform attention at any position.

    >>> str(uniform_attention_error(2))
    '2'
    """
    return 2 * n * (n - sum((Fraction(1, j) for j in range(1, n + 1)), Fraction(0)))


EXAMINATIONS = (
    Examination("theorem-26-induction", "Theorem 26", "(1), (2), (3) and the induction of D.5",
                "x_max = 1; K1, K2 = 1, 1; 3, 1; 1, 3; 512, 24; γ(n) = 1/n, 1, n; L <= 3", _induction),
    Examination("theorem-26-one-layer", "Theorem 26",
                "|y_i - ŷ_i|_1 <= 1/4 with τ(n) from (3), for flip-flop in one layer",
                "every word of length n and every position", _one_layer),
    Examination("theorem-26-large-gap", "Theorem 26",
                "1/τ(n) ∈ O((1/γ(n)) log(n x_max(n)/γ(n))) is enough, also where γ(n) = n x_max(n)",
                "one network, every word of length n", lambda n: instance(
                    n, "gap 2n³ = n x_max(n), 1/τ = 0", uniform_attention_error(n), QUARTER, REPLAY)),
)
