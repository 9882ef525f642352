"""Networks of every logic in every regime, proved for every n by Coq."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from certify.examples import load_examples
from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.language.parser import parse_formula
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime, Sharpening
from tests.with_coq import ask_coq

EXAMPLES = {example.name: example for example in load_examples()}
FIVE_OPERATORS = "prev (Q_a since next (Q_b until (Q_a & prev Q_b)))"
TEMPERATURE = Regime()
POSITION = Regime(Sharpening.POSITION)
CAUSAL = Regime(Sharpening.TEMPERATURE, causal=True)
CAUSAL_POSITION = Regime(Sharpening.POSITION, causal=True)


def compiled_example(name: str, regime: Regime) -> Transformer:
    return compile_formula(EXAMPLES[name].formula, EXAMPLES[name].alphabet, regime)


@pytest.mark.parametrize(("name", "regime"), [
    ("induction_head", CAUSAL_POSITION), ("brackets_depth_2", CAUSAL), ("all_four", TEMPERATURE),
    ("all_four", POSITION),
    ("parity", TEMPERATURE), ("parity", POSITION), ("parity", CAUSAL), ("majority", POSITION), ("dyck_1", CAUSAL),
    ("even_balances", TEMPERATURE),
], ids=str)
def test_examples_of_every_logic_are_proved_for_every_n(name: str, regime: Regime) -> None:
    assert ask_coq(compiled_example(name, regime), EXAMPLES[name].formula).proved


@pytest.mark.parametrize("regime", [TEMPERATURE, POSITION], ids=str)
def test_five_temporal_operators_are_proved_for_every_n(regime: Regime) -> None:
    formula = parse_formula(FIVE_OPERATORS, "ab")
    assert ask_coq(compile_formula(formula, "ab", regime), formula).proved


@pytest.mark.exhaustive
@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_every_example_is_proved_for_every_n_wherever_it_fits(regime: Regime) -> None:
    proved = 0
    for name, example in EXAMPLES.items():
        try:
            network = compiled_example(name, regime)
        except Unsupported:
            continue
        assert ask_coq(network, example.formula).proved, name
        proved += 1
    assert proved > 20


@pytest.mark.parametrize(("text", "below", "enough"), [
    ("Q_a since Q_b", "138/100", "7/5"), ("ODD(#<[Q_a])", "19/10", "2"),
])
def test_a_constant_below_that_of_the_lemma_is_not_proved(text: str, below: str, enough: str) -> None:
    formula = parse_formula(text, "ab")
    answers = [ask_coq(compile_formula(formula, "ab", TEMPERATURE, Fraction(gamma)), formula)
               for gamma in (below, enough)]
    assert [answer.proved for answer in answers] == [False, True]
    assert re.search("does not accept this network, .*: layer [12], heads: near", answers[0].reason)
