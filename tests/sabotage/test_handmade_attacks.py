"""Models made by hand to slip through a rule: each is either truly right, or not certified."""

from typing import Any

import pytest

from certify.claims.formula.outcomes import Certified, Refuted
from certify.claims.formula.pipeline import certify, certify_transformer
from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_from_json, transformer_to_json
from constructions.network.lengths import up_to
from constructions.regimes import ALL_REGIMES, Regime
from proofs.formula.discharge import discharge
from tests.sabotage.ground_truth import own_misses, words
from tests.sabotage.test_mutants_are_never_certified_wrongly import brute_miss, checker_accepts

Model = dict[str, Any]


def compiled(text: str, alphabet: str = "ab", regime: Regime = Regime()) -> Model:
    return transformer_to_json(compile_formula(parse_formula(text), tuple(alphabet), regime))


def proved(model: Model, max_n: int) -> bool:
    """Return whether the producer proves it; the checker must not accept more, and neither may accept an error."""
    transformer = transformer_from_json(model)
    by_producer, by_checker = (
        all(line.proved for line in discharge(transformer, up_to(max_n))),
        checker_accepts(transformer, max_n),
    )
    if by_producer or by_checker:
        assert brute_miss(transformer, min(max_n, 5), transformer.alphabet) is None
    return by_producer or by_checker


def head(mask: str, values: Model, keys: Model | None = None, temperature: str = "1") -> Model:
    return {
        "name": "h",
        "source": "",
        "mask": mask,
        "weighting": "softmax",
        "temperature": temperature,
        "queries": [{"one": "1"}],
        "keys": [keys or {}],
        "values": values,
    }


def model(directions: Model, heads: list[Model], units: list[Model], output: str) -> Model:
    every = {
        "one": {"kind": "position", "value": "1"},
        "a": {"kind": "truth", "formula": "Q_a"},
        "b": {"kind": "truth", "formula": "Q_b"},
        **directions,
    }
    return {
        "format": "certify-transformer",
        "version": 1,
        "alphabet": ["a", "b"],
        "directions": every,
        "token_embedding": {"a": {"a": "1"}, "b": {"b": "1"}},
        "position_embedding": {name: m["value"] for name, m in every.items() if m["kind"] == "position"},
        "layers": [{"heads": heads, "feedforward": {"units": units, "bias": {}}}],
        "output": output,
    }


