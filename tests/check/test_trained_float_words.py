"""Words on affine forms: streams, keys and values of drawn runs are within them; which words are run on them."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from constructions.trained.json_form import network_from_json
from proofs.check.checker.chapters.trained.floats import proof
from proofs.check.checker.chapters.trained.floats.form_stack import FloatStack, KeysAndValues, bits_of_token
from proofs.check.checker.chapters.trained.floats.inputs import InputsUnderModel
from proofs.check.checker.chapters.trained.floats.key_value_cache import CachedExecutions
from proofs.check.checker.chapters.trained.reading.words_claim import WordsUnit
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, CentredRange, spread
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Refusal, Rejected, quote
from proofs.checking.parts import find_unproved_floats
from proofs.enclosures.float_models.model import read_float_model
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.float_executions.emulation import Emulation
from proofs.trained.float_executions.execution import executions
from tests.check.test_trained_float_balls import CLASSES, CUT_OFF, FINE, WORD, given_of
from tests.check.trained_corpus import BINARY32, FLUSHED, float_executions, signs_of_logits
from tests.check.trained_networks import Weights, make_claim, parsed
from tests.trained.drawn_runs import DrawnRun

KNOWN = CLASSES | CUT_OFF | {"binary16": FLUSHED, "tf32/tensor-cores": BINARY32 | {"inputs": "tf32", "sum_ulp": "2"}}
ROWS = 12


def network_of(kind: str, causal: bool = True, activation: str = "gelu", **how: Any) -> dict[str, Any]:
    """Return a network of two layers, each of attention and units, with norms of this kind, none, or after steps."""
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


def prover_of(network: dict[str, Any], fields: dict[str, Any]) -> proof.ModelProver:
    given = given_of(network, fields)
    return proof.ModelProver(given, given.floats[0])


def shown(run: Emulation, tokens: Any) -> Iterator[tuple[Any, list[tuple[Any, Any]]]]:
    """Yield the streams of a run before each step, and of each attention step all keys and values."""
    stream, places = run._embedded(tokens, 1), np.arange(tokens.shape[1])
    for step in run.network.steps:
        read = stream
        seen = []
        if hasattr(step, "heads"):
            read = stream if step.norm is None else run._normed(step.norm, stream)
            seen = [(run._entering(run._linear(head.key, read)), run._entering(run._linear(head.value, read)))
                    for head in step.heads]
        yield stream, seen
        stream = run._after(step, stream, places, 1)
    yield stream, []


def known_streams(stack: FloatStack, word: tuple[int, ...]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the bounds before each attention step, of keys and values, and of the stream after it, by position."""
    streams = [stack.embed(token, 1 + place) for place, token in enumerate(word)]
    end = 1
    for stage in stack.stages:
        yield "stream", [spread(stack.budget, stream) for stream in streams]
        both, end = stack.project_all(stage, streams, 1, end)
        seen = [one for _, one in both]
        yield "seen", seen
        last = [place + 1 if stack.network.causal else len(word) for place in range(len(word))]
        streams = [stack.attend(stage, asked, seen[:visible], end)
                   for (asked, _), visible in zip(both, last, strict=True)]
        yield "stream", [spread(stack.budget, stream) for stream in streams]
        streams = stack.all_between(stage.after, streams, fast=True)


def share_of(known: CentredRange, numbers: Any) -> float:
    """Return the greatest error of these vectors relative to their bound, over coordinates."""
    errors, reaches = np.abs(numbers * UNIT - np.array(known.centres)), np.array(known.reaches)
    return float((errors / np.maximum(reaches, 2.0**-60)).max())  # none where the reach is 0


def share_of_seen(known: KeysAndValues, found: list[tuple[Any, Any]], place: int) -> float:
    return max(share_of(one, numbers[:, place]) for head, both in enumerate(found)
               for one, numbers in zip((known.keys[head].known, known.values[head].known), both, strict=True))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", [
    "binary32", "bfloat16", "binary16", "tf32/tensor-cores", "softmax", "scores", "shares", "sums cut off"])
@pytest.mark.parametrize(("kind", "causal"), [("layer", True), ("rms", False), ("post", True), ("", True)])
def test_streams_keys_and_values_of_drawn_runs_are_within_their_forms(kind: str, causal: bool, name: str) -> None:
    fields = KNOWN[name]
    network = network_of(kind, causal)
    stack, run = prover_of(network, fields).network.forms, read_float_model("class 1", fields)
    cast, words, worst = cast_network(network_from_json(network, "test"), run), np.tile(WORD, (12, 1)), 0.0
    runs = [list(shown(one, words[:count])) for execution in executions(run)[:2] for one, count in (
        (Emulation(cast, run, execution), 1), (DrawnRun(cast, run, execution, np.random.default_rng(5)), 12))]
    attention = [k for k, step in enumerate(cast.steps) if hasattr(step, "heads")]
    places = iter([place for k in attention for place in (k, k, k + 1)])
    for what, known in known_streams(stack, WORD):
        at = next(places)
        for one in runs:
            stream, seen = one[at]
            for place, token in enumerate(known):
                share = (share_of(token, stream[:, place]) if what == "stream" else
                         share_of_seen(token, seen, place))
                assert share <= 1
                worst = max(worst, share)
    assert worst > 0.1


