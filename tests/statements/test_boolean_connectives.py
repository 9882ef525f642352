import itertools
from fractions import Fraction

import pytest

from constructions.language.parser import parse_formula
from constructions.language.semantics import satisfies
from constructions.network.lengths import up_to
from constructions.network.run import feed_exactly
from constructions.network.transformer import FeedForward, Unit
from constructions.regimes import ALL_REGIMES, Regime
from constructions.statements.boolean_connectives import connective_units
from proofs.formula.discharge import discharge
from tests.statements.helpers import network


@pytest.mark.parametrize("text", ["!Q_a", "Q_a & Q_b", "Q_a | Q_b", "Q_a -> Q_b", "Q_a <-> Q_b"])
@pytest.mark.parametrize("names", [("x", "y"), ("x", "x")])
def test_the_units_compute_the_truth_table_even_of_equal_operands(text: str, names: tuple[str, str]) -> None:
    formula = parse_formula(text)
    units, bias = connective_units(formula, names[:1] if text.startswith("!") else names)
    layer = FeedForward(tuple(Unit(reads, offset, {"out": write}) for reads, offset, write in units), {"out": bias})
    for x, y in itertools.product((0, 1), repeat=2):
        values = {"x": Fraction(x), "y": Fraction(y)}
        letters = {("x", "y"): (x, y), ("x", "x"): (x, x)}[names]
        equivalent = parse_formula(text.replace("Q_a", "true" if letters[0] else "false")
                                   .replace("Q_b", "true" if letters[1] else "false"))
        assert feed_exactly(layer, values).get("out", 0) == satisfies(equivalent, ("c",), 1)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
@pytest.mark.parametrize("text", ["true", "false", "Q_a & Q_b", "prev Q_a & prev Q_a", "!(prev Q_a <-> prev Q_b)",
                                  "(prev Q_a -> false) | prev true"])
def test_constants_contradictions_and_repeated_operands_are_certified(text: str, regime: Regime) -> None:
    assert all(line.proved for line in discharge(network(text, regime), up_to(6)))
