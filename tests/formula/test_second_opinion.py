"""mpmath is asked about every worst error that is printed, and where it finds another one, nothing is certified."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from certify import certify, run
from certify.claims.softened.pipeline import soften_model
from certify.common.shipped import examples_folder
from constructions.compiler import compile_formula
from constructions.errors import InternalError
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.network.json_form import read_transformer
from constructions.network.lengths import Lengths
from constructions.network.weightings import Weighting
from constructions.regimes import Regime
from proofs.enclosures import by_mpmath
from proofs.formula import second_opinion, two_provers
from proofs.formula.common.extremes import Extreme
from proofs.formula.two_provers import Disagreement
from proofs.words.margins.claim import MarginClaim
from proofs.words.margins.deciding import decide_length
from proofs.words.replay import find_miss
from tests.words.soft_models import soft_transformer

CLAIMS: dict[str, dict[str, Any]] = {
    "since": {"subject": "(Q_a | Q_b) since Q_a", "alphabet": "abc"},
    "counts": {"subject": "#<[Q_1] > #<[Q_0]", "alphabet": "01"},
    "positions": {"subject": "prev Q_a", "alphabet": "ab", "regime": "position"},
    "softmax plus one": {"subject": "(Q_a | Q_b) since Q_a", "alphabet": "abc", "weighting": "softmax-plus-one"},
    "sigmoid": {"subject": "(Q_a | Q_b) since Q_a", "alphabet": "abc", "weighting": "sigmoid"},
    "constant": {"subject": "(Q_a | Q_b) since Q_a", "alphabet": "abc", "gamma": "5/2"},
    "sparsemax": {"subject": "(Q_a | Q_b) since Q_a", "alphabet": "abc", "weighting": "sparsemax", "gamma": "1",
                  "temperature": "3/(2*n)"},
    "entmax-1.5": {"subject": "(Q_a | Q_b) since Q_a", "alphabet": "abc", "weighting": "entmax-1.5", "gamma": "1",
                   "temperature": "1/n"},
    "stick-breaking": {"subject": "prev Q_a", "alphabet": "ab", "weighting": "stick-breaking"},
    "geometric": {"subject": "(Q_a | Q_b) since Q_a", "alphabet": "abc", "weighting": "geometric"},
    "sums": {"subject": "SQUARE(#<[Q_1] - #<[Q_0])", "alphabet": "012"},
}


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Record the worst cases that are passed to mpmath."""
    found: list[Any] = []

    def agrees(extreme: Any) -> bool:
        found.append(extreme)
        return second_opinion.agrees(extreme)

    monkeypatch.setattr(two_provers, "agrees", agrees)
    return found


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_mpmath_is_asked_about_the_worst_error_that_is_printed(claim: Any, seen: list[Any]) -> None:
    outcome = certify(**claim, max_n=6)
    assert outcome.verdict == "certified" and outcome.worst_error in seen


def test_every_kind_of_worst_error_is_among_these_claims(seen: list[Any]) -> None:
    """Errors of uniform heads and of feed-forward parts are exact rationals, so there is nothing to ask."""
    for claim in CLAIMS.values():
        certify(**claim, max_n=4)
    assert {type(extreme) for extreme in seen} == leaves(Extreme)


def leaves(kind: type) -> set[type]:
    below: list[type] = kind.__subclasses__()
    return {leaf for one in below for leaf in leaves(one)} or {kind}


def moved(change: Callable[[Fraction], Fraction]) -> Callable[[Any], bool]:
    """Return the comparison of an enclosure whose two ends are elsewhere."""
    return lambda extreme: second_opinion.agrees(replace(extreme, lower=change(extreme.lower),
                                                         upper=change(extreme.upper)))


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
@pytest.mark.parametrize("change", [lambda x: x * (1 + Fraction(1, 10**9)), lambda x: x * (1 - Fraction(1, 10**9))])
def test_an_enclosure_beside_the_true_error_is_an_error(monkeypatch: pytest.MonkeyPatch, claim: Any,
                                                        change: Callable[[Fraction], Fraction]) -> None:
    monkeypatch.setattr(two_provers, "agrees", moved(change))
    with pytest.raises(Disagreement, match="where mpmath does not find it"):
        certify(**claim, max_n=6)


@pytest.mark.parametrize("name", ["since", "softmax plus one", "constant", "geometric", "sums"])
def test_an_exponential_that_is_off_is_an_error(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    exp = mpmath.exp
    monkeypatch.setattr(mpmath, "exp", lambda x: exp(x * (1 + mpmath.mpf(10) ** -12)))
    with pytest.raises(Disagreement, match="where mpmath does not find it"):
        certify(**CLAIMS[name], max_n=6)


# -- words that are run, refute a claim, or are moved too far ----------------------------------------------------------

HOT: dict[str, Any] = {"subject": "(Q_a | Q_b) since Q_a", "alphabet": "abc", "gamma": "69/50", "temperature": "1/n"}


def run_a_word() -> Any:
    return run("(Q_a | Q_b) since Q_a", "aabac", alphabet="abc")


def refute_a_formula() -> Any:
    return certify(**HOT, max_n=6)


def replay_a_word() -> Any:
    network = compile_formula(parse_formula("(Q_a | Q_b) since Q_a", "abc"), "abc", Regime())
    return find_miss(network, tuple("aabac"), allowed_error=Fraction(1, 10**6))


def refute_a_softening() -> Any:
    text = (examples_folder() / "hard" / "flip_flop.json").read_text(encoding="utf-8")
    return soften_model(read_transformer(text), 4, parse_expression("1/n"))


def find_the_least_margin() -> Any:
    claim = MarginClaim(parse_formula("next Q_a", "ab"), ("a", "b"), Lengths(1, 3), "first", (), (), Fraction(0))
    return decide_length(soft_transformer(20), claim, 3)


@pytest.mark.parametrize("ask", [run_a_word, refute_a_formula, replay_a_word, refute_a_softening,
                                 find_the_least_margin])
def test_values_that_are_shown_of_a_word_are_those_of_mpmath(monkeypatch: pytest.MonkeyPatch, ask: Any) -> None:
    assert ask() is not None  # a refutation is false
    exp = mpmath.exp
    monkeypatch.setattr(mpmath, "exp", lambda x: exp(x * (1 + mpmath.mpf(10) ** -12)))
    with pytest.raises(InternalError, match="where mpmath does not find it"):
        ask()


@pytest.mark.parametrize("weighting", [weighting for weighting in Weighting if not weighting.is_hard])
def test_mpmath_finds_the_values_of_every_weighting(monkeypatch: pytest.MonkeyPatch, weighting: Weighting) -> None:
    arguments: dict[str, Any] = {"alphabet": "ab", "weighting": str(weighting)}
    found: Any = run("prev Q_a", "aabab", **arguments)
    assert found.second
    monkeypatch.setattr(by_mpmath, "weigh", lambda scores, weighting: [mpmath.mpf(1) / len(scores) for _ in scores])
    monkeypatch.setattr(by_mpmath, "respond", lambda response, score: mpmath.mpf(1) / 3)
    with pytest.raises(InternalError, match="where mpmath does not find it"):
        run("prev Q_a", "aabab", **arguments)


def test_what_more_digits_make_another_number_of_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_mpmath, "DIGITS", (5, 10))
    assert run_a_word().second is None
    monkeypatch.setattr(by_mpmath, "DIGITS", (5, 10, 40, 80))
    assert run_a_word().second
