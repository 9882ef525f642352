"""Executions that an adversary chooses number by number: replayed exactly, worse than others, within what is proved."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from certify.claims.trained.float_search import WrongRuns
from constructions.trained.claim import claim_of_lengths
from constructions.trained.json_form import network_from_json
from examples.trained.zoo import plans
from proofs.check.checker.chapters.float_models.choices import ExecutionChoices
from proofs.check.checker.chapters.trained.floats.casting import cast_network as cast_in_checker
from proofs.check.checker.chapters.trained.floats.dyadics import quotient, rounded
from proofs.check.checker.chapters.trained.floats.execution import NetworkExecution
from proofs.check.checker.chapters.trained.floats.form_stack import make_row_maps
from proofs.check.checker.chapters.trained.floats.inputs import NetworkUnderModel
from proofs.check.checker.chapters.trained.floats.key_value_cache import CachedExecutions
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, apply, spread
from proofs.check.checker.kernel.budget import Budget
from proofs.enclosures.float_models.model import presets, read_float_model
from proofs.trained.float_executions import adversary
from proofs.trained.float_executions.adversary import ORDERS, Adversary, EmulationOfChoices, encoded, replay_of
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.float_executions.emulation import Emulation
from proofs.trained.float_executions.execution import executions
from tests.check.trained_corpus import BFLOAT16, BINARY32, float_executions
from tests.check.trained_networks import make_claim, make_network, parsed

WORD, LAST = (2, 0, 1, 3), 3
ROW = np.array([1.0, -1.0])
CLASSES = {"binary32": BINARY32, "bfloat16": BFLOAT16}


def value_of(numbers: Any) -> Fraction:
    return Fraction(numbers[0]) - Fraction(numbers[1])


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("kind", ["gpt2", "bidirectional"])
def test_the_worst_execution_is_replayed_bit_by_bit_and_within_what_is_proved(
        kind: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is at most as good as each execution that has one order of all sums, from the plainest of which it starts."""
    document, run = make_network(kind, 3), read_float_model("class", CLASSES[name])
    cast = cast_network(network_from_json(document, "it"), run)
    monkeypatch.setattr(adversary, "ROUNDS", 3)
    value, choices = Adversary(cast, run).worst(WORD, 0, LAST, ROW)
    execution = encoded(run, choices)
    exact = value_of(replay_of(cast, run, execution).logits(WORD, 0, LAST))
    assert exact == Fraction(float(value)) and execution.choices and any(execution.choices)
    plain = [float(Emulation(cast, run, one).logits(np.array([WORD]), 0, np.array([LAST]))[0, 0] @ ROW)
             for one in executions(run)]
    assert value < plain[0] and value <= min(plain)
    given = parsed(float_executions(document, make_claim(), CLASSES[name]), Budget(1000))
    stack = NetworkUnderModel(Budget(10**4), given.network, given.floats[0]).forms
    ((_, stream),) = CachedExecutions(stack, 0).attended(WORD, [LAST])
    rows = make_row_maps(stack.budget, [((0, Fraction(1)), (1, Fraction(-1)))], 2)
    (centre,), (reach,) = spread(stack.budget, apply(stack.budget, rows, stack.finish(stream)))
    assert abs(exact * UNIT - centre) <= reach


def test_a_run_without_choices_is_the_plain_one() -> None:
    document, run = make_network("rms", 2), read_float_model("class", BFLOAT16)
    cast, plain = cast_network(network_from_json(document, "it"), run), executions(run)[0]
    assert replay_of(cast, run, replace(plain, choices=("", ""))).logits(WORD, 0, LAST) == replay_of(
        cast, run, plain).logits(WORD, 0, LAST)


def test_a_wrong_execution_of_the_adversary_is_replayed_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim's margin is between the least row, at which the adversary aims, and that of the worst execution."""
    plan, run = plans()["even"], presets()["bfloat16/binary32"]
    network = plan.network()
    claim = claim_of_lengths(network, plan.claim(network), 2, 2)
    monkeypatch.setattr(adversary, "ROUNDS", 2)
    least = WrongRuns(network, claim, run, 1).row(2, True, True).seen
    assert least is not None
    for margin, is_wrong in ((least.value + 1 / 8, True), (least.value - 1, False)):
        search = WrongRuns(network, replace(claim, margin=Fraction(margin)), run, 1)
        search.executions = []  # so that only the adversary looks
        found = search.row(2, True, True).wrong
        assert (found is not None) == is_wrong
        if found is not None:
            assert found.execution is not None and found.value[0] == found.value[1] <= margin
            assert not any(found.execution.choices) or "number by number" in str(found.execution)


