"""Caps of scores in an execution: docs/background/floats_rules.md, section 7, Caps."""

from collections.abc import Sequence
from fractions import Fraction

from ....kernel.budget import Budget
from ....kernel.verdicts import require
from ...float_models.reading import FloatClaim
from ...float_models.roundoff import gamma, tiny, unit_roundoff
from ..balls.score_caps import ScoreCap
from ..zonotopes.activations import Curve, activate
from ..zonotopes.affine import UNIT, AffineForm, scale_each
from ..zonotopes.scores import PathBounds
from ..zonotopes.step_maps import PRECISION
from .rounding import all_times, expect_finite, times, up


class CapOnForms:
    """A cap c: s becomes c tanh(s / c).

    Raises:
        Rejected: if c or 1/c may be too small for its format, or roundings are too coarse.
    """

    def __init__(self, budget: Budget, model: FloatClaim, cap: Fraction) -> None:
        self._budget, self._model, self._cap = budget, model, cap
        lost, function = tiny(model.scores), 2 * model.exp_ulp * unit_roundoff(model.softmax)
        self._relative = (1 + function) * (1 + gamma(8, unit_roundoff(model.scores))) - 1
        require(2 * lost <= min(cap, 1 / cap) and self._relative <= 1, "a cap of scores is too coarse for its format")
        expect_finite(model.scores, [up(2 * cap), up(2 / cap)])
        self._lost, self._exact = up((8 * cap + 4) * lost), ScoreCap(cap, PRECISION, budget)
        self._curve = Curve("tanh", self._exact.tanh)

    def errors(self, sizes: Sequence[int]) -> list[int]:
        """Bound the errors of capped scores, relative to those without roundings, for scores of at most these sizes."""
        expect_finite(self._model.scores, [*sizes, times(2 / self._cap, max(sizes))])
        most = up(self._cap)
        return [more + self._lost for more in all_times(self._relative, [min(size, most) for size in sizes])]

    def of_form(self, x: AffineForm) -> AffineForm:
        """Return the real capped scores of a form."""
        inverse, cap = (int(one * UNIT) for one in (1 / self._cap, self._cap))
        small = scale_each(self._budget, [inverse] * len(x.rows), None, x)
        return scale_each(self._budget, [cap] * len(x.rows), None, activate(self._budget, self._curve, small))

    def of_ends(self, least: int, greatest: int) -> PathBounds:
        """Enclose the capped scores of a run between these ends."""
        low, high = self._exact.apply([least, greatest])
        (more,) = self.errors([max(-least, greatest)])
        more += self._exact.error
        return PathBounds(low - more, high + more)
