"""Few inputs are run one by one, through any number of layers: as all inputs say, and no changed file is believed."""

import base64
import json
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from hashlib import sha256

import numpy as np
import pytest

from certify.claims.trained import tracks_forms
from certify.claims.trained.tracks_decision import decide_tracks
from certify.claims.trained.tracks_file import tracks_claim_of_table
from constructions.tables import read_toml
from constructions.trained.network import Attends
from constructions.trained.tracks import count_inputs
from examples.adders.by_hand import parity
from proofs.check import Malformed, Rejected, check_text
from tests.check.trained_networks import dump, refusal_of, with_evidence
from tests.trained.tracks.adders import adder, adds, silent
from tests.trained.tracks.random_tracks import random_layer
from tests.trained.tracks.test_tracks_against_brute_force import best_claim, decide_and_compare
from tests.trained.tracks.test_tracks_certificates import Document, changed, is_true, places


def decided_around_its_margin(seed: int, layers: int, attends: Attends = "causal") -> tuple[str, str] | None:
    """Decide a random claim a thousandth below and above its margin."""
    network = replace(random_layer(seed, layers), attention=attends)
    claim, least = best_claim(seed, network)
    if count_inputs(claim, claim.forms[0]) == 0 or least <= 0:
        return None
    below, above = (decide_tracks(network, replace(claim, margin=Fraction(least * factor))).verdict
                    for factor in (0.999, 1.001))
    return below, above


@pytest.mark.parametrize(("layers", "seeds"), [
    (0, range(2)), (2, range(3)), (3, range(2)),
    *[pytest.param(layers, range(10, 60), marks=pytest.mark.exhaustive) for layers in (0, 2, 3, 4)]])
def test_networks_of_several_layers_are_decided_as_all_inputs_say(layers: int, seeds: range) -> None:
    """The checker's precision does not suffice for a few networks of three and four layers."""
    printed = [found for seed in seeds if (found := decided_around_its_margin(seed, layers))]
    assert all(below != "refuted" and above != "certified" for below, above in printed)
    assert printed.count(("certified", "refuted")) > len(printed) * 9 // 10


@pytest.mark.parametrize(("layers", "seeds"), [
    (1, range(2)), (2, range(2)),
    *[pytest.param(layers, range(10, 40), marks=pytest.mark.exhaustive) for layers in (1, 2, 3)]])
def test_bidirectional_networks_are_decided_as_all_inputs_say(layers: int, seeds: range) -> None:
    """Each answer is judged after what stands before it: what a network says beside later tokens is something else."""
    printed = [found for seed in seeds if (found := decided_around_its_margin(seed, layers, "bidirectional"))]
    assert printed.count(("certified", "refuted")) > len(printed) * 9 // 10
    assert all(below != "refuted" and above != "certified" for below, above in printed)


def test_inputs_of_two_letters_are_run_one_by_one() -> None:
    network = adder(3, 1)
    decision = decide_tracks(network, adds(network, 3, 1))
    assert decision.verdict == "certified"
    assert json.loads(str(decision.certificate))["evidence"]["units"] == [{"inputs": 9}]


@cache
def certificate(seed: int = 1) -> str:
    """Return a certificate of two layers, of a claim that is true."""
    network = random_layer(seed, 2)
    claim, least = best_claim(seed, network)
    text = decide_tracks(network, replace(claim, margin=Fraction(least / 2))).certificate
    assert text is not None and least > 0
    return text


def test_the_certificate_says_how_many_inputs_are_run() -> None:
    document = json.loads(certificate())
    inputs = document["evidence"]["units"][0]["inputs"]
    assert document["evidence"]["units"] == [{"inputs": inputs}] and inputs > 1
    assert refusal_of(document) is None
    for other in (inputs - 1, inputs + 1, 0, -1, None, True):
        assert refusal_of(changed(document, ("evidence", "units", 0, "inputs"), other)) is Malformed
    assert refusal_of(changed(document, ("evidence", "units", 0), {"inputs": inputs, "bits": 30})) is Malformed
    assert refusal_of(changed(document, ("claim", "margin"), "1000")) is Rejected


