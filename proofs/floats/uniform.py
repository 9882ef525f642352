"""Uniform heads in floating point: all scores are exactly 0, so every exponential is exactly 1 (rule 1)."""

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from constructions.network.float_formats import Format, power_of_two
from proofs.enclosures.float_models.model import FloatModel, Normalised
from proofs.floats.float_enclosure import ANY_GRID, ONE, ZERO, FloatEnclosure, check_finite, describe, grid_of
from proofs.floats.outward import gamma, half_unit, up
from proofs.formula.failures import NotDerived


class UniformSum(NamedTuple):
    """``length`` visible values, multiples of 2^``grid``, of which ``terms`` are not 0.

    In units of 2^``grid``, ``size`` is at least the sum of the positive ones, and that of the absolute values of
    the others; ``signed`` if some may be negative.
    """

    length: int
    terms: int
    size: int
    grid: int
    signed: bool


Ends = tuple[Fraction, Fraction]
MOST_BITS, MOST_UNITS = 16, 64
"""Limits of precision and of units up to which sums are enumerated unit by unit."""


def enclose_mean(visible: UniformSum, total: int, run: FloatModel) -> FloatEnclosure:
    """Enclose the output of a uniform head where the visible values sum up to ``total`` units.

    Raises:
        NotDerived: if their sum is not exact, or a quotient is too small or too large for a format.
    """
    mean = total * power_of_two(visible.grid) / visible.length
    error = max(abs(end - mean) for end in ends_of_mean(visible, total, run))
    return FloatEnclosure(mean, mean, error, ANY_GRID if error else _grid(mean))


def ends_of_mean(visible: UniformSum, total: int, run: FloatModel) -> Ends:
    """Return the least and the greatest output of a uniform head where the visible values have this sum.

    Both are monotone in the sum, since rounding is.

    Raises:
        NotDerived: as ``enclose_mean``.
    """
    lowers, uppers = zip(*_computed(visible, total * power_of_two(visible.grid), run), strict=True)
    return min(lowers), max(uppers)


def _grid(x: Fraction) -> int:
    grid = grid_of(x)
    assert grid is not None, "a computed number has a grid"
    return grid


def _computed(visible: UniformSum, total: Fraction, run: FloatModel) -> list[Ends]:
    """Return the ends of the result, for each way to normalise."""
    _check_length(visible, run)
    found = []
    if run.normalised is not Normalised.BEFORE:
        _check_sum(visible, run)
        quotient = _rounded(_rounded(total / visible.length, run.softmax), run.storage)
        found.append((quotient, quotient))
    if run.normalised is not Normalised.AFTER:
        weight, error = _weight(visible, run)
        ends = (total * weight - error, total * weight + error)
        unit = power_of_two(visible.grid)
        is_short = run.sums.precision <= MOST_BITS and total <= MOST_UNITS * unit
        if error and not visible.signed and is_short and weight * unit >= run.sums.smallest_normal:
            ends = sums_of_units(weight * unit, int(total / unit), run.sums)
        found.append((_rounded(ends[0], run.storage), _rounded(ends[1], run.storage)))
    return found


@lru_cache(maxsize=1 << 14)
def sums_of_units(unit: Fraction, count: int, sums: Format) -> Ends:
    """Return the least and the greatest computed sum of products that are ``count`` units together, in any order.

    Products are positive multiples of the unit. Rounding is monotone, so a sum of two parts is least where both
    are. A product may be rounded before it is added.

    >>> [float(x) for x in sums_of_units(Fraction(57, 512), 9, Format(8, -126, 127))]
    [0.9921875, 1.001953125]
    """
    if not count:
        return ZERO, ZERO
    product = count * unit
    lower, upper = [product, _rounded(product, sums)], [product, _rounded(product, sums)]
    for part in range(1, count // 2 + 1):
        one, other = sums_of_units(unit, part, sums), sums_of_units(unit, count - part, sums)
        lower.append(_rounded(one[0] + other[0], sums))
        upper.append(_rounded(one[1] + other[1], sums))
    return min(lower), max(upper)


def _check_length(visible: UniformSum, run: FloatModel) -> None:
    if visible.length > min(power_of_two(run.softmax.precision), run.softmax.largest):
        raise NotDerived(f"the sum of {visible.length} exponentials is not exact in {run.softmax}")


def _check_sum(visible: UniformSum, run: FloatModel) -> None:
    size = visible.size * power_of_two(visible.grid)
    if not is_exact_sum(size, visible.grid, run.sums):
        raise NotDerived(f"a sum of up to {describe(size)} is not exact in {run.sums}")


def is_exact_sum(size: Fraction, grid: int, sums: Format) -> bool:
    """Return whether multiples of 2^``grid`` are added exactly in any order, with ``size`` of a `UniformSum` (G)."""
    return grid >= sums.least and size <= min(power_of_two(sums.precision + grid), sums.largest)


@lru_cache(maxsize=1 << 12)
def _weight(visible: UniformSum, run: FloatModel) -> Ends:
    """Return the weight of each position, and the error of the sum of weighted values."""
    weight = _rounded(_rounded(Fraction(1, visible.length), run.softmax), run.weights)
    size, grid = visible.size * power_of_two(visible.grid) * weight, visible.grid + _grid(weight)
    if is_exact_sum(size, grid, run.sums):
        return weight, ZERO
    relative = gamma(visible.terms, run.sums.roundoff)
    if relative is None or relative > 1:
        raise NotDerived(f"the sum of {visible.terms} equal weights is too long for {run.sums}")
    error = 2 * relative * size + 4 * visible.terms * run.sums.smallest_normal
    check_finite(2 * size + error, run.sums)
    return weight, up(error if visible.signed else error / 2)


def _rounded(x: Fraction, target: Format) -> Fraction:
    check_finite(abs(x), target)
    rounded = target.round(x)
    if (rounded and abs(rounded) < target.smallest_normal) or (x and not rounded):
        raise NotDerived(f"{describe(x)} is too small for {target}")
    return rounded


def enclose_mean_of_truths(length: int, run: FloatModel) -> FloatEnclosure:
    """Enclose the output of a uniform head over truths, for any count.

    Raises:
        NotDerived: as ``enclose_mean``.
    """
    visible = UniformSum(length, length, length, 0, signed=False)
    _check_length(visible, run)
    errors = []
    if run.normalised is not Normalised.BEFORE:
        _check_sum(visible, run)
        _rounded(_rounded(Fraction(1, length), run.softmax), run.storage)
        errors.append(_error_of_quotients(length, run))
    if run.normalised is not Normalised.AFTER:
        weight, error = _weight(visible, run)
        _rounded(weight, run.storage)
        before = length * abs(weight - Fraction(1, length)) + error
        exact = not error and (run.storage == run.sums or _is_short(length, run))
        errors.append(before + (ZERO if exact else half_unit(run.storage, 1 + before) + run.storage.smallest_normal))
    error = up(max(errors))
    return FloatEnclosure(ZERO, ONE, error, ANY_GRID if error else _grid(Fraction(1, length)))


def _is_short(length: int, run: FloatModel) -> bool:
    """Return whether all counts divided by the length are numbers of the storage format."""
    return not length & (length - 1) and length <= power_of_two(run.storage.precision)


def _error_of_quotients(length: int, run: FloatModel) -> Fraction:
    """Return the greatest error of a count divided by the length, rounded twice."""
    if _is_short(length, run):
        return ZERO
    # The quotients below 1 that are not exact are below 1 - 2^-p, so their units are those below 1.
    once = run.softmax.roundoff / 2
    return once if run.storage == run.softmax else once + run.storage.roundoff / 2
