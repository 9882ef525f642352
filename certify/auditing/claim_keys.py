"""The keyword arguments of ``audit``: the keys of one claim of a claims file, with their types in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, TypedDict

from certify.asking.arguments import Exact, exact_text
from constructions.regimes import Regime

Path = str | PathLike[str]


class ClaimKeys(TypedDict, total=False):
    """One claim, without its name and its formula (docs/claims.md)."""

    kind: str
    statement: str
    says: str
    lengths: str | int
    min_n: int
    max_n: int
    expect: str
    counterexample: dict[str, Any]
    constants: dict[str, str]
    part: str
    reading: str
    rests_on: str
    limit: str
    note: str
    gamma: Exact
    temperature: Exact
    delta: Exact
    embeddings: list[str]
    embedding_bound: Exact
    gap: Exact
    critical: Sequence[int]
    width: Exact
    float: str
    given: str
    alphabet: str | Sequence[str]
    symbol: str
    predicates: Sequence[str]
    regime: str | Regime
    causal: bool
    as_printed: bool
    precision: str
    dialect: str
    weighting: str
    oracle: str | dict[str, str]
    model: Path
    examine: str
    program: Path
    undecidable: str
    at: str
    letters: str | Sequence[str]
    before: str
    after: str
    threshold: Exact
    margin: Exact
    norm: Exact
    direction: str
    as_formula: bool
    claim: Path
    offset: Exact
    at_most: Exact
    at_least: Exact
    language: str
    p: Exact
    slope: Exact
    steepest: Exact
    break_ties: bool
    every_n: bool
    offsets: int | str | list[int]
    format: str
    exp_ulp: Exact
    layers: int
    heads: int
    ReLUs: int
    directions: int
    parameters: int


EXACT = frozenset(name for name, kind in ClaimKeys.__annotations__.items() if "Exact" in str(kind)) - {"offset"}
"""Numbers that a claims file writes as texts; an ``offset`` is one where it is about cross-entropy."""


def as_entry(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The claim as a claims file has it: numbers, paths, regimes and sequences of symbols as texts, others as lists.

    >>> as_entry({"gamma": 2, "alphabet": ["go", "stop"], "critical": (4, 5)})
    {'gamma': '2', 'alphabet': 'go,stop', 'critical': [4, 5]}

    Raises:
        InputError: if a number is a float.
    """
    exact = EXACT | ({"offset"} if keys.get("kind") == "cross-entropy" else set())
    entry: dict[str, Any] = {}
    for key, value in keys.items():
        if isinstance(value, Regime):
            entry |= {key: str(value.sharpening), "causal": value.causal or keys.get("causal", False)}
        elif key in exact:
            entry[key] = exact_text(key, value)
        elif key in ("alphabet", "letters") and isinstance(value, list | tuple):
            entry[key] = ",".join(map(str, value))
        elif isinstance(value, PathLike):
            entry[key] = str(value)
        else:
            entry.setdefault(key, list(value) if isinstance(value, tuple) else value)
    return entry
