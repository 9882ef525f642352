"""2DYCK as a language model: masses of prefixes by height, and the probability that the type of a bracket matters.

Source      [Hahn] Section 6: S -> (S)S or [S]S with probability p/2 each, S -> ε with 1 - p. From left to right: at
            height k > 0 a bracket opens with probability p (both types equally), or the open one closes, with
            1 - p; at height 0 one opens with p, or the word ends with 1 - p.
Masses      Prefixes of length n and height k have the mass a_n(k) = B(n, k) p^((n+k)/2) (1-p)^((n-k)/2) for even n - k.
            B(n, k) = (k+1)/(n+1) · C(n+1, (n-k)/2) counts the paths that never go below 0 (ballot numbers): each has
            (n+k)/2 steps up, (n-k)/2 down, and B(n+1, k) = B(n, k-1) + B(n, k+1).
Closing     Of the paths of length n to k, those whose last step is down are B(n-1, k+1), the share
            (k+2)(n-k)/(2(k+1)n), for every p.
Asked       P_0(n), the probability that a prefix of length n ends with a closing bracket and is not balanced, is
            Σ_(k>=1) (1-p) a_(n-1)(k+1) / Σ_k a_n(k).
Optimal     After every prefix p/2, p/2 and 1 - p are the probabilities of the three symbols that may follow: the
            entropy is h(p) + p ln 2 after every prefix.
Limits      For ρ = p/(1-p) < 1: ρ(2-ρ)/(1+ρ) over even n, (3-ρ)/4 over odd n. For even n a_n(k)/a_n(0) = (k+1)ρ^(k/2)
            C(n+1, (n-k)/2)/C(n+1, n/2), and the quotient is at most 1 and tends to 1, so (dominated convergence) sums
            over k tend to those of (k+1)ρ^(k/2): (1-ρ)²/(1+ρ) times Σ_(k=2,4,...) (k+2)/2 ρ^(k/2), which is
            1/(1-ρ)² - 1. For odd n the same against a_n(1): Σ (k+2)/2 ρ^((k-1)/2) over k = 1, 3, ... is
            (3-ρ)/(2(1-ρ)²), and Σ (k+1)ρ^((k-1)/2) is 2/(1-ρ)².
"""

from fractions import Fraction
from math import comb

from proofs.enclosures.intervals import Interval
from proofs.numbers.cross_entropy.entropies import binary_entropy, one_bit, total


def paths(n: int, height: int) -> int:
    """Return B(n, k): the number of prefixes of one type of bracket of length n and this height.

    >>> [paths(4, k) for k in range(6)]
    [2, 0, 3, 0, 1, 0]
    """
    if (n - height) % 2 or not 0 <= height <= n:
        return 0
    return (height + 1) * comb(n + 1, (n - height) // 2) // (n + 1)


def mass(n: int, height: int, p: Fraction) -> Fraction:
    """Return a_n(k): the mass of all prefixes of length n and this height.

    >>> str(mass(3, 1, Fraction(1, 2)))
    '1/4'
    """
    return paths(n, height) * p ** ((n + height) // 2) * (1 - p) ** ((n - height) // 2) if paths(n, height) else (
        Fraction(0))


def mass_alive(n: int, p: Fraction) -> Fraction:
    """Return the mass of all prefixes of length n: the probability that a word has at least n symbols."""
    return sum((mass(n, height, p) for height in range(n + 1)), Fraction(0))


def asked_for_type(n: int, p: Fraction) -> Fraction:
    """Return P_0(n): the probability that a prefix of length n ends with a closing bracket and is not balanced.

    >>> [str(asked_for_type(n, Fraction(1, 2))) for n in (1, 2, 3, 4)]
    ['0', '0', '1/3', '1/6']
    """
    closing = sum(((1 - p) * mass(n - 1, height + 1, p) for height in range(1, n)), Fraction(0))
    return closing / mass_alive(n, p)


def limits_of_asked(p: Fraction) -> tuple[Fraction, Fraction]:
    """Return the limits of P_0(n) over even n, and over odd n, for p < 1/2.

    >>> [str(limit) for limit in limits_of_asked(Fraction(1, 5))]
    ['7/20', '11/16']
    """
    ratio = p / (1 - p)
    return ratio * (2 - ratio) / (1 + ratio), (3 - ratio) / 4


def optimal_entropy(p: Fraction) -> Interval:
    """Return h(p) + p ln 2, the entropy after every prefix."""
    return total(binary_entropy(p), one_bit().scaled(p))
