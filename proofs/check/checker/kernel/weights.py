"""Weights of softmax as integers in one unit, each rounded to the side that hurts the claim.

Only the ratio of weights matters, so scores are relative to the greatest one, and e^x spans thousands of bits: sums are
exact integers over the least power of two that occurs, and nothing small is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .budget import MAX_SPREAD_BITS, Budget, Cache
from .exponential import enclose_exp, exp_steps
from .numbers import size, text_of
from .verdicts import TooLong

ScaledEnclosure = tuple[int, int, int]
ENCLOSURE_BITS = 600


class Weigher:
    """Enclosures of exp, which repeat, and sums of them; found by texts, as a file can choose numbers of one hash."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._enclosures = Cache[str, ScaledEnclosure]()

    def enclose(self, score: Fraction) -> ScaledEnclosure:
        """Integers (lower, upper, e) around exp(score) / 2^e."""
        self._budget.spend(size(score) >> 10)
        text = text_of(score)
        known = self._enclosures.get(text)
        if known is None:
            self._budget.spend(exp_steps(score))
            known = self._enclosures.keep(text, enclose_exp(score), ENCLOSURE_BITS + 8 * len(text))
        return known

    def least_terms(self, scores: Sequence[Fraction], factors: Sequence[int]) -> list[int]:
        """For each score at most factor * exp(score), all in one unit.

        Claim. There is a c > 0 with term <= c factor exp(score) for all; so if the sum of some terms is not negative,
        neither is the sum of factor * exp(score) over them. Proof. c = 2^-least; the weight is rounded down where the
        factor is positive and up where it is negative.

        Raises:
            TooLong: if the integers would be.
        """
        weights = [self.enclose(score) for score in scores]
        least = min(e for _, _, e in weights)
        bits = max(e + upper.bit_length() for _, upper, e in weights) - least
        if bits > MAX_SPREAD_BITS:
            raise TooLong(f"the spread of the scores makes integers of {bits} bits")
        longest = bits + max(map(int.bit_length, factors))
        self._budget.spend(len(weights) * (2 + (longest >> 12)))
        with self._budget.holding(longest * len(weights)):
            return [(factor * (lower if factor >= 0 else upper)) << (e - least)
                    for factor, (lower, upper, e) in zip(factors, weights, strict=True)]
