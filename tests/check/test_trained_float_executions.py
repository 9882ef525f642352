"""Float executions of trained networks: whatever a run of a class does is within the forms of the checker."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from constructions.network.float_formats import Format, parse_format
from constructions.trained.json_form import network_from_json
from constructions.trained.network import Norm
from constructions.trained.numbers import numbers
from proofs.check.checker.chapters.float_models.reading import Format as FormatOfChecker
from proofs.check.checker.chapters.trained.floats import proof, stored_averages
from proofs.check.checker.chapters.trained.floats.casting import cast_network as cast_by_checker
from proofs.check.checker.chapters.trained.floats.key_value_cache import CachedExecutions
from proofs.check.checker.chapters.trained.floats.operations import Operations
from proofs.check.checker.chapters.trained.floats.rounding import roundings, sum_errors
from proofs.check.checker.chapters.trained.floats.softmax import SoftmaxOnForms
from proofs.check.checker.chapters.trained.floats.stored_averages import AveragesOfWeights
from proofs.check.checker.chapters.trained.reading.network import Scale as ScaleOfChecker
from proofs.check.checker.chapters.trained.words.running import DecisionOfWords
from proofs.check.checker.chapters.trained.zonotopes.affine import (
    UNIT,
    AffineForm,
    CentredRange,
    promoted,
    spread,
    widened,
)
from proofs.check.checker.chapters.trained.zonotopes.linear_maps import make_map
from proofs.check.checker.chapters.trained.zonotopes.scores import PathBounds
from proofs.check.checker.chapters.trained.zonotopes.step_maps import NormMaps
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Rejected
from proofs.enclosures.float_models.model import FloatModel, read_float_model
from proofs.trained.activations import ACTIVATIONS
from proofs.trained.float_executions.casting import cast_network, rounded
from proofs.trained.float_executions.emulation import Emulation
from proofs.trained.float_executions.execution import executions
from tests.check.trained_corpus import BFLOAT16, BINARY32, float_executions
from tests.check.trained_networks import boxed, make_claim, make_network, parsed
from tests.trained.drawn_runs import DrawnRun

Array = NDArray[np.float64]
COARSE = dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), "float(9,-60,60)") | {
    "normalised": "either", "exp_ulp": "1", "exp_base": "either", "block": 0}
MIXED = COARSE | {"sums": "float(12,-60,60)", "softmax": "float(12,-60,60)", "inputs": "float(8,-60,60)",
                  "weights": "float(10,-60,60)", "scores": "float(11,-60,60)"}
FINER = MIXED | {"storage": "float(11,-60,60)", "inputs": "float(10,-60,60)", "sums": "float(16,-60,60)",
                 "softmax": "float(16,-60,60)", "normalised": "after", "exp_base": "2"}
CUT_OFF = FINER | {"sums": "float(14,-60,60)", "softmax": "float(14,-60,60)", "sum_ulp": "3"}
RUNS = 40


def emulated(network: dict[str, Any], fields: dict[str, Any], draw: np.random.Generator | None = None) -> Emulation:
    """Runs of a network in a class; drawn ones, if there is somebody who draws."""
    run = read_float_model("class 1", fields)
    given = cast_network(network_from_json(network, "test"), run), run, executions(run)[0]
    return Emulation(*given) if draw is None else DrawnRun(*given, draw)


def run_of(fields: dict[str, Any]) -> Any:
    """Return the class as the checker reads it."""
    return given_of(make_network("rms"), fields).floats[0]


def given_of(network: dict[str, Any], fields: dict[str, Any]) -> DecisionOfWords:
    """Return a certificate of a claim without cases."""
    return parsed(float_executions(network, make_claim(), fields), Budget(100))


def units(x: Array) -> list[int]:
    """Numbers in units of 2^-44, exactly."""
    return [int(Fraction(one) * UNIT) for one in x.tolist()]


def point(x: Array) -> AffineForm:
    """Known numbers, with a slot for symbols."""
    return AffineForm(units(x), 2, [0] * len(x), [abs(one) for one in units(x)])


def used(known: CentredRange, values: Array) -> float:
    """Return the greatest part of its reach that a number [..., coordinates] is away from its centre."""
    centres, reaches = (np.array(one) / UNIT for one in known)
    return float((np.abs(values - centres) / reaches).max())


# -- single operations -------------------------------------------------------------------------------------------------


def test_no_rounding_changes_more_than_is_said() -> None:
    form, target = FormatOfChecker(4, -6, 8), Format(4, -6, 8)
    for number in range(1, 4000):
        x = Fraction(number, 977)
        error = max(abs(target.round(x) - x), x if x < target.smallest_normal else 0)
        assert error * UNIT <= roundings(form, [-(-x.numerator * UNIT // x.denominator)])[0]


def sums_in_every_order(products: list[Fraction], target: Format) -> set[Fraction]:
    """All values of all binary trees over the products, each rounded, or fused with the sum that it enters."""
    known: dict[frozenset[int], set[Fraction]] = {
        frozenset([k]): {target.round(product)} for k, product in enumerate(products)}
    for size in range(2, len(products) + 1):
        for some in map(frozenset, combinations(range(len(products)), size)):
            known[some] = {target.round(x + y) for left in range(1, size) for part in combinations(some, left)
                           for x in entering(frozenset(part), products, known)
                           for y in known[some - frozenset(part)]}
    return known[frozenset(range(len(products)))]


def entering(part: frozenset[int], products: list[Fraction], known: dict[frozenset[int], set[Fraction]]
             ) -> Iterator[Fraction]:
    yield from known[part]
    if len(part) == 1:
        yield products[min(part)]


def test_sums_in_every_order_are_within_the_bound() -> None:
    draw, target = np.random.default_rng(0), Format(5, -40, 40)
    run = run_of(COARSE | dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), str(target)))
    worst = Fraction(0)
    for _ in range(12):
        products = [Fraction(int(a)) * int(b) / 64 for a, b in draw.integers(-31, 32, (4, 2))]
        bound = Fraction(sum_errors(run, 4, [int(sum(map(abs, products)) * UNIT)])[0], UNIT)
        errors = [abs(value - sum(products)) for value in sums_in_every_order(products, target)]
        assert max(errors) <= bound
        worst = max(worst, max(errors) / bound if bound else Fraction(0))
    assert worst > Fraction(1, 4)


@pytest.mark.parametrize("fields", [COARSE, MIXED, CUT_OFF], ids=["coarse", "mixed", "cut off"])
def test_products_are_within_their_forms(fields: dict[str, Any]) -> None:
    network, draw, worst = make_network("rms", 9), np.random.default_rng(7), 0.0
    emulation, operations = emulated(network, fields, draw), Operations(Budget(100), run_of(fields))
    affine, cast = emulation.network.unembedding, cast_by_checker(given_of(network, fields).network, run_of(fields))
    maps = make_map(Budget(1), cast.unembedding.weight, cast.unembedding.bias)
    for _ in range(8):
        x = rounded(draw.normal(size=8) * 2, emulation.run.storage)
        known = spread(Budget(1), promoted(operations.linear(maps, point(x))))
        worst = max(worst, *(used(known, emulation._linear(affine, np.tile(x, (RUNS, 1)))) for _ in range(6)))
    assert 0.1 < worst <= 1


@pytest.mark.parametrize("fields", [COARSE, MIXED], ids=["coarse", "mixed"])
@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_norms_are_within_their_forms(kind: Any, fields: dict[str, Any]) -> None:
    network, draw = make_network("rms" if kind == "rms" else "bidirectional"), np.random.default_rng(1)
    emulation = emulated(network, fields, draw)
    operations = Operations(Budget(100), run_of(fields))
    step = emulation.network.steps[0]
    norm = Norm(kind, Fraction(1, 1000), gain=step.norm.gain if step.norm else None)
    gain = None if norm.gain is None else units(numbers(emulation.network, norm.gain))
    maps, worst = NormMaps(kind, norm.epsilon, gain, None, None), 0.0
    for _ in range(8):
        x = rounded(draw.normal(size=8) * 2 + draw.choice([0, 1]), emulation.run.storage)
        known = spread(Budget(1), promoted(operations.normed(maps, point(x))))
        for _ in range(6):
            worst = max(worst, used(known, emulation._normed(norm, np.tile(x, (RUNS, 1, 1)))))
    assert 0.05 < worst <= 1


WIDE = dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), "float(40,-60,60)")
ONE_SOURCE = {
    "functions": COARSE | WIDE | dict.fromkeys(("softmax", "scores", "weights"), "float(12,-60,60)") | {
        "exp_ulp": "32", "exp_base": "e"},
    "sums": COARSE | {"exp_ulp": "1/2", "exp_base": "e", "normalised": "before"},
    "all": COARSE, "mixed": MIXED}
"""Classes in which one thing makes most of the error: so a bound that leaves it out is found."""


def ends_of(form: AffineForm) -> list[PathBounds]:
    """Return the bounds of each coordinate."""
    return [PathBounds(x - reach, x + reach) for x, reach in zip(*spread(Budget(1), form), strict=True)]


def averages(softmax: SoftmaxOnForms, operations: Operations, query: AffineForm, keys: list[CentredRange],
             values: list[CentredRange], sharpens: bool = False) -> CentredRange:
    """Return the bounds of the stored average of a head."""
    scores = softmax.scores(query, list(map(boxed, keys)), ScaleOfChecker(None, 4))
    stored = ends_of(scores)
    errors = softmax.exponents(stored, len(keys))
    scores = operations.tight(promoted(widened(scores, errors)))
    found = softmax.average(scores, values, len(keys))
    if sharpens:
        found = softmax.sharpened(found, stored, errors, values)
    return spread(Budget(1), promoted(operations.stored(found.form, found.made)))


@pytest.mark.parametrize("source", ONE_SOURCE)
def test_averages_are_within_their_forms(source: str) -> None:
    draw, fields = np.random.default_rng(2), ONE_SOURCE[source]
    emulation, run = emulated(make_network("rms"), fields, draw), run_of(fields)
    step = emulation.network.attention_steps[0]
    softmax, operations, worst = SoftmaxOnForms(Budget(100), run), Operations(Budget(100), run), 0.0
    for _ in range(8):
        query, keys, values = (rounded(draw.normal(size=size) * 1.5, emulation.run.inputs)
                               for size in ((1, 4), (5, 4), (5, 3)))
        query = query * (source != "sums")  # equal scores
        ends = averages(softmax, operations, point(query[0]), [CentredRange(units(key), [0] * 4) for key in keys],
                        [CentredRange(units(value), [0] * 3) for value in values])
        for _ in range(6):
            tiled = [np.tile(x, (RUNS, 1, 1)) for x in (query, keys, values)]
            seen = emulation._average(emulation._scores(step, None, tiled[0], tiled[1], np.array([4])), tiled[2])
            worst = max(worst, used(ends, seen))
    assert {"functions": 0.25, "sums": 0.08}.get(source, 0.05) < worst <= 1


WEIGHTS = FINER | dict.fromkeys(("softmax", "sums", "storage"), "float(20,-60,60)") | {
    "weights": "float(4,-60,60)", "inputs": "float(12,-60,60)", "exp_ulp": "256"}


def most_used_of_weights(normalised: str, base: str) -> tuple[float, float]:
    """Return the greatest error of averages relative to their bound, and that bound relative to the one of forms."""
    draw, worst, narrower = np.random.default_rng(3), 0.0, 0.0
    fields = WEIGHTS | {"normalised": normalised, "exp_base": base}
    emulation, run = emulated(make_network("rms"), fields, draw), run_of(fields)
    step, softmax, operations = emulation.network.attention_steps[0], SoftmaxOnForms(Budget(100), run), Operations(
        Budget(100), run)
    for _ in range(8):
        query, keys, values = (rounded(draw.normal(size=size) * 1.5, emulation.run.inputs)
                               for size in ((1, 4), (5, 4), (5, 3)))
        given = point(query[0]), [CentredRange(units(key), [0] * 4) for key in keys], [
            CentredRange(units(value), [0] * 3) for value in values]
        plain, ends = (averages(softmax, operations, *given, sharpens) for sharpens in (False, True))
        narrower += sum(ends.reaches) / sum(plain.reaches) / 8
        for _ in range(6):
            tiled = [np.tile(x, (RUNS, 1, 1)) for x in (query, keys, values)]
            seen = emulation._average(emulation._scores(step, None, tiled[0], tiled[1], np.array([4])), tiled[2])
            worst = max(worst, used(CentredRange(ends.centres, [max(e, 1) for e in ends.reaches]), seen))
    return worst, narrower


@pytest.mark.parametrize(("normalised", "base", "left"), [
    ("before", "e", 0.3), ("after", "2", 0.3), ("either", "either", 0.9)])
def test_averages_by_weights_as_they_are_stored_are_narrow(normalised: str, base: str, left: float,
                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    """And no error may be left out: of the logarithms, of sums, of the other way to normalise."""
    worst, narrower = most_used_of_weights(normalised, base)
    assert worst <= 1 and narrower < left
    exponentials, find = AveragesOfWeights._exponentials, AveragesOfWeights.find
    if normalised == "either":
        monkeypatch.setattr(AveragesOfWeights, "find", lambda self, *given: find(AveragesOfWeights(replace(
            self._model, normalised="after"), self._exp), *given))  # runs are those that normalise before
    else:
        monkeypatch.setattr(AveragesOfWeights, "_exponentials", lambda self, scores, errors: exponentials(
            self, scores, [0] * len(errors)))
        monkeypatch.setattr(stored_averages, "times", lambda factor, size: 0)
    assert most_used_of_weights(normalised, base)[0] > 1


@pytest.mark.parametrize("moved", ["query", "keys", "values", "all"])
def test_averages_of_what_is_known_within_reaches(moved: str) -> None:
    """Real averages, of queries, keys and values that may be off."""
    draw, run, worst = np.random.default_rng(4), run_of(COARSE | WIDE), 0.0
    softmax, operations = SoftmaxOnForms(Budget(100), run), Operations(Budget(100), run)
    for size in (0.05, 0.3):
        query, keys, values = (draw.normal(size=shape) for shape in ((4,), (5, 4), (5, 3)))
        reaches = [size * (moved in (name, "all")) for name in ("query", "keys", "values")]
        off = [round(reach * UNIT) + 1 for reach in reaches]
        form = promoted(widened(point(query), [off[0]] * 4))
        ends = averages(softmax, operations, form, [CentredRange(units(key), [off[1]] * 4) for key in keys],
                        [CentredRange(units(value), [off[2]] * 3) for value in values])
        for _ in range(400):
            q, k, v = (x + reach * draw.choice([-1, 1, draw.uniform(-1, 1)], size=x.shape)
                       for x, reach in zip((query, keys, values), reaches, strict=True))
            weights = np.exp((k @ q) / 2)
            worst = max(worst, used(ends, (weights / weights.sum()) @ v))
    assert 0.3 < worst <= 1


@pytest.mark.parametrize("name", ["gelu", "tanh", "sigmoid", "silu", "gelu-tanh"])
def test_activations_are_within_their_error(name: Any) -> None:
    fields = COARSE | WIDE | dict.fromkeys(("softmax", "scores", "weights"), "float(8,-60,60)")
    emulation, run = emulated(make_network("rms"), fields, np.random.default_rng(5)), run_of(fields)
    x = rounded(np.random.default_rng(6).normal(size=4000) * 3, emulation.run.storage)
    exact = ACTIVATIONS[name](x)
    bound = np.array(Operations(Budget(1), run).function_error(name, [abs(one) + 1 for one in units(x)])) / UNIT
    part = np.abs(emulation.activated(name, x) - exact) / bound
    assert 0.2 < part.max() <= 1


HALVES = COARSE | dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), "binary16")
NEAR_1 = HALVES | dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), "float(11,-2,60)")


def norm_of_halves(epsilon: int, gain: list[int], bias: list[int], fields: dict[str, Any] = HALVES) -> AffineForm:
    """Return the checker's bounds of a norm of (3, 0, ..., 0)."""
    maps = NormMaps("rms", Fraction(epsilon), [x * UNIT for x in gain], [x * UNIT for x in bias], None)
    return Operations(Budget(100), run_of(fields)).normed(maps, point(np.array([3.0] + [0.0] * (len(gain) - 1))))


