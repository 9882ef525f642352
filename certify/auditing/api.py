"""Audits from Python; the keyword arguments of ``audit`` are the keys of one claim, with Python types."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, TypedDict, Unpack

from certify.auditing.claims_file import read_claim, read_claims
from certify.auditing.decide import AuditSearch
from certify.auditing.judge import judge
from certify.auditing.results import AuditReport, ClaimResult
from certify.auditing.session import Session
from certify.requests.arguments import Exact, exact_text, read_lengths
from constructions.arguments import typed
from constructions.regimes import Regime

Path = str | PathLike[str]


class ClaimKeys(TypedDict, total=False):
    """One claim, without its name and its formula (docs/reference/claims.md)."""

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
    predicate: Sequence[str]
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
    before: str
    after: str
    threshold: Exact
    margin: Exact
    norm: Exact
    direction: str
    as_formula: bool
    claim: Path
    offset: int | str | list[int]
    intercept: Exact
    at_most: Exact
    at_least: Exact
    exactly: Exact
    within: Exact
    head: str
    on: str
    near: str
    kept_heads: str
    kept_neurons: str
    cut_edges: str
    to: str
    weights: Path
    effort: int
    language: str
    p: Exact
    slope: Exact
    steepest: Exact
    break_ties: bool
    every_n: bool
    format: str
    exp_ulp: Exact
    layers: int
    heads: int
    ReLUs: int
    directions: int
    parameters: int


EXACT = frozenset(name for name, kind in ClaimKeys.__annotations__.items() if "Exact" in str(kind))
"""Numbers that a claims file writes as texts."""


def as_entry(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a claim to its form in a claims file: numbers, paths, regimes to texts, sequences to lists or texts.

    An integer of a count stays one: a number of inputs.

    >>> as_entry({"gamma": 2, "alphabet": ["go", "stop"], "critical": (4, 5)})
    {'gamma': '2', 'alphabet': 'go,stop', 'critical': [4, 5]}

    Raises:
        InputError: if a number is a float.
    """
    entry: dict[str, Any] = {}
    for key, value in keys.items():
        if isinstance(value, Regime):
            entry |= {key: str(value.sharpening), "causal": value.causal or keys.get("causal", False)}
        elif key in EXACT and not (keys.get("kind") == "count" and type(value) is int):
            entry[key] = exact_text(key, value)
        elif key == "alphabet" and isinstance(value, list | tuple):
            entry[key] = ",".join(map(str, value))
        elif isinstance(value, PathLike):
            entry[key] = str(value)
        else:
            entry.setdefault(key, list(value) if isinstance(value, tuple) else value)
    return entry


# -- audits ------------------------------------------------------------------------------------------------------------


@typed
def audit(formula: str | None = None, **keys: Unpack[ClaimKeys]) -> ClaimResult:
    """Decide one claim, length by length, and find the requested critical constants.

    The keys are those of a claims file (docs/reference/claims.md); ``max_n`` is ``lengths``, as elsewhere; numbers are
    texts, integers or Fractions. Without a formula, ``model`` or another key gives the subject.

    >>> from fractions import Fraction
    >>> found = audit("(Q_a | Q_b) since Q_a", alphabet="abc", gamma=Fraction(138, 100), lengths=6, critical=[4])
    >>> found.verdict, [row.verdict for row in found.rows].index("refuted") + 1, found.witness.word
    ('refuted', 5, 'aaaac')
    >>> found.criticals[0].gamma.upper
    Fraction(2384, 1735)

    Raises:
        InputError: for an unknown key, or a malformed value.
    """
    entry = as_entry(keys) | ({} if formula is None else {"formula": formula})
    return judge(read_claim({**entry, "name": "claim"}), AuditSearch())


@typed
def audit_file(path: Path, max_n: int | None = None) -> AuditReport:
    """Return the results of a claims file, without a session on disk; for words up to ``max_n``, if given.

    Claims that are expected to be refuted keep their lengths.

    Raises:
        InputError: if the file is malformed, or an expression in it is undefined at some length.
    """
    file = read_claims(os.fspath(path))
    if max_n is not None:
        last = read_lengths(1, max_n).last
        file = replace(file, title=f"{file.title} (here: most claims for words up to length {last})",
                       claims=tuple(claim.of_short_words(max_n) for claim in file.claims))
    session = Session(file, keeping=False)
    session.run()
    return session.report
