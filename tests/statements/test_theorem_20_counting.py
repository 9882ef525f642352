import itertools
from collections.abc import Iterator
from fractions import Fraction

import mpmath
import pytest

from constructions.language.parser import parse_count, parse_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import Comparison, Count
from constructions.network.lengths import up_to
from constructions.network.meanings import Mean, Others, Product, Slack
from constructions.network.run import run_hard
from constructions.network.transformer import Mask, Transformer
from constructions.regimes import Regime, Sharpening
from proofs.enclosures.intervals import Interval
from proofs.formula.discharge import discharge
from proofs.words.replay import run_soft
from tests.statements.helpers import network

REGIMES = [Regime(), Regime(Sharpening.POSITION)]
FORMULAS = ["#<[Q_a] >= 2", "#>[Q_a] < 2", "3*#<[Q_a] - 2*#>[Q_b] >= 2", "#<[Q_a] - #<[Q_b] == 0", "ODD(#<[Q_a])",
            "#<[Q_a] == #>[Q_a]", "PRIME(#>[Q_a])", "#<[#>[Q_a] > 1] != 2", "MOD(3,2)(#<[EVEN(#<[Q_b])])",
            "#<[ODD] <= #<[Q_a]"]


def words_up_to(n: int) -> Iterator[tuple[str, ...]]:
    return (word for length in range(1, n + 1) for word in itertools.product("ab", repeat=length))


def number(count: Count, word: tuple[str, ...], i: int) -> int:
    truths = truth_values(count.operand, word)
    return sum(truths[:i] if count.side == "left" else truths[i - 1 :])


def length(count: Count, n: int, i: int) -> int:
    return i if count.side == "left" else n + 1 - i


@pytest.mark.one_in(8)
@pytest.mark.parametrize("regime", REGIMES, ids=str)
@pytest.mark.parametrize("text", FORMULAS)
def test_every_obligation_is_proved_at_all_positions(text: str, regime: Regime) -> None:
    assert [line.direction for line in discharge(network(text, regime), up_to(8)) if not line.proved] == []


@pytest.mark.one_in(8)
@pytest.mark.parametrize("regime", REGIMES, ids=str)
@pytest.mark.parametrize("text", FORMULAS)
def test_hard_attention_computes_the_formula(text: str, regime: Regime) -> None:
    transformer = network(text, regime)
    for word in words_up_to(5):
        held = [vector.get(transformer.output, 0) for vector in run_hard(transformer, word)]
        assert held == list(truth_values(parse_formula(text), word)), word


def numeric(transformer: Transformer, kind: type[Mean] | type[Others]) -> dict[str, Count]:
    return {name: meaning.count for name, meaning in transformer.directions.items() if isinstance(meaning, kind)}


@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_means_are_exact_and_the_lookup_finds_the_number_of_other_positions(regime: Regime) -> None:
    transformer = network("3*#<[Q_a] - 2*#>[prev Q_b] >= 2", regime)
    means, others = numeric(transformer, Mean), numeric(transformer, Others)
    here = {name: m for name, m in transformer.directions.items() if isinstance(m, Product)}
    assert (len(means), len(others), len(here)) == (2, 2, 2)
    for word in words_up_to(4):
        for i, vector in enumerate(run_hard(transformer, word), start=1):
            for name, count in means.items():
                assert vector[name] == Fraction(number(count, word, i), length(count, len(word), i))
            for name, meaning in here.items():
                holds = truth_values(meaning.formula, word)[i - 1]
                assert vector.get(name, 0) == (meaning.value.evaluate(i=i, n=len(word)) if holds else 0)
            for name, count in others.items():
                assert vector[name] == number(count, word, i) - truth_values(count.operand, word)[i - 1]


@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_under_softmax_the_sum_of_the_errors_is_far_below_a_quarter(regime: Regime) -> None:
    """C = 5, so each error is at most e^-15 < 1/3,000,000."""
    transformer = network("3*#<[Q_a] - 2*#>[Q_b] >= 2", regime)
    for word in words_up_to(5):
        for i, vector in enumerate(run_soft(transformer, word, 128), start=1):
            for name, count in numeric(transformer, Others).items():
                exact = number(count, word, i) - truth_values(count.operand, word)[i - 1]
                held: Interval = vector[name]
                assert exact - Fraction(1, 3_000_000) <= held.lower and held.upper <= exact + Fraction(1, 3_000_000)


@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_the_approximations_of_a_predicate_are_shut_by_truths_that_are_subtracted(regime: Regime) -> None:
    transformer = network("ODD(#<[prev Q_a])", regime)
    units = [unit for layer in transformer.layers for unit in layer.feedforward.units
             if transformer.output in unit.writes]
    near = "near[ODD(#<[prev Q_a])]"
    assert [(dict(unit.reads), unit.bias, unit.writes[transformer.output]) for unit in units] == [
        ({f"{near}{kind}": 1, gate: -1}, bias, write)
        for kind, gate in ((" if counted here", "is[!prev Q_a]"), (" if not", "is[prev Q_a]"))
        for bias, write in ((Fraction(-1, 4), 2), (Fraction(-3, 4), -2))]


