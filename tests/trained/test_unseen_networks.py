"""Twenty unseen networks in the formats in which they run: each answer is certified, refuted bit for bit, or open."""

from collections.abc import Sequence
from copy import deepcopy
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pytest

from certify.claims.trained.decide import decide
from certify.claims.trained.float_decision import decide_floats
from constructions.language.parser import parse_formula
from constructions.trained.claim import Case, Row, When, WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.float_models.model import presets
from proofs.trained.float_executions.adversary import Adversary, encoded, replay_of
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.forward import FloatNetwork
from tests.trained.native_executions import NativeExecution
from tests.trained.test_drawn_executions_of_presets import MILLION, shares
from tests.trained.test_programs_lie_in_their_enclosures import TORCH, expect_within
from tests.trained.unseen_networks import FORMS, LETTERS, WORDS, imported, saved, trained
from tests.with_torch import torch_or_skip

QUICK = "encoder read at its first token"
NAMES = [name if name == QUICK else pytest.param(name, marks=pytest.mark.exhaustive) for name in FORMS]
MARGIN = Fraction(1, 1000)
MIXED = "bfloat16/binary32"
Word = tuple[int, ...]


class Unseen(NamedTuple):
    """A module, its network, and for each word the greatest logit over the reals and what it is above the next by."""

    module: Any
    network: TrainedNetwork
    answers: dict[Word, int]
    margins: dict[Word, float]

    def at(self, word: Word) -> int:
        """Return the token whose logits are judged."""
        return 0 if self.network.readout == "first" else len(word) - 1

    def claim(self, words: Sequence[Word]) -> WordsClaim:
        """Return the claim that each of these words has its answer."""
        def above(word: Word) -> tuple[Row, ...]:
            best = self.answers[word]
            return tuple(tuple(sorted(((best, Fraction(1)), (other, Fraction(-1)))))
                         for other in range(LETTERS) if other != best)
        letters, sizes = tuple(map(str, range(LETTERS))), [len(word) for word in words]
        return WordsClaim(letters, tuple(range(LETTERS)), (), (), (0, 0), (min(sizes), max(sizes)),
                          "first" if self.network.readout == "first" else "last", False, Fraction(0), None, (),
                          tuple(Case(When(parse_formula(formula_of(word))), above(word)) for word in words))


def formula_of(word: Word) -> str:
    """Return the formula that is true at the end of this word only."""
    found = f"Q_{word[0]} & !(prev true)"
    for letter in word[1:]:
        found = f"Q_{letter} & prev ({found})"
    return found


@cache
def unseen(name: str) -> Unseen:
    torch = torch_or_skip()
    module = trained(torch, name)
    with TemporaryDirectory() as folder:
        network = imported(torch, module, FORMS[name].door, Path(folder))
    reals, answers, margins = FloatNetwork(network), {}, {}
    for word in WORDS:
        logits = reals.logits(np.array([word]), 0)[0, 0 if network.readout == "first" else -1]
        answers[word] = int(logits.argmax())
        margins[word] = float(np.diff(np.sort(logits))[-1])
    return Unseen(module, network, answers, margins)


@pytest.mark.parametrize("name", NAMES)
def test_whatever_is_decided_with_a_margin_is_certified_in_binary32(name: str) -> None:
    subject = unseen(name)
    claim = subject.claim([word for word in WORDS if subject.margins[word] >= MARGIN])
    assert decide(subject.network, claim).verdict == "certified"
    for preset in ("binary32", "torch-cpu", "onnxruntime"):
        found = decide_floats(subject.network, claim, presets()[preset])
        assert found.verdict == "certified" and found.certificate


@pytest.mark.parametrize("name", NAMES)
def test_the_module_in_torch_and_onnx_runtime_gives_each_certified_answer(name: str) -> None:
    """The module itself, not the imported network: in binary32 and bfloat16, and the graph that torch exports."""
    torch, runtime, subject = torch_or_skip(), pytest.importorskip("onnxruntime"), unseen(name)
    session = runtime.InferenceSession(saved(torch, subject.module, "onnx"), providers=["CPUExecutionProvider"])
    narrow = deepcopy(subject.module).bfloat16()
    for word in WORDS:
        with torch.no_grad():
            logits, few = (one(torch.tensor([word]))[0, -1].float().numpy() for one in (subject.module, narrow))
        (exported,) = session.run(None, {"tokens": np.array([word])})
        if subject.margins[word] >= MARGIN:
            assert logits.argmax() == exported[0, -1].argmax() == subject.answers[word]
        if few.argmax() != subject.answers[word]:
            assert verdict_of(name, word) != "certified"


@cache
def verdict_of(name: str, word: Word) -> str:
    """Return the verdict on one answer in bfloat16; a refutation is replayed by the machine's own arithmetic."""
    subject = unseen(name)
    found = decide_floats(subject.network, subject.claim([word]), presets()[MIXED])
    if found.wrong is not None:
        execution, best = found.wrong.execution, subject.answers[word]
        assert execution is not None
        if not execution.choices:
            assert found.wrong_certificate is not None
            return "refuted"
        logits = NativeExecution(subject.network, execution.choices).logits(word, subject.at(word))
        above = subject.claim([word]).cases[found.wrong.case].above[found.wrong.row]
        other = next(token for token, _ in above if token != best)
        assert Fraction(float(logits[best])) - Fraction(float(logits[other])) == found.wrong.value[0] <= 0
    return found.verdict


@pytest.mark.parametrize("name", NAMES)
def test_in_bfloat16_most_answers_of_one_layer_are_certified(name: str) -> None:
    verdicts = [verdict_of(name, word) for word in WORDS]
    assert {*verdicts} <= {"certified", "refuted", "unknown"}
    assert FORMS[name].layers > 1 or verdicts.count("certified") > 3 / 4 * len(WORDS)


@pytest.mark.parametrize("preset", [*TORCH, "onnxruntime"])
@pytest.mark.parametrize("name", NAMES)
def test_logits_of_programs_lie_in_their_enclosures(name: str, preset: str) -> None:
    expect_within(unseen(name).network, preset, WORDS[::3 if name == QUICK else 1], coarse="/" in preset)


@pytest.mark.parametrize("name", NAMES)
def test_executions_of_an_adversary_are_those_of_the_machine_bit_for_bit(name: str) -> None:
    subject, model = unseen(name), presets()[MIXED]
    cast = cast_network(subject.network, model)
    adversary, row = Adversary(cast, model), np.eye(LETTERS)[0] - np.eye(LETTERS)[1]
    for word in WORDS[::13]:
        execution = encoded(model, adversary.worst(word, 0, subject.at(word), row)[1])
        exact = replay_of(cast, model, execution).logits(word, 0, subject.at(word))
        native = NativeExecution(subject.network, execution.choices).logits(word, subject.at(word))
        assert list(map(Fraction, map(float, native))) == exact


def drawn(name: str, together: int = 400) -> int:
    """Draw executions of each preset, fewer of deep networks, and expect all logits in their enclosures."""
    words = 12 if len(unseen(name).network.steps) <= 5 else 2
    found = [share for preset, model in presets().items() for share in shares(
        unseen(name).network, model, words * together, Random(f"{name} {preset}"), together)]
    assert max(found) <= 1
    return together * len(found)


@pytest.mark.exhaustive
def test_a_million_drawn_executions_lie_in_their_enclosures() -> None:
    assert sum(map(drawn, FORMS)) >= MILLION
