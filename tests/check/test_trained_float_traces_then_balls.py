"""A stream that is a trace, and balls behind it: no stream that is so near makes a row less than is proved."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import erf, sqrt
from typing import Any

import numpy as np
import pytest

from proofs.check import Rejected
from proofs.check.checker.chapters.trained.balls.exact import after_norm, linear
from proofs.check.checker.chapters.trained.balls.precision import Undecided
from proofs.check.checker.chapters.trained.floats import proof
from proofs.check.checker.chapters.trained.floats.ball_stack import Nearby, RowsOnBalls, StackOnBalls
from proofs.check.checker.chapters.trained.floats.traced_stack import nearby
from proofs.check.checker.chapters.trained.floats.traces import Trace, TraceStart
from proofs.check.checker.chapters.trained.forms.affine import AffineForm
from proofs.check.checker.chapters.trained.reading.network import UnitsStep
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import quote
from proofs.checking.parts import find_unproved_floats
from tests.check.test_trained_float_balls import CLASSES, FINE, WORD, drawn_rows, given_of
from tests.check.test_trained_float_gradients import EPSILON, ONE, arrays, network_of
from tests.check.trained_corpus import float_runs
from tests.check.trained_networks import Weights, make_claim, parsed

UNIT = 1 << 44


class Behind:
    """A network, its stream behind the last attention as a trace, and what is proved of rows from there."""

    def __init__(self, kind: str, fields: dict[str, Any]) -> None:
        given = given_of(network_of(kind), fields)
        prover = proof.ProverOfRuns(given, given.floats[0])
        walk = prover._rows.walks(1).traces
        assert walk is not None
        ((_, stream),) = walk.attended(WORD, [len(WORD) - 1])
        self.near = nearby(Budget(1), stream)
        stack = prover._rows.balls.stacks.at(0)
        assert isinstance(stack, StackOnBalls) and isinstance(stack.rows, RowsOnBalls)
        self.stack, self.rows, self.network = stack, stack.rows, prover._stack.network

    def proved(self, row: int, near: Nearby | None = None) -> int:
        """The greatest number that a row is proved to be above, in units of 2^-26."""
        gradients = self.rows._gradients
        assert gradients is not None
        kept, least, low, high = gradients._rows[row], self.rows.least[row], -64 * ONE, 64 * ONE
        while high - low > 1:
            middle = (low + high) // 2
            gradients._rows[row] = kept._replace(constant=kept.constant - middle)  # type: ignore[index]
            self.rows.least[row] = 1 << 40  # so that errors do not prove it
            above = self.stack.proves(near or self.near, [row])
            low, high = (middle, high) if above else (low, middle)
        gradients._rows[row], self.rows.least[row] = kept, least  # type: ignore[index]
        return low

    def value(self, x: Any, row: int) -> float:
        """The row of a stream, over the reals."""
        for step in self.network.steps:
            if isinstance(step, UnitsStep):
                w, b = arrays(after_norm(step.norm, linear(step.inward)))
                w_out, b_out = arrays(linear(step.outward))
                inner = normed(x) @ w + b
                x = x + inner * (1 + np.array([erf(y / sqrt(2)) for y in inner])) / 2 @ w_out + b_out
        weight, bias = arrays(after_norm(self.network.steps[-1].norm, linear(self.network.unembedding)))
        logits = normed(x) @ weight + bias
        return float(sum(c * logits[place] for place, c in self.rows._forms[row]))

    def worst(self, row: int) -> float:
        """The row where the stream is as far off along its gradient as it may be, to first order."""
        x = np.array(self.near.numbers) / UNIT
        slope = [(self.value(x + step, row) - self.value(x - step, row)) / 2e-6 for step in np.eye(len(x)) / 1e6]
        return self.value(x, row) - self.near.along([[round(one * ONE) for one in slope]])[0] / UNIT


def normed(x: Any) -> Any:
    c = x - x.mean()
    return c / np.sqrt((c * c).mean() + EPSILON)


ROUGH = FINE | {"storage": "float(12,-60,60)", "inputs": "float(12,-60,60)"}


@pytest.mark.parametrize("kind", ["layer", "two"])
def test_what_is_proved_behind_a_trace_is_below_its_worst_stream_and_not_much(kind: str) -> None:
    behind = Behind(kind, ROUGH)
    for row in range(3):
        plain = behind.value(np.array(behind.near.numbers) / UNIT, row)
        worst, proved = behind.worst(row), behind.proved(row) / ONE
        assert proved < worst < plain and plain - proved < 4 * (plain - worst)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["layer", "two", "none"])
@pytest.mark.parametrize("name", [name for name in CLASSES if name != "bfloat16"])
def test_rows_of_drawn_runs_are_above_what_is_proved_behind_traces(kind: str, name: str) -> None:
    behind, drawn = Behind(kind, CLASSES[name]), drawn_rows(network_of(kind), CLASSES[name], WORD)
    for row in range(3):
        assert behind.proved(row) < drawn[:, row].min()


def points(behind: Behind) -> tuple[Nearby, Nearby]:
    """The numbers, in those of balls; and the first of them off by 2^-10."""
    centre, size = [x >> 26 << 26 for x in behind.near.numbers], UNIT >> 10
    traces = [Trace(centre, errors, (TraceStart(errors),), size) for errors in (
        [0] * len(centre), [size, *[0] * (len(centre) - 1)])]
    plain, other = (nearby(Budget(1), trace) for trace in traces)
    return plain, other


def test_how_far_a_stream_may_be_off_counts() -> None:
    behind = Behind("layer", FINE)
    plain, other = points(behind)
    x = np.array(plain.numbers) / UNIT
    slope = abs(behind.value(x + np.eye(len(x))[0] / 2**10, 0) - behind.value(x, 0))
    assert behind.proved(0, plain) - behind.proved(0, other) > 0.9 * slope * ONE


def test_a_stream_beyond_the_bound_of_all_words_is_left_to_forms() -> None:
    behind = Behind("none", FINE)
    plain, _ = points(behind)
    with pytest.raises(Undecided):
        behind.stack.proves(plain._replace(numbers=[1 << 55] * len(plain.numbers)), [0])


KNOWN: dict[str, list[int]] = {
    "layer": [-60641707, -60662076, -60641680, -60971786, 150026084, 512032705],
    "rms": [-102715714, -102719162, -102715711, -103093465, -158885450, 455483699],
    "two": [-79359226, -79359608, -79359205, -79653606, 67501820, 542140917]}
"""What rows are proved to be above from points, from traces and from rough traces, in units of 2^-26."""


@pytest.mark.parametrize("kind", KNOWN)
def test_each_term_is_in_what_is_proved_and_it_is_as_much_as_it_was(kind: str) -> None:
    """A term that is left out changes a number; so does a looser bound."""
    fine, rough = Behind(kind, FINE), Behind(kind, ROUGH)
    found = [fine.proved(0, near) for near in (*points(fine), fine.near)] + [rough.proved(row) for row in range(3)]
    assert found == KNOWN[kind]


def test_the_first_length_that_is_not_proved_is_that_of_one_length_after_another(
        monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [{"when": {"formula": "true"}, "above": [[[0, "1"]]]}]
    claim = make_claim(cases=cases, read="last", offsets=[0, 1])
    given = parsed(float_runs(network_of("layer"), claim, FINE), Budget(100))
    (run,), refused, found, draw = given.floats, set[tuple[int, ...]](), set[int](), np.random.default_rng(2)

    def prove(rows: object, walk: object, runner: object, tokens: tuple[int, ...], needed: object) -> None:
        if tokens in refused:
            raise Rejected("it is so")

    monkeypatch.setattr(proof.RowsInRuns, "prove", prove)
    words = [(2, *word) for n in range(1, 5) for word in product((0, 1), repeat=n)]
    for count in (0, 1, 1, 1, 2, 3, 8):
        refused.clear()
        refused.update(words[k] for k in draw.integers(0, len(words), count))
        tried = [(n, f"offset 0, word {quote(' '.join(map(str, word)))}: it is so") for n in range(1, 5)
                 for word in product((0, 1), repeat=n) if (2, *word) in refused]
        assert find_unproved_floats(given, run) == (tried[0] if tried else None)
        found.add(tried[0][0] if tried else 0)
    assert len(found) > 2


def test_balls_that_fail_for_many_words_are_tried_for_few_and_then_for_all_again(monkeypatch: pytest.MonkeyPatch
                                                                                ) -> None:
    given = given_of(network_of("layer"), FINE)
    rows, tries = proof.ProverOfRuns(given, given.floats[0])._rows, list[bool]()
    answers = iter([False] * 20 + [True] * 200)

    class Few:
        help_behind = True

        def prove(self, *_: object) -> bool:
            tries.append(next(answers))
            return tries[-1]

        def prove_behind(self, *_: object) -> bool:
            return True

    class Walk:
        def attended(self, *_: object) -> list[tuple[int, None]]:
            return [(0, None)]

    rows.__dict__["balls"] = Few()
    monkeypatch.setattr(proof, "nearby", lambda budget, stream: stream)
    counts, walks = [], rows.walks(1)
    walks.__dict__.update(forms=Walk(), traces=Walk())
    for _ in range(200):
        rows.prove(walks, None, (), {0: [0]})  # type: ignore[arg-type]
        counts.append(len(tries))
    assert counts[7] == 8 and counts[103] == 20 and counts[199] == 20 + 200 - 111


@pytest.mark.parametrize("way", ["forms", "traces"])
def test_a_walk_that_was_broken_off_goes_on_as_a_new_one_would(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    w, d = Weights(7), 8
    steps = [w.attention(d, 2, w.norm(d, "layer"), 12), w.units(d, 12, w.norm(d, "layer"), "gelu"),
             w.attention(d, 2, w.norm(d, "layer"), 12), {"step": "norm", "norm": w.norm(d, "layer")}]
    given = given_of(w.network(4, d, 12, steps, True, 2), FINE)
    rows = proof.ProverOfRuns(given, given.floats[0])._rows
    broken, calls = getattr(rows.walks(1), way), iter(range(100))
    answer = broken._stack.answer

    def refuse(*given: Any) -> Any:
        if next(calls) == 3:
            raise Rejected("it is so")
        return answer(*given)

    monkeypatch.setattr(broken._stack, "answer", refuse)
    list(broken.attended((2, 1, 1), [2]))
    with pytest.raises(Rejected):
        list(broken.attended((2, 1, 0, 0), [3]))
    for word in ((2, 1, 0, 1), (2, 1, 1), (2, 0, 0, 1)):
        fresh = getattr(rows.walks(1), way)
        assert known(broken.attended(word, [1, len(word) - 1])) == known(fresh.attended(word, [1, len(word) - 1]))


def known(streams: Iterator[tuple[int, Any]]) -> list[Any]:
    """What is compared of streams: of traces, whose steps are what they are by their outputs, what these are off."""
    return [(place, one if isinstance(one, AffineForm) else (one[:2], nearby(Budget(1), one)[:2]))
            for place, one in streams]