class ByChecker(NetworkExecution):
    """An execution by the trusted folder, in integers, in which each sum and each average takes the next choice."""

    def take(self, orders: list[int], before: list[int]) -> None:
        self.orders, self.before = iter(orders), iter(before)

    def _sum(self, terms: Any, form: Any) -> Any:
        order, fused = ORDERS[next(self.orders)]
        self._choices = self._choices._replace(order=order, fused=fused)
        return super()._sum(terms, form)

    def _average(self, scores: Any, values: Any) -> Any:
        """Return what both ways make of the same weights, and take from each coordinate one of them."""
        inner, model = self._model.softmax, self._model
        weights, found = self._exponentials(scores), []
        total = self._sum(weights, inner)
        for column in zip(*values, strict=True):
            is_after = next(self.before)
            own = weights if is_after else [quotient(one, total, inner) for one in weights]
            one = self._dot(self._all(own, model.weights), list(column), [])
            found.append(quotient(rounded(one, inner), total, inner) if is_after else one)
        return self._all(found, model.storage)


def in_the_order_of_the_checker(choices: list[Any], tokens: int) -> tuple[list[int], list[int]]:
    """Return the options of the sums, and of the averages, of a network of one layer with one head, for its last token.

    The checker makes token after token; those before the last one matter up to keys and values only.
    """
    def last(*calls: int) -> list[list[int]]:
        own = [x for call in calls for x in choices[call].ravel().tolist()]
        return [[0] * len(own)] * (tokens - 1) + [own]

    def each(call: int) -> list[int]:
        return list(choices[call].ravel().tolist())

    way = each(9)
    norms = [x for pair in zip(each(0), each(1), strict=True) for x in pair]
    averages = [y if is_after else x for is_after, x, y in zip(way, each(7), each(8), strict=True)]
    attention = [[0] * (place + 2 + len(way)) for place in range(tokens - 1)] + [each(5) + each(6) + averages]
    orders = [norms, *last(2), each(3), each(4), *attention, *last(10), *last(11, 12), *last(13, 14), *last(15, 16),
              each(17)]
    return [x for part in orders for x in part], [0] * len(way) * (tokens - 1) + way


@pytest.mark.parametrize("sums", ["binary32", "float(9,-126,127)"])
def test_the_trusted_folder_makes_the_same_numbers_with_the_same_choices(sums: str) -> None:
    """Bit for bit: in integers, by code that shares nothing with the emulation. In 9 bits no two orders agree."""
    fields, seed = BFLOAT16 | {"sums": sums}, 3
    document, run = make_network("gpt2", seed), read_float_model("class", fields)
    cast = cast_network(network_from_json(document, "it"), run)
    draw = np.random.default_rng(seed)
    emulation = EmulationOfChoices(cast, run, executions(run)[0])
    emulation.begin([], records=True)
    emulation.logits(np.array([WORD]), 0, np.array([LAST]))
    assert emulation.options is not None
    choices = [draw.integers(0, len(one), one.shape[1:]) for one in emulation.options]
    given = parsed(float_executions(document, make_claim(), fields), Budget(1000))
    model = given.floats[0]
    checker = ByChecker(Budget(1000), cast_in_checker(given.network, model), model,
                        ExecutionChoices("forwards", False, True, "e"))
    checker.take(*in_the_order_of_the_checker(choices, len(WORD)))
    exact = replay_of(cast, run, encoded(run, choices)).logits(WORD, 0, LAST)
    assert checker.logits(WORD, 0, LAST) == exact
    assert next(checker.orders, None) is None and next(checker.before, None) is None
    assert sums == "binary32" or exact != replay_of(cast, run, executions(run)[0]).logits(WORD, 0, LAST)
