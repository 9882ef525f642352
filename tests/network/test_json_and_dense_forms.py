"""The JSON form comes back equal, its text is one and the same, and the dense matrices are the sparse rows."""

import json
import random
from fractions import Fraction
from typing import Any

import pytest

from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.brackets import Bracket
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_count, parse_formula
from constructions.language.predicates import parse_predicate_definition
from constructions.language.syntax import And, Predicate
from constructions.network.dense import dense_layers
from constructions.network.json_form import (
    meaning_to_json,
    read_transformer,
    transformer_from_json,
    transformer_to_json,
    write_canonical,
)
from constructions.network.lengths import up_to
from constructions.network.meanings import Anything, Mean, Meaning, Near, Others, Position, Product, Slack, Truth
from constructions.network.transformer import Transformer
from constructions.network.validation import check_defined
from constructions.regimes import ALL_REGIMES, Regime
from tests.network.dense_embeddings import dense_embeddings
from tests.network.random_formulas import FUTURE, PAST, random_formula


def some_transformers(regime: Regime, count: int = 8) -> list[Transformer]:
    rng = random.Random(f"json {regime}")
    return [
        compile_formula(
            random_formula(rng, 4, temporal=PAST if regime.causal else PAST + FUTURE),
            ("a", "b"),
            regime,
            rng.choice([Fraction(3), Fraction(13, 10)]),
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_json_comes_back_as_an_equal_transformer(regime: Regime) -> None:
    for transformer in some_transformers(regime):
        text = write_canonical(transformer_to_json(transformer))
        again = read_transformer(text)
        assert again == transformer
        assert write_canonical(transformer_to_json(again)) == text
        assert text.isascii() and text.endswith("}\n")


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_canonical_text_does_not_depend_on_the_order_or_spelling_of_the_input(regime: Regime) -> None:
    def shuffled(value: object, rng: random.Random, keep_order: bool = False) -> object:
        if isinstance(value, dict):
            items = list(value.items())
            if not keep_order:
                rng.shuffle(items)
            return {key: shuffled(part, rng, key == "directions") for key, part in items}
        return [shuffled(part, rng) for part in value] if isinstance(value, list) else value

    rng = random.Random(7)
    for transformer in some_transformers(regime, 4):
        data = transformer_to_json(transformer)
        text = (
            json.dumps(shuffled(data, rng)).replace('"3"', '"6/2"').replace('"1/2"', '"0002/4"').replace('"-1"', "-1")
        )
        assert write_canonical(transformer_to_json(read_transformer(text))) == write_canonical(data)


def test_counting_models_come_back_equal_with_the_predicates_of_the_user_in_order() -> None:
    known = {definition.name: definition for definition in map(parse_predicate_definition, (
        "THIRD(i) := i % 3 == 1", "HALF(k,n) := 2*k == n", "UNUSED(k) := k == 7"))}
    formula = parse_formula("THIRD & HALF(#<[2*#<[Q_a] > #>[prev Q_b]]) | LAST", "ab", known)
    for as_printed in (False, True):
        transformer = compile_formula(formula, "ab", Regime(), as_printed=as_printed)
        data = transformer_to_json(transformer)
        assert list(data)[:5] == ["format", "version", "alphabet", "predicates", "directions"]
        assert data["predicates"] == ["HALF(k,n) := 2*k == n", "THIRD(k) := k%3 == 1"]
        assert read_transformer(write_canonical(data)) == transformer


def test_every_kind_of_meaning_has_its_json_object() -> None:
    count, odd = parse_count("#>[Q_a]"), parse_formula("ODD")
    objects: dict[Meaning, dict[str, str]] = {
        Position(Bracket(odd, shifted=True)): {"kind": "position", "value": "[ODD](i-1)"},
        Truth(odd): {"kind": "truth", "formula": "ODD"},
        Near(odd, count.operand): {"kind": "near", "formula": "ODD", "when": "Q_a"},
        Product(parse_expression("1/i"), odd): {"kind": "product", "value": "1/i", "formula": "ODD"},
        Mean(count): {"kind": "mean", "count": "#>[Q_a]"},
        Others(count): {"kind": "others", "count": "#>[Q_a]"},
        Slack(parse_formula("#>[Q_a] >= 2")): {"kind": "slack", "formula": "#>[Q_a] >= 2"},
        Anything(): {"kind": "any"},
    }
    data = transformer_to_json(compile_formula(parse_formula("Q_a"), "ab", Regime()))
    for meaning, written in objects.items():
        assert meaning_to_json(meaning) == written
        data["directions"]["x"] = written
        assert transformer_from_json(data).directions["x"] == meaning


def test_a_model_without_the_key_predicates_has_none() -> None:
    data = transformer_to_json(compile_formula(parse_formula("ODD(#<[Q_a])"), "ab", Regime()))
    assert data.pop("predicates") == []
    assert transformer_from_json(data).predicates() == []


def test_one_name_with_two_definitions_cannot_be_compiled() -> None:
    first, second = (parse_predicate_definition(f"T(k) := k == {number}") for number in (1, 2))
    formula = And(Predicate("T", (), first), Predicate("T", (), second))
    with pytest.raises(InputError, match="predicate T: found two definitions, expected one"):
        compile_formula(formula, "ab", Regime())


def test_a_repeated_key_is_found_among_200000() -> None:
    text = "{" + ", ".join(f'"{number}": 0' for number in range(200_000)) + ', "7": 0}'
    with pytest.raises(InputError, match='key "7" occurs twice in one object'):
        read_transformer(text)


def test_a_predicate_without_a_value_at_some_count_is_found_before_any_run() -> None:
    known = {"INVERSE": parse_predicate_definition("INVERSE(k,n) := 1/(n-k-3) > 0")}
    transformer = compile_formula(parse_formula("INVERSE(#<[Q_a])", "ab", known), "ab", Regime())
    check_defined(transformer, up_to(2))
    with pytest.raises(InputError, match=r"1/\(n-k-3\) > 0 divides by zero at k = 0, n = 3"):
        check_defined(transformer, up_to(3))


@pytest.mark.parametrize("symbols", [("'", "\\"), ("é", "\n"), ("a b", "Q_a"), ("\U0001f600", "]"), ("true", "0")])
def test_odd_symbols_survive(symbols: tuple[str, str]) -> None:
    from constructions.language.syntax import Not, Since, Symbol

    formula = Since(Not(Symbol(symbols[0])), Symbol(symbols[1]))
    transformer = compile_formula(formula, symbols, Regime())
    assert read_transformer(write_canonical(transformer_to_json(transformer))) == transformer


@pytest.mark.parametrize(
    "path, value",
    [
        pytest.param(("output",), []),
        pytest.param(("output",), {}),
        (("output",), None),
        (("alphabet",), [["a"], "b"]),
        (("alphabet",), "ab"),
        (("directions",), []),
        (("directions", "one"), {"kind": []}),
        (("layers",), {}),
        (("layers", 0), []),
        (("layers", 0, "heads", 0, "mask"), []),
        (("layers", 0, "heads", 0, "weighting"), {}),
        (("layers", 0, "heads", 0, "temperature"), 1),
        (("layers", 0, "heads", 0, "values"), []),
        (("layers", 0, "heads", 0, "queries"), [[]]),
        (("token_embedding",), []),
        (("position_embedding", "one"), 1),
        (("version",), True),
        (("format",), 1),
        (("layers", 0, "feedforward", "units", 0, "bias"), True),
        (("layers", 0, "feedforward", "units", 0, "bias"), "1/0"),
    ],
)
def test_a_value_of_the_wrong_type_is_bad_input_and_no_traceback(path: tuple[Any, ...], value: object) -> None:
    data = transformer_to_json(compile_formula(parse_formula("Q_a since Q_b"), "ab", Regime()))
    part = data
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    with pytest.raises(InputError):
        transformer_from_json(data)


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_dense_matrices_hold_every_weight_once(regime: Regime) -> None:
    for transformer in some_transformers(regime, 4):
        names = list(transformer.directions)
        d = len(names)
        nonzero = 0
        for layer, dense in zip(transformer.layers, dense_layers(transformer), strict=True):
            for head, matrices in zip(layer.heads, dense.heads, strict=True):
                assert len(matrices.queries) == len(matrices.keys) == len(head.queries)
                assert len(matrices.values) == d
                assert all(len(row) == d for m in (matrices.queries, matrices.keys, matrices.values) for row in m)
                for target, row in head.values.items():
                    assert {names[k]: x for k, x in enumerate(matrices.values[names.index(target)]) if x} == row
                nonzero += sum(
                    bool(x) for m in (matrices.queries, matrices.keys, matrices.values) for r in m for x in r
                )
            units = layer.feedforward.units
            assert len(dense.w1) == len(dense.b1) == len(units) and len(dense.w2) == len(dense.b2) == d
            assert all(len(row) == len(units) for row in dense.w2)
            assert [[dense.w2[k][u] for k in range(d)] for u in range(len(units))] == [
                [unit.writes.get(name, 0) for name in names] for unit in units
            ]
            nonzero += sum(bool(x) for m in (dense.w1, dense.w2) for row in m for x in row)
            nonzero += sum(map(bool, dense.b1)) + sum(map(bool, dense.b2))
        tokens, positions = dense_embeddings(transformer, 5)
        nonzero += sum(bool(x) for row in tokens for x in row) + len(transformer.position_embedding)
        assert nonzero == transformer.parameter_count()
        for i, numbers in enumerate(positions, start=1):
            assert {names[k]: x for k, x in enumerate(numbers) if x} == {
                name: x for name, e in transformer.position_embedding.items() if (x := e.evaluate(i=i, n=5))
            }
