"""Networks that count, whole: proved when they are right, and not when one part is a little wrong."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.network.lengths import up_to
from constructions.network.meanings import Others
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime
from proofs.enclosures.intervals import point
from proofs.formula.certificate import seal
from proofs.formula.discharge import DischargedObligations, Line, bounds_of, discharge
from proofs.words.replay import WordMeanings, find_miss, run_soft
from tests.formula.counting_models import (
    CAUSAL,
    POSITION,
    TEMPERATURE,
    Style,
    comparison_model,
    predicate_model,
)

STYLES = [TEMPERATURE, POSITION, CAUSAL]
COMPARISONS = ["#<[Q_1] > #<[Q_0]", "#<[Q_1] == 2", "2*#<[Q_1] - 3*#<[Q_0] != 1", "#<[Q_1] >= 1", "#<[true] > 3"]
PREDICATES = ["ODD(#<[Q_1])", "PRIME(#<[Q_1])", "MOD(3,0)(#<[Q_0])", "LAST(#<[Q_1])", "SQUARE(#<[Q_1])"]
COUNTING = [regime for regime in ALL_REGIMES if str(regime) != "position, causal"]


def build(text: str, style: Style = TEMPERATURE) -> Transformer:
    return (predicate_model if "(#" in text else comparison_model)(text, style=style)


def unproved(lines: Sequence[Line]) -> list[str]:
    return [f"{line.kind} {line.direction}: {line.reason}" for line in lines if not line.proved]


@pytest.mark.one_in(16)
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.temperature)
@pytest.mark.parametrize("text", [*COMPARISONS, *PREDICATES])
def test_the_hand_made_networks_are_proved_and_right_on_all_words_up_to_5(text: str, style: Style) -> None:
    transformer = build(text, style)
    lines = discharge(transformer, up_to(7))
    assert unproved(lines) == []
    check_all_words(transformer, lines, 5)


def check_all_words(transformer: Transformer, lines: Sequence[Line], max_n: int) -> None:
    """Every direction lies where it should, by the replay; exact ones are points."""
    bounds = bounds_of(lines)
    output = transformer.directions[transformer.output]
    for word in (w for n in range(1, max_n + 1) for w in itertools.product("01", repeat=n)):
        reading, stream = WordMeanings(word), run_soft(transformer, word, 128)
        truths = truth_values(output.formula, word)  # type: ignore[union-attr]
        for i, vector in enumerate(stream, start=1):
            assert vector[transformer.output] == point(Fraction(truths[i - 1])), (word, i)
            for name, meaning in transformer.directions.items():
                allowed, value = reading.allowed(meaning, i), vector.get(name, point(Fraction(0)))
                if isinstance(meaning, Others):
                    others = reading.count(meaning.count, i) - reading.truth(meaning.count.operand, i)
                    allowed = bounds[name] + point(Fraction(others))
                assert allowed is None or value.within(allowed.lower, allowed.upper), (word, i, name)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("regime", COUNTING, ids=str)
@pytest.mark.parametrize("text", ["ODD(#<[Q_1]) & #<[Q_0] < 2", "#<[#<[prev Q_1] == #<[Q_0]] <= 1",
                                  "#<[PRIME(#<[ODD])] > 0", "O (2*#<[Q_1] > #<[true])"])
def test_compiled_formulas_are_proved_and_right_on_all_words_up_to_4(text: str, regime: Regime) -> None:
    transformer = compile_formula(parse_formula(text, "01"), "01", regime)
    lines = discharge(transformer, up_to(6))
    assert unproved(lines) == []
    check_all_words(transformer, lines, 4)


def test_counts_to_the_right_are_proved_with_and_without_growing_keys() -> None:
    for style in (TEMPERATURE, POSITION):
        for text in ("#>[Q_1] == #<[Q_0]", "PRIME(#>[Q_1])"):
            lines = discharge(build(text, style), up_to(6))
            assert unproved(lines) == []
            check_all_words(build(text, style), lines, 4)


# -- what the worst cases are, exactly ---------------------------------------------------------------------------------


def test_the_worst_case_of_odd_at_three_positions_is_two_neighbours_against_one() -> None:
    """At L = 3 with one other counted: 2x/(1 + 2x) with x = e^-3."""
    worst = [line.worst.worst for line in discharge(predicate_model("ODD(#<[Q_1])"), up_to(3)) if line.worst]
    for extreme in worst:
        assert extreme is not None and (extreme.n, extreme.i) == (3, 3)
        x = extreme.lower / (2 - 2 * extreme.lower)
        assert abs(x - Fraction("0.049787068367863943")) < Fraction(1, 10**13)
    assert {extreme.count for extreme in worst if extreme} == {1, 2}


def test_the_worst_case_of_a_count_is_lemma_7_in_its_sharp_form() -> None:
    """At L = 2: x/(1 + x), x = e^-6 as C = 2, above at no other and below at one."""
    x = Fraction("0.0024787521766663584230")
    lines = discharge(comparison_model("#<[Q_1] > #<[Q_0]"), up_to(2))
    for line in lines:
        if line.worst:
            assert line.worst.if_false is not None and line.worst.if_true is not None
            for extreme in (line.worst.if_false, line.worst.if_true):
                assert abs(extreme.lower - x / (1 + x)) < Fraction(1, 10**13)
                assert extreme.lower < extreme.upper <= extreme.lower * Fraction(1000002, 1000000)
            assert (line.worst.if_false.count, line.worst.if_true.count) in {(0, 1), (1, 2)}


def test_both_provers_flip_for_a_predicate_at_the_logarithm_of_6() -> None:
    """2x/(1 + 2x) = 1/4 at x = 1/6; ln 6 = 1.791759469228055000812477..."""
    below, above = Fraction(1791759469228055, 10**15), Fraction(1791759469228056, 10**15)
    for style in STYLES:
        assert unproved(discharge(predicate_model("ODD(#<[Q_1])", style=replace(style, gamma=above)), up_to(3))) == []
        failed = unproved(discharge(predicate_model("ODD(#<[Q_1])", style=replace(style, gamma=below)), up_to(3)))
        assert len(failed) == 2 and all("the worst error exceeds 1/4" in reason for reason in failed)


def test_a_comparison_flips_where_the_errors_of_its_counts_add_up_to_a_quarter() -> None:
    """#<[Q_1] > 0 at n = 2: one count, x/(1 + x) = 1/4 at x = 1/3; ln 3 = 1.098612288668109691395..."""
    below, above = Fraction(10986122886681, 10**13), Fraction(10986122886682, 10**13)
    assert unproved(discharge(comparison_model("#<[Q_1] > 0", style=Style(gamma=above)), up_to(2))) == []
    failed = unproved(discharge(comparison_model("#<[Q_1] > 0", style=Style(gamma=below)), up_to(2)))
    assert len(failed) == 1 and failed[0].startswith("feed-forward")


