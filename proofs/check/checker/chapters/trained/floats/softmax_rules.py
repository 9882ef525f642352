"""Errors of the softmax of a class of runs, however many positions are seen; docs/floats.md, section 7, Softmax."""

from fractions import Fraction

from ....kernel.verdicts import require
from ...float_models.reading import FloatClaim
from ...float_models.roundoff import gamma, roundoff_of_sums, tiny, unit_roundoff


class SoftmaxRules:
    """The softmax of a class of runs."""

    def __init__(self, run: FloatClaim) -> None:
        self._run, self._u, self._relative = run, unit_roundoff(run.softmax), dict[int, Fraction]()
        error = 2 * run.exp_ulp * self._u
        self._exp_error = error / (1 - error)

    def exponent_of_none(self, count: int) -> Fraction:
        """How far the logarithm of a weight may be off, of so many, whatever the scores are."""
        u, lost, rescaled = self._u, tiny(self._run.softmax), self._rescaled(count)
        return (self._exp_error + lost + (4 * (1 + rescaled) * lost if self._run.exp_base != "e" else 0)
                + (rescaled * (self._exp_error + 3 * u + lost) + lost if rescaled else 0))

    def exponents_within(self, count: int) -> tuple[Fraction, Fraction]:
        """The same of scores of at most m: the first number, and the second one times m, since no two are more than 2 m
        apart."""
        rescaled = self._rescaled(count)
        growing = 2 + (9 + 3 * rescaled if self._run.exp_base != "e" else 0) + (2 if rescaled else 0)
        return self.exponent_of_none(count), growing * self._u

    def most_of_scores(self, count: int) -> Fraction:
        """How large so many scores may be so that the weight of the greatest one is near 1; below 0 if none may be."""
        room = 1 - 2 * self.exponent_of_none(count)
        if self._run.exp_base == "e":
            return room if room < 0 else Fraction(1 << 62)
        return room / (6 * self._u * (1 + self._rescaled(count)))

    def relative(self, count: int) -> Fraction:
        """How far quotients, weights, products and sums are off, relatively: U of docs/floats.md, section 7."""
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
        """How often sums of weights are rescaled."""
        return max(0, -(-count // self._run.block) - 1) if self._run.block else 0

    def lost(self, count: int) -> Fraction:
        """What is flushed in weights, products, sums and the quotient, of values of at most 1."""
        run = self._run
        of_weights, of_softmax = (4, 8) if run.sum_ulp == 1 else (6, 32)
        return count * (of_weights * tiny(run.weights) + of_softmax * tiny(run.softmax) + 8 * tiny(run.sums))


def is_power(times: Fraction | None) -> bool:
    """Whether products with it are exact."""
    if times is None or times <= 0:
        return False
    return times.numerator & (times.numerator - 1) == 0 and times.denominator & (times.denominator - 1) == 0
