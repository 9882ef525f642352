"""Adders that are wrong on one pair of 10^10, or right by next to nothing: exact numbers, against brute force."""

from __future__ import annotations

import base64
import json
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from certify.trained.track_runs_decision import decide_track_runs
from certify.trained.tracks_decision import TracksDecision, decide_tracks
from constructions.trained.json_form import network_from_json
from constructions.trained.network import AttentionStep, NormStep, Tensor, TrainedNetwork, UnitsStep, View
from constructions.trained.tracks import TracksClaim, all_inputs, check_tracks_fit
from constructions.trained.tracks_form import tracks_claim_from_json
from proofs.check import Malformed, Refusal, Rejected, check_text
from proofs.enclosures.exponential import exact_ends, working_precision
from proofs.enclosures.float_runs.run_class import presets
from proofs.trained.balls import BallNetwork, enclose_logits
from proofs.trained.tracks.certificate import tracks_text
from proofs.trained.tracks.exact_numbers import find_obstacle
from proofs.trained.tracks.exact_search import ExactlyProved, ExactSearch
from tests.check.trained_networks import refusal_of
from tests.trained.tracks.adders import adder, adds
from tests.trained.tracks.random_tracks import least_margin, random_claim, random_layer

Document = dict[str, Any]


def with_tensor(network: TrainedNetwork, view: View, numbers: np.ndarray[Any, np.dtype[np.float64]]) -> TrainedNetwork:
    old = network.tensors[view.tensor]
    return replace(network, tensors={
        **network.tensors, view.tensor: Tensor(old.format, old.shape, numbers.astype("<f8").tobytes())})


def shifted(base: int, columns: int, by: float, lift: float = 0.0) -> TrainedNetwork:
    """The adder whose units begin to rise ``by`` times the least distance of two sums before a whole number.

    They end a half of it later, and the logit of 0 is lifted. By 0.75 all sums are right; by 1.5 the carry is heard
    where the longest chain of nines has none, and only there.
    """
    network = adder(base, columns)
    step = network.steps[1]
    assert isinstance(step, UnitsStep) and step.inward.bias is not None and network.unembedding.bias is not None
    start = np.frombuffer(network.tensors[step.inward.bias.tensor].data, "<f8")
    logits = network.unembedding.bias
    network = with_tensor(network, step.inward.bias, start + 2 * (by - 0.75))
    bias = np.frombuffer(network.tensors[logits.tensor].data, "<f8").copy()
    bias[0] += lift
    return with_tensor(network, logits, bias)


def on_nines(network: TrainedNetwork, base: int, columns: int) -> Fraction:
    """How far the right last answer is above the carry where all columns add to base - 1."""
    claim = adds(network, base, columns)
    tokens, bits = claim.tokens(claim.forms[0], ((0, base - 1),) * columns)[:-1], 400
    logits = enclose_logits(BallNetwork(network), tokens, 0, [len(tokens) - 1], bits)
    with working_precision(bits):
        least, greatest = exact_ends(logits[0, 0] - logits[0, 1])
    assert greatest - least < Fraction(1, 10**30)
    return least


def nearly(base: int, columns: int, margin: float) -> TrainedNetwork:
    """Right but for the longest chain of nines, by this margin there."""
    known = on_nines(shifted(base, columns, 1.2), base, columns)
    network = shifted(base, columns, 1.2, float(Fraction(margin) - known))
    assert (on_nines(network, base, columns) > 0) == (margin > 0)
    return network


def exactly(network: TrainedNetwork, claim: TracksClaim) -> ExactlyProved:
    return ExactSearch(network, claim, 0, 1).run()


def text_of(network: TrainedNetwork, claim: TracksClaim, proved: ExactlyProved) -> str:
    assert proved.unit is not None
    return tracks_text(network, claim, [proved.unit])


@cache
def certificate() -> str:
    network = nearly(3, 3, 1e-12)
    return text_of(network, adds(network, 3, 3), exactly(network, adds(network, 3, 3)))


def changed(key: str, value: object) -> Document:
    made: Document = deepcopy(json.loads(certificate()))
    made["units"][0][key] = value
    return made


@pytest.mark.parametrize("margin", [1e-12, -1e-12, 1e-15, -1e-15])
def test_a_margin_of_10_to_the_minus_15_on_the_longest_chain_alone_is_decided(margin: float) -> None:
    network = nearly(3, 3, margin)
    claim = adds(network, 3, 3)
    found = exactly(network, claim)
    if margin > 0:
        check_text(text_of(network, claim, found).encode())
    else:
        assert found.unit is None and ((0, 2),) * 3 in {one.columns for one in found.suspects}


