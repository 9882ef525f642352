"""ReLU, sigmoid and geometric attention: certified, and right on every short word by an evaluation of its own."""

import itertools
import random
from fractions import Fraction

import pytest
from mpmath import log, mp, mpf

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify_transformer
from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.language.parser import parse_formula
from constructions.language.syntax import PredicateOnSum, subformulas
from constructions.network.json_form import transformer_from_json, transformer_to_json
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from constructions.network.weightings import Weighting
from constructions.regimes import ALL_REGIMES, Regime, Sharpening
from proofs.formula.additive.worst_case import ResponseExtreme
from proofs.formula.discharge import Line, discharge
from proofs.formula.stick_breaking.worst_case import StickExtreme
from tests.network.random_formulas import random_counting_formula, random_formula
from tests.network.second_forward import SecondForward
from tests.sabotage.ground_truth import own_misses, words

ADDITIVE = (Weighting.RELU, Weighting.RELU_OVER_N, Weighting.SIGMOID)
SEEDS = [*range(2), *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(2, 40))]
STICKS = (Weighting.GEOMETRIC, Weighting.STICK_BREAKING)


def lines_of(transformer: Transformer, max_n: int, twice: bool = True) -> list[Line]:
    return discharge(transformer, Lengths(1, max_n), twice=twice)


def check(text: str, weighting: Weighting, regime: Regime = Regime(), max_n: int = 4,
          run_up_to: int = 3) -> Transformer:
    transformer = compile_formula(parse_formula(text), "ab", regime, weighting=weighting)
    outcome = certify_transformer(transformer, max_n, regime)
    assert isinstance(outcome, Certified), (text, weighting, regime, outcome)
    forward = SecondForward(transformer, 40)
    for word in words("ab", run_up_to):
        assert own_misses(transformer, word, forward) == [], (text, weighting, word)
    return transformer


@pytest.mark.one_in(16)
@pytest.mark.parametrize("weighting", ADDITIVE)
@pytest.mark.parametrize("text", [
    "(Q_a | FIRST) since Q_b", "Q_a until (Q_b | next Q_b)", "prev ODD", "#<[prev Q_a] == 2*#>[Q_b] - 1",
    "PRIME(#>[Q_b])", "ODD(#<[ODD])", "LAST(#<[Q_a])", "MOD(3,0)(#<[true])", "true since FIRST",
])
def test_formulas_are_proved_and_right_on_every_word_in_both_regimes(text: str, weighting: Weighting) -> None:
    for regime in (Regime(), Regime(Sharpening.POSITION)):
        check(text, weighting, regime)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("weighting", STICKS)
@pytest.mark.parametrize("text", ["Q_a until (Q_b | next Q_b)", "prev ODD", "prev ((Q_a | FIRST) since Q_b)",
                                  "Q_a since Q_a"])
def test_temporal_formulas_are_proved_and_right_under_geometric_attention(text: str, weighting: Weighting) -> None:
    for regime in (Regime(), Regime(Sharpening.POSITION)):
        check(text, weighting, regime)


@pytest.mark.parametrize("weighting", [Weighting.RELU, Weighting.SIGMOID, Weighting.GEOMETRIC])
@pytest.mark.parametrize("regime", [regime for regime in ALL_REGIMES if regime.causal])
def test_past_formulas_are_built_causally(regime: Regime, weighting: Weighting) -> None:
    transformer = check("prev ((Q_a | prev Q_a) since Q_b)", weighting, regime)
    assert not any(head.temperature.mentions_n for _, _, head in transformer.heads())


def test_relu_needs_no_position_embedding_and_no_temperature() -> None:
    transformer = check("prev ((Q_a | Q_b) since Q_b) & #<[Q_a] > #>[Q_b]", Weighting.RELU)
    assert transformer.position_embedding == {}
    assert {head.temperature.text for _, _, head in transformer.heads()} == {"1"}


@pytest.mark.parametrize("seed", SEEDS)
def test_random_counting_formulas_are_proved_and_right_under_additive_attention(seed: int) -> None:
    formula = random_counting_formula(random.Random(f"additive {seed}"), 3)
    for weighting in ADDITIVE:
        if any(isinstance(part, PredicateOnSum) for part in subformulas(formula)):
            with pytest.raises(Unsupported, match="single counts"):
                compile_formula(formula, "ab", Regime(), weighting=weighting)
        else:
            check(str(formula), weighting)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_temporal_formulas_are_proved_and_right_under_geometric_attention(seed: int) -> None:
    check(str(random_formula(random.Random(f"geometric {seed}"), 3)), Weighting.GEOMETRIC)


@pytest.mark.parametrize("text, reason", [("ODD(#<[Q_a])", "no head weights all positions equally"),
                                          ("#<[Q_a] > #>[Q_a]", "no head weights all positions equally")])
def test_geometric_attention_does_not_count(text: str, reason: str) -> None:
    with pytest.raises(Unsupported, match=reason):
        compile_formula(parse_formula(text), "ab", Regime(), weighting=Weighting.GEOMETRIC)


