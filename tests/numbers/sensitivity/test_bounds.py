"""Changes by all words, by classes and by bounds, of random networks: each against the others, and against numpy."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from math import prod
from typing import Any

import numpy as np
import pytest

from constructions.language.expressions import parse_expression
from constructions.network.meanings import Anything
from constructions.network.transformer import Coefficients, FeedForward, Head, Layer, Mask, Transformer, Unit
from constructions.network.weightings import Weighting
from proofs.enclosures.intervals import Interval
from proofs.enclosures.rationals import to_flint
from proofs.numbers.sensitivity.bounds import SensitivityBounds
from proofs.numbers.sensitivity.changes import Change
from proofs.numbers.sensitivity.classes import Classes
from proofs.numbers.sensitivity.climbing import replay_pairs
from proofs.numbers.sensitivity.slopes import ramps_of
from proofs.numbers.sensitivity.units import UNIT
from proofs.numbers.sensitivity.weights import greatest_mean, tanh_of_quarter
from proofs.numbers.sensitivity.words import changes_of_all_words
from proofs.words.replay import InexactHardAttention
from tests.numbers.sensitivity.random_networks import random_network


def weights_in_floats(weighting: Weighting, scores: Any, n: int) -> Any:
    """Return the weights of one row, by their definitions."""
    powers = np.exp(scores - scores.max())
    match weighting:
        case Weighting.SOFTMAX:
            return powers / powers.sum()
        case Weighting.SOFTMAX_PLUS_ONE:
            return powers / (powers.sum() + np.exp(-scores.max()))
        case Weighting.RELU | Weighting.RELU_OVER_N:
            return np.maximum(scores, 0) / (n if weighting is Weighting.RELU_OVER_N else 1)
        case Weighting.SIGMOID:
            return 1 / (1 + np.exp(-scores))
        case Weighting.GEOMETRIC | Weighting.STICK_BREAKING:  # the last is the position itself: a future mask
            taken = np.append(1 / (1 + np.exp(-scores[:-1])), 0)
            return taken * np.array([np.prod(1 - taken[j + 1:]) for j in range(len(taken))])
    shape, power = (scores, 1) if weighting is Weighting.SPARSEMAX else (scores / 2, 2)
    low, high = shape.min() - 1, shape.max()
    for _ in range(100):  # the threshold at which the weights add up to 1
        middle = (low + high) / 2
        low, high = (middle, high) if (np.maximum(shape - middle, 0) ** power).sum() > 1 else (low, middle)
    return np.maximum(shape - low, 0) ** power


def output_in_floats(network: Transformer, word: tuple[str, ...]) -> Any:
    """Return the output at every position, by a plain transformer in numpy."""
    n, names = len(word), list(network.directions)

    def row(form: Coefficients) -> Any:
        return np.array([float(form.get(name, 0)) for name in names])

    stream = np.array([row(network.token_embedding[symbol]) for symbol in word])
    for name, value in network.position_embedding.items():
        stream[:, names.index(name)] += [float(value.evaluate(i=i, n=n)) for i in range(1, n + 1)]
    for layer in network.layers:
        attended = stream.copy()
        for head in layer.heads:
            queries, keys = (np.array([[row(form) @ x for form in forms] for x in stream])
                             for forms in (head.queries, head.keys))
            for i in range(1, n + 1):
                seen = [j - 1 for j in head.mask.visible(i, n)]
                scores = keys[seen] @ queries[i - 1] / float(head.temperature.evaluate(i=i, n=n))
                weights = weights_in_floats(head.weighting, scores, n)
                for name, form in head.values.items():
                    values = np.array([row(form) @ stream[j] for j in seen])
                    attended[i - 1, names.index(name)] += weights @ values
        fed = attended + row(layer.feedforward.bias)
        for unit in layer.feedforward.units:
            fed += np.outer(np.maximum(attended @ row(unit.reads) + float(unit.bias), 0), row(unit.writes))
        stream = fed
    return stream[:, names.index(network.output)]


def changes_in_floats(network: Transformer, n: int, judged: int) -> list[float]:
    """Return the greatest change for an exchange at each position, by the definition."""
    outputs = {word: output_in_floats(network, word)[judged - 1] for word in product("ab", repeat=n)}
    return [max(abs(value - outputs[(*word[: p - 1], symbol, *word[p:])])
                for word, value in outputs.items() for symbol in "ab") for p in range(1, n + 1)]


def under_a_future_mask(network: Transformer) -> Transformer:
    return replace(network, layers=tuple(
        replace(layer, heads=tuple(replace(head, mask=Mask.FUTURE) for head in layer.heads))
        for layer in network.layers))


def networks(number: int) -> list[tuple[Transformer, int, int]]:
    """Return networks, each with a length and a position."""
    draw = random.Random(4)
    return [(random_network(draw), (n := draw.randint(1, 4)), draw.randint(1, n)) for _ in range(number)]


def test_all_words_enclose_what_floats_say_and_bounds_are_above() -> None:
    tight = 0
    for network, n, judged in networks(40):
        words = changes_of_all_words(network, n, "x", [judged])
        floats = changes_in_floats(network, n, judged)
        bounds = SensitivityBounds(network, n, [judged])
        for p in range(1, n + 1):
            found, upper = words[p - 1], bounds.change(p, "x")
            assert found.upper is not None
            assert abs(float(found.lower) - floats[p - 1]) < 1e-9
            assert found.upper - found.lower < Fraction(1, 2**100)
            assert found.lower <= upper
            tight += upper < 2 * found.upper + Fraction(1, 2**60)
    assert tight > 10  # else the bounds would be worth little


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_uniform_layers_under_a_future_mask_change_the_last_position_by_harmonic_sums(layers: int, n: int) -> None:
    """Means of means: the first symbol weighs h_(L-1)(1, 1/2, ..., 1/n)/n, a complete homogeneous polynomial."""
    names = [f"x{k}" for k in range(layers + 1)]
    one = Fraction(1)
    stack = tuple(Layer((Head("mean", "test", Mask.FUTURE, Weighting.SOFTMAX, parse_expression("1"), ({},), ({},),
                              {later: {earlier: one}}),)) for earlier, later in pairwise(names))
    network = Transformer(("a", "b"), {name: Anything() for name in names}, {"a": {}, "b": {"x0": one}}, {}, stack,
                          names[-1])
    exact = sum((Fraction(1, prod(chosen)) for chosen in combinations_with_replacement(range(1, n + 1), layers - 1)),
                Fraction(0)) / n
    assert 0 <= SensitivityBounds(network, n, [n]).change(1, names[-1]) - exact < Fraction(1, 2**100)
    assert changes_of_all_words(network, n, names[-1], [n])[0].lower == exact


@pytest.mark.parametrize("weighting", [
    Weighting.SPARSEMAX, Weighting.ENTMAX, Weighting.SOFTMAX_PLUS_ONE, Weighting.RELU, Weighting.RELU_OVER_N,
    Weighting.SIGMOID, Weighting.GEOMETRIC, Weighting.STICK_BREAKING])
def test_other_weightings_change_by_no_more_than_their_bounds(weighting: Weighting) -> None:
    draw = random.Random(11)
    tight = 0
    for _ in range(12):
        network, n = random_network(draw, (weighting,)), draw.randint(1, 4)
        if weighting in (Weighting.GEOMETRIC, Weighting.STICK_BREAKING):
            network = under_a_future_mask(network)
        bounds, floats = SensitivityBounds(network, n, [n]), changes_in_floats(network, n, n)
        for p in range(1, n + 1):
            upper = float(bounds.change(p, "x"))
            assert floats[p - 1] <= upper + 1e-9, (p, n)
            tight += 1e-6 < upper < 4 * floats[p - 1]
    assert tight > 3


def test_every_direction_at_every_position_stays_within_its_bound() -> None:
    for network, n, _ in networks(6):
        judged = range(1, n + 1)
        bounds = SensitivityBounds(network, n, judged)
        for p in judged:
            moves = bounds.moves(p)
            for i, name in product(judged, network.directions):
                change = changes_of_all_words(network, n, name, [i])[p - 1]
                assert change.lower * UNIT <= moves.get(i, {}).get(name, 0), (p, i, name)


def test_classes_and_words_enclose_the_same_changes() -> None:
    for network, n, judged in networks(25):
        for one, other in zip(Classes(network, n, "x", judged).changes(),
                              changes_of_all_words(network, n, "x", [judged]), strict=True):
            assert one.p == other.p
            assert agree(one, other)


def agree(one: Change, other: Change) -> bool:
    """Return whether the two intervals have a common number."""
    assert one.upper is not None and other.upper is not None
    return max(one.lower, other.lower) <= min(one.upper, other.upper)


def test_pairs_that_are_found_are_below_the_greatest_change_and_reach_it_for_short_words() -> None:
    for network, n, judged in networks(5):
        greatest = changes_of_all_words(network, n, "x", [judged])
        pairs = replay_pairs(network, n, "x", [judged])
        for change in greatest:
            assert change.upper is not None
            assert change.p not in pairs or pairs[change.p].distance.lower <= change.upper
        best = max((pair.distance.upper for pair in pairs.values()), default=Fraction(0))
        assert best >= max(change.lower for change in greatest) / 2


def test_hard_attention_that_can_be_run_is_exact_and_below_its_bound() -> None:
    draw, run = random.Random(5), 0
    hard = (Weighting.AVERAGE_HARDMAX, Weighting.LEFTMOST_HARDMAX, Weighting.RIGHTMOST_HARDMAX)
    for _ in range(30):
        network, n = random_network(draw, hard), draw.randint(1, 4)
        words = changes_of_all_words(network, n, "x", [n])
        bounds = SensitivityBounds(network, n, [n])
        assert all(change.is_exact for change in words)
        assert all(change.lower <= bounds.change(change.p, "x") for change in words)
        run += any(change.lower for change in words)
    assert run > 10


def test_hard_attention_behind_softmax_is_run_where_the_greatest_score_is_known_and_bounded_everywhere() -> None:
    ran = []
    for network in (random_network(random.Random(seed)) for seed in range(20)):
        if len(network.layers) == 2:
            last = replace(network.layers[1], heads=tuple(replace(head, weighting=Weighting.AVERAGE_HARDMAX)
                                                          for head in network.layers[1].heads))
            hard = replace(network, layers=(network.layers[0], last))
            bounds = SensitivityBounds(hard, 3, [3])
            try:
                found = changes_of_all_words(hard, 3, "x", [3])
            except InexactHardAttention:
                ran.append(False)
                assert bounds.change(1, "x") > 0
            else:
                ran.append(True)
                assert all(each.upper is not None and each.upper <= bounds.change(each.p, "x") for each in found)
    assert {True, False} == {*ran}


def test_an_exchange_that_is_hidden_by_the_mask_moves_nothing() -> None:
    draw = random.Random(6)
    causal = under_a_future_mask(random_network(draw))
    assert SensitivityBounds(causal, 4, [2]).change(3, "x") == SensitivityBounds(causal, 4, [2]).change(4, "x") == 0
    assert [change.upper for change in Classes(causal, 4, "x", 2).changes()][2:] == [0, 0]


def test_the_greatest_mean_raises_the_weights_of_the_greatest() -> None:
    assert greatest_mean([(10, (1, 3)), (4, (1, 1)), (0, (2, 5))], 4) == 6  # (3·10 + 1·4)/6 = 34/6
    assert greatest_mean([(5, (0, 1)), (7, (0, 1)), (9, (0, 0))], 0) == 7
    assert greatest_mean([], 3) == 0


def test_tanh_is_rounded_up() -> None:
    assert 0 <= tanh_of_quarter(UNIT) / UNIT - np.tanh(0.25) < 1e-12
    assert tanh_of_quarter(1) <= 1


def test_two_units_that_clip_have_the_slope_of_one() -> None:
    clip = FeedForward((Unit({"x": Fraction(1)}, Fraction(-1, 4), {"y": Fraction(2)}),
                        Unit({"x": Fraction(1)}, Fraction(-3, 4), {"y": Fraction(-2)})))
    whole = {"x": Interval(to_flint(Fraction(0)), to_flint(Fraction(1)))}
    (ramp,) = ramps_of(clip, whole)
    assert ramp.slopes == {"y": 2}
    flat = {"x": Interval(to_flint(Fraction(3, 4)), to_flint(Fraction(1)))}
    assert ramps_of(clip, flat) == []
