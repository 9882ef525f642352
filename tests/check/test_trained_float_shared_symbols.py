"""Symbols that tokens share, and rows times the deviation of a last norm: what runs compute is within what is said.

A mutant of each rule, with one term left out, is found wrong by the same comparison.
"""

from __future__ import annotations  # mutants are compiled so, too

import inspect
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from constructions.trained.json_form import network_from_json
from proofs.check.checker.chapters.float_models.reading import Format
from proofs.check.checker.chapters.trained.floats import scaled_rows, softmax
from proofs.check.checker.chapters.trained.floats.form_stack import FloatStack, make_row_maps
from proofs.check.checker.chapters.trained.floats.inputs import NetworkUnderModel
from proofs.check.checker.chapters.trained.floats.key_value_cache import CachedExecutions
from proofs.check.checker.chapters.trained.floats.shared_symbols import placed
from proofs.check.checker.chapters.trained.floats.softmax import SoftmaxOnForms
from proofs.check.checker.chapters.trained.reading.network import Scale
from proofs.check.checker.chapters.trained.zonotopes.affine import (
    UNIT,
    AffineForm,
    apply,
    known_by_sizes,
    promoted,
    spread,
    tighten,
    widened,
)
from proofs.check.checker.chapters.trained.zonotopes.packed_integers import pack, unpack
from proofs.check.checker.chapters.trained.zonotopes.scores import PathBounds, Vectors
from proofs.check.checker.kernel.budget import Budget
from proofs.enclosures.float_models.model import read_float_model
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.float_executions.execution import executions
from proofs.trained.forward import FloatNetwork
from tests.check.test_trained_float_scores import softmax as softmax_of
from tests.check.trained_corpus import BFLOAT16, BINARY32, float_executions
from tests.check.trained_networks import make_claim, make_network, parsed
from tests.trained.drawn_runs import DrawnRun

Array = NDArray[np.float64]
SYMBOLS, TOKENS, WIDTH = 5, 4, 3
FINEST = Format(60, -400, 400)


def form_of(centres: Array, generators: Array) -> AffineForm:
    """Return the form with these generators, one row for each coordinate."""
    rows = [[int(x * UNIT), *(int(g * UNIT) for g in those)] for x, those in zip(centres, generators, strict=True)]
    return AffineForm([pack(row) for row in rows], 1 + generators.shape[1], [1 + SYMBOLS] * len(rows),
                      [sum(map(abs, row)) + 1 + SYMBOLS for row in rows])


def vectors(form: AffineForm) -> Vectors:
    return Vectors(form, spread(Budget(1), form))


def distance(form: AffineForm, extra: list[int], at: Array, true: Array) -> float:
    """Return the greatest distance of true numbers from the form at these values of its first symbols, as a part of the
    bound: the other symbols, radii and ``extra``."""
    slots = np.array([unpack(row, form.slots) for row in form.rows], dtype=float) / UNIT
    said = slots[:, 0] + slots[:, 1:1 + len(at)] @ at
    bound = np.abs(slots[:, 1 + len(at):]).sum(1) + (np.array(form.radii) + np.array(extra)) / UNIT
    return float((np.abs(true - said) / bound).max())


def worst_of_attention(size: float) -> tuple[float, float]:
    """Return the greatest distances of scores and averages from their forms, in units of the bounds."""
    draw, worst = np.random.default_rng(7), [0.0, 0.0]
    fine = softmax_of(sums=FINEST, scores=FINEST)
    for number in range(12):
        centres = draw.normal(size=(1 + 2 * TOKENS, WIDTH))
        centres[1 + TOKENS:] *= number % 2  # for half of them values differ by their symbols only
        generators = draw.normal(size=(1 + 2 * TOKENS, WIDTH, SYMBOLS)) * size
        forms = [form_of(*one) for one in zip(centres, generators, strict=True)]
        keys, values = list(map(vectors, forms[1:1 + TOKENS])), list(map(vectors, forms[1 + TOKENS:]))
        scores = fine.scores(forms[0], keys, Scale(Fraction(1, 2), None), shared=True)
        stored = [PathBounds(x - reach, x + reach) for x, reach in zip(*known_by_sizes(scores), strict=True)]
        weighed = promoted(widened(scores, fine.exponents(stored, TOKENS)))
        average = fine.average(tighten(weighed, spread(Budget(1), weighed)), [one.known for one in values], TOKENS,
                               [one.form for one in values])
        for _ in range(40):
            at = draw.choice([-1.0, 1.0], SYMBOLS)
            query, *others = centres + generators @ at
            real = np.array(others[:TOKENS]) @ query / 2
            worst[0] = max(worst[0], distance(scores, [0] * TOKENS, at, real))
            weights = np.exp(real - real.max())
            worst[1] = max(worst[1], distance(average.form, average.made, at,
                                              weights @ np.array(others[TOKENS:]) / weights.sum()))
    return worst[0], worst[1]


def test_scores_and_averages_of_forms_that_share_symbols_are_within_their_forms() -> None:
    for size in (0.02, 0.1):
        scores, averages = worst_of_attention(size)
        assert 0.2 < scores <= 1 and 0.02 < averages <= 1


def mutated(module: Any, function: Any, *changes: tuple[str, str]) -> Any:
    """Return the function with some text replaced, in its module."""
    text = inspect.cleandoc("\n" + inspect.getsource(function))
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    names: dict[str, Any] = dict(vars(module))
    exec(compile(text, "mutant", "exec"), names)
    return names[function.__name__]


