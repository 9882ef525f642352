"""Lemma 7 in exact arithmetic: x = e^(-γ) is a rational, so that every weight x^((j-c)²) is."""

from fractions import Fraction

import pytest

from constructions.draft import ONE
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_count
from constructions.network.meanings import Anything, Truth
from constructions.network.run import embed, scaled_scores
from constructions.network.transformer import Mask, Transformer
from constructions.regimes import Regime, Sharpening
from constructions.statements.lemma_07_table_lookup import TableLookup, add_lookup_head
from tests.statements.helpers import new_draft

BASES = [Fraction(1, 20), Fraction(1, 3), Fraction(7, 10), Fraction(9, 10)]
COUNTS = {"left": parse_count("#<[Q_a]"), "right": parse_count("#>[Q_a]")}


def error(x: Fraction, c: int, i: int) -> Fraction:
    weights = {j: x ** ((j - c) ** 2) for j in range(1, i + 1)}
    return abs(c - sum((j * weight for j, weight in weights.items()), Fraction(0)) / sum(weights.values()))


def sharp_form(x: Fraction, i: int) -> Fraction:
    powers = {k: x ** (k * k) for k in range(i)}
    return sum((k * power for k, power in powers.items()), Fraction(0)) / sum(powers.values())


@pytest.mark.parametrize("x", BASES, ids=str)
def test_the_sharp_form_is_attained_at_both_ends_and_exceeds_every_error_between(x: Fraction) -> None:
    for i in range(1, 12):
        assert error(x, 1, i) == error(x, i, i) == sharp_form(x, i)
        assert all(error(x, c, i) < sharp_form(x, i) for c in range(2, i))


def test_the_sharp_form_is_at_most_x_if_x_squared_is_at_most_a_half() -> None:
    for x in (Fraction(1, 20), Fraction(1, 3), Fraction(7, 10), Fraction(707, 1000)):
        assert x * x <= Fraction(1, 2) and all(sharp_form(x, i) <= x for i in range(1, 40))
    assert sharp_form(Fraction(9, 10), 40) > Fraction(9, 10)


def test_the_printed_bound_holds_even_with_1_in_place_of_three_halves() -> None:
    """The lemma asks for γ >= 1, that is x <= 1/e."""
    for x in (Fraction(1, 20), Fraction(1, 3), Fraction(367, 1000)):
        assert all(error(x, c, i) <= x for i in range(1, 15) for c in range(1, i + 1))


def test_the_printed_proof_bounds_a_positive_error_by_an_empty_sum_where_c_is_i() -> None:
    x = Fraction(1, 20)
    assert error(x, 2, 2) == x / (1 + x) > sum(k * x ** (k * k) for k in range(1, 2 - 2 + 1)) == 0


def lookup_network(regime: Regime, side: str) -> Transformer:
    """Return a head that looks up position 2 + 1: the share 2/L is read from a direction embedded as such."""
    draft = new_draft(regime)
    share = draft.embed_position("2/i" if side == "left" else "2/(n+1-i)")
    plan = TableLookup("lookup", "Lemma 7", Mask.NONE, side, {share: ONE}, 1, Fraction(5),  # type: ignore[arg-type]
                       {"found": {draft.embed_position("i"): ONE}})
    add_lookup_head(draft, plan, {"found": Anything()})
    truth = draft.embed_truth(COUNTS["left"].operand, ["a"])
    transformer = draft.finish(COUNTS["left"].operand)
    assert transformer.directions[truth] == Truth(COUNTS["left"].operand)
    return transformer


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("regime", [Regime(), Regime(Sharpening.POSITION), Regime(causal=True)], ids=str)
def test_the_scores_are_those_of_the_lemma_times_n_or_i_squared_over_the_length(regime: Regime, side: str) -> None:
    transformer, n = lookup_network(regime, side), 6
    (_, _, head), = transformer.heads()
    growth = parse_expression("i^2" if regime.causal else "n")
    for i in range(1, n + 1):
        length = i if side == "left" else n + 1 - i
        factor = 5 * growth.evaluate(i=i, n=n) / length
        expected = [factor * (2 * 3 * j - j * j) for j in range(1, n + 1)]
        assert scaled_scores(head, embed(transformer, "a" * n))[i - 1] == expected
