"""[Hahn] Theorem 1, Corollary 2 and Lemma 4 on small networks, by brute force (proofs/coq/hahn_lemma_4_*.v).

One layer of leftmost or rightmost attention; a restriction fixes some symbols of the words of length n.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.exact_weights import hard_weights
from constructions.network.run import embed, run_hard, scaled_scores
from constructions.network.transformer import Head, Transformer
from constructions.network.weightings import Weighting
from constructions.regimes import Regime
from tests.numbers.sensitivity.random_networks import random_network

SINGLE = (Weighting.LEFTMOST_HARDMAX, Weighting.RIGHTMOST_HARDMAX)
N = 5
Word = tuple[str, ...]


def one_layer(seed: int) -> Transformer:
    network = random_network(random.Random(f"single {seed}"), SINGLE)
    return replace(network, layers=network.layers[:1])


def words(n: int, fixed: dict[int, str]) -> Iterator[Word]:
    """Those that have these symbols at these positions, counted from 0."""
    return product(*((fixed[i],) if i in fixed else ("a", "b") for i in range(n)))


def attended(network: Transformer, head: Head) -> dict[Word, list[int]]:
    """Return, for every word and position, the one position, from 0, that the head of the first layer attends to."""
    found = {}
    for word in words(N, {}):
        rows = [hard_weights(scores, head.weighting) for scores in scaled_scores(head, embed(network, word))]
        assert all(sorted(row) == [0] * (len(row) - 1) + [1] for row in rows)
        found[word] = [head.mask.visible(j, N)[row.index(Fraction(1))] - 1 for j, row in enumerate(rows, start=1)]
    return found


def picked(table: dict[Word, list[int]], j: int, fixed: dict[int, str]) -> set[int]:
    return {table[word][j] for word in words(N, fixed)}


def test_of_more_than_m_positions_m_settle_the_query_if_their_symbol_is_fixed() -> None:
    """The heart of the depth reduction lemma, `many_settle`: so one symbol settles its share of all queries."""
    met = []
    for network in map(one_layer, range(16)):
        for table, j, own in product((attended(network, head) for head in network.layers[0].heads), range(N), "ab"):
            before = len(picked(table, j, {j: own}))
            met.append(before)
            left = {(i, symbol): len(picked(table, j, {i: symbol, j: own}))
                    for i, symbol in product(range(N), "ab") if i != j or symbol == own}
            assert all(len({i for (i, _), k in left.items() if k <= m}) >= m for m in range(1, before))
    assert max(met) >= N - 1


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(20))
def test_an_activation_depends_on_what_is_picked_and_on_nothing_else(seed: int) -> None:
    """`depth_reduction`: its own symbol, and those that its heads attend to for some words of the restriction."""
    network, draw = one_layer(seed), random.Random(seed)
    tables = [attended(network, head) for head in network.layers[0].heads]
    fixed = {i: draw.choice("ab") for i in draw.sample(range(N), draw.randint(0, 3))}
    stream = {word: run_hard(network, word) for word in words(N, fixed)}
    for j in range(N):
        own = fixed.get(j, "ab")
        reads = {j}.union(*(picked(table, j, {**fixed, j: symbol}) for table in tables for symbol in own))
        found: dict[Word, object] = {}
        for word, activations in stream.items():
            assert found.setdefault(tuple(word[i] for i in sorted(reads)), activations[j]) == activations[j]


def exchanged(network: Transformer, n: int, others: tuple[str, str]) -> tuple[int, int]:
    """Return the numbers of pairs of words that differ in one symbol, with equal output at n, and in all."""
    output = {word: run_hard(network, word)[-1].get(network.output, 0) for word in product(others, repeat=n)}
    pairs = [(word, (*word[:p], others[1], *word[p + 1:])) for word in output for p in range(n) if word[p] == others[0]]
    return sum(output[u] == output[v] for u, v in pairs), len(pairs)


def test_parity_by_the_mean_of_all_symbols_is_not_parity_by_one_of_them() -> None:
    """Average-hardmax tells all pairs apart; with either single attention the same weights do not."""
    network = compile_formula(parse_formula("ODD(#<[Q_1])", "01"), "01", Regime())
    assert exchanged(network, 5, ("0", "1")) == (0, 80)
    for weighting in SINGLE:
        single = replace(network, layers=tuple(
            replace(layer, heads=tuple(replace(head, weighting=weighting) for head in layer.heads))
            for layer in network.layers))
        same, pairs = exchanged(single, 5, ("0", "1"))
        assert 0 < same <= pairs == 80


@pytest.mark.parametrize("seed", range(6))
def test_no_small_network_computes_parity(seed: int) -> None:
    """Corollary 2 where it can be searched: two words that differ in one symbol, with the same output."""
    same, pairs = exchanged(random_network(random.Random(f"single {seed}"), SINGLE), 5, ("a", "b"))
    assert 0 < same <= pairs
