"""Float executions by classes: whatever a run does on a word of a class is within the forms of the checker."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from constructions.network.float_formats import Format
from constructions.trained.network import Scale
from proofs.check import Rejected
from proofs.check.checker.chapters.trained.floats.casting import cast_network as cast_by_checker
from proofs.check.checker.chapters.trained.floats.classes import FloatArithmetic, FloatAttention
from proofs.check.checker.chapters.trained.floats.form_stack import ConcatenatedAttention, FloatStack
from proofs.check.checker.chapters.trained.floats.operations import Operations
from proofs.check.checker.chapters.trained.floats.rounding import roundings
from proofs.check.checker.chapters.trained.floats.score_caps import CapOnForms
from proofs.check.checker.chapters.trained.floats.softmax import SoftmaxOnForms
from proofs.check.checker.chapters.trained.reading.network import Scale as ScaleOfChecker
from proofs.check.checker.chapters.trained.words import classes
from proofs.check.checker.chapters.trained.words.classes import Classes
from proofs.check.checker.chapters.trained.zonotopes.affine import (
    UNIT,
    AffineForm,
    CentredRange,
    make_linear,
    spread,
)
from proofs.check.checker.chapters.trained.zonotopes.arithmetic import RealAttention, Reals
from proofs.check.checker.chapters.trained.zonotopes.scores import PathBounds, Vectors
from proofs.check.checker.kernel.budget import Budget
from proofs.trained.float_executions.casting import rounded
from tests.check.test_trained_float_executions import (
    COARSE,
    FINER,
    RUNS,
    WIDE,
    emulated,
    given_of,
    point,
    run_of,
    units,
    used,
)
from tests.check.trained_classes import Made, Word, make, make_claim, with_least
from tests.check.trained_corpus import BFLOAT16, BINARY32
from tests.check.trained_networks import make_network

FINE = COARSE | WIDE
ONE_SOURCE = {
    "functions": FINE | dict.fromkeys(("softmax", "scores", "weights"), "float(12,-60,60)") | {
        "storage": "float(12,-60,60)", "inputs": "float(12,-60,60)", "exp_ulp": "256", "exp_base": "e"},
    "scores": FINE | {"scores": "float(6,-60,60)", "exp_ulp": "1/2", "exp_base": "e"},
    "weights": FINE | {"weights": "float(6,-60,60)", "exp_ulp": "1/2", "exp_base": "e"}}
"""Classes in which one thing makes most of the error."""


def greatest_average(weights: list[tuple[float, float]], values: list[float]) -> float:
    """Return the greatest average with weights between these ends: it is attained where each weight is at an end."""
    return max(sum(w * v for w, v in zip(some, values, strict=True)) / sum(some) for some in product(*weights))


def most_used(fields: dict[str, Any]) -> float:
    """Return the greatest error of drawn runs relative to the checker's bound; above 1 is wrong."""
    draw, run, worst = np.random.default_rng(2), run_of(fields), 0.0
    emulation = emulated(make_network("rms"), fields, draw)
    attention, step = attention_of(fields), emulation.network.attention_steps[0]
    for _ in range(6):
        query, keys, values = (rounded(draw.normal(size=size) * 1.5, emulation.run.inputs)
                               for size in ((1, 4), (5, 4), (5, 1)))
        forms: dict[tuple[int, ...], Any] = {(k, 0): vectors(key) for k, key in enumerate(keys)}
        bounds = attention.logarithms(attention.scores(0, vectors(query[0]), forms, 4), 4)
        top = max(one.greatest for one in bounds.values())
        weights = [tuple(np.exp(np.array([*one]) / UNIT - top / UNIT).tolist()) for one in bounds.values()]
        (made,) = attention._softmax.beside([max(map(abs, units(values[:, 0])))], 5)
        ends = [sign * greatest_average(weights, (sign * values[:, 0]).tolist()) for sign in (-1, 1)]
        middle, half = sum(ends) / 2, (ends[1] - ends[0]) / 2 + (made + roundings(run.storage, [4 * UNIT])[0]) / UNIT
        for _ in range(6):
            tiled = [np.tile(x, (RUNS, 1, 1)) for x in (query, keys, values)]
            seen = emulation._average(emulation._scores(step, None, tiled[0], tiled[1], np.array([4])), tiled[2])
            worst = max(worst, float((np.abs(seen - middle) / half).max()))
    return worst


def vectors(x: Any) -> Vectors:
    return Vectors(point(x), spread(Budget(1), point(x)))


@pytest.mark.parametrize("source", ONE_SOURCE)
def test_averages_of_drawn_runs_are_within_scores_and_what_is_beside_them(source: str) -> None:
    assert 0.02 < most_used(ONE_SOURCE[source]) <= 1


