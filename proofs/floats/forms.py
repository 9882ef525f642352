"""Linear forms in floating point: exact by lemma G, or with an error bound for every order (rule 2)."""

from collections.abc import Sequence
from fractions import Fraction

from constructions.network.float_formats import Format, power_of_two
from proofs.enclosures.float_models.model import FloatModel
from proofs.floats.float_enclosure import ANY_GRID, NOTHING, ZERO, FloatEnclosure, check_finite, round_to
from proofs.floats.outward import gamma, half_unit, up
from proofs.formula.failures import NotDerived

Product = tuple[FloatEnclosure, FloatEnclosure]


def bound_form(products: Sequence[Product], run: FloatModel, target: Format) -> FloatEnclosure:
    """Return the sum of the products, computed in any order, fused or not, and rounded to the target.

    A bias is a product with 1. Rounding to the format of the sum itself adds no error.

    Raises:
        NotDerived: if a number may be too large, or there are too many terms for the format.
    """
    entered = [(enter(a, run), enter(b, run)) for a, b in products if a.computed_size and b.computed_size]
    if not entered:
        return NOTHING
    if exact := sum_on_grid(entered, run.sums):
        return round_to(exact, target)
    found = _bound_sum(entered, run)
    return found if target == run.sums else round_to(found, target)


def enter(enclosure: FloatEnclosure, run: FloatModel) -> FloatEnclosure:
    """Return the enclosure of a stored number as the input of a product.

    Raises:
        NotDerived: if it may be too large.
    """
    return enclosure if run.inputs == run.storage else round_to(enclosure, run.inputs)


def sum_on_grid(products: Sequence[Product], sums: Format) -> FloatEnclosure | None:
    """Return the sum, if it is exact by lemma G."""
    if any(a.error or b.error for a, b in products):
        return None
    grid = min(a.grid + b.grid for a, b in products)
    ends = [ends_of(a, b) for a, b in products]
    positive = sum((max(high, ZERO) for _, high in ends), ZERO)
    negative = sum((max(-low, ZERO) for low, _ in ends), ZERO)
    largest = max(positive, negative)
    if grid < sums.least or largest > power_of_two(sums.precision + grid) or largest > sums.largest:
        return None
    return FloatEnclosure(sum((low for low, _ in ends), ZERO), sum((high for _, high in ends), ZERO), ZERO, grid)


def ends_of(a: FloatEnclosure, b: FloatEnclosure) -> tuple[Fraction, Fraction]:
    """Return the least and the greatest product, over the reals."""
    if a.lower == a.upper:
        low, high = a.lower * b.lower, a.lower * b.upper
        return (low, high) if low <= high else (high, low)
    ends = [x * y for x in (a.lower, a.upper) for y in (b.lower, b.upper)]
    return min(ends), max(ends)


def _bound_sum(products: Sequence[Product], run: FloatModel) -> FloatEnclosure:
    """Return the sum with the errors of its inputs, and those of the operations in ``sums``."""
    ends = [ends_of(a, b) for a, b in products]
    lower, upper = (sum((end[side] for end in ends), ZERO) for side in (0, 1))
    inherited = sum((a.size * b.error + b.size * a.error + a.error * b.error for a, b in products), ZERO)
    sizes = sum((a.computed_size * b.computed_size for a, b in products), ZERO)
    made = operations_error(products, max(upper, -lower) + inherited, sizes, run)
    check_finite(2 * sizes, run.sums)
    return FloatEnclosure(lower, upper, up(inherited + made), ANY_GRID)


def operations_error(products: Sequence[Product], size: Fraction, sizes: Fraction, run: FloatModel) -> Fraction:
    """Bound the error of the operations: ``size`` bounds the exact sum, ``sizes`` the sum of sizes of the products.

    Raises:
        NotDerived: if there are too many terms for the format.
    """
    terms = len(products)
    flushed = 4 * terms * run.sums.smallest_normal
    roundings = terms - all(a.is_single_bit or b.is_single_bit for a, b in products)
    if roundings <= 1 and terms <= 2:
        return roundings * half_unit(run.sums, size) + flushed
    if (relative := gamma(roundings, run.sums.roundoff)) is None or relative > 1:
        raise NotDerived(f"a sum of {terms} terms is too long for {run.sums}")
    return relative * sizes + flushed
