"""Bounds of the executions that `also` names are those of the page; no drawn one exceeds them; one spelling."""

import json
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.network.float_formats import parse_format
from constructions.trained.json_form import network_from_json
from constructions.trained.network import Norm
from proofs.check import Malformed
from proofs.check.checker.chapters.float_models.reading import ALSO, Format, read_float_claim
from proofs.check.checker.chapters.float_models.roundoff import expect_sensible
from proofs.check.checker.chapters.trained.reading.network import Scale
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, CentredRange, make_linear
from proofs.check.checker.chapters.trained.zonotopes.step_maps import NormMaps
from proofs.check.checker.kernel.verdicts import Rejected
from proofs.enclosures.float_models.model import FURTHER, read_float_model
from proofs.trained.float_executions.execution import executions
from tests.check.test_trained_float_operations import EPSILON, STORED, SUMS, form_of, operations, reaches
from tests.check.test_trained_float_scores import softmax
from tests.check.trained_corpus import BINARY32
from tests.check.trained_networks import make_network
from tests.trained.drawn_runs import DrawnRun

COARSE = dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), "float(16,-60,60)")
LOW = UNIT // 2


def gamma(k: int, u: float) -> float:
    return k * u / (1 - k * u)


@pytest.mark.parametrize("name", ["merged", "one pass"])
def test_other_variances_move_the_mean_and_the_deviation_by_what_the_page_says(name: str) -> None:
    d, u, given = 4, 2.0**-16, [3 * UNIT, UNIT, 2 * UNIT, UNIT // 2]
    squares = sum(x * x for x in given) // UNIT
    mean, spread = operations(also=(name,))._of_other_variances(given, squares, LOW, EPSILON)
    lost = 8 * (d + 3) * 2.0**-40 / float(EPSILON) * 4
    wanted = gamma(10 * d + 24, u) * 3 + lost + (name == "one pass") * gamma(4 * d + 8, u) * squares / UNIT / d * 2
    assert 0 <= mean / UNIT - gamma(5 * d + 5, u) * 3 - lost < 1e-12
    assert 0 <= spread / UNIT - wanted < 1e-11


@pytest.mark.parametrize("name", ["merged", "one pass"])
def test_of_moments_in_any_order_none_is_farther_off_than_the_page_says(name: str) -> None:
    """Large means and small deviations, in 16 bits; the bound is at most 60 times what is seen."""
    model = read_float_model("mine", {**BINARY32, **COARSE, "also": [name]})
    draw, network, seen = np.random.default_rng(1), network_from_json(make_network("post"), "it"), [0.0, 0.0]
    run = DrawnRun(network, model, executions(model)[0], draw)
    norm, form = Norm("layer", Fraction(EPSILON)), parse_format("float(16,-60,60)")
    for _ in range(300):
        d = int(draw.integers(2, 12))
        x = run.rounded(draw.choice([0.0, 1.0, 8.0]) + draw.normal(size=(40, d)) * draw.choice([0.1, 1.0]), form)
        deviation, variance = run.moments(norm, x)
        s = np.sqrt(x.var(-1) + float(EPSILON))
        most, u = np.abs(x).max(-1), 2.0**-16
        mean = np.abs((x - deviation).mean(-1) - x.mean(-1)) / (gamma(5 * d + 5, u) * most + 2 * u * most)
        spread = gamma(10 * d + 24, u) * most + (name == "one pass") * gamma(4 * d + 8, u) * (x * x).mean(-1) / s
        inside = s > 2 * spread
        off = np.abs(np.sqrt(np.maximum(variance[..., 0] if variance.ndim > 1 else variance, 0) + float(EPSILON)) - s)
        seen = [max(seen[0], mean.max()), max(seen[1], (off / spread)[inside].max(initial=0))]
    assert 1 / 60 < seen[0] <= 1 and 1 / 60 < seen[1] <= 1


def test_a_norm_stored_before_its_gain_is_rounded_once_more() -> None:
    maps, exact = NormMaps("rms", EPSILON, [4 * UNIT], None, None), [3 * UNIT]
    plain, stored = [UNIT // 8], [UNIT // 8]
    operations().gained(maps, exact, plain)
    operations(also=("gains",)).gained(maps, exact, stored)
    layer, same = NormMaps("layer", EPSILON, [4 * UNIT], None, None), [UNIT // 8]
    operations(also=("gains",)).gained(layer, exact, same)
    assert same == plain
    half = 2.0**-11  # half a unit in the last of 12 places, below 4
    assert abs((stored[0] - plain[0]) / UNIT - 4 * half * (1 + gamma(2, 2.0**-16))) < 1e-9


def test_scores_stored_before_their_scale_or_of_scaled_keys_have_more_roundings() -> None:
    key, sizes = CentredRange([UNIT, 3 * UNIT], [0, 0]), [2 * UNIT, UNIT]
    third, one = Scale(Fraction(1, 4), None), Scale(Fraction(1), None)
    fields: dict[str, Any] = {"also": ("scales",)}
    (plain,), (more,) = (softmax(**which)._product_errors(sizes, [key], third) for which in ({}, fields))
    run = softmax()._model
    u, stored = 2.0**-run.sums.precision, 2.0**(2 - run.scores.precision)  # half a unit of numbers below 8
    wanted = gamma(8, u) * 5 / 4 - gamma(2, u) * 5 / 4 + (run.scores != run.sums) * stored / 4
    assert abs((more - plain) / UNIT - wanted) < 1e-4 * wanted + 1e-11
    assert softmax(**fields)._product_errors(sizes, [key], one) == softmax()._product_errors(sizes, [key], one)


def test_sums_of_whole_numbers_have_six_roundings_more() -> None:
    maps, sizes = make_linear([[UNIT, -3 * UNIT]], [UNIT]), [2 * UNIT, UNIT]
    (plain,), (more,) = (operations(also=also).product_errors(maps, sizes) for also in ((), ("integers",)))
    assert abs((more - plain) / UNIT - (gamma(9, 2.0**-20) - gamma(3, 2.0**-20)) * 6) < 1e-10
    with pytest.raises(Rejected, match="sums of whole numbers are not stored"):
        expect_sensible(operations(also=("integers",), softmax=Format(16, -60, 60)).model)


def test_numbers_rounded_to_8_bits_are_as_near_as_the_page_says() -> None:
    """In blocks of any size, by scales of binary16; the page allows one part in 220 of the greatest, and 2^-17."""
    model = read_float_model("mine", {**BINARY32, "weights": "binary16", "also": ["eights", "integers"]})
    draw, network, seen = np.random.default_rng(1), network_from_json(make_network("post"), "it"), 0.0
    run = DrawnRun(network, model, executions(model)[0], draw)
    for size in (1e-6, 1e-3, 1.0, 30.0):
        for _ in range(100):
            x = draw.normal(size=(20, 24)).astype(np.float32).astype(np.float64) * size
            apart = np.abs(run.reading(x) - x)
            seen = max(seen, (apart / (np.abs(x).max(-1, keepdims=True) / 220 + 2.0**-17)).max())
    assert 4 / 5 < seen <= 1
    one = operations(also=("eights", "integers"), softmax=Format(24, -60, 60), inputs=Format(12, -60, 60))
    form = form_of([3.0, -9.0], [0.0, 0.5])
    assert all(abs(reach - Fraction(before) - Fraction(95, 2200) - Fraction(1, 1 << 17)) < Fraction(1, 1 << 40)
               for reach, before in zip(reaches(one.reading(form)), ("0", "1/2"), strict=True))
    alike = operations(also=("eights", "integers"), inputs=Format(12, -60, 60)).entering(form)  # half a unit of 11 bits
    assert reaches(alike) == [Fraction(1, 1 << 10), Fraction(1, 2) + Fraction(1, 1 << 8)]
    expect_sensible(operations(also=("eights", "integers"), storage=SUMS, inputs=SUMS, sums=SUMS, scores=SUMS,
                               weights=SUMS, softmax=Format(24, -60, 60)).model)
    with pytest.raises(Rejected, match="inputs in 8 bits are of sums of whole numbers"):
        expect_sensible(operations(also=("eights",), softmax=Format(24, -60, 60)).model)
    with pytest.raises(Rejected, match="gelu by a table of 16 bits has no rule"):
        one.function_error("gelu", [UNIT])


def test_names_of_further_executions_have_one_spelling_on_both_sides() -> None:
    assert list(ALSO) == list(FURTHER) == sorted(FURTHER)
    written = read_float_model("mine", BINARY32 | {"also": ["scales", "gains"]}).to_json() | {"max_n": 1}
    assert written["also"] == ["gains", "scales"] and "also" not in read_float_model("mine", BINARY32).to_json()
    assert read_float_claim(written, range(1, 2)).also == ("gains", "scales")
    refused: list[Any] = [[], ["scales", "gains"], ["gains", "gains"], ["gain"], "gains", [1]]
    for wrong in refused:
        with pytest.raises(Malformed, match="expected"):
            read_float_claim(written | {"also": wrong}, range(1, 2))
    others: list[Any] = [["gains", "gains"], ["gain"], "gains", [1], [["gains"]]]
    for wrong in others:
        with pytest.raises(InputError, match=r"^float model mine: also is .*, expected a list of some of eights, "):
            read_float_model("mine", BINARY32 | {"also": wrong})


def test_deviations_on_balls_are_refused_where_they_may_be_too_small_for_their_bounds() -> None:
    """The bounds by √ε and 2 √d hold for two passes only."""
    from proofs.check.checker.chapters.trained.balls.precision import Precision, Undecided
    from proofs.check.checker.chapters.trained.floats.balls import Balls, InputOnBalls
    from proofs.check.checker.chapters.trained.reading.network import Norm as CheckedNorm
    from proofs.check.checker.kernel.budget import Budget

    precision, norm = Precision(0), CheckedNorm("layer", EPSILON, None, None, None)
    one = precision.one
    plain, merged, at_once = (InputOnBalls(Balls(operations(also=also).model, precision, Budget(1)), norm, 4)
                              for also in ((), ("merged",), ("one pass",)))
    x = [one, 2 * one, 3 * one, -one]
    e = [given.widened((x, one >> 12))[1] for given in (plain, merged, at_once)]
    size, u = sqrt(15), 2.0**-16
    deviation = sqrt(15 / 4 - (5 / 4)**2)
    wanted = 2 * 2 * gamma(64, u) * size
    assert 0 <= (e[1] - e[0]) / one - wanted < 1e-3 * wanted + 1e-4
    wanted += 2 * gamma(24, u) * size * 2 * size / (4 * deviation)
    assert 0 <= (e[2] - e[0]) / one - wanted < 1e-2 * wanted + 1e-4
    for near in ([one] * 4, [one, one, one, one + (one >> 9)]):
        assert plain.widened((near, one >> 12))
        with pytest.raises(Undecided):
            merged.widened((near, one >> 12))


def test_on_balls_gains_and_sums_of_whole_numbers_have_the_same_roundings_more() -> None:
    from proofs.check.checker.chapters.trained.balls.exact import ExactLinear
    from proofs.check.checker.chapters.trained.balls.precision import Precision
    from proofs.check.checker.chapters.trained.floats.balls import Balls, InputOnBalls, ProductOnBalls
    from proofs.check.checker.chapters.trained.reading.dyadics import Matrix, Vector
    from proofs.check.checker.chapters.trained.reading.network import Norm as CheckedNorm
    from proofs.check.checker.kernel.budget import Budget

    def balls(*also: str) -> Balls:
        return Balls(operations(also=also, inputs=STORED).model, Precision(0), Budget(1))

    one, maps = Precision(0).one, ExactLinear(Matrix(((2, -3), (0, 6)), 2, 0), Vector((0, 0), 0))
    rms, layer = (CheckedNorm(kind, EPSILON, None, None, None) for kind in ("rms", "layer"))
    plain, stored = (InputOnBalls(balls(*also), rms, 4).more for also in ((), ("gains",)))
    assert abs((stored - plain) / one - 2 * 2.0**-12) < 1e-5
    assert InputOnBalls(balls("gains"), layer, 4).more == InputOnBalls(balls(), layer, 4).more
    plain, more = (ProductOnBalls(balls(*also), maps).error(0, 5 * one) for also in ((), ("integers",)))
    assert abs((more - plain) / one - (gamma(9, 2.0**-20) - gamma(3, 2.0**-20)) * 35) < 1e-6


def test_no_sum_of_a_network_of_whole_numbers_is_exact_if_it_may_be_scaled_afterwards() -> None:
    from proofs.enclosures.float_models.model import presets
    from tests.trained.enclosed_logits import EnclosedLogits

    parity = Path(__file__).parents[2] / "examples" / "adders" / "parity.json"
    network = network_from_json(json.loads(parity.read_text(encoding="utf-8")), "parity")
    assert [EnclosedLogits(network, presets()[name])._stack.operations._whole for name in (
        "onnxruntime", "onnxruntime/int8")] == [True, False]
