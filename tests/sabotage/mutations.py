"""Random small changes of a model's JSON object: one weight, one function, one meaning, one wire, one part."""

import copy
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

Model = dict[str, Any]
Site = tuple[dict[str, Any], str]
"""A place that holds a rational: the object and the key."""
FUNCTIONS = [
    "1",
    "i/n",
    "(-1)^i",
    "1/i",
    "i",
    "n",
    "1/(n-i+1)",
    "(i+1)/n",
    "(i-1)/n",
    "-i/n",
    "i/(n+1)",
    "0",
    "(-1)^n",
    "i^2",
    "2*i/n",
    "1/2",
    "(-1)^(i+1)",
    "i-1",
    "i*n",
    "i^2*n",
    "[PRIME](i-1)",
    "[ODD | LAST]",
]
TEMPERATURES = ["1/n", "1", "1/i^2", "1/i", "2/n", "1/(2*n)", "n", "1/(n+1)", "1/n^2", "10", "i", "1/(n-i+1)", "3/n"]
GUARDS = [
    "true",
    "false",
    "ODD",
    "EVEN",
    "!FIRST",
    "!LAST",
    "FIRST",
    "LAST",
    "ODD & !FIRST",
    "EVEN & !FIRST",
    "ODD & !LAST",
    "EVEN & !LAST",
    "ODD | !FIRST",
    "PRIME",
    "Q_a",
    "!Q_a",
    "#<[Q_a] > 1",
]


COUNTS = ["#<[Q_a]", "#>[Q_a]", "#<[Q_b]", "#<[!Q_a]", "#<[true]"]


def number_sites(model: Model) -> list[Site]:
    sites: list[Site] = []

    def rows(row: dict[str, Any]) -> None:
        sites.extend((row, name) for name in row)

    for row in model["token_embedding"].values():
        rows(row)
    for layer in model["layers"]:
        for head in layer["heads"]:
            for row in (*head["queries"], *head["keys"], *head["values"].values()):
                rows(row)
        for unit in layer["feedforward"]["units"]:
            rows(unit["reads"])
            rows(unit["writes"])
            sites.append((unit, "bias"))
        rows(layer["feedforward"]["bias"])
    return sites


def row_sites(model: Model) -> list[dict[str, Any]]:
    rows = list(model["token_embedding"].values())
    for layer in model["layers"]:
        for head in layer["heads"]:
            rows += [*head["queries"], *head["keys"], *head["values"].values()]
        for unit in layer["feedforward"]["units"]:
            rows += [unit["reads"], unit["writes"]]
        rows.append(layer["feedforward"]["bias"])
    return rows


def heads(model: Model) -> list[dict[str, Any]]:
    return [head for layer in model["layers"] for head in layer["heads"]]


def change_weight(model: Model, rng: random.Random) -> str:
    place, key = rng.choice(number_sites(model))
    old = Fraction(place[key])
    changes: list[Callable[[Fraction], Fraction]] = [
        lambda x: x + 1,
        lambda x: x - 1,
        lambda x: 2 * x,
        lambda x: x / 2,
        lambda x: -x,
        lambda x: Fraction(0),
        lambda x: x + Fraction(1, 1000),
        lambda x: x - Fraction(1, 1000),
        lambda x: x * Fraction(11, 10),
    ]
    place[key] = str(rng.choice(changes)(old))
    return f"weight {key}: {old} -> {place[key]}"


def add_weight(model: Model, rng: random.Random) -> str:
    row = rng.choice(row_sites(model))
    name = rng.choice(list(model["directions"]))
    row[name] = str(rng.choice([Fraction(1), Fraction(-1), Fraction(1, 1000), Fraction(1, 2)]))
    return f"weight added on {name}"


def change_position_function(model: Model, rng: random.Random) -> str:
    name = rng.choice(list(model["position_embedding"]))
    model["position_embedding"][name] = rng.choice(FUNCTIONS)
    if rng.random() < 0.5 and model["directions"][name]["kind"] == "position":
        model["directions"][name]["value"] = model["position_embedding"][name]
    return f"position function {name} -> {model['position_embedding'][name]}"


