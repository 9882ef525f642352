"""Lemma 25: the error after one layer, as printed, its proof, and repaired.

Source      [SHA] Lemma 25: constants K1, K2 >= 1 exist such that for all n, all sufficiently small ε > 0 and each
            layer, for *any* u, û with |u_i - û_i|_1 <= ε: |v_i - v̂_i|_1 <= K1(ε + n x_max(n) e^((-γ(n)+2 K2 x_max(n)
            ε)/τ(n))).
As printed  False: u need not be activations of U on any input, and x_max(n) does not bound other vectors. U: d = 1,
            all weights 1, no biases, embedding 1/j: the scores 1/(ij) are tieless with gap 1/(2n) and x_max(n) = 1.
            Take u = û = (R, 1/R, ..., 1/R). At i = 2 the scores are 1 and n-1 times 1/R²; hard attention returns R and
            soft attention R minus a share (n-1)q/(1+(n-1)q) of R - 1/R, q = e^(-(1-1/R²)/τ): unbounded in R, at any
            temperature (here 1/2). The right side is at most K1(1 + n) for every ε <= γ(n)/(2 K2). The instances have
            K1 = K2 = K; any K is exceeded by R = 16K(n+1).
Proof step  D.4 (and D.5 after it) prints e^(-(γ+2 K2 x_max ε)/τ). Lemma 33 gives e^((-γ+2 K2 x_max ε)/τ), as the lemma
            itself states: an error brings scores closer. With γ = 1, K2 x_max ε = 1/8 and τ = 1/8 the weights are
            2(n-1)q/(1 + (n-1)q) from one-hot, q = e^(-6), and the printed bound is 2n e^(-10): false from n = 2 on.
Repaired    For u the activations of U on an input of length n, entering layer ℓ <= L, and ε <= 1 with 2 K2 x_max(n) ε
            < γ(n). By Lemma 29 (repaired) u_max <= C x_max(n) with P = max(1, p_max), C = 1 for L = 1 and
            (3(dP)³)^(L-1) d otherwise. By Lemma 32, K2 = 3 d^(3/2) P² C; by Lemmas 33, 34 and 30, |v - v̂|_1 <= d³p³(d
            u_max 2nq + ε), so K1 = 2 d⁴ P³ C. Uniform layers add d³p³ε only (Lemmas 30, 31). Each length compares K1
            with the worst instances of Lemmas 33, 34 and 30 in sequence, with u_max = x_max = 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from proofs.enclosures.intervals import Interval, point
from proofs.numbers.instances.comparing import increasing, instance, power_of_e
from proofs.numbers.instances.examination import Examination, Instance, Replay
from proofs.numbers.instances.lemma_34_attention_output import output_error

ONE, HALF = Fraction(1), Fraction(1, 2)
CONSTANTS = (1, 10, 1000)
ANY_INPUT = Replay("lemma_25_any_input.json", "ab")
SIGN = Replay("lemma_25_sign.json", "ab")


@dataclass(frozen=True)
class Constants:
    """The constants K1 and K2 of the repaired lemma, rational: √d is replaced by ``root``, which is at least √d."""

    k1: Fraction
    k2: Fraction


def constants(d: int, root: int, p_max: Fraction, layers: int) -> Constants:
    """Return the constants for this number of layers; only the growth through the layers before the last matters.

    >>> constants(1, 1, Fraction(1), 1)
    Constants(k1=Fraction(2, 1), k2=Fraction(3, 1))
    """
    p = max(ONE, p_max)
    growth = (3 * (d * p) ** 3) ** (layers - 1) * (d if layers > 1 else 1)
    return Constants(2 * d**4 * p**3 * growth, 3 * d * root * p**2 * growth)


def weight_elsewhere(count: int, q: Interval) -> Interval:
    """Enclose the attention on ``count`` positions of weight q each, beside a weight of 1."""
    return increasing(q.scaled(Fraction(count)))


def _any_input(n: int) -> Iterator[Instance]:
    for k in CONSTANTS:
        r = Fraction(16 * k * (n + 1))
        elsewhere = weight_elsewhere(n - 1, power_of_e(-(1 - 1 / r**2) / HALF))
        yield instance(n, f"K1 = K2 = {k}, u = û = ({r}, 1/{r}, ..., 1/{r}), i = {min(n, 2)}, τ = 1/2",
                       elsewhere.scaled(r - 1 / r), Fraction(k * (1 + n)),
                       ANY_INPUT if k == 1 else None)


def _sign(n: int) -> Instance:
    value = weight_elsewhere(n - 1, power_of_e(Fraction(-6))).scaled(Fraction(2))
    return instance(n, "γ = 1, K2 x_max ε = τ = 1/8", value, power_of_e(Fraction(-10)).scaled(Fraction(2 * n)), SIGN)


def _repaired(n: int) -> Iterator[Instance]:
    errors = ((Fraction(1, 8), Fraction(1, 16)), (Fraction(1, 1000), ONE))
    for d, p, (q, error) in product((1, 2, 3), (HALF, ONE, Fraction(2)), errors):
        weight_error = 2 * weight_elsewhere(n - 1, point(q)).upper
        yield instance(n, f"d = {d}, p_max = {p}, q = {q}, ε = {error}",
                       (d * p) ** 2 * p * output_error(n, d, weight_error, error),
                       constants(d, d, p, 1).k1 * (error + n * q))


EXAMINATIONS = (
    Examination("lemma-25", "Lemma 25",
                "for any u, û with |u_i - û_i|_1 <= ε: |v_i - v̂_i|_1 <= K1(ε + n x_max e^(...))",
                "K1 = K2 = 1, 10, 1000; every sufficiently small ε; one U", _any_input),
    Examination("lemma-25-step-sign", "Lemma 25", "|α - α̂|_1 <= 2n e^(-(γ + 2 K2 x_max ε)/τ), in the proof",
                "γ = 1, K2 x_max ε = τ = 1/8", _sign),
    Examination("lemma-25-repaired", "Lemma 25", "for activations u of U: |v_i - v̂_i|_1 <= K1(ε + n x_max e^(...))",
                "the worst instances of Lemmas 33, 34 and 30 together, d <= 3, at two (q, ε) each", _repaired),
)
