"""Adders that are wrong on one pair of 10^10, or right by next to nothing: exact numbers, against brute force."""

import base64
import json
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import cache
from operator import mul
from typing import Any

import numpy as np
import pytest
from flint import arb

from certify.claims.trained.tracks_decision import TracksDecision, decide_tracks
from constructions.trained.json_form import network_from_json, network_text
from constructions.trained.network import AttentionStep, NormStep, Scale, Tensor, TrainedNetwork, UnitsStep, View
from constructions.trained.tracks import TracksClaim, all_inputs, check_tracks_fit
from constructions.trained.tracks_form import tracks_claim_from_json
from proofs.check import Malformed, Refusal, Rejected, check_text
from proofs.check.checker.chapters.trained.balls.exponentials import Exponentials
from proofs.check.checker.chapters.trained.reading import tracks
from proofs.check.checker.chapters.trained.reading.network import read_network
from proofs.check.checker.chapters.trained.tracks import exact, wrong_input
from proofs.check.checker.chapters.trained.tracks.wrong_input import row_and_prefix
from proofs.check.checker.chapters.trained.zonotopes.scores import PathBounds
from proofs.check.checker.kernel.budget import Budget
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.enclosures.float_models.model import presets
from proofs.trained.balls import BallNetwork, enclose_logits
from proofs.trained.tracks.certificate import WrongInput, tracks_text, wrong_input_text
from proofs.trained.tracks.exact_numbers import find_obstacle
from proofs.trained.tracks.exact_search import ExactlyProved, ExactSearch
from tests.check.trained_networks import parsed, refusal_of, with_evidence
from tests.trained.tracks.adders import adder, adds
from tests.trained.tracks.random_tracks import least_margin, random_claim, random_layer

Document = dict[str, Any]


def with_tensor(network: TrainedNetwork, view: View, numbers: np.ndarray[Any, np.dtype[np.float64]]) -> TrainedNetwork:
    old = network.tensors[view.tensor]
    return replace(network, tensors={
        **network.tensors, view.tensor: Tensor(old.format, old.shape, numbers.astype("<f8").tobytes())})


