"""Roundings of numbers in float executions: each is within its form, and no error may be left out."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from constructions.trained.network import Rounding
from proofs.check import Rejected
from proofs.check.checker.chapters.trained.floats import rounded_units
from proofs.check.checker.chapters.trained.floats.operations import Operations
from proofs.check.checker.chapters.trained.floats.rounded_units import RounderOfRuns
from proofs.check.checker.chapters.trained.reading.network import Rounding as RoundingOfChecker
from proofs.check.checker.chapters.trained.zonotopes.affine import spread
from proofs.check.checker.kernel.budget import Budget
from tests.check.test_trained_float_executions import COARSE, RUNS, emulated, point, run_of, used
from tests.check.trained_networks import make_network

FIELDS = COARSE | {"storage": "float(11,-60,60)", "softmax": "float(11,-60,60)", "sums": "float(11,-60,60)"}
SCALE = Rounding(-90, 100, Fraction(1663, 1 << 16), 20)
WAYS = {"scale": SCALE, "token": Rounding(0, 120, range="token"), "input": Rounding(0, 120, range="input")}


def most_used(way: str, size: float = 2.0) -> float:
    """Return the greatest error of drawn runs, for two tokens of six numbers, relative to the checker's bound."""
    how, draw, worst = WAYS[way], np.random.default_rng(7), 0.0
    operations, emulation = Operations(Budget(100), run_of(FIELDS)), emulated(make_network("rms"), FIELDS, draw)
    asked = RoundingOfChecker(how.scale, how.zero, how.least, how.greatest, how.range == "input")
    for _ in range(60):
        given = emulation.rounded(draw.normal(size=(1, 2, 6)) * size, emulation.run.storage)
        found = RounderOfRuns(asked, operations).of_forms([point(x) for x in given[0]])
        seen = np.concatenate([emulation._stepped(how, given) for _ in range(RUNS // 4)])
        for k, one in enumerate(found):
            worst = max(worst, used(spread(Budget(1), operations.stored(*one)), seen[:, k]))
    return worst


@pytest.mark.parametrize("way", WAYS)
def test_rounded_numbers_of_drawn_runs_are_within_their_forms(way: str) -> None:
    assert 0.5 < most_used(way) <= 1


def nothing(self: Any, *given: Any) -> Any:
    return [0] * len(given[0])


@pytest.mark.parametrize(("way", "left_out"), [
    ("scale", "_moved"), ("scale", "_stored"), ("token", "_moved"), ("input", "_moved"), ("token", "_stored")])
def test_no_error_of_a_rounding_may_be_left_out(way: str, left_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RounderOfRuns, left_out, nothing if left_out == "_moved" else lambda self, x: (x, nothing(
        self, x.rows)))
    if way == "token" and left_out == "_stored":  # the error of the scale is as large
        monkeypatch.setattr(rounded_units, "times", lambda factor, size: 0)
    assert most_used(way) > 1


def test_ranges_of_which_too_little_is_known_are_refused() -> None:
    for size in (0.0, 2.0**-58):
        with pytest.raises(Rejected, match="a range of numbers to round"):
            most_used("token", size)
