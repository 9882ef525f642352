"""Gaps of rational weights: a lower bound, and networks for which no polynomial temperature is low enough.

Network     Symbols +, -, 0. ε_i is 1, -1 or 0 by the symbol. A first layer writes ε_i/i (by ReLUs, from the embedded
            1/i), a second one without mask averages: S/n, S = Σ ε_j/j. A third one scores S/n at position 1 and 0
            elsewhere, and writes the value [j = 1]: hard, 1 if S > 0, 0 if S < 0, and 1/n at a tie, S = 0. By softmax
            in the third layer only (the others are uniform, or exact) it writes 1/(1 + (n - 1)e^(-S/(nτ))) if S > 0.
Least sum   The least S > 0 over all 3^n words is found exactly, over the common denominator of 1, ..., 1/n.
Upper bound The 2^k sums of 1/p over sets of the k primes p in (n/2, n] differ (modulo p, times the product) and are
            between 0 and k 2/n <= 1. So two neighbours differ by at most 1/(2^k - 1), and their difference is some Σ
            ε_j/j > 0: S <= 1/(2^k - 1). For an error of at most 1/4, 1/τ >= n ln(3(n - 1))/S: exponential in n/log n.
Lower bound With parameters in Z/P and initial vectors in Z/D, and Λ = lcm(1, ..., n) <= 4^n: values are in Z/(P D),
            means of them in Z/(P D Λ), the feed-forward part multiplies by 1/P² at most, so after each layer
            activations are in Z/D' with D' = P³ Λ D. A score of layer L is in Z/(P D_(L-1))², so gaps are at least (P
            D_0 (P³ Λ)^(L-1))^(-2): 1/τ = 2^(O(n)) is always enough. Here P = 1, and the first layer has no head that
            averages: D_0 = Λ, in which 1/i is, and one mean comes before the third layer.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import lcm

from proofs.enclosures.intervals import Interval
from proofs.numbers.instances.comparing import at_least, equality, increasing, instance, power_of_e, undecided
from proofs.numbers.instances.examination import Examination, Instance, Replay

LONGEST = 16
"""The greatest length whose sums are listed."""
LISTED = {1: "1", 2: "1/2", 3: "1/6", 4: "1/12", 5: "1/30", 6: "1/30", 7: "1/105", 8: "1/120", 9: "1/630", 10: "1/840",
          11: "1/2310", 12: "1/2310"}
QUARTER = Fraction(1, 4)
POWER = 4
REPLAY = Replay("ties_small_gaps.json", "-++0+0-0+")


@cache
def least_sum(n: int) -> Fraction:
    """Return the least positive Σ ε_j/j over j <= n, each ε_j 1, -1 or 0.

    >>> [str(least_sum(n)) for n in (2, 3, 8)]
    ['1/2', '1/6', '1/120']
    """
    whole = lcm(*range(1, n + 1))
    sums = {0}
    for j in range(1, n + 1):
        sums = {x + sign * (whole // j) for x in sums for sign in (-1, 0, 1)}
    return Fraction(min(x for x in sums if x > 0), whole)


def primes_above_half(n: int) -> list[int]:
    """Return the primes in (n/2, n].

    >>> primes_above_half(12)
    [7, 11]
    """
    return [p for p in range(max(n // 2 + 1, 2), n + 1) if all(p % q for q in range(2, p))]


def error_at(n: int, temperature: Fraction) -> Interval:
    """Enclose the error of the third layer by softmax, where the sum is least."""
    return increasing(power_of_e(-least_sum(n) / (n * temperature)).scaled(Fraction(n - 1)))


def _up_to_longest(examine: Callable[[int], Instance]) -> Callable[[int], Instance]:
    """Leave longer lengths undecided."""
    return lambda n: examine(n) if n <= LONGEST else _unknown(n)


def _unknown(n: int) -> Instance:
    return undecided(n, f"3^{n} words: sums are not listed above n = {LONGEST}", QUARTER)


def _least(n: int) -> Instance:
    if n not in LISTED:
        return _unknown(n)
    return equality(n, f"the least positive sum of ±1/j for some of the j <= {n}", least_sum(n), Fraction(LISTED[n]))


@_up_to_longest
def _primes(n: int) -> Instance:
    number = len(primes_above_half(n))
    return instance(n, f"the least sum, with {number} primes above n/2", least_sum(n),
                    Fraction(1, 2**number - 1) if number else Fraction(1))


@_up_to_longest
def _polynomial(n: int) -> Instance:
    return instance(n, f"a word with the sum {least_sum(n)}, temperature 1/n^{POWER}",
                    error_at(n, Fraction(1, n**POWER)), QUARTER, REPLAY)


@_up_to_longest
def _rational(n: int) -> Instance:
    return at_least(n, "the gap S/n, against the reciprocal square of the common denominator", least_sum(n) / n,
                    Fraction(1, lcm(*range(1, n + 1)) ** 4))


COVERS = "every word of length n"
EXAMINATIONS = (
    Examination("ties-least-sum", "Ties, small gaps",
                "the least positive sums of ±1/j for some of the j <= n are those listed", COVERS, _least),
    Examination("ties-primes", "Ties, small gaps",
                "the least positive sum is at most 1/(2^k - 1), k primes in (n/2, n]", COVERS, _primes),
    Examination("ties-polynomial-temperature", "Ties, small gaps",
                f"temperature 1/n^{POWER} moves the network by at most 1/4", COVERS, _polynomial),
    Examination("ties-rational-gap", "Ties, small gaps", "the gap is at least 1/lcm(1, ..., n)^4", COVERS,
                _rational),
)