def test_memory_is_counted_for_the_tokens_that_are_kept() -> None:
    """Each token has forms at two attention steps, and first ones are kept; more inputs need no more memory."""
    prover = prover_of(network_of("layer", True), KNOWN["binary32"])
    walk, budget, beside = CachedExecutions(prover.network.forms, 1), prover.network.forms.budget, list[int]()
    words = [(2, 0, 1, 1), (2, 0, 1), (2, 1), (2, 0, 1, 1), (2, 1, 0), (2, 0, 1, 1)]
    before = budget.bits_left
    for word in words * 3:
        list(walk.attended(word, [len(word) - 1]))
        kept = [bits_of_token(one) for those in walk._attended for one in those]
        beside.append(before - budget.bits_left - sum(kept))
        assert len(kept) == 2 * len(word) and min(kept) > 0
    assert len(set(beside[len(words):])) == 1
    assert beside[-1] >= sum(bits_of_token(one) for _, one in walk._starts.values()) > 0


@pytest.mark.parametrize("has_attention", [True, False])
def test_words_that_balls_do_not_prove_are_proved_on_forms(has_attention: bool, monkeypatch: pytest.MonkeyPatch
                                                           ) -> None:
    """Words that balls prove, too; here they do not."""
    w = Weights(2)
    network = (network_of("layer") if has_attention else
               w.network(4, 6, ROWS, [w.units(6, 5, w.norm(6, "rms"), "gelu")], True, 2))
    claim = signs_of_logits(network, 3, read="last")
    finished, finish = list[object](), FloatStack.finish

    def kept(stack: FloatStack, stream: Any) -> Any:
        finished.append(stream)
        return finish(stack, stream)

    monkeypatch.setattr(FloatStack, "finish", kept)
    monkeypatch.setattr(InputsUnderModel, "_prove_by_balls", lambda *given: False)
    given = parsed(float_executions(network, claim, BINARY32), Budget(100))
    assert proof.ModelProver(given, given.floats[0]).prove(WordsUnit(0, 1, 3)) == len(finished) == 14
    assert find_unproved_floats(given, given.floats[0]) is None


def test_the_first_length_that_is_not_proved_is_that_of_one_length_after_another(
        monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [{"when": {"formula": "true"}, "above": [[[0, "1"]]]}]
    claim = make_claim(cases=cases, read="last", offsets=[0, 1])
    given = parsed(float_executions(network_of("layer"), claim, FINE), Budget(100))
    (run,), refused, found, draw = given.floats, set[tuple[int, ...]](), set[int](), np.random.default_rng(2)

    def prove(inputs: object, tokens: tuple[int, ...], needed: object) -> None:
        if tokens in refused:
            raise Rejected("it is so")

    monkeypatch.setattr(InputsUnderModel, "prove", prove)
    words = [(2, *word) for n in range(1, 5) for word in product((0, 1), repeat=n)]
    for count in (0, 1, 1, 1, 2, 3, 8):
        refused.clear()
        refused.update(words[k] for k in draw.integers(0, len(words), count))
        tried = [(n, f"offset 0, word {quote(' '.join(map(str, word)))}: it is so") for n in range(1, 5)
                 for word in product((0, 1), repeat=n) if (2, *word) in refused]
        assert find_unproved_floats(given, run) == (tried[0] if tried else None)
        found.add(tried[0][0] if tried else 0)
    assert len(found) > 2


def test_balls_that_fail_for_many_words_are_tried_for_few_and_then_for_all_again() -> None:
    rows, tries = prover_of(network_of("layer"), FINE)._rows, list[bool]()
    answers = iter([False] * 20 + [True] * 200)

    def few(*_: object) -> bool:
        tries.append(next(answers))
        return tries[-1]

    class Walk:
        def attended(self, *_: object) -> list[object]:
            return []

    inputs = InputsUnderModel(rows, 0, [])
    inputs.__dict__ |= {"_caches": [Walk()], "_prove_by_balls": few}
    counts = []
    for _ in range(200):
        inputs.prove((), {0: [0]})
        counts.append(len(tries))
    assert counts[7] == 8 and counts[103] == 20 and counts[199] == 20 + 200 - 111


def test_a_walk_that_was_broken_off_goes_on_as_a_new_one_would(monkeypatch: pytest.MonkeyPatch) -> None:
    stack, calls = prover_of(network_of("layer"), FINE).network.forms, iter(range(100))
    broken, answer = CachedExecutions(stack, 1), stack.attend_and_pass

    def refuse(*given: Any) -> Any:
        if next(calls) == 3:
            raise Rejected("it is so")
        return answer(*given)

    monkeypatch.setattr(stack, "attend_and_pass", refuse)
    list(broken.attended((2, 1, 1), [2]))
    with pytest.raises(Rejected):
        list(broken.attended((2, 1, 0, 0), [3]))
    for word in ((2, 1, 0, 1), (2, 1, 1), (2, 0, 0, 1)):
        places = [1, len(word) - 1]
        assert list(broken.attended(word, places)) == list(CachedExecutions(stack, 1).attended(word, places))


def test_words_of_encoders_whose_forms_take_too_much_memory_are_refused() -> None:
    """Forms that share symbols are as long as there are tokens."""
    stack = prover_of(network_of("layer", False), FINE).network.forms
    streams, end = [stack.embed(1, 1 + place % 4) for place in range(6)], 1
    both, end = stack.project_all(stack.stages[0], streams, 1, end)
    before, needed = stack.budget.bits_left, sum(bits_of_token(seen) for _, seen in both)
    assert needed > 0
    stack.budget.hold(before - needed + 1)
    with pytest.raises(Refusal):
        stack.project_all(stack.stages[0], streams, 1, 1)
