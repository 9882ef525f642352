"""Machines that also know the last columns: the same inputs and answers, narrower ranges; what is stated is proved."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from constructions.trained.tracks import TracksClaim, all_inputs, count_inputs
from constructions.trained.tracks_form import tracks_claim_to_json
from proofs.check import Incomplete, Malformed, Rejected, check_text
from proofs.check.checker.chapters.trained.reading import tracks_claim as claim_there
from proofs.check.checker.chapters.trained.tracks.columns import windowed as windowed_there
from proofs.check.checker.kernel.budget import Budget
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.cells import ClassGroup
from proofs.trained.tracks.certificate import tracks_text, unit_to_json
from proofs.trained.tracks.deciding import FormSearch
from proofs.trained.tracks.ranges import FormRanges, ranged
from proofs.trained.tracks.windows import windowed
from tests.check.trained_networks import dump, parsed, refusal_of
from tests.trained.tracks.neighbours import copier, copies
from tests.trained.tracks.random_tracks import least_margin, random_claim, random_layer
from tests.trained.tracks.test_tracks_ranges import compare_with_all_inputs


def told(claim: TracksClaim, window: int) -> TracksClaim:
    found = windowed(claim, 0, window)
    assert found is not None
    return found


@cache
def certificate(letters: int, columns: int, window: int = 2) -> str:
    network, claim = copier(letters, columns), copies(letters, columns)
    unit = FormSearch(FloatNetwork(network), claim, 0, 1, 16, window).run().unit
    assert unit is not None and unit["window"] == window
    return tracks_text(network, claim, [unit])


def test_what_a_place_has_heard_of_the_one_before_is_decided_where_a_step_tells_of_both() -> None:
    network, claim = copier(2, 4), copies(2, 4)
    assert abs(least_margin(network, claim) - 1) < 1e-6
    assert FormSearch(FloatNetwork(network), claim, 0, 1, 16).run().open
    assert any("1 forms, " in line for line in check_text(certificate(2, 4).encode()).lines)
    assert check_text(certificate(2, 4, 3).encode())
    document = json.loads(certificate(2, 4))
    document["claim"]["margin"] = "101/100"
    assert refusal_of(document) is Rejected


def test_twenty_letters_are_copied_of_which_there_are_too_many_to_be_run() -> None:
    assert count_inputs(copies(2, 20), copies(2, 20).forms[0]) == 2**20
    assert check_text(certificate(2, 20).encode())


@pytest.mark.parametrize("window", [None, 1, 0, -1, 3, 4097, "2", 2.5, [2], True])
def test_another_window_than_what_is_stated_was_made_for_is_refused(window: object) -> None:
    document = json.loads(certificate(2, 4))
    unit = document["evidence"]["units"][0]
    assert unit.pop("window") == 2
    if window is not None:
        unit["window"] = window
    assert refusal_of(document) in (Rejected, Malformed)


def test_windows_of_very_many_columns_are_more_than_the_checker_does() -> None:
    """It says so before it holds them."""
    document = json.loads(tracks_text(copier(4, 12), copies(4, 12), [{"inputs": 1}]))
    with pytest.raises(Incomplete, match="MB of memory"):
        made_by_the_checker(document, 12)


def made_by_the_checker(document: dict[str, Any], window: int) -> tuple[claim_there.TracksClaim, claim_there.Layout]:
    """Return the claim, and its first form, by the machine that the checker makes."""
    given = parsed(document, Budget())
    return windowed_there(Budget(), given.claim, given.claim.forms[0], window)


@pytest.mark.parametrize("seed", range(6))
def test_a_machine_that_knows_more_writes_the_same_of_the_same_inputs(seed: int) -> None:
    network = random_layer(seed, 2)
    claim = random_claim(seed, network, (0, 1, 2, 3, 4), ())
    document = json.loads(tracks_text(network, claim, [{"inputs": 1}]))
    for window in (2, 3, 4):
        wider = told(claim, window)
        assert [*all_inputs(wider, wider.forms[0])] == [*all_inputs(claim, claim.forms[0])]
        for columns in all_inputs(claim, claim.forms[0]):
            assert wider.tokens(wider.forms[0], columns) == claim.tokens(claim.forms[0], columns)
        there, form = made_by_the_checker(document, window)
        assert there.machine.tables == wider.machine.tables and there.machine.end == wider.machine.end
        assert (there.machine.start, form.columns) == (wider.machine.start, wider.forms[0].columns)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 40))])
def test_ranges_of_windows_contain_all_inputs_are_narrower_and_proved(seed: int) -> None:
    network = random_layer(seed, 2)
    claim = random_claim(seed, network, (0, 1, 2, 3, 4), ())
    if not count_inputs(claim, claim.forms[0]):
        return
    widths = []
    for window in (1, 2):
        wider = told(claim, window)
        assert compare_with_all_inputs(network, wider) > 0
        found = FormRanges(FloatNetwork(network), wider, wider.forms[0], 16, np.float64(0))
        (_, (least, greatest)), = found.before
        widths.append(float(np.mean(greatest - least)) / 2.0 ** found.before[0][0].bits)
        rows = ranged(found)
        keys = {found.key(one.one): None for row in rows for one in row}
        unit = unit_to_json(found, (), rows, [ClassGroup(key, []) for key in keys], window)
        with pytest.raises(Rejected, match=r"a row is not shown to be above the margin|a form reaches beyond"):
            check_text(tracks_text(network, replace(claim, margin=Fraction(10**4)), [unit]).encode())
    assert widths[1] <= widths[0] + 1e-6


def test_the_claim_is_printed_with_the_machine_that_was_given() -> None:
    document = json.loads(certificate(2, 4))
    assert document["claim"] == json.loads(json.dumps(tracks_claim_to_json(copies(2, 4))))
    lines = check_text(dump(document)).lines
    assert any("table 1, state 0" in line for line in lines) and not any("state 1" in line for line in lines)
