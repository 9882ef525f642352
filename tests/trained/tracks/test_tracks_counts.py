"""Numbers of right inputs: the certified bounds contain what a plain forward pass counts; no false number passes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from certify.claims.trained import counting
from certify.claims.trained.count_patterns import machine_from_json
from certify.claims.trained.count_question import CountQuestion
from certify.claims.trained.count_weights import read_weights
from certify.claims.trained.counting import TracksCount, count_tracks
from certify.claims.trained.tracks_file import tracks_claim_of_table
from certify.common.shards import Workers
from constructions.tables import read_toml
from constructions.trained.json_form import network_to_json, read_network
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Layout, TracksClaim, count_inputs
from constructions.trained.tracks_form import tracks_claim_to_json
from constructions.trained.weights import each_is_one
from examples.adders.by_hand import adder as decimal_adder
from proofs.check import Malformed
from proofs.trained.counting import machines
from proofs.trained.counting.boxes import BoxSearch
from proofs.trained.counting.parts import parts_of_boxes
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.inputs import TransducerArrays
from tests.check.trained_networks import refusal_of
from tests.trained.tracks.adders import adder, adds
from tests.trained.tracks.neighbours import copier, copies
from tests.trained.tracks.plain_tracks import PlainNetwork, first_answer, played
from tests.trained.tracks.random_tracks import random_claim, random_layer

ONE = Workers(1)
DOUBT = 1e-6  # nearer margins would not tell which float is right
SOME = 1 << 16  # inputs at once
DIGITS = ((Fraction(3), Fraction(1), Fraction(1, 2)),) * 2
Question = tuple[TrainedNetwork, TracksClaim]


def counted_plainly(question: Question, letters: tuple[tuple[Fraction, ...], ...] | None = None) -> Fraction:
    """Return the weight of the right inputs, run one by one."""
    network, claim = question
    plain, document, right = PlainNetwork(network_to_json(network)), tracks_claim_to_json(claim), Fraction(0)
    for number, form in enumerate(document["forms"]):
        inputs = list(played(document, number))
        tokens = np.array([one.tokens for one in inputs])
        logits, _ = plain.run(tokens[:, :-1], document["offset"])
        is_right = np.ones(len(inputs), np.bool_)
        for place, other in product(range(first_answer(form), tokens.shape[1]), document["among"]):
            mine = tokens[:, place] != other
            rest = np.where(mine, logits[np.arange(len(inputs)), place - 1, tokens[:, place]]
                            - logits[:, place - 1, other], 1)
            assert np.abs(rest).min() > DOUBT
            is_right &= rest > 0
        for one in (one for one, fine in zip(inputs, is_right, strict=True) if fine):
            weight = Fraction(1)
            for column in one.columns if letters else ():
                for track, letter in enumerate(claim.all_columns[column]):
                    weight *= letters[track][letter] if letters else 1
            right += weight
    return right


@cache
def blurred(blur: float) -> Question:
    network = adder(3, 3, blur=blur)
    return network, adds(network, 3, 3)


@cache
def count(blur: float) -> TracksCount:
    return count_tracks(*blurred(blur), workers=ONE)


@pytest.mark.parametrize("blur", [0.0, 0.7, 1.7])
def test_a_blurred_adder_is_right_on_as_many_inputs_as_run_one_by_one(blur: float) -> None:
    (row,) = count(blur).rows
    assert row.total == 27**2
    assert row.least == row.most == counted_plainly(blurred(blur))
    assert sum(error.weight for error in row.errors) == row.total - row.least


def test_boxes_find_the_inputs_that_run_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "EACH", 0)
    (row,) = count_tracks(*blurred(1.7), workers=ONE).rows
    assert row.least == row.most == counted_plainly(blurred(1.7))
    (coarse,) = count_tracks(*blurred(1.7), CountQuestion(Fraction(1, 5)), workers=ONE).rows
    assert coarse.least <= row.least <= coarse.most <= coarse.least + row.total / 5


@pytest.mark.exhaustive
@pytest.mark.parametrize("blur", [k / 4 + 0.07 for k in range(12)])
def test_boxes_of_an_adder_of_any_blur_find_what_inputs_say(blur: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
                                                              ) -> None:
    monkeypatch.setattr(counting, "EACH", 0)
    (tmp_path / "w.toml").write_text('letters = { 0 = 3, 2 = "1/2" }', encoding="utf-8")
    network, claim = blurred(blur)
    for weights, letters in ((None, None), (read_weights(str(tmp_path / "w.toml"), claim), DIGITS)):
        (row,) = count_tracks(network, claim, workers=ONE, weights=weights).rows
        assert row.least == row.most == counted_plainly((network, claim), letters)


def wrong_pairs(network: TrainedNetwork, columns: int) -> Iterator[NDArray[np.intp]]:
    """Yield the digits [N, 2, columns] of all pairs of numbers whose sum is wrong, run one by one."""
    plain, size = PlainNetwork(network_to_json(network)), 10 ** columns
    powers = 10 ** np.arange(columns + 1)
    for first in range(0, size * size, SOME):
        left, right = np.divmod(np.arange(first, min(first + SOME, size * size)), size)
        digits = np.stack([left, right], 1)[:, :, np.newaxis] // powers[:columns] % 10
        answers = (left + right)[:, np.newaxis] // powers % 10
        marks = np.full((len(left), 1), 10)
        tokens = np.concatenate([digits[:, 0], marks, digits[:, 1], marks + 1, answers], 1)
        logits = plain.run(tokens[:, :-1], 0)[0][:, 2 * columns + 1:, :10]
        others = np.where(np.arange(10) == answers[:, :, np.newaxis], -np.inf, logits).max(-1)
        margins = np.take_along_axis(logits, answers[:, :, np.newaxis], -1)[:, :, 0] - others
        assert np.abs(margins).min() > DOUBT
        yield digits[(margins <= 0).any(1)]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("columns", "sharp"), [(3, one) for one in (
    0.8, 1.0, 1.5, 1.8, 2.1, 2.5, 3.0, 3.5, 4.2, 4.5, 5.0, 6.0)] + [(4, 4.2)])
def test_sums_of_decimal_digits_are_counted_as_all_pairs_say(columns: int, sharp: float, tmp_path: Path) -> None:
    entry = decimal_adder("adder", 10, columns, sharp, "")
    claim = tracks_claim_of_table(read_toml(entry.claim, "claim"), "claim", entry.network)
    (tmp_path / "w.toml").write_text('letters = { 0 = 3, 2 = "1/2" }', encoding="utf-8")
    wrong = weighed = 0
    for digits in wrong_pairs(entry.network, columns):
        wrong += len(digits)
        weighed += int(np.array([6, 2, 1, *[2] * 7])[digits].prod((1, 2)).sum())
    count = count_tracks(entry.network, claim, workers=ONE, weights=read_weights(str(tmp_path / "w.toml"), claim))
    assert count.bounds == (count.total - Fraction(weighed, 4 ** columns),) * 2
    assert sum(count_inputs(part, part.forms[0]) for part in wrong_parts(count)) == wrong


def wrong_parts(count: TracksCount) -> Iterator[TracksClaim]:
    """Yield the claims of the wrong parts of a certificate."""
    for part in json.loads(count.certificate)["evidence"]["parts"]:
        if part["place"] is not None:
            machine = machine_from_json(part["machine"])
            yield replace(count.claim, machine=machine, forms=(Layout(tuple(range(len(machine.tables))), ()),))


@pytest.mark.exhaustive
def test_the_network_writes_what_the_parts_of_ten_digits_say() -> None:
    network = read_network("examples/adders/decimal_soft.json")
    table = read_toml(Path("examples/adders/decimal_soft.toml").read_text(encoding="utf-8"), "claim")
    claim = tracks_claim_of_table(table, "claim", network)
    plain = PlainNetwork(network_to_json(network))
    search = BoxSearch(FloatNetwork(network), claim, 0)
    parts, seen = list(parts_of_boxes(search, search.run(Fraction(0), 600), 0)), 0
    among = np.array(claim.among)
    for part in parts:
        (form,) = part.claim.forms
        inputs = TransducerArrays(part.claim, form)
        for seed in range(50 if part.place is None else 2):
            tokens = inputs.tokens(inputs.drawn(1000, seed))
            logits, _ = plain.run(tokens[:, :-1], claim.offset)
            for place in form.asked:
                assert (among[logits[:, place - 1][:, among].argmax(1)] == tokens[:, place]).all()
            seen += len(tokens)
    assert seen >= 100_000


def test_letters_that_weigh_differently_are_counted_by_their_weights(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text('letters = { 0 = 3, 2 = "1/2" }', encoding="utf-8")
    network, claim = blurred(1.7)
    (row,) = count_tracks(network, claim, workers=ONE, weights=read_weights(str(tmp_path / "w.toml"), claim)).rows
    assert row.total == Fraction(9, 2) ** 6
    assert row.least == row.most == counted_plainly((network, claim), DIGITS)


def test_lengths_are_drawn_alike_where_weights_say_so() -> None:
    network = adder(3, 2, blur=1.7)
    claim = adds(network, 3, 2)
    weights = [each_is_one(claim, form).times(Fraction(1, 81)) for form in claim.forms]
    found = count_tracks(network, claim, workers=ONE, weights=weights)
    assert found.total == 1
    assert found.shares == (counted_plainly((network, claim)) / 81,) * 2


@pytest.mark.parametrize(("seed", "layers"), [(seed, layers) for seed in range(1, 5) for layers in (1, 2)])
def test_random_networks_are_counted_as_all_inputs_say(seed: int, layers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if layers == 1 and seed % 2:
        monkeypatch.setattr(counting, "EACH", 0)
    network = random_layer(seed, layers)
    claim = random_claim(seed, network, (0, 1), (2,))
    if count_inputs(claim, claim.forms[0]):
        (row,) = count_tracks(network, claim, workers=ONE).rows
        right = counted_plainly((network, claim))
        assert row.least <= right <= row.most
        assert row.is_exact or seed % 2


def document() -> dict[str, Any]:
    certificate: dict[str, Any] = json.loads(count(1.7).certificate)
    return deepcopy(certificate)


def test_a_greater_number_of_right_inputs_is_refused() -> None:
    found = document()
    ((least, most),) = found["counts"]["right"]
    assert refusal_of(found) is None
    found["counts"]["right"] = [[str(int(least) + 1), str(int(most) + 1)]]
    assert refusal_of(found) is not None
    found["counts"]["right"] = [[str(int(least) - 1), str(int(most) - 1)]]
    assert refusal_of(found) is not None
    found["counts"]["right"] = [[str(int(least) - 1), str(int(most) + 1)]]
    assert refusal_of(found) is None


@pytest.mark.parametrize("number", range(4))
def test_a_part_with_another_machine_place_or_token_is_refused(number: int) -> None:
    parts = len(document()["evidence"]["parts"])
    part = number % parts

    def changed(key: str, value: Any) -> dict[str, Any]:
        found = document()
        found["evidence"]["parts"][part][key] = value
        return found

    one = document()["evidence"]["parts"][part]
    for place in range(-1, 13):
        if place != one["place"]:
            assert refusal_of(changed("place", place)) is not None
    for token in range(6):
        if token != one["token"]:
            assert refusal_of(changed("token", token)) is not None


@pytest.mark.parametrize("number", range(4))
def test_no_machine_with_a_step_more_or_less_proves_another_number(number: int) -> None:
    first, draw = document(), random.Random(number)
    ((exact, _),) = first["counts"]["right"]
    parts = first["evidence"]["parts"]
    machine = parts[number % len(parts)]["machine"]
    of_claim = first["claim"]["machine"]["tables"][0]
    for _ in range(12):
        found = document()
        table, state, letters = draw.randrange(3), draw.randrange(len(machine["end"])), draw.randrange(9)
        step = machine["tables"][table][state][letters]
        new = None if step is not None else [draw.randrange(len(machine["end"])), *of_claim[0][letters][1:]]
        found["evidence"]["parts"][number % len(parts)]["machine"]["tables"][table][state][letters] = new
        for false in (int(exact) + 1, int(exact) - 1):
            found["counts"]["right"] = [[str(false), str(false)]]
            assert refusal_of(found) is not None


def test_weights_are_read_within_limits() -> None:
    one = {"start": ["1"], "columns": [0, 0, 0], "tables": [[[[0, 0, "1"]]] * 9], "end": ["1"]}
    for key, value in (("start", ["-1"]), ("end", []), ("columns", [0, 0]), ("columns", [0, 0, 1]),
                       ("tables", [[[[0, 0, f"1/{2**128}"]]] * 9]), ("tables", [[[[0, 0, str(2**128)]]] * 9]),
                       ("tables", [[[[0, 1, "1"]]] * 9]), ("tables", [[[[0, 0, "1"]]] * 8])):
        found = document()
        found["counts"]["weights"] = [one | {key: value}]
        assert refusal_of(found) is Malformed
    found = document()
    found["counts"]["weights"] = [one]
    assert refusal_of(found) is None


def test_a_part_is_counted_once() -> None:
    found = document()
    found["evidence"]["parts"].append(deepcopy(found["evidence"]["parts"][0]))
    assert refusal_of(found) is not None


def test_counts_without_parts_say_nothing() -> None:
    found = document()
    found["evidence"]["parts"] = []
    assert refusal_of(found) is not None
    found["counts"]["right"] = [["0", "729"]]
    assert refusal_of(found) is None


def test_an_error_at_an_answer_that_is_read_before_is_refused() -> None:
    found = document()
    layout = found["claim"]["forms"][0]["layout"]
    at = next(place for place, one in enumerate(layout) if one[0] == "answer")
    layout.insert(at, layout[at])
    assert refusal_of(found) is not None


@pytest.mark.parametrize(("most", "least", "greatest"), [(3, 51, 51), (2, 8, 222)])
def test_machines_with_too_many_states_allow_fewer_inputs(most: int, least: int, greatest: int,
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "EACH", 0)
    monkeypatch.setattr(machines, "MOST_STATES", most)
    (row,) = count_tracks(*blurred(1.7), workers=ONE).rows
    assert (row.least, row.most) == (least, greatest)


@pytest.mark.parametrize(("sharp", "effort", "least", "greatest"), [(40, 2, 81, 81), (1.5, 2, 27, 69),
                                                                    (1.5, 3, 45, 45)])
def test_windows_of_two_layers_bound_the_number_of_right_copies(sharp: float, effort: int, least: int, greatest: int,
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "EACH", 0)
    network = copier(3, 4, sharp)
    claim = replace(copies(3, 4), margin=Fraction(0))
    (row,) = count_tracks(network, claim, CountQuestion(), effort, ONE).rows
    assert least <= row.least <= counted_plainly((network, claim)) <= row.most <= greatest