def test_an_epsilon_that_is_infinite_in_a_run_is_refused() -> None:
    emulation, x = emulated(make_network("rms"), HALVES), np.array([[3.0, 0, 0, 0]])
    with np.errstate(over="ignore"):
        assert emulation._normed(Norm("rms", Fraction(100_000)), x).tolist() == [[0, 0, 0, 0]]  # not 3 / sqrt(100002)
    with pytest.raises(Rejected, match="too large"):
        norm_of_halves(100_000, [1] * 4, [0] * 4)


def test_a_gain_beyond_the_format_is_refused_though_the_bias_brings_it_back() -> None:
    norm_of_halves(1, [8_000] * 4, [-10_000] * 4)
    with pytest.raises(Rejected, match="too large"):
        norm_of_halves(1, [60_000] * 4, [-65_000] * 4)  # 60,000 times 1.66 is infinite in binary16


def test_an_inverse_that_is_flushed_in_a_run_is_refused() -> None:
    with pytest.raises(Rejected, match="an inverse in a norm"):
        norm_of_halves(64, [1] * 4, [0] * 4, NEAR_1)  # 1 / 4 may be computed as 0


def test_what_is_stored_but_infinite_as_an_input_is_refused() -> None:
    mixed = BINARY32 | {"inputs": "binary16"}
    assert not np.isfinite(emulated(make_network("rms"), mixed)._entering(np.array([70_000.0]))).any()
    with pytest.raises(Rejected, match="too large"):
        Operations(Budget(1), run_of(mixed)).entering(point(np.array([70_000.0])))


