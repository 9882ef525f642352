"""Inputs in tracks by classes in float executions: what drawn runs do on an input is within the forms of its group."""

import contextlib
import json
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import pytest

from certify.claims.trained import track_runs_forms
from certify.claims.trained.track_runs_forms import FormInRuns
from constructions.trained.network import AttentionStep, TrainedNetwork
from constructions.trained.tracks import Layout, TokenSource, Track, TracksClaim, Transducer, all_inputs, count_inputs
from proofs.check import Rejected
from proofs.check.checker.chapters.trained.floats.casting import cast_network
from proofs.check.checker.chapters.trained.floats.classes import FloatArithmetic
from proofs.check.checker.chapters.trained.floats.form_stack import FloatStack
from proofs.check.checker.chapters.trained.floats.softmax import SoftmaxOnForms
from proofs.check.checker.chapters.trained.tracks import by_classes
from proofs.check.checker.chapters.trained.tracks.layers import AttendedSizes
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, spread
from proofs.check.checker.kernel.budget import Budget
from proofs.enclosures.float_models.model import FloatModel, read_float_model
from proofs.trained.float_executions.execution import executions
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.certificate import tracks_text
from proofs.trained.tracks.wrong import Margins
from tests.check.trained_networks import parsed
from tests.trained.drawn_runs import DrawnRun
from tests.trained.tracks.adders import adder, adds
from tests.trained.tracks.random_tracks import VOCABULARY, random_layer
from tests.trained.tracks.test_track_runs import used_tensors, with_rules
from tests.trained.tracks.test_tracks_against_brute_force import best_claim

FINE, COARSE = "float(40,-200,200)", "float(18,-200,200)"
FORMATS = ("storage", "inputs", "sums", "scores", "softmax", "weights")
CLASSES: dict[str, dict[str, Any]] = {
    "32 bits": dict.fromkeys(FORMATS, "binary32"),
    "inputs": dict.fromkeys(FORMATS, FINE) | {"inputs": COARSE},
    "scores": dict.fromkeys(FORMATS, FINE) | {"scores": COARSE},
    "weights": dict.fromkeys(FORMATS, FINE) | {"weights": COARSE},
    "sums": dict.fromkeys(FORMATS, COARSE),
    "storage": dict.fromkeys(FORMATS, FINE) | {"storage": COARSE, "inputs": COARSE},
    "functions": dict.fromkeys(FORMATS, FINE) | {"exp_ulp": "4194304", "exp_base": "e"}}


def run_class(name: str) -> FloatModel:
    fields = {"normalised": "either", "exp_ulp": "1", "exp_base": "either", "block": 0}
    return read_float_model(name, fields | CLASSES[name])


def most_used(network: TrainedNetwork, claim: TracksClaim, run: FloatModel) -> float:
    """Return the greatest error of logits of drawn runs relative to the bound; 0 without a form by classes."""
    decider = FormInRuns(network, claim, run, 1)
    unit, _ = decider.by_classes(0)
    if unit is None:
        return 0
    given = parsed(json.loads(tracks_text(network, claim, [unit], run)), Budget(8))
    stack = FloatStack(given.budget, cast_network(given.network, given.floats[0]), given.floats[0])
    groups = list[tuple[set[int], int, int, Any]]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_classes.GroupProof, "prove", lambda self, ranged, tree: len(
            groups.__iadd__([group_of(self, ranged)])))
        by_classes.FormProof(given, 0, given.evidence.units[0], FloatArithmetic(stack)).run()
    margins, draw, worst = Margins(decider.floats, claim, 0), np.random.default_rng(4), 0.0
    columns = margins.inputs.indices([*all_inputs(claim, margins.form)])
    tokens, at = margins.inputs.tokens(columns), np.array(margins.form.asked) - 1
    for execution in executions(run)[:4]:
        logits = DrawnRun(decider.cast, run, execution, draw).logits(tokens[:, :-1], claim.offset, at)
        for places, own, answer, known in groups:
            centres, reaches = (np.array(one) / UNIT for one in known)
            for place in places:
                mine = (tokens[:, place] == own) & (tokens[:, place + 1] == answer)
                used = np.abs(logits[mine, place - at[0]] - centres) / reaches
                worst = max(worst, float(used.max(initial=0)))
    return worst


