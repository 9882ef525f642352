"""Networks of every logic in every regime, proved for every n by Coq."""

import re
from fractions import Fraction

import pytest

from certify.claims.formula.examples import load_examples
from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime, Sharpening
from proofs.every_n import EVERY_LENGTH
from tests.with_coq import ask_coq, places_of_kernel

EXAMPLES = {example.name: example for example in load_examples()}
FIVE_OPERATORS = "prev (Q_a since next (Q_b until (Q_a & prev Q_b)))"
TEMPERATURE = Regime()
POSITION = Regime(Sharpening.POSITION)
CAUSAL = Regime(Sharpening.TEMPERATURE, causal=True)
CAUSAL_POSITION = Regime(Sharpening.POSITION, causal=True)


def compiled_example(name: str, regime: Regime) -> Transformer:
    return compile_formula(EXAMPLES[name].formula, EXAMPLES[name].alphabet, regime)


@pytest.mark.parametrize(("name", "regime"), [
    ("induction_head", CAUSAL_POSITION), ("all_four", TEMPERATURE), ("parity", CAUSAL), ("majority", POSITION),
    ("even_balances", TEMPERATURE),
], ids=str)
def test_examples_of_every_logic_are_proved_for_every_n(name: str, regime: Regime) -> None:
    assert ask_coq(compiled_example(name, regime), EXAMPLES[name].formula).proved


@pytest.mark.parametrize("regime", [TEMPERATURE, POSITION], ids=str)
def test_five_temporal_operators_are_proved_for_every_n(regime: Regime) -> None:
    formula = parse_formula(FIVE_OPERATORS, "ab")
    assert ask_coq(compile_formula(formula, "ab", regime), formula).proved


@pytest.mark.parametrize("text", ["H (prev Q_a -> prev Q_a)", "(O Q_a) since (O Q_a)", "ODD(#<[Q_a]) <-> ODD(#<[Q_a])"])
def test_formulas_whose_units_cancel_and_read_nothing_are_proved_for_every_n(text: str) -> None:
    formula = parse_formula(text, "ab")
    assert ask_coq(compile_formula(formula, "ab", TEMPERATURE), formula).proved


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


CONSTANTS = (
    ("next Q_a", TEMPERATURE, "0.693147", "0.693148"), ("Q_a since Q_b", CAUSAL, "1.386294", "1.386295"),
    ("MOD(3,0)(#<[Q_a])", TEMPERATURE, "1.796316", "1.796317"),
    ("prev Q_a", CAUSAL, "0.693147", "0.693148"), ("Q_a until Q_b", POSITION, "1.386294", "1.386295"),
    ("MOD(2,0)(#<[Q_a])", CAUSAL, "1.791759", "1.791760"))


def test_the_critical_constant_of_a_head_is_proved_and_nothing_below_it() -> None:
    """ln 2 = 0.6931471..., ln 4 = 1.3862943..., ln 6 = 1.7917594...; x + x^4 + x^9 + ... = 1/6 at γ = 1.7963164..."""
    claims = []
    for text, regime, *gammas in CONSTANTS:
        formula = parse_formula(text, "ab")
        claims += [(compile_formula(formula, "ab", regime, Fraction(gamma)), formula, EVERY_LENGTH) for gamma in gammas]
    found = places_of_kernel(claims)
    assert all(re.match("layer [1-4], heads: near", place) for place in found[::2]) and not any(found[1::2])


def test_a_comparison_is_proved_from_the_sharp_form_of_lemma_7_on() -> None:
    """The sharp form is 1/4 at γ = 1.166948; the rational bound of it is larger by less than 10^-4."""
    formula = parse_formula("#<[Q_a] >= 2", "ab")
    answers = [ask_coq(compile_formula(formula, "ab", TEMPERATURE, Fraction(gamma)), formula)
               for gamma in ("1.1669", "1.167")]
    assert [answer.proved for answer in answers] == [False, True]
    assert answers[0].reason.endswith(
        ": layer 2, ReLUs: slack[#<[Q_a] >= 2]: ReLU 1 may be on either side of its kink")


@pytest.mark.parametrize(("constant", "text", "regime", "proved"), [
    ("ln(4)", "(Q_a | Q_b) since Q_a", TEMPERATURE, True), ("ln(3)+ln(4/3)", "Q_a until Q_b", POSITION, True),
    ("ln(16)/2", "Q_a since prev Q_b", CAUSAL, True), ("ln(2)", "prev next Q_a", TEMPERATURE, True),
    ("ln(4)+1/10^60", "Q_a since Q_b", CAUSAL_POSITION, True), ("ln(3)+1/4", "Q_a since Q_b", TEMPERATURE, False),
    ("ln(399/100)", "Q_a since Q_b", TEMPERATURE, False), ("ln(2)*99/100", "prev Q_a", TEMPERATURE, False),
    ("sqrt(2)", "Q_a since Q_b", TEMPERATURE, True), ("3*sqrt(2)/2", "Q_a until Q_b", POSITION, True),
    ("sqrt(2)+ln(3)", "Q_a since prev Q_b", CAUSAL, True), ("sqrt(1/2)", "prev next Q_a", TEMPERATURE, True),
    ("ln(12)-ln(9)/2", "Q_a since Q_b", TEMPERATURE, True), ("ln(20)-sqrt(2)", "Q_a since Q_b", POSITION, True),
    ("ln(16)-sqrt(2)", "Q_a until Q_b", TEMPERATURE, False), ("sqrt(48/100)", "prev Q_a", TEMPERATURE, False),
    ("1.26186*ln(3)", "Q_a since Q_b", TEMPERATURE, True)])
def test_constants_at_the_critical_one_itself_are_proved_for_every_n(constant: str, text: str, regime: Regime,
                                                                     proved: bool) -> None:
    """For `since` and `until` ln 4, for `prev` and `next` ln 2: logarithms exactly, roots enclosed, and none below."""
    formula = parse_formula(text, "ab")
    network = compile_formula(formula, "ab", regime, parse_expression(constant, frozenset()))
    assert ask_coq(network, formula).proved is proved
