"""Footnote 4 of [Hahn]: the heights of prefixes of 2DYCK are not a Markov chain with a stationary distribution.

Source      [Hahn] footnote 4: "the height H_n of the prefix x up to length n forms a Markov chain"; it "is also
            positive recurrent, as words sampled from the PCFG have finite expected length", so "converges to its
            stationary distribution", "the transition probabilities P(H_{n+1}|H_n) are independent of n".
Chain       At height 0 a word ends with probability 1 - p, so only some prefixes of length n go on. The law of H_n,
            given that there is a prefix of length n, does not follow from transitions that do not depend on n:
            between two prefixes, height 0 leads to 1, other heights up with p, down with 1 - p. At p = 1/2 these take
            the law of H_2, 1/2 at 0 and at 2, to 3/8 at 0; but P(H_4 = 0) = 1/3, as at height 0 half of the words end.
            The limit is quasi-stationary, (k+1)ρ^(k/2) up to a factor for ρ = p/(1-p) < 1 and even n
            (``cross_entropy/brackets.py``). The proof only needs a lower bound of P_0(n), which holds
            nevertheless. (The chain is that of concatenated words, and there the footnote is right for
            p < 1/2; the task is about prefixes of one word.)
Length      The expected length is the sum of the probabilities that a word has at least m symbols: with S -> (S)S or
            [S]S it satisfies E = p(2 + 2E), so 2p/(1-2p) for p < 1/2; for p >= 1/2 there is no finite solution. At p =
            1/2 the sum up to n exceeds K = 1, 2, 3, 4 from n = 3, 5, 9, 13 on, and grows like √n.
"""

from fractions import Fraction

from proofs.numbers.cross_entropy.brackets import mass, mass_alive
from proofs.numbers.instances.comparing import equality, instance
from proofs.numbers.instances.examination import Examination, Instance

ZERO, HALF = Fraction(0), Fraction(1, 2)
BOUNDS = (1, 2, 3, 4)
BELOW_HALF = (Fraction(1, 5), Fraction(2, 5), Fraction(49, 100))


def balanced(n: int, p: Fraction) -> Fraction:
    """Return P(H_n = 0), given that the word has at least n symbols.

    >>> [str(balanced(n, HALF)) for n in (2, 3, 4)]
    ['1/2', '0', '1/3']
    """
    return mass(n, 0, p) / mass_alive(n, p)


def carried_on(n: int, p: Fraction) -> Fraction:
    """Return P(H_n = 0) after two steps of the chain from the law of H_(n-2).

    >>> [str(carried_on(n, HALF)) for n in (2, 3, 4)]
    ['1/2', '0', '3/8']
    """
    at_zero, at_two = (mass(n - 2, height, p) / mass_alive(n - 2, p) for height in (0, 2))
    return at_zero * (1 - p) + at_two * (1 - p) ** 2


def _chain(n: int) -> Instance:
    return equality(n, "p = 1/2: P(H_n = 0) against two steps from the law of H_(n-2)", balanced(n, HALF),
                    carried_on(n, HALF))


def length_up_to(n: int, p: Fraction) -> Fraction:
    """Return the sum of P(a word has at least m symbols) for m = 1, ..., n.

    >>> str(length_up_to(3, HALF))
    '11/8'
    """
    return sum((mass_alive(m, p) for m in range(1, n + 1)), ZERO)


NAME = "Hahn, Footnote 4"
EXAMINATIONS = (
    Examination("hahn-footnote-4-chain", NAME,
                "the law of the height is carried on by transition probabilities that do not depend on n",
                "p = 1/2, every prefix of length n", _chain, "one symbol: the height is 1"),
    Examination("hahn-footnote-4-length", NAME, "the expected length of words is finite: at most K",
                "p = 1/2; K = 1, 2, 3, 4", lambda n: (
                    instance(n, f"p = 1/2, K = {bound}", length_up_to(n, HALF), Fraction(bound)) for bound in BOUNDS)),
    Examination("hahn-footnote-4-length-repaired", NAME, "for p < 1/2 the expected length of words is 2p/(1-2p)",
                "p = 1/5, 2/5, 49/100: the lengths up to n", lambda n: (
                    instance(n, f"p = {p}", length_up_to(n, p), 2 * p / (1 - 2 * p)) for p in BELOW_HALF)),
)