def test_what_is_divided_by_n_is_not_causal() -> None:
    with pytest.raises(Unsupported, match="divides by the length n"):
        compile_formula(parse_formula("prev Q_a"), "ab", Regime(causal=True), weighting=Weighting.RELU_OVER_N)


# -- worst cases -------------------------------------------------------------------------------------------------------


def worst_of(text: str, weighting: Weighting, gamma: Fraction, max_n: int) -> list[Fraction]:
    transformer = compile_formula(parse_formula(text), "abc", Regime(), gamma, weighting=weighting)
    found = [line.worst for line in lines_of(transformer, max_n, twice=False) if line.worst]
    return [extreme.upper for worst in found for extreme in worst.extremes]


def test_sigmoid_since_errs_by_at_most_2_sigma_of_minus_gamma_which_a_lone_yes_attains() -> None:
    with mp.workdps(40):
        limit = 2 / (1 + mp.exp(2))
        transformer = compile_formula(parse_formula("(Q_a | Q_b) since Q_a"), "abc", Regime(), Fraction(2),
                                      weighting=Weighting.SIGMOID)
        forward = SecondForward(transformer, 40)
        near = list(transformer.directions).index("near[(Q_a | Q_b) since Q_a]")
        errors = []
        for word in words("abc", 4):
            held = forward.run(word)[-1][near]
            deciding = [symbol for symbol in word if symbol != "b"]
            errors.append(1 - held if deciding and deciding[-1] == "a" else held)
        found = max(worst_of("(Q_a | Q_b) since Q_a", Weighting.SIGMOID, Fraction(2), 4))
        assert max(errors) <= limit
        assert abs(max(errors) - limit) < mpf(10) ** -30
        assert abs(limit - mpf(found.numerator) / found.denominator) < mpf(10) ** -9


def test_sigmoid_selects_to_within_a_quarter_from_gamma_ln_7_on_at_every_length() -> None:
    below, above = Fraction("1.94591"), Fraction("1.94592")
    assert float(below) < log(7) < float(above)
    for max_n, text in itertools.product((2, 9, 40), ("(Q_a | Q_b) since Q_a", "prev Q_a")):
        assert max(worst_of(text, Weighting.SIGMOID, above, max_n)) <= Fraction(1, 4)
        assert max(worst_of(text, Weighting.SIGMOID, below, max_n)) > Fraction(1, 4)


@pytest.mark.parametrize("max_n", [2, 3, 5, 6])
def test_geometric_since_errs_by_exactly_1_less_the_power_of_p(max_n: int) -> None:
    with mp.workdps(40):
        expected = max(1 - (1 / (1 + mp.exp(-((n - 1).bit_length() + 1) / mpf(2))))**(n - 1)
                       for n in range(1, max_n + 1))
        found = max(worst_of("(Q_a | Q_b) since Q_a", Weighting.GEOMETRIC, Fraction(1, 2), max_n))
        assert abs(expected - mpf(found.numerator) / found.denominator) < mpf(10) ** -9


def test_worst_cases_are_no_weighted_means() -> None:
    for weighting, kind in ((Weighting.SIGMOID, ResponseExtreme), (Weighting.GEOMETRIC, StickExtreme)):
        transformer = compile_formula(parse_formula("(Q_a | Q_b) since Q_a"), "abc", Regime(), weighting=weighting)
        (worst,) = [line.worst for line in lines_of(transformer, 7) if line.worst]
        assert all(isinstance(extreme, kind) for extreme in worst.extremes)


# -- a changed weight is noticed ---------------------------------------------------------------------------------------


def changed(transformer: Transformer, rng: random.Random) -> Transformer:
    """Return the network with one weight of a head doubled, negated or one more."""
    model = transformer_to_json(transformer)
    rows = [row for layer in model["layers"] for head in layer["heads"]
            for row in (*head["queries"], *head["keys"], *head["values"].values()) if row]
    row = rng.choice(rows)
    name = rng.choice(list(row))
    weight = Fraction(row[name])
    row[name] = str(rng.choice([2 * weight, -weight, weight + 1]) or Fraction(3))
    return transformer_from_json(model)


@pytest.mark.parametrize("weighting, text", [
    *((weighting, "(Q_a | prev Q_b) since Q_b") for weighting in (Weighting.RELU, Weighting.SIGMOID, STICKS[0])),
    *((weighting, "ODD(#<[Q_a])") for weighting in (Weighting.RELU, Weighting.SIGMOID))])
def test_a_changed_weight_is_proved_only_if_every_short_word_is_right(weighting: Weighting, text: str) -> None:
    transformer = compile_formula(parse_formula(text), "ab", Regime(), weighting=weighting)
    proved = 0
    for seed in range(12):
        mutant = changed(transformer, random.Random(f"{weighting} {text} {seed}"))
        if all(line.proved for line in lines_of(mutant, 4, twice=False)):
            proved += 1
            forward = SecondForward(mutant, 40)
            assert not any(own_misses(mutant, word, forward) for word in words("ab", 4)), seed
    assert proved < 10
