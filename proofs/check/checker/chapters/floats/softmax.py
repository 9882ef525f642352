"""Outputs of heads under a float model, from the spread of scores and the error over the reals.

See docs/background/floats_rules.md, rule 3.

Every bound is a rational that is rounded up (`up`), or down where that is the unfavourable side.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ...kernel.budget import Budget
from ...kernel.exponential import enclose_exp, exp_steps
from ...kernel.numbers import ONE, QUARTER, ZERO
from ...kernel.verdicts import Rejected, refuse, require
from ..float_models.reading import FloatClaim
from ..float_models.roundoff import gamma, tiny, unit_roundoff
from ..formula.describing import write_rounded_up
from .rounding import BITS, at_most_power, is_finite, rounding_error, up
from .score_differences import ScoreSpread

MOST = Fraction(8)  # weights with an error of a factor of e^8 prove nothing
TAIL_STEPS = 10  # work of each term of a sum of tails
FAR = [Fraction(k, 2) for k in range(2, 121)]  # distances from the greatest score from which scores are far: 1 to 60


class FloatWeights(NamedTuple):
    """Computed weights are within e^-theta and e^theta of the real ones (the greatest is 1), except for ``lost``.

    Attributes:
        far: a bound of the computed weight of a far position.
        missed: a bound of its real weight; 0 if no position is far.
    """

    theta: Fraction
    lost: Fraction
    far: Fraction
    missed: Fraction


class Sums(NamedTuple):
    """Sums and quotients are right except for a factor of 1 + relative, and ``absolute``."""

    relative: Fraction
    absolute: Fraction


@dataclass(frozen=True)
class Softmax:
    """The rules for heads under one float model, at up to ``length`` visible positions."""

    budget: Budget
    claim: FloatClaim
    length: int

    def exp_up(self, x: Fraction) -> Fraction:
        """Return an upper bound of exp(x)."""
        self.budget.spend(exp_steps(x))
        _, upper, e = enclose_exp(x)
        return up(Fraction(upper << max(e, 0), 1 << min(max(-e, 0), 4096)) if e > -4096 else Fraction(1, 1 << 512))

    @property
    def blocks(self) -> int:
        """The greatest number of rescalings of partial sums."""
        return max(0, -(-self.length // self.claim.block) - 1) if self.claim.block else 0

    @property
    def exp_error(self) -> Fraction:
        """lambda: an exponential is within e^-off and e^off of the true one."""
        x = 2 * self.claim.exp_ulp * unit_roundoff(self.claim.softmax)
        return x / (1 - x)

    def weights(self, spread: ScoreSpread, far: Fraction | None) -> FloatWeights:
        """Bound the weights; positions whose score is more than ``far`` below the greatest are taken apart."""
        claim, delta = self.claim, spread.error
        u, smallest = unit_roundoff(claim.softmax), tiny(claim.softmax)
        near = spread.difference if far is None else min(far, spread.difference)
        shift = u * (near + 2 * delta) + smallest
        is_exact = (delta == 0 and spread.grid is not None and spread.grid >= claim.softmax.least
                    and at_most_power(near, claim.softmax.precision + spread.grid))
        own = unit_roundoff(claim.weights)
        theta = delta + (ZERO if is_exact else shift) + self.exp_error + own / (1 - own)
        if claim.exp_base != "e":
            theta += 3 * u * near + (1 + self.blocks) * (3 * u * (spread.size + 3 * delta) + 4 * smallest)
        if self.blocks:
            theta += self.blocks * (self.exp_error + 3 * u + smallest) + shift
        theta = up(theta)
        require(theta <= MOST, "weights may err by a factor of e^8 or more")
        lost = up(self.exp_up(theta) * (2 * smallest + 2 * tiny(claim.weights)))
        if far is None or far >= spread.difference:
            return FloatWeights(theta, lost, ZERO, ZERO)
        return FloatWeights(theta, lost, up(self.exp_up(-(far - 2 * delta) * (1 - 8 * u) + theta) + lost),
                            self.exp_up(-far))

    def check_range(self, spread: ScoreSpread) -> None:
        """Check that differences of scores and sums of weights are finite."""
        most = 2 * (spread.difference + 2 * spread.error + spread.size)
        require(is_finite(self.claim.softmax, 2 * most), "a difference of scores may not be finite")
        u, smallest = unit_roundoff(self.claim.softmax), tiny(self.claim.softmax)
        products = ZERO if self.claim.exp_base == "e" else 3 * u * (spread.size + 3 * spread.error) + 4 * smallest
        growth = self.blocks * (self.exp_error + 3 * u + smallest + products)
        require(growth <= MOST, "rescaled weights may err by too much")
        for form in (self.claim.softmax, self.claim.sums, self.claim.weights):
            require(is_finite(form, 4 * self.length * self.exp_up(up(growth))), "a sum of weights may not be finite")

    def sums(self, spread: ScoreSpread, weights: FloatWeights, is_ranked: bool) -> Iterator[Sums]:
        """Yield U and nu: by gamma, and by T where ranks of scores decide; ``is_ranked``: values are 0 or 1."""
        claim, n = self.claim, self.length
        u = max(unit_roundoff(claim.sums), unit_roundoff(claim.softmax))
        absolute = 2 * n * (tiny(claim.weights) + tiny(claim.softmax) + tiny(claim.sums))
        if 2 * (n + self.blocks) * u <= 1:  # beyond that a sum may err by more than itself
            yield from self._with_quotients(gamma(n + self.blocks, u), absolute)
        by_tails = self._by_tails(spread, weights, u) if is_ranked and n * u < 1 else None
        if by_tails is not None:
            lost = absolute * (1 if 2 * n * u <= 1 else 2)
            yield from self._with_quotients(by_tails.relative, lost + by_tails.absolute)

    def _with_quotients(self, rho: Fraction, absolute: Fraction) -> Iterator[Sums]:
        """Yield the bounds of the quotient of two sums with relative error rho, and of the other roundings."""
        if rho <= ONE / 3:
            own, weight, added = map(unit_roundoff, (self.claim.softmax, self.claim.weights, self.claim.sums))
            product = (1 + rho) * ((1 + own) * (1 + weight) * (1 + added)) ** 2 / (1 - rho)
            yield Sums(up(product - 1), up(absolute))

    def _by_tails(self, spread: ScoreSpread, weights: FloatWeights, u: Fraction) -> Sums | None:
        """Return bounds by lemma T, if real scores all differ by 1 or more, and weights are within a factor of e."""
        n, lost = self.length, weights.lost + weights.far
        applies = (not self.blocks and weights.theta <= 1
                   and n * lost * self.exp_up(weights.theta) <= ONE / 2)
        if n > 1 and (not applies or spread.gap is None or spread.gap < 1):
            return None
        factor = 1 / (1 - n * u)  # 1 + gamma
        relative = u
        if n > 1 and spread.gap is not None:
            step = self.exp_up(-spread.gap)
            tail = up(self.exp_up(2 * weights.theta + 4 * unit_roundoff(self.claim.softmax)) / (1 - step))
            for _ in range(n - 1):
                self.budget.spend(TAIL_STEPS)
                tail = up(tail * step)
                relative += factor * min(u, tail)
                if tail < u / (1 << BITS):
                    relative += factor * tail / (1 - step)  # at least all that are left
                    break
        return Sums(up(relative), up(16 * factor * (n + 3) ** 2 * self.exp_up(weights.theta) * lost))

    def share(self, weights: FloatWeights, error: Fraction) -> Fraction:
        """Return the greatest share of what counts against the target, if it is at most ``error`` over the reals."""
        n, factor = self.length, self.exp_up(weights.theta)
        against = up(error * factor + n * (weights.lost + weights.far))
        left = (1 - error) / factor - n * (weights.lost + weights.missed)
        return up(against / (against + left)) if left > 0 else ONE

    def options(self, spread: ScoreSpread) -> Iterator[FloatWeights]:
        """Yield bounds on the weights, without and with far positions apart; each of them is sound."""
        for far in (None, *(f for f in FAR if 2 * spread.error <= f < spread.difference)):
            try:
                yield self.weights(spread, far)
            except Rejected:
                if far is None:
                    continue
                return

    def prove_near(self, spread: ScoreSpread, errors: tuple[Fraction, Fraction], is_ranked: bool) -> None:
        """Check that the head writes at most 1/4 where its target is false, and 3/4 to 5/4 where it is true."""
        self.check_range(spread)
        found = []
        for weights in self.options(spread):
            shares = [self.share(weights, error) for error in errors]
            found += [excess(sums, *shares) for sums in self.sums(spread, weights, is_ranked)]
            if min(found, default=ONE) <= 0:
                return
        require(found, "{} positions are too many for scores and sums of this precision", self.length)
        error = write_rounded_up(QUARTER + min(found), 3)
        refuse("the head has an error bound of about {}, expected at most 1/4", error)

    def number_error(self, spread: ScoreSpread, curvature: Fraction, greatest: Fraction) -> Fraction:
        """Bound the error of a head (rule 4) that looks up a number.

        Its values are 0..greatest, one more at each position. Its real scores are those of a parabola of at least this
        curvature, with its top where the value is the target.
        """
        self.check_range(spread)
        n, found = self.length, []
        around = self._mean_distance(curvature)
        for weights in self.options(spread):
            factor = self.exp_up(weights.theta)
            if weights.lost * factor < 1:
                against = factor * around + n * n * (weights.lost + weights.far)
                error_of_mean = up(factor * against / (1 - factor * weights.lost))
                found += [error_of_mean + sums.relative * (greatest + error_of_mean) + sums.absolute * greatest
                          for sums in self.sums(spread, weights, False)]
        require(found, "{} positions are too many for scores and sums of this precision", self.length)
        error = min(found)
        return up(error + rounding_error(self.claim.storage, up(greatest + error)))

    def _mean_distance(self, curvature: Fraction) -> Fraction:
        """Bound the sum of k exp(-curvature k^2) over k = 1, 2, ... from above, for a curvature of 1 or more.

        Each term is less than half of the one before, so the remainder is less than the last one added.
        """
        total, k, term = ZERO, 0, ONE
        while term * (1 << BITS) > 1:
            k += 1
            term = k * self.exp_up(-min(curvature, Fraction(60)) * k * k)
            total += term
        return up(total + term)


def excess(sums: Sums, false: Fraction, true: Fraction) -> Fraction:
    """Return the excess of the output beyond 1/4, 3/4 or 5/4; at most 0 if it is within.

    ``false`` and ``true`` are the greatest shares of what counts against a target that is false, or true.
    """
    return max(false * (1 + sums.relative) + sums.absolute - QUARTER,
               1 - QUARTER - ((1 - true) * (1 - sums.relative) - sums.absolute),
               sums.relative + sums.absolute - QUARTER)
