"""Reads before writes, second writes, and embeddings that do not hold what they should: each is a fault, alone."""

from collections.abc import Callable
from typing import Any

import pytest

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_from_json, transformer_to_json
from constructions.network.lengths import up_to
from constructions.regimes import Regime
from proofs.formula.composition import find_composition_faults, find_embedding_fault, find_output_faults


def model(text: str = "prev Q_a since Q_b") -> dict[str, Any]:
    return transformer_to_json(compile_formula(parse_formula(text, "ab"), "ab", Regime()))


def faults(data: dict[str, Any], max_n: int = 5) -> list[str]:
    transformer = transformer_from_json(data)
    embedded = [find_embedding_fault(transformer, name, up_to(max_n)) for name in transformer.embedded()]
    return find_composition_faults(transformer) + find_output_faults(transformer) + [f for f in embedded if f]


def test_the_untouched_model_has_no_fault() -> None:
    assert faults(model()) == []


def heads(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [head for layer in data["layers"] for head in layer["heads"]]


def last_near_head(data: dict[str, Any]) -> dict[str, Any]:
    return next(h for h in reversed(heads(data)) if next(iter(h["values"])).startswith("near"))


def swap_layers(data: dict[str, Any]) -> None:
    data["layers"].reverse()


def repeat_head(data: dict[str, Any]) -> None:
    data["layers"][0]["heads"].append(data["layers"][0]["heads"][0])


def write_output_early(data: dict[str, Any]) -> None:
    data["layers"][0]["feedforward"]["bias"][data["output"]] = "1"


def write_output_by_a_head_too(data: dict[str, Any]) -> None:
    heads(data)[0]["values"][data["output"]] = {"one": "1"}


def embed_what_a_layer_writes(data: dict[str, Any]) -> None:
    data["token_embedding"]["a"][data["output"]] = "1"


def embed_position_where_a_layer_writes(data: dict[str, Any]) -> None:
    data["position_embedding"][data["output"]] = "0"


def head_reads_what_it_writes(data: dict[str, Any]) -> None:
    head = last_near_head(data)
    name = next(iter(head["values"]))
    head["values"][name] = {**head["values"][name], name: "1"}


def head_reads_a_neighbour_of_its_layer(data: dict[str, Any]) -> None:
    layer = next(layer for layer in data["layers"] if len(layer["heads"]) > 1)
    first, second = layer["heads"][0], layer["heads"][1]
    second["keys"] = [{**second["keys"][0], next(iter(first["values"])): "1"}]


def unit_reads_what_its_layer_writes(data: dict[str, Any]) -> None:
    data["layers"][-1]["feedforward"]["units"].append(
        {"reads": {data["output"]: "1"}, "bias": "0", "writes": {"one": "0"}}
    )


def unit_reads_a_later_direction(data: dict[str, Any]) -> None:
    data["layers"][0]["feedforward"]["units"].append({"reads": {data["output"]: "1"}, "bias": "0", "writes": {}})


@pytest.mark.parametrize(
    "sabotage, word",
    [
        (swap_layers, "reads"),
        (repeat_head, "written once"),
        (write_output_early, "written once"),
        (write_output_by_a_head_too, "written once"),
        (embed_what_a_layer_writes, "written once"),
        (embed_position_where_a_layer_writes, "written once"),
        (head_reads_what_it_writes, "reads"),
        (head_reads_a_neighbour_of_its_layer, "reads"),
        (unit_reads_what_its_layer_writes, "reads"),
        (unit_reads_a_later_direction, "reads"),
    ],
)
def test_a_broken_order_is_a_fault(sabotage: Callable[[dict[str, Any]], None], word: str) -> None:
    data = model()
    sabotage(data)
    found = find_composition_faults(transformer_from_json(data))
    assert found and any(word in fault for fault in found), found


@pytest.mark.parametrize(
    "name, meaning, embedding",
    [
        ("i/n", {"kind": "position", "value": "(i+1)/n"}, None),
        ("is[Q_a]", {"kind": "truth", "formula": "Q_b"}, None),
        ("is[Q_a]", {"kind": "truth", "formula": "Q_a & ODD"}, None),
        ("is[Q_a]", {"kind": "near", "formula": "Q_a", "when": "true"}, None),
        ("is[Q_a]", {"kind": "position", "value": "1"}, None),
        ("is[Q_a]", {"kind": "truth", "formula": "true"}, None),
        ("is[Q_a]", {"kind": "truth", "formula": "prev Q_a"}, None),
        ("one", {"kind": "truth", "formula": "FIRST"}, None),
        ("one", {"kind": "position", "value": "1"}, "1+0^(4-i)*(i-3)*(n-4)"),
    ],
)
def test_an_embedding_that_holds_something_else_is_a_fault(
    name: str, meaning: dict[str, str], embedding: str | None
) -> None:
    data = model()
    data["directions"][name] = meaning
    if embedding:
        data["position_embedding"][name] = embedding
    assert find_embedding_fault(transformer_from_json(data), name, up_to(5))


def test_an_output_that_means_no_truth_or_lacks_a_subformula_is_a_fault() -> None:
    data = model()
    data["output"] = "one"
    assert find_output_faults(transformer_from_json(data))
    data = model()
    data["directions"]["is[prev Q_a]"] = {"kind": "truth", "formula": "prev (Q_a & true)"}
    assert any("prev Q_a" in fault for fault in find_output_faults(transformer_from_json(data)))
