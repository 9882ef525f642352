"""Errors of softmax under a float model, for any number of visible positions; docs/floats.md, section 7, Softmax."""

from fractions import Fraction

from ....kernel.verdicts import require
from ...float_models.reading import FloatClaim
from ...float_models.roundoff import gamma, roundoff_of_sums, tiny, unit_roundoff


class SoftmaxRules:
    """The softmax of a float model."""

    def __init__(self, run: FloatClaim) -> None:
        self._run, self._u, self._relative = run, unit_roundoff(run.softmax), dict[int, Fraction]()
        error = 2 * run.exp_ulp * self._u
        self._exp_error = error / (1 - error)

    def exponent_of_none(self, count: int) -> Fraction:
        """Bound the part of the error of a log-weight that does not depend on the scores, of ``count`` positions."""
        u, lost, rescaled = self._u, tiny(self._run.softmax), self._rescaled(count)
        return (self._exp_error + lost + (4 * (1 + rescaled) * lost if self._run.exp_base != "e" else 0)
                + (rescaled * (self._exp_error + 3 * u + lost) + lost if rescaled else 0))

    def exponents_within(self, count: int) -> tuple[Fraction, Fraction]:
        """Return c, d: the error of log-weights is at most c + d m for scores of at most m (apart at most 2 m)."""
        rescaled = self._rescaled(count)
        growing = 2 + (9 + 3 * rescaled if self._run.exp_base != "e" else 0) + (2 if rescaled else 0)
        return self.exponent_of_none(count), growing * self._u

    def most_of_scores(self, count: int) -> Fraction:
        """Return a bound of scores below which the greatest weight is near 1; negative if there is none."""
        room = 1 - 2 * self.exponent_of_none(count)
        if self._run.exp_base == "e":
            return room if room < 0 else Fraction(1 << 62)
        return room / (6 * self._u * (1 + self._rescaled(count)))

    def relative(self, count: int) -> Fraction:
        """Return the relative error of quotients, weights, products and sums: U of docs/floats.md, section 7."""
        if count not in self._relative:
            self._relative[count] = self._find_relative(count)
        return self._relative[count]

    def _find_relative(self, count: int) -> Fraction:
        run, rescaled = self._run, self._rescaled(count)
        u_sums, u_weights = unit_roundoff(run.sums), unit_roundoff(run.weights)
        rho = gamma(count + rescaled, max(roundoff_of_sums(run), self._u))
        require(3 * rho <= 1, "{} positions are too many for their format", count)
        factor = (1 + rho) * ((1 + self._u) * (1 + u_sums)) ** 2 / (1 - rho)
        return factor * (1 + u_weights) / (1 - u_weights) - 1

    def _rescaled(self, count: int) -> int:
        """Return how often sums of weights are rescaled."""
        return max(0, -(-count // self._run.block) - 1) if self._run.block else 0

    def lost(self, count: int) -> Fraction:
        """Return what is flushed in weights, products, sums and the quotient, of values of at most 1."""
        run = self._run
        of_weights, of_softmax = (4, 8) if run.sum_ulp == 1 else (6, 32)
        return count * (of_weights * tiny(run.weights) + of_softmax * tiny(run.softmax) + 8 * tiny(run.sums))


def is_power(times: Fraction | None) -> bool:
    """Return whether ``times`` is a power of two, so that products with it are exact."""
    if times is None or times <= 0:
        return False
    return times.numerator & (times.numerator - 1) == 0 and times.denominator & (times.denominator - 1) == 0
