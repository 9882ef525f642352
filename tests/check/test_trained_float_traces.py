"""Traces: whatever a stream is within its errors, what steps make of it is as near as is said, and not much nearer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import erf, exp, isqrt, pi, sqrt
from random import Random
from typing import Any

import numpy as np
import pytest

from proofs.check.checker.chapters.run_classes.reading import Format
from proofs.check.checker.chapters.trained.balls.activations import Activation
from proofs.check.checker.chapters.trained.balls.precision import Precision, Undecided
from proofs.check.checker.chapters.trained.floats.backwards import SHORT, make_back_map
from proofs.check.checker.chapters.trained.floats.operations import Operations
from proofs.check.checker.chapters.trained.floats.traced_stack import nearby
from proofs.check.checker.chapters.trained.floats.traced_steps import BITS, TracedUnits, bent_lines, outputs_of
from proofs.check.checker.chapters.trained.floats.traces import NO_OUTPUTS, Trace, TracedNorm, TraceStart
from proofs.check.checker.chapters.trained.forms.affine import UNIT
from proofs.check.checker.chapters.trained.forms.passing import NormMaps, UnitMaps, make_maps
from proofs.check.checker.chapters.trained.reading.dyadics import Matrix, Vector
from proofs.check.checker.chapters.trained.reading.network import Affine, Norm, UnitsStep
from proofs.check.checker.kernel.budget import Budget
from tests.check.test_trained_float_operations import operations

Numbers = list[Fraction]
EPSILON = Fraction(1, 1000)
EXACT: dict[str, Any] = dict.fromkeys(("storage", "inputs", "sums", "softmax", "scores", "weights"),
                                      Format(80, -400, 400)) | {"exp_ulp": Fraction(0)}


def exact() -> Operations:
    """Operations of runs that round to nearly nothing."""
    return operations(**EXACT)


def start(numbers: list[int], errors: list[int]) -> Trace:
    """A stream that is anything so near to these numbers."""
    return Trace(numbers, errors, (TraceStart(errors),), max(errors))


def root(x: Fraction) -> Fraction:
    return Fraction(isqrt((x.numerator << 240) // x.denominator), 1 << 120)


def normed(maps: NormMaps, x: Numbers) -> Numbers:
    """The norm with gain and bias, over the reals, in units."""
    mean = sum(x, Fraction(0)) / len(x) if maps.kind == "layer" else Fraction(0)
    c = [one - mean for one in x]
    s = root(sum((one * one for one in c), Fraction(0)) / len(x) / UNIT**2 + maps.epsilon)
    gain, bias = maps.gain or [UNIT] * len(x), maps.bias or [0] * len(x)
    return [one / s * g / UNIT + b for one, g, b in zip(c, gain, bias, strict=True)]


def corners(stream: Trace, slopes: Sequence[Sequence[Fraction]], draw: Random, more: int = 8) -> Iterator[Numbers]:
    """Streams at the ends of all errors: along these slopes, against them, and drawn ones."""
    signs = [[1 if one > 0 else -1 for one in row] for row in slopes]
    signs += [[-one for one in row] for row in signs]
    signs += [[draw.choice((-1, 0, 1)) for _ in stream.numbers] for _ in range(more)]
    for row in signs:
        yield [Fraction(x + s * e) for x, s, e in zip(stream.numbers, row, stream.deviations, strict=True)]


def slopes_of(maps: NormMaps, x: Numbers) -> list[Numbers]:
    """Of each coordinate of the norm its gradient."""
    found = []
    for k in range(len(x)):
        moved = [normed(maps, [one + (j == k) * UNIT // 1024 for j, one in enumerate(x)]),
                 normed(maps, [one - (j == k) * UNIT // 1024 for j, one in enumerate(x)])]
        found.append([a - b for a, b in zip(*moved, strict=True)])
    return [list(column) for column in zip(*found, strict=True)]


def widest(norm: TracedNorm, one: Operations, x: list[int], errors: list[int]) -> list[int]:
    """Errors as great as they may be in these proportions."""
    low, high = 0, 1 << 12
    while high - low > 1:
        middle = low + high >> 1
        try:
            norm.read(start(x, [error * middle >> 8 for error in errors]), NO_OUTPUTS, one.kept)
            low = middle
        except Undecided:
            high = middle
    return [error * low >> 8 for error in errors]


@pytest.mark.parametrize("kind", ["layer", "rms"])
@pytest.mark.parametrize("size", [0, 10, 24, 36, None])
def test_norms_of_all_streams_within_errors_are_as_near_as_is_said(kind: str, size: int | None) -> None:
    """Errors are up to 2^(size - 44), or such that what they make is nearly a quarter of the deviation."""
    draw, shares, shares_of_outputs, one = Random(f"{kind} {size}"), list[float](), list[float](), exact()
    for case in range(12):
        d = (2, 3, 6)[case % 3]
        scaled = case % 2
        gain = [draw.randrange(-2 * UNIT, 2 * UNIT) for _ in range(d)] if scaled else None
        bias = [draw.randrange(-2 * UNIT, 2 * UNIT) for _ in range(d)] if scaled else None
        norm = TracedNorm(one, maps := NormMaps(kind, EPSILON, gain, bias, None))
        x = [draw.randrange(-3 * UNIT, 3 * UNIT) + 2 * UNIT for _ in range(d)]
        x[-1] += UNIT * d
        sizes = [draw.randrange(1, UNIT // 8) if draw.random() < 0.7 else 0 for _ in range(d)]
        errors = [e >> 41 - size for e in sizes] if size is not None else widest(norm, one, x, [e + 1 for e in sizes])
        stream = start(x, errors)
        columns = [[draw.randrange(-2 * UNIT, 2 * UNIT) for _ in range(d)] for _ in range(2)]
        known, _, off = norm.read(stream, outputs_of(make_back_map(columns), 2), one.kept)
        behind = nearby(Budget(1), norm.pass_on(stream))
        slopes = slopes_of(maps, [Fraction(y) for y in x])
        of_outputs = [[sum((w * g for w, g in zip(column, row, strict=True)), Fraction(0))
                       for row in zip(*slopes, strict=True)] for column in columns]
        worst, worst_of_outputs = [0.0] * d, [0.0] * 2
        for corner in corners(stream, slopes + of_outputs, draw):
            apart = [y - n for y, n in zip(normed(maps, corner), known.numbers, strict=True)]
            for k in range(d):
                assert abs(apart[k]) <= min(behind.reaches[k], known.deviations[k])
                worst[k] = max(worst[k], float(abs(apart[k])))
            for k, column in enumerate(columns):
                moved = abs(sum((w * y for w, y in zip(column, apart, strict=True)), Fraction(0))) / UNIT
                assert moved <= off[k] + (sum(known.deviations) >> SHORT) + 1
                worst_of_outputs[k] = max(worst_of_outputs[k], float(moved))
        if d > 2:  # of two coordinates a norm knows little more than the sign of their difference
            shares.append(sum(behind.reaches) / sum(worst))
            shares_of_outputs.append(sum(off) / sum(worst_of_outputs))
            if size is not None:
                assert sum(behind.reaches) < sum(worst) * 1.03 + 3000 * d and sum(off) < sum(
                    worst_of_outputs) * 1.05 + 6000 * d
    if size is None:
        assert sum(shares) / len(shares) < 1.6 and sum(shares_of_outputs) / len(shares_of_outputs) < 2


def test_a_norm_is_undecided_where_errors_are_a_quarter_of_the_deviation_or_that_is_small() -> None:
    one = exact()
    norm = TracedNorm(one, NormMaps("rms", Fraction(1, 1 << 60), None, None, None))

    def read(x: list[int], errors: list[int]) -> Any:
        return norm.read(start(x, errors), NO_OUTPUTS, one.kept)

    assert read([UNIT, -UNIT], [UNIT // 4 - (UNIT >> 16)] * 2)  # s is 1
    with pytest.raises(Undecided):
        read([UNIT, -UNIT], [UNIT // 4] * 2)
    assert read([1 << 36, -(1 << 36)], [0, 0])
    with pytest.raises(Undecided):
        read([(1 << 36) - (1 << 10)] * 2, [0, 0])


def gelu(x: float) -> float:
    return x * (1 + erf(x / sqrt(2))) / 2


def ends(x: int, far: int) -> list[float]:
    return [(x + far * k / 8) / UNIT for k in range(-8, 9)]


@pytest.fixture(scope="module")
def units() -> TracedUnits:
    return units_of("gelu", None, exact())


def units_of(name: str, norm: Norm | None, one: Operations) -> TracedUnits:
    step = UnitsStep(norm, Affine(Matrix(((2, -1, 3), (1, 3, -2)), 3, -1), Vector((1, 2, 0), -1)), None, name,
                     Affine(Matrix(((1, 2), (-2, 1), (3, 3)), 2, -1), Vector((0, 1), -1)))
    maps = make_maps(Budget(10), step)
    assert isinstance(maps, UnitMaps)
    return TracedUnits(one, maps, Activation(name, Precision(0), Budget(10), 1 << 6))


@pytest.mark.parametrize("far", [0, 1, 1 << 20, UNIT >> 8, UNIT >> 4, UNIT >> 2, UNIT, 3 * UNIT])
def test_gelu_is_as_near_to_its_line_as_is_said(far: int, units: TracedUnits) -> None:
    """At each sign of its second derivative, and where that changes."""
    draw, shares = Random(far), list[float]()
    places = [0, UNIT, -UNIT, 5 * UNIT // 4, 6 * UNIT // 4, -6 * UNIT // 4, 3 * UNIT // 2 + far, 5 * UNIT // 4 - far]
    places += [draw.randrange(-4 * UNIT, 4 * UNIT) for _ in range(30)]
    found, slopes, rest = units._lines(places, [far] * len(places))
    for x, line, slope, off in zip(places, found, slopes, rest, strict=True):
        worst = max(abs(gelu(y) * UNIT - line - slope * (y * UNIT - x) / (1 << BITS)) for y in ends(x, far))
        assert worst <= off + 1
        assert abs(slope / (1 << BITS) - (1 + erf(x / UNIT / sqrt(2))) / 2 - x / UNIT * exp(
            -x * x / UNIT**2 / 2) / sqrt(2 * pi)) < 1e-4
        shares.append(off / max(worst, 1))
    if far >= UNIT >> 4:
        assert sum(shares) / len(shares) < (2.5 if far < UNIT else 12)
    small = [off for x, off in zip(places, rest, strict=True) if abs(x) < UNIT]
    assert far > 1 or max(small) < UNIT >> 18


@pytest.mark.parametrize("far", [0, 1, 5, 12345, UNIT // 3])
def test_relu_is_as_near_to_its_chord_as_is_said(far: int) -> None:
    """A chord where its sign is not known, with half of what is between on each side."""
    draw = Random(far)
    places = [0, far, -far, far - 1, 1 - far, far + 1, far // 2]
    places += [draw.randrange(-far - 9, far + 9) for _ in range(20)]
    for x, line, slope, off in zip(places, *bent_lines(places, [far] * len(places)), strict=True):
        seen = [max(y, 0) - line - Fraction(slope * (y - x), 1 << BITS) for y in {x - far, x + far, max(x - far, min(
            0, x + far))}]
        assert max(map(abs, seen)) <= off <= max(map(abs, seen)) + 6 + (far >> BITS - 2)
        if abs(x) >= far:
            assert (line, slope, off) == (max(x, 0), (x > 0) << BITS, 0)
        else:
            assert slope == ((x + far) << BITS) // (2 * far)
            assert off <= Fraction((far - x) * (far + x), 4 * far) + 6 + (far >> BITS - 2)


@pytest.mark.parametrize("name", ["gelu", "relu"])
@pytest.mark.parametrize("kind", ["layer", "rms", ""])
def test_steps_of_units_are_as_near_as_is_said(name: str, kind: str) -> None:
    norm = Norm(kind, EPSILON, Vector((3, 2), -1), Vector((1, -1), -2)) if kind else None
    one, shares, draw = exact(), list[float](), Random(name + kind)
    step, act = units_of(name, norm, one), gelu if name == "gelu" else (lambda x: max(x, 0.0))
    inward, outward = np.array([[2, -1, 3], [1, 3, -2]]) / 2, np.array([[1, 2], [-2, 1], [3, 3]]) / 2

    def value(x: Any) -> Any:
        read = x
        if kind:
            c = x - x.mean() if kind == "layer" else x
            read = c / np.sqrt((c * c).mean() + float(EPSILON)) * np.array([1.5, 1.0]) + np.array([0.25, -0.25])
        return x + np.array([act(y) for y in read @ inward + np.array([0.5, 1.0, 0.0])]) @ outward + np.array([0, 0.5])

    for case in range(12):
        size = (UNIT >> 16, UNIT >> 10, UNIT >> 6)[case % 3]
        x = [draw.randrange(-2 * UNIT, 2 * UNIT), draw.randrange(2 * UNIT, 4 * UNIT)]
        stream = start(x, [draw.randrange(size), draw.randrange(size)])
        found = step.pass_on(stream)
        near = nearby(Budget(1), found)
        gradient = [draw.randrange(-1 << 26, 1 << 26) for _ in x]
        along, worst = near.along([gradient])[0], np.zeros(3)
        for signs in product((-1, 0, 1), repeat=2):
            corner = np.array(x) + np.array(signs) * np.array(stream.deviations)
            apart = value(corner / UNIT) * UNIT - np.array(found.numbers)
            seen = np.abs([*apart, apart @ np.array(gradient) / 2**26])
            assert (seen <= np.array([*near.reaches, along]) + 64).all()
            assert (seen[:2] <= np.array(found.deviations) + 64).all()
            worst = np.maximum(worst, seen)
        shares.append(float(np.max(np.array([*near.reaches, along])[worst > UNIT >> 20] / worst[worst > UNIT >> 20],
                                   initial=1)))
    assert sum(shares) / len(shares) < 2.5


def test_units_that_are_not_traced_are_undecided() -> None:
    with pytest.raises(Undecided):
        units_of("tanh", None, exact())
