"""Scores and weights of runs: what is said of them is what the page says, worked out with rationals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from proofs.check.checker.chapters.run_classes.reading import FloatClaim, Format
from proofs.check.checker.chapters.trained.exponentials import RELATIVE_ERROR
from proofs.check.checker.chapters.trained.floats.softmax import SoftmaxOfRuns, is_power
from proofs.check.checker.chapters.trained.forms import UNIT, AffineForm, spread
from proofs.check.checker.chapters.trained.packed import pack
from proofs.check.checker.chapters.trained.ranges import PathBounds, Vectors
from proofs.check.checker.chapters.trained.reading.network import Scale
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Rejected

FINE, SCORES, SUMS = Format(40, -200, 200), Format(9, -60, 8), Format(14, -60, 40)


def softmax(**fields: Any) -> SoftmaxOfRuns:
    given: dict[str, Any] = dict.fromkeys(("storage", "inputs", "softmax", "weights"), FINE) | {
        "name": "class", "sums": SUMS, "scores": SCORES, "normalised": "either", "exp_ulp": Fraction(1),
        "exp_base": "e", "block": 0, "sum_ulp": Fraction(1), "max_n": 9}
    return SoftmaxOfRuns(Budget(10), FloatClaim(**given | fields))


def vectors(centres: list[float], generators: list[float]) -> Vectors:
    """A vector with one symbol of its own."""
    numbers = [[int(x * UNIT), int(g * UNIT)] for x, g in zip(centres, generators, strict=True)]
    form = AffineForm([pack(one) for one in numbers], 2, [0] * len(numbers), [abs(x) + abs(g) for x, g in numbers])
    return Vectors(form, spread(Budget(1), form))


@pytest.mark.parametrize("times", ["1", "1/4", "1/3", "-1/3", "root"])
def test_bounds_of_scores_are_ends_of_products_and_what_operations_make_of_them(times: str) -> None:
    """Each vector has a symbol; roundings to C are half a unit in the last place."""
    scale = Scale(None, 4) if times == "root" else Scale(Fraction(times), None)
    factor, roundings = Fraction(1, 2) if times == "root" else Fraction(times), 2 if times in ("1", "1/4") else 4
    u = Fraction(1, 1 << SUMS.precision)
    for sign in (1, -1):
        query, key = vectors([3.0 * sign, 1.5], [0.5, 0.25]), vectors([2.5, 4.0 * sign], [0.25, 0.5])
        (found,) = softmax().bounds(query, [key], scale)
        middle = Fraction(3 * sign) * Fraction(5, 2) + Fraction(3, 2) * 4 * sign
        moved = [abs(Fraction(5, 2) / 2 + sign), abs(Fraction(3, 4) * sign + Fraction(3, 4)), Fraction(1, 4)]
        size = abs(factor) * (Fraction(7, 2) * Fraction(11, 4) + Fraction(7, 4) * Fraction(9, 2))
        error = roundings * u / (1 - roundings * u) * size
        ends = sorted(factor * (middle + side * sum(moved)) + (side if factor > 0 else -side) * error
                      for side in (-1, 1))
        half = Fraction(1 << int(max(abs(end) for end in ends)).bit_length(), 2 << SCORES.precision)
        assert 0 <= ends[0] - half - Fraction(found.least, UNIT) < Fraction(16, UNIT)
        assert 0 <= Fraction(found.greatest, UNIT) - half - ends[1] < Fraction(16, UNIT)


def test_a_score_is_one_number_in_all_runs_if_both_vectors_are_and_its_sum_is_exact() -> None:
    one, plain = softmax(), Scale(Fraction(1), None)
    query, key = vectors([3.0, 1.0], [0.0, 0.0]), vectors([2.0, 5.0], [0.0, 0.0])
    assert one.bounds(query, [key], plain) == [PathBounds(11 * UNIT, 11 * UNIT)]
    unsure, third = vectors([2.0, 5.0], [0.0, 1.0]), Scale(Fraction(1, 3), None)
    for asks, read, scale in ((query, unsure, plain), (unsure, query, plain), (query, key, third)):
        (found,) = one.bounds(asks, [read], scale)
        assert found.least < found.greatest
    odd, unit = vectors([257.0 / 2, 0.0], [0.0, 0.0]), vectors([3.0, 0.0], [0.0, 0.0])
    assert softmax(scores=Format(8, -60, 20)).bounds(odd, [unit], plain) == [PathBounds(771 * UNIT // 2, 386 * UNIT)]
    wide, near = softmax(sums=Format(60, -60, 40)), vectors([1 - 2.0**-23, 0.0], [0.0, 0.0])
    for sign, ends in ((1, (UNIT - 1, UNIT)), (-1, (-UNIT, 1 - UNIT))):
        assert wide.bounds(vectors([sign * (1 + 2.0**-23), 0.0], [0.0, 0.0]), [near], plain) == [PathBounds(*ends)]
    small, other = vectors([2.0**-23, 2.0**-23], [0.0, 0.0]), vectors([2.0**-23, -(2.0**-23)], [0.0, 0.0])
    for least, known in ((-46, True), (-45, False)):
        scores = softmax(sums=Format(14, least, 40)).bounds(small, [other], plain)
        assert (scores == [PathBounds(0, 0)]) == known


def test_scores_that_may_be_too_large_are_refused() -> None:
    sixteen, plain = vectors([16.0, 0.0], [0.0, 0.0]), Scale(Fraction(1), None)
    assert softmax(sums=Format(14, -60, 10)).bounds(sixteen, [vectors([15.0, 0.0], [0.0, 0.0])], plain)
    for fields in ({}, {"scores": Format(9, -60, 40), "sums": Format(14, -60, 8)}):
        with pytest.raises(Rejected):
            softmax(**fields).bounds(sixteen, [sixteen], plain)


def test_only_powers_of_two_are_powers_of_two() -> None:
    assert [is_power(None if x is None else Fraction(x)) for x in (None, "0", "-1", "1", "1/4", "8", "1/3", "3/4")] == [
        False, False, False, True, True, True, False, False]


@pytest.mark.parametrize("base", ["e", "2", "either"])
@pytest.mark.parametrize("block", [0, 3])
def test_weights_are_off_by_what_the_page_says(base: str, block: int) -> None:
    form, exp_ulp, count = Format(20, -40, 40), Fraction(3), 10
    one = softmax(softmax=form, exp_base=base, block=block, exp_ulp=exp_ulp)
    u, e, rescaled = Fraction(1, 1 << 20), Fraction(1, 1 << 40), 3 if block else 0
    exp_error = 2 * exp_ulp * u / (1 - 2 * exp_ulp * u)
    scores = [PathBounds(x * UNIT, (x + 2) * UNIT) for x in (-90, 40, 51)]
    found = one.exponents(scores, count)
    for score, off in zip(scores, found, strict=True):
        apart = 53 - Fraction(score.least, UNIT)
        both = max(Fraction(53), abs(Fraction(score.least, UNIT)))
        wanted = u * apart + e + exp_error
        if base != "e":
            wanted += 3 * u * (apart + (1 + rescaled) * both) + 4 * (1 + rescaled) * e
        if block:
            wanted += rescaled * (exp_error + 3 * u + e) + u * apart + e
        assert 0 <= off - UNIT * wanted - 2 * RELATIVE_ERROR < 4
    fixed, growing = one.exponents_within(count)
    assert (fixed + 90 * growing) * UNIT + 2 * RELATIVE_ERROR + 2 >= max(found[0], found[2])
    rho = (count + rescaled) * Fraction(1, 1 << 14) / (1 - (count + rescaled) * Fraction(1, 1 << 14))
    whole = (1 + rho) / (1 - rho) * ((1 + u) * (1 + Fraction(1, 1 << 14))) ** 2
    weights = Fraction(1, 1 << 40)
    assert one.relative(count) == whole * (1 + weights) / (1 - weights) - 1


@pytest.mark.parametrize("block", [0, 3])
def test_scores_so_large_that_sums_of_weights_may_vanish_are_refused_to_base_2(block: int) -> None:
    one = softmax(softmax=Format(12, -40, 40), exp_base="2", block=block)
    most = one.most_to_base_2(10)
    assert (3 * (4 if block else 1) * most / (1 << 12) + one.exponent_of_none(10)) == Fraction(1, 2)
    below, above = (int(most * x * UNIT) for x in (Fraction(99, 100), Fraction(101, 100)))
    assert one.exponents([PathBounds(below, below)], 10)
    with pytest.raises(Rejected):
        one.exponents([PathBounds(-above, -above)], 10)
