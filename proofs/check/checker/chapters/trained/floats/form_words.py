"""Inputs as affine forms, where ball arithmetic is too coarse; docs/background/floats_rules.md, section 7."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ....kernel.verdicts import require
from ..reading.network import LogitRow
from ..zonotopes.affine import FRACTION, AffineForm, apply, spread
from .form_stack import FloatStack, make_row_maps
from .key_value_cache import CachedExecutions


class FormsOfInputs:
    """Rows of inputs in every execution under a float model."""

    def __init__(self, stack: FloatStack, rows: Sequence[LogitRow], margin: Fraction) -> None:
        self._stack, self._rows = stack, rows
        self._margin = -(-(margin.numerator << FRACTION) // margin.denominator)

    def cache(self, offset: int) -> CachedExecutions:
        """Return a cache of inputs at an offset."""
        return CachedExecutions(self._stack, offset)

    def prove(self, cache: CachedExecutions, tokens: Sequence[int], needed: Mapping[int, Sequence[int]]) -> None:
        """Check the needed rows of an input.

        Raises:
            Rejected: if one is not proved to be above the margin in every execution.
        """
        for place, stream in cache.attended(tokens, [*needed]):
            logits = self._stack.finish(stream)
            for row in needed[place]:
                self._prove_row(row, logits)

    def _prove_row(self, row: int, logits: AffineForm) -> None:
        budget = self._stack.budget
        value = make_row_maps(budget, [self._rows[row]], self._stack.network.outputs)
        (centre,), (reach,) = spread(budget, apply(budget, value, logits))
        require(centre - reach > self._margin, "row {} is about {}, with an error of up to {}", row + 1,
                shown(centre), shown(reach))


def shown(x: int) -> str:
    """Format a number in units of 2^-44 with some digits, or as a power of two if it is small."""
    thousandths = abs(x) * 1000 >> FRACTION
    if thousandths < 10:
        return f"{'-' if x < 0 else ''}2^{x.bit_length() - FRACTION}"
    return f"{'-' if x < 0 else ''}{thousandths // 1000}.{thousandths % 1000:03}"
