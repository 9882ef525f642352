import pytest

from constructions.network.run import run_hard
from constructions.regimes import Regime, Sharpening
from tests.statements.helpers import attention_lines, network

REGIMES = [Regime(causal=True), Regime(Sharpening.POSITION, causal=True)]


@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_both_heads_are_proved_where_they_are_used(regime: Regime) -> None:
    lines = attention_lines(network("prev Q_a", regime), 20)
    assert [line.proved for line in lines] == [True, True]
    assert sum(line.rows for line in lines) == 20 * 21 // 2 - 20


@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_the_network_is_future_masked_and_independent_of_n(regime: Regime) -> None:
    transformer = network("prev Q_a", regime)
    for _, _, head in transformer.heads():
        assert head.mask.value == "future" and "n" not in head.temperature.variables
    assert all("n" not in value.variables for value in transformer.position_embedding.values())


def test_the_position_embeddings_are_those_of_the_theorem_and_the_reciprocal_is_computed() -> None:
    """[SHA] lists (-1)^i, and i^2 in case (b); Lemma 8 a also needs 1/i, which Proposition 11 supplies.

    The truths of EVEN and ODD are (1 + (-1)^i)/2 and (1 - (-1)^i)/2.
    """
    for regime, listed in zip(REGIMES, ({"(-1)^i", "1"}, {"(-1)^i", "i^2"}), strict=True):
        transformer = network("prev Q_a", regime)
        assert {str(value) for value in transformer.position_embedding.values()} == {*listed, "[EVEN]", "[ODD]"}
        assert "1/i" in transformer.directions


def test_previous_is_false_at_the_first_position() -> None:
    transformer = network("prev (Q_a | Q_b)", Regime(causal=True))
    assert [vector[transformer.output] for vector in run_hard(transformer, "abb")] == [0, 1, 1]
