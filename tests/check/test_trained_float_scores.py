"""Scores and weights of runs: what is said of them is what the page says, worked out with rationals."""

from fractions import Fraction
from typing import Any

import pytest

from proofs.check.checker.chapters.float_models.reading import FloatClaim, Format
from proofs.check.checker.chapters.trained.balls.exponentials import RELATIVE_ERROR
from proofs.check.checker.chapters.trained.floats.softmax import SoftmaxOnForms
from proofs.check.checker.chapters.trained.floats.softmax_rules import is_power
from proofs.check.checker.chapters.trained.reading.network import Scale
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, AffineForm, CentredRange, spread
from proofs.check.checker.chapters.trained.zonotopes.packed_integers import pack
from proofs.check.checker.chapters.trained.zonotopes.scores import PathBounds, Vectors
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Rejected

FINE, SCORES, SUMS = Format(40, -200, 200), Format(9, -60, 8), Format(14, -60, 40)


def softmax(**fields: Any) -> SoftmaxOnForms:
    given: dict[str, Any] = dict.fromkeys(("storage", "inputs", "softmax", "weights"), FINE) | {
        "name": "class", "sums": SUMS, "scores": SCORES, "normalised": "either", "exp_ulp": Fraction(1),
        "exp_base": "e", "block": 0, "sum_ulp": Fraction(1), "max_n": 9}
    return SoftmaxOnForms(Budget(10), FloatClaim(**given | fields))


def vectors(centres: list[float], generators: list[float]) -> Vectors:
    """Return a vector with one symbol of its own."""
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
    for asks, read, scale in ((query, unsure, plain), (unsure, query, plain), (query, key, third),
                              (query, key, Scale(None, 4))):
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
    (found,) = softmax(sums=Format(14, -46, 40)).bounds(small, [vectors([2.0**-23, 0.0], [0.0, 0.0])], plain)
    assert found.least < 0 < found.greatest  # the sum is exact, but no whole number of units


def test_scores_that_are_stored_with_fewer_exponents_alone_may_be_flushed() -> None:
    query, key, plain = vectors([1.0, 0.0], [0.0, 0.5]), vectors([1.0, 1.0], [0.0, 0.0]), Scale(Fraction(1), None)
    (kept,), (stored,) = (softmax(sums=Format(40, -60, 40), scores=Format(40, least, 40)).bounds(query, [key], plain)
                          for least in (-60, -20))
    assert kept.least - stored.least == stored.greatest - kept.greatest == UNIT >> 20


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
    assert one.relative(count) == whole * (1 + weights) - 1


@pytest.mark.parametrize("block", [0, 3])
def test_scores_so_large_that_sums_of_weights_may_vanish_are_refused_to_base_2(block: int) -> None:
    one = softmax(softmax=Format(12, -40, 40), exp_base="2", block=block)
    most = one.most_of_scores(10)
    assert (3 * (4 if block else 1) * most / (1 << 12) + one.exponent_of_none(10)) == Fraction(1, 2)
    below, above = (int(most * x * UNIT) for x in (Fraction(99, 100), Fraction(101, 100)))
    assert one.exponents([PathBounds(below, below)], 10)
    with pytest.raises(Rejected):
        one.exponents([PathBounds(-above, -above)], 10)


@pytest.mark.parametrize("base", ["e", "2"])
def test_sums_that_are_rescaled_so_often_that_they_may_grow_by_half_are_refused(base: str) -> None:
    """Each time exp of a number near 0 is off by what exponentials are (2 u), a difference and two products (3 u)."""
    one = softmax(softmax=Format(12, -60, 40), exp_base=base, block=1)
    count = next(k for k in range(1, 1000) if one.exponent_of_none(k) > Fraction(1, 2))
    assert 2 * count + 3 * (count - 1) >= 1 << 11 > 2 * (count - 1) + 3 * (count - 2)
    assert one.most_of_scores(count) < 0 < one.most_of_scores(count - 1)
    assert one.exponents([PathBounds(0, 0)], count - 1)
    with pytest.raises(Rejected):
        one.exponents([PathBounds(0, 0)], count)


