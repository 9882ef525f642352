"""Decisions about inputs in tracks against all inputs, one by one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from certify.trained.tracks_decision import TracksDecision, decide_tracks
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim, count_inputs
from proofs.check import check_text
from tests.trained.tracks.adders import adder, adds
from tests.trained.tracks.random_tracks import VOCABULARY, least_margin, random_claim, random_layer

ROUNDING = 1e-7


def decide_and_compare(network: TrainedNetwork, claim: TracksClaim) -> TracksDecision:
    """The decision, which no input contradicts."""
    least, decision = least_margin(network, claim), decide_tracks(network, claim)
    if decision.verdict == "certified":
        assert least > float(claim.margin) - ROUNDING
        assert decision.certificate is not None
    if decision.verdict == "refuted":
        assert least <= float(claim.margin) + ROUNDING
        assert decision.wrong_certificate is not None
        check_text(decision.wrong_certificate.encode())
    return decision


def best_claim(seed: int, network: TrainedNetwork) -> tuple[TracksClaim, float]:
    """A claim about a pair of logits that keep their order on all inputs, if there is one; and by how much."""
    found = [(claim, least_margin(network, claim)) for answer in range(VOCABULARY) for other in range(VOCABULARY)
             if other != answer for claim in [random_claim(seed, network, (answer,), (other,))]]
    return max(found, key=lambda pair: pair[1])


def decide_around_its_margin(seed: int) -> tuple[str, ...]:
    """What is said of a random claim below, at and above the margin that it has."""
    network = random_layer(seed)
    claim, least = best_claim(seed, network)
    if count_inputs(claim, claim.forms[0]) == 0 or least <= 0:
        return ()
    margins = [Fraction(0), Fraction(least * 0.98), Fraction(least * 1.02)]
    return tuple(decide_and_compare(network, replace(claim, margin=margin)).verdict for margin in margins)


def test_random_networks_are_decided_as_all_inputs_say() -> None:
    said = [verdicts for seed in (1, 2, 3, 6, 7, 9) if (verdicts := decide_around_its_margin(seed))]
    assert len(said) == 6
    assert all(below != "refuted" and above == "refuted" for below, _, above in said)
    assert all(below == "certified" for below, _, _ in said)


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(10, 1010, 50))
def test_many_random_networks_are_decided_as_all_inputs_say(first: int) -> None:
    said = [verdicts for seed in range(first, first + 50) if (verdicts := decide_around_its_margin(seed))]
    assert all(below != "refuted" and near != "refuted" and above == "refuted" for below, near, above in said)


@pytest.mark.parametrize("seed", range(2))
def test_random_truths_are_refuted(seed: int) -> None:
    network = random_layer(seed)
    claim = random_claim(seed, network, tuple(range(VOCABULARY)), ())
    if count_inputs(claim, claim.forms[0]):
        assert decide_and_compare(network, claim).verdict in ("refuted", "certified")


@pytest.mark.parametrize(("base", "columns"), [(2, 4), (3, 3)])
def test_adders_are_proved_up_to_their_margin(base: int, columns: int) -> None:
    network = adder(base, columns)
    assert decide_and_compare(network, adds(network, base, columns)).verdict == "certified"
    assert decide_and_compare(network, adds(network, base, columns, "margin = 0.999")).verdict == "certified"
    assert decide_and_compare(network, adds(network, base, columns, "margin = 1.001")).verdict == "refuted"


def test_a_blurred_adder_is_refuted_by_an_input() -> None:
    network = adder(3, 3, blur=0.3)
    decision = decide_and_compare(network, adds(network, 3, 3))
    assert decision.verdict == "refuted" and decision.rows[0].inputs == 729


def test_an_adder_of_two_heads_is_proved() -> None:
    network = adder(3, 2, heads=2)
    assert decide_and_compare(network, adds(network, 3, 2)).verdict == "certified"
