from fractions import Fraction

import pytest

from constructions.draft import Draft
from constructions.language.parser import parse_formula
from constructions.language.semantics import RELATIONS
from constructions.language.syntax import Comparison, Relation
from constructions.network.meanings import Anything, Meaning, Slack
from constructions.network.run import feed_exactly
from constructions.network.transformer import Transformer
from constructions.regimes import Regime
from constructions.statements.saturated_comparison import decide
from tests.statements.helpers import network, new_draft

SLACKS = {">=": [">="], "<": [">="], "<=": ["<="], ">": ["<="], "==": [">=", "<="], "!=": [">=", "<="]}


def compared(relation: str, right: str = "3") -> Comparison:
    formula = parse_formula(f"#<[Q_a] {relation} {right}")
    assert isinstance(formula, Comparison)
    return formula


def decided(draft: Draft, relation: str, scale: int = 1) -> Transformer:
    """A network that decides the relation from a direction that holds the integer, plus 3 and an error, over scale."""
    if not draft.has("h"):
        draft.embed_tokens("h", Anything(), {})
    formula = compared(relation)
    decide(draft, formula, {"h": Fraction(scale)}, Fraction(-3), Slack)
    return draft.finish(formula)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("scale", [1, 7])
def test_every_integer_is_decided_from_anything_within_a_quarter_of_it(relation: Relation, scale: int) -> None:
    network = decided(new_draft(Regime()), relation, scale)
    first, second = (layer.feedforward for layer in network.layers)
    for integer in range(-5, 6):
        for error in (Fraction(-1, 4), Fraction(-1, 7), Fraction(0), Fraction(1, 4)):
            slack = feed_exactly(first, {"h": (integer + 3 + error) / scale})
            holds = {name: RELATIONS[meaning.formula.relation](integer, 0)
                     for name, meaning in network.directions.items() if isinstance(meaning, Slack)
                     and isinstance(meaning.formula, Comparison)}
            assert {name: slack.get(name, 0) >= 1 for name in holds} == {name: not true for name, true in holds.items()}
            assert all(slack.get(name, 0) == 0 for name, true in holds.items() if true)
            truth = feed_exactly(second, slack).get(network.output, Fraction(0))
            assert truth == RELATIONS[relation](integer, 0), (integer, error)


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_slacks_are_those_of_the_bounds_that_decide_the_relation(relation: Relation) -> None:
    found = [meaning.formula for meaning in decided(new_draft(Regime()), relation).directions.values()
             if isinstance(meaning, Slack)]
    assert found == [compared(bound) for bound in SLACKS[relation]]


def test_weights_and_biases_are_binary_numbers() -> None:
    """-2H - 1/2 and 2H - 1/2, then 1 - z - z'."""
    first, second = (layer.feedforward for layer in decided(new_draft(Regime()), "!=").layers)
    assert [(dict(unit.reads), unit.bias) for unit in first.units] == [
        ({"h": -2}, Fraction(11, 2)), ({"h": 2}, Fraction(-13, 2))]
    slacks = {name: 1 for unit in first.units for name in unit.writes}
    assert [(dict(unit.reads), unit.bias, dict(unit.writes)) for unit in second.units] == [
        (dict.fromkeys(slacks, -1), 1, {"is[#<[Q_a] != 3]": -1})]
    assert dict(second.bias) == {"is[#<[Q_a] != 3]": 1}


def test_all_relations_to_one_number_share_two_slacks_however_they_are_spelled() -> None:
    text = "#<[Q_a] >= 3 & #<[Q_a] < 3 & #<[Q_a] - 3 == 0 & 3 + #<[Q_a] > 6"
    slacks = [name for name, meaning in network(text, Regime()).directions.items() if isinstance(meaning, Slack)]
    assert slacks == ["slack[#<[Q_a] >= 3]", "slack[#<[Q_a] - 3 <= 0]"]


def test_a_comparison_takes_one_feed_forward_part_more_than_its_slack() -> None:
    transformer = network("#<[Q_a] == 3", Regime())
    writing: dict[str, int] = {name: number for number, layer in enumerate(transformer.layers, 1)
                               for name in layer.feedforward.written()}
    meanings: dict[str, Meaning] = dict(transformer.directions)
    assert {writing[name] for name in writing if isinstance(meanings[name], Slack)} == {2}
    assert writing[transformer.output] == 3