def shifted(base: int, columns: int, by: float, lift: float = 0.0) -> TrainedNetwork:
    """Return the adder whose units begin to rise ``by`` times the least distance of two sums before a whole number.

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
    """Return the right last answer minus the carry where all columns add to base - 1."""
    claim = adds(network, base, columns)
    tokens, bits = claim.tokens(claim.forms[0], ((0, base - 1),) * columns)[:-1], 400
    logits = enclose_logits(BallNetwork(network), tokens, 0, [len(tokens) - 1], bits)
    with working_precision(bits):
        least, greatest = exact_ends(logits[0, 0] - logits[0, 1])
    assert greatest - least < Fraction(1, 10**30)
    return least


def nearly(base: int, columns: int, margin: float) -> TrainedNetwork:
    """Return an adder that is right except on the longest chain of nines, by this margin there."""
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
    made["evidence"]["units"][0][key] = value
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


@pytest.mark.one_in(2)
@pytest.mark.parametrize("margin", [1e-15, -1e-15])
def test_floats_that_err_do_not_end_the_search(margin: float) -> None:
    """More inputs than are run one by one; of one alone floats cannot say whether it is right."""
    network = nearly(8, 3, margin)
    decision = decide_tracks(network, adds(network, 8, 3))
    assert decision.verdict == ("certified" if margin > 0 else "refuted")
    (row,) = decision.rows
    assert row.seen is not None and 0 < row.seen.margin < 1e-14 if margin > 0 else row.wrong is not None


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
    """Return the tensors that are looked at."""
    if isinstance(part, View):
        return {part.tensor}
    if isinstance(part, (list, tuple)):
        return {name for one in part for name in views(one)}
    inner = [getattr(part, one.name) for one in fields(part)] if is_dataclass(part) else []
    return {name for one in inner if not isinstance(one, dict) for name in views(one)}


def plain(network: TrainedNetwork) -> TrainedNetwork:
    """Return the same without norms, gates and turns, with relu."""
    steps = tuple(replace(step, norm=None, rotary=None) if isinstance(step, AttentionStep) else
                  replace(step, norm=None, gate=None, activation="relu")
                  for step in network.steps if not isinstance(step, NormStep))
    made = replace(network, steps=steps)
    used = views(made)
    return replace(made, tensors={name: one for name, one in made.tensors.items() if name in used})


@pytest.mark.one_in(3)
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
    assert decision.verdict == "refuted" and decision.wrong is not None
    assert all(sum(column) == 9 for column in decision.wrong.columns)
    document = json.loads(str(decision.wrong_certificate))
    check_text(str(decision.wrong_certificate).encode())
    assert refusal_of(document | {"input": [[0, 8], *document["evidence"]["input"][1:]]}) is Rejected
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
    unit = json.loads(certificate())["evidence"]["units"][0]
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
    """A form of another class, unless it is equally wide; none; one too few."""
    unit = json.loads(certificate())["evidence"]["units"][0]
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
    cells = json.loads(certificate())["evidence"]["units"][0]["cells"]

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
    assert refusal_of(changed("bits", json.loads(certificate())["evidence"]["units"][0]["bits"] - 1)) is Rejected


def test_other_networks_have_no_exact_numbers() -> None:
    """Networks with norms or other units."""
    document = json.loads(certificate())
    network = network_from_json(document["network"], "network")
    claim = tracks_claim_from_json(document["claim"], "claim")
    steps = tuple(replace(step, activation="gelu") if isinstance(step, UnitsStep) else step for step in network.steps)
    other = replace(network, steps=steps)
    assert find_obstacle(network) is None and find_obstacle(other) is not None
    with pytest.raises(Rejected, match="no rule for this network"):
        check_text(tracks_text(other, claim, document["evidence"]["units"]).encode())
    nothing = {"precision": 64, "bits": 8, "splits": [], "ranges": "", "classes": "", "cells": []}
    obstacles = set()
    for seed in range(24):
        network = random_layer(seed)
        if (obstacle := find_obstacle(network)) is not None and "average" not in obstacle:
            obstacles.add(obstacle)
            with pytest.raises(Rejected, match="no rule for this network"):
                check_text(tracks_text(network, random_claim(seed, network, (0,), (0, 1)), [nothing]).encode())
    assert len(obstacles) == 3


class Careless(Exponentials):
    """Off by as much as is allowed."""

    away = 1

    def at(self, d: int) -> int:
        found = super().at(d)
        return max(found + self.away * ((found >> self.fraction - 1) + 2), 0)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("away", [1, -1])
@pytest.mark.parametrize("seed", range(6))
def test_weights_averages_and_logits_lie_between_their_ends(monkeypatch: pytest.MonkeyPatch, seed: int, away: int
                                                           ) -> None:
    """Whatever exp rounds, and at a precision so low that ends are far apart; scales, slopes and biases are there."""
    monkeypatch.setattr(Careless, "away", away)
    monkeypatch.setattr(exact, "Exponentials", Careless)
    network = plain(random_layer(seed))
    tokens, draw = [1, 4, 0, 2, 3, 1, 2], np.random.default_rng(seed)
    step = next(step for step in network.steps if isinstance(step, AttentionStep))
    scaled = replace(step, scale=Scale(root=3) if seed % 2 else Scale(times=Fraction(2, 3)),
                     heads=tuple(replace(head, slope=Fraction(int(draw.integers(-5, 6)), 7)) for head in step.heads))
    network = replace(network, steps=tuple(scaled if one is step else one for one in network.steps))
    budget = Budget()
    known = exact.ExactNetwork(budget, read_network(json.loads(network_text(network)), budget), 0, 32)
    box = known.averages(tokens, 60)
    logits, bits = enclose_logits(BallNetwork(network), tokens, 0, [len(tokens) - 1], 300), 300
    others = [0, 1, 2, 4]
    found = [*known.judged(known.point((len(tokens) - 1, tokens[-1])), box, 60, 3, others)]
    with working_precision(bits):
        for other, (least, greatest) in zip(others, found, strict=True):
            low, high = exact_ends(logits[0, 3] - logits[0, other])
            assert least <= low <= high <= greatest and greatest - least < 1
    assert any(greatest - least < Fraction(1, 10**4) for least, greatest in found)
    expect_scores_and_weights(known, scaled, [*enumerate(tokens)])


def expect_scores_and_weights(known: exact.ExactNetwork, step: AttentionStep, sources: list[tuple[int, ...]]) -> None:
    """Check scores and weights of each head for the last source against balls."""
    for number, (head, of_file) in enumerate(zip(step.heads, known.attention.heads, strict=True)):
        query, own = known.projections(number, sources[-1]).query, sources[-1]
        weights, scores, highs = known.weigh(number, own, sources), list[arb](), list[int]()
        for source in sources:
            key = known.projections(number, source).key
            low, high = known.score(of_file, query, key, source[0] - own[0])
            highs.append(high)
            product = Fraction(sum(map(mul, query.entries, key.entries)), 1 << query.power + key.power)
            with working_precision(300):
                scale = ball(step.scale.times) if step.scale.times else arb(step.scale.root or 0).rsqrt()
                true = ball(product) * scale + ball((head.slope or 0) * Fraction(source[0] - own[0]))
                assert ball(Fraction(low, 1 << 32)) <= true + ball(Fraction(1, 1 << 200)) <= ball(
                    Fraction(high, 1 << 32)) + ball(Fraction(1, 1 << 199)) and high - low <= 3
                scores.append(true)
        with working_precision(300):
            for source, true in zip(sources, scores, strict=True):
                weight = (true - ball(Fraction(max(highs), 1 << 32))).exp() * (1 << known.unit)
                assert weights[source].least <= weight <= weights[source].greatest


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(8))
def test_relu_of_a_form_contains_relu_of_what_it_stands_for(seed: int) -> None:
    """At the ends of the variable, at 0, and between."""
    draw, places = np.random.default_rng(seed), 10
    low, high = sorted(int(one) for one in draw.integers(-4000, 4000, 2))
    rows = [[int(draw.integers(-500, 500)), int(draw.integers(-9, 9))] for _ in range(6)]
    box = [PathBounds(low, high)]
    found = exact.relu(Budget(), exact.ExactForm(rows, 3), box, places)
    assert len(box) > 1 or seed
    for at in np.linspace(low, high, 41).astype(int).tolist():
        fresh = 1
        for (constant, factor), row in zip(rows, found.rows, strict=True):
            y = Fraction(constant + Fraction(factor * at, 1 << places), 8)
            known = Fraction(row[0] + sum(Fraction(c * at, 1 << places) for c in row[1:2]), 1 << found.power)
            if len(row) > 2:
                fresh, unit = fresh + 1, Fraction(row[fresh + 1], 1 << found.power)
                rest = (max(y, Fraction(0)) - known) / unit
                assert 0 <= rest <= Fraction(box[fresh - 1].greatest, 1 << places)
            else:
                assert known == max(y, 0)


def test_a_cut_hides_nothing() -> None:
    """Whatever cuts are put into the tree of the wrong input's group, at the ends of its boxes and beside them."""
    wrong, right = nearly(2, 3, -1e-12), nearly(2, 3, 1e-12)
    unit = exactly(right, adds(right, 2, 3)).unit
    assert unit is not None
    data = base64.b64decode(unit["ranges"])
    ends = {int.from_bytes(data[at:at + 16], "little", signed=True) for at in range(16, len(data), 32)}
    *before, tree, last = unit["cells"]  # at the last place, where 1 is read, and 0 is right; or 1
    claim = adds(wrong, 2, 3)
    assert len(ends) > 4
    for at in [end - less for end in ends for less in (0, 1 << 59)]:
        for made in ([0, at, tree, None], [0, at, None, tree]):
            text = tracks_text(wrong, claim, [unit | {"cells": [*before, made, last]}])
            with pytest.raises(Rejected, match="place 10, token 1, answer 0: a row is not shown"):
                check_text(text.encode())