def group_of(group: by_classes.GroupProof, ranged: Any) -> tuple[set[int], int, int, Any]:
    """Places, the token that is read, the right answer, and what is known of all logits on the hull of the boxes."""
    found: list[Any] = []
    sizes = reduce(AttendedSizes.join, [group.layer.proof_of(one.own).sizes for one in ranged])
    point = group.layer.point(ranged[0].own)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_classes, "prove_rows", lambda budget, rows, margin, logits, last: found.append(logits))
        with contextlib.suppress(Rejected):  # a hull that is not cut may be too wide for a form
            group.prove_cell(ranged, point, sizes)
    query, answer = ranged[0].query, {one.query.answer(one.one) for one in ranged}
    places = {one.query.place for one in ranged} if found else set[int]()
    return places, query.own, answer.pop(), spread(Budget(8), found[0]) if found else ((), (1,))


def questions(layers: int, seeds: range) -> list[tuple[TrainedNetwork, TracksClaim]]:
    """Random ones, whose claim holds."""
    found = []
    for seed in seeds:
        network = with_rules(random_layer(seed, layers))
        claim, least = best_claim(seed, network)
        if count_inputs(claim, claim.forms[0]) and least > 0:
            found.append((network, replace(claim, margin=Fraction(0))))
    return found


@pytest.mark.parametrize("name", CLASSES)
def test_logits_of_drawn_runs_of_an_adder_are_within_the_forms_of_their_group(name: str) -> None:
    network = adder(2, 2)
    assert 0 < most_used(network, adds(network, 2, 2), run_class(name)) <= 1


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize(("layers", "seeds"), [
    (1, range(1, 3)), *[
    pytest.param(layers, range(1, 60), marks=pytest.mark.exhaustive) for layers in (1, 2)]])
def test_logits_of_drawn_runs_of_random_networks_are_within_the_forms_of_their_group(
        layers: int, seeds: range, name: str) -> None:
    used = [most_used(network, claim, run_class(name)) for network, claim in questions(layers, seeds)]
    assert used and max(used) <= 1


def of_one_letter(seed: int) -> tuple[TrainedNetwork, TracksClaim]:
    """Return a network, and what it says after one letter between two tokens: so each class is one input."""
    network = with_rules(random_layer(seed))
    network = replace(network, steps=tuple(step for step in network.steps if isinstance(step, AttentionStep)))
    logits = FloatNetwork(network).logits(np.array([[3, letter, 4] for letter in (1, 2)]), 0, [2])[:, 0]
    machine = Transducer(0, (((tuple((0, int(one)) for one in logits.argmax(axis=1))),),), ((),))
    layout = (TokenSource("token", 3), TokenSource("track", 0, 0), TokenSource("token", 4), TokenSource("answer", 0, 0))
    return used_tensors(network), TracksClaim((Track("a", ("0", "1"), (1, 2)),), machine, (Layout((0,), layout),), 0,
                                              tuple(range(VOCABULARY)), Fraction(0))


NOTHING: dict[str, Any] = {
    "nothing": lambda: None, "relative": lambda self, count: Fraction(0),
    "exponents": lambda self, stored, count, floor: [0] * len(stored),
    "storing": lambda self, sizes: [0] * len(sizes)}


@pytest.mark.parametrize(("name", "what"), [
    *[(name, "nothing") for name in CLASSES], ("weights", "relative"), ("scores", "storing"),
    ("functions", "exponents")])
def test_no_error_may_be_left_out(name: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If each class is one input, its affine form is as wide as its rounding errors, and random executions use much of
    that width."""
    monkeypatch.setattr(track_runs_forms, "FIRST_SLACK", 0)
    monkeypatch.setattr(SoftmaxOnForms, what, NOTHING[what], raising=what != "nothing")
    used = max(most_used(*of_one_letter(seed), run_class(name)) for seed in range(3))
    assert 0.02 < used <= 1 if what == "nothing" else used > 1
