"""Scores, weights and averages as forms: each term of what is said of them, and what is refused, at its edge."""

from fractions import Fraction
from functools import partial
from math import ceil, exp, isqrt
from random import Random
from typing import Any

import pytest

from proofs.check.checker.chapters.float_models.reading import Format
from proofs.check.checker.chapters.float_models.roundoff import raised
from proofs.check.checker.chapters.trained.balls.exponentials import ABSOLUTE_ERROR, RELATIVE_ERROR
from proofs.check.checker.chapters.trained.floats.softmax import PLACES, exp_remainder, make_deviating_weights, scaled
from proofs.check.checker.chapters.trained.reading.network import Scale
from proofs.check.checker.chapters.trained.zonotopes.affine import (
    UNIT,
    AffineForm,
    CentredRange,
    apply,
    known_by_sizes,
    make_linear,
    promoted,
    spread,
)
from proofs.check.checker.chapters.trained.zonotopes.linear_maps import to_units
from proofs.check.checker.chapters.trained.zonotopes.packed_integers import pack, unpack
from proofs.check.checker.chapters.trained.zonotopes.scores import PathBounds, Vectors
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Rejected
from tests.check.test_trained_float_scores import SCORES, SUMS, softmax, vectors
from tests.check.trained_networks import boxed

PLAIN = Scale(Fraction(1), None)
WIDE: dict[str, Any] = {"sums": Format(14, -200, 40)}


def is_rejected(make: Any) -> bool:
    try:
        make()
    except Rejected:
        return True
    return False


def form_of(rows: list[list[float]], radii: list[float]) -> AffineForm:
    """Return a form whose rows are centres and generators."""
    numbers = [[int(x * UNIT) for x in row] for row in rows]
    sizes = [sum(map(abs, row)) + int(radius * UNIT) for row, radius in zip(numbers, radii, strict=True)]
    return AffineForm([pack(row) for row in numbers], len(rows[0]), [int(r * UNIT) for r in radii], sizes, fresh=True)


