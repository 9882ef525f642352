"""Lemma 5 of [Hahn] without masks, with its constants: every other position changes by at most c_L/n.

Source      [Hahn] Lemma 5: "If we exchange one input symbol x_i (i < n), then the change in the resulting activation
            y_n^(L) at the decoder layer is bounded as O(1/n)", [SHA] Section 1 after it. Here for the networks of this
            repository: residual connections, any number of heads, biases. 1-norms; V is the sum of the norms of the
            heads' values, F the norm of |W2||W1|, a the greatest entry of |Q|ᵀ|K| over heads, τ the temperature, X_ℓ
            bounds the activations that enter layer ℓ, and Ω >= 2aX²/τ in every layer: no two scores of a row differ
            by more. Words differ at p only; Δ_i is the change at i.
One layer   Let the query at i be unchanged and one visible key and value change, v to v', in a row of N; t and t' are
            the weights of that position, m the mean of the other values: the result moves by (v-m)t - (v'-m)t'. Real
            values of absolute value at most X: it is at most (X-m)t + (X+m)t' <= 2X max(t, t') <= 2X T with T =
            e^Ω/(e^Ω+N-1), and v = X, v' = m = -X and a weight of T attain it. T <= e^Ω/N. So with one layer, and
            embeddings that may be anything, Lemma 5 holds at every i ≠ p with 2X e^Ω/n (times V), sharp to within
            (n-1+e^Ω)/n.
Row         Otherwise change the query first, then the visible positions k one by one. The query moves scores by at most
            d = aXΔ_i/τ = ΩΔ_i/(2X). Where weights grow they are q before and q' after, q'/(1-q') <= e^(2d) q/(1-q): so
            q' - q is greatest at q = 1/(1+e^d), tanh(d/2) <= d/2. That is the change in total variation, attained by
            halves of the row with scores ∓d/2 that become ±d/2; the result moves by 2X times that, ΩΔ_i/2.
            A position k moves it by at most t‖v-v'‖ + |t-t'|·2X <= T(Δ_k + Ω Δ_k), as its score moves by at most
            ΩΔ_k/(2X), and the slope of a weight in its score is t(1-t) <= T.
            All scores on the way lie within Ω of each other. So for i ≠ p, with Δ_p <= 2X:
            Δ_i' <= (1+F)[(1 + VΩ/2)Δ_i + V(1+Ω)(e^Ω/N) Σ_k Δ_k].
Induction   With A = (1+F)(1+VΩ/2), B = (1+F)V(1+Ω)e^Ω and N = n, Δ_i <= c_ℓ/n for all i ≠ p gives
            Δ_i' <= (A c_ℓ + B(2X_ℓ + (n-1)c_ℓ/n))/n <= c_(ℓ+1)/n, c_(ℓ+1) = (A+B)c_ℓ + 2X_ℓ B, c_0 = 0. Each length
            runs the recursion. The constants do not shrink with D, as the printed ones do. At p itself 2X is all
            that can be said.
Lower end   c_L is at most a constant times ((1+Ω)e^Ω)^L: a change that stays constant needs Ω >= (ln n)/L - O(ln ln n).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from proofs.enclosures.intervals import Interval
from proofs.numbers.instances.comparing import increasing, instance, instance_for_every_gamma, power_of_e, quotient
from proofs.numbers.instances.examination import Examination, Instance
from proofs.numbers.instances.hahn_lemma_5_proof_steps import ALONE

ZERO, ONE, TWO = Fraction(0), Fraction(1), Fraction(2)
LAYERS = (1, 2, 3)
OSCILLATIONS = (Fraction(1, 2), ONE, Fraction(3))
CHANGES = (Fraction(1, 8), Fraction(1, 2), ONE)


@dataclass(frozen=True)
class Norms:
    """The bounds of a layer: V, F, Ω and a rational that is at least e^Ω."""

    values: Fraction
    feed_forward: Fraction
    oscillation: Fraction
    ratio: Fraction

    @property
    def own(self) -> Fraction:
        """The factor A of the change at a layer's own position."""
        return (1 + self.feed_forward) * (1 + self.values * self.oscillation / 2)

    @property
    def mean(self) -> Fraction:
        """The factor B of the mean of the visible changes."""
        return (1 + self.feed_forward) * self.values * (1 + self.oscillation) * self.ratio

    @property
    def growth(self) -> Fraction:
        """The factor of the growth of activations, without biases."""
        return (1 + self.feed_forward) * (1 + self.values)


