"""Averages of a head by weights as they are stored: docs/background/floats_rules.md, section 7, Softmax.

Each weight is enclosed as it is stored, so that most of them are one number in all executions.
"""

from collections.abc import Sequence
from fractions import Fraction

from ...float_models.reading import FloatClaim
from ...float_models.roundoff import gamma, tiny, unit_roundoff
from ..balls.exponentials import ABSOLUTE_ERROR, Exponentials
from ..zonotopes.affine import FRACTION, CentredRange
from ..zonotopes.scores import PathBounds
from .dyadics import rounded
from .rounding import times

PLACES = 100  # fractional bits of weights
Ends = list[tuple[int, int]]
"""The least and the greatest value of each number."""


class AveragesOfWeights:
    """Averages with enclosed weights; nothing is rescaled, and no sum is cut off."""

    def __init__(self, model: FloatClaim, exponentials: Exponentials) -> None:
        self._model, self._exp = model, exponentials

    def find(self, scores: Sequence[PathBounds], errors: Sequence[int], values: Sequence[CentredRange],
             lost: Sequence[int]) -> Ends:
        """Enclose the coordinates of the average, for stored scores whose log-weights have these errors."""
        model, count = self._model, len(scores)
        u = unit_roundoff(model.softmax)
        rho = gamma(count, max(u, unit_roundoff(model.sums)))
        relative = (1 + rho) * ((1 + u) * (1 + unit_roundoff(model.sums))) ** 2 / (1 - rho) - 1
        plain = self._exponentials(scores, errors)
        below, above = sum(low for low, _ in plain), sum(high for _, high in plain)
        one, found = 1 << PLACES, list[Ends]()
        if model.normalised != "before":
            found.append(self._average([self._stored(*ends) for ends in plain], values, (below, above), relative))
        if model.normalised != "after":
            shares = [(low * one // above, -(-high * one // below)) for low, high in plain]
            weights = [self._stored(max(0, low - more), high + more) for low, high in shares
                       for more in [times(relative, high)]]
            found.append(self._average(weights, values, (one, one), relative))
        return [(min(low for low, _ in ends) - more, max(high for _, high in ends) + more)
                for more, ends in zip(lost, zip(*found, strict=True), strict=True)]

    def _exponentials(self, scores: Sequence[PathBounds], errors: Sequence[int]) -> Ends:
        """Enclose the computed exponentials, over 2^PLACES."""
        least, top = max(one.least for one in scores), max(one.greatest for one in scores)
        apart = ABSOLUTE_ERROR + 1 + times(2 * tiny(self._model.softmax), 1 << PLACES)
        found = []
        for one, error in zip(scores, errors, strict=True):
            low, less = self._exp.at(top - one.least + error), max(0, least - one.greatest) - error
            high = self._exp.at(less) if less >= 0 else (1 << PLACES) - (less << PLACES - FRACTION + 1)
            found.append((max(0, low - apart), high + apart))
        return found

    def _stored(self, low: int, high: int) -> tuple[int, int]:
        """Enclose a weight as it is multiplied; results below the least number are kept or flushed."""
        form = self._model.weights
        if form == self._model.softmax:
            return low, high
        (m, k), (n, j) = (rounded((x, -PLACES), form) for x in (low, high))
        return (shifted(m, k) if low > times(tiny(form), 1 << PLACES) else 0), -shifted(-n, j)

    def _average(self, weights: Ends, values: Sequence[CentredRange], total: tuple[int, int], relative: Fraction
                 ) -> Ends:
        """Enclose each coordinate of Σ w v / Σ e, terms within ``relative``; the sum of all e is between ``total``."""
        found = []
        for column in zip(*(zip(*value, strict=True) for value in values), strict=True):
            least = sum((low if x > e else high) * (x - e) for (low, high), (x, e) in zip(weights, column, strict=True))
            most = sum((high if x > -e else low) * (x + e) for (low, high), (x, e) in zip(weights, column, strict=True))
            more = times(relative, sum(high * (abs(x) + e) for (_, high), (x, e) in zip(weights, column, strict=True)))
            least, most = least - more, most + more
            found.append((least // total[least > 0], -(-most // total[most < 0])))
        return found


def shifted(m: int, k: int) -> int:
    """Return m 2^k over 2^PLACES, rounded down."""
    return m << k + PLACES if k + PLACES >= 0 else m >> -k - PLACES
