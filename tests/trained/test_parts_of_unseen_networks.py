"""Heads and circuits of networks that nothing was tuned on: random ones, with one and two layers, over two letters.

Masses are those of every short word and of a second method to n = 40, and proved up to rounding.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from certify.claims.trained.ablation import find_circuit
from certify.claims.trained.decide import Settings
from certify.claims.trained.heads import DIGITS, HeadsQuestion, find_patterns, numbered_heads
from certify.learning.own_answers import own_answers
from constructions.trained.claim import WordsClaim
from constructions.trained.edits import edit_network
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.trained.circuits import CircuitSearch
from tests.trained.random_networks import random_network
from tests.trained.test_ablation import is_right
from tests.trained.test_masses_of_the_zoo import by_choices, by_words, measured, weights_by_letter

ONE_LAYER = (1003, 1008, 1015, 1016, 1025, 1027)
TWO_LAYERS = (1004, 1005, 1011, 1014, 1019, 1023)
FAST = (1003, 1016, 1004)
LENGTHS = (10, 17, 25, 40)


def unseen(seed: int, n: int) -> tuple[TrainedNetwork, WordsClaim]:
    """Return the network of a seed, with a claim about all words up to a length."""
    network = random_network(seed, vocabulary=3, rows=max(LENGTHS) + 2)
    claim = plans()["last_letter"].claim(plans()["last_letter"].network())
    return network, replace(claim, tokens=(0, 1), before=(2,), after=(), lengths=(1, n), offsets=(0, 0), read="each")


def few_and_all(seeds: tuple[int, ...]) -> list[object]:
    """Return a few seeds, to be asked little about; and all of them, not so, with what is exhaustive."""
    return [*((seed, True) for seed in FAST if seed in seeds),
            *(pytest.param(seed, False, marks=pytest.mark.exhaustive) for seed in seeds)]


def test_the_networks_are_causal_and_have_one_and_two_layers() -> None:
    networks = [unseen(seed, 1)[0] for seed in (*ONE_LAYER, *TWO_LAYERS)]
    assert [len(network.attention_steps) for network in networks] == [1] * 6 + [2] * 6
    assert {network.attention for network in networks} == {"causal"}


@pytest.mark.parametrize(("seed", "few"), few_and_all((*ONE_LAYER, *TWO_LAYERS)))
def test_masses_are_those_of_every_word(seed: int, few: bool) -> None:
    longest = 5 if few else 9
    network, words = unseen(seed, longest)
    for head in numbered_heads(network):
        found = measured(network, words, head, set(range(1, longest + 1)))
        for n in range(1, longest + 1):
            expected = by_words(network, words, head, n)
            assert {pattern: found[pattern, n] for pattern in expected} == {
                pattern: pytest.approx(ends, abs=1e-12) for pattern, ends in expected.items()}


@pytest.mark.parametrize(("seed", "few"), few_and_all(ONE_LAYER))
def test_masses_of_long_words_are_those_of_a_second_method(seed: int, few: bool) -> None:
    lengths = {17} if few else {*LENGTHS}
    network, words = unseen(seed, max(lengths))
    for layer, head in numbered_heads(network):
        found = measured(network, words, (layer, head), lengths)
        for pattern, n in found:
            ends = [by_choices(pattern, words, *each) for each in weights_by_letter(network, words, head, n)]
            least, most = min(one[0] for one in ends if one), max(one[1] for one in ends if one)
            assert found[pattern, n] == pytest.approx((least, most), rel=1e-8, abs=1e-12), (str(pattern), n)


@pytest.mark.parametrize(("seed", "few"), few_and_all(ONE_LAYER))
def test_the_least_mass_of_a_head_of_one_layer_is_proved_up_to_rounding(seed: int, few: bool) -> None:
    table = find_patterns(*unseen(seed, 4 if few else 9), HeadsQuestion(proves=True))
    claimed = [row for row in table.rows if row.decision is not None]
    assert claimed
    for row in claimed:
        assert row.decision is not None and row.decision.verdict == "certified" and row.claimed is not None
        assert 0 <= Fraction(float(row.least.least)) - row.claimed < Fraction(1, 1000)
        assert row.least.least - float(row.claimed) < 2 / 10**DIGITS


@pytest.mark.parametrize(("seed", "edges"), [(1003, True), (1016, False), *(
    pytest.param(seed, edges, marks=pytest.mark.exhaustive) for seed in (*ONE_LAYER, *TWO_LAYERS)
    for edges in (False, True) if (seed, edges) not in ((1003, True), (1016, False)))])
def test_a_circuit_of_an_unseen_network_is_right_and_each_of_its_parts_has_a_word(seed: int, edges: bool) -> None:
    """The answers are those of the network itself, on all words; without any of its parts the circuit is wrong."""
    network, words = unseen(seed, 4)
    own, _ = own_answers(network, words, Settings())
    found = find_circuit(network, own, edges=edges)
    every = [word for n in range(1, 5) for word in product("01", repeat=n)]
    assert found.verdict == "certified" and found.is_minimal and {one.part for one in found.needed} == found.circuit
    assert all(is_right(network, own, word) and is_right(found.edited, own, word) for word in every)
    search = CircuitSearch(network, own, edges=edges)
    for one in found.needed:
        smaller = edit_network(network, search.edits(search.tidy(found.circuit - {one.part})))
        assert one.word is not None and not is_right(smaller, own, one.word.word)
