"""Enclosures of entropies and costs of predictions in nats: h(p), ln(1 + e^x), and sums of them.

All numbers are enclosed by Arb with ``BITS`` bits, and compared with mpmath.
"""

from fractions import Fraction
from functools import partial
from typing import Any

from proofs.enclosures.by_mpmath import Reals, seconded
from proofs.enclosures.intervals import Interval

BITS = 128


def one_bit() -> Interval:
    """Enclose ln 2, the entropy of a fair coin."""
    return binary_entropy(Fraction(1, 2))


def binary_entropy(p: Fraction) -> Interval:
    """Enclose h(p) = -p ln p - (1 - p) ln(1 - p), for 0 <= p <= 1.

    >>> binary_entropy(Fraction(1))
    Interval(lower=Fraction(0, 1), upper=Fraction(0, 1))
    """
    return seconded(lambda real: sum((-real(q) * real(q).log() for q in (p, 1 - p) if q), real(0)), BITS)


def softplus(x: Interval) -> Interval:
    """Enclose ln(1 + e^x), which grows with x: the cost of the event whose log-odds are -x.

    >>> zero = softplus(Interval(Fraction(0), Fraction(0)))
    >>> zero.lower < Fraction(69314718056, 10**11) < zero.upper + Fraction(1, 10**11)
    True
    """
    lower, upper = (seconded(partial(_softplus, end), BITS) for end in (x.lower, x.upper))
    return Interval(lower.lower, upper.upper)


def _softplus(x: Fraction, real: Reals) -> Any:
    """Return ln(1 + e^x) without the exponential of a large number."""
    return real(max(x, Fraction(0))) + real(-abs(x)).exp().log1p()


def logistic(x: Fraction) -> Interval:
    """Enclose 1/(1 + e^(-x)), the probability whose log-odds are x.

    >>> logistic(Fraction(0)).lower
    Fraction(1, 2)
    """
    return seconded(lambda real: 1 / (1 + real(-x).exp()), BITS)


def cost(share: Fraction, log_odds: Interval, asked: Fraction = Fraction(1)) -> Interval:
    """Enclose the cross-entropy in nats of an event of probability ``share``, predicted with these log-odds.

    It is ``share`` ln(1 + e^(-a)) + (1 - ``share``) ln(1 + e^a), over all a of the interval. It is convex in a, and
    least (the entropy of the event) at a = ln(share/(1 - share)). If the question occurs only with the probability
    ``asked``, that replaces 1.
    """
    return (softplus(log_odds.scaled(Fraction(-1))).scaled(share) + softplus(log_odds).scaled(asked - share))


def total(*terms: Interval) -> Interval:
    """Return the sum of enclosed numbers."""
    return sum(terms, Interval(Fraction(0), Fraction(0)))
