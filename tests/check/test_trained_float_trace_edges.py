"""Steps of traces, backwards and forwards: each term of what is said of them, worked out with rationals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from operator import mul
from random import Random
from typing import Any

import pytest

from proofs.check.checker.chapters.run_classes.reading import Format
from proofs.check.checker.chapters.trained.balls.precision import Undecided
from proofs.check.checker.chapters.trained.floats.backwards import MOST, SHORT, Backwards, GradientRows
from proofs.check.checker.chapters.trained.floats.traced_stack import nearby
from proofs.check.checker.chapters.trained.floats.traces import (
    NO_OUTPUTS,
    NormBack,
    Trace,
    TracedNorm,
    TraceStart,
    reaches,
)
from proofs.check.checker.chapters.trained.forms.affine import UNIT
from proofs.check.checker.chapters.trained.forms.passing import NormMaps
from proofs.check.checker.kernel.budget import Budget
from tests.check.test_trained_float_backwards import ONE, Slots, drawn, rows_of, slots_of
from tests.check.test_trained_float_operations import operations
from tests.check.test_trained_float_traces import start

COUNT = 2  # outputs
Met = list[tuple[Slots, list[int]]]


class Recorded(Backwards):
    """A way back that keeps what is met and how much is lost."""

    def __init__(self) -> None:
        super().__init__(Budget(10), COUNT, 1)
        self.met: Met = []
        self.all_lost = 0

    def meet(self, given: GradientRows, errors: Sequence[int]) -> GradientRows:
        self.met.append((slots_of(given, COUNT), [*errors]))
        return super().meet(given, errors)

    def lose(self, deviations: int) -> None:
        self.all_lost += deviations
        super().lose(deviations)


def times(weights: Sequence[int], slots: Slots, bits: int = SHORT) -> list[int]:
    """A sum of rows, each with its weight, rounded down."""
    return [sum(map(mul, weights, column)) >> bits for column in zip(*slots, strict=True)]


@pytest.mark.parametrize("gain", [None, [3 * ONE // 2, -ONE, ONE // 3]])
@pytest.mark.parametrize("shift", [0, 77])
def test_a_norm_backwards_is_its_derivative_and_what_is_off_is_met_on_the_way(gain: list[int] | None, shift: int
                                                                             ) -> None:
    nu, rho, pi = [5 * ONE // 2 + 7, -ONE // 7, ONE], 3 * ONE + 12345, ONE + 99
    step = NormBack(gain, rho, pi, nu, [5, 6, 7], shift, 10**7, 10**8, 400_000)
    on, slots = Recorded(), drawn(Random(shift), 3, COUNT, ONE)
    found = step.back(on, rows_of(slots))
    normed = slots if gain is None else [[x * g >> SHORT for x in row] for g, row in zip(gain, slots, strict=True)]
    total, along = times([1] * 3, normed, 0), times(nu, normed)
    assert on.met == [(slots, [5, 6, 7]), *([([total], [shift])] if shift else []), ([along], [10**7])]
    assert slots_of(found, COUNT) == [[rho * x - n * y - pi * z >> SHORT for x, y, z in zip(
        row, along, total, strict=True)] for n, row in zip(nu, normed, strict=True)]
    # a unit of what is along ν, of the rows at last, of what is along ν times the bow, and of rows times the gain
    lost = Fraction(max(map(abs, nu)) * 400_000, ONE) + 400_000 + 10**7 + (10**8 if gain else 0)
    assert lost <= on.all_lost <= lost + 400_000 * 2


def is_undecided(step: NormBack, size: int) -> bool:
    try:
        step.back(Recorded(), GradientRows([size] * len(step.nu), size))
    except Undecided:
        return True
    return False


def test_a_norm_backwards_is_undecided_where_a_slot_may_be_too_small() -> None:
    """What is met is looked at: a number of ones in binary is one less than what is said of it."""
    plain = NormBack(None, 0, 0, [0] * 4, [0] * 4, 0, 0, 0, 0)
    for nu, known in (([1 << 20] * 4, False), ([1 << 20] * 3 + [(1 << 20) - 1], True)):
        assert is_undecided(plain._replace(nu=nu), (1 << 40) - 1) != known
    nu = [ONE, 3 * ONE, 0, 0]
    rest = 2 * 4 * 1000 + 3 * ONE * 9  # rows are below 2, and what is along ν below 9, which is 2 times 4, and 1
    for rho, known in ((MOST - rest - 1 >> 1, True), (MOST - rest + 1 >> 1, False)):
        assert is_undecided(plain._replace(rho=rho, pi=1000, nu=nu), 1) != known


def test_rows_at_a_stream_may_be_off_by_two_units() -> None:
    """That is what is added to what its errors make of them."""
    stream, errors = Trace([0, 0], [1 << 50, 3 << 40], (), 1), [5, 6]
    for steps, own in (((), 1), ((TraceStart(errors),), 2 * 6 + 7 + 1)):
        found = reaches(Budget(1), stream._replace(steps=steps), [2 * ONE, -ONE << 64 | ONE], 2)
        assert found[0] == own + (((1 << 50) + (3 << 40)) >> SHORT - 1) + 1 and len(found) == 2


def test_gradients_that_do_not_fit_a_slot_are_undecided() -> None:
    along = nearby(Budget(1), start([0, 0], [0, 0])).along
    assert min(along([[MOST - 1, 0], [1 - MOST, 5]])) > 0
    for gradient in ([MOST, 0], [0, -MOST], [1 << 80, 1]):
        with pytest.raises(Undecided):
            along([[1, 2], gradient])


def root(x: Fraction) -> Fraction:
    return Fraction(isqrt((x.numerator << 240) // x.denominator), 1 << 120)


@pytest.mark.parametrize("kind", ["layer", "rms"])
@pytest.mark.parametrize("share", [Fraction(1, 1 << 20), Fraction(1, 50), Fraction(1, 5)])
@pytest.mark.parametrize(("scaled", "small"), [(True, 1), (False, 1), (True, 64)])
def test_a_norm_is_off_by_each_term_that_the_page_says(kind: str, share: Fraction, scaled: bool, small: int
                                                            ) -> None:
    """Of a stream off by a share of its deviation, in each coordinate another; the class is coarse."""
    fields: dict[str, Any] = {"softmax": Format(18, -60, 60)}
    one, d, epsilon, draw = operations(**fields), 4, Fraction(1, 50 * small**2), Random(str(share))
    x = [y // small for y in (3 * UNIT // 2, -UNIT, 2 * UNIT, UNIT // 3)]
    e = [int(share * UNIT / small * draw.uniform(0.5, 1)) for _ in x]
    gain, bias = ([3 * UNIT // 2, -3 * UNIT, UNIT // 3, UNIT], [UNIT, 0, -UNIT, 5]) if scaled else (None, None)
    maps = NormMaps(kind, epsilon, gain, bias, None)
    known, step, off = TracedNorm(one, maps).read(Trace(x, e, (TraceStart(e),), max(e)), NO_OUTPUTS, one.kept)
    mean = Fraction(sum(x), d) if kind == "layer" else Fraction(0)
    c = [a - mean for a in x]
    s = root(sum((a * a for a in c), Fraction(0)) / d + epsilon * UNIT**2)
    n = [a / s for a in c]
    own = sum(e)
    apart = [(e[k] * (d - 2) + own) / Fraction(d) if kind == "layer" else Fraction(e[k]) for k in range(d)]
    beta = sum((abs(a) * b for a, b in zip(n, e, strict=True)), Fraction(0)) / (d * s)
    w = root(sum((a * a for a in apart), Fraction(0)) / d) / s
    rise, fall = beta**2 / (1 - beta), w**2 / (2 * (1 - beta))
    bent, moved = (rise + fall) / 2, max(beta / (1 - beta), beta + fall)
    along = [a / root(d * s / UNIT) for a in n]  # ν
    mismatch = own * (3 + max(map(abs, along))) / ONE  # ρ, π and ν are off by less than two units, π by one more
    units = int(40 * mismatch) + 3000
    bow = bent * root(d * s / UNIT) * UNIT
    rest = [a / s * moved * UNIT + mismatch + bow / ONE + 2 * abs(b) * UNIT / s for a, b in zip(apart, n, strict=True)]
    centre = [a * (1 + (rise - fall) / 2) * UNIT for a in n]
    wide = [a / s * UNIT + abs(b) * (beta + bent) * UNIT + 2 * more for a, b, more in zip(apart, n, rest, strict=True)]

    def is_near(found: int, exact: Fraction, part: Fraction = Fraction(1, 1 << 14)) -> bool:
        return exact <= found <= exact * (1 + part) + units

    assert off == [] and is_near(step.bow, bow)
    assert step.before == own and abs(step.rho - ONE * UNIT / s) < 2 and 0 <= step.pi <= step.rho // d
    assert step.pi == (step.rho // d if kind == "layer" else 0)
    assert all(abs(a - b * ONE) <= 1 for a, b in zip(step.nu, along, strict=True))
    made, shift = one.norm_error(maps, [abs(a) + b for a, b in zip(x, e, strict=True)], [
        int(abs(a) + b) for a, b in zip(centre, wide, strict=True)], int(s * (1 - w)) + 1)
    assert is_near(step.shift, Fraction(shift)) and (shift > 0) == (kind == "layer")
    assert is_near(step.normed, sum(wide, Fraction(0)) + d * shift)
    made = [a + int(b) for a, b in zip(made, rest, strict=True)]
    one.gained(maps, [int(abs(a) + b) + shift for a, b in zip(centre, wide, strict=True)], made)
    wide = [a + shift for a in wide]
    made = [a + int(b / ONE) for a, b in zip(made, wide, strict=True)]
    factors = [Fraction(g, UNIT) for g in gain] if gain else [Fraction(1)] * d
    for k in range(d):
        number = centre[k] * factors[k] + (bias[k] if bias else 0)
        assert abs(known.numbers[k] - number) < 1000 + abs(number) * share / (1 << 20)
        reach = abs(factors[k]) * wide[k]
        kept, _ = one.kept([int(abs(number) + reach)], [made[k]])
        assert is_near(known.errors[k], Fraction(kept[0])) and step.errors == known.errors
        assert is_near(known.deviations[k], reach + kept[0])
