"""Inputs in tracks under float models: no drawn execution is wrong where certified, and no change is accepted."""

import base64
import json
import re
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from certify.claims.trained.track_runs_forms import FormInRuns
from certify.claims.trained.tracks_decision import TracksDecision, decide_tracks
from certify.cli import app
from constructions.errors import InputError
from constructions.trained.json_form import network_from_json
from constructions.trained.network import AttentionStep, Scale, TrainedNetwork
from constructions.trained.tracks import all_inputs, count_inputs
from constructions.trained.tracks_form import tracks_claim_from_json
from proofs.check import Malformed, Refusal, Rejected, check_text
from proofs.enclosures.float_models.model import presets, read_float_model
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.float_executions.execution import executions
from proofs.trained.float_executions.replay import Replay
from proofs.trained.tracks.certificate import tracks_text
from proofs.trained.tracks.wrong import Margins
from tests.check.trained_networks import dump, execution_of, refusal_of, with_evidence
from tests.trained.drawn_runs import DrawnRun
from tests.trained.tracks.adders import adder, adds
from tests.trained.tracks.random_tracks import random_layer
from tests.trained.tracks.test_tracks_against_brute_force import best_claim
from tests.trained.tracks.test_tracks_certificates import changed, places

Document = dict[str, Any]
EXAMPLES = Path(__file__).parents[3] / "examples" / "adders"


@cache
def decided(name: str, margin: str = "0") -> TracksDecision:
    """Decide, by classes, an adder of two digits to the base 2, whose margin over the reals is 1."""
    network = adder(2, 2)
    return decide_tracks(network, replace(adds(network, 2, 2), margin=Fraction(margin)), run=presets()[name])


def least_of_drawn(decision: TracksDecision, times: int) -> float:
    """Return the least margin of random runs on all inputs, ``times`` of each execution."""
    assert decision.run is not None
    decider = FormInRuns(decision.network, decision.claim, decision.run, 1)
    margins, draw = Margins(decider.floats, decision.claim, 0), np.random.default_rng(0)
    columns = margins.inputs.indices([*all_inputs(decision.claim, margins.form)])
    return min(float(decider.wrong.margins(margins, columns, DrawnRun(
        decider.cast, decision.run, execution, draw))[0].min())
        for execution in executions(decision.run) for _ in range(times))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["binary32", "binary16/binary32", "bfloat16/binary32"])
def test_no_drawn_run_is_wrong_on_a_certified_input(name: str) -> None:
    decision = decided(name)
    assert (decision.verdict, decision.certified_to) == ("certified", 2) and decision.certificate is not None
    assert least_of_drawn(decision, 3) > 0


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["binary32", "bfloat16/binary32", "bfloat16"])
def test_a_margin_that_drawn_runs_do_not_keep_is_not_certified(name: str) -> None:
    """So a claimed bound is at least the error of executions."""
    decision = decided(name)
    least = least_of_drawn(decision, 3)
    assert decided(name, str(Fraction(least))).verdict != "certified"


def with_rules(network: TrainedNetwork) -> TrainedNetwork:
    """Return the network without scales above 1, which have no rule in float executions."""
    steps = [replace(step, scale=Scale(times=Fraction(1, 2))) if isinstance(step, AttentionStep) else step
             for step in network.steps]
    return used_tensors(replace(network, steps=tuple(steps)))


def used_tensors(network: TrainedNetwork) -> TrainedNetwork:
    """Return the network without tensors that nothing reads."""
    names = re.findall("tensor='(t[0-9]+)'", repr(replace(network, tensors={})))
    return replace(network, tensors={name: network.tensors[name] for name in names})


@pytest.mark.parametrize(("layers", "attends"), [(1, "causal"), (2, "causal"), (2, "bidirectional")])
@pytest.mark.one_in(2)
def test_random_networks_are_as_drawn_runs_say(layers: int, attends: Any) -> None:
    verdicts = set[str]()
    for seed in range(4):
        network = replace(with_rules(random_layer(seed, layers)), attention=attends)
        claim, least = best_claim(seed, network)
        if count_inputs(claim, claim.forms[0]) == 0 or least <= 0:
            continue
        for factor in (0.5, 1.01):
            decision = decide_tracks(network, replace(claim, margin=Fraction(least * factor)),
                                     run=presets()["binary32"])
            verdicts.add(decision.verdict)
            assert decision.verdict != "certified" or least_of_drawn(decision, 1) > 0
            if decision.verdict == "refuted":
                assert decision.wrong_certificate is not None and is_wrong(json.loads(decision.wrong_certificate))
    assert {"refuted", "certified"} <= verdicts