@pytest.mark.parametrize(("base", "columns"), [(2, 3), (3, 2)])
@pytest.mark.parametrize("by", [0.6, 0.75, 0.99, 1.01, 1.5, 2.2, 3.5])
def test_it_is_certified_if_all_inputs_are_right(base: int, columns: int, by: float) -> None:
    network = shifted(base, columns, by)
    claim = adds(network, base, columns)
    found = exactly(network, claim)
    assert (found.unit is not None) == (least_margin(network, claim) > 0)
    if found.unit is not None:
        check_text(text_of(network, claim, found).encode())


def views(part: object) -> set[str]:
    """The tensors that are looked at."""
    if isinstance(part, View):
        return {part.tensor}
    if isinstance(part, (list, tuple)):
        return {name for one in part for name in views(one)}
    inner = [getattr(part, one.name) for one in fields(part)] if is_dataclass(part) else []
    return {name for one in inner if not isinstance(one, dict) for name in views(one)}


def plain(network: TrainedNetwork) -> TrainedNetwork:
    """The same without norms, gates and turns, with relu."""
    steps = tuple(replace(step, norm=None, rotary=None) if isinstance(step, AttentionStep) else
                  replace(step, norm=None, gate=None, activation="relu")
                  for step in network.steps if not isinstance(step, NormStep))
    made = replace(network, steps=steps)
    used = views(made)
    return replace(made, tensors={name: one for name, one in made.tensors.items() if name in used})


@pytest.mark.parametrize("seed", range(12))
def test_random_networks_are_certified_only_if_they_are_right(seed: int) -> None:
    """The right answers are what the network says on most inputs, so that some claims are true."""
    network = plain(random_layer(seed))
    claim = random_claim(seed, network, (seed % 5,), (seed % 5, (seed + 1) % 5))
    check_tracks_fit(network, claim)
    least = least_margin(network, claim)
    found = exactly(network, claim)
    if not any(len([*all_inputs(claim, form)]) for form in claim.forms):
        return
    if found.unit is not None:
        assert least > 0
        check_text(text_of(network, claim, found).encode())
        assert refusal_of(json.loads(tracks_text(
            network, replace(claim, margin=Fraction(least) + Fraction(1, 10**9)), [found.unit]))) is Rejected
    else:
        assert found.suspects and found.missing


@pytest.mark.exhaustive
def test_a_wrong_input_that_needs_exact_numbers_is_found_and_accepted() -> None:
    """Units of slopes of 10^10 do not fit the slots of words; classes in floats would take minutes."""
    network = shifted(10, 10, 1.5)
    decision: TracksDecision = decide_tracks(network, adds(network, 10, 10))
    assert decision.verdict == "refuted" and decision.wrong_row is not None and decision.wrong_row.wrong is not None
    assert all(sum(column) == 9 for column in decision.wrong_row.wrong.columns)
    document = json.loads(str(decision.wrong_certificate))
    check_text(str(decision.wrong_certificate).encode())
    assert refusal_of(document | {"input": [[0, 8], *document["input"][1:]]}) is Rejected
    assert refusal_of(document | {"other": 2}) is Rejected


@pytest.mark.exhaustive
@pytest.mark.parametrize("margin", [1e-15, 1e-12])
def test_an_adder_of_ten_digits_that_is_right_by_next_to_nothing_is_certified(margin: float) -> None:
    network = nearly(10, 10, margin)
    assert decide_tracks(network, adds(network, 10, 10)).verdict == "certified"


def test_a_lower_precision_is_refused_and_a_higher_one_is_malformed() -> None:
    """Ranges are as narrow as what 128 bits know."""
    for precision in (32, 44, 64, 96):
        assert refusal_of(changed("precision", precision)) is Rejected
    for precision in (0, 31, 129, 256):
        assert refusal_of(changed("precision", precision)) is Malformed


@pytest.mark.parametrize("margin", [-1e-12, -1e-15])
def test_no_certificate_of_the_twin_that_is_right_says_it_of_the_wrong_one(margin: float) -> None:
    """At no precision, with no ranges and no cells of the right one."""
    wrong = nearly(3, 3, margin)
    claim = adds(wrong, 3, 3)
    for right in (1e-12, 1e-3):
        network = nearly(3, 3, right)
        unit = exactly(network, adds(network, 3, 3)).unit
        assert unit is not None
        for precision in (32, 64, 128):
            made = tracks_text(wrong, claim, [unit | {"precision": precision}])
            assert refusal_of(json.loads(made)) is Rejected


