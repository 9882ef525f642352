import itertools
import math
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.numbers.instances.hahn_lemma_5_repaired import LISTED, Norms, change_elsewhere, constant
from tests.numbers.instances.helpers import between_0_and_1, examined, verdicts

Row = list[float]
Matrix = list[Row]


@pytest.mark.parametrize("name", ["hahn-lemma-5-one-layer", "hahn-lemma-5-row", "hahn-lemma-5-repaired"])
def test_the_repair_holds_at_every_length(name: str) -> None:
    assert all(verdicts(name, n) == {True} for n in (1, 2, 3, 7, 64))


def test_one_layer_is_the_first_constant_and_the_next_ones_grow() -> None:
    for norms in LISTED:
        assert constant(norms, 1) == 2 * norms.mean
        assert change_elsewhere(5, norms, 1) == constant(norms, 1) / 5
        assert constant(norms, 1) < constant(norms, 2) < constant(norms, 3)


@settings(max_examples=30)
@given(st.data(), st.integers(2, 6), between_0_and_1)
def test_no_exchange_of_one_position_moves_a_row_of_one_layer_further(data: st.DataObject, n: int, x: Fraction) -> None:
    """Weights before normalisation in [1, E], values in [-1/2, 1/2]; exactly E/(n-1+E) is attained."""
    greatest = 1 / x
    weight = between_0_and_1.map(lambda share: 1 + (greatest - 1) * share)
    value = between_0_and_1.map(lambda share: share - Fraction(1, 2))
    others = data.draw(st.lists(st.tuples(weight, value), min_size=n - 1, max_size=n - 1))
    before, after = (mean([*others, data.draw(st.tuples(weight, value))]) for _ in range(2))
    bound = greatest / (n - 1 + greatest)
    assert abs(before - after) <= bound <= greatest / n
    half = Fraction(1, 2)
    lowest = [(Fraction(1), -half)] * (n - 1)
    assert abs(mean([*lowest, (greatest, half)]) - mean([*lowest, (greatest, -half)])) == bound


def mean(row: list[tuple[Fraction, Fraction]]) -> Fraction:
    return sum((weight * value for weight, value in row), Fraction(0)) / sum(weight for weight, _ in row)


# -- whole networks ----------------------------------------------------------------------------------------------------


def network(draw: random.Random, layers: int) -> list[tuple[Matrix, Matrix, Matrix, Matrix]]:
    """Layers with one head: scores, values, and the two matrices of the feed-forward part; two directions."""
    def matrix(size: float) -> Matrix:
        return [[draw.uniform(-size, size) for _ in range(2)] for _ in range(2)]

    return [(matrix(0.5), matrix(0.5), matrix(0.4), matrix(0.4)) for _ in range(layers)]


def apply(matrix: Matrix, u: Row) -> Row:
    return [sum(a * b for a, b in zip(row, u, strict=True)) for row in matrix]


def layer_on(stream: Matrix, layer: tuple[Matrix, Matrix, Matrix, Matrix], masked: bool) -> Matrix:
    scores, values, first, second = layer
    found = []
    for i, u in enumerate(stream):
        seen = stream[: i + 1] if masked else stream
        weights = [math.exp(sum(a * b for a, b in zip(u, apply(scores, v), strict=True))) for v in seen]
        retrieved = [sum(w * apply(values, v)[t] for w, v in zip(weights, seen, strict=True)) / sum(weights)
                     for t in range(2)]
        h = [a + b for a, b in zip(u, retrieved, strict=True)]
        hidden = [max(0.0, x) for x in apply(first, h)]
        found.append([a + b for a, b in zip(h, apply(second, hidden), strict=True)])
    return found


def norm(matrix: Matrix) -> float:
    return max(abs(matrix[0][c]) + abs(matrix[1][c]) for c in range(2))


def bound_of(layers: list[tuple[Matrix, Matrix, Matrix, Matrix]], x: float) -> float:
    """c_L, by the formulas of the docstring, with the oscillation of each layer."""
    found = 0.0
    for scores, values, first, second in layers:
        v, f = norm(values), norm(second) * norm(first)
        omega = 2 * max(abs(entry) for row in scores for entry in row) * x * x
        own, seen = (1 + f) * (1 + v * omega / 2), (1 + f) * v * (1 + omega) * math.exp(omega)
        found, x = (own + seen) * found + 2 * x * seen, (1 + f) * (1 + v) * x
    return found


@pytest.mark.parametrize("masked", [False, True])
def test_no_exchange_in_random_networks_changes_another_position_further(masked: bool) -> None:
    draw = random.Random(5)
    for _ in range(30):
        depth, n = draw.randint(1, 3), draw.randint(2, 5)
        layers = network(draw, depth)
        tokens, places = ([[draw.uniform(-0.4, 0.4) for _ in range(2)] for _ in range(k)] for k in (2, n))
        runs = {}
        for word in itertools.product((0, 1), repeat=n):
            stream = [[a + b for a, b in zip(tokens[symbol], place, strict=True)]
                      for symbol, place in zip(word, places, strict=True)]
            for layer in layers:
                stream = layer_on(stream, layer, masked)
            runs[word] = stream
        greatest = max(sum(map(abs, token)) for token in tokens) + max(sum(map(abs, place)) for place in places)
        check_changes(runs, bound_of(layers, greatest), depth, masked)


def check_changes(runs: dict[tuple[int, ...], Matrix], constant_of: float, depth: int, masked: bool) -> None:
    for word, stream in runs.items():
        for p in range(len(word)):
            other = runs[(*word[:p], 1 - word[p], *word[p + 1:])]
            for i in set(range(len(word))) - {p}:
                change = sum(abs(a - b) for a, b in zip(stream[i], other[i], strict=True))
                order = (1 + math.log(i + 1)) ** (depth - 1) / (i + 1) if masked else 1 / len(word)
                assert change <= constant_of * order * (1 + 1e-9)


def test_the_rows_of_the_repair_are_close_to_their_bounds_for_small_changes() -> None:
    values = [instance for instance in examined("hahn-lemma-5-row", 2) if instance.what.startswith("query, Ω = 1/2")]
    assert float(values[0].value.lower) == pytest.approx(math.tanh(1 / 32))


def test_norms_without_attention_change_nothing_elsewhere() -> None:
    assert change_elsewhere(4, Norms(Fraction(0), Fraction(1), Fraction(0), Fraction(1)), 3) == 0