@pytest.mark.parametrize("first", [0, *[pytest.param(first, marks=pytest.mark.exhaustive) for first in range(1, 9)]])
def test_changed_claims_are_refused_or_true(first: int) -> None:
    document = json.loads(certificate())
    for path in places(document["claim"])[first::9]:
        for value in (0, 1, 2, None, [1, 2], ["track", 0, 1], "1/2", "2"):
            made = changed(document, ("claim", *path), value)
            if made != document and refusal_of(made) is None:
                assert path[-1] in ("name", "typed") or "letters" in path or is_true(made), (path, value)


def test_bits_of_weights_that_are_turned_are_refused_or_leave_the_claim_true() -> None:
    document, draw = json.loads(certificate()), np.random.default_rng(0)
    for name, tensor in [*document["network"]["tensors"].items()][::4]:
        data = bytearray(base64.b64decode(tensor["data"]))
        data[int(draw.integers(len(data)))] ^= 1 << int(draw.integers(8))
        made: Document = deepcopy(document)
        made["network"]["tensors"][name].update(data=base64.b64encode(bytes(data)).decode(),
                                                sha256=sha256(bytes(data)).hexdigest())
        assert refusal_of(made) is not None or is_true(made), name


def test_a_claim_that_is_false_of_one_answer_of_some_inputs_is_rejected() -> None:
    """The last answer where there is a carry; where both letters are 1 beside a carry, or 0 without one."""
    network = adder(2, 2)
    deep = replace(network, steps=(*network.steps, *silent(network.steps[0])))
    document = json.loads(str(decide_tracks(deep, adds(network, 2, 2)).certificate))
    assert document["claim"]["machine"]["tables"][0][1][3] == [1, 1] and refusal_of(document) is None
    for path, value in (("tables", 0, 1, 3), [1, 0]), (("tables", 0, 0, 0), [0, 1]), (("end", 1), [0]):
        made = changed(document, ("claim", "machine", *path), value)
        assert refusal_of(made) is Rejected and not is_true(made)


def test_another_offset_is_judged_by_its_own_rows() -> None:
    document, printed = json.loads(certificate(14)), []
    for offset in (0, 1, 2):
        made = changed(document, ("claim", "offset"), offset)
        printed.append(refusal_of(made))
        assert (printed[-1] is None) == is_true(made)
    assert printed == [None, Rejected, Rejected]


def test_a_claim_about_no_input_is_refused() -> None:
    """The machine may end nowhere that inputs come to; the file says there are none."""
    document = json.loads(certificate())
    steps = document["claim"]["machine"]["tables"]
    document["claim"]["machine"]["tables"] = [[[None for _ in row] for row in table] for table in steps]
    document["evidence"]["units"] = [{"inputs": 0}]
    assert refusal_of(document) is not None


def test_a_form_that_classes_do_not_decide_is_decided_input_by_input() -> None:
    """Parity, with a machine that does not count."""
    entry = parity("parity", 6)
    network, text = entry.network, entry.claim.split("[machine]")[0] + 'machine = "modular-sum"\nby = 2\n'
    claim = tracks_claim_of_table(read_toml(text, "claim"), "claim", network)
    decision = decide_and_compare(network, claim)
    assert decision.verdict == "certified" and decision.classes == 0
    assert json.loads(str(decision.certificate))["evidence"]["units"] == [{"inputs": 64}]


def test_more_inputs_than_are_run_are_decided_by_classes_in_several_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second layer writes nothing. With bidirectional attention they stay open."""
    monkeypatch.setattr(tracks_forms, "EACH", 15)
    network = adder(2, 2)
    deep = replace(network, steps=(*network.steps, *silent(network.steps[0])))
    decision = decide_tracks(deep, adds(network, 2, 2))
    assert decision.verdict == "certified" and decision.classes > 0
    open_one = decide_tracks(replace(deep, attention="bidirectional"), adds(network, 2, 2))
    assert open_one.verdict == "unknown" and open_one.certificate is None
    assert open_one.rows[0].reason == (
        "the network's tokens attend to later ones; then inputs are run one by one, and 16 are too many")


def test_a_certificate_of_both_kinds_of_forms_is_accepted() -> None:
    """One form by classes, the other input by input; and in the other order."""
    network = adder(2, 2)
    claim = adds(network, 2, 2)
    document = json.loads(str(decide_tracks(network, claim).certificate))
    both = document | {"claim": document["claim"] | {"forms": document["claim"]["forms"] * 2}}
    for units in (document["evidence"]["units"] + [{"inputs": 16}], [{"inputs": 16}] + document["evidence"]["units"]):
        check_text(dump(with_evidence(both, units=units)))
