"""Sealed certificates, changed by hand: the checker says no to every stronger or different claim."""

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from constructions.network.json_form import write_canonical
from constructions.regimes import ALL_REGIMES, Regime
from proofs.check import Malformed, Rejected, check_text

Certificate = dict[str, Any]
MAX_N = 9
CASES = (
    [("prev Q_a", regime) for regime in ALL_REGIMES]
    + [("Q_a S Q_b", regime) for regime in ALL_REGIMES]
    + [("next Q_a U Q_b", ALL_REGIMES[0]), ("O prev Q_a", ALL_REGIMES[3])]
)


@cache
def sealed(text: str, regime: Regime) -> str:
    outcome = certify(text, "abc", MAX_N, regime)
    assert isinstance(outcome, Certified), getattr(outcome, "reason", outcome.verdict)
    return outcome.certificate


def accepts(certificate: Certificate) -> bool:
    try:
        check_text(write_canonical(certificate).encode())
    except (Rejected, Malformed):
        return False
    return True


def changed(text: str, regime: Regime, change: Callable[[Certificate], object]) -> Certificate:
    certificate = json.loads(sealed(text, regime))
    change(certificate)
    return certificate


def attained(bound: dict[str, str]) -> list[str]:
    return [side for side in ("error_if_false", "error_if_true") if Fraction(bound[side]) > 0]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "text, regime",
    CASES,
    ids=str,
)
def test_a_sealed_certificate_is_accepted_and_no_smaller_bound_is(text: str, regime: Regime) -> None:
    certificate = json.loads(sealed(text, regime))
    assert accepts(certificate) and write_canonical(certificate) == sealed(text, regime)
    for k, bound in enumerate(certificate["bounds"]):
        for side in attained(bound):
            for factor in (Fraction(0), Fraction(1, 2), 1 - Fraction(1, 10**9)):
                forged = copy.deepcopy(certificate)
                forged["bounds"][k][side] = str(Fraction(bound[side]) * factor)
                assert not accepts(forged), (k, side, factor)
        for side in ("error_if_false", "error_if_true"):
            for value in ("1/3", "-1/100", "1", "1/4 ", "0.1"):
                forged = copy.deepcopy(certificate)
                forged["bounds"][k][side] = value
                assert not accepts(forged), (k, side, value)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("text, regime", CASES, ids=str)
@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["bounds"].pop(),
        lambda c: c["bounds"].clear(),
        lambda c: c["bounds"].append(c["bounds"][0]),
        lambda c: c["bounds"][0].update(layer=c["bounds"][0]["layer"] + 1),
        lambda c: c["bounds"][0].update(head=9),
        lambda c: c["bounds"][0].update(direction=c["transformer"]["output"]),
        lambda c: c["claim"].update(formula="!(" + c["claim"]["formula"] + ")"),
        lambda c: c["claim"].update(formula="Q_a"),
        lambda c: c["claim"].update(formula="(" + c["claim"]["formula"] + ") & true"),
        lambda c: c["claim"].update(alphabet=["a", "b", "c", "d"]),
        lambda c: c["claim"].update(alphabet=["a", "b"]),
        lambda c: c["claim"].update(alphabet=["a", "c", "b"]),
        lambda c: c["claim"].update(max_n=0),
        lambda c: c["claim"].update(max_n=True),
        lambda c: c["claim"].update(max_n="9"),
        lambda c: c["claim"].update(max_n=10**9),
        lambda c: c["claim"].update(regime="none"),
        lambda c: c["claim"].update(causal=1),
        lambda c: c["claim"].update(regime="position" if c["claim"]["regime"] == "temperature" else "temperature"),
        lambda c: c.update(version=2),
        lambda c: c.pop("bounds"),
        lambda c: c.update(extra=1),
        lambda c: c["transformer"]["layers"].pop(),
        lambda c: c["transformer"]["layers"].insert(0, c["transformer"]["layers"][-1]),
        lambda c: c["transformer"].update(output=next(iter(c["transformer"]["directions"]))),
        lambda c: [
            unit.update(bias=str(Fraction(unit["bias"]) + Fraction(1, 10**6)))
            for unit in c["transformer"]["layers"][-1]["feedforward"]["units"][-1:]
        ],
        lambda c: [head.update(temperature="10") for layer in c["transformer"]["layers"] for head in layer["heads"]],
        lambda c: [head.update(mask="none") for layer in c["transformer"]["layers"] for head in layer["heads"]],
        lambda c: [
            head.update(weighting="average-hardmax") for layer in c["transformer"]["layers"] for head in layer["heads"]
        ],
        lambda c: c["transformer"]["token_embedding"]["a"].clear(),
        lambda c: c["transformer"]["token_embedding"].pop("c"),
    ],
)
def test_a_different_claim_or_model_is_not_accepted(
    text: str, regime: Regime, change: Callable[[Certificate], object]
) -> None:
    assert not accepts(changed(text, regime, change))


@pytest.mark.parametrize("text, regime", CASES, ids=str)
def test_causality_is_claimed_only_where_it_holds(text: str, regime: Regime) -> None:
    assert accepts(changed(text, regime, lambda c: c["claim"].update(causal=True))) == regime.causal
    assert accepts(changed(text, regime, lambda c: c["claim"].update(causal=False, regime="unstated")))


def test_a_claim_for_longer_words_needs_the_bounds_of_longer_words() -> None:
    """The worst error of ``since`` grows with n: bounds sealed for 9 do not do for 12, but they do for 5."""
    for regime in ALL_REGIMES:
        assert accepts(changed("Q_a S Q_b", regime, lambda c: c["claim"].update(max_n=5)))
        assert not accepts(changed("Q_a S Q_b", regime, lambda c: c["claim"].update(max_n=12)))


def test_text_that_is_not_canonical_is_malformed() -> None:
    text = sealed("prev Q_a", ALL_REGIMES[0])
    for forged in (
        text + "\n",
        text[:-1],
        " " + text,
        text.replace('"1/2"', '"2/4"', 1),
        text.replace("\n ", "\n  ", 1),
        text.replace('"-1"', "-1", 1),
        text.replace('"Q_a"', '"Q_\\u0061"', 1),
    ):
        assert forged != text
        with pytest.raises(Malformed):
            check_text(forged.encode())
