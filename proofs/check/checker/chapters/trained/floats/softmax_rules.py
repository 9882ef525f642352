"""Errors of softmax under a float model, for any number of visible positions.

See docs/background/floats_rules.md, section 7, Softmax.
"""

from fractions import Fraction

from ....kernel.verdicts import require
from ...float_models.reading import FloatClaim
from ...float_models.roundoff import gamma, roundoff_of_sums, tiny, unit_roundoff


class SoftmaxRules:
    """The softmax of a float model."""

    def __init__(self, model: FloatClaim) -> None:
        self._model, self._u, self._relative = model, unit_roundoff(model.softmax), dict[int, Fraction]()
        error = 2 * model.exp_ulp * self._u
        self._exp_error = error / (1 - error)

    def exponent_of_none(self, count: int) -> Fraction:
        """Bound the part of the error of a log-weight that does not depend on the scores, of ``count`` positions."""
        u, lost, rescaled = self._u, tiny(self._model.softmax), self._rescaled(count)
        return (self._exp_error + lost + (4 * (1 + rescaled) * lost if self._model.exp_base != "e" else 0)
                + (rescaled * (self._exp_error + 3 * u + lost) + lost if rescaled else 0))

    def exponents_within(self, count: int) -> tuple[Fraction, Fraction]:
        """Return c, d: the error of log-weights is at most c + d m for scores of at most m (apart at most 2 m)."""
        rescaled = self._rescaled(count)
        growing = 2 + (9 + 3 * rescaled if self._model.exp_base != "e" else 0) + (2 if rescaled else 0)
        return self.exponent_of_none(count), growing * self._u

    def most_of_scores(self, count: int) -> Fraction:
        """Return a bound of scores below which the greatest weight is near 1; negative if there is none."""
        room = 1 - 2 * self.exponent_of_none(count)
        if self._model.exp_base == "e":
            return room if room < 0 else Fraction(1 << 62)
        return room / (6 * self._u * (1 + self._rescaled(count)))

    def relative(self, count: int) -> Fraction:
        """Return the relative error of quotients, weights, products, sums.

        See docs/background/floats_rules.md, section 7, U.
        """
        if count not in self._relative:
            self._relative[count] = self._find_relative(count)
        return self._relative[count]

    def _find_relative(self, count: int) -> Fraction:
        model, rescaled = self._model, self._rescaled(count)
        u_sums = unit_roundoff(model.sums)
        rho = gamma(count + rescaled, max(roundoff_of_sums(model), self._u))
        require(3 * rho <= 1, "{} positions are too many for their format", count)
        factor = (1 + rho) * ((1 + self._u) * (1 + u_sums)) ** 2 / (1 - rho)
        return factor * (1 + unit_roundoff(model.weights)) - 1

    def _rescaled(self, count: int) -> int:
        """Return how often sums of weights are rescaled."""
        return max(0, -(-count // self._model.block) - 1) if self._model.block else 0

    def lost(self, count: int) -> Fraction:
        """Return what is flushed in weights, products, sums and the quotient, of values of at most 1."""
        model = self._model
        of_weights, of_softmax = (4, 8) if model.sum_ulp == 1 else (6, 32)
        return count * (of_weights * tiny(model.weights) + of_softmax * tiny(model.softmax) + 8 * tiny(model.sums))


def is_power(times: Fraction | None) -> bool:
    """Return whether ``times`` is a power of two, so that products with it are exact."""
    if times is None or times <= 0:
        return False
    return times.numerator & (times.numerator - 1) == 0 and times.denominator & (times.denominator - 1) == 0