@pytest.mark.parametrize("normalised", ["after", "before"])
def test_a_weighted_sum_beyond_the_format_of_its_quotient_is_refused(normalised: str) -> None:
    fields = HALVES | {"sums": "binary32", "normalised": normalised, "exp_base": "e"}
    emulation, run, keys = emulated(make_network("rms"), fields), run_of(fields), np.zeros((4, 4))
    values = np.full((4, 1), 20_000.0)
    softmax, operations = SoftmaxOnForms(Budget(100), run), Operations(Budget(100), run)
    found = emulation._average(np.zeros((1, 1, 4)), values[np.newaxis])
    asked = (softmax, operations, point(keys[0]), [CentredRange(units(key), [0] * 4) for key in keys],
             [CentredRange(units(value), [0]) for value in values])
    if normalised == "before":
        assert used(averages(*asked), found) <= 1
    else:
        assert not np.isfinite(found).any()
        with pytest.raises(Rejected, match="too large"):
            averages(*asked)


def test_a_scale_that_is_flushed_in_a_run_is_refused() -> None:
    softmax, key = SoftmaxOnForms(Budget(100), run_of(NEAR_1)), CentredRange([UNIT], [0])
    for allowed, refused in ((ScaleOfChecker(None, 16), ScaleOfChecker(None, 17)),
                             (ScaleOfChecker(Fraction(-1, 4), None), ScaleOfChecker(Fraction(1, 8), None))):
        softmax.scores(point(np.ones(1)), [boxed(key)], allowed)
        with pytest.raises(Rejected, match="scale"):
            softmax.scores(point(np.ones(1)), [boxed(key)], refused)


