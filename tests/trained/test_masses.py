"""Masses of heads: measured ones against every word and every pattern by its definition; proved ones by the checker."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from certify.claims.trained.heads import HeadsQuestion, decide_mass, find_patterns
from constructions.errors import InputError, Unsupported
from constructions.trained.claim import Read, WordsClaim
from constructions.trained.head_patterns import PATTERNS, HeadClaim, parse_pattern
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.check import check_text
from proofs.trained.forward import FloatNetwork
from proofs.trained.masses import Masses
from tests.trained.random_networks import random_network

Keys = Callable[[str, int], bool]


def run_of_b(word: str) -> list[int]:
    """Return the positions of the run of b that ends at the query."""
    return list(range(len(word.rstrip("b")), len(word)))


POSITIONS: dict[str, Callable[[str], list[int] | None]] = {
    "letters": lambda word: list(range(len(word))),
    "itself": lambda word: [len(word) - 1],
    "previous": lambda word: [len(word) - 2] if len(word) > 1 else None,
    "first": lambda word: [0],
    "all Q_b": lambda word: [i for i, letter in enumerate(word) if letter == "b"] or None,
    "rightmost Q_b": lambda word: [word.rindex("b")] if "b" in word else None,
    "leftmost Q_b & prev Q_a": lambda word: [word.index("ab") + 1] if "ab" in word else None,
    "marks Q['b*'] & Q['b*'] S (Q['b*'] & !prev true | Q_a & H (Q_a | Q_b))": lambda word: run_of_b(word) or None,
    "rightmost ODD": lambda word: [(len(word) - 1) // 2 * 2]}
"""The positions of each pattern in a prefix, by Python's own searches; None where it has none."""


def words_of(read: Read, n: int) -> WordsClaim:
    return WordsClaim(("a", "b"), (0, 3), (1,), (2,) if read == "last" else (), (0, 0), (1, n), read, False,
                      Fraction(0), None, (), ())


def by_brute_force(network: TrainedNetwork, words: WordsClaim, part: tuple[int, int], pattern: str
                   ) -> dict[int, tuple[float, float]]:
    """Return the least and the greatest mass for each length, from every word's attention weights."""
    floats, found = FloatNetwork(network), dict[int, tuple[float, float]]()
    for n in range(1, words.lengths[1] + 1):
        masses = []
        for word in map("".join, product("ab", repeat=n)):
            tokens = [*words.before, *({"a": 0, "b": 3}[letter] for letter in word), *words.after]
            weights = floats.attention(np.array(tokens), 0)[part[0] - 1][part[1] - 1, -1]
            places = None if pattern == "start" else POSITIONS[pattern](word)
            if pattern == "start":
                masses.append(float(weights[0]))
            elif places is not None:
                masses.append(float(sum(weights[1 + place] for place in places)))
        if masses:
            found[n] = min(masses), max(masses)
    return found


@pytest.mark.parametrize("pattern", ["start", *POSITIONS])
@pytest.mark.parametrize("seed", range(8))
def test_measured_masses_are_those_of_every_word(seed: int, pattern: str) -> None:
    network = random_network(seed)
    network = replace(network, readout="each")
    words = words_of("each" if network.is_causal and seed % 2 else "last", 4)
    parsed = parse_pattern(pattern, "ab", {})
    for layer, step in enumerate(network.attention_steps, 1):
        found = {one.n: one for one in Masses(network, words).ranges(layer, len(step.heads), parsed)}
        expected = by_brute_force(network, words, (layer, len(step.heads)), pattern)
        assert {n: (one.least, one.most) for n, one in found.items()} == {
            n: pytest.approx(ends, abs=1e-12) for n, ends in expected.items()}


def zoo(name: str, n: int) -> tuple[TrainedNetwork, WordsClaim]:
    network = plans()[name].network()
    words = plans()[name].claim(network)
    return network, replace(words, lengths=(1, n), offsets=(0, 0))


def test_the_head_of_first_is_hard_on_the_first_letter_and_no_more_than_that() -> None:
    network, words = zoo("first", 12)
    claim = HeadClaim(1, 1, parse_pattern("first", "01", {}), Fraction("0.9945"))
    certified = decide_mass(network, words, claim)
    assert certified.verdict == "certified" and certified.certificate
    assert "the network ends at head 0 of step 0" in str(check_text(certified.certificate.encode()))
    refuted = decide_mass(network, words, replace(claim, least=Fraction("0.9946")))
    assert refuted.wrong is not None and refuted.certified_to == 11
    assert "".join(refuted.wrong.word) == "1*01001011111"


def test_what_is_measured_is_proved_and_its_neighbour_is_refuted() -> None:
    table = find_patterns(*zoo("tomita_2", 6), HeadsQuestion(proves=True))
    assert str(table.rows[0].pattern) == "letters" and table.verdict == "certified"
    row = table.rows[0]
    assert row.claimed is not None and 0 < row.least.least - float(row.claimed) < 2e-4
    network, words = zoo("tomita_2", 6)
    above = HeadClaim(1, 1, row.pattern, Fraction(row.least.least) + Fraction(1, 10**9))
    assert decide_mass(network, words, above).verdict == "refuted"
    most = HeadClaim(1, 1, row.pattern, None, Fraction(row.most.most) + Fraction(1, 10**9))
    assert decide_mass(network, words, most).verdict == "certified"


def test_a_head_of_the_second_layer_has_a_bound_too() -> None:
    network, words = zoo("tomita_7_deep", 6)
    assert decide_mass(network, words, HeadClaim(2, 1, parse_pattern("itself", "01", {}), None, Fraction("0.45"))
                       ).verdict == "certified"


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_has_a_formula_exactly_if_it_needs_one(pattern: str) -> None:
    needs = pattern in ("all", "rightmost", "leftmost", "marks")
    assert str(parse_pattern(pattern + " Q_a" * needs, "ab", {})) == pattern + " Q_a" * needs
    with pytest.raises(InputError, match=f"^{pattern}: expected"):
        parse_pattern(pattern + " Q_a" * (not needs), "ab", {})


def test_what_has_no_meaning_is_refused() -> None:
    network, words = zoo("first", 4)
    for claim, complaint in [
            (HeadClaim(2, 1, parse_pattern("first", "01", {}), Fraction(1, 2)), "layer 2, expected 1 to 1"),
            (HeadClaim(1, 2, parse_pattern("first", "01", {}), Fraction(1, 2)), "head 1.2, expected 1 to 1 in layer 1"),
            (HeadClaim(1, 1, parse_pattern("first", "01", {})), "expected the least or the greatest mass that is "
             "claimed")]:
        with pytest.raises(InputError) as found:
            decide_mass(network, words, claim)
        assert str(found.value) == complaint
    with pytest.raises(Unsupported, match="expected a causal network"):
        decide_mass(replace(network, attention="bidirectional", readout="each"), replace(words, read="each"),
                    HeadClaim(1, 1, parse_pattern("first", "01", {}), Fraction(1, 2)))
