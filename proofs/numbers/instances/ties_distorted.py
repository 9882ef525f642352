"""Positions that tie, by softmax of inexact scores: the error of one row, and why layers share a temperature.

Row         n scores tie, with errors such that no two are more than D apart; ρ = D/τ. Then the distance of softmax from
            equal weights is at most tanh(ρ/4) in total variation (half the 1-norm), and at some n and ρ equal to
            that. Proof. The weights that are greater than 1/n are those of a set of k positions; let P be their sum, θ
            = k/n. They are at most b e^ρ, the others at least b, for some b; so P/(1 - P) <= e^ρ θ/(1 - θ), and the
            distance P - θ is at most that of k weights e^ρ and n - k weights 1, which is k(n - k)(1 - v²)/(n(k + (n -
            k)v²)) with v = e^(-ρ/2). And tanh(ρ/4) = (1 - v)/(1 + v) is not below it for any v <= 1, if and only if
            n(k + (n - k)v²) - k(n - k)(1 + v)² >= 0: it is ((n - k)v - k)², 0 at v = k/(n - k). ∎
Layers      Layer 1 scores [j = 1], future-masked, and writes the value [j = 1]: hard, 1 at every position. Layer 2
            scores that, so all tie, and writes [j > 1]: hard, (i - 1)/i at position i. By softmax at temperature τ1
            the first writes 1/(1 + (i - 1)x), x = e^(-1/τ1): position 1 now leads in layer 2. At n = 2 the error of
            layer 2 is (1/2) tanh(x/(2 τ2 (1 + x))): little if τ2 = τ1, near 1/2 if τ2 is far below x. So low
            temperatures in each layer are not enough, if some are far lower than others.
"""

from collections.abc import Iterable
from fractions import Fraction

from proofs.enclosures.intervals import Interval, point
from proofs.numbers.instances.comparing import confirmed_if, increasing, instance, polynomial, power_of_e
from proofs.numbers.instances.examination import Examination, Instance, Replay

QUARTER, ONE = Fraction(1, 4), Fraction(1)
HOT, COLD = Fraction(1, 5), Fraction(1, 1000)
REPLAY = Replay("ties_two_temperatures.json", "aa")


def distance_of_tied(n: int, k: int, v: Fraction) -> Fraction:
    """Return the total variation between k weights e^ρ with n - k weights 1 and equal weights, for v = e^(-ρ/2).

    >>> distance_of_tied(2, 1, Fraction(1, 3))
    Fraction(2, 5)
    """
    return Fraction(k * (n - k), n) * (1 - v * v) / (k + (n - k) * v * v)


def _is_square(n: int, k: int) -> bool:
    """Return whether n(k + (n - k)v²) - k(n - k)(1 + v)² is the square of (n - k)v - k, as polynomials in v."""
    difference = polynomial({0: n * k, 2: n * (n - k)}) - k * (n - k) * polynomial({0: 1, 1: 1}) ** 2
    return bool(difference == polynomial({0: -k, 1: n - k}) ** 2)


def _examine_row(n: int) -> Iterable[Instance]:
    for k in range(1, n):
        v = Fraction(min(k, n - k), max(k, n - k)) if 2 * k != n else Fraction(1, 3)
        yield confirmed_if(_is_square(n, k), instance(
            n, f"{k} of {n} tied scores greater by D, numbers at e^(-D/(2τ)) = {v}", distance_of_tied(n, k, v),
            (1 - v) / (1 + v)))
    if n == 1:
        yield instance(n, "one position has all the weight", Fraction(0), Fraction(0))


def moved(i: int, first: Fraction, second: Fraction) -> Interval:
    """Enclose the error of layer 2 by softmax at position i, at the temperatures of the two layers."""
    x = power_of_e(-1 / first)
    written = [Interval(1 / (1 + (j - 1) * x.upper), 1 / (1 + (j - 1) * x.lower)) for j in range(1, i + 1)]
    soft = increasing(sum((_power(written[j], second) for j in range(1, i)), point(Fraction(0))))
    return soft.scaled(Fraction(-1)) + point(Fraction(i - 1, i))


def _power(written: Interval, temperature: Fraction) -> Interval:
    """Enclose the weight of a position relative to position 1, which writes 1."""
    return Interval(power_of_e((written.lower - 1) / temperature).lower,
                    power_of_e((written.upper - 1) / temperature).upper)


def _examine_layers(n: int, first: Fraction, second: Fraction, replay: Replay | None = None) -> Iterable[Instance]:
    for i in range(n, 1, -1):
        yield instance(n, f"position {i}, temperatures {first} and {second}", moved(i, first, second), QUARTER,
                       replay)
    if n == 1:
        yield instance(n, "one position is seen", point(Fraction(0)), QUARTER)


EXAMINATIONS = (
    Examination("ties-row", "Ties, one row", "softmax of n tied scores that err to be D apart is within tanh(D/(4τ))",
                "every such scores, every D and τ", _examine_row),
    Examination("ties-two-temperatures", "Ties, several layers",
                "two layers at temperatures 1/5 and 1/1000 are moved by at most 1/4",
                "the network of the docstring, every position", lambda n: _examine_layers(n, HOT, COLD, REPLAY)),
    Examination("ties-one-temperature", "Ties, several layers", "the same at the temperature 1/(8 + 3n) in both layers",
                "the network of the docstring, every position",
                lambda n: _examine_layers(n, Fraction(1, 8 + 3 * n), Fraction(1, 8 + 3 * n))),
)