@pytest.mark.parametrize(("source", "name", "nothing"), [
    ("functions", "exponents", lambda self, stored, count, floor: [0] * len(stored)),
    ("scores", "storing", lambda self, sizes: [0] * len(sizes)),
    ("weights", "relative", lambda self, count: Fraction(0))],
    ids=["exponents", "stored scores", "weights"])
def test_no_error_may_be_left_out(source: str, name: str, nothing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SoftmaxOnForms, name, nothing)
    assert most_used(ONE_SOURCE[source]) > 1


SCORES: dict[str, tuple[Fraction | None, Fraction | None]] = {
    "root": (None, None), "negative": (Fraction(-3, 8), None), "above 1": (Fraction(7, 3), None),
    "capped": (Fraction(7, 3), Fraction(2, 3))}


@pytest.mark.parametrize("kind", SCORES)
def test_stored_scores_of_drawn_runs_are_within_their_bounds(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0.1 < most_used_of_scores(*SCORES[kind]) <= 1
    monkeypatch.setattr(SoftmaxOnForms, "_product_errors", lambda self, sizes, keys, scale: [0] * len(keys))
    if kind == "capped":
        monkeypatch.setattr(CapOnForms, "errors", lambda self, sizes: [0] * len(sizes))
    assert most_used_of_scores(*SCORES[kind]) > 1


def most_used_of_scores(times: Fraction | None, cap: Fraction | None) -> float:
    """Return the greatest error of scores of drawn runs relative to the checker's bounds, by intervals and by forms."""
    draw, worst = np.random.default_rng(5), 0.0
    emulation, softmax = emulated(make_network("rms"), COARSE, draw), SoftmaxOnForms(Budget(100), run_of(COARSE))
    scale = emulation.network.attention_steps[0].scale if times is None else Scale(times, None)
    step, asked = replace(emulation.network.attention_steps[0], scale=scale, cap=cap), ScaleOfChecker(times, scale.root)
    made = None if cap is None else CapOnForms(Budget(100), run_of(COARSE), cap)
    query, keys = (rounded(draw.normal(size=size), emulation.run.inputs) for size in ((1, 4), (5, 4)))
    bounds = softmax.bounds(vectors(query[0]), list(map(vectors, keys)), asked, None, made)
    known = CentredRange([low + high >> 1 for low, high in bounds], [(high - low >> 1) + 1 for low, high in bounds])
    form = softmax.scores(vectors(query[0]).form, list(map(vectors, keys)), asked, None, made)
    for _ in range(12):
        querying, seen = (np.tile(x, (RUNS, 1, 1)) for x in (query, keys))
        scores = emulation._scores(step, None, querying, seen, np.array([4]))
        worst = max(worst, used(known, scores), used(spread(Budget(1), form), scores))
    return worst


def attention_of(fields: dict[str, Any]) -> FloatAttention:
    """Return a step whose one head writes the only number of its average, four times as much."""
    run = run_of(fields)
    stack = FloatStack(Budget(100), cast_by_checker(given_of(make_network("rms"), fields).network, run), run)
    no = make_linear([], [])
    maps = ConcatenatedAttention(None, no, no, no, make_linear([[4 * UNIT]], [0]), [range(1)], [range(1)],
                           ScaleOfChecker(None, 4), None, [None])
    return FloatAttention(stack, maps)


def test_what_a_run_makes_beside_an_average_is_written_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the roundings of the average, of the product and of the stream when they are stored: of 1, 4 and 4."""
    reach, fields = [], FINER | {"inputs": FINER["storage"]}
    attention, storage = attention_of(fields), run_of(fields).storage
    for made in (UNIT // 16, UNIT // 8):
        monkeypatch.setattr(SoftmaxOnForms, "beside", lambda self, greatest, count, made=made: [made])
        written = attention.write(point(np.array([0.0])), [point(np.array([1.0]))], [[2 * UNIT]], 4)
        reach += spread(Budget(1), written).reaches
    one, four = roundings(storage, [UNIT, 4 * UNIT])
    assert reach[0] >= UNIT // 4 + 4 * one + 2 * four
    assert reach[1] - reach[0] >= UNIT // 4
    summed = attention.write_sum(point(np.array([0.0])), [point(np.array([4.0]))], [[2 * UNIT]], 4)
    assert spread(Budget(1), summed).reaches[0] >= reach[1]


@pytest.mark.parametrize("fields", [FINER, BINARY32, BFLOAT16, COARSE], ids=["finer", "binary32", "bfloat16", "coarse"])
def test_numbers_that_are_made_stored_and_entered_are_off_as_their_forms_are(fields: dict[str, Any]) -> None:
    operations, x = Operations(Budget(1), run_of(fields)), np.array([1.0, -1.75, 0.001])
    made = [1 << 38, 1 << 40, 1 << 37]
    errors, sizes = operations.entered(list(map(abs, units(x))), made)
    form = operations.entering(operations.stored(point(x), made))
    assert errors == spread(Budget(1), form).reaches and sizes == form.sizes


def test_a_far_score_does_not_blur_the_weights_to_base_2_of_near_ones() -> None:
    """Each product is rounded by its own size: so a logarithm errs by what its score and the greatest one allow."""
    fields = FINER | {"exp_base": "2", "softmax": "float(16,-1000,1000)"}
    run, draw, worst = run_of(fields), np.random.default_rng(2), 0.0
    softmax, target = SoftmaxOnForms(Budget(100), run), Format(16, -1000, 1000)
    for _ in range(40):
        scores = rounded(np.append(draw.normal(size=4) * 2, draw.normal() * 4 - 300), target)
        off = np.array(softmax.exponents([PathBounds(x, x) for x in units(scores)], 5)) / UNIT
        found = emulated(make_network("rms"), fields, draw)._exponentials(np.tile(scores, (RUNS, 1)), target)
        worst = max(worst, float((np.abs(np.log(found) - scores + scores.max()) / off)[:, :4].max()))
        assert (np.abs(np.log(found) - scores + scores.max()) <= off).all()
        assert off[:4].max() < off[4] / 20
    assert worst > 0.2


def test_exponentials_that_may_be_off_by_a_factor_of_more_than_e_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    attention, one = attention_of(COARSE), vectors(np.array([1.0]))
    monkeypatch.setattr(SoftmaxOnForms, "exponents", lambda self, stored, count, floor: [UNIT] * len(stored))
    found = attention.scores(0, one, {(0, 0): one}, 0)
    assert len(attention.logarithms(found, 0)) == 1
    monkeypatch.setattr(SoftmaxOnForms, "exponents", lambda self, stored, count, floor: [UNIT + 1] * len(stored))
    with pytest.raises(Rejected, match="the error of exponentials is too large"):
        attention.logarithms(found, 0)


# -- whole networks ----------------------------------------------------------------------------------------------------


def count(word: Word) -> int:
    return sum(word)


def made_of(kind: str, fields: dict[str, Any], widen: float) -> tuple[Made, Any, Any]:
    """A unit of the cast network whose ranges are those over the reals, widened; the stack, and emulated runs."""
    network = make_network(kind, 7)
    run = run_of(fields)
    cast = cast_by_checker(given_of(network, fields).network, run)
    made = make(cast, make_claim(cast), count, 3, 4, widen=widen)
    return made, FloatStack(made.decision.budget, cast, run), network


def judged_forms(made: Made, stack: FloatStack, monkeypatch: pytest.MonkeyPatch) -> dict[Any, CentredRange]:
    """Return the checker's forms of the logits of each judged node when the unit is proved."""
    found: dict[Any, CentredRange] = {}
    proved = classes.ClassesProof.prove_rows

    def record(self: classes.ClassesProof, node: Any, stream: AffineForm, last: Any) -> None:
        found[node] = spread(Budget(1), self.shared.arithmetic.judged(stream))
        proved(self, node, stream, last)

    monkeypatch.setattr(classes.ClassesProof, "prove_rows", record)
    monkeypatch.setattr(classes, "prove_rows", lambda *arguments: None)
    Classes(with_least(made, 0).decision, FloatArithmetic(stack)).prove(made.unit)
    return found


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("fields", "widen"), [(BINARY32, 1e-4), (BFLOAT16, 0.1), (FINER, 0.1)],
                         ids=["binary32", "bfloat16", "finer"])
