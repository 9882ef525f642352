"""The worst case of a head: its row, and a lower and an upper bound of its error."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from constructions.network.meanings import ALLOWED_ERROR
from constructions.network.weightings import Weighting
from proofs.enclosures.exponential import round_up

DIGITS, MOST_DIGITS = 12, 192
"""Significant decimal digits of a proved bound; just below the allowed error, as many as separate the two."""
SMALLEST_BOUND = Fraction(1, 10**300)
"""Bounds below this are rounded up to it, so that no certificate needs longer numbers."""


@dataclass(frozen=True)
class Extreme(ABC):
    """The largest error of one kind: ``lower`` is attained at (n, i), ``upper`` is proved everywhere."""

    lower: Fraction
    upper: Fraction
    weighting: Weighting = field(default=Weighting.SOFTMAX, kw_only=True)

    @property
    @abstractmethod
    def n(self) -> int:
        """The length of the word."""

    @property
    @abstractmethod
    def i(self) -> int:
        """The position of the query."""

    @property
    def claimed(self) -> Fraction:
        """The bound that a certificate states: ``upper``, or somewhat more."""
        return self.upper

    @property
    def count(self) -> int | None:
        """The count at that position, if the head looks up a count."""
        return None

    def terms(self) -> list[tuple[Fraction, Fraction]]:
        """Return the scaled score and the error of every visible position, if the error is their weighted sum."""
        return []


@dataclass(frozen=True)
class WorstCase:
    """The largest error where the target is false and where it is true; None if the error is 0.

    For a number instead of a truth these are the largest excess and the largest shortfall.
    """

    if_false: Extreme | None
    if_true: Extreme | None
    otherwise: Fraction = Fraction(0)

    @classmethod
    def of(cls, extremes: Iterable[tuple[bool, Extreme]]) -> WorstCase:
        """Return the worst case with the largest extreme of each truth, the first among equal ones."""
        found: dict[bool, Extreme] = {}
        for truth, extreme in extremes:
            if truth not in found or extreme.upper > found[truth].upper:
                found[truth] = extreme
        return cls(found.get(False), found.get(True))

    @property
    def extremes(self) -> list[Extreme]:
        """The extremes that exist."""
        return [extreme for extreme in (self.if_false, self.if_true) if extreme]

    def bound(self, truth: bool) -> Fraction:
        """Return the error bound to be stated for inputs with this truth; ``otherwise`` without an extreme."""
        extreme = self.if_true if truth else self.if_false
        return extreme.claimed if extreme else self.otherwise

    @property
    def worst(self) -> Extreme | None:
        """The larger of the two extremes."""
        return max(self.extremes, key=lambda extreme: extreme.upper, default=None)

    def capped(self, bound: Fraction) -> WorstCase:
        """Return the worst case with all bounds capped at ``bound``, which is proved separately."""
        capped = [extreme and replace(extreme, lower=min(extreme.lower, bound), upper=min(extreme.upper, bound))
                  for extreme in (self.if_false, self.if_true)]
        return replace(self, if_false=capped[0], if_true=capped[1])

    def within(self, bound: Fraction) -> bool | None:
        """Return whether all errors are at most ``bound``; None if the enclosures do not decide it."""
        if any(extreme.lower <= bound < extreme.upper for extreme in self.extremes):
            return None
        return all(extreme.upper <= bound for extreme in self.extremes)


def proved_bound(upper: Fraction) -> Fraction:
    """Return a short number that is at least ``upper``.

    >>> str(proved_bound(Fraction(1, 4))), str(proved_bound(Fraction(0)))
    ('1/4', '0')
    """
    if upper <= 0:
        return Fraction(0)
    digits, rounded = DIGITS, round_up(max(upper, SMALLEST_BOUND), DIGITS)
    while upper < ALLOWED_ERROR and 2 * (rounded - upper) > ALLOWED_ERROR - upper and digits < MOST_DIGITS:
        digits *= 2
        rounded = round_up(upper, digits)
    return rounded
