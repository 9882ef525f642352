"""The uncertainty δ_j: the error bound of the difference of two scores in Û.

See docs/background/softened_rules.md, section 3.

With eta_r = |Q_r|·e and kappa_r = |K_r|·e it is sum_r (eta_r |k_r(*) - k_r(j)| + (|q_r| + eta_r) 2 kappa_r).
"""

from collections.abc import Sequence
from fractions import Fraction
from operator import mul

from ...kernel.budget import Budget
from ...kernel.numbers import multiply, total
from ...kernel.reading.records import LinearForm
from .forms import HeadForms
from .integers import Integers, common_denominator, longest, multiply_scales, scaled
from .stages import error_of_form


class ScoreUncertainty:
    """The uncertainties of a head at one length, as integers over `unit`.

    Attributes:
        score_unit: the denominator of scores, if queries and keys are read from vectors over ``scale``.
        fine: the number of units of uncertainty in one of scores.
        bits: of the longest number that queries and keys are multiplied with.
    """

    def __init__(self, budget: Budget, forms: HeadForms, errors: LinearForm, scale: int) -> None:
        query_unit = multiply_scales(budget, scale, forms.queries.denominator)
        key_unit = multiply_scales(budget, scale, forms.keys.denominator)
        etas = [error_of_form(budget, row, errors) for row in forms.head.queries]
        kappas = [error_of_form(budget, row, errors) for row in forms.head.keys]
        by_key = [multiply(budget, eta, Fraction(query_unit)) for eta in etas]
        by_query = [multiply(budget, 2 * kappa, Fraction(key_unit)) for kappa in kappas]
        always = total(budget, (multiply(budget, eta, kappa) for eta, kappa in zip(by_key, by_query, strict=True)))
        self.score_unit = multiply_scales(budget, query_unit, key_unit)
        self.fine = common_denominator(budget, [always, *by_key, *by_query])
        self.unit = multiply_scales(budget, self.score_unit, self.fine)
        self._always = scaled(budget, always, self.fine)
        self._by_key = [scaled(budget, x, self.fine) for x in by_key]
        self._by_query = [scaled(budget, x, self.fine) for x in by_query]
        self.bits = longest([self._always, *self._by_key, *self._by_query])

    def of_query(self, query: Integers) -> int:
        """Return the part of the uncertainty that is equal for all positions."""
        return self._always + sum([abs(q) * x for q, x in zip(query, self._by_query, strict=True)])

    def of_keys(self, differences: Sequence[int]) -> int:
        """Return the part for keys with these differences."""
        return sum(map(mul, self._by_key, differences))