def test_scores_by_which_the_greatest_exponential_to_base_2_vanishes_are_refused() -> None:
    """s log2(e) in binary16 is off by up to 16 near 40,000: with one product fused, 2^-16 may be all that is left."""
    scores = point(np.array([28_000.0, 27_000.0]))
    SoftmaxOnForms(Budget(100), run_of(HALVES | {"exp_base": "e", "sums": "binary32"})).exponents(
        ends_of(point(np.array([2_000.0, 1_000.0]))), 2)
    with pytest.raises(Rejected, match="the greatest weight may err"):
        SoftmaxOnForms(Budget(100), run_of(HALVES)).exponents(ends_of(scores), 2)


# -- whole networks ----------------------------------------------------------------------------------------------------


@pytest.mark.one_in(6)
@pytest.mark.parametrize("fields", [BINARY32, BFLOAT16, FINER, BINARY32 | {"inputs": "tf32"}, CUT_OFF],
                         ids=["binary32", "bfloat16", "finer", "tf32", "cut off"])
@pytest.mark.parametrize("kind", ["bidirectional", "post", "rms", "rotary", "alibi", "gpt2", "plain", "images"])
def test_logits_of_drawn_runs_are_within_their_forms(kind: str, fields: dict[str, Any]) -> None:
    network = make_network(kind, 7)
    given = given_of(network, fields)
    prover = proof.ModelProver(given, given.floats[0])
    walk, worst, draw = CachedExecutions(prover.network.forms, 1), 0.0, np.random.default_rng(3)
    for tokens in ([2, 0, 1, 1, 0], [2, 0, 1, 0]):
        at = len(tokens) - 1
        ((_, stream),) = walk.attended(tokens, [at])
        logits = prover.network.forms.finish(stream)
        known = spread(Budget(1), logits)
        for drawn in (None, draw, draw):
            emulation = emulated(network, fields, drawn)
            inputs = np.tile(np.array(tokens), (10, 1))
            worst = max(worst, used(known, emulation.logits(inputs, 1, np.array([at]))))
    assert 0 < worst <= 1


@pytest.mark.parametrize("storage", ["bfloat16", "binary16", "binary32", "float(5,-3,6)"])
def test_both_sides_cast_to_the_same_network(storage: str) -> None:
    fields: dict[str, Any] = dict.fromkeys(("storage", "inputs", "scores", "weights"), storage)
    fields = BINARY32 | fields | {"inputs": "float(4,-3,6)" if storage.startswith("float") else storage}
    network = make_network("bidirectional", 8)
    given = given_of(network, fields)
    run: FloatModel = read_float_model("class 1", fields)
    ours = cast_network(network_from_json(network, "test"), run)
    theirs = cast_by_checker(given.network, given.floats[0])
    assert parse_format(storage) == run.storage
    for view, matrix in ((ours.tokens, theirs.tokens), (ours.unembedding.weight, theirs.unembedding.weight),
                         (ours.attention_steps[0].heads[1].out, theirs.attention_steps[0].heads[1].out)):
        assert numbers(ours, view).tolist() == [[entry * 2.0**matrix.power for entry in row] for row in matrix.rows]