def change_temperature(model: Model, rng: random.Random) -> str:
    head = rng.choice(heads(model))
    head["temperature"] = rng.choice(TEMPERATURES)
    return f"temperature -> {head['temperature']}"


def change_mask(model: Model, rng: random.Random) -> str:
    head = rng.choice(heads(model))
    head["mask"] = rng.choice([mask for mask in ("none", "future", "past") if mask != head["mask"]])
    return f"mask -> {head['mask']}"


def change_weighting(model: Model, rng: random.Random) -> str:
    head = rng.choice(heads(model))
    head["weighting"] = rng.choice(["average-hardmax", "leftmost-hardmax", "rightmost-hardmax"])
    return f"weighting -> {head['weighting']}"


def change_formula(model: Model, rng: random.Random) -> str:
    place = rng.choice([m for m in model["directions"].values() if "formula" in m])
    others = [m["formula"] for m in model["directions"].values() if "formula" in m]
    symbols = [f"Q_{a}" for a in model["alphabet"]]
    old = place["formula"]
    place["formula"] = rng.choice(
        [
            rng.choice(others),
            f"!({old})",
            f"({old}) & {rng.choice(symbols)}",
            f"prev ({old})",
            f"next ({old})",
            f"({old}) | {rng.choice(symbols)}",
            f"({old}) since {rng.choice(symbols)}",
            f"{rng.choice(symbols)} until ({old})",
            "true",
            "false",
            "ODD",
            f"({old}) & !LAST",
        ]
    )
    return f"meaning {old} -> {place['formula']}"


def change_count(model: Model, rng: random.Random) -> str:
    """Another count for a mean or for others; without any, another formula."""
    places = [m for m in model["directions"].values() if "count" in m]
    if not places:
        return change_formula(model, rng)
    place = rng.choice(places)
    old, operand = place["count"], place["count"][3:-1]
    side = "#>" if old.startswith("#<") else "#<"
    others = [f"{side}[{operand}]", f"{old[:2]}[!({operand})]", f"{old[:2]}[Q_b]", f"{old[:2]}[ODD]"]
    place["count"] = rng.choice(others)
    return f"count {old} -> {place['count']}"


def change_guard(model: Model, rng: random.Random) -> str:
    near = [m for m in model["directions"].values() if m["kind"] == "near"]
    if not near:
        return change_formula(model, rng)
    place = rng.choice(near)
    place["when"] = rng.choice(GUARDS)
    return f"when -> {place['when']}"


def change_kind(model: Model, rng: random.Random) -> str:
    name = rng.choice(list(model["directions"]))
    formula = model["directions"][name].get("formula", "ODD")
    model["directions"][name] = rng.choice(
        [
            {"kind": "truth", "formula": formula},
            {"kind": "near", "formula": formula, "when": rng.choice(GUARDS)},
            {"kind": "position", "value": rng.choice(FUNCTIONS)},
            {"kind": "product", "value": rng.choice(["1/i", "1", "i-1", "1/(n+1-i)"]), "formula": formula},
            {"kind": "mean", "count": rng.choice(COUNTS)},
            {"kind": "others", "count": rng.choice(COUNTS)},
            {"kind": "any"},
        ]
    )
    return f"meaning of {name} -> {model['directions'][name]}"


def change_value(model: Model, rng: random.Random) -> str:
    places = [m for m in model["directions"].values() if m["kind"] == "position"]
    place = rng.choice(places)
    place["value"] = rng.choice([*FUNCTIONS, f"{place['value']}+0^(6-n)/100"])
    return f"stated value -> {place['value']}"


def rewire(model: Model, rng: random.Random) -> str:
    row = rng.choice([row for row in row_sites(model) if row])
    old, new = rng.choice(list(row)), rng.choice(list(model["directions"]))
    row[new] = row.pop(old)
    return f"rewired {old} -> {new}"


