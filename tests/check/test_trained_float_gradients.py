"""Rows along their gradients: no run, and no error as large as is allowed, makes a row less than the checker proves."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import erf, exp, pi, sqrt
from typing import Any

import numpy as np
import pytest

from proofs.check.checker.chapters.trained.balls.activations import Activation
from proofs.check.checker.chapters.trained.balls.exact import after_norm, linear
from proofs.check.checker.chapters.trained.balls.precision import Logits, Precision, Undecided
from proofs.check.checker.chapters.trained.floats import proof
from proofs.check.checker.chapters.trained.floats.ball_stack import RowsOnBalls
from proofs.check.checker.chapters.trained.floats.gradients import CURVES, NormStepGradients, UnitsGradients
from proofs.check.checker.chapters.trained.reading.network import AttentionStep, NormStep
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Rejected
from tests.check.test_trained_float_balls import CLASSES, FINE, WORD, drawn_rows, given_of
from tests.check.trained_corpus import BINARY32, float_runs
from tests.check.trained_networks import Weights, make_claim, refusal_of

ONE, EPSILON = 1 << 26, 1e-5
FINER = FINE | dict.fromkeys(("storage", "inputs"), "float(20,-60,60)")
KINDS = {"layer": ("layer", 1), "rms": ("rms", 1), "two": ("layer", 2), "none": ("rms", 0), "relu": ("rms", 1),
         "after": ("layer", 1)}
"""Norms, and how many steps of units there are; `after`: they are between norms, and read what these make."""


LEAST: dict[str, list[int | None]] = {
    "layer": [566128394, 575955322, 602041828, 597373107, 597373107, 409978887, 157657775, 140621610, 297623520,
              604154886, 308561121],
    "rms": [162164186, 169131288, 193921487, 189638092, 189638092, 45862771, 15886793, 2653275, -45669376, 196558480,
            -41389920],
    "two": [513423296, 514380543, 531425966, 528972964, 528972964, 422787306, 191177560, 175062746, 329037210,
            532359138, 336485401],
    "none": [-591283284, -581131273, -559322050, -563154139, -563154139, -671798523, -686647323, -694689627,
             -722068809, -556276717, -709308839],
    "relu": [163939884, 170733472, 193931035, 189834568, 189834568, 59810638, 40669866, 30208337, -6423876, 196478128,
             -7044059],
    "after": [369336520, 377407682, 403300101, 398922279, 398922279, 229568930, 20431696, 7485537, 134061829,
              405288215, 140056524]}
"""Of each network, class by class, what its rows are proved to be above, all in all, in units of 2^-26."""


def network_of(kind: str) -> dict[str, Any]:
    """Attention, so many steps of `gelu` (or `relu`), and a norm, of this kind all of them."""
    w, d, (norm, steps) = Weights(5), 8, KINDS[kind]
    is_after, activation = kind == "after", "relu" if kind == "relu" else "gelu"
    return w.network(4, d, 12, [w.attention(d, 2, w.norm(d, norm), 12),
                                *({"step": "norm", "norm": w.norm(d, norm)} for _ in range(is_after)),
                                *(w.units(d, 12, None if is_after else w.norm(d, norm), activation)
                                  for _ in range(steps)),
                                {"step": "norm", "norm": w.norm(d, norm)}], True, 2)


def act(name: object, y: float) -> float:
    return max(0.0, y) if name == "relu" else y * (1 + erf(y / sqrt(2))) / 2


def slope(name: object, y: float) -> float:
    return float(y > 0) if name == "relu" else (
        (1 + erf(y / sqrt(2))) / 2 + y * exp(-y * y / 2) / sqrt(2 * pi))


def known_of(kind: str, fields: dict[str, Any], margin: Fraction = Fraction(0)) -> tuple[RowsOnBalls, Logits]:
    """The rows of a network in a class of runs, and what is known of the word."""
    given = given_of(network_of(kind), fields)
    given = replace(given, claim=replace(given.claim, margin=margin))
    prover = proof.ProverOfRuns(given, given.floats[0])
    found = prover._runner(1, 1, 4).logits(0, WORD, [len(WORD) - 1])[len(WORD) - 1]
    known = prover._rows.balls.stacks.at(0).rows
    assert isinstance(known, RowsOnBalls)
    return known, found


def proved(known: RowsOnBalls, logits: Logits, row: int) -> int:
    """The greatest number that the row is proved to be above, along its gradient."""
    gradients, off = known._gradients, known._off(logits)
    assert gradients is not None
    kept, low, high = gradients._rows[row], -64 * ONE, 64 * ONE
    while high - low > 1:
        middle = (low + high) // 2
        gradients._rows[row] = kept._replace(constant=kept.constant - middle)  # type: ignore[index]
        off_row = sum(abs(c) * off[place] for place, c in known._forms[row])
        above = gradients.follow(row, logits, off_row).least(26) > 0
        low, high = (middle, high) if above else (low, middle)
    gradients._rows[row] = kept  # type: ignore[index]
    return low


def test_curves_are_above_the_second_derivative_and_slopes_near_the_first_one() -> None:
    for k, curve in enumerate(CURVES):
        seen = max(abs(exp(-x * x / 2) / sqrt(2 * pi) * (2 - x * x)) for x in (k / 4 + j / 500 for j in range(3000)))
        assert 0 <= curve / 1000 - seen <= 1 / 999
    activation = Activation("gelu", Precision(0), Budget(1))
    numbers = [int(x) for x in np.random.default_rng(0).integers(-6 * ONE, 6 * ONE, 500)]
    for x, slope in zip(numbers, activation.slopes(numbers), strict=True):
        y = x / ONE
        assert abs(slope - ONE * ((1 + erf(y / sqrt(2))) / 2 + y * exp(-y * y / 2) / sqrt(2 * pi))) <= (
            activation.slope_error)
    assert activation.slope_error < ONE >> 15


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [name for name in CLASSES if name != "bfloat16"])
def test_rows_of_drawn_runs_are_above_what_is_proved_along_gradients(kind: str, name: str) -> None:
    known, logits = known_of(kind, CLASSES[name])
    drawn = drawn_rows(network_of(kind), CLASSES[name], WORD)
    for row in range(3):
        assert proved(known, logits, row) < drawn[:, row].min()


def arrays(given: Any) -> tuple[Any, Any]:
    """The weight and the bias of an exact map."""
    weight = np.array(given.weight.rows, dtype=float) * 2.0**given.weight.power
    return weight, np.array(given.bias.entries, dtype=float) * 2.0**given.bias.power


class Pushed:
    """The last steps over the reals, where each vector is moved by as much as it may be off, against the row."""

    def __init__(self, kind: str, fields: dict[str, Any], row: int) -> None:
        self.known, self.logits = known_of(kind, fields)
        given = given_of(network_of(kind), fields)
        network = proof.ProverOfRuns(given, given.floats[0])._stack.network
        self.layer, last = KINDS[kind][0] == "layer", network.steps[-1].norm
        self.steps = [step for step in network.steps[:-1] if not isinstance(step, AttentionStep)]
        assert last is not None
        weight, bias = arrays(after_norm(last, linear(network.unembedding)))
        coefficients = np.zeros(2)
        for place, c in self.known._forms[row]:
            coefficients[place] = c
        self.omega, self.beta = weight @ coefficients, float(bias @ coefficients)

    def normed(self, x: Any) -> tuple[Any, float]:
        """The norm, and s."""
        c = x - x.mean() if self.layer else x
        s = float(np.sqrt((c * c).mean() + EPSILON))
        return c / s, s

    def value(self, x: Any) -> float:
        return float(self.omega @ self.normed(x)[0]) + self.beta

    def worst(self, sides: tuple[int, ...]) -> tuple[float, float]:
        """The row, and the row when all is moved: from which side on is told for each place."""
        gradients = self.known._gradients
        assert gradients is not None
        plain = self.value(np.array(self.logits.stream[0]) / ONE)
        x, e, side = None, 0, iter(sides)
        pushes = self._directions()
        for step, passed, made, (g, kappa, gamma, before) in zip(
                self.steps, self.logits.passed, gradients._steps, pushes, strict=True):
            (start, e), (_, e_read), (_, e_inner), hidden = passed
            if x is None:
                x = np.array(start) / ONE - next(side) * e / ONE * before / np.linalg.norm(before)
            if isinstance(step, NormStep):
                assert isinstance(made, NormStepGradients)
                gain, bias = self._scales(step)
                x = self.normed(x)[0] * gain + bias - next(side) * made._off / ONE * g / np.linalg.norm(g)
                continue
            assert isinstance(made, UnitsGradients)
            (w, b), (w_out, b_out) = arrays(after_norm(step.norm, linear(step.inward))), arrays(linear(step.outward))
            inner = (self.normed(x)[0] if step.norm else x) @ w + b
            inner -= next(side) * (e_inner - made._in.error(e_read)) / ONE * kappa / np.linalg.norm(kappa)
            units = np.array([act(step.activation, y) for y in inner])
            units -= next(side) * (hidden - made._activation.spread(e_inner)) / ONE * gamma / np.linalg.norm(gamma)
            after = self._after(passed)
            x = x + units @ w_out + b_out
            x -= next(side) * (after - e - made._out.error(hidden)) / ONE * g / np.linalg.norm(g)
        if x is None:
            (start, e), g = self.logits.stream, self.omega
            x = np.array(start) / ONE - next(side) * e / ONE * self._tangent(np.array(start) / ONE)
        return plain, self.value(x)

    @staticmethod
    def _scales(step: NormStep) -> tuple[Any, Any]:
        """Gain and bias."""
        gain, bias = step.norm.gain, step.norm.bias
        assert gain and bias
        return np.array(gain.entries) * 2.0**gain.power, np.array(bias.entries) * 2.0**bias.power

    def _after(self, passed: Any) -> int:
        streams = [*(one.before for one in self.logits.passed[1:]), self.logits.stream]
        return streams[[*self.logits.passed].index(passed)][1]

    def _tangent(self, x: Any) -> Any:
        n, _ = self.normed(x)
        omega = self.omega - self.omega.mean() if self.layer else self.omega
        found = omega - (omega @ n) * n / len(n)
        return found / np.linalg.norm(found)

    def _directions(self) -> list[tuple[Any, Any, Any, Any]]:
        """The gradients after each step, at its units before and after the activation, and before it."""
        n, s = self.normed(np.array(self.logits.stream[0]) / ONE)
        omega = self.omega - self.omega.mean() if self.layer else self.omega
        g, found = (omega - (omega @ n) * n / len(n)) / s, list[tuple[Any, Any, Any, Any]]()
        for step, passed in zip(reversed(self.steps), reversed(self.logits.passed), strict=True):
            if isinstance(step, NormStep):
                before = self._before_norm(g * self._scales(step)[0], passed)
                found.insert(0, (g, None, None, before))
                g = before
                continue
            (w, _), (w_out, _) = arrays(after_norm(step.norm, linear(step.inward))), arrays(linear(step.outward))
            gamma, inner = w_out @ g, np.array(passed.inner[0]) / ONE
            kappa = gamma * [slope(step.activation, y) for y in inner]
            before = g + (self._before_norm(w @ kappa, passed) if step.norm else w @ kappa)
            found.insert(0, (g, kappa, gamma, before))
            g = before
        return found

    def _before_norm(self, nu: Any, passed: Any) -> Any:
        n, s = self.normed(np.array(passed.before[0]) / ONE)
        nu = nu - nu.mean() if self.layer else nu
        return (nu - (nu @ n) * n / len(n)) / s

    def roundings(self, row: int) -> float:
        """How far roundings of logits, and of what they are made from, may move the row beside that."""
        gradients, off = self.known._gradients, self.known._off(self.logits)
        assert gradients is not None
        return (sum(abs(c) * off[place] for place, c in self.known._forms[row])
                + gradients._rows[row].length * gradients._more / ONE) / ONE


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("fields", "least"), [(FINER, 0.88), (CLASSES["storage"], 0.5)])
def test_errors_as_large_as_is_allowed_do_not_pass_the_bound_and_use_much_of_it(
        kind: str, fields: dict[str, Any], least: float) -> None:
    """All that may be off is moved at once, each time by as much as it may be, to each side along the gradient."""
    for row in range(3):
        pushed = Pushed(kind, fields, row)
        bound, roundings, used = proved(pushed.known, pushed.logits, row) / ONE, pushed.roundings(row), list[float]()
        for sides in product((1, -1), repeat=1 + sum(1 if isinstance(step, NormStep) else 3 for step in pushed.steps)):
            plain, moved = pushed.worst(sides)
            assert moved - roundings > bound
            used.append((plain - moved + roundings) / (plain - bound))
        assert max(used) > least


@pytest.mark.parametrize("kind", KINDS)
def test_each_loss_is_in_the_bound_and_it_is_as_near_as_it_was(kind: str) -> None:
    """A loss that is left out changes a number; so does a looser bound."""
    found = []
    for name in CLASSES:
        known, logits = known_of(kind, CLASSES[name])
        assert known._gradients is not None or name == "bfloat16"
        found.append(sum(proved(known, logits, row) for row in range(3)) if known._gradients else None)
    assert found == LEAST[kind]


def test_a_norm_of_numbers_that_are_all_alike_is_refused_in_one_line() -> None:
    """Its s is less than a unit."""
    w, d = Weights(3), 24
    head = {"query": w.affine(d, 2), "key": w.affine(d, 2), "value": {"weight": w.view([[0.0] * 2] * d), "bias": None},
            "out": w.matrix(2, d), "slope": None}
    attention = {"step": "attention", "norm": None, "heads": [head], "bias": None, "scale": {"root": 2}, "rotary": None}
    norm = {"kind": "layer", "epsilon": f"1/{2**53}", "gain": None, "bias": None}
    network = network_of("none") | {
        "tokens": w.view([[1.0] * d] * 4), "positions": None, "steps": [attention, {"step": "norm", "norm": norm}],
        "unembedding": {"weight": w.matrix(d, 2), "bias": w.view([1.0, 0.0])}, "tensors": w.tensors}
    claim = make_claim(max_n=1, cases=[{"when": {"formula": "true"}, "above": [[[0, "1"], [1, "-1"]]]}])
    assert refusal_of(float_runs(network, claim, BINARY32)) is Rejected


def test_gradients_longer_than_64_and_norms_whose_s_may_be_too_small_are_left_out() -> None:
    known, logits = known_of("rms", CLASSES["binary32"])
    gradients, (before, *_) = known._gradients, logits.passed[0]
    assert gradients is not None
    kept, step = gradients._rows[0], gradients._steps[0]
    assert isinstance(step, UnitsGradients) and step._norm is not None
    gradients._rows[0] = kept._replace(gradient=[1000 * g for g in kept.gradient])  # type: ignore[index]
    with pytest.raises(Undecided):
        gradients.follow(0, logits, 0)
    wide, _, s = step._norm.find((before[0], 0))[0]
    least = 2 * (s - 2) - wide  # the root of 8, the width, is cut off to 2
    assert step._norm.back([0] * 8, (before[0], least - 1))
    with pytest.raises(Undecided):
        step._norm.back([0] * 8, (before[0], least))


def test_units_are_as_bent_as_they_may_be_where_they_may_be() -> None:
    """Where they bend up, nothing is lost if the sign is against it; a unit is as near to 0 as its error allows."""
    known, _ = known_of("rms", CLASSES["binary32"])
    assert known._gradients is not None
    step, rest, units = known._gradients._steps[0], ONE // 64, 12
    assert isinstance(step, UnitsGradients)
    for turn, curve in ((5, CURVES[5]), (6, 0)):
        inner = [0] * (units - 1) + [turn * ONE // 4 + rest + 1]
        exact = curve * rest**2 / 2000
        assert exact <= step._curved([0] * (units - 1) + [-ONE], inner, 0, rest) <= 1.001 * exact + 1
        nearer = [x - 1 for x in inner]
        assert step._curved([0] * (units - 1) + [-ONE], nearer, 0, rest) >= CURVES[turn - 1] * rest**2 / 2000
    for quarters, curve in ((9, 98), (36, 2)):
        found = step._curved([ONE] * units, [quarters * ONE // 4 + rest + 1] * units, 0, rest)
        assert curve <= found * 2000 / rest**2 <= curve * 1.001


def test_relu_is_above_its_tangent_by_what_a_number_may_be_beyond_0() -> None:
    known, _ = known_of("relu", CLASSES["binary32"])
    assert known._gradients is not None
    step, e, rest = known._gradients._steps[0], ONE // 8, 7
    assert isinstance(step, UnitsGradients)
    moved = [(column * e >> 32) + 1 + rest for column in step._columns]
    for share, beyond in ((-2, 0), (-1, 0), (-1 / 2, 1), (0, 2), (1 / 2, 1), (1, 0), (2, 0)):
        inner = [int(share * most) for most in moved]
        for g in (-3, 0, 5):
            ends = [(x, x - most if x > 0 else x + most) for x, most in zip(inner, moved, strict=True)]
            exact = sum(max(0, -g * (max(0, y) - max(0, x) - (y - x if x > 0 else 0))) for x, y in ends)
            found = step._bent([g] * len(inner), inner, e, rest)
            assert 0 <= found - exact <= 20 and (exact > 0) == (g < 0 and beyond > 0)


def test_no_other_units_than_gelu_and_relu_are_followed_backwards() -> None:
    w, d = Weights(5), 8
    network = w.network(4, d, 12, [w.attention(d, 2, w.norm(d, "layer"), 12),
                                   w.units(d, 12, w.norm(d, "layer"), "tanh"),
                                   {"step": "norm", "norm": w.norm(d, "layer")}], True, 2)
    given = given_of(network, CLASSES["binary32"])
    known = proof.ProverOfRuns(given, given.floats[0])._rows.balls.stacks.at(0).rows
    assert isinstance(known, RowsOnBalls) and known._gradients is None


def test_a_row_must_be_above_the_margin() -> None:
    """What it is proved to be above is told beside the margin, three times that where a row is multiplied by 3."""
    plain, half = (known_of("two", CLASSES["binary32"], margin) for margin in (Fraction(0), Fraction(1, 2)))
    for row, times in enumerate((1, 1, 3)):
        assert abs(proved(*plain, row) - proved(*half, row) - times * ONE // 2) <= 2
