from fractions import Fraction

import pytest

from constructions.language.syntax import Predicate
from constructions.network.lengths import up_to
from constructions.network.run import run_hard
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime
from constructions.statements.proposition_11_end_markers import (
    FIRST,
    LAST,
    first_marker,
    last_marker,
    reciprocal_from_end,
    reciprocal_of_position,
)
from proofs.formula.discharge import discharge
from proofs.words.replay import run_soft
from tests.statements.helpers import new_draft


def marker_network(regime: Regime, output: Predicate) -> Transformer:
    """Both markers and both reciprocals that fit the regime, with ``output`` as the claim."""
    draft = new_draft(regime, reciprocal_embedded=False)
    first_marker(draft)
    reciprocal_of_position(draft)
    if not regime.causal:
        last_marker(draft)
        reciprocal_from_end(draft)
    return draft.finish(output)


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
@pytest.mark.parametrize("output", [FIRST, LAST], ids=lambda formula: formula.name)
def test_every_obligation_of_the_markers_is_proved(regime: Regime, output: Predicate) -> None:
    if regime.causal and output is LAST:
        pytest.skip("the last position is not known to a causal network")
    assert [line for line in discharge(marker_network(regime, output), up_to(24)) if not line.proved] == []


@pytest.mark.parametrize("n", [1, 2, 3, 4, 17])
def test_markers_and_reciprocals_are_exact_under_hard_and_soft_attention(n: int) -> None:
    transformer = marker_network(Regime(), FIRST)
    word = "ab" * n
    hard, soft = run_hard(transformer, word[:n]), run_soft(transformer, word[:n], 128)
    for i in range(1, n + 1):
        expected = {
            "is[FIRST]": Fraction(i == 1), "is[LAST]": Fraction(i == n),
            "1/i": Fraction(1, i), "1/(n+1-i)": Fraction(1, n + 1 - i),
        }
        for name, value in expected.items():
            assert hard[i - 1][name] == value
            assert soft[i - 1][name].lower == soft[i - 1][name].upper == value


def test_the_only_position_embedding_is_the_alternating_one() -> None:
    embedded = {str(value) for value in marker_network(Regime(), FIRST).position_embedding.values()}
    assert embedded == {"(-1)^i"}


def test_the_causal_markers_use_future_masks_only() -> None:
    transformer = marker_network(Regime(causal=True), FIRST)
    assert {head.mask.value for _, _, head in transformer.heads()} == {"future"}


def test_the_markers_read_the_means_above_a_half() -> None:
    transformer = marker_network(Regime(), FIRST)
    units = {name: [(dict(unit.reads), unit.bias, unit.writes[name]) for layer in transformer.layers
                    for unit in layer.feedforward.units if name in unit.writes] for name in ("is[FIRST]", "is[LAST]")}
    assert units == {"is[FIRST]": [({"alternating mean up to i": 1}, Fraction(-1, 2), 2)],
                     "is[LAST]": [({"alternating mean from i": sign}, Fraction(-1, 2), 2) for sign in (1, -1)]}