def test_left_counts_see_the_past_and_right_counts_look_up_everywhere() -> None:
    masks = {text: [head.mask for _, _, head in network(text, Regime()).heads()]
             for text in ("#<[Q_a] >= 2", "#>[Q_a] >= 2")}
    assert masks == {"#<[Q_a] >= 2": [Mask.FUTURE, Mask.FUTURE], "#>[Q_a] >= 2": [Mask.PAST, Mask.NONE]}


@pytest.mark.parametrize(("text", "sharpness"), [("#<[Q_a] >= 2", 3), ("5*#<[Q_a] - 2*#>[Q_b] >= 2", 21),
                                                 ("1000000*#<[Q_a] > 1", 3_000_000), ("ODD(#<[Q_a])", 3)])
def test_the_scores_are_sharpened_by_three_times_the_sum_of_the_coefficients(text: str, sharpness: int) -> None:
    lookups = [head for _, _, head in network(text, Regime()).heads() if head.name != "uniform"]
    assert {row[name] for head in lookups for row in head.queries for name in row if name.startswith(("mean", "1/"))} \
        == {sharpness}


def worst(text: str, max_n: int, gamma: Fraction = Fraction(3)) -> list[str]:
    """Return the worst errors of the lookups (attained), above and below the number, or where false and where true."""
    found = [line.worst for line in discharge(network(text, Regime(), gamma), up_to(max_n)) if line.kind == "lookup"]
    return [f"{float(extreme.lower):.6g} at {extreme.n}, {extreme.i}" for case in found if case
            for extreme in case.extremes]


def test_the_worst_error_of_a_count_is_the_sharp_form_of_lemma_7() -> None:
    """(x + 2 x^4 + ...)/(1 + x + x^4 + ...) with x = e^-3: no other position is counted, or all are."""
    x = mpmath.exp(-3)
    sharp = sum(k * x ** (k * k) for k in range(8)) / sum(x ** (k * k) for k in range(8))
    assert mpmath.nstr(sharp, 6) == "0.0474373"
    assert worst("#<[Q_a] >= 1", 8) == ["0.0474373 at 8, 8"] * 2


def test_the_worst_error_of_a_parity_is_two_neighbours_against_one_position() -> None:
    x = mpmath.exp(-3)
    assert mpmath.nstr(2 * x / (1 + 2 * x), 6) == "0.090557"
    assert "0.090557 at 3, 3" in worst("ODD(#<[Q_a])", 8)


@pytest.mark.parametrize(("text", "critical"), [("#<[Q_a] >= 1", 1166948), ("ODD(#<[Q_a])", 1791759)])
def test_the_critical_constants_are_where_the_closed_forms_are_a_quarter(text: str, critical: int) -> None:
    """The sharp form of Lemma 7 is 1/4 at x = 0.311315617580594, that is at γ = 1.1669480; 2x/(1 + 2x) at γ = ln 6."""
    def is_proved(gamma: Fraction) -> bool:
        return all(line.proved for line in discharge(network(text, Regime(), gamma), up_to(16)))

    assert is_proved(Fraction(critical + 1, 10**6)) and not is_proved(Fraction(critical, 10**6) - Fraction(1, 10**6))


def test_a_large_coefficient_is_computed_exactly() -> None:
    text = "1000000*#<[Q_a] - 999999*#>[Q_a] == 1000000"
    transformer = network(text, Regime())
    for word in words_up_to(5):
        held = [vector.get(transformer.output, 0) for vector in run_hard(transformer, word)]
        assert held == list(truth_values(parse_formula(text), word))


def test_a_truth_that_occurs_with_opposite_signs_drops_out_of_the_form() -> None:
    transformer = network("#<[Q_a] - #>[Q_a] == 0", Regime())
    assert isinstance(parse_formula("#<[Q_a] - #>[Q_a] == 0"), Comparison)
    slack = [name for name, meaning in transformer.directions.items() if isinstance(meaning, Slack)]
    reads = {name for layer in transformer.layers for unit in layer.feedforward.units
             if not unit.writes.keys().isdisjoint(slack) for name in unit.reads}
    assert reads == {"others[#<[Q_a]] for 2", "others[#>[Q_a]] for 2"}


def test_a_predicate_on_a_count_of_0_is_its_rule_at_0() -> None:
    at_0 = {"ODD": 0, "EVEN": 1, "SQUARE": 1, "POW2": 0, "PRIME": 0, "MOD(3,0)": 1, "MOD(2,5)": 0}
    for name, expected in at_0.items():
        transformer = network(f"{name}(#<[Q_a])", Regime())
        assert [v.get(transformer.output, 0) for v in run_hard(transformer, "bbb")] == [expected] * 3, name


def test_counts_of_the_same_formula_are_spelled_alike() -> None:
    assert parse_count("#<[ Q_a ]") is parse_count("#<[Q_a]")