@pytest.mark.parametrize("coefficient", [7, 1000, 10**6, 10**9])
def test_large_coefficients_leave_room_for_the_rounding_of_bounds(coefficient: int) -> None:
    lines = discharge(comparison_model(f"{coefficient}*#<[Q_1] >= {coefficient - 1}*#<[Q_0]"), up_to(6))
    assert unproved(lines) == []
    assert all(len(str(line.worst.bound(side))) < 700 for line in lines if line.worst for side in (False, True))


# -- a little wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.one_in(6)
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.temperature)
@pytest.mark.parametrize("bias", ["1/2", "-1/2", "49/100"])
@pytest.mark.parametrize("text", ["#<[Q_1] > #<[Q_0]", "#<[Q_1] == 2", "ODD(#<[Q_1])"])
def test_a_bias_moved_by_about_half_is_not_proved(text: str, bias: str, style: Style) -> None:
    failed = unproved(discharge(build(text, replace(style, bias=Fraction(bias))), up_to(4)))
    assert [reason.split(" ")[0] for reason in failed] == ["feed-forward"]


def test_a_bias_moved_within_the_slack_is_proved() -> None:
    """The errors are at most 2 * 0.00248, so 1/4 - 0.005 is to spare."""
    shifted = comparison_model("#<[Q_1] > #<[Q_0]", style=Style(bias=Fraction(24, 100)))
    assert unproved(discharge(shifted, up_to(4))) == []
    shifted = comparison_model("#<[Q_1] > #<[Q_0]", style=Style(bias=Fraction(246, 1000)))
    assert unproved(discharge(shifted, up_to(4))) != []


@pytest.mark.parametrize("text", ["#<[Q_1] > #<[Q_0]", "#>[Q_1] == 2", "ODD(#<[Q_1])"])
def test_swapped_masks_are_not_proved_and_break_a_word(text: str) -> None:
    transformer = build(text, Style(swap_masks=True))
    assert any(reason.startswith("mean") for reason in unproved(discharge(transformer, up_to(4))))
    assert any(find_miss(transformer, word) for word in itertools.product("01", repeat=3))


def test_keys_of_the_wrong_scale_are_not_proved() -> None:
    """Position keys without n lose the sharpness; the direction is then not near enough."""
    flat = Style(temperature="1", keys="")
    assert unproved(discharge(comparison_model("#<[Q_1] > #<[Q_0]", style=flat), up_to(12))) != []
    assert unproved(discharge(predicate_model("ODD(#<[Q_1])", style=flat), up_to(12))) != []


# -- what is kept and sealed -------------------------------------------------------------------------------------------


def test_equal_lookups_are_discharged_once() -> None:
    memory, five = DischargedObligations(), up_to(5)
    first = [line for line in discharge(comparison_model("#<[Q_1] > #<[Q_0]"), five, memory) if line.kind == "lookup"]
    again = [line for line in discharge(comparison_model("#<[Q_0] > #<[Q_1]"), five, memory) if line.kind == "lookup"]
    assert [line.repeated for line in first] == [False, True]
    assert [line.repeated for line in again] == [True, True]
    other = [line for line in discharge(comparison_model("#<[Q_1] > 0"), five, memory) if line.kind == "lookup"]
    assert [line.repeated for line in other] == [False]


def test_the_certificate_states_the_bounds_of_counts_in_the_order_of_layers() -> None:
    transformer = comparison_model("#<[Q_1] > #<[Q_0]")
    lines = discharge(transformer, up_to(5))
    text = seal(parse_formula("#<[Q_1] > #<[Q_0]"), up_to(5), Regime(), transformer, lines)
    stated = [name for name, meaning in transformer.directions.items() if isinstance(meaning, Others)]
    places = [text.index(f'"direction": "{name}"') for name in stated]
    assert len(stated) == 2 and places == sorted(places)
    bounds = bounds_of(lines)
    for name in stated:
        assert f'"error_if_false": "{bounds[name].upper}"' in text
        assert f'"error_if_true": "{-bounds[name].lower}"' in text


def test_bounds_follow_the_directions_whatever_the_order_in_which_a_head_writes() -> None:
    transformer = predicate_model("ODD(#<[Q_1])")
    first, second = transformer.layers
    (head,) = second.heads
    turned = replace(head, values=dict(reversed(list(head.values.items()))))
    changed = replace(transformer, layers=(first, replace(second, heads=(turned,))))
    formula = parse_formula("ODD(#<[Q_1])")
    texts = [seal(formula, up_to(4), Regime(), network, discharge(network, up_to(4)))
             for network in (transformer, changed)]
    assert texts[0] == texts[1]
