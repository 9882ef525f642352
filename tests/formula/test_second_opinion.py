"""mpmath is asked about every worst error that is printed, and where it finds another one, nothing is certified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from certify import certify
from proofs.formula import second_opinion, two_provers
from proofs.formula.two_provers import Disagreement

CLAIMS: dict[str, dict[str, Any]] = {
    "since": {"subject": "(Q_a | Q_b) since Q_a", "alphabet": "abc"},
    "counts": {"subject": "#<[Q_1] > #<[Q_0]", "alphabet": "01"},
    "positions": {"subject": "prev Q_a", "alphabet": "ab", "regime": "position"},
    "softmax plus one": {"subject": "(Q_a | Q_b) since Q_a", "alphabet": "abc", "weighting": "softmax-plus-one"},
    "sigmoid": {"subject": "(Q_a | Q_b) since Q_a", "alphabet": "abc", "weighting": "sigmoid"},
    "constant": {"subject": "(Q_a | Q_b) since Q_a", "alphabet": "abc", "gamma": "5/2"},
}


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The worst cases that mpmath was asked about."""
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


def moved(change: Callable[[Fraction], Fraction]) -> Callable[[Any], bool]:
    """The comparison of an enclosure whose two ends are elsewhere."""
    return lambda extreme: second_opinion.agrees(replace(extreme, lower=change(extreme.lower),
                                                         upper=change(extreme.upper)))


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
@pytest.mark.parametrize("change", [lambda x: x * (1 + Fraction(1, 10**9)), lambda x: x * (1 - Fraction(1, 10**9))])
def test_an_enclosure_beside_the_true_error_is_an_error(monkeypatch: pytest.MonkeyPatch, claim: Any,
                                                        change: Callable[[Fraction], Fraction]) -> None:
    monkeypatch.setattr(two_provers, "agrees", moved(change))
    with pytest.raises(Disagreement, match="where mpmath does not find it"):
        certify(**claim, max_n=6)


@pytest.mark.parametrize("name", ["since", "softmax plus one", "constant"])
def test_an_exponential_that_is_off_is_an_error(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    exp = mpmath.exp
    monkeypatch.setattr(mpmath, "exp", lambda x: exp(x * (1 + mpmath.mpf(10) ** -12)))
    with pytest.raises(Disagreement, match="where mpmath does not find it"):
        certify(**CLAIMS[name], max_n=6)