@pytest.mark.parametrize("cut", [Fraction(1), Fraction(2)])
def test_averages_are_off_by_what_the_page_says_beside_exact_weights(cut: Fraction) -> None:
    """T (4 · 2^e_P + 8 · 2^e_X + 8 · 2^e_A) (V + 1), or more where sums are cut off, and U and 16 T 2^e_X of V."""
    form, weights, inputs = Format(20, -21, 40), Format(12, -19, 40), Format(12, -18, 40)
    one = softmax(softmax=form, weights=weights, inputs=inputs, sums=Format(24, -22, 40), sum_ulp=cut)
    e, of_weights, of_sums = (Fraction(1, 1 << k) for k in (21, 19, 22))
    size, count = Fraction(5, 2), 6
    raised = size + (Fraction(1, 1 << 18) if cut > 1 else 0)
    (found,) = one.beside([int(size * UNIT)], count)
    lost = count * ((4 if cut == 1 else 6) * of_weights + (8 if cut == 1 else 32) * e + 8 * of_sums) * (size + 1)
    wanted = lost + ((1 + one.relative(count)) * (1 + 16 * count * e) - 1) * raised
    assert 0 <= found - UNIT * wanted < 4
    v = cut / (1 << 24)
    rho = count * max(v, Fraction(1, 1 << 20)) / (1 - count * max(v, Fraction(1, 1 << 20)))
    assert one.relative(count) == (1 + rho) / (1 - rho) * (1 + Fraction(1, 1 << 20)) ** 2 * (
        1 + Fraction(1, 1 << 24)) ** 2 * (1 + Fraction(1, 1 << 12)) - 1
    for most, fields in ((40, {"sums": Format(24, -60, 10)}), (40, {"softmax": Format(20, -60, 10)})):
        assert softmax(**fields).beside([most * UNIT], 6)
        with pytest.raises(Rejected):
            softmax(**fields).beside([(most + 3) * UNIT], 6)
    with pytest.raises(Rejected):
        softmax(softmax=Format(20, -5, 40)).beside([UNIT], 3)


def test_an_average_with_weights_of_which_little_is_known_is_between_the_values() -> None:
    one = softmax()
    scores = vectors([0.0, 0.0, 1.0], [8.0, 0.0, 0.0]).form
    values = [CentredRange([int(x * UNIT)], [int(r * UNIT)]) for x, r in ((-3.0, 0.5), (1.0, 0.25), (2.0, 1.0))]
    found = one.average(scores, values, 3)
    (centre,), (reach,) = spread(Budget(1), found.form)
    assert centre - reach <= -3.5 * UNIT <= centre - reach + 2 and centre + reach - 2 <= 3 * UNIT <= centre + reach
    wanted = one.lost(3) * (Fraction(7, 2) + 1) + one.relative(3) * Fraction(7, 2)
    assert 0 <= found.made[0] - UNIT * wanted < 4


def test_differences_and_sums_that_may_be_too_large_for_weights_are_refused() -> None:
    def exponents(least: Fraction, greatest: int, count: int) -> list[int]:
        one = softmax(softmax=Format(20, -40, greatest))
        return one.exponents([PathBounds(3 * UNIT, 3 * UNIT), PathBounds(int(least * UNIT), 0)], count)

    assert exponents(Fraction(-49, 10), 5, 15)
    for least, greatest, count in ((Fraction(-51, 10), 5, 15), (Fraction(0), 5, 16), (Fraction(0), 3, 1)):
        with pytest.raises(Rejected):
            exponents(least, greatest, count)


def test_weights_that_may_all_be_flushed_prove_nothing() -> None:
    """At most 4 T K e^ρ of the values, K = e^ρ (2^(e_X + 1) + 3 · 2^-100), and T K e^ρ is at most 1/2."""
    reach, e = 3 * UNIT // 2, Fraction(1, 1 << 13)
    one = softmax(softmax=Format(20, -13, 40))
    grown = Fraction(44817, 10000)  # e^1.5
    assert one._cancelled(reach, 2) >= 4 * 2 * grown**2 * (2 * e + Fraction(3, 1 << 100))
    assert one._cancelled(reach, 2) <= 64 * 4 * 2 * grown**2 * (2 * e + Fraction(3, 1 << 100))
    with pytest.raises(Rejected):
        softmax(softmax=Format(20, -7, 40))._cancelled(reach, 2)
