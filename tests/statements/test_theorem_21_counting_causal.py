import itertools

import pytest

from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.network.lengths import up_to
from constructions.network.run import run_hard, scaled_scores
from constructions.network.transformer import Mask
from constructions.regimes import Regime
from proofs.formula.discharge import discharge
from tests.statements.helpers import network

CAUSAL = Regime(causal=True)
FORMULAS = ["#<[Q_a] > #<[Q_b]", "ODD(#<[Q_a])", "#<[#<[Q_a] == 2] >= 1", "#<[prev Q_a] == #<[Q_b since Q_a]",
            "SQUARE(#<[Q_a]) since ODD"]


@pytest.mark.parametrize("text", FORMULAS)
def test_every_obligation_is_proved_at_all_positions(text: str) -> None:
    assert [line.direction for line in discharge(network(text, CAUSAL), up_to(8)) if not line.proved] == []


@pytest.mark.parametrize("text", FORMULAS)
def test_hard_attention_computes_the_formula(text: str) -> None:
    transformer = network(text, CAUSAL)
    for n in range(1, 6):
        for word in itertools.product("ab", repeat=n):
            held = [vector.get(transformer.output, 0) for vector in run_hard(transformer, word)]
            assert held == list(truth_values(parse_formula(text), word)), word


@pytest.mark.parametrize("text", FORMULAS)
def test_everything_is_future_masked_and_independent_of_n(text: str) -> None:
    transformer = network(text, CAUSAL)
    assert {head.mask for _, _, head in transformer.heads()} == {Mask.FUTURE}
    functions = [*transformer.position_embedding.values(), *(head.temperature for _, _, head in transformer.heads())]
    assert not any("n" in function.variables for function in functions)


@pytest.mark.parametrize(("text", "power"), [("#<[Q_a] == 1", 0), ("prev true & #<[Q_a] == 1", 1)])
def test_the_scores_are_those_of_lemma_7_times_3c_and_times_i_beside_prev(text: str, power: int) -> None:
    """Divided by i and by the temperature: 1/i alone, 1/i² beside prev and since."""
    transformer, word = network(text, CAUSAL), tuple("abaa")
    layer, _, head = next(entry for entry in transformer.heads() if entry[2].name == "1 + others counted")
    before = run_hard(type(transformer)(**{**vars(transformer), "layers": transformer.layers[: layer - 1]}), word)
    for i in range(1, 5):
        position = word[:i].count("a") - (word[i - 1] == "a") + 1
        expected = [3 * i**power * (2 * position * j - j * j) for j in range(1, i + 1)]
        assert scaled_scores(head, before)[i - 1] == expected