@pytest.mark.parametrize(("name", "old", "new", "which"), [
    ("scores", " + sum(map(mul, reaches, key.known.reaches))", "", 0),
    ("scores", "form = plus(form, self._of_keys(to_units(centres, -FRACTION, scale), keys))", "pass", 0),
    ("_rest", "sum(map(mul, found.times_ab, [reach for _, reach in column]))", "0", 1),
    ("_of_values", "kept = 2 * UNIT - (", "kept = 0 * (", 1)])
def test_a_rule_of_shared_symbols_without_a_term_is_wrong(name: str, old: str, new: str, which: int,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SoftmaxOnForms, name, mutated(softmax, getattr(SoftmaxOnForms, name), (old, new)))
    assert max(worst_of_attention(size)[which] for size in (0.1, 0.3)) > 1


@pytest.mark.parametrize("kept", [0, 2, 50])
def test_symbols_that_are_moved_and_merged_leave_every_vector_in_the_form(kept: int) -> None:
    """Symbols below ``start`` keep their slots; slots from there to ``base`` are empty; own ones come from there."""
    draw = np.random.default_rng(kept)
    centres, generators = draw.normal(size=WIDTH), draw.normal(size=(WIDTH, SYMBOLS))
    generators[:, 3] = 0
    found = placed(Budget(1), form_of(centres, generators), 3, 9, kept)
    slots = np.array([unpack(row, found.slots) for row in found.rows], dtype=float) / UNIT
    assert np.allclose(slots[:, :3], np.column_stack([centres, generators[:, :2]])) and not slots[:, 3:9].any()
    assert found.slots == 9 + min(kept, 2) + WIDTH and not any(found.radii)
    assert np.allclose(np.abs(slots[:, 9:]).sum(1), np.abs(generators[:, 2:]).sum(1))


def stack_of(kind: str, fields: dict[str, Any], seed: int = 3) -> tuple[FloatStack, dict[str, Any]]:
    document = make_network(kind, seed)
    given = parsed(float_executions(document, make_claim(), fields), Budget(1000))
    return NetworkUnderModel(Budget(10**4), given.network, given.floats[0]).forms, document


ROW = ((0, Fraction(1)), (1, Fraction(-1)))


def greatest_margin(stack: FloatStack, stream: AffineForm, is_above: Callable[..., bool] = scaled_rows.is_above,
                    sign: int = 1) -> float:
    """Return the greatest margin that is proved for the difference of the logits, within 2^-12."""
    row = make_row_maps(stack.budget, [tuple((token, sign * c) for token, c in ROW)], 2)
    low, high = -40 * UNIT, 40 * UNIT
    while high - low > UNIT >> 12:
        middle = (low + high) // 2
        low, high = (middle, high) if is_above(stack, row, stream, middle) else (low, middle)
    return low / UNIT


@pytest.mark.parametrize("kind", ["gpt2", "post", "bidirectional", "deep", "rotary"])
def test_rows_of_drawn_runs_are_above_what_is_proved_of_scaled_rows(kind: str) -> None:
    """And where errors are large more is proved than by the forms of logits."""
    stack, document = stack_of(kind, BFLOAT16)
    run = read_float_model("class", BFLOAT16)
    cast, word = cast_network(network_from_json(document, "it"), run), (2, 0, 1, 3)
    ((_, stream),) = CachedExecutions(stack, 0).attended(word, [3])
    low = greatest_margin(stack, stream)
    for number, way in enumerate(executions(run)[:4]):
        logits = DrawnRun(cast, run, way, np.random.default_rng(number)).logits(
            np.repeat([word], 25, 0), 0, np.array([3]))[:, 0]
        assert (logits[:, 0] - logits[:, 1] > low).all()
    (x,), (reach,) = spread(stack.budget, apply(stack.budget, make_row_maps(stack.budget, [ROW], 2),
                                                stack.finish(stream)))
    assert low > -40 and (kind not in ("deep", "rotary") or low > (x - reach) / UNIT)


CHANGES = {
    "the squares of deviations": (" + sum(map(mul, known.reaches, known.reaches))", ""),
    "the errors after the norm": (" - sum(map(abs, slots[len(sizes):]))", ""),
    "the constant": ("[rest * twice // (2 * d * t) >> FRACTION]", "[0]")}


def lowest_share(is_above: Callable[..., bool]) -> float:
    """Return the least of: the least row of a last norm on a wide form, minus the margin proved, over its distance from
    the middle."""
    draw, found = np.random.default_rng(5), []
    for kind, seed in (("gpt2", 1), ("gpt2", 2), ("rotary", 4)):
        stack, document = stack_of(kind, BINARY32, seed)
        network = network_from_json(document, "it")
        stack.stages[-1] = stack.stages[-1]._replace(after=stack.stages[-1].after[-1:])
        centres, generators = draw.normal(size=8), draw.normal(size=(8, SYMBOLS)) * 0.15
        at = np.vstack([np.zeros(SYMBOLS), draw.choice([-1.0, 1.0], (400, SYMBOLS))])
        logits = FloatNetwork(replace(network, steps=network.steps[-1:])).tail(centres + at @ generators.T)
        for sign in (1, -1):
            rows = sign * (logits[:, 0] - logits[:, 1])
            margin = greatest_margin(stack, form_of(centres, generators), is_above, sign)
            found.append((rows.min() - margin) / (rows[0] - rows.min()))
    return float(min(found))


def test_a_scaled_row_is_proved_near_its_least_value_and_not_beyond() -> None:
    assert 0 <= lowest_share(scaled_rows.is_above) < 0.3


@pytest.mark.parametrize("change", ["the squares of deviations", "the constant"])
def test_a_scaled_row_without_a_term_is_proved_beyond_its_least_value(change: str) -> None:
    assert lowest_share(mutated(scaled_rows, scaled_rows.is_above, CHANGES[change])) < 0
