"""PARITY as a language model: the words of [Hahn] Section 6, the masses of their prefixes, and three entropies.

Source      [Hahn] Section 6: two states. With an even number of 1s so far the word ends with probability p, else 0 or 1
            follows, each with probability (1-p)/2; with an odd number 0 or 1 follows, each with probability 1/2. The
            task at length n is to predict the continuation of a prefix of n symbols: 0, 1 or the end.
Masses      Exchanging the last symbol keeps the mass of the symbols before it, and 0 and 1 are equally likely there: a
            bijection between even and odd prefixes of equal mass. So both have one mass, e_n = o_n for n >= 1, and
            e_(n+1) = e_n(1-p)/2 + o_n/2 = e_n(1 - p/2): e_n = ((1-p)/2)(1-p/2)^(n-1). By the number c of 1s,
            M_(n+1)(c) = M_n(c)π(c) + M_n(c-1)π(c-1), π = (1-p)/2 at even, 1/2 at odd numbers.
Last        For n >= 2 the last symbol b is 0 or 1 with probability 1/2 each, and P(even | b) = λ_b with λ_0 =
symbol      (1-p)/(2-p), λ_1 = 1/(2-p): even and odd have one mass before the last step, which weighs (1-p)/2 from
            even and 1/2 from odd, for both b; b = 0 stays, b = 1 exchanges. At n = 1, λ_0 = 1 and λ_1 = 0.
Entropies   0 and 1 are equally likely after every prefix, so distinguishing them costs at least ln 2 if no end
            follows, with probability 1 - p/2; the rest is the prediction of the end, of probability p after even
            prefixes and 0 after odd ones. Per symbol, for n >= 2: optimal h(p)/2 + (1-p/2)ln 2;
            from the last symbol only H_1 = (h(λ_0 p) + h(λ_1 p))/2 + (1-p/2)ln 2; from nothing, unigram chance,
            H_0 = h(p/2) + (1-p/2)ln 2. As h is strictly concave and the mean of λ_0 and λ_1
            is 1/2, optimal < H_1 < H_0 for 0 < p < 1.
"""

from fractions import Fraction

from flint import fmpq_poly

from proofs.enclosures.intervals import Interval, point
from proofs.numbers.cross_entropy.entropies import binary_entropy, cost, one_bit, total

HALF = Fraction(1, 2)
P = fmpq_poly([0, 1])
"""The probability of an end after an even prefix, as an unknown."""
_STEP = {True: (1 - P) / 2, False: fmpq_poly([1]) / 2}
"""The weight of one more 0 or 1 after an even prefix, and after an odd one."""


def masses_by_count(n: int) -> list[fmpq_poly]:
    """Return the masses of the prefixes of length n with c ones, for c = 0, ..., n, as polynomials in p.

    >>> masses_by_count(1)
    [(-1/2)*x + 1/2, (-1/2)*x + 1/2]
    """
    masses = [fmpq_poly([1])]
    for _ in range(n):
        onward = [mass * _STEP[count % 2 == 0] for count, mass in enumerate(masses)]
        masses = [stay + move for stay, move in zip([*onward, P * 0], [P * 0, *onward], strict=True)]
    return masses


def mass_of_each_parity(n: int) -> fmpq_poly:
    """Return the mass of the even prefixes of length n >= 1, or of the odd ones: ((1-p)/2)(1 - p/2)^(n-1)."""
    return (1 - P) / 2 * (1 - P / 2) ** (n - 1)


def share_of_even(last: int, p: Fraction, n: int = 2) -> Fraction:
    """Return P(even | the last symbol is ``last``) at length n: λ_0 or λ_1.

    >>> share_of_even(0, Fraction(1, 2)), share_of_even(1, Fraction(1, 2)), share_of_even(1, Fraction(1, 2), 1)
    (Fraction(1, 3), Fraction(2, 3), Fraction(0, 1))
    """
    if n == 1:
        return Fraction(1 - last)
    return (1 if last else 1 - p) / (2 - p)


def cost_of_symbols(p: Fraction) -> Interval:
    """Return (1 - p/2) ln 2, the cost of distinguishing 0 and 1 where one of them follows."""
    return one_bit().scaled(1 - p / 2)


def optimal_entropy(p: Fraction) -> Interval:
    """Return the least cross-entropy per symbol of a predictor that uses the parity."""
    return total(binary_entropy(p).scaled(HALF), cost_of_symbols(p))


def last_symbol_entropy(p: Fraction, n: int = 2) -> Interval:
    """Return H_1: the least cross-entropy of a predictor from n and the last symbol; equal at every n >= 2."""
    shares = (share_of_even(last, p, n) for last in (0, 1))
    return total(*(binary_entropy(share * p).scaled(HALF) for share in shares), cost_of_symbols(p))


def unigram_entropy(p: Fraction) -> Interval:
    """Return H_0: the least cross-entropy of a predictor that uses nothing."""
    return total(binary_entropy(p / 2), cost_of_symbols(p))


def cross_entropy_without_attention(n: int, p: Fraction, log_odds: tuple[Fraction, Fraction]) -> Interval:
    """Return the cross-entropy at length n of predictions of the end with these log-odds after a 0, and after a 1."""
    costs = (cost(share_of_even(last, p, n) * p, point(log_odds[last])).scaled(HALF) for last in (0, 1))
    return total(*costs, cost_of_symbols(p))