ROUND = [
    {"reads": {"near": "1"}, "bias": "-1/4", "writes": {"out": "2"}},
    {"reads": {"near": "1"}, "bias": "-3/4", "writes": {"out": "-2"}},
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("alphabet", ["a", "abc"])
@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_other_sizes_of_alphabet_are_certified_rightly(alphabet: str, regime: Regime) -> None:
    for text in ("prev Q_a", "(Q_a | Q_b) since Q_a" if alphabet == "abc" else "Q_a since Q_a"):
        outcome = certify(text, alphabet, 8, regime)
        assert isinstance(outcome, Certified)
        assert outcome.transformer and brute_miss(outcome.transformer, 4, alphabet) is None


@pytest.mark.parametrize("when", ["false", "ODD & EVEN", "FIRST & !FIRST", "MOD(7,0)", "!PRIME"])
def test_a_guard_that_is_seldom_true_lends_nothing_to_the_units(when: str) -> None:
    assert not proved(
        model(
            {
                "near": {"kind": "near", "formula": "prev Q_a", "when": when},
                "out": {"kind": "truth", "formula": "prev Q_a"},
            },
            [head("future", {"near": {"a": "1"}})],
            ROUND,
            "out",
        ),
        6,
    )


def test_a_guard_that_fails_at_one_late_position_is_enough_to_refuse() -> None:
    sharp = compiled("Q_a S Q_b", "abc")
    name = next(name for name in sharp["directions"] if name.startswith("near"))
    sharp["directions"][name]["when"] = "!MOD(23,0)"
    assert proved(sharp, 22)
    assert not proved(sharp, 23)


def test_a_head_may_not_use_the_truth_it_is_to_make() -> None:
    """``out`` is read by the very head that serves to write it, or two layers claim each other's result."""
    near = {"kind": "near", "formula": "Q_a since Q_b", "when": "true"}
    out = {"kind": "truth", "formula": "Q_a since Q_b"}
    assert not proved(
        model({"near": near, "out": out}, [head("future", {"near": {"out": "1"}}, {"out": "9"})], ROUND, "out"), 4
    )
    looped = model(
        {"near": near, "out": out, "copy": out},
        [head("future", {"near": {"copy": "1"}}, {"copy": "9"})],
        [*ROUND, {"reads": {"out": "1"}, "bias": "0", "writes": {"copy": "1"}}],
        "out",
    )
    assert not proved(looped, 4)


def test_a_target_that_is_read_exactly_from_an_earlier_layer_may_still_not_be_copied_by_blunt_attention() -> None:
    right = compiled("Q_a S Q_b", "abc")
    source = right["output"]
    right["directions"]["again"] = {"kind": "near", "formula": right["directions"][source]["formula"], "when": "true"}
    right["layers"].append(
        {"heads": [head("future", {"again": {source: "1"}})], "feedforward": {"units": [], "bias": {}}}
    )
    assert not proved(right, 4)


@pytest.mark.parametrize("value", ["2", "-1", "1001/1000", "-1/1000"])
def test_values_outside_0_to_1_are_refused_even_if_never_heard(value: str) -> None:
    assert not proved(
        model(
            {
                "near": {"kind": "near", "formula": "prev Q_a", "when": "false"},
                "x": {"kind": "position", "value": value},
            },
            [head("future", {"near": {"x": "1"}})],
            [],
            "a",
        ),
        4,
    )


@pytest.mark.parametrize("formula", ["Q_a", "!Q_b", "Q_a | Q_a", "Q_a & true", "(Q_a)"])
def test_several_directions_of_one_truth_are_harmless(formula: str) -> None:
    twin = model(
        {"twin": {"kind": "truth", "formula": formula}, "out": {"kind": "truth", "formula": "!Q_a"}},
        [],
        [{"reads": {"twin": "1"}, "bias": "0", "writes": {"out": "-1"}}],
        "out",
    )
    twin["token_embedding"]["a"]["twin"] = "1"
    twin["layers"][0]["feedforward"]["bias"]["out"] = "1"
    assert proved(twin, 4)


@pytest.mark.parametrize("formula", ["Q_b", "Q_a & Q_b", "Q_a | Q_b", "prev Q_a"])
def test_a_direction_of_another_truth_is_not_read_for_it(formula: str) -> None:
    other = model(
        {"other": {"kind": "truth", "formula": formula}, "out": {"kind": "truth", "formula": "!Q_a"}},
        [],
        [{"reads": {"other": "1"}, "bias": "0", "writes": {"out": "-1"}}],
        "out",
    )
    other["token_embedding"]["a"]["other"] = "1"
    other["layers"][0]["feedforward"]["bias"]["out"] = "1"
    assert not proved(other, 4)


def test_a_unit_that_writes_nothing_and_a_zero_row_change_nothing() -> None:
    padded = compiled("Q_a S Q_b", "abc")
    layer = padded["layers"][0]
    layer["feedforward"]["units"].append({"reads": {}, "bias": "5", "writes": {}})
    layer["heads"][0]["queries"].append({})
    layer["heads"][0]["keys"].append({})
    assert proved(padded, 6)


@pytest.mark.parametrize("formula", ["prev ODD", "prev FIRST", "next LAST", "prev true", "next true", "true since ODD"])
def test_temporal_operators_over_positions_alone(formula: str) -> None:
    """Meanings that look known but are not: a direction 0 everywhere claims to be their truth."""
    zero = model(
        {"out": {"kind": "truth", "formula": formula}},
        [],
        [{"reads": {"a": "1"}, "bias": "-1", "writes": {"out": "1"}}],
        "out",
    )
    assert not proved(zero, 4)
    embedded = model({"out": {"kind": "truth", "formula": formula}}, [], [], "out")
    embedded["position_embedding"]["out"] = "1"
    assert not proved(embedded, 4)


def test_words_with_a_symbol_outside_the_alphabet_are_no_part_of_a_meaning() -> None:
    strange = model({"out": {"kind": "truth", "formula": "Q_z"}}, [], [], "out")
    with pytest.raises(InputError):
        transformer_from_json(strange)


@pytest.mark.parametrize("temperature", ["i*n", "(n-i+1)/n", "1/(i*n)", "i/n", "n^3"])
def test_temperatures_of_i_and_n_together(temperature: str) -> None:
    flat = compiled("Q_a S Q_b", "abc")
    for layer in flat["layers"]:
        for part in layer["heads"]:
            part["temperature"] = temperature
    transformer = transformer_from_json(flat)
    assert proved(flat, 6) == (
        brute_miss(transformer, 6, "abc") is None if temperature != "1/(i*n)" else proved(flat, 6)
    )


def test_ties_are_averages() -> None:
    """Three of four equal positions are enough for 3/4 and not a grain less."""
    tied = model(
        {"near": {"kind": "near", "formula": "prev Q_a", "when": "FIRST"}},
        [head("future", {"near": {"a": "1/4"}})],
        [],
        "a",
    )
    assert proved(tied, 6)
    tied["layers"][0]["heads"][0]["values"]["near"]["a"] = "1/4"
    tied["directions"]["near"]["formula"] = "Q_a since (Q_a | Q_b)"
    assert not proved(tied, 1)
    tied["layers"][0]["heads"][0]["values"]["near"]["a"] = "3/4"
    assert proved(tied, 1)
    tied["layers"][0]["heads"][0]["values"]["near"]["a"] = "749999999999999999999999/1000000000000000000000000"
    assert not proved(tied, 1)


def test_a_wrong_subformula_spoils_the_claim_though_the_output_is_right() -> None:
    """Only the output counts for a run, but the claim is about every subformula."""
    wrong = compiled("prev Q_a | true", "ab")
    transformer = transformer_from_json(wrong)
    assert proved(wrong, 4)
    flat = transformer_to_json(transformer)
    for layer in flat["layers"]:
        for part in layer["heads"]:
            if any(name.startswith("near") for name in part["values"]):
                part["temperature"] = "100"
    assert not proved(flat, 4)
    outcome = certify_transformer(transformer_from_json(flat), 4)
    assert isinstance(outcome, Refuted)
    assert own_misses(transformer_from_json(flat), outcome.counterexample.word)
    assert any(own_misses(transformer_from_json(flat), word) for word in words("ab", 4))
