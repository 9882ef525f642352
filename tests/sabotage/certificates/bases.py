"""Small certificates of every kind, whose mutants are judged; all words of their claims can be run."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from certify.outcomes import Certified
from certify.pipeline import certify
from constructions.regimes import Regime, Sharpening
from tests.checker import handmade, handmade_counting
from tests.checker.handmade import near, position, truth
from tests.checker.softened_models import MODELS
from tests.checker.softened_models import sealed as softened

Json = Any
MAX_N = 3


def constant() -> Json:
    """No head, no unit, no layer: `true`, embedded at every position."""
    made = handmade.certificate("true", "01", MAX_N, {"y": truth("true")}, {}, {"y": "1"}, [], [], "y")
    made["transformer"]["layers"] = []
    return made


def with_anything() -> Json:
    """A symbol's truth, and directions that hold any number: embedded by position, by symbol, by nothing."""
    directions = {"free": {"kind": "any"}, "other": {"kind": "any"}, "none": {"kind": "any"}, "y": truth("Q_1")}
    tokens, positions = {"y": "1", "other": "01"}, {"free": "i/n"}
    made = handmade.certificate("Q_1", "01", MAX_N, directions, tokens, positions, [], [], "y", regime="unstated")
    made["transformer"]["layers"] = []
    return made


def guarded() -> Json:
    """A head that nobody reads beside a symbol's truth; its guard holds at some positions only."""
    directions = {"one": position("1"), "time": position("i/n"), "y": truth("Q_1"), "near": near("prev Q_1", "!FIRST"),
                  "unread": {"kind": "any"}}
    one = handmade.head([{"one": "1"}], [{"time": "0"}], {"near": {"y": "1"}, "unread": {"y": "1"}})
    one["keys"] = [{"time": "-20"}]
    directions["near"] = near("true since Q_1", "FIRST")
    return handmade.certificate("Q_1", "01", MAX_N, directions, {"y": "1"}, {"one": "1", "time": "i/n"}, [one], [], "y",
                                errors=("0", "0"))


def one_symbol() -> Json:
    """An alphabet of one symbol, words of one length, one direction."""
    made = handmade.certificate("Q_a", "a", MAX_N, {"y": truth("Q_a")}, {"y": "a"}, {}, [], [], "y")
    return handmade.starting(made, MAX_N)


def sealed(formula: str, regime: Regime, alphabet: str = "ab") -> Json:
    """What the producer writes."""
    outcome = certify(formula, alphabet, MAX_N, regime)
    assert isinstance(outcome, Certified)
    return json.loads(outcome.certificate)


BASES: dict[str, Callable[[], Json]] = {
    "constant": constant, "anything": with_anything, "guarded": guarded, "one symbol": one_symbol,
    **{name: (lambda make=make: make(MAX_N)) for name, make in handmade.ALL.items()},  # type: ignore[misc]
    "logarithmic": lambda: handmade.logarithmic_certificate(MAX_N),
    "at least two": lambda: handmade_counting.at_least_two(MAX_N),
    "balanced": lambda: handmade_counting.balanced(MAX_N),
    "on a count": lambda: handmade_counting.on_a_count(max_n=MAX_N),
    "on a count, own": lambda: handmade_counting.on_a_count("THIRD", "#>", MAX_N, "THIRD(k,n) := k % 3 == 1 or k > n"),
    **{f"softened {name}": (lambda name=name: softened(name, MAX_N)) for name in MODELS},  # type: ignore[misc]
    "sealed prev": lambda: sealed("prev Q_a", Regime()),
    "sealed since, causal position": lambda: sealed("Q_a S Q_b", Regime(Sharpening.POSITION, causal=True)),
    "sealed parity": lambda: sealed("ODD(#<[Q_a])", Regime()),
}


@cache
def _base(name: str) -> Json:
    return BASES[name]()


def base(name: str) -> Json:
    """A fresh copy of the certificate of this name."""
    return copy.deepcopy(_base(name))
