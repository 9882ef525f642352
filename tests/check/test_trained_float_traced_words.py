"""Words on traces: keys, values and streams of drawn runs, and of all that inputs may be, are as near as is said."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from constructions.trained.json_form import network_from_json
from proofs.check.checker.chapters.trained.balls.exact import linear
from proofs.check.checker.chapters.trained.floats import proof
from proofs.check.checker.chapters.trained.floats.ball_words import BallsOfInputs
from proofs.check.checker.chapters.trained.floats.stack import FloatStack, Seen
from proofs.check.checker.chapters.trained.floats.traced_stack import TracedStack, nearby
from proofs.check.checker.chapters.trained.floats.traces import Trace, TraceStart
from proofs.check.checker.chapters.trained.forms.affine import UNIT, spread
from proofs.check.checker.chapters.trained.reading.network import AttentionStep, Norm
from proofs.check.checker.kernel.budget import Budget
from proofs.checking.parts import find_unproved_floats
from proofs.enclosures.float_runs.run_class import read_run_class
from proofs.trained.float_runs.casting import cast_network
from proofs.trained.float_runs.emulation import Emulation
from proofs.trained.float_runs.execution import executions
from tests.check.test_trained_float_balls import CLASSES, CUT_OFF, FINE, WORD, given_of
from tests.check.test_trained_float_gradients import arrays
from tests.check.trained_corpus import BINARY32, FLUSHED, float_runs, signs_of_logits
from tests.check.trained_networks import Weights, parsed

KNOWN = CLASSES | CUT_OFF | {"binary16": FLUSHED, "tf32/tensor-cores": BINARY32 | {"inputs": "tf32", "sum_ulp": "2"}}
ROWS = 12


def network_of(kind: str, causal: bool = True, activation: str = "gelu", **how: Any) -> dict[str, Any]:
    """Two layers, each of attention and units, and a norm; norms of this kind, or none, or they stand behind steps."""
    w, d = Weights(9), 6
    norm = w.norm(d, "layer" if kind == "post" else kind) if kind else None
    steps: list[Any] = [w.units(d, 5, None, "relu")]
    for _ in range(2):
        for step in (w.attention(d, 2, None if kind == "post" else norm, ROWS, **how),
                     w.units(d, 7, None if kind == "post" else norm, activation)):
            steps += [step, {"step": "norm", "norm": norm}] if kind == "post" else [step]
    if kind != "post":
        steps.append({"step": "norm", "norm": w.norm(d, kind or "layer")})
    return w.network(4, d, ROWS, steps, causal, 2)


def prover_of(network: dict[str, Any], fields: dict[str, Any]) -> proof.ProverOfRuns:
    given = given_of(network, fields)
    return proof.ProverOfRuns(given, given.floats[0])


def traced(prover: proof.ProverOfRuns) -> TracedStack:
    walk = prover._rows.walks(1).traces
    assert walk is not None and isinstance(walk._stack, TracedStack)
    return walk._stack


class Run(Emulation):
    """A run that shows the streams before each step, and of each attention step all keys and values."""

    def shown(self, tokens: Any) -> Iterator[tuple[Any, list[tuple[Any, Any]]]]:
        stream, places = self._embedded(tokens, 1), np.arange(tokens.shape[1])
        for step in self.network.steps:
            read = stream
            seen = []
            if hasattr(step, "heads"):
                read = stream if step.norm is None else self._normed(step.norm, stream)
                seen = [(self._entering(self._linear(head.key, read)), self._entering(self._linear(head.value, read)))
                        for head in step.heads]
            yield stream, seen
            stream = self._after(step, stream, places)
        yield stream, []


def known_streams(stack: TracedStack, word: tuple[int, ...]) -> Iterator[tuple[str, list[Any]]]:
    """Of each place what is known before each attention step, of its keys and values, and of the stream behind it."""
    streams = [stack.embed(token, 1 + place) for place, token in enumerate(word)]
    for stage in stack.stages:
        yield "stream", streams
        both = [stack.ask(stage, stream) for stream in streams]
        seen = [one for _, one in both]
        yield "seen", seen
        last = [place + 1 if stack.network.causal else len(word) for place in range(len(word))]
        yield "stream", [stack.attend(stage, asked, seen[:end]) for (asked, _), end in zip(both, last, strict=True)]
        streams = [stack.answer(stage, asked, seen[:end]) for (asked, _), end in zip(both, last, strict=True)]


def share_of(stream: Trace, numbers: Any, draw: Random) -> float:
    """How much of what they may be off these streams are, at most, in a coordinate or along a gradient."""
    near, apart = nearby(Budget(1), stream), numbers * UNIT - np.array(stream.numbers)
    gradient = [draw.randrange(-1 << 27, 1 << 27) for _ in stream.numbers]
    along = np.abs(apart @ np.array(gradient) / 2**26) / near.along([gradient])[0]
    assert (np.abs(apart) <= stream.deviations).all()
    return float(max((np.abs(apart) / np.array(near.reaches)).max(), along.max()))


def share_of_seen(known: Seen, found: list[tuple[Any, Any]], place: int) -> float:
    return max(float((np.abs(numbers[:, place] * UNIT - np.array(one.centres)) / np.array(one.reaches)).max())
               for head, both in enumerate(found)
               for one, numbers in zip((known.keys[head], known.values[head]), both, strict=True))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", [
    "binary32", "bfloat16", "binary16", "tf32/tensor-cores", "softmax", "scores", "shares", "sums cut off"])
@pytest.mark.parametrize(("kind", "causal"), [("layer", True), ("rms", False), ("post", True), ("", True)])
def test_streams_keys_and_values_of_drawn_runs_are_within_their_traces(kind: str, causal: bool, name: str) -> None:
    fields = KNOWN[name]
    network, draw = network_of(kind, causal), Random(name)
    stack, run = traced(prover_of(network, fields)), read_run_class("class 1", fields)
    cast, words, worst = cast_network(network_from_json(network, "test"), run), np.tile(WORD, (12, 1)), 0.0
    runs = [list(Run(cast, run, execution, drawn).shown(words[:count])) for execution in executions(run)[:2]
            for drawn, count in ((None, 1), (np.random.default_rng(5), 12))]
    attention = [k for k, step in enumerate(cast.steps) if hasattr(step, "heads")]
    places = iter([place for k in attention for place in (k, k, k + 1)])
    for what, known in known_streams(stack, WORD):
        at = next(places)
        for one in runs:
            stream, seen = one[at]
            for place, token in enumerate(known):
                share = share_of(token, stream[:, place], draw) if what == "stream" else share_of_seen(
                    token, seen, place)
                assert share <= 1
                worst = max(worst, share)
    assert worst > 0.1


def normed(norm: Norm | None, x: Any) -> Any:
    """Over the reals; the last axis is that of coordinates."""
    if norm is None:
        return x
    c = x - x.mean(-1, keepdims=True) if norm.kind == "layer" else x
    gain, bias = (default if one is None else np.array(one.entries, float) * 2.0**one.power
                  for one, default in ((norm.gain, 1.0), (norm.bias, 0.0)))
    return c / np.sqrt((c * c).mean(-1, keepdims=True) + float(norm.epsilon)) * gain + bias


def attended(step: AttentionStep, streams: Any) -> Any:
    """The last stream after an attention step, over the reals."""
    read, found = normed(step.norm, streams), streams[-1].copy()
    scale = float(step.scale.times) if step.scale.times is not None else 1 / np.sqrt(float(step.scale.root or 1))
    for head in step.heads:
        (query, key, value), out = (arrays(linear(one)) for one in (head.query, head.key, head.value)), head.out
        scores = (read @ key[0] + key[1]) @ (read[-1] @ query[0] + query[1]) * scale
        weights = np.exp(scores - scores.max())
        found += weights @ (read @ value[0] + value[1]) / weights.sum() @ (np.array(out.rows, float) * 2.0**out.power)
    return found + (0 if step.bias is None else np.array(step.bias.entries, float) * 2.0**step.bias.power)


@pytest.mark.parametrize(("kind", "how"), [
    ("layer", {}), ("rms", {"size": 2.0}), ("", {"scale": {"times": "1/3"}}), ("layer", {"size": 4.0})])
@pytest.mark.parametrize("bits", [20, 30, 36])
def test_what_attention_makes_of_all_streams_within_errors_is_as_near_as_is_said(
        kind: str, how: dict[str, Any], bits: int) -> None:
    """The streams of all tokens are at ends of their errors; softmax is that of the reals."""
    stack = traced(prover_of(network_of(kind, **how), FINE | {"exp_ulp": "1/2"}))
    stage, draw, shares = stack.stages[0], Random(bits), list[float]()
    (step, *_) = [one for one in stack.network.steps if isinstance(one, AttentionStep)]
    for count in (1, 2, 5):
        numbers = [[draw.randrange(-2 * UNIT, 2 * UNIT) for _ in range(6)] for _ in range(count)]
        errors = [[draw.randrange(1 << bits) for _ in range(6)] for _ in range(count)]
        streams = [Trace(x, e, (TraceStart(e),), max(e)) for x, e in zip(numbers, errors, strict=True)]
        both = [stack.ask(stage, stream) for stream in streams]
        found = stack.attend(stage, both[-1][0], [seen for _, seen in both])
        near, worst = nearby(Budget(1), found), 0.0
        gradient = np.array([draw.randrange(-1 << 27, 1 << 27) for _ in range(6)])
        along, worst_along = near.along([gradient.tolist()])[0], 0.0
        moves = (1 << 34) * np.eye(6 * count).reshape(count, 6, count, 6)
        plain = attended(step, np.array(numbers) / UNIT)
        moved = np.array([[attended(step, (np.array(numbers) + one) / UNIT) - plain for one in row] for row in moves])
        for direction in (*np.eye(6), gradient / 2**26, None, None, None):
            signs = (np.sign(moved @ direction) if direction is not None
                     else np.array([[draw.choice((-1, 1)) for _ in range(6)] for _ in range(count)]))
            for way in (1, -1):
                corner = (np.array(numbers) + way * signs * np.array(errors)) / UNIT
                apart = attended(step, corner) * UNIT - np.array(found.numbers)
                assert (np.abs(apart) <= np.array(near.reaches) + 64).all()
                assert (np.abs(apart) <= np.array(found.deviations) + 64).all()
                off = abs(float(apart @ gradient) / 2**26)
                assert off <= along + 256
                worst, worst_along = max(worst, float(np.abs(apart).max())), max(worst_along, off)
        shares += [max(near.reaches) / worst, along / worst_along]
    assert bits == 20 or sum(shares) / len(shares) < 3


@pytest.mark.parametrize("way", ["forms", "traces"])
def test_memory_is_counted_for_the_tokens_that_are_kept(way: str) -> None:
    """Of each token of the input for each of two attention steps, beside what is made once; no more for more inputs."""
    prover = prover_of(network_of("layer", True), KNOWN["binary32"])
    walk, budget, beside = getattr(prover._rows.walks(1), way), prover._stack.budget, list[int]()
    token, words = walk._stack.bits_of_a_token, [(2, 0, 1, 1), (2, 0, 1), (2, 1), (2, 0, 1, 1), (2, 1, 0), (2, 0, 1, 1)]
    before = budget.bits_left
    for word in words * 3:
        list(walk.attended(word, [len(word) - 1]))
        beside.append(before - budget.bits_left - 2 * len(word) * token)
    starts = len({(place, one) for word in words for place, one in enumerate(word)})
    assert len(set(beside[len(words):])) == 1 and beside[-1] >= 2 * starts * token > 0


@pytest.mark.parametrize("name", ["binary32", "bfloat16", "softmax", "sums cut off"])
@pytest.mark.parametrize(("kind", "causal"), [("layer", True), ("rms", False), ("", True)])
def test_traces_are_about_as_near_as_forms(kind: str, causal: bool, name: str) -> None:
    prover = prover_of(network_of(kind, causal), KNOWN[name])
    walks = prover._rows.walks(1)
    assert walks.traces is not None
    both = [list(walk.attended(WORD, range(len(WORD)))) for walk in (walks.forms, walks.traces)]
    forms, reaches = 0, 0
    for (place, form), (other, trace) in zip(*both, strict=True):
        known, near = spread(Budget(1), form), nearby(Budget(1), trace)
        assert place == other
        for x, off, y, more in zip(*known, near.numbers, near.reaches, strict=True):
            assert abs(x - y) <= min(off, more)
        forms, reaches = forms + sum(known.reaches), reaches + sum(near.reaches)
    assert reaches < 1.3 * forms


@pytest.mark.parametrize("activation", ["gelu", "tanh", "no attention"])
def test_words_are_proved_on_traces_and_on_forms_where_units_are_not_traced(
        activation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that balls prove, too; here they do not."""
    w = Weights(2)
    network = (w.network(4, 6, ROWS, [w.units(6, 5, w.norm(6, "rms"), "gelu")], True, 2)
               if activation == "no attention" else network_of("layer", activation=activation))
    claim = signs_of_logits(network, 3, read="last")
    finished, finish = list[object](), FloatStack.finish

    def kept(stack: FloatStack, stream: Any) -> Any:
        finished.append(stream)
        return finish(stack, stream)

    monkeypatch.setattr(FloatStack, "finish", kept)
    monkeypatch.setattr(BallsOfInputs, "prove", lambda *given: False)
    given = parsed(float_runs(network, claim, BINARY32), Budget(100))
    prover = proof.ProverOfRuns(given, given.floats[0])
    assert (prover._rows.walks(0).traces is None) == (activation == "tanh")
    assert prover.prove(0, 1, 3) == 14
    assert len(finished) == (0 if activation == "gelu" else 14)
    assert find_unproved_floats(given, given.floats[0]) is None