def test_what_a_low_precision_leaves_open_is_no_wrong_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """An input whose margin is 10^-12, above 0 or below."""
    for margin in (1e-12, -1e-12):
        network = nearly(2, 3, margin)
        claim = adds(network, 2, 3)
        wrong = WrongInput(0, ((0, 1),) * 3, len(claim.forms[0].layout) - 1, 1, (Fraction(0), Fraction(0)))
        text = wrong_input_text(network, claim, wrong)
        given = parsed(json.loads(text), Budget())
        row, prefix = row_and_prefix(given)
        monkeypatch.setattr(tracks, "MOST_PRECISION", 32)
        with pytest.raises(Rejected, match="not decided"):
            wrong_input.prove_exactly(given, row, prefix)
        monkeypatch.undo()
        if margin < 0:
            assert wrong_input.prove_exactly(given, row, prefix) == {"input": 1}
        else:
            with pytest.raises(Rejected, match="is above the margin"):
                wrong_input.prove_exactly(given, row, prefix)


def test_a_unit_in_exact_numbers_says_nothing_of_float_executions() -> None:
    """Sums of an execution are a different matter."""
    network = adder(2, 2)
    claim = replace(adds(network, 2, 2), margin=Fraction(1, 2))
    runs = json.loads(str(decide_tracks(network, claim, run=presets()["binary32"]).certificate))
    unit = exactly(network, claim).unit
    check_text(tracks_text(network, claim, [unit] if unit else []).encode())
    assert refusal_of(runs) is None and refusal_of(with_evidence(runs, units=[unit])) is Rejected


def test_no_file_is_about_a_claim_that_asks_for_more_than_is_proved() -> None:
    """The margin of a claim at what the network leaves, and a little above it."""
    network = nearly(3, 3, 1e-12)
    document, least = json.loads(certificate()), on_nines(network, 3, 3)
    for margin, refusal in ((least - Fraction(1, 10**15), None), (least, Rejected), (least + 1, Rejected)):
        short = margin.limit_denominator(10**30)
        assert refusal_of(document | {"claim": document["claim"] | {"margin": str(short)}}) is refusal
