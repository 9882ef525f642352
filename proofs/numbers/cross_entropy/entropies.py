"""Entropies and costs of predictions in nats, enclosed: h(p), ln(1 + e^x), and sums of them.

Everything is a ball of Arb at ``BITS`` bits, given back as an interval with rational ends around it.
"""

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.enclosures.intervals import Interval

BITS = 128


def enclosed(compute: Callable[[], arb]) -> Interval:
    """What is computed in balls, as an interval.

    >>> enclosed(lambda: arb(3) / 4).lower
    Fraction(3, 4)
    """
    with working_precision(BITS):
        return Interval(*exact_ends(compute()))


def binary_entropy(p: Fraction) -> Interval:
    """h(p) = -p ln p - (1 - p) ln(1 - p), for 0 <= p <= 1.

    >>> binary_entropy(Fraction(1))
    Interval(lower=Fraction(0, 1), upper=Fraction(0, 1))
    """
    return enclosed(lambda: entropy_ball(p))


def entropy_ball(p: Fraction) -> arb:
    """The same as a ball at the working precision."""
    return sum((-ball(q) * ball(q).log() for q in (p, 1 - p) if q), arb(0))


def softplus(x: Interval) -> Interval:
    """ln(1 + e^x), which grows with x: the cost of the event whose log-odds are -x.

    >>> zero = softplus(Interval(Fraction(0), Fraction(0)))
    >>> zero.lower < Fraction(69314718056, 10**11) < zero.upper + Fraction(1, 10**11)
    True
    """
    with working_precision(BITS):
        return Interval(exact_ends(_softplus(x.lower))[0], exact_ends(_softplus(x.upper))[1])


def _softplus(x: Fraction) -> arb:
    """No exponential of a large number is taken."""
    return (ball(x) if x > 0 else arb(0)) + ball(-abs(x)).exp().log1p()


def logistic(x: Fraction) -> Interval:
    """1/(1 + e^(-x)), the probability whose log-odds are x.

    >>> logistic(Fraction(0)).lower
    Fraction(1, 2)
    """
    return enclosed(lambda: 1 / (1 + ball(-x).exp()))


def cost(share: Fraction, log_odds: Interval) -> Interval:
    """The cross-entropy in nats of an event of probability ``share``, predicted with these log-odds.

    That is ``share`` ln(1 + e^(-a)) + (1 - ``share``) ln(1 + e^a); it is convex in a and least, the entropy of the
    event, at a = ln(share/(1 - share)). An enclosure over all a of the interval.
    """
    return (softplus(log_odds.scaled(Fraction(-1))).scaled(share) + softplus(log_odds).scaled(1 - share))


def total(*terms: Interval) -> Interval:
    """The sum of enclosed numbers."""
    return sum(terms, Interval(Fraction(0), Fraction(0)))
