"""Theorem 6 of [Hahn] for PARITY: false as printed; the step that fails, and a repair.

Source      [Hahn] Theorem 6: "As n → ∞, cross-entropy on predicting the next symbol converges to unigram chance level
            (PARITY)"; the proof: "As x and x' differ only in one bit, the transformer's output activations differ by
            O(1/n)". The distribution, its masses and the three entropies are in ``cross_entropy/parity.py``, the
            bound in ``proofs/numbers/cross_entropy/bounds.py``.
Step        Lemma 5 is about i < n. If the last bit is exchanged, y_n may change by any amount: it reads
            its own symbol. Without attention, log-odds -8/5 after 0 and -7/10 after 1 differ by 9/10 at every n.
As printed  So the theorem fails: that network, the same at every n, has a cross-entropy of 1.0634 nats at p = 1/2 and
            every n >= 2; unigram chance is 1.0822. The last symbol is informative: even prefixes end with 1 more
            often. (At n = 1 it is 1.2134: there the last symbol determines the parity, the other way round.)
Repaired    Chance is H_1, the entropy for a predictor from the last symbol only: with s(n) → 0 the limit inferior of
            the cross-entropy is at least H_1, as CE_n >= H_1 - (p(1-p)/(2-p)²) s(n); the network above attains it
            within 10^-4. Each instance encloses the least cost over all log-odds with |a - c| <= s, a convex
            function of one number.
Masses      Identities of polynomials in p, decided for every p at each n; the numbers are those at p = 1/2.
Entropies   optimal < H_1 < H_0, each p of the instances by enclosures; for every p by strict concavity.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from flint import fmpq, fmpq_poly

from proofs.enclosures.intervals import Interval, point
from proofs.numbers.cross_entropy import parity
from proofs.numbers.cross_entropy.bounds import least_cost_of_pair
from proofs.numbers.cross_entropy.entropies import binary_entropy
from proofs.numbers.instances.comparing import at_least, confirmed_if, equality, instance
from proofs.numbers.instances.examination import Examination, Instance, Replay

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
LOG_ODDS = (Fraction(-8, 5), Fraction(-7, 10))
"""The log-odds after 0 and after 1, near the best ones at p = 1/2: -ln 5 and -ln 2."""
PROBABILITIES = (Fraction(1, 10), HALF, Fraction(9, 10))
CLOSE = Fraction(1, 10_000)
CHANCE = Replay("hahn_theorem_6_parity.json", "00")
STEP = Replay("hahn_theorem_6_parity.json", "01")


def polynomial_equality(n: int, what: str, value: fmpq_poly, expected: fmpq_poly) -> Instance:
    """Return the instance that two polynomials in p are equal; the numbers are those at p = 1/2."""
    return confirmed_if(value == expected, equality(n, what, _at_half(value), _at_half(expected)))


def _at_half(polynomial: fmpq_poly) -> Fraction:
    found = polynomial(fmpq(1, 2))
    return Fraction(int(found.p), int(found.q))


def _of_parity(masses: list[fmpq_poly], odd: int) -> fmpq_poly:
    return sum(masses[odd::2], parity.P * 0)


def _masses(n: int) -> Iterator[Instance]:
    masses = parity.masses_by_count(n)
    for odd, name in enumerate(("even", "odd")):
        yield polynomial_equality(n, f"{name} prefixes, every p; numbers at p = 1/2", _of_parity(masses, odd),
                                  parity.mass_of_each_parity(n))


def _last(n: int) -> Iterator[Instance]:
    """Yield that even prefixes ending with b have the mass λ_b times all ending with b: times 2 - p, polynomials."""
    before, unknown = parity.masses_by_count(n - 1), parity.P
    even, odd = _of_parity(before, 0) * (1 - unknown) / 2, _of_parity(before, 1) / 2
    yield polynomial_equality(n, "ends with 0, every p; numbers at p = 1/2", even * (2 - unknown),
                              (even + odd) * (1 - unknown))
    yield polynomial_equality(n, "ends with 1, every p; numbers at p = 1/2", odd * (2 - unknown), even + odd)


def _entropies(n: int) -> Iterator[Instance]:
    for p in dict.fromkeys((Fraction(1, n + 1), Fraction(n, n + 1))):
        yield instance(n, f"p = {p}, optimal against H_1", parity.optimal_entropy(p), parity.last_symbol_entropy(p))
        yield instance(n, f"p = {p}, H_1 against H_0", parity.last_symbol_entropy(p), parity.unigram_entropy(p))


def _repaired(n: int) -> Iterator[Instance]:
    for p, last, sensitivity in product(PROBABILITIES, (0, 1), (Fraction(1, n), Fraction(n))):
        share = parity.share_of_even(last, p)
        yield at_least(n, f"p = {p}, last symbol {last}, s = {sensitivity}", least_cost_of_pair(share, p, sensitivity),
                       binary_entropy(share * p) + point(-share * (1 - share) * p * sensitivity))


def _network(n: int) -> tuple[int, str, Interval]:
    """Return the cross-entropy of the network without attention."""
    return (n, "p = 1/2, log-odds of the end -8/5 after 0, -7/10 after 1",
            parity.cross_entropy_without_attention(n, HALF, LOG_ODDS))


NAME = "Hahn, Theorem 6 (PARITY)"
ALONE = "one symbol: it tells the parity"
EXAMINATIONS = (
    Examination("hahn-theorem-6-parity", NAME, "the cross-entropy is at least unigram chance, in the limit",
                "one network without attention, the same at every n",
                lambda n: at_least(*_network(n), parity.unigram_entropy(HALF), CHANCE)),
    Examination("hahn-theorem-6-parity-step", NAME,
                "if x and x' differ in one bit, the output changes by at most K/n, in the proof",
                "K = 1, one network without attention", lambda n: instance(
                    n, "no attention, log-odds -8/5 at 0...00, -7/10 at 0...01", LOG_ODDS[1] - LOG_ODDS[0],
                    Fraction(1, n), STEP)),
    Examination("hahn-theorem-6-parity-masses", NAME, "even and odd prefixes weigh ((1-p)/2)(1-p/2)^(n-1) each",
                "every p and every prefix of length n", _masses),
    Examination("hahn-theorem-6-parity-last", NAME, "P(even | the last symbol) is (1-p)/(2-p) after 0, 1/(2-p) after 1",
                "every p and every prefix of length n", _last, ALONE),
    Examination("hahn-theorem-6-parity-entropies", NAME, "optimal <= H_1 <= H_0 per symbol", "p = 1/(n+1), n/(n+1)",
                _entropies),
    Examination("hahn-theorem-6-parity-repaired", NAME,
                "the cost of the end after b is at least h(λ_b p) - λ_b(1-λ_b)p s, so CE_n >= H_1 - (p(1-p)/(2-p)²) s",
                "all log-odds with |a - c| <= s; s = 1/n and n; p = 1/10, 1/2, 9/10", _repaired),
    Examination("hahn-theorem-6-parity-attained", NAME, "a network without attention is within 10^-4 of H_1",
                "p = 1/2, one network, the same at every n",
                lambda n: instance(*_network(n), parity.last_symbol_entropy(HALF) + point(CLOSE)), ALONE),
)
