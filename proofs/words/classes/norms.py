"""Layer norms after the parts of a transformer: docs/reference/margins.md, section 2.

The residual vector x becomes (x - μ) / sqrt(v + epsilon): μ is the mean over all directions, v the mean of (x - μ)².
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from flint import fmpq

from constructions.errors import Unsupported
from proofs.enclosures.intervals import Interval, point
from proofs.enclosures.rationals import ZERO, to_flint

Epsilon = Fraction | None
"""The number added under the root; None without a norm."""


class NoNorm(Unsupported):
    """A norm may divide by 0."""


@dataclass(frozen=True)
class Norms:
    """The epsilons after the attention and after the feed-forward part of each layer; empty without norms."""

    epsilons: tuple[tuple[Epsilon, Epsilon], ...] = ()

    def behind(self, stage: int) -> Epsilon:
        """Return the epsilon after a stage: 2l - 1 is the attention of layer l, 2l its feed-forward part."""
        return self.epsilons[(stage - 1) // 2][(stage - 1) % 2] if self.epsilons and stage else None


NO_NORMS = Norms()


def everywhere(layers: int, epsilon: Fraction) -> Norms:
    """Return the same norm after both parts of every layer, as in transformers of 2017."""
    return Norms(((epsilon, epsilon),) * layers)


def enclose_inverse_root(centred: Sequence[Interval], epsilon: Fraction, bits: int) -> Interval:
    """Enclose 1 / sqrt(v + epsilon), v the mean of the squares of these numbers.

    Exact where they are, and the root is rational.

    Raises:
        NoNorm: if it may divide by 0.
    """
    share = to_flint(Fraction(1, len(centred)))
    root = enclose_root(sum(map(_square, centred), point(ZERO)).scaled(share) + point(to_flint(epsilon)), bits)
    if root.lower <= 0:
        raise NoNorm("a norm divides by what may be 0: the numbers of all directions may be equal")
    return point(1 / root.lower) if root.is_point else Interval(1 / root.upper, 1 / root.lower)


def _square(x: Interval) -> Interval:
    if x.is_point:
        return point(x.lower * x.lower)
    ends = sorted((x.lower * x.lower, x.upper * x.upper))
    return Interval(ZERO if x.lower < 0 < x.upper else ends[0], ends[1])


def enclose_root(x: Interval, bits: int) -> Interval:
    """Enclose the square root of numbers of 0 or more, with ``bits`` relative bits; exact where it is rational.

    >>> enclose_root(point(to_flint(Fraction(9, 4))), 10)
    Interval(lower=3/2, upper=3/2)
    """
    if x.is_point and (exact := _rational_root(x.lower)) is not None:
        return point(exact)
    return Interval(_root(x.lower, bits, 0), _root(x.upper, bits, 1))


def _rational_root(x: Any) -> Any:
    p, q = int(x.p), int(x.q)
    return fmpq(isqrt(p), isqrt(q)) if p >= 0 and isqrt(p) ** 2 == p and isqrt(q) ** 2 == q else None


def _root(x: Any, bits: int, up: int) -> Any:
    """Return the root rounded down or up, to a multiple of a power of 2 that is small relative to it."""
    p, q = int(x.p), int(x.q)
    if p <= 0:
        return ZERO
    shift = max(0, bits + (q.bit_length() - p.bit_length()) // 2 + 1)
    return fmpq(isqrt((p << (2 * shift)) // q) + up, 1 << shift)
