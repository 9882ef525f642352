"""Sums that are cut off: tensor cores, and whatever a class allows, are within what the checker says of them."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.claims.floats.survey import Proved
from constructions.errors import InputError
from proofs.check import check_text
from proofs.check.checker.chapters.float_models.reading import Format
from proofs.check.checker.chapters.float_models.roundoff import raised
from proofs.check.checker.chapters.trained.balls.exact import ExactLinear
from proofs.check.checker.chapters.trained.balls.precision import Precision
from proofs.check.checker.chapters.trained.floats.balls import Balls, ProductOnBalls
from proofs.check.checker.chapters.trained.floats.operations import Operations
from proofs.check.checker.chapters.trained.floats.rounding import sum_errors, times, up
from proofs.check.checker.chapters.trained.floats.softmax import SoftmaxOnForms
from proofs.check.checker.chapters.trained.reading.dyadics import Matrix, Vector
from proofs.check.checker.chapters.trained.reading.network import Scale
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, AffineForm, CentredRange, promoted
from proofs.check.checker.chapters.trained.zonotopes.linear_maps import make_map
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Malformed, Rejected
from proofs.enclosures.float_models.model import presets, read_float_model
from proofs.floats.verdict import FloatProof
from tests.check.test_trained_float_executions import run_of

CORPUS = Path(__file__).parents[1] / "corpus"
FACTORS, SUMS = Format(5, -3, 20), Format(12, -80, 80)
"""Of factors a quarter is subnormal."""
FIELDS: dict[str, Any] = {"storage": "float(5,-3,20)", "inputs": "float(5,-3,20)", "sums": "float(12,-80,80)",
                          "scores": "float(5,-3,20)", "softmax": "float(12,-80,80)", "weights": "float(5,-3,20)",
                          "normalised": "after", "exp_ulp": "1", "exp_base": "e", "block": 0, "sum_ulp": "2"}
Pair = tuple[Fraction, Fraction]


def exponent(x: Fraction) -> int:
    """Return the exponent of the greatest power of 2 that is at most |x|."""
    found = abs(x.numerator).bit_length() - x.denominator.bit_length()
    return found if abs(x) >= Fraction(2) ** found else found - 1


def cut(x: Fraction, places: int) -> Fraction:
    """Towards 0, to a multiple of 2^places."""
    unit = Fraction(2) ** places
    return (abs(x) // unit) * unit * (1 if x > 0 else -1)


def tensor_cores(pairs: Sequence[Pair], bias: Fraction, block: int) -> Fraction:
    """The sum of products, as an H100 makes it: blocks aligned by the exponents of factors, two bits more, cut off."""
    total = bias
    for first in range(0, len(pairs), block):
        some = [(x * y, max(exponent(x), FACTORS.least) + max(exponent(y), FACTORS.least))
                for x, y in pairs[first:first + block] if x * y]
        terms = [*some, *([(total, exponent(total))] if total else [])]
        if not terms:
            continue
        last = max(size for _, size in terms) - SUMS.precision - 1
        found = sum((cut(x, last) for x, _ in terms), Fraction(0))
        total = cut(found, exponent(found) - SUMS.precision + 1) if found else found
    return total


def counted(pairs: Sequence[Pair], bias: Fraction) -> Fraction:
    """All absolute values, as they count."""
    least = Fraction(2) ** FACTORS.least
    return abs(bias) + sum((max(abs(x), least) * max(abs(y), least) for x, y in pairs if x * y), Fraction(0))


def factor(draw: np.random.Generator) -> Fraction:
    """Return a number of the format, often a subnormal or a large one."""
    return Fraction(int(draw.integers(-31, 32))) * Fraction(2) ** int(draw.choice([-7, -7, -4, 0, 3]))


def drawn(draw: np.random.Generator, k: int) -> tuple[list[Pair], Fraction]:
    """Factors of a sum and a bias; what is great may cancel."""
    pairs = [(factor(draw), factor(draw)) for _ in range(k)]
    if k > 1 and draw.integers(2):
        pairs[1] = (-pairs[0][0], pairs[0][1])
    return pairs, Fraction(0) if draw.integers(2) else factor(draw)


def units(x: Fraction) -> int:
    return int(x * UNIT)


def test_sums_of_tensor_cores_are_within_the_bound() -> None:
    draw, run, worst = np.random.default_rng(0), run_of(FIELDS), Fraction(0)
    assert raised(run) == Fraction(2) ** FACTORS.least
    for _ in range(600):
        k = int(draw.integers(1, 7))
        pairs, bias = drawn(draw, k)
        exact = sum((x * y for x, y in pairs), bias)
        off = abs(tensor_cores(pairs, bias, int(draw.choice([2, 4, 8]))) - exact) * UNIT
        worst = max(worst, off / sum_errors(run, k + 1, [units(counted(pairs, bias))])[0])
    assert Fraction(1, 4) < worst <= 1


def farthest(terms: list[Fraction], draw: np.random.Generator) -> Fraction:
    """Return the greatest sum that a tree of nodes of the class may have: one node, two, or one for each term."""
    c, u = Fraction(2), Fraction(1, 1 << SUMS.precision)
    some = list(terms)
    while len(some) > 1:
        m = int(draw.choice([2, len(some)]))
        node, some = some[:m], some[m:]
        some.insert(0, sum(node, Fraction(0)) + (m - 1) * c * u * sum(map(abs, node)))
    return some[0]


def test_whatever_nodes_a_class_allows_the_sum_is_within_the_bound_and_comes_near() -> None:
    draw, run, worst = np.random.default_rng(1), run_of(FIELDS), Fraction(0)
    for _ in range(60):
        terms = [abs(factor(draw)) + 1 for _ in range(int(draw.integers(2, 30)))]
        off = (farthest(terms, draw) - sum(terms)) * UNIT
        worst = max(worst, off / sum_errors(run, len(terms), [units(sum(terms, Fraction(0)))])[0])
    assert Fraction(3, 4) < worst <= 1


def column_of_products(pairs: Sequence[Pair], bias: Fraction) -> tuple[list[int], Matrix, Vector]:
    """Sizes, and the map with one output."""
    rows = tuple((int(w * 128),) for _, w in pairs)
    return [units(abs(x)) for x, _ in pairs], Matrix(rows, 1, -7), Vector((int(bias * 128),), -7)


def by_forms(pairs: Sequence[Pair], bias: Fraction) -> Fraction:
    """Return the error bound of affine forms."""
    sizes, matrix, vector = column_of_products(pairs, bias)
    operations = Operations(Budget(100), run_of(FIELDS))
    return Fraction(operations.product_errors(make_map(Budget(1), matrix, vector), sizes)[0], UNIT)


def by_balls(pairs: Sequence[Pair], bias: Fraction) -> Fraction:
    """Return the error bound of balls."""
    _, matrix, vector = column_of_products(pairs, bias)
    balls = Balls(run_of(FIELDS), Precision(0), Budget(100))
    size = balls.number(Fraction(float(np.sqrt(float(sum(x * x for x, _ in pairs)))))) + 1
    return Fraction(ProductOnBalls(balls, ExactLinear(matrix, vector)).error(0, size), balls.precision.one)


def by_scores(pairs: Sequence[Pair], _: Fraction) -> Fraction:
    """Return the error bound of a query and a key."""
    softmax = SoftmaxOnForms(Budget(100), run_of(FIELDS))
    key = CentredRange([units(y) for _, y in pairs], [0] * len(pairs))
    return Fraction(softmax._product_errors([units(abs(x)) for x, _ in pairs], [key], Scale(Fraction(1), None))[0],
                    UNIT)


@pytest.mark.parametrize("turned", [False, True], ids=["weights", "inputs"])
@pytest.mark.parametrize("allowed", [by_forms, by_balls, by_scores])
def test_products_of_subnormal_factors_are_within_what_is_said(allowed: Callable[..., Fraction], turned: bool) -> None:
    """A factor of 2^-7 counts as 1/8, so that products of nearly 1 beside 2^16 / 2^7 are cut off."""
    pairs = [(Fraction(1 << 16), Fraction(1, 128)), *[(Fraction(124), Fraction(1, 128))] * 4]
    pairs = [(y, x) for x, y in pairs] if turned else pairs
    off = sum(x * y for x, y in pairs) - tensor_cores(pairs, Fraction(0), 8)
    assert off == 4 * Fraction(124, 128) and 1 / Fraction(20) < off / allowed(pairs, Fraction(0)) <= 1


def weighed(scores: Sequence[Fraction], values: Sequence[Fraction]) -> Iterator[Fraction]:
    """Averages of values by weights rounded to 5 bits, with sums cut off."""
    exact = [Fraction(float(np.exp(float(x)))) for x in scores]
    unit = Fraction(2) ** (FACTORS.least - FACTORS.precision + 1)
    weights = [cut(x, exponent(x) - FACTORS.precision + 1) if x >= 1 / Fraction(8) else round(x / unit) * unit
               for x in exact]
    for block in (2, 4, 16):
        yield tensor_cores(list(zip(weights, values, strict=True)), Fraction(0), block) / sum(exact)


def test_averages_by_subnormal_weights_are_within_what_is_said() -> None:
    run, worst = run_of(FIELDS), Fraction(0)
    softmax, draw = SoftmaxOnForms(Budget(100), run), np.random.default_rng(2)
    for _ in range(40):
        scores = [Fraction(0), *(Fraction(-int(k), 2) for k in draw.integers(1, 12, 5))]
        values = [Fraction(int(k)) for k in draw.integers(-31, 32, 6)]
        exact = [Fraction(float(np.exp(float(x)))) for x in scores]
        real = sum((w * v for w, v in zip(exact, values, strict=True)), Fraction(0)) / sum(exact)
        greatest = max(map(abs, values))
        (allowed,) = softmax.beside([units(greatest)], 6)
        for one in weighed(scores, values):
            worst = max(worst, abs(one - real) * UNIT / allowed)
    assert 0 < worst <= 1


@pytest.mark.parametrize("reach", [UNIT // 4, 4 * UNIT], ids=["weighed", "anywhere"])
def test_small_values_count_in_averages_whatever_is_known_of_scores(reach: int) -> None:
    run = run_of(FIELDS)
    made, softmax = list[list[int]](), SoftmaxOnForms(Budget(100), run)
    for _ in range(2):
        scores = AffineForm([UNIT, 0, -UNIT], 2, [reach] * 3, [UNIT + reach] * 3)
        values = [CentredRange([k * UNIT], [UNIT]) for k in range(3)]
        made.append([*softmax.average(promoted(scores), values, 3).made, *softmax.beside([UNIT], 3)])
        softmax._raised = 0
    (average, beside), relative = (one - other for one, other in zip(*made, strict=True)), softmax.relative(3)
    assert beside >= times(relative, up(raised(run))) - 2
    assert average >= times(relative + softmax.lost(3), up(raised(run))) - 4


def test_classes_of_sums_cut_off_are_read_on_both_sides_and_have_one_spelling() -> None:
    for name in ("bfloat16", "binary16", "tf32"):
        preset = presets()[f"{name}/tensor-cores"]
        fields = {key: value for key, value in preset.to_json().items() if key != "name"}
        assert list(fields)[-2:] == ["sum_ulp", "also"] and run_of(fields).sum_ulp == preset.sum_ulp == 2
        assert read_float_model(preset.name, fields) == preset
    for wrong in ("1", "1/2", "0", "2/1", "-3"):
        with pytest.raises(InputError):
            read_float_model("mine", FIELDS | {"sum_ulp": wrong} if wrong != "2/1" else FIELDS | {"sum_ulp": "2/0"})
        with pytest.raises(Malformed, match="expected"):
            run_of(FIELDS | {"sum_ulp": wrong})
    assert "sum_ulp" not in presets()["flash"].to_json() and run_of(presets_of("flash")).sum_ulp == 1


def test_networks_of_formulas_have_no_rule_for_them() -> None:
    proved = Proved.read((CORPUS / "accepted" / "floats_since.cert").read_text(encoding="utf-8"))
    run = presets()["tf32/tensor-cores"]
    verdict = FloatProof(proved.transformer, proved.bounds, run).verdict(proved.lengths)
    assert verdict.fault is not None and "cut off" in str(verdict.fault)
    with pytest.raises(Rejected, match="cut off"):
        check_text((CORPUS / "rejected" / "floats_of_sums_cut_off.cert").read_bytes())


def presets_of(name: str) -> dict[str, Any]:
    """Return the fields of a preset."""
    return {key: value for key, value in presets()[name].to_json().items() if key != "name"}