@pytest.mark.parametrize("kind", ["post", "rms"])
def test_logits_of_drawn_runs_are_within_the_forms_of_their_classes(
        kind: str, fields: dict[str, Any], widen: float, monkeypatch: pytest.MonkeyPatch) -> None:
    made, stack, network = made_of(kind, fields, widen)
    forms, worst = judged_forms(made, stack, monkeypatch), 0.0
    assert len(forms) == 14
    for drawn in (None, np.random.default_rng(1), np.random.default_rng(2)):
        emulation = emulated(network, fields, drawn)
        for node, known in forms.items():
            inputs = np.array(made.members[node])
            worst = max(worst, used(known, emulation.logits(inputs, 0, np.array([node[0]]))[:, 0]))
    assert 0.05 < worst <= 1


@pytest.mark.parametrize("kind", ["post", "rms"])
def test_a_range_that_runs_leave_is_rejected(kind: str) -> None:
    """Ranges of the real averages are too narrow for runs."""
    made, stack, _ = made_of(kind, BFLOAT16, 1e-6)
    with pytest.raises(Rejected, match="a range of head 1 is not proved"):
        Classes(with_least(made, 0).decision, FloatArithmetic(stack)).prove(made.unit)


def test_the_arithmetic_of_a_float_model_overrides_every_method_of_that_of_the_reals() -> None:
    for own, real in ((FloatArithmetic, Reals), (FloatAttention, RealAttention)):
        assert {name for name in vars(real) if not name.startswith("_")} <= vars(own).keys()