# -- certificates ------------------------------------------------------------------------------------------------------


def certificate() -> Document:
    """Return the certificate of inputs that are run one by one."""
    decision = decided("bfloat16/binary32", "1/2")
    document: Document = json.loads(tracks_text(decision.network, decision.claim, [{"inputs": 16}], decision.run))
    return document


def by_classes() -> Document:
    document: Document = json.loads(str(decided("binary32", "1/2").certificate))
    return document


CERTIFICATES = {"input by input": certificate, "by classes": by_classes}


@cache
def wrong_run() -> Document:
    """Return a wrong execution of a claim that is true under binary32."""
    network = adder(2, 2, blur=0.3)
    claim = replace(adds(network, 2, 2), margin=Fraction(25, 256))
    return json.loads(str(decide_tracks(network, claim, run=presets()["bfloat16"]).wrong_certificate))


def is_true(document: Document) -> bool:
    """Return whether the claim of a document is true on drawn runs of every class."""
    network = network_from_json(document["network"], "network")
    claim = tracks_claim_from_json(document["claim"], "claim")
    return all(least_of_drawn(TracksDecision(network, claim, (), None, None, 0, class_of(fields)), 1) > 0
               for fields in document["floats"])


def class_of(fields: Document) -> Any:
    return read_float_model(fields["name"], {key: part for key, part in fields.items() if key not in ("name", "max_n")})


def is_wrong(document: Document) -> bool:
    """Return whether the run of a document is wrong, by the producer."""
    network = network_from_json(document["network"], "network")
    claim, (fields,) = tracks_claim_from_json(document["claim"], "claim"), document["floats"]
    run, form = class_of(fields), claim.forms[document["evidence"]["form"]]
    tokens = claim.tokens(form, [tuple(column) for column in document["evidence"]["input"]])
    execution = execution_of(document["evidence"]["run"])
    logits = Replay(cast_network(network, run), run, execution).logits(
        tokens[:document["evidence"]["place"]], claim.offset, document["evidence"]["place"] - 1)
    return logits[tokens[document["evidence"]["place"]]] - logits[document["evidence"]["other"]] <= claim.margin


