import pytest

from constructions.language.syntax import Predicate
from constructions.network.meanings import Truth
from tests.statements.helpers import worst_errors
from tests.statements.low_precision import is_certified, low_precision_network


@pytest.mark.parametrize("text", ["prev Q_a", "next Q_a", "prev prev Q_a -> next next Q_b"])
def test_it_is_certified_and_accepted(text: str) -> None:
    assert is_certified(text, 12)


@pytest.mark.parametrize("text", ["prev Q_a", "next Q_a"])
@pytest.mark.parametrize("parity", ["even", "odd"])
def test_the_worst_error_is_that_of_since(text: str, parity: str) -> None:
    """Below e^-4 = 0.0183156..., and near it as the rivals are 4, 8, 12, ... below at worst."""
    for extreme in worst_errors(low_precision_network(text, 40), 40, f"{parity} keys").values():
        assert extreme is not None
        assert f"{float(extreme.upper):.6g}" == "0.0183156"


def test_parities_and_edges_are_embedded() -> None:
    network = low_precision_network("prev Q_a & next Q_a", 8)
    embedded = {str(meaning.formula) for name, meaning in network.directions.items()
                if name in network.position_embedding and isinstance(meaning, Truth)
                and isinstance(meaning.formula, Predicate)}
    assert len(embedded) == 4
    assert len(network.layers) == 2


def test_prev_is_certified_as_causal() -> None:
    assert is_certified("prev Q_a", 10, causal=True)
