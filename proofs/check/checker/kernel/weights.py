"""Softmax weights as integers in one unit, each rounded to the side that is worse for the claim.

Only the ratio of weights matters, so scores are relative to the greatest one, and e^x may have any number of bits. Sums
are exact integers: no small term is dropped, only bits that no sum reaches.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from .budget import MAX_EXP_EXPONENT, MAX_FALL_EXPONENT, MAX_N, MAX_SPREAD_BITS, Budget, Cache
from .exponential import WORKING_BITS, enclose_exp, exp_steps
from .numbers import ONE, size, text_of
from .verdicts import TooLong

ScaledEnclosure = tuple[int, int, int]


class Weigher:
    """Cached enclosures of exp, and signed sums of them. Keys are texts: a file can choose numbers with one hash."""

    def __init__(self, budget: Budget, bits: int = WORKING_BITS) -> None:
        self._budget, self.bits, self.rate = budget, bits, ONE  # the logarithm of the base, or less
        self._enclosures = Cache[str, ScaledEnclosure]()

    def enclose(self, score: Fraction) -> ScaledEnclosure:
        """Return integers (lower, upper, e) with lower 2^e <= exp(score) <= upper 2^e."""
        self._budget.spend(size(score) >> 10)
        text = text_of(score)
        known = self._enclosures.get(text)
        if known is None:
            self._budget.spend(exp_steps(score, self.bits))
            most = MAX_EXP_EXPONENT if score > 0 else MAX_FALL_EXPONENT
            known = self._enclosures.keep(text, enclose_exp(score, self.bits, most), 4 * self.bits + 8 * len(text))
        return known

    def least_terms(self, scores: Sequence[Fraction], factors: Sequence[int]) -> list[int]:
        """Return integers whose sums, if not negative, imply that the same sum of factor * exp(score) is not.

        A sum has at most MAX_N + len(scores) terms, with repetitions. Proof. Let t = factor * weight, the weight
        rounded down where the factor is positive and up where it is negative. It is an integer m times 2^e, |m| <
        2^(width - room), and 2^room is more than the number of terms. A term is m 2^p with p the place of e. Places
        grow with e, from one e to the next by the difference or by the width. Where it is the width, the terms up to
        there sum to less than 2^(e + width), which divides all terms above, and to less than 2^(p + width), which
        divides all above in their places. So the sign of a sum is the sign of the highest block sum other than 0, with
        either exponents; in a block these differ by one number.

        Raises:
            TooLong: if the integers would be.
        """
        weights = [self.enclose(score) for score in scores]
        found = [(factor * (lower if factor >= 0 else upper), e)
                 for factor, (lower, upper, e) in zip(factors, weights, strict=True)]
        width = max(abs(m).bit_length() for m, _ in found) + (MAX_N + len(scores)).bit_length()
        places = {min(e for _, _, e in weights): 0}
        for before, e in pairwise(sorted({e for _, _, e in weights})):
            places[e] = places[before] + min(e - before, width)
        longest = max(places.values()) + width
        if longest > MAX_SPREAD_BITS:
            raise TooLong(f"the spread of the scores makes integers of {longest} bits")
        self._budget.spend(len(weights) * (2 + (longest >> 12)))
        with self._budget.holding(longest * len(weights)):
            return [m << places[e] for m, e in found]