def with_turned_bit(document: Document, name: str, draw: np.random.Generator) -> Document:
    made = deepcopy(document)
    tensor = made["network"]["tensors"][name]
    data = bytearray(base64.b64decode(tensor["data"]))
    data[8 * int(draw.integers(len(data) // 8)) + 6] ^= 1 << int(draw.integers(4, 8))
    tensor.update(data=base64.b64encode(bytes(data)).decode(), sha256=sha256(bytes(data)).hexdigest())
    return made


def named(document: Any) -> Any:
    """Return the certificate with a name of its own for its class, so that other runs may have it."""
    return changed(document, ("floats", 0, "name"), "class 1")


def test_a_certificate_says_of_which_runs_it_is() -> None:
    document = certificate()
    lines = check_text(dump(document)).lines
    assert any("in every execution under each float model below" in line for line in lines)
    assert any("'bfloat16/binary32', inputs of up to 2 columns:" in line for line in lines)
    for path, value, refused in (
            (("evidence", "units", 0, "inputs"), 15, Malformed), (("evidence", "units"), [], Malformed),
            (("floats",), [], Malformed),
            (("floats", 0, "max_n"), 1, Malformed), (("floats", 0, "max_n"), 3, Malformed),
            (("version",), 2, Malformed), (("floats", 0, "storage"), "binary64", Rejected),
            (("floats", 0, "sums"), "bfloat16", Rejected), (("floats", 0, "exp_ulp"), "100000000", Rejected),
            (("claim", "margin"), "1", Rejected), (("execution",), "exact", Malformed)):
        assert refusal_of(changed(named(document), path, value)) is refused, path
    assert refusal_of(changed(document, ("floats", 0, "storage"), "tf32") | {"floats": document["floats"] * 2})


@pytest.mark.parametrize("first", [0, *[pytest.param(first, marks=pytest.mark.exhaustive) for first in range(1, 24)]])
@pytest.mark.parametrize("way", CERTIFICATES)
def test_changed_claims_and_classes_are_refused_or_true(first: int, way: str) -> None:
    document = CERTIFICATES[way]()
    paths = [(key, *path) for key in ("claim", "floats") for path in places(document[key])]
    for path in paths[first::24]:
        for value in (0, 1, 2, None, ["track", 0, 1], "2", "binary16", "tf32"):
            made = changed(document, path, value)
            if made != document and refusal_of(made) is None:
                assert path[-1] in ("name", "typed") or "letters" in path or is_true(made), (path, value)


@pytest.mark.parametrize("way", CERTIFICATES)
def test_bits_of_weights_that_are_turned_are_refused_or_leave_the_claim_true(way: str) -> None:
    document, draw = CERTIFICATES[way](), np.random.default_rng(1)
    printed = []
    for name in [*document["network"]["tensors"]][::2]:
        made = with_turned_bit(document, name, draw)
        printed.append(refusal_of(made))
        assert printed[-1] is not None or is_true(made), name
    assert Rejected in printed


def test_ranges_of_the_reals_are_not_those_of_runs() -> None:
    """Statements hold for every execution: ranges as narrow as over the reals are refused, and any moved ones."""
    decision, document = decided("binary32", "1/2"), by_classes()
    real = json.loads(str(decide_tracks(decision.network, decision.claim).certificate))
    assert refusal_of(document) is None
    assert refusal_of(with_evidence(document, units=real["evidence"]["units"])) is Rejected
    numbers = np.frombuffer(base64.b64decode(document["evidence"]["units"][0]["ranges"]), "<i4").copy()
    for place in range(0, len(numbers), 7):
        moved = numbers.copy()
        moved[place] += (1 if place % 2 == 0 else -1) * (1 << 24)
        made = changed(document, ("evidence", "units", 0, "ranges"), base64.b64encode(moved.tobytes()).decode())
        assert refusal_of(made) in (Rejected, Malformed)
    for key, value in (("storage", "bfloat16"), ("sums", "bfloat16"), ("exp_ulp", "1000000"), ("exp_base", "x")):
        assert refusal_of(changed(document, ("floats", 0, key), value)) is not None


@pytest.mark.parametrize("first", [0, *[pytest.param(first, marks=pytest.mark.exhaustive) for first in range(1, 12)]])
def test_whatever_is_changed_in_a_wrong_run_is_refused_or_still_wrong(first: int) -> None:
    document = wrong_run()
    assert is_wrong(document) and refusal_of(document) is None
    paths = [path for path in places(document) if path[0] not in ("network", "format", "version")]
    for path in paths[first::12]:
        for value in (0, 1, None, True, "1/2", "binary32", "backwards", "after", "2"):
            made = changed(document, path, value)
            try:
                check_text(dump(made))
            except Refusal as refusal:
                assert "could not be completed" not in str(refusal), path
            else:
                assert is_wrong(made), (path, value)


def test_a_wrong_run_is_of_its_class_and_its_input() -> None:
    assert refusal_of(wrong_run()) is None and refusal_of(wrong_run() | {"version": 2}) is Malformed
    document = wrong_run()
    lines = check_text(dump(document)).lines
    assert lines[0] == "the claim that follows is FALSE:"
    assert any(line.startswith("execution    every sum") for line in lines)
    first = len(document["claim"]["forms"][0]["layout"]) - 3
    for path, value, refused in (
            (("claim", "margin"), "0", Rejected), (("evidence", "place"), first - 1, Malformed),
            (("evidence", "other"), 2, Malformed),
            (("evidence", "input"), [[0, 0]], Malformed), (("floats", 0, "exp_ulp"), "1/2", Rejected),
            (("evidence", "run", "exp_base"), "2", Rejected), (("evidence", "run", "order"), "sideways", Malformed),
            (("evidence", "form"), 1, Malformed)):
        assert refusal_of(changed(named(document), path, value)) is refused, path
    binary32 = {**named(document)["floats"][0], **dict.fromkeys(
        ("storage", "inputs", "sums", "scores", "softmax", "weights"), "binary32")}
    assert refusal_of(document | {"floats": [binary32]}) is Rejected


def test_the_command_writes_certificates_of_both_kinds(tmp_path: Path) -> None:
    asked = ["decide", str(EXAMPLES / "ternary.json"), "--claim", str(EXAMPLES / "ternary.toml"), "--float"]
    wrong = tmp_path / "wrong.cert"
    found = CliRunner().invoke(app, [*asked, "bfloat16/binary32", "--wrong", str(wrong)])
    assert found.exit_code == 1 and "replayed bit by bit" in found.stdout and check_text(wrong.read_bytes())
    again = CliRunner().invoke(app, ["decide", str(wrong), "--float", "bfloat16/binary32", "--json"])
    assert again.exit_code == 1 and json.loads(again.stdout)["counterexample"]["execution"]["order"] == "forwards"
    refused = CliRunner().invoke(app, [*asked, "binary32", "--store", str(tmp_path)])
    assert isinstance(refused.exception, InputError) and "--store" in str(refused.exception)