def rewire_written(model: Model, rng: random.Random) -> str:
    head, new = rng.choice(heads(model)), rng.choice(list(model["directions"]))
    old = rng.choice(list(head["values"]))
    head["values"][new] = head["values"].pop(old)
    return f"head writes {new} for {old}"


def swap_meanings(model: Model, rng: random.Random) -> str:
    a, b = rng.sample(list(model["directions"]), 2)
    directions = model["directions"]
    directions[a], directions[b] = directions[b], directions[a]
    return f"meanings of {a} and {b} swapped"


def delete_part(model: Model, rng: random.Random) -> str:
    layer = rng.choice(model["layers"])
    parts = rng.choice([layer["heads"], layer["feedforward"]["units"]])
    if parts:
        parts.pop(rng.randrange(len(parts)))
    return "part deleted"


def repeat_part(model: Model, rng: random.Random) -> str:
    layer, other = rng.choice(model["layers"]), rng.choice(model["layers"])
    kind = rng.choice(["heads", "units"])
    parts = layer["heads"] if kind == "heads" else layer["feedforward"]["units"]
    target = other["heads"] if kind == "heads" else other["feedforward"]["units"]
    if parts:
        target.append(copy.deepcopy(rng.choice(parts)))
    return f"one of the {kind} duplicated"


def split_unit(model: Model, rng: random.Random) -> str:
    """Harmless: one unit becomes two that write half as much."""
    units = [unit for layer in model["layers"] for unit in layer["feedforward"]["units"]]
    if not units:
        return "nothing"
    unit = rng.choice(units)
    for name in unit["writes"]:
        unit["writes"][name] = str(Fraction(unit["writes"][name]) / 2)
    for layer in model["layers"]:
        if any(u is unit for u in layer["feedforward"]["units"]):
            layer["feedforward"]["units"].append(copy.deepcopy(unit))
            break
    return "unit split in two"


def swap_layers(model: Model, rng: random.Random) -> str:
    if len(model["layers"]) > 1:
        k = rng.randrange(len(model["layers"]) - 1)
        model["layers"][k : k + 2] = reversed(model["layers"][k : k + 2])
    return "layers swapped"


def change_output(model: Model, rng: random.Random) -> str:
    model["output"] = rng.choice(list(model["directions"]))
    return f"output -> {model['output']}"


def add_row(model: Model, rng: random.Random) -> str:
    head = rng.choice(heads(model))
    names = list(model["directions"])
    head["queries"].append({rng.choice(names): "1"})
    head["keys"].append({rng.choice(names): rng.choice(["1", "-1", "1/100"])})
    return "one more component of queries and keys"


MUTATIONS: list[Callable[[Model, random.Random], str]] = [
    change_weight,
    change_weight,
    change_weight,
    change_weight,
    add_weight,
    add_weight,
    change_position_function,
    change_temperature,
    change_mask,
    change_weighting,
    change_formula,
    change_formula,
    change_guard,
    change_guard,
    change_count,
    change_count,
    change_kind,
    change_value,
    rewire,
    rewire,
    rewire_written,
    swap_meanings,
    delete_part,
    repeat_part,
    split_unit,
    swap_layers,
    change_output,
    add_row,
]


NEED_HEADS = {
    change_temperature,
    change_mask,
    change_weighting,
    rewire_written,
    add_row,
    change_position_function,
    change_value,
}

NEED_LAYERS = {delete_part, repeat_part, split_unit}


def mutate(model: Model, seed: int) -> tuple[str, str, Model]:
    """Return the kind of change, what it was, and the changed copy."""
    rng = random.Random(seed)
    changed = copy.deepcopy(model)
    mutation = MUTATIONS[seed % len(MUTATIONS)]
    if (not heads(model) and mutation in NEED_HEADS) or (not model["layers"] and mutation in NEED_LAYERS):
        mutation = change_weight
    return mutation.__name__, mutation(changed, rng), changed