def test_a_narrower_range_is_refused() -> None:
    unit = json.loads(certificate())["units"][0]
    data = base64.b64decode(unit["ranges"])
    numbers = [int.from_bytes(data[at:at + 16], "little", signed=True) for at in range(0, len(data), 16)]
    for place in range(0, len(numbers), 7):
        moved = list(numbers)
        moved[place] += 1 << 20 if place % 2 == 0 else -(1 << 20)
        again = b"".join(one.to_bytes(16, "little", signed=True) for one in moved)
        assert refusal_of(changed("ranges", base64.b64encode(again).decode())) in (Rejected, Malformed)
    assert refusal_of(changed("ranges", base64.b64encode(data[:-16]).decode())) is Malformed
    assert refusal_of(changed("ranges", base64.b64encode(data[:-32]).decode())) is Malformed


def test_a_class_with_another_box_is_refused() -> None:
    """That of another class, unless it is as wide; none; one too few."""
    unit = json.loads(certificate())["units"][0]
    boxes = np.frombuffer(base64.b64decode(unit["classes"]), "<u4")
    refusals = set()
    for place in range(0, len(boxes), 5):
        moved = boxes.copy()
        moved[place] = (moved[place] + 1) % (boxes.max() + 1)
        refusals.add(refusal_of(changed("classes", base64.b64encode(moved.tobytes()).decode())))
    assert refusals == {Rejected}
    for other in (boxes[:-1], np.append(boxes[1:], np.uint32(boxes.max() + 1))):
        assert refusal_of(changed("classes", base64.b64encode(other.tobytes()).decode())) is Malformed


def test_other_cells_are_refused_or_prove_it_as_well() -> None:
    """A tree is replaced by none, or its cut is moved."""
    cells = json.loads(certificate())["units"][0]["cells"]

    def with_tree(place: int, tree: object) -> type[Refusal] | None:
        return refusal_of(changed("cells", [*cells[:place], tree, *cells[place + 1:]]))

    cut = [place for place, tree in enumerate(cells) if tree is not None]
    assert len(cut) > 4
    for place in cut[::5]:
        assert with_tree(place, None) is Rejected
        assert with_tree(place, [cells[place][0], 1 << 126, *cells[place][2:]]) in (None, Rejected)
        assert with_tree(place, [1, *cells[place][1:]]) is Malformed
        assert with_tree(place, [0, 1 << 127, *cells[place][2:]]) is Malformed
    assert refusal_of(changed("cells", cells[:-1])) is Malformed
    assert refusal_of(changed("bits", json.loads(certificate())["units"][0]["bits"] - 1)) is Rejected


def test_other_networks_have_no_exact_numbers() -> None:
    """Networks with norms or other units."""
    document = json.loads(certificate())
    network = network_from_json(document["network"], "network")
    claim = tracks_claim_from_json(document["claim"], "claim")
    steps = tuple(replace(step, activation="gelu") if isinstance(step, UnitsStep) else step for step in network.steps)
    other = replace(network, steps=steps)
    assert find_obstacle(network) is None and find_obstacle(other) is not None
    assert refusal_of(json.loads(tracks_text(other, claim, document["units"]))) is Rejected


def test_a_unit_in_exact_numbers_says_nothing_of_float_runs() -> None:
    """What the sums of a run make of the network is another thing."""
    network = adder(2, 2)
    claim = replace(adds(network, 2, 2), margin=Fraction(1, 2))
    runs = json.loads(str(decide_track_runs(network, claim, presets()["binary32"]).certificate))
    unit = exactly(network, claim).unit
    check_text(tracks_text(network, claim, [unit] if unit else []).encode())
    assert refusal_of(runs) is None and refusal_of(runs | {"units": [unit]}) is Rejected


def test_no_file_is_about_a_claim_that_asks_for_more_than_is_proved() -> None:
    """The margin of a claim at what the network leaves, and a little above it."""
    network = nearly(3, 3, 1e-12)
    document, least = json.loads(certificate()), on_nines(network, 3, 3)
    for margin, refusal in ((least - Fraction(1, 10**15), None), (least, Rejected), (least + 1, Rejected)):
        short = margin.limit_denominator(10**30)
        assert refusal_of(document | {"claim": document["claim"] | {"margin": str(short)}}) is refusal
