"""The exact tables are the dense matrices, the position functions and the reciprocals of the temperatures."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from constructions.compiler import compile_formula
from constructions.errors import InputError, Unsupported
from constructions.hard_attention import compile_hard
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.network.dense import dense_layers
from constructions.network.float_formats import FORMATS
from constructions.network.float_tables import LookedUp, PositionTable, float_tables
from constructions.network.lengths import Lengths
from constructions.regimes import ALL_REGIMES, Regime
from constructions.running.weights import weights_of
from tests.network.dense_embeddings import dense_embeddings

MIXED = parse_formula("ODD(#<[Q_1]) | #<[Q_1] >= 2 & (Q_1 since prev Q_0)")
PAST = parse_formula("Q_1 since prev Q_0")


def transposed(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    return [list(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_tables_are_the_dense_matrices(regime: Regime) -> None:
    transformer = compile_formula(PAST, "01", regime)
    tables = float_tables(transformer)
    for layer, dense in zip(tables.layers, dense_layers(transformer), strict=True):
        if dense.w1:
            assert layer.w1 == transposed(dense.w1) and layer.w2 == transposed(dense.w2)
        assert (layer.b1, layer.b2) == (dense.b1, dense.b2)
        for head, matrices in zip(layer.heads, dense.heads, strict=True):
            assert head.values == transposed(matrices.values)
            if matrices.queries:
                assert head.queries == transposed(matrices.queries) and head.keys == transposed(matrices.keys)
            else:
                assert not any(x for row in head.queries + head.keys for x in row) and len(head.keys[0]) == 1


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_embeddings_looked_up_are_the_embeddings(regime: Regime) -> None:
    transformer = compile_formula(PAST, "01", regime)
    tables = float_tables(transformer)
    for n in range(1, 6):
        tokens, positions = dense_embeddings(transformer, n)
        assert tables.token_rows == tokens
        for place, name in enumerate(tables.directions):
            column = tables.positions[name].column(n) if name in tables.positions else (0,) * n
            assert list(column) == [row[place] for row in positions]


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_scales_are_the_reciprocals_of_temperatures_and_left_out_where_they_are_1(regime: Regime) -> None:
    transformer = compile_formula(MIXED if not regime.causal else PAST, "01", regime)
    heads = [head for layer in float_tables(transformer).layers for head in layer.heads]
    for (_, _, head), table in zip(transformer.heads(), heads, strict=True):
        if table.scale is None:
            assert str(head.temperature) == "1" or not head.queries
        else:
            assert table.scale.column(4) == tuple(1 / head.temperature.evaluate(i=i, n=4) for i in range(1, 5))


def test_what_is_looked_up_by_what_it_mentions() -> None:
    found = {text: PositionTable(parse_expression(text)).looked_up for text in ("1", "i", "1/n", "i/n")}
    assert found == {"1": LookedUp.BY_I, "i": LookedUp.BY_I, "1/n": LookedUp.BY_N, "i/n": LookedUp.BY_N_AND_I}


def test_a_temperature_of_0_has_no_scale() -> None:
    with pytest.raises(InputError, match="the temperature n-3 is 0 at n = 3"):
        PositionTable(parse_expression("n-3"), reciprocal=True).column(3)


def test_hard_attention_has_no_float_program() -> None:
    with pytest.raises(Unsupported, match="whose weighting is average-hardmax"):
        float_tables(compile_hard(PAST, "01"))


def test_a_direction_that_token_and_position_embed_is_refused() -> None:
    transformer = compile_formula(PAST, "01", Regime())
    name = next(iter(transformer.position_embedding))
    tokens = {**transformer.token_embedding, "0": {**transformer.token_embedding["0"], name: Fraction(1, 3)}}
    with pytest.raises(Unsupported, match="is embedded by token and by position"):
        float_tables(replace(transformer, token_embedding=tokens))


@pytest.mark.parametrize("precision", ["binary64", "binary32", "binary16", "bfloat16"])
def test_arrays_are_the_tables_rounded_once(precision: str) -> None:
    """Position functions in their three arrays, at each length of the claim; elsewhere NaN."""
    transformer = compile_formula(PAST, "01", Regime())
    weights, tables = weights_of(transformer, Lengths(2, 5), precision), float_tables(transformer)
    form = FORMATS[precision]
    arrays = {name: array.astype(np.float64) for name, array in weights.arrays.items() if array.dtype.kind not in "ib"}
    assert set(arrays["by_i"][:, 0]) == {0.0} and set(arrays["by_i"][:, 1]) == {1.0}
    assert np.isnan(arrays["by_n"][0]).all() and np.isnan(arrays["by_n_and_i"][3, 4]).all()
    for n in range(2, 6):
        looked_up = np.concatenate([arrays["by_i"][:n], np.tile(arrays["by_n"][n - 1], (n, 1)),
                                    arrays["by_n_and_i"][n - 1, :n]], axis=1)
        for place, name in zip(weights.arrays["embedded"], tables.directions, strict=True):
            exact = tables.positions[name].column(n) if name in tables.positions else (Fraction(0),) * n
            assert list(map(Fraction, looked_up[:, place])) == [form.round(x) for x in exact]
    for number, layer in enumerate(tables.layers):
        exact_w1 = [[form.round(x) for x in row] for row in layer.w1]
        assert [list(map(Fraction, row)) for row in arrays[f"layers.{number}.w1"]] == exact_w1


def test_a_number_that_is_too_large_for_the_precision_is_no_infinity() -> None:
    transformer = compile_formula(parse_formula("ODD(#<[Q_1])"), "01", ALL_REGIMES[1])
    weights_of(transformer, Lengths(1, 64), "bfloat16")
    with pytest.raises(Unsupported, match=r"^binary16 for these weights: a number is too large for binary16$"):
        weights_of(transformer, Lengths(1, 64), "binary16")


def test_an_unknown_precision_is_bad_input() -> None:
    with pytest.raises(InputError, match="precision: found 'tf32', expected binary64, binary32, binary16, bfloat16"):
        weights_of(compile_formula(PAST, "01", Regime()), Lengths(1, 4), "tf32")
