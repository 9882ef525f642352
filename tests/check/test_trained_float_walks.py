"""Words on forms: each token sees all that its attention allows, and what is asked of softmax is for so many tokens."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from proofs.check.checker.chapters.float_models.choices import ExecutionChoices
from proofs.check.checker.chapters.trained.floats.classes import FloatAttention
from proofs.check.checker.chapters.trained.floats.execution import NetworkExecution
from proofs.check.checker.chapters.trained.floats.inputs import InputsUnderModel
from proofs.check.checker.chapters.trained.floats.key_value_cache import CachedExecutions
from proofs.check.checker.chapters.trained.floats.proof import ModelProver
from proofs.check.checker.chapters.trained.reading.words_claim import WordsUnit
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, AffineForm, known_by_sizes, spread
from proofs.check.checker.chapters.trained.zonotopes.packed_integers import unpack
from proofs.check.checker.chapters.trained.zonotopes.scores import PathBounds
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Malformed, Rejected
from tests.check.trained_corpus import BINARY32, float_executions
from tests.check.trained_networks import Weights, make_claim, parsed


def prover_of(layers: int, causal: bool) -> ModelProver:
    """Return the prover of a network with this many attention steps of two heads, and units around them."""
    w, d = Weights(3), 4
    steps: list[Any] = [w.units(d, 3, None, "tanh")]
    for _ in range(layers):
        steps += [w.attention(d, 2, None, 8), w.units(d, 3, None, "gelu")]
    steps.append({"step": "norm", "norm": w.norm(d, "rms")})
    claim = make_claim(cases=[{"when": {"formula": "true"}, "above": [[[0, "1"]]]}])
    given = parsed(float_executions(w.network(3, d, 8, steps, causal, 2), claim, BINARY32), Budget())
    return ModelProver(given, given.floats[0])


@pytest.mark.parametrize("layers", [0, 1, 2])
@pytest.mark.parametrize("causal", [True, False])
def test_a_run_is_within_the_form_of_each_place_and_forms_are_narrow(layers: int, causal: bool) -> None:
    """Ranges so narrow that another word, or fewer tokens, have other ones."""
    prover = prover_of(layers, causal)
    stack, centres = prover.network.forms, dict[Any, Any]()
    words = [(2, 0, 1, 1), (2, 0, 1), (2, 0, 1, 0), (2, 1, 1, 0), (2, 0, 0, 1)]
    choices = ExecutionChoices("forwards", False, True, "e")
    run = NetworkExecution(Budget(), stack.network, stack.operations.model, choices)
    walk = CachedExecutions(stack, 1)
    for word in words:
        for place, stream in walk.attended(word, range(len(word))):
            known = spread(Budget(1), stack.finish(stream))
            for x, centre, reach in zip(run.logits(word, 1, place), *known, strict=True):
                assert abs(x - Fraction(centre, UNIT)) * UNIT <= reach < UNIT >> 12
            centres[word, place] = [centre >> 34 for centre in known.centres]
    for word in words[1:3]:
        for place in range(3):
            assert (centres[words[0], place] == centres[word, place]) == (causal or layers == 0)


def test_what_is_asked_of_softmax_by_classes_is_for_all_tokens_before_and_the_one_that_asks() -> None:
    prover, asked = prover_of(1, True), list[tuple[str, int]]()
    stack = prover.network.forms
    attention = FloatAttention(stack, stack.stages[0].attention)

    class Recorded:
        def beside(self, greatest: Sequence[int], count: int) -> list[int]:
            asked.append(("beside", count))
            return [UNIT >> 20] * len(greatest)

        def exponents(self, stored: Sequence[PathBounds], count: int, floor: int) -> list[int]:
            asked.append(("exponents", count))
            assert floor == (UNIT if stored[0].least == 0 else -2 * UNIT)
            return [5, *[UNIT + 1 if stored[0].least == 0 else 5] * (len(stored) - 1)]

    attention._softmax = Recorded()  # type: ignore[assignment]
    found = attention.logarithms({(0, 0): PathBounds(-UNIT, UNIT), (0, 1): PathBounds(-3 * UNIT, 0),
                                  (1, 0): PathBounds(-2 * UNIT, 2 * UNIT)}, 4)
    assert [*found.values()] == [PathBounds(-UNIT - 5, UNIT + 5), PathBounds(-3 * UNIT - 5, 5),
                                 PathBounds(-2 * UNIT - 5, 2 * UNIT + 5)]
    with pytest.raises(Rejected):
        attention.logarithms({(0, 0): PathBounds(0, UNIT), (1, 0): PathBounds(UNIT, 2 * UNIT)}, 4)
    stream = AffineForm([UNIT] * 4, 3, [0] * 4, [UNIT] * 4)
    averages = [AffineForm([UNIT + (UNIT >> 3 << 128)] * 2, 2, [0] * 2, [2 * UNIT] * 2) for _ in range(2)]
    written = attention.write(stream, averages, [[UNIT] * 2] * 2, 4)
    attention.write_sum(stream, [stream, stream], [[UNIT] * 2] * 2, 4)
    assert asked == [("exponents", 5)] * 2 + [("beside", 5)] * 4
    maps = stack.stages[0].attention
    own, other, *places = ([unpack(row, written.slots)[k] for row in written.rows] for k in (1, 2, 3, 4))
    assert not any(own) and not any(other)  # symbols of the stream, which has none of them here
    for found_ones, part in zip(places, maps.values, strict=True):
        for x, column in zip(found_ones, maps.out.columns, strict=True):
            assert abs(x - sum(column[part.start:part.stop]) / 8) <= 2


def test_sums_of_what_is_written_are_off_by_what_averages_are_with_weights_that_are_off_by_a_unit() -> None:
    prover = prover_of(1, True)
    stack, made = prover.network.forms, list[list[int]]()
    attention, operations = FloatAttention(stack, stack.stages[0].attention), stack.operations
    beside = [(7 << 46) + k for k in range(4)]

    class Recorded:
        def beside(self, greatest: Sequence[int], count: int) -> list[int]:
            return beside[:2] if greatest[0] == UNIT else beside[2:]

    def stored(x: AffineForm, more: Sequence[int]) -> AffineForm:
        made.append(list(more))
        return x

    attention._softmax = Recorded()  # type: ignore[assignment]
    sizes, stream = [[UNIT] * 2, [2 * UNIT] * 2], AffineForm([UNIT] * 4, 3, [0] * 4, [UNIT] * 4)
    errors, totals = operations.entered([size for one in sizes for size in one], beside)
    operations.__dict__["stored"] = stored
    attention.write_sum(stream, [stream, stream], sizes, 4)
    for more, weights, made_by in zip(made[-1], stack.stages[0].attention.out.absolute, operations.product_errors(
            stack.stages[0].attention.out, totals), strict=True):
        exact = Fraction(sum((w + 1) * off for w, off in zip(weights, errors, strict=True)), UNIT)
        assert 0 <= more - made_by - exact <= 1


def test_logarithms_of_the_weights_of_a_head_are_off_by_the_scores_of_that_head(monkeypatch: pytest.MonkeyPatch
                                                                               ) -> None:
    prover, asked = prover_of(1, True), list[tuple[list[PathBounds], int]]()
    softmax, own = prover.network.forms.softmax, list[PathBounds]()
    exponents, scores = softmax.exponents, softmax.scores

    def recorded(stored: Sequence[PathBounds], count: int) -> list[int]:
        asked.append(([*stored], count))
        return exponents(stored, count)

    def kept(*given: Any) -> AffineForm:
        found = scores(*given)
        own.extend(PathBounds(x - reach, x + reach) for x, reach in zip(*known_by_sizes(found), strict=True))
        return found

    monkeypatch.setattr(softmax, "exponents", recorded)
    monkeypatch.setattr(softmax, "scores", kept)
    list(CachedExecutions(prover.network.forms, 1).attended((2, 0, 1), [2]))
    assert asked == [(own[:3], 3), (own[3:], 3)] and own[:3] != own[3:]


@pytest.mark.parametrize(("unit", "cut", "whole"), [(-44, None, True), (-45, None, False), (-44, "2", False)])
def test_numbers_are_one_in_all_runs_of_whole_networks_where_no_sum_is_cut_off(unit: int, cut: str | None, whole: bool
                                                                             ) -> None:
    w = Weights(1)
    document = w.network(3, 2, 8, [], True, 2)
    document["tokens"] = w.view([[1.0, 2.0**unit], [1.0, 0.0], [3.0, 1.0]])
    document["positions"], document["unembedding"] = w.view([[1.0, 0.0]] * 8), {"weight": w.view(
        [[1.0, 0.0], [0.0, 1.0]]), "bias": None}
    used = [one["tensor"] for one in (document["tokens"], document["positions"], document["unembedding"]["weight"])]
    for name in [name for name in w.tensors if name not in used]:
        del w.tensors[name]
    fields = BINARY32 | ({"sum_ulp": cut} if cut else {})
    given = parsed(float_executions(document, make_claim(), fields), Budget())
    assert ModelProver(given, given.floats[0]).network.forms.operations._whole == whole


def test_balls_are_for_words_with_all_that_stands_before_and_after_them_and_classes_for_their_lengths() -> None:
    w = Weights(1)
    document = w.network(3, 2, 12, [], True, 2)
    claim = make_claim(before=[2, 2], after=[2, 1, 1], max_n=4, offsets=[0, 0], read="last")
    text = float_executions(document, claim, BINARY32)
    given = parsed(text, Budget())
    assert ModelProver(given, given.floats[0])._rows._length == 9
    (fields,) = text["floats"]
    for other in ({"floats": [fields | {"max_n": 3}]}, {"floats": [fields | {"max_n": 5}]}, {"version": 2}):
        with pytest.raises(Malformed):
            parsed(text | other, Budget())


@pytest.mark.parametrize("causal", [True, False])
def test_all_words_of_a_unit_are_proved_or_the_first_that_is_not_is_named(
        causal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    prover, asked, refused = prover_of(1, causal), list[tuple[int, ...]](), set[tuple[int, ...]]()

    def by_balls(inputs: object, tokens: tuple[int, ...], needed: Mapping[int, object]) -> bool:
        asked.append(tokens)
        assert needed
        if tokens in refused:
            raise Rejected("it is so")
        return True

    assert prover._rows.try_balls
    monkeypatch.setattr(InputsUnderModel, "_prove_by_balls", by_balls)
    claim, unit = prover.judge.claim, WordsUnit(1, 1, 3)
    words = {prover.judge.tokens(word) for n in (1, 2, 3) for word in product(range(len(claim.alphabet)), repeat=n)}
    assert prover.prove(unit) == len(words) == len(asked) and set(asked) == words
    for word in list(words):
        refused.clear()
        refused.add(word)
        with pytest.raises(Rejected, match=r"offset 1, word .*: it is so"):
            prover.prove(unit)
