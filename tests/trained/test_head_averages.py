"""Heads near uniform, constant or hard attention: errors by definition on every word; hardness against real softmax."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from certify.claims.trained.decide import Settings
from certify.claims.trained.decision import Decision
from certify.claims.trained.head_averages import measure_near, prove_near
from certify.claims.trained.heads import (
    Hardness,
    HeadBounds,
    HeadsQuestion,
    answer_about_heads,
    find_patterns,
    numbered_heads,
    read_bounds,
    read_heads_question,
)
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.trained.claim import WordsClaim, input_tokens
from constructions.trained.edit_kinds import KeepNeurons, MarkTokens, ReadHead, SetHead, SharpenHead
from constructions.trained.edits import edit_network
from constructions.trained.head_patterns import parse_pattern
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.check import check_text
from proofs.trained.forward import FloatAttention, FloatNetwork
from proofs.trained.masses import Masses
from tests.trained.random_networks import random_network

Array = NDArray[np.float64]


def zoo(name: str, n: int) -> tuple[TrainedNetwork, WordsClaim]:
    network = plans()[name].network()
    return network, replace(plans()[name].claim(network), lengths=(1, n), offsets=(0, 0))


def averages(network: TrainedNetwork, words: WordsClaim, word: tuple[str, ...]) -> tuple[Array, Array]:
    """Return the average of head 1.1 at the last token of a word, and that with equal weights, by their definition."""
    tokens, floats = np.array(input_tokens(words, word)), FloatNetwork(network)
    number, step = next((k, one) for k, one in enumerate(floats.steps) if isinstance(one, FloatAttention))
    x = floats.embedded(tokens, np.arange(len(tokens)))
    for earlier in floats.steps[:number]:
        x = floats.alone(earlier, x)
    values = np.asarray(step.heads[0].value(step.normed(x)))
    weights = floats.attention(tokens, 0)[0][0, -1]
    return weights @ values, values.mean(0)


@pytest.mark.parametrize("name", ["first", "d_2"])
def test_measured_errors_are_those_of_every_word(name: str) -> None:
    network, words = zoo(name, 4)
    uniform = {one.n: one for one in measure_near(network, words, (1, 1), "uniform").by_length}
    constant = measure_near(network, words, (1, 1), "constant")
    for n in range(1, 5):
        found = [averages(network, words, word) for word in product(words.alphabet, repeat=n)]
        assert uniform[n].error(np.zeros(())) == pytest.approx(max(abs(z - u).max() for z, u in found), abs=1e-12)
        by_length = constant.by_length[n - 1]
        assert by_length.least == pytest.approx(np.min([z for z, _ in found], 0), abs=1e-12)
        assert by_length.most == pytest.approx(np.max([z for z, _ in found], 0), abs=1e-12)


@pytest.mark.parametrize("near", ["uniform", "constant"])
def test_a_measured_error_is_proved_and_a_smaller_one_is_refuted(near: str) -> None:
    network, words = zoo("d_2", 4)
    question = read_heads_question(words, "1.1", (), (near,), None, False)
    row = prove_near(network, words, measure_near(network, words, (1, 1), question.near[0]), Settings())
    assert row.decision is not None and row.decision.verdict == "certified" and row.decision.certificate
    assert row.claimed is not None and 0 < row.claimed - Fraction(row.error) < Fraction(3, 1000)
    assert "the network ends at head 0 of step 0" in str(check_text(row.decision.certificate.encode()))
    smaller = HeadBounds(within=Fraction(row.error) - Fraction(1, 10**6))
    refuted = answer_about_heads(network, words, question, smaller, Settings())
    assert isinstance(refuted, Decision) and refuted.verdict == "refuted" and refuted.wrong_certificate


def test_only_queries_whose_prefix_satisfies_the_formula_are_judged() -> None:
    network, words = zoo("first", 4)
    given = parse_formula("Q_1", "01")
    row = measure_near(network, words, (1, 1), "uniform", given)
    found = [averages(network, words, (*word, "1")) for word in product("01", repeat=3)]
    assert row.by_length[3].error(row.center) == pytest.approx(max(abs(z - u).max() for z, u in found), abs=1e-12)
    (masses,) = [one for one in Masses(network, words).ranges(1, 1, parse_pattern("first", "01", {}), given)
                 if one.n == 4]
    weights = [FloatNetwork(network).attention(np.array(input_tokens(words, (*word, "1"))), 0)[0][0, -1, 1]
               for word in product("01", repeat=3)]
    assert (masses.least, masses.most) == pytest.approx((min(weights), max(weights)), abs=1e-12)


def test_a_head_within_an_error_of_hard_attention_is_certified_up_to_it() -> None:
    network, words = zoo("first", 8)
    question = HeadsQuestion(only=(1, 1), near=("hard",))
    verdicts = [answer_about_heads(network, words, question, read_bounds(None, None, within), Settings()).verdict
                for within in ("0.0063", "0.0062")]  # the least mass is 0.996888 = 1 - 0.006224 / 2
    assert verdicts == ["certified", "refuted"]


@pytest.mark.parametrize("seed", range(20))
def test_what_follows_from_a_mass_holds_for_softmax(seed: int) -> None:
    draw = np.random.default_rng(seed)
    scores = np.append(draw.normal(size=draw.integers(1, 30)) * 2, 9)
    weights = np.exp(scores) / np.exp(scores).sum()
    assert weights[-1] > 1 / 2
    found, error = Hardness.of(1 - Fraction(weights[-1])), 1 - weights[-1]
    assert abs(np.eye(len(scores))[-1] - weights).sum() <= float(found.within) + 1e-12
    assert scores[-1] - scores[:-1].max() >= found.gap > np.log((1 - error) / error) - 2e-3
    doubled = np.exp(2 * scores) / np.exp(2 * scores).sum()
    assert 2 * (1 - doubled[-1]) <= float(found.doubled)


def test_parts_of_an_edited_network_keep_their_numbers() -> None:
    network = random_network(2)
    steps = [k for k, step in enumerate(network.steps) if hasattr(step, "heads")]
    heads = numbered_heads(network)
    assert len(network.attention_steps[0].heads) > 1 or len(steps) > 1
    edited = edit_network(network, [SetHead(steps[0], 0)])
    assert numbered_heads(edited) == heads[1:]
    layer, head = heads[-1]
    sharp = edit_network(edited, [SharpenHead(steps[layer - 1], head - 1, 1)])
    words = WordsClaim(("a", "b"), (0, 3), (1,), (), (0, 0), (1, 3), "last", False, Fraction(0), None, (), ())
    pattern = parse_pattern("all Q_b", "ab", {})
    for changed in (edited, sharp):
        masses = {one.n: one.most for one in Masses(changed, words).ranges(layer, head, pattern)}
        probe = FloatNetwork(edit_network(changed, [MarkTokens((3,)), ReadHead(steps[layer - 1], head - 1, "mass")]))
        for n in range(1, 4):
            marked = [[1, *(network.vocabulary if letter else 0 for letter in word)]
                      for word in product(range(2), repeat=n) if any(word)]
            assert probe.logits(np.array(marked), 0)[:, -1, 0].max() == pytest.approx(masses[n], abs=1e-9)


def test_a_claim_about_a_head_of_an_edited_network_is_proved() -> None:
    network, words = zoo("first", 6)
    edited = edit_network(network, [KeepNeurons(1, (0, 1)), SharpenHead(0, 0, 1)])
    found = find_patterns(edited, words, HeadsQuestion(proves=True))
    assert found.verdict == "certified" and str(found.rows[0].pattern) == "first"
    assert found.rows[0].least.least > 0.99995  # 0.9969 before its scores are doubled
    printed = str(check_text(found.certificates["head_1_1.cert"].encode()))
    assert "the scores of head 0 of step 0 are times 2" in printed and "step 1 keeps the neurons 0 1" in printed


def test_what_does_not_fit_is_refused() -> None:
    network, words = zoo("first", 4)
    read = edit_network(network, [ReadHead(0, 0, "average")])
    for asked, complaint in [
            (lambda: find_patterns(read, replace(words, cases=())), "the network ends at a head that it reads, "
             "expected a network with its own logits"),
            (lambda: read_heads_question(words, None, (), ("soft",), None, False),
             "--near: found soft, expected one of hard, uniform, constant"),
            (lambda: read_bounds(None, None, "0"), "--within: found 0, expected a positive rational such as 3 or "
             "1386/1000"),
            (lambda: answer_about_heads(network, words, HeadsQuestion(near=("hard",)),
                                        HeadBounds(within=Fraction(1, 2)), Settings()),
             "--within: expected --head and one --near beside it, and no other bound nor --prove"),
            (lambda: answer_about_heads(network, words, HeadsQuestion((1, 1), near=("hard",)),
                                        HeadBounds(within=Fraction(1)), Settings()),
             "--near hard: expected --within less than 1, and at most one --on, of one position")]:
        with pytest.raises(InputError) as found:
            asked()  # type: ignore[no-untyped-call]
        assert str(found.value) == complaint