LISTED = tuple(Norms(Fraction(v), Fraction(f), omega, power_of_e(omega).upper)
               for v, f in ((1, 0), (1, 1), (3, 2)) for omega in OSCILLATIONS)


def listed() -> Iterator[tuple[Norms, int, str]]:
    """Yield the norms and numbers of layers of the instances, with a description."""
    for norms, layers in product(LISTED, LAYERS):
        yield norms, layers, f"V = {norms.values}, F = {norms.feed_forward}, Ω = {norms.oscillation}, L = {layers}"


def constant(norms: Norms, layers: int) -> Fraction:
    """Return c_L for activations that start with norm 1.

    >>> constant(Norms(ONE, ZERO, ZERO, ONE), 1), constant(Norms(ONE, ZERO, ZERO, ONE), 2)
    (Fraction(2, 1), Fraction(8, 1))
    """
    found, x = ZERO, ONE
    for _ in range(layers):
        found, x = (norms.own + norms.mean) * found + 2 * x * norms.mean, norms.growth * x
    return found


def change_elsewhere(n: int, norms: Norms, layers: int) -> Fraction:
    """Return the bound of the recursion at every i ≠ p, without masks."""
    change, x = ZERO, ONE
    for _ in range(layers):
        seen = (2 * x + (n - 1) * change) / n
        change, x = norms.own * change + norms.mean * seen, norms.growth * x
    return change


def query_moves(n: int, d: Fraction) -> Interval:
    """Enclose the total variation if scores of ⌊n/2⌋ positions change from -d/2 to d/2, all others from d/2 to -d/2."""
    odds = Fraction(n // 2, n - n // 2)
    after = increasing(power_of_e(d).scaled(odds))
    before = increasing(power_of_e(-d).scaled(odds))
    return Interval(after.lower - before.upper, after.upper - before.lower)


def key_and_value_move(n: int, omega: Fraction, change: Fraction) -> Interval:
    """Enclose the change of the result if one position with the greatest weight changes.

    Its value decreases by ``change``, its score by ``change`` Ω. 2X = 1: it is at 1/2, all others at -1/2.
    """
    before = increasing(power_of_e(omega).scaled(Fraction(1, n - 1)))
    after = increasing(power_of_e(omega - change * omega).scaled(Fraction(1, n - 1))).scaled(1 - change)
    return Interval(before.lower - after.upper, before.upper - after.lower)


def _row(n: int) -> Iterator[Instance]:
    for omega, change in product(OSCILLATIONS, CHANGES):
        yield instance(n, f"query, Ω = {omega}, Δ_i = {change}, X = 1/2", query_moves(n, omega * change),
                       omega * change / 2)
        yield instance(n, f"key and value, Ω = {omega}, Δ_k = {change}, X = 1/2",
                       key_and_value_move(n, omega, change), power_of_e(omega).scaled(change * (1 + omega) / n))


def _repaired(n: int) -> Iterator[Instance]:
    for norms, layers, where in listed():
        yield instance(n, where, change_elsewhere(n, norms, layers), constant(norms, layers) / n)


NAME = "Hahn, Lemma 5"
EXAMINATIONS = (
    Examination("hahn-lemma-5-one-layer", NAME, "one layer: any other activation changes by at most V 2X e^Ω/n",
                "every Ω, scores and values; V = 1 and X = 1/2, with which both sides scale",
                lambda n: instance_for_every_gamma(
                    n, "v from 1/2 to -1/2, all others -1/2, e^Ω = 1 + e^(-γ)", quotient({0: 1, 1: 1}, {0: n, 1: 1}),
                    quotient({0: 1, 1: 1}, {0: n}), ZERO), ALONE),
    Examination("hahn-lemma-5-row", NAME,
                "a row moves by at most ΩΔ_i/2 for its query, (1+Ω)(e^Ω/N)Δ_k for each position",
                "the worst query, and the greatest weight, at Ω = 1/2, 1, 3 and Δ = 1/8, 1/2, 1", _row, ALONE),
    Examination("hahn-lemma-5-repaired", NAME, "L layers: any other activation changes by at most c_L/n",
                "L <= 3; V, F = 1, 0; 1, 1; 3, 2; Ω = 1/2, 1, 3", _repaired),
)
