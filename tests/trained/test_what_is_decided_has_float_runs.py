"""Float executions of everything that is decided over the reals: features of networks × float models."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from certify.claims.trained.decide import decide
from certify.claims.trained.float_decision import decide_floats
from constructions.language.parser import parse_formula
from constructions.trained.claim import Case, When, WordsClaim
from constructions.trained.json_form import network_from_json
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.float_models.model import presets
from proofs.trained.forward import FloatNetwork
from tests.check.trained_networks import KINDS, Weights, make_network, rounding_network

ROUNDINGS: dict[str, dict[str, Any]] = {
    "rounded by a scale": {"scale": "1/10", "zero": 3, "least": -8, "greatest": 23},
    "rounded by a token's range": {"range": "token", "greatest": 31},
    "rounded by the range of all tokens": {"range": "input", "greatest": 31}}


def network_of(feature: str) -> TrainedNetwork:
    """Return a network with this feature; that of the kinds is in tests/check/trained_networks.py."""
    if feature in ROUNDINGS:
        return network_from_json(rounding_network(ROUNDINGS[feature]), feature)
    w = Weights(1)
    how = {"scores times 8": {"scale": {"times": "8"}}, "scores times -1/3": {"scale": {"times": "-1/3"}}}
    return network_from_json(make_network(feature) if feature in KINDS else w.network(
        4, 8, 12, [w.attention(8, 2, w.norm(8, "layer"), 12, **how[feature])], True, 2), feature)


def true_claim(network: TrainedNetwork) -> WordsClaim:
    """Return which of two logits is greater on each word of two letters."""
    logits, cases = FloatNetwork(network), []
    for k in range(4):
        first, second = logits.logits(np.array([[k >> 1, k & 1]]), 0)[0, -1]
        sign = Fraction(1 if first > second else -1)
        formula = parse_formula(f"prev Q_{k >> 1} & Q_{k & 1}")
        cases.append(Case(When(formula), (((0, sign), (1, -sign)),)))
    return WordsClaim(("0", "1"), (0, 1), (), (), (0, 0), (2, 2), "last", False, Fraction(0), None, (), tuple(cases))


@pytest.mark.parametrize("feature", [*KINDS, *ROUNDINGS, "scores times 8", "scores times -1/3"])
def test_every_feature_that_is_decided_over_the_reals_has_rules_in_every_float_model(feature: str) -> None:
    """All are certified in binary32; elsewhere a row may be off by too much, but none is refused for want of a rule."""
    network = network_of(feature)
    claim = true_claim(network)
    assert decide(network, claim).verdict == "certified"
    for name in ("binary32", "bfloat16/binary32", "flash", "tf32/tensor-cores"):
        (row,) = decide_floats(network, claim, presets()[name]).rows
        assert row.verdict == "certified" or name != "binary32"
        assert row.verdict in ("certified", "refuted") or "with an error of up to" in row.reason
