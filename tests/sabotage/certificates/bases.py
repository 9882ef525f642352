"""Small certificates of every kind, whose mutants are judged; all words of their claims can be run."""

import copy
import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify, certify_request
from certify.requests.inputs import FormulaSubject
from certify.requests.request import Request
from constructions.language.parser import parse_formula
from constructions.network.lengths import up_to
from constructions.network.weightings import Weighting
from constructions.regimes import Regime, Sharpening
from tests.check import handmade, handmade_counting
from tests.check.handmade import near, position, truth
from tests.check.softened_models import MODELS, majority
from tests.check.softened_models import sealed as softened
from tests.check.softening import seal_sparse

Json = Any
MAX_N = 3
ACCEPTED = Path(__file__).resolve().parents[2] / "corpus" / "accepted"


def read(path: Path) -> Json:
    """Return a certificate of the corpus."""
    return json.loads(path.read_text(encoding="ascii"))


def constant() -> Json:
    """No head, no unit, no layer: `true`, embedded at every position."""
    made = handmade.certificate("true", "01", MAX_N, {"y": truth("true")}, {}, {"y": "1"}, [], [], "y")
    made["transformer"]["layers"] = []
    return made


def with_anything() -> Json:
    """Return a symbol's truth, and directions that hold any number: embedded by position, by symbol, by nothing."""
    directions = {"free": {"kind": "any"}, "other": {"kind": "any"}, "none": {"kind": "any"}, "y": truth("Q_1")}
    tokens, positions = {"y": "1", "other": "01"}, {"free": "i/n"}
    made = handmade.certificate("Q_1", "01", MAX_N, directions, tokens, positions, [], [], "y", regime="unstated")
    made["transformer"]["layers"] = []
    return made


def guarded() -> Json:
    """Return a head that nobody reads beside a symbol's truth; its guard holds at some positions only."""
    directions = {"one": position("1"), "time": position("i/n"), "y": truth("Q_1"), "near": near("prev Q_1", "!FIRST"),
                  "unread": {"kind": "any"}}
    one = handmade.head([{"one": "1"}], [{"time": "0"}], {"near": {"y": "1"}, "unread": {"y": "1"}})
    one["keys"] = [{"time": "-20"}]
    directions["near"] = near("true since Q_1", "FIRST")
    return handmade.certificate("Q_1", "01", MAX_N, directions, {"y": "1"}, {"one": "1", "time": "i/n"}, [one], [], "y",
                                errors=("0", "0"))


def one_symbol() -> Json:
    """Return an alphabet of one symbol, words of one length, one direction."""
    made = handmade.certificate("Q_a", "a", MAX_N, {"y": truth("Q_a")}, {"y": "a"}, {}, [], [], "y")
    return handmade.starting(made, MAX_N)


def sealed(formula: str, regime: Regime, alphabet: str = "ab") -> Json:
    """Return the certificate of the producer."""
    outcome = certify(formula, alphabet, MAX_N, regime)
    assert isinstance(outcome, Certified)
    return json.loads(outcome.certificate)


TRAINED = "trained_"
"""Certificates about trained networks have mutants of their own: tests/check/test_trained_files.py."""

def weighted(formula: str, weighting: str, max_n: int = MAX_N) -> Json:
    """Return the certificate of the producer under another weighting than softmax."""
    subject = FormulaSubject(formula, parse_formula(formula, ("a", "b")), ("a", "b"), Regime(),
                             weighting=Weighting(weighting))
    outcome = certify_request(Request(subject, up_to(max_n)))
    assert isinstance(outcome, Certified)
    return json.loads(outcome.certificate)


BASES: dict[str, Callable[[], Json]] = {
    **{path.stem: partial(read, path) for path in sorted(ACCEPTED.glob("*.cert")) if not path.stem.startswith(TRAINED)},
    "constant": constant, "anything": with_anything, "guarded": guarded, "one symbol": one_symbol,
    "own predicate of two variables": lambda: handmade_counting.on_a_count(
        "THIRD", "#>", MAX_N, "THIRD(k,n) := k % 3 == 1 or k > n"),
    **{f"softened {name}": partial(softened, name, MAX_N) for name in MODELS},
    "softened majority by entmax-1.5": partial(seal_sparse, majority(), 2, "1/20", "entmax-1.5"),
    "sealed lookup of a sum, sparsemax": partial(weighted, "ODD(#<[Q_a] - #>[Q_b])", "sparsemax", 2),
    "sealed since, sparsemax": partial(weighted, "Q_a S Q_b", "sparsemax"),
    "sealed until, geometric": partial(weighted, "Q_a U Q_b", "geometric"),
    "sealed count to the right, relu over n": partial(weighted, "MOD(3,1)(#>[Q_a])", "relu-over-n"),
    "sealed neighbour that is known, relu": partial(weighted, "prev ODD", "relu"),
    "sealed prev": partial(sealed, "prev Q_a", Regime()),
    "sealed since, causal position": partial(sealed, "Q_a S Q_b", Regime(Sharpening.POSITION, causal=True)),
    "sealed parity": partial(sealed, "ODD(#<[Q_a])", Regime()),
}
"""The accepted certificates of the corpus on disk, and some besides."""


@cache
def _base(name: str) -> Json:
    return BASES[name]()


def base(name: str) -> Json:
    """Return a fresh copy of the certificate of this name."""
    return copy.deepcopy(_base(name))
