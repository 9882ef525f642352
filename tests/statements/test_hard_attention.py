"""Networks with hard attention: exact on every short word, and without a tie, by brute force and by exact gaps."""

import operator
import random
from fractions import Fraction

import pytest

from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.hard_attention import compile_hard
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.network.json_form import read_transformer, transformer_to_json, write_canonical
from constructions.network.meanings import Near
from constructions.network.run import (
    Residual,
    attend_hard,
    embed,
    feed_exactly,
    run_hard,
    run_layers,
    scaled_scores,
)
from constructions.network.transformer import Head, Transformer
from constructions.network.weightings import Weighting
from constructions.regimes import ALL_REGIMES, Regime, Sharpening
from proofs.softened.gap import find_gap
from tests.network.random_formulas import random_counting_formula
from tests.network.test_hard_and_soft_run_compute_the_formula import check_hard, words_up_to
from tests.softened.gap_by_brute_force import differences

OPERATORS = ["prev Q_a", "next Q_a", "Q_a since Q_b", "Q_b until Q_a", "Q_a S Q_b", "O Q_a", "prev true", "G Q_a",
             "prev (Q_a since prev Q_b)", "next ((!Q_a) U next Q_b)", "#<[Q_a] >= 2", "2*#>[Q_a] - #<[Q_b] == 1",
             "ODD(#<[Q_a])", "SQUARE(#>[Q_b])", "#<[prev Q_a] < #<[Q_b]", "#<[false] == 0 & #>[true] != 3"]
GAMMA = Fraction(3)


def built(text: str, regime: Regime) -> Transformer:
    try:
        return compile_hard(parse_formula(text, "ab"), "ab", regime)
    except Unsupported:
        pytest.skip("not in this regime")


def is_uniform(head: Head) -> bool:
    return not any(head.queries) and not any(head.keys)


def attend_without_ties(head: Head, stream: list[Residual]) -> list[Residual]:
    for i, found in enumerate(scaled_scores(head, stream), start=1):
        assert is_uniform(head) or found.count(max(found)) == 1, (head.name, i, len(stream))
    return attend_hard(head, stream)


def check_output_and_ties(text: str, regime: Regime, longest: int) -> None:
    """Nothing ties, and the output is the truth, at every position of every word up to this length."""
    network = built(text, regime)
    assert {head.weighting for _, _, head in network.heads()} <= {Weighting.AVERAGE_HARDMAX}
    formula = parse_formula(text, "ab")
    for word in words_up_to(longest):
        stream = run_layers(embed(network, word), network, attend_without_ties, feed_exactly, operator.add)
        values = [vector.get(network.output, 0) for vector in stream]
        assert values == list(map(int, truth_values(formula, word))), word


def check_gaps(text: str, regime: Regime, longest: int) -> None:
    """The gap of every head is positive, whichever way it is found."""
    network = built(text, regime)
    for layer, place, head in network.heads():
        if not is_uniform(head):
            for n in range(2, longest + 1):
                found = find_gap(network, layer, place, n)
                assert not found.tied and (found.value is None or found.value > 0), (layer, place, n)
            assert min(differences(network, layer, place, 3)) == find_gap(network, layer, place, 3).value


@pytest.mark.one_in(16)
@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
@pytest.mark.parametrize("text", OPERATORS)
def test_nothing_ties_and_the_output_is_the_truth_on_every_word_up_to_length_5(text: str, regime: Regime) -> None:
    check_output_and_ties(text, regime, 5)
    check_gaps(text, regime, 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
@pytest.mark.parametrize("text", OPERATORS)
def test_nothing_ties_and_the_output_is_the_truth_on_every_word_up_to_length_7(text: str, regime: Regime) -> None:
    check_output_and_ties(text, regime, 7)
    check_gaps(text, regime, 6)


@pytest.mark.parametrize(("text", "regime", "gap"), [
    ("Q_a since Q_b", Regime(), lambda n: GAMMA / n),
    ("Q_b until Q_a", Regime(), lambda n: GAMMA / n),
    ("Q_a since Q_b", Regime(Sharpening.POSITION), lambda n: GAMMA),
    ("Q_a since Q_b", Regime(causal=True), lambda n: GAMMA / (n * (n - 1))),
    ("ODD(#<[Q_a])", Regime(), lambda n: GAMMA / n),
    ("ODD(#>[Q_a])", Regime(), lambda n: GAMMA / n),
    ("ODD(#<[Q_a])", Regime(Sharpening.POSITION), lambda n: GAMMA),
    ("2*#>[Q_a] - #>[Q_b] == 1", Regime(), lambda n: 3 * GAMMA / n),
])  # fmt: skip
def test_the_gaps_are_those_of_the_docstring(text: str, regime: Regime, gap: object) -> None:
    network = built(text, regime)
    for n in range(2, 7):
        gaps = [find_gap(network, layer, place, n) for layer, place, head in network.heads() if any(head.queries)]
        assert min(found.value for found in gaps if found.value is not None) == gap(n)  # type: ignore[operator]
        assert not any(found.tied for found in gaps)


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_one_position_has_no_gap_and_no_tie(regime: Regime) -> None:
    for text in OPERATORS[:4]:
        try:
            network = compile_hard(parse_formula(text, "ab"), "ab", regime)
        except Unsupported:
            continue
        for layer, place, head in network.heads():
            if any(head.queries):
                found = find_gap(network, layer, place, 1)
                assert (found.value, found.tied) == (None, False)
        check_hard(network, words_up_to(1))


@pytest.mark.one_in(16)
@pytest.mark.parametrize("seed", range(40))
def test_every_direction_of_random_formulas_holds_what_it_means(seed: int) -> None:
    rng = random.Random(f"hard {seed}")
    regime = ALL_REGIMES[seed % 2]
    network = compile_hard(random_counting_formula(rng, 3), "ab", regime)
    check_hard(network, words_up_to(4))
    nears = [name for name, meaning in network.directions.items() if isinstance(meaning, Near)]
    for word in words_up_to(4):
        assert all(vector.get(name, 0) in (0, 1) for vector in run_hard(network, word) for name in nears)


def test_hard_networks_differ_from_soft_ones_in_weighting_and_temperature_alone_and_are_read_back() -> None:
    formula = parse_formula("prev Q_a since #<[Q_b] > 1", "ab")
    soft, hard = (transformer_to_json(build(formula, "ab", Regime())) for build in (compile_formula, compile_hard))
    assert transformer_to_json(read_transformer(write_canonical(hard))) == hard
    for data in (soft, hard):
        for layer in data["layers"]:
            for head in layer["heads"]:
                del head["weighting"], head["temperature"]
    assert soft == hard


def test_what_a_regime_does_not_support_is_unsupported_with_hard_attention() -> None:
    with pytest.raises(Unsupported, match="looks ahead"):
        compile_hard(parse_formula("next Q_a", "ab"), "ab", Regime(causal=True))
