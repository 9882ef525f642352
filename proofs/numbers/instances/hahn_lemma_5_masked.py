"""Lemma 5 of [Hahn] under future masks: false as [SHA] Section 1 states it; the true order.

Source      [SHA] Section 1: "a change in one input symbol results in only an O(1/n) change in any other output
            activation", for softmax attention, parameters that do not depend on n, Lipschitz-continuous operations and
            bounded position embeddings. [Hahn] has no masks; nearly all of [SHA] has.
Network     L layers, each the uniform mean of the layer below over the positions up to here; the first reads [w_j = 1].
            All outputs are 0 on 0...0, so its values on 10...0 are the change when symbol 1 is exchanged.
Position 2  After one layer it is 1/2, at every n, where the unmasked mean changes by 1/n: no K/n is a bound for n > 2K.
Position n  Exactly h_(L-1)(1, 1/2, ..., 1/n)/n, the complete homogeneous symmetric polynomial: (Tf)(i) = (1/i)
            Σ_(j<=i) f(j), so T^L δ_1(n) is the sum over n >= j_1 >= ... >= j_(L-1) >= 1 of 1/(n j_1 ... j_(L-1)).
            Two layers: H_n/n, H_n = 1 + 1/2 + ... + 1/n, of order (ln n)/n: no K/n is a bound for all n.
Order       By the row of ``hahn_lemma_5_repaired`` with N = i: Δ_i' <= A Δ_i + (B/i)(2X + Σ_(p<k<=i) Δ_k). If Δ_k <=
            c(1 + ln k)^(ℓ-1)/k, the sum is at most c(1 + ln i)^(ℓ-1) ln i <= c(1 + ln i)^ℓ, as 1/2 + ... + 1/i <= ln i;
            so Δ_i <= c_L (1 + ln i)^(L-1)/i with the same constants. p = 1 is the worst: with a later p some Δ_k of
            the sums are missing. Each length runs the recursion.
Layer norm  [SHA] Section 1: "as originally defined", without a constant added to the variance, "is not
            Lipschitz-continuous". (t, -t) becomes (1, -1) for every t > 0, and (-t, t) becomes (-1, 1): the difference
            is multiplied by 1/t.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate

from proofs.enclosures.intervals import Interval, point
from proofs.numbers.instances.comparing import at_least, equality, instance, logarithm
from proofs.numbers.instances.examination import Examination, Instance, Replay
from proofs.numbers.instances.hahn_lemma_5_proof_steps import ALONE
from proofs.numbers.instances.hahn_lemma_5_repaired import Norms, constant, listed

ZERO, ONE = Fraction(0), Fraction(1)
CONSTANTS = (1, 2, 3, 4)
SECOND = Replay("hahn_lemma_5_masked.json", "100")
LAST = Replay("hahn_lemma_5_masked.json", "10")


def means(values: Sequence[Fraction]) -> list[Fraction]:
    """Return the uniform means over the positions up to each.

    >>> [str(x) for x in means([ONE, ZERO, ZERO])]
    ['1', '1/2', '1/3']
    """
    return [total / i for i, total in enumerate(accumulate(values), start=1)]


def change_after(layers: int, n: int) -> list[Fraction]:
    """Return the values on 10...0 after this number of layers, at every position."""
    found = [ONE] + [ZERO] * (n - 1)
    for _ in range(layers):
        found = means(found)
    return found


def homogeneous(degree: int, n: int) -> Fraction:
    """Return h_degree(1, 1/2, ..., 1/n), by h_m(x_1, ..., x_k) = h_m(x_1, ..., x_(k-1)) + x_k h_(m-1)(x_1, ..., x_k).

    >>> str(homogeneous(1, 4)), str(homogeneous(2, 2))
    ('25/12', '7/4')
    """
    found = [ONE] + [ZERO] * degree
    for k in range(1, n + 1):
        for m in range(1, degree + 1):
            found[m] += found[m - 1] / k
    return found[degree]


def masked_change(n: int, norms: Norms, layers: int) -> Fraction:
    """Return the bound of the recursion at position n for an exchange at position 1."""
    changes, x = [ZERO] * n, ONE
    for _ in range(layers):
        sums = list(accumulate([2 * x, *changes[1:]]))
        changes = [norms.own * change + norms.mean * total / i
                   for i, (change, total) in enumerate(zip(changes, sums, strict=True), start=1)]
        x *= norms.growth
    return changes[-1]


def power(x: Interval, exponent: int) -> Interval:
    """Return the interval of x^exponent, x >= 0."""
    return Interval(x.lower**exponent, x.upper**exponent)


def _last(n: int) -> Iterator[Instance]:
    for k in CONSTANTS:
        yield instance(n, f"two layers, position n, symbol 1 exchanged, K = {k}", change_after(2, n)[-1],
                       Fraction(k, n), LAST if k == 1 else None)


def _order(n: int) -> Iterator[Instance]:
    factor = logarithm(Fraction(n)) + point(ONE)
    for norms, layers, where in listed():
        yield instance(n, where, masked_change(n, norms, layers),
                       power(factor, layers - 1).scaled(constant(norms, layers) / n))


def layer_norm(x: Fraction, y: Fraction) -> tuple[Fraction, Fraction]:
    """Return the layer normalisation of two different numbers: their standard deviation is half their distance.

    >>> [str(entry) for entry in layer_norm(Fraction(1), Fraction(-1))]
    ['1', '-1']
    """
    mean, deviation = (x + y) / 2, abs(x - y) / 2
    return (x - mean) / deviation, (y - mean) / deviation


def _layer_norm(n: int) -> Instance:
    t = Fraction(1, 2 * n)
    before, after = layer_norm(t, -t), layer_norm(-t, t)
    moved = sum((abs(a - b) for a, b in zip(before, after, strict=True)), ZERO)
    return at_least(n, f"({t}, {-t}) and ({-t}, {t}), K = {n}: by what their difference is multiplied", moved / (4 * t),
                    Fraction(n))


SECTION = "Section 1, Hahn's Lemma 5"
EXAMINATIONS = (
    Examination("section-1-layer-norm", "Section 1", "some two vectors are moved K times further apart by layer norm",
                "K = n, two vectors of two entries", _layer_norm),
    Examination("hahn-lemma-5-masked-second", SECTION,
                "under a future mask every other activation changes by 1/n at most, as without one",
                "one uniform layer", lambda n: instance(
                    n, "one layer, position 2, symbol 1 exchanged", change_after(1, n)[1], Fraction(1, n), SECOND),
                ALONE),
    Examination("hahn-lemma-5-masked-last", SECTION, "under future masks position n changes by at most K/n",
                "two uniform layers, K = 1, 2, 3, 4", _last, ALONE),
    Examination("hahn-lemma-5-masked-exact", SECTION,
                "under future masks L uniform layers change position n by exactly h_(L-1)(1, ..., 1/n)/n", "L <= 4",
                lambda n: (equality(n, f"L = {layers}, position n", change_after(layers, n)[-1],
                                    homogeneous(layers - 1, n) / n) for layers in (1, 2, 3, 4))),
    Examination("hahn-lemma-5-masked-order", SECTION,
                "under future masks position n changes by at most c_L (1 + ln n)^(L-1)/n",
                "L <= 3; V, F = 1, 0; 1, 1; 3, 2; Ω = 1/2, 1, 3", _order, ALONE),
)
