"""One name for another, everywhere in a certificate: names mean nothing, so the claim is the same."""

import copy
import re
from collections.abc import Callable, Mapping
from typing import Any

Json = Any
SYMBOL = re.compile(r"Q\['((?:[^'\\]|\\['\\])+)'\]|Q_([A-Za-z0-9_]+)")


def write_symbol(name: str) -> str:
    """Return the formula that says that the symbol is here."""
    plain = re.fullmatch(r"[A-Za-z0-9_]+", name, re.ASCII)
    return f"Q_{name}" if plain else "Q['" + re.sub(r"(['\\])", r"\\\1", name) + "']"


def in_formula(text: str, names: Mapping[str, str]) -> str:
    """Return the formula with other names for symbols."""
    def rename(found: re.Match[str]) -> str:
        old = found[2] if found[2] is not None else re.sub(r"\\(.)", r"\1", found[1])
        return write_symbol(names.get(old, old))
    return SYMBOL.sub(rename, text)


def rename_symbols(certificate: Json, names: Mapping[str, str]) -> Json:
    """Return a copy with other names for symbols: in alphabets, rows of the token embedding, and formulas."""
    made = copy.deepcopy(certificate)
    claim, model = made["claim"], made["transformer"]
    for owner in (claim, model):
        for key in owner.keys() & {"alphabet", "before", "after"}:
            owner[key] = [names.get(symbol, symbol) for symbol in owner[key]]
    model["token_embedding"] = _with_keys(model["token_embedding"], names)
    for owner in (claim, *model["directions"].values()):
        for key in ("formula", "when", "count", "term", "given"):
            if key in owner:
                owner[key] = in_formula(owner[key], names)
    return made


def rename_directions(certificate: Json, names: Mapping[str, str]) -> Json:
    """Return a copy with other names for directions: wherever one is a key or is named."""
    made = copy.deepcopy(certificate)
    model = made["transformer"]
    _for_each_row(made, lambda row: _with_keys(row, names))
    model["output"] = names.get(model["output"], model["output"])
    if "words" in made:
        made["words"] = [names.get(name, name) for name in made["words"]]
    for bound in made.get("bounds", []):
        bound["direction"] = names.get(bound["direction"], bound["direction"])
    return made


def with_plain_names(certificate: Json) -> Json:
    """A copy whose symbols are s1, s2, ... and whose directions are d1, d2, ... in the same order; heads have none."""
    model = certificate["transformer"]
    symbols = {symbol: f"s{place}" for place, symbol in enumerate(model["alphabet"], 1)}
    directions = {name: f"d{place}" for place, name in enumerate(model["directions"], 1)}
    made = rename_directions(rename_symbols(certificate, symbols), directions)
    for head in (head for layer in made["transformer"]["layers"] for head in layer["heads"]):
        head.update(name="", source="")
    return made


def _for_each_row(certificate: Json, change: Callable[[Json], Json]) -> None:
    """Change every object whose keys are directions."""
    model = certificate["transformer"]
    for key in ("directions", "position_embedding"):
        model[key] = change(model[key])
    model["token_embedding"] = {symbol: change(row) for symbol, row in model["token_embedding"].items()}
    for layer in model["layers"]:
        for head in layer["heads"]:
            for rows in (head["queries"], head["keys"]):
                rows[:] = map(change, rows)
            head["values"] = {name: change(row) for name, row in change(head["values"]).items()}
        part = layer["feedforward"]
        part["bias"] = change(part["bias"])
        for unit in part["units"]:
            unit.update(reads=change(unit["reads"]), writes=change(unit["writes"]))
    if "errors" in certificate:
        certificate["errors"] = [[change(stage) for stage in stages] for stages in certificate["errors"]]


def _with_keys(row: Json, names: Mapping[str, str]) -> Json:
    return {names.get(key, key): value for key, value in row.items()}
