"""The checker proves decisions by classes about bidirectional networks, and running every word agrees."""

import re
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import Literal

import numpy as np
import pytest

from certify.claims.trained.decide import Settings, decide
from constructions.language.parser import parse_formula
from constructions.trained.claim import Case, When, WordsClaim, input_tokens, judged
from constructions.trained.network import Affine, AttentionStep, Scale, Tensor, TrainedHead, TrainedNetwork, View
from proofs.check import check_text
from proofs.trained.certificate import cover_of, decision_text
from proofs.trained.classes.refine import ClassSearch
from proofs.trained.classes.results import Limits
from proofs.trained.forward import FloatNetwork
from proofs.words.tracking import track
from tests.trained.class_claims import by_counts, by_states, words
from tests.trained.random_networks import random_network

N = 4
ROW = ((0, Fraction(1)), (1, Fraction(-1, 3)))
CLAIMS = {
    "last": by_counts((N, N), after=()),
    "after": by_counts((N, N)),
    "first": replace(by_counts((N, N)), read="first"),
    "each": by_states((N, N)),
    "each and after": replace(by_states((N, N), empty=True), after=(0, 2)),
}


def whole_network(seed: int, layers: int) -> TrainedNetwork:
    """Return a random bidirectional network with at most this many attention steps."""
    network = replace(random_network(seed, size=0.5 if layers == 1 else 0.15), attention="bidirectional")
    starts = [k for k, step in enumerate(network.steps) if isinstance(step, AttentionStep)]
    steps = network.steps[: [*starts, len(network.steps)][min(layers, len(starts))]]
    used = {*re.findall(r"tensor='(\w+)'", repr((network.tokens, network.positions, steps, network.unembedding)))}
    return replace(network, steps=steps, tensors={name: network.tensors[name] for name in used})


def with_bias(network: TrainedNetwork, by: np.float64) -> TrainedNetwork:
    """Return the network with ``by`` added to logit 0."""
    bias = FloatNetwork(network).unembedding.bias
    moved = np.zeros(network.outputs) if bias is None else bias.copy()
    moved[0] += by
    old = network.unembedding.bias
    tensors = {name: one for name, one in network.tensors.items() if old is None or name != old.tensor}
    tensors["bias"] = Tensor("binary64", moved.shape, moved.astype("<f8").tobytes())
    unembedding = Affine(network.unembedding.weight, View("bias", 0, moved.shape, (1,)))
    return replace(network, unembedding=unembedding, tensors=tensors)


def least_of_all(network: TrainedNetwork, claim: WordsClaim) -> np.float64:
    """Return the least value of the row wherever it is claimed, all words run one by one."""
    floats, tracker, found = FloatNetwork(network), track(claim), [np.float64(np.inf)]
    for word in words(N):
        logits = floats.logits(np.array([input_tokens(claim, [claim.alphabet[letter] for letter in word])]), 0)[0]
        found += [logits[token, 0] - logits[token, 1] / 3 for place, token in judged(claim, N)
                  if tracker.cases(reduce(tracker.step, word[:place], tracker.start))]
    return min(found)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize(("seed", "layers"), [(0, 1), (1, 1), (3, 1), (4, 1), (6, 1), (1, 2), (3, 2), (4, 2)])
def test_what_holds_is_proved_and_what_fails_by_little_is_open(name: str, seed: int, layers: int) -> None:
    claim, network = CLAIMS[name], whole_network(seed, layers)
    claim = replace(claim, offsets=(0, 0), cases=tuple(replace(case, above=(ROW,)) for case in claim.cases))
    least = least_of_all(network, claim)

    def decided(gap: float) -> list[int]:
        moved = with_bias(network, gap - least)
        found = ClassSearch(moved, claim, Limits(attempts=8)).decide(0, N, N)
        if found.units:
            check_text(decision_text(moved, claim, cover_of(found.units)).encode(), work=30)
        assert found.bounds[N].low <= gap + 1e-9
        assert gap - 1e-9 <= found.bounds[N].value
        return found.open

    assert not decided(0.5)
    assert decided(-1e-3) == [N]


def counting_network(pooled: bool) -> TrainedNetwork:
    """Tokens b, a and two others: the stream is (1 for a, less 1 for b; the average of that, which the head writes).

    ``pooled``: what is judged is the mean of all tokens of that average.
    """
    numbers = {
        "tokens": [[-1, 0], [1, 0], [0, 0], [0, 0]], "zero": [[0], [0]], "take": [[1], [0]], "give": [[0, 1]],
        "average": [[0], [1]], "answer": [[0, 0], [0, 1]]}
    tensors = {name: Tensor("binary32", np.shape(one), np.array(one, "<f4").tobytes()) for name, one in numbers.items()}

    def view(name: str) -> View:
        rows, columns = tensors[name].shape
        return View(name, 0, (rows, columns), (columns, 1))

    def mean(of: str) -> AttentionStep:
        return AttentionStep(None, (TrainedHead(Affine(view("zero"), None), Affine(view("zero"), None),
                                                Affine(view(of), None), view("give")),), None, Scale(times=Fraction(1)))

    steps = (mean("take"), mean("average")) if pooled else (mean("take"),)
    used = tensors if pooled else {name: one for name, one in tensors.items() if name != "average"}
    return TrainedNetwork("bidirectional", view("tokens"), None, steps, Affine(view("answer"), None), used)


def majority(read: Literal["first", "last"], n: int) -> WordsClaim:
    """Are there more a than b?"""
    cases = (Case(When(parse_formula("#<[Q_a] > #<[Q_b]")), (((1, Fraction(1)),),)),
             Case(When(parse_formula("#<[Q_a] < #<[Q_b]")), (((1, Fraction(-1)),),)))
    return WordsClaim(("a", "b"), (1, 0), (2,), (3,), (0, 0), (n - 1, n), read, False, Fraction(1, 100), None,
                      (), cases)


@pytest.mark.parametrize(("read", "pooled"), [("first", False), ("last", False), ("last", True),
                                               pytest.param("first", True, marks=pytest.mark.exhaustive)])
def test_lengths_are_decided_whose_words_nobody_runs(read: Literal["first", "last"], pooled: bool) -> None:
    """2^40 words, or 2^16; the mean of all averages is as much as each of them."""
    decision = decide(counting_network(pooled), majority(read, 16 if pooled else 40), Settings(most_words=2**8))
    assert decision.verdict == "certified"
    assert decision.covered["by words"] == 0
