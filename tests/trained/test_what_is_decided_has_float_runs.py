"""Float executions of everything that is decided over the reals: features of networks × float models."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.claims.trained.decide import decide
from certify.claims.trained.float_decision import decide_floats
from certify.claims.trained.tracks_decision import decide_tracks
from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from constructions.language.parser import parse_formula
from constructions.trained.claim import Case, When, WordsClaim
from constructions.trained.json_form import network_from_json
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.float_models.model import presets
from proofs.trained.forward import FloatNetwork
from tests.check.trained_networks import KINDS, Weights, make_network, rounding_network
from tests.importing import graphs_in_torch as graphs
from tests.importing import habits_in_torch as habits
from tests.importing import styles_in_torch as styles
from tests.importing import textbooks_in_torch as textbooks
from tests.importing.test_decoders import KINDS as DECODERS
from tests.importing.test_exported_programs import program
from tests.importing.test_logits_are_those_of_torch import imported
from tests.trained.enclosed_logits import EnclosedLogits
from tests.trained.tracks.random_tracks import VOCABULARY
from tests.trained.tracks.test_tracks_against_brute_force import best_claim
from tests.with_torch import torch_or_skip

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
    for name in ("binary32", "torch-cpu", "onnxruntime", "bfloat16/binary32", "flash", "tf32/tensor-cores"):
        (row,) = decide_floats(network, claim, presets()[name]).rows
        assert row.verdict == "certified" or name not in ("binary32", "torch-cpu", "onnxruntime")
        assert row.verdict in ("certified", "refuted") or "with an error of up to" in row.reason


@pytest.mark.one_in(5)
@pytest.mark.parametrize("kind", KINDS)
def test_every_feature_has_rules_for_inputs_in_tracks_too(kind: str) -> None:
    """Two tokens that keep their order on all inputs of a random layout, by half of their least distance."""
    network = network_from_json(make_network(kind, 2, tokens=VOCABULARY, outputs=VOCABULARY), kind)
    claim, least = next(found for seed in range(1, 9) if (found := best_claim(seed, network))[1] > 0)
    claim = replace(claim, margin=Fraction(least / 2))
    assert decide_tracks(network, claim).verdict == "certified"
    for name in ("binary32", "torch-cpu"):
        assert decide_tracks(network, claim, run=presets()[name]).verdict == "certified"


IMPORTED = {**dict.fromkeys(DECODERS), **{kind: module for module, kinds in (
    (habits, ("byplaces", "bykeys", "withtable", "normedlater", "normedscaled", "squaredlater", "normedbytorch",
              "scaledbyplace", "turnedabout", "inpieces", "grouped")),
    (styles, ("turnspadded", "headsapart", "distances", "paddedmean", "paddedencoder")),
    (textbooks, ("sinusoid", "spirals", "window", "beginning", "others", "sloped", "against", "insome", "twice",
                 "summed", "averaged", "centred", "capped")),
    (graphs, ("decoder", "spelledout", "bare", "gated", "neighbours"))) for kind in kinds}}
"""Decoders of Hugging Face by their state dicts; programs with norms of queries and keys, images, tables of scores,
rotary positions, slopes, caps, squares, padding, windows, pooling, blocks that run twice."""


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", IMPORTED)
def test_whatever_is_imported_is_enclosed_in_every_float_model(name: str, tmp_path: Path) -> None:
    """To 0.01 of the logits in binary32; in 16 bits bounds may be wide, but none is refused."""
    torch, module = torch_or_skip(), IMPORTED[name]
    if module is None:
        state, _, config = DECODERS[name](torch)
        network = imported(torch, tmp_path, state, Options(), config).network
    else:
        (tmp_path / "m.pt2").write_bytes(program(torch, module.make(torch, name)))
        network = import_network([tmp_path / "m.pt2"], Options()).network
    tokens = np.random.default_rng(3).integers(0, network.vocabulary, 3).tolist()
    at = [0] if network.readout == "first" else [2]
    radii = {preset: EnclosedLogits(network, presets()[preset]).of(tokens, at).radii.max() for preset in (
        "binary32", "torch-cpu", "bfloat16/binary32")}
    assert radii["binary32"] <= radii["torch-cpu"] < 0.01 and np.isfinite(radii["bfloat16/binary32"])
