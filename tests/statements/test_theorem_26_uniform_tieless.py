"""Theorem 26: the constants against what networks do on every word, the temperature, and softening."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.errors import Unsupported
from constructions.language.expressions import parse_expression
from constructions.network.meanings import Anything
from constructions.network.run import run_hard
from constructions.network.transformer import FeedForward, Head, Layer, Mask, Transformer, Unit
from constructions.network.weightings import Weighting
from constructions.statements.theorem_26_uniform_tieless import (
    Constants,
    Law,
    constants_of,
    growth_factors,
    is_uniform,
    law_of_activations,
    law_of_gaps,
    soften,
)
from proofs.numbers.instances.comparing import logarithm
from proofs.words.replay import run_soft
from tests.softened.small_models import all_words, departures, gap_by_hand, random_transformer, x_max_by_hand

ONE, HALF, ZERO = Fraction(1), Fraction(1, 2), Fraction(0)


def head(query: dict[str, Fraction], key: dict[str, Fraction], value: dict[str, Fraction], name: str = "out",
         weighting: Weighting = Weighting.AVERAGE_HARDMAX) -> Head:
    return Head(name, "test", Mask.FUTURE, weighting, parse_expression("1"), (query,), (key,), {name: value})


def network(*layers: Layer) -> Transformer:
    return Transformer(("0", "1"), dict.fromkeys(("one", "bit", "place", "out", "end"), Anything()),
                       {"0": {}, "1": {"bit": ONE}},
                       {"one": parse_expression("1"), "place": parse_expression("i/n")}, layers, "out")


LAST = head({"one": 2 * ONE}, {"bit": HALF, "place": ONE}, {"bit": ONE})
MEAN = head({}, {"bit": ONE}, {"bit": 3 * ONE}, "end")
ROUND = FeedForward((Unit({"out": ONE}, -HALF / 2, {"end": 2 * ONE}),
                     Unit({"out": ONE}, -3 * HALF / 2, {"end": -2 * ONE})), {"out": Fraction(7)})


# -- constants ---------------------------------------------------------------------------------------------------------


def test_the_constants_of_one_head_are_those_of_the_docstring() -> None:
    """C_1 = d = 3, V = T = 1, F = B = 0, a = 2: K1 = 2 T C, K2 = a(2 C + 1)."""
    assert constants_of(network(Layer((LAST,)))) == Constants(3, Fraction(2), 1, Fraction(6), Fraction(14))


def test_the_constants_of_two_layers_are_those_of_the_docstring() -> None:
    """Layer 1: V = 4, T = 1, F = 4, B = 1/2 + 3/2 + 7, C_1 = 3, so C_2 = (1 + F)(1 + V) C_1 + B."""
    second = Layer((replace(LAST, name="end", values={"end": {"out": ONE}}),))
    found = constants_of(network(Layer((LAST, MEAN), ROUND), second))
    growth = 25 * 3 + HALF + 3 * HALF + 7
    assert found == Constants(3, Fraction(7), 2, 2 * growth, 2 * (2 * growth + 1))


def test_uniform_heads_bring_no_new_error() -> None:
    assert constants_of(network(Layer((MEAN,)))) == Constants(3, Fraction(3), 1, Fraction(4), ONE)


def test_a_network_without_layers_has_the_least_constants() -> None:
    assert constants_of(network()) == Constants(3, ZERO, 0, ONE, ONE)


def test_the_constants_do_not_depend_on_names_of_directions_nor_on_what_is_zero() -> None:
    padded = replace(LAST, queries=({"one": 2 * ONE, "end": ZERO},), values={"out": {"bit": ONE}, "end": {}})
    assert constants_of(network(Layer((padded,)))) == constants_of(network(Layer((LAST,))))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n", [1, 2, 3])
def test_at_the_temperature_of_the_theorem_no_layer_errs_by_more_than_its_bound(seed: int, n: int) -> None:
    """Every word; the error in the norm of the docstring: the greatest of each direction, added up."""
    whole = random_transformer(seed)
    gap, x_max, constants = gap_by_hand(whole, n), x_max_by_hand(whole, n), constants_of(whole)
    assert gap != 0
    temperature = constants.temperature(law_of_gaps({n: gap}), law_of_activations({n: x_max}))
    for number, bound in enumerate(constants.errors(gap, x_max), start=1):
        part = replace(whole, layers=whole.layers[:number])
        soft = soften(part, temperature)
        found = [moved for word in all_words(part, n)
                 for moved in departures(run_hard(part, word), run_soft(soft, word, 192))]
        assert sum(max(moved[name].upper for moved in found if name in moved) for name in whole.directions
                   if any(name in moved for moved in found)) <= bound <= Fraction(1, 4)


@pytest.mark.parametrize("seed", range(30))
def test_activations_grow_no_more_than_lemma_29_says(seed: int) -> None:
    whole = random_transformer(seed)
    for number, factor in enumerate(growth_factors(whole)):
        part = replace(whole, layers=whole.layers[:number])
        for n in (1, 2, 3):
            streams = [vector for word in all_words(part, n) for vector in run_hard(part, word)]
            norm = sum(max(abs(vector.get(name, ZERO)) for vector in streams) for name in part.directions)
            assert norm <= factor * max(ONE, x_max_by_hand(part, n))


# -- the temperature ---------------------------------------------------------------------------------------------------


def test_the_temperature_of_flip_flop_is_of_order_one_over_n_log_n() -> None:
    constants = constants_of(network(Layer((LAST,))))
    temperature = constants.temperature(Law(HALF, -1), Law(ONE, 0))
    assert str(temperature) == "5/(14*n*(10+log2ceil(n^2)))"
    assert temperature.evaluate(n=1) == Fraction(1, 28)
    assert temperature.evaluate(n=4) == Fraction(5, 14 * 4 * 14)


@given(st.integers(1, 40), st.fractions(1, 50), st.fractions(1, 50), st.integers(1, 4),
       st.lists(st.tuples(st.fractions(Fraction(1, 10**6), 3), st.fractions(0, 10**4)), min_size=1, max_size=6))
def test_the_temperature_is_never_above_that_of_the_theorem(
        d: int, k1: Fraction, k2: Fraction, layers: int, lengths: list[tuple[Fraction, Fraction]]) -> None:
    """2 τ ln R <= γ with R enclosed, whatever the gaps and activations; and it is positive."""
    constants = Constants(d, ONE, layers, k1, k2)
    gaps = {n: gap for n, (gap, _) in enumerate(lengths, start=1)}
    x_max = {n: x for n, (_, x) in enumerate(lengths, start=1)}
    temperature = constants.temperature(law_of_gaps(gaps), law_of_activations(x_max))
    for n in gaps:
        tau = temperature.evaluate(n=n)
        assert 0 < 2 * tau * logarithm(constants.inverse_share(n, gaps[n], x_max[n])).upper <= min(gaps[n], ONE)


def test_the_temperature_loses_little_where_the_laws_are_exact() -> None:
    constants = Constants(3, ONE, 1, Fraction(6), Fraction(14))
    temperature = constants.temperature(Law(ONE, -1), Law(ONE, 0))
    for n in range(1, 33):
        exact = Fraction(1, n) / 2 / logarithm(constants.inverse_share(n, Fraction(1, n), ONE)).upper
        assert Fraction(4, 5) * exact < temperature.evaluate(n=n) <= exact


# -- laws --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gaps, law", [
    ({1: None}, "1"),
    ({1: None, 2: Fraction(5)}, "1"),
    ({1: None, **{n: Fraction(1, n) for n in range(2, 9)}}, "1/n"),
    ({1: None, **{n: Fraction(3, 2 * n**2) for n in range(2, 9)}}, "1/n^2"),
    ({n: Fraction(2, 7) for n in range(2, 9)}, "2/7"),
    ({2: Fraction(1, 6), 4: Fraction(1, 12)}, "1/(3*n)"),
])
def test_the_law_of_gaps_is_the_closest_power(gaps: dict[int, Fraction | None], law: str) -> None:
    assert str(law_of_gaps(gaps)) == law


@given(st.dictionaries(st.integers(1, 30), st.fractions(Fraction(1, 10**9), 10**9), min_size=1))
def test_laws_lie_on_their_side_of_every_value(values: dict[int, Fraction]) -> None:
    below, above = law_of_gaps(dict(values)), law_of_activations(values)
    assert all(below.at(n) <= min(ONE, x) and above.at(n) >= max(ONE, x) for n, x in values.items())
    assert max(len(str(below)), len(str(above))) <= 60


# -- softening ---------------------------------------------------------------------------------------------------------


def test_softening_changes_weighting_and_temperature_alone() -> None:
    tau, hard = parse_expression("1/n"), network(Layer((LAST, MEAN), ROUND))
    soft = soften(hard, tau)
    assert {(h.weighting, h.temperature) for _, _, h in soft.heads()} == {(Weighting.SOFTMAX, tau)}
    assert [replace(h, weighting=was.weighting, temperature=was.temperature)
            for (_, _, h), (_, _, was) in zip(soft.heads(), hard.heads(), strict=True)] == [LAST, MEAN]
    assert replace(soft, layers=()) == replace(hard, layers=()) and soft.layers[0].feedforward == ROUND


def test_heads_that_share_no_component_of_scores_are_uniform() -> None:
    two = replace(LAST, queries=({"one": ONE}, {}), keys=({}, {"bit": ONE}))
    assert is_uniform(two) and is_uniform(MEAN) and is_uniform(replace(MEAN, weighting=Weighting.SOFTMAX))
    assert not is_uniform(LAST) and not is_uniform(replace(MEAN, weighting=Weighting.LEFTMOST_HARDMAX))


def test_softmax_of_scores_is_neither() -> None:
    with pytest.raises(Unsupported, match="head out: softmax of scores, expected a uniform head or hard attention"):
        constants_of(network(Layer((replace(LAST, weighting=Weighting.SOFTMAX),))))