@pytest.mark.parametrize("times", ["1", "1/4", "1/3", "-1/3", "root"])
@pytest.mark.parametrize("cut", [Fraction(1), Fraction(2)])
def test_scores_as_a_form_are_off_by_keys_products_and_what_is_stored(times: str, cut: Fraction) -> None:
    """A query with a symbol; of keys only reaches are known. Factors count as more where sums are truncated."""
    scale = Scale(None, 4) if times == "root" else Scale(Fraction(times), None)
    factor, roundings = Fraction(1, 2) if times == "root" else Fraction(times), 2 if times in ("1", "1/4") else 4
    query = vectors([3.0, 1.5], [0.5, 0.25]).form
    key = CentredRange([int(2.5 * UNIT), -4 * UNIT], [UNIT // 4, UNIT // 2])
    u, inputs = cut / (1 << SUMS.precision), Format(9, -7, 60)
    more = Fraction(1, 1 << 7) if cut > 1 else Fraction(0)
    sums = Format(14, -20, 40)
    for exact in (False, True):
        one = softmax(sum_ulp=cut, inputs=inputs, sums=sums, scores=sums if exact else SCORES)
        found = one.scores(query, [boxed(key)], scale)
        assert found.fresh and unpack(found.rows[0], 2)[0] - int(factor * Fraction(3, 2) * UNIT) in range(-3, 3)
        total = (Fraction(7, 2) + more) * (Fraction(11, 4) + more) + (Fraction(7, 4) + more) * (Fraction(9, 2) + more)
        radius = abs(factor) * (Fraction(7, 2) / 4 + Fraction(7, 4) / 2)
        radius += roundings * u / (1 - roundings * u) * abs(factor) * total + 4 * roundings * Fraction(1, 1 << 20)
        size = abs(factor) * (Fraction(3, 2) + abs(Fraction(5, 4) - 1)) + radius
        half = 0 if exact else Fraction(1 << ceil(size * UNIT).bit_length(), UNIT) / (2 << SCORES.precision)
        assert 0 <= found.radii[0] - (radius + half) * UNIT < 24
        (bound,) = one.bounds(vectors([3.0, 1.5], [0.5, 0.25]), [vectors([2.5, -4.0], [0.25, 0.5])], scale)
        assert bound.greatest - bound.least > 0


@pytest.mark.parametrize("cut", [Fraction(3, 2), Fraction(2), Fraction(3)])
def test_no_score_is_one_number_where_sums_are_cut_off(cut: Fraction) -> None:
    query, key = vectors([3.0, 1.0], [0.0, 0.0]), vectors([2.0, 5.0], [0.0, 0.0])
    assert softmax().bounds(query, [key], PLAIN) == [PathBounds(11 * UNIT, 11 * UNIT)]
    (found,) = softmax(sum_ulp=cut).bounds(query, [key], PLAIN)
    assert found.least < 11 * UNIT < found.greatest


@pytest.mark.parametrize("scores", [Format(13, -60, 40), Format(14, -59, 40), Format(14, -60, 39)])
def test_only_scores_in_the_format_of_sums_are_stored_as_they_are(scores: Format) -> None:
    query, key = vectors([3.0], [0.5]).form, CentredRange([UNIT], [0])
    kept, stored = (softmax(scores=form).scores(query, [boxed(key)], PLAIN) for form in (SUMS, scores))
    assert stored.radii[0] - kept.radii[0] == (4 * UNIT >> scores.precision + 1)


def test_twice_what_is_stored_of_scores_is_a_number_of_sums() -> None:
    one = softmax(sums=Format(14, -60, 5), scores=Format(9, -60, 6))
    assert one.storing([31 * UNIT // 2]) == [16 * UNIT >> 10] and is_rejected(partial(one.storing, [16 * UNIT]))
    assert is_rejected(partial(one.storing, [0, 17 * UNIT]))


def test_a_scale_is_a_normal_number_and_what_is_flushed_is_scaled() -> None:
    query, key = vectors([1.0], [0.0]).form, CentredRange([UNIT], [0])
    for scale, known in ((PLAIN, True), (Scale(Fraction(-1), None), True), (Scale(Fraction(1025, 1024), None), True),
                         (Scale(Fraction(-8), None), True), (Scale(Fraction(1 << 40), None), False),
                         (Scale(Fraction(1, 16), None), True),
                         (Scale(Fraction(63, 1024), None), False), (Scale(Fraction(0), None), True),
                         (Scale(None, 256), True), (Scale(None, 257), False)):
        assert is_rejected(partial(softmax(sums=Format(14, -4, 40)).scores, query, [boxed(key)], scale)) != known
    of_one, of_eight = (softmax(sums=Format(14, -4, 40))._product_errors([UNIT], [key], Scale(Fraction(x), None))[0]
                        for x in (1, 8))
    assert 0 <= 8 * of_one - of_eight < 32 and of_one >= UNIT >> 2


def test_scores_must_be_half_of_the_greatest_of_sums_as_their_products_must() -> None:
    """Before the scale, too."""
    for size, scale, known in ((15, PLAIN, True), (17, PLAIN, False), (15, Scale(Fraction(1, 4), None), True),
                               (17, Scale(Fraction(1, 4), None), False)):
        query, key = vectors([float(size)], [0.0]).form, CentredRange([UNIT], [0])
        one = softmax(sums=Format(14, -60, 5), scores=Format(9, -60, 5))
        assert is_rejected(partial(one.scores, query, [boxed(key)], scale)) != known
    far = CentredRange([UNIT], [15 * UNIT])
    assert is_rejected(partial(softmax(sums=Format(14, -60, 5), scores=Format(9, -60, 5)).scores,
                               vectors([1.0], [0.0]).form, [boxed(far)], PLAIN))


def test_products_of_queries_and_keys_are_off_by_no_unit_less_than_the_page_says() -> None:
    """In a format of 4 bits γ of four roundings is a third; what keys reach is off by its product alone."""
    one, scale, draw = softmax(sums=Format(4, -40, 60), scores=Format(4, -40, 60)), Scale(Fraction(2, 3), None), 12345
    for _ in range(60):
        sizes, entries = [], []
        for _ in range(2):
            draw = draw * 6364136223846793005 % (1 << 64)
            sizes.append(draw >> 20)
            entries.append((draw >> 7) % UNIT)
        (found,) = one._product_errors(sizes, [CentredRange(entries, [5, 7])], scale)
        total = sum(size * (y + r) for size, y, r in zip(sizes, entries, (5, 7), strict=True)) * Fraction(2, 3) / UNIT
        assert 0 <= found - total / 3 - (16 * UNIT >> 40) < 3
        query = AffineForm(sizes, 2, [0, 0], sizes)
        for times in (Fraction(2, 3), Fraction(1)):
            by, keys = Scale(times, None), [CentredRange(entries, [5 * UNIT, 7 * UNIT + 1])]
            form = apply(Budget(1), make_linear([to_units(entries, -44, by)], [0]), query)
            scores = one.scores(query, list(map(boxed, keys)), by)
            made = scores.radii[0] - form.radii[0] - one._product_errors(sizes, keys, by)[0]
            within = (sizes[0] * 5 * UNIT + sizes[1] * (7 * UNIT + 1)) * times / UNIT
            assert 0 <= made - within < 5


@pytest.mark.parametrize("scale", [Scale(None, 3), Scale(Fraction(1, 3), None), Scale(Fraction(-2, 3), None)])
def test_bounds_of_scores_of_points_have_the_exact_score_between_them(scale: Scale) -> None:
    """Up to what operations are off; and they are near it."""
    one, draw = softmax(sums=Format(40, -200, 60), scores=Format(40, -200, 60)), 12345
    times = Fraction(isqrt((1 << 400) // scale.root), 1 << 200) if scale.root else scale.times or Fraction(0)
    for _ in range(60):
        numbers = []
        for _ in range(4):
            draw = draw * 6364136223846793005 % (1 << 64)
            numbers.append((draw >> 20) - (1 << 43))
        query, key = (Vectors(AffineForm(x, 2, [0, 0], [abs(y) for y in x]), CentredRange(x, [0, 0]))
                      for x in (numbers[:2], numbers[2:]))
        (found,) = one.bounds(query, [key], scale)
        (error,) = one._product_errors(query.form.sizes, [key.known], scale)
        exact = (numbers[0] * numbers[2] + numbers[1] * numbers[3]) * times / UNIT
        assert 0 <= found.greatest - error - exact < 5 and 0 <= exact - found.least - error < 5


@pytest.mark.parametrize("base", ["2", "either"])
def test_the_worst_of_all_scores_must_not_be_too_large_to_base_2(base: str) -> None:
    one = softmax(softmax=Format(12, -40, 40), exp_base=base)
    above = int(one.most_of_scores(10) * UNIT) + UNIT
    for worst in (PathBounds(above, above), PathBounds(-above, 0)):
        assert is_rejected(partial(one.exponents, [PathBounds(0, UNIT), worst, PathBounds(0, 0)], 10))


def test_numbers_times_a_scale_are_rounded_down() -> None:
    assert scaled([7, -7], Scale(Fraction(1, 3), None)) == [2, -3] and scaled([7], Scale(Fraction(3, 2), None)) == [10]
    assert abs(scaled([UNIT], Scale(None, 3))[0] - UNIT / 3**0.5) <= 1


def test_the_greatest_score_may_be_known_to_be_less_than_some_least_one() -> None:
    """By classes it is told: then the weight of the greatest may be of a score with a greater absolute value."""
    one = softmax(exp_base="2")
    near = [PathBounds(-2 * UNIT, UNIT), PathBounds(UNIT, UNIT)]
    plain, floored = one.exponents(near, 2), one.exponents(near, 2, -90 * UNIT)
    u = Fraction(1, 1 << 40)
    for k, both in ((0, 2), (1, 1)):
        assert 0 <= (floored[k] - plain[k]) - 3 * u * (90 - both) * UNIT < 2


@pytest.mark.parametrize("base", ["e", "2", "either"])
def test_the_room_for_scores_is_that_of_the_worse_base(base: str) -> None:
    one, two = softmax(exp_base=base), softmax(exp_base="2")
    assert one.most_of_scores(5) == (two.most_of_scores(5) if base != "e" else 1 << 62)
    fixed, growing = one.exponents_within(5)
    assert growing == (2 if base == "e" else 11) * Fraction(1, 1 << 40)
    assert softmax(exp_base=base, block=2).exponents_within(5)[1] == (4 if base == "e" else 19) * Fraction(1, 1 << 40)
    assert fixed == one.exponent_of_none(5)


SPREAD = [[0.5, 0.75, -0.5], [-0.25, 0.5, 0.25], [1.0, -0.25, 0.5]]


def test_weights_are_exponentials_and_what_scores_are_apart_from_their_mean_is_a_form() -> None:
    for radii in ([0.0] * 3, [0.25, 0.125, 0.0]):
        one, scores = softmax(), promoted(form_of(SPREAD, radii))
        weights = one.weights(known_by_sizes(scores).centres)
        deviations = one._deviations(scores, weights)
        exact = [exp(row[0] - 1.0) for row in SPREAD]
        assert all(abs(w / 2**PLACES - x) < 1e-9 for w, x in zip(weights, exact, strict=True))
        shares = [Fraction(w, sum(weights)) for w in weights]
        for j, (row, reach) in enumerate(zip(SPREAD, known_by_sizes(deviations).reaches, strict=True)):
            symbols = [abs(Fraction(row[k]) - sum(s * Fraction(r[k]) for s, r in zip(shares, SPREAD, strict=True)))
                       for k in (1, 2)]
            symbols += [abs((k == j) - share) * Fraction(radius) for k, (share, radius) in enumerate(
                zip(shares, radii, strict=True))]
            assert 0 <= reach - sum(symbols) * UNIT < 64
        assert spread(Budget(1), deviations).centres == [0, 0, 0]


def test_the_exponential_less_its_line_is_rounded_up_by_few_units() -> None:
    """e^a - 1 - a is a²/2 + a³/6 + ..., cut off after twenty terms, which leaves less than 2^-45 up to 2."""
    for a in (0, 1, 5, 1 << 20, 1 << 30, UNIT // 1000, UNIT // 3, UNIT, 3 * UNIT // 2, 2 * UNIT - 1, 2 * UNIT):
        exact, term = Fraction(0), Fraction(a, UNIT)
        for k in range(2, 25):
            term *= Fraction(a, k * UNIT)
            exact += term
        found, x = exp_remainder(a), Fraction(a, UNIT)
        assert found > exact * UNIT
        # the terms from a^4/24 on count as a geometric row, whose quotient is a fifth of a
        assert found - 3 <= (x**2 / 2 + x**3 / 6 + x**4 / 24 * 5 / (5 - x)) * UNIT


def test_scores_that_may_be_2_off_have_no_weights() -> None:
    for size, known in ((1.99, True), (2.0, False), (2.01, False)):
        found = softmax().weigh([1 << PLACES, 3 << PLACES], [UNIT, int(size * UNIT)])
        assert (found is not None) == known
        assert found is None or found == make_deviating_weights([1 << PLACES, 3 << PLACES], [UNIT, int(size * UNIT)], [
            exp_remainder(UNIT), exp_remainder(int(size * UNIT))])


def test_weights_are_kept_with_what_their_exponentials_may_be() -> None:
    """Times b, a + b and 1 + a + b; 11/8 is the average of b = 1, 2, rounded up to a unit."""
    found = make_deviating_weights([3, 5], [4, 6], [UNIT, 2 * UNIT + 1])
    assert found.times_b == [3 * UNIT, 10 * UNIT + 5] and found.times_ab == [3 * UNIT + 12, 10 * UNIT + 35]
    assert found.times_exp == [6 * UNIT + 12, 15 * UNIT + 35] and found.weights == [3, 5] and found.total == 8
    assert found.zeta == 13 * UNIT // 8 + 1


COLUMN = [(3 * UNIT + 1, UNIT // 4), (-UNIT // 3, UNIT // 8), (UNIT, UNIT // 2)]


@pytest.mark.parametrize("cut", [Fraction(1), Fraction(2)])
@pytest.mark.parametrize(("column", "bend"), [
    (COLUMN, 1), (COLUMN, 3), ([(1024 * x + 5, 1024 * r + 1) for x, r in COLUMN], 1),
    ([(x, 0) for x, _ in COLUMN], 0)])
def test_an_average_is_off_by_what_is_not_linear_in_scores_and_by_reaches_of_values(
        cut: Fraction, column: list[tuple[int, int]], bend: int) -> None:
    """With weights 1, 2 and 5, ζ = Σ w (e^a - 1 - a) and κ between 1 and 1/(1 + ζ), as far from both: κ/2 times the sum
    of w ((e^a - 1 - a) |v - z| + 2 e^a r), and (1 - κ) Σ w ((e^a - 1) |v - z| + e^a r).

    κ is one number; 1 - κ is half of 1 - 1/(1 + ζ), both rounded up to units."""
    one = softmax(sum_ulp=cut, inputs=Format(9, -10, 60))
    more = raised(one._model)
    weights, reaches = [1 << 90, 2 << 90, 5 << 90], [3 * UNIT // 2, UNIT // 2 + 1, UNIT]
    reaches = [a if bend else 0 for a in reaches]
    bends = [bend * (a * a // UNIT + 3) if bend else 0 for a in reaches]
    centre, firsts, rest, size = one._rest(make_deviating_weights(weights, reaches, bends), column)
    shares = [Fraction(k, 8) for k in (1, 2, 5)]
    middle = sum((s * x for s, (x, _) in zip(shares, column, strict=True)), Fraction(0))
    zeta = sum((s * Fraction(b, UNIT) for s, b in zip(shares, bends, strict=True)), Fraction(0))
    part = Fraction(ceil(zeta * UNIT) * UNIT // (UNIT + ceil(zeta * UNIT)) + 1, UNIT)
    kappa = 1 - part / 2
    assert 0 < part - (1 - 1 / (1 + zeta)) < Fraction(3, UNIT)
    slack = linear = whole = moved = Fraction(0)
    for share, a, b, (x, r), first in zip(shares, reaches, bends, column, firsts, strict=True):
        grown = Fraction(UNIT + a + b, UNIT)
        wanted = kappa * share * (x - middle)
        assert abs(wanted - first) < 1 + abs(wanted) * Fraction(4, UNIT)
        slack += share * (Fraction(b, UNIT) * abs(x - middle) + 2 * grown * r)
        moved += share * Fraction(b, UNIT) * (x - middle)
        linear += share * ((grown - 1) * abs(x - middle) + grown * r)
        whole += share * grown * (abs(x) + r + more * UNIT)
    off = abs(centre - middle - kappa / 2 * moved)
    assert off < 3 + zeta
    assert off <= rest - kappa / 2 * slack - (1 - kappa) * linear < 12 + zeta * 4 + linear / UNIT
    assert 0 <= size - whole < 8


@pytest.mark.parametrize("far", [0.01, 0.3, 1.0, 1.9])
def test_averages_are_within_what_is_said_of_them_where_scores_are_as_far_off_as_they_may_be(far: float) -> None:
    """Deviations have the mean 0; values are at one of their ends."""
    one, draw = softmax(), Random(round(far * 100))
    for _ in range(12):
        weights = [draw.randrange(1, 1 << 60) << 40 for _ in range(4)]
        column = [(draw.randrange(-4 * UNIT, 4 * UNIT), draw.randrange(UNIT // 4)) for _ in weights]
        reaches = [int(far * UNIT * draw.uniform(0.2, 1)) for _ in weights]
        known = one.weigh(weights, reaches)
        assert known is not None
        centre, firsts, rest, _ = one._rest(known, column)
        worst = 0.0
        for _ in range(40):
            deviations = [draw.choice((-1, 1)) * a / UNIT for a in reaches]
            mean = sum(w * d for w, d in zip(weights, deviations, strict=True)) / sum(weights)
            deviations = [d - mean for d in deviations]
            shrunk = min([1.0, *[a / UNIT / abs(d) for a, d in zip(reaches, deviations, strict=True) if d]])
            deviations = [d * shrunk for d in deviations]
            grown = [w * exp(d) for w, d in zip(weights, deviations, strict=True)]
            exact = sum(g * (x + draw.choice((-r, r))) for g, (x, r) in zip(grown, column, strict=True)) / sum(grown)
            line = centre + sum(f * d for f, d in zip(firsts, deviations, strict=True))
            worst = max(worst, abs(exact - line))
        assert worst <= rest * (1 + 1e-9) + 1


def test_what_exponentials_are_off_beside_themselves_counts_where_nothing_is_flushed() -> None:
    grown = Fraction(44817, 10000)  # e^1.5
    assert softmax()._cancelled(3 * UNIT // 2, 2) >= 4 * 2 * grown**2 * Fraction(ABSOLUTE_ERROR, 1 << PLACES)


@pytest.mark.parametrize("cut", [Fraction(1), Fraction(2)])
@pytest.mark.parametrize("spread_of", [SPREAD, [[0.5, 1.4, -0.5], [-0.25, 0.0, 0.125], [1.0, -0.125, 0.0]]])
def test_an_average_is_off_by_its_rest_by_relative_errors_and_by_what_is_flushed(spread_of: list[list[float]],
                                                                                 cut: Fraction) -> None:
    fields: dict[str, Any] = {"softmax": Format(16, -24, 40), "weights": Format(12, -20, 40), "sum_ulp": cut,
                              "inputs": Format(9, -7, 40), "sums": Format(20, -21, 40)}
    one, scores = softmax(**fields), promoted(form_of(spread_of, [0.0] * 3))
    values = [CentredRange([3 * UNIT], [UNIT // 4]), CentredRange([-UNIT], [0]), CentredRange([UNIT // 2], [UNIT])]
    found, known = one.average(scores, values, 3), one.weights(known_by_sizes(scores).centres)
    weights = one.weigh(known, known_by_sizes(one._deviations(scores, known)).reaches)
    assert weights is not None
    z, firsts, rest, size = one._rest(weights, [(value.centres[0], value.reaches[0]) for value in values])
    greatest, relative = 13 * UNIT // 4 + (UNIT >> 7 if cut > 1 else 0), one.relative(3)
    reach = max(spread(Budget(1), scores).reaches)
    growth = Fraction(1 << (3 * reach // UNIT >> 1) + 2)
    assert growth >= 2 * exp(reach / UNIT)
    small = 3 * growth * (2 * Fraction(1, 1 << 24) + Fraction(ABSOLUTE_ERROR, 1 << PLACES))
    wanted = one.lost(3) * (greatest + UNIT) + rest + relative * size + 4 * small * growth * (1 + relative) * greatest
    assert 2 <= found.made[0] - wanted < 6
    (centre,), (spreads,) = spread(Budget(1), found.form)
    moved = [sum((f * Fraction(row[k]) for f, row in zip(firsts, spread_of, strict=True)), Fraction(0)) for k in (1, 2)]
    assert abs(centre - z) <= 2 and 0 <= spreads - abs(moved[0]) - abs(moved[1]) < 64


def test_so_many_positions_that_their_sum_may_be_off_by_a_third_are_refused() -> None:
    """γ(T) is 1/3 where T u is 1/4."""
    one = softmax(sums=Format(9, -60, 40), softmax=Format(9, -60, 40))
    assert one.relative(1 << 7) > 1 and is_rejected(partial(one.relative, (1 << 7) + 1))
    assert one.exponents([PathBounds(0, 0)], 1)[0] >= 2 * RELATIVE_ERROR
