"""Every weighting's enclosure against its definition: thresholds by bisection, products as they are written, in mpmath.

Numbers are drawn so that ties and scores at the edge of the support occur.
"""

import random
from collections.abc import Callable
from fractions import Fraction

import pytest
from mpmath import mp, mpf

from constructions.errors import InputError
from constructions.network.exact_weights import sparsemax_weights
from constructions.network.transformer import Mask, check_mask
from constructions.network.weightings import Weighting
from proofs.enclosures.intervals import Interval, point
from proofs.enclosures.rationals import from_flint, to_flint
from proofs.enclosures.weightings import Scored, enclose_attended
from tests.network.second_forward import to_fraction

BITS = 192
WIDTH = Fraction(1, 2**170)
OTHERS = [weighting for weighting in Weighting if not weighting.is_hard]
Weights = Callable[[list[mpf], int, Mask], list[mpf]]


def by_threshold(share: Callable[[mpf], mpf]) -> Weights:
    def weights(scores: list[mpf], n: int, mask: Mask) -> list[mpf]:
        low, high = min(scores) - 4, max(scores) + 4
        for _ in range(500):
            middle = (low + high) / 2
            if sum(share(z - middle) for z in scores) > 1:
                low = middle
            else:
                high = middle
        return [share(z - low) for z in scores]

    return weights


def stick_breaking(scores: list[mpf], n: int, mask: Mask) -> list[mpf]:
    own = 0 if mask is Mask.PAST else len(scores) - 1
    weights = []
    for j, score in enumerate(scores):
        between = scores[min(j, own) + 1:max(j, own)]
        weights.append(mpf(0) if j == own else mp.fprod([sigma(score), *(1 - sigma(z) for z in between)]))
    return weights


def sigma(z: mpf) -> mpf:
    return 1 / (1 + mp.exp(-z))


def softmax(scores: list[mpf], extra: int) -> list[mpf]:
    total = extra + sum(map(mp.exp, scores))
    return [mp.exp(z) / total for z in scores]


DEFINITIONS: dict[Weighting, Weights] = {
    Weighting.SOFTMAX: lambda scores, n, mask: softmax(scores, 0),
    Weighting.SOFTMAX_PLUS_ONE: lambda scores, n, mask: softmax(scores, 1),
    Weighting.SPARSEMAX: by_threshold(lambda x: max(x, mpf(0))),
    Weighting.ENTMAX: lambda scores, n, mask: by_threshold(lambda x: max(x, mpf(0)) ** 2)(
        [z / 2 for z in scores], n, mask),
    Weighting.RELU: lambda scores, n, mask: [max(z, mpf(0)) for z in scores],
    Weighting.RELU_OVER_N: lambda scores, n, mask: [max(z, mpf(0)) / n for z in scores],
    Weighting.SIGMOID: lambda scores, n, mask: list(map(sigma, scores)),
    Weighting.GEOMETRIC: stick_breaking,
    Weighting.STICK_BREAKING: stick_breaking,
}


def enclosed(weighting: Weighting, scores: list[Interval], n: int, mask: Mask, values: list[Fraction]) -> Interval:
    flint = [Interval(to_flint(score.lower), to_flint(score.upper)) for score in scores]
    found = enclose_attended(weighting, Scored(flint, n, mask), {"x": [point(to_flint(v)) for v in values]}, BITS)["x"]
    return Interval(from_flint(found.lower), from_flint(found.upper))


def random_row(rng: random.Random) -> tuple[list[Fraction], int, Mask, list[Fraction]]:
    mask, length = rng.choice([Mask.FUTURE, Mask.PAST]), rng.randint(1, 6)
    scores = [Fraction(rng.randint(-6, 6), rng.choice([1, 2, 3])) for _ in range(length)]
    return scores, length + rng.randint(0, 3), mask, [Fraction(rng.randint(-3, 3), 2) for _ in range(length)]


@pytest.mark.parametrize("weighting", OTHERS)
def test_sums_of_exact_scores_are_enclosed_tightly(weighting: Weighting) -> None:
    rng = random.Random(str(weighting))
    for _ in range(60):
        scores, n, mask, values = random_row(rng)
        found = enclosed(weighting, list(map(point, scores)), n, mask, values)
        with mp.workprec(500):
            weights = DEFINITIONS[weighting]([mpf(s.numerator) / s.denominator for s in scores], n, mask)
            terms = [w * v.numerator / v.denominator for w, v in zip(weights, values, strict=True)]
            true = to_fraction(mp.fsum(terms))
        assert found.lower - WIDTH**2 <= true <= found.upper + WIDTH**2, (scores, values)
        assert found.upper - found.lower < WIDTH


@pytest.mark.parametrize("weighting", OTHERS)
def test_sums_of_loose_scores_contain_those_of_exact_ones_in_them(weighting: Weighting) -> None:
    rng = random.Random(f"loose {weighting}")
    for _ in range(40):
        scores, n, mask, values = random_row(rng)
        loose = [Interval(s - Fraction(rng.randint(0, 3), 4), s + Fraction(rng.randint(0, 3), 4)) for s in scores]
        around = enclosed(weighting, loose, n, mask, values)
        for _ in range(6):
            inside = [point(rng.choice([s.lower, s.upper, (2 * s.lower + s.upper) / 3])) for s in loose]
            within = enclosed(weighting, inside, n, mask, values)
            assert around.lower <= within.upper and within.lower <= around.upper
            assert within.upper - around.upper < WIDTH and around.lower - within.lower < WIDTH


@pytest.mark.parametrize("weighting", [Weighting.SPARSEMAX, Weighting.ENTMAX])
def test_equal_scores_get_exactly_equal_weights(weighting: Weighting) -> None:
    for count in range(1, 8):
        values = [Fraction(k == 0) for k in range(count)]
        scores = [point(Fraction(5, 3))] * count
        assert enclosed(weighting, scores, count, Mask.NONE, values) == point(Fraction(1, count))


def test_sparsemax_is_the_nearest_point_of_the_simplex() -> None:
    """A point is nearest iff no step towards a corner comes nearer: (scores - weights) . (corner - weights) <= 0."""
    rng = random.Random(3)
    for _ in range(100):
        scores = random_row(rng)[0]
        weights = sparsemax_weights(scores)
        assert sum(weights) == 1 and min(weights) >= 0
        for corner in range(len(scores)):
            step = [Fraction(j == corner) - w for j, w in enumerate(weights)]
            assert sum((s - w) * d for s, w, d in zip(scores, weights, step, strict=True)) <= 0


def test_a_stick_is_broken_under_a_mask_only() -> None:
    with pytest.raises(InputError, match="mask none beside geometric, expected future or past"):
        check_mask(Weighting.GEOMETRIC, Mask.NONE)
    check_mask(Weighting.GEOMETRIC, Mask.PAST)
    check_mask(Weighting.SIGMOID, Mask.NONE)
