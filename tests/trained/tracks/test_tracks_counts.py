"""Numbers of right inputs: the certified bounds contain what a plain forward pass counts; no false number passes."""

import json
import random
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from hashlib import sha256
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from certify.claims.trained import counting
from certify.claims.trained.count_patterns import errors_in, machine_from_json
from certify.claims.trained.count_question import CountQuestion
from certify.claims.trained.count_weights import read_weights
from certify.claims.trained.counting import TracksCount, count_tracks
from certify.claims.trained.tracks_file import tracks_claim_of_table
from certify.claims.trained.tracks_forms import EACH, FormResult
from certify.common.shards import Workers
from constructions.errors import InputError
from constructions.tables import read_toml
from constructions.trained.json_form import network_to_json, read_network
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Layout, TracksClaim, count_inputs
from constructions.trained.tracks_form import tracks_claim_from_json, tracks_claim_to_json
from constructions.trained.weights import each_is_one
from examples.adders.by_hand import adder as decimal_adder
from proofs.check import Malformed, Rejected
from proofs.trained.counting import machines
from proofs.trained.counting.box_verdicts import BoxArrays, QueryVerdicts
from proofs.trained.counting.boxes import BoxSearch
from proofs.trained.counting.parts import Part, parts_of_boxes
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.inputs import TransducerArrays
from tests.check.trained_networks import refusal_of
from tests.tiers import few_and_all
from tests.trained.tracks.adders import adder, adds
from tests.trained.tracks.neighbours import copier, copies
from tests.trained.tracks.plain_tracks import PlainNetwork, first_answer, played
from tests.trained.tracks.random_tracks import random_claim, random_layer

ONE = Workers(1)
DOUBT = 1e-6  # nearer margins would not tell which float is right
SOME = 1 << 16  # inputs at once
DIGITS = ((Fraction(3), Fraction(1), Fraction(1, 2)),) * 2
Question = tuple[TrainedNetwork, TracksClaim]


Document = dict[str, Any]


def margins_plainly(network: Document, claim: Document) -> Iterator[tuple[Any, float]]:
    """Yield each input with its least margin, by a plain forward pass."""
    plain = PlainNetwork(network)
    for number, form in enumerate(claim["forms"]):
        inputs = list(played(claim, number))
        tokens = np.array([one.tokens for one in inputs])
        logits, _ = plain.run(tokens[:, :-1], claim["offset"])
        least = np.full(len(inputs), np.inf)
        for place, other in product(range(first_answer(form), tokens.shape[1]), claim["among"]):
            margin = logits[np.arange(len(inputs)), place - 1, tokens[:, place]] - logits[:, place - 1, other]
            least = np.where(tokens[:, place] != other, np.minimum(least, margin), least)
        yield from zip(inputs, least.tolist(), strict=True)


def counted_plainly(question: Question, letters: tuple[tuple[Fraction, ...], ...] | None = None) -> Fraction:
    """Return the weight of the right inputs, run one by one."""
    network, claim = question
    right = Fraction(0)
    for one, margin in margins_plainly(network_to_json(network), tracks_claim_to_json(claim)):
        assert abs(margin) > DOUBT
        weight = Fraction(margin > 0)
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


def test_averages_of_a_box_do_not_depend_on_the_bounds_where_their_search_begins() -> None:
    network, claim = blurred(1.7)
    search = BoxSearch(FloatNetwork(network), claim, 0)
    wrong = search.run(Fraction(0), 60).wrong
    assert wrong
    for box in wrong:
        assert box.hull is not None
        verdicts, arrays = QueryVerdicts(search.form, box.query, box.own, search.pairs), []
        for low, high in (verdicts.ends, box.hull):
            boxes = BoxArrays([one[np.newaxis] for one in box.steps], box.lasts[np.newaxis], np.array([box.answer]),
                              low[np.newaxis], high[np.newaxis])
            found = verdicts.of(boxes)
            arrays.append(np.concatenate([found.low, found.high]))
        assert np.abs(arrays[0] - arrays[1]).max() < 1e-9
        assert np.abs(arrays[0] - np.stack(box.hull)).max() < 1e-9


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


Sample = NDArray[np.intp]
LETTERS = 'letters = { 0 = 3, 2 = "1/2" }'
TWICE = np.array([6, 2, 1, *[2] * 7])
"""Twice the weight of each digit by LETTERS."""


def all_pairs(columns: int) -> Iterator[Sample]:
    """Yield the digits [N, 2, columns] of all pairs of numbers."""
    powers, size = 10 ** np.arange(columns), 10 ** columns
    for first in range(0, size * size, SOME):
        pairs = np.stack(np.divmod(np.arange(first, min(first + SOME, size * size)), size), 1)
        yield pairs[:, :, np.newaxis] // powers % 10


def all_sums(columns: int) -> Iterator[tuple[Sample, Sample]]:
    """Yield a pair [N, 2, columns] for all sums of the digits of each column, and the weights of all these pairs.

    Uniform ones, then 4 ** columns times those by LETTERS. The network's scores depend on places alone, and are equal
    at both digits of a column, so it answers all pairs with the same sums alike.
    """
    sums = np.stack(np.meshgrid(*[np.arange(19)] * columns, indexing="ij"), -1).reshape(-1, columns)
    weights = np.stack([np.convolve(one, one)[sums].prod(1) for one in (np.ones(10, np.intp), TWICE)])
    for first in range(0, len(sums), SOME):
        some = sums[first:first + SOME]
        yield np.stack([np.minimum(some, 9), some - np.minimum(some, 9)], 1), weights[:, first:first + SOME]


def margins_of_sums(network: PlainNetwork, digits: Sample) -> NDArray[np.float64]:
    """Return the least margin of each pair with these digits [N, 2, columns]."""
    columns, marks = digits.shape[2], np.full((len(digits), 1), 10)
    powers = 10 ** np.arange(columns + 1)
    answers = (digits @ powers[:columns]).sum(1)[:, np.newaxis] // powers % 10
    tokens = np.concatenate([digits[:, 0], marks, digits[:, 1], marks + 1, answers], 1)
    logits = network.run(tokens[:, :-1], 0)[0][:, 2 * columns + 1:, :10]
    others = np.where(np.arange(10) == answers[:, :, np.newaxis], -np.inf, logits).max(-1)
    margins: NDArray[np.float64] = (np.take_along_axis(logits, answers[:, :, np.newaxis], -1)[:, :, 0] - others).min(1)
    assert np.abs(margins).min() > DOUBT
    return margins


@pytest.mark.exhaustive
@pytest.mark.parametrize(("columns", "sharp"), [
    *product((3,), (0.8, 1.0, 1.5, 1.8, 2.1, 2.5)), *product((3, 4), (3.0, 3.5, 4.2, 4.5, 5.0, 6.0))])
def test_sums_of_decimal_digits_are_counted_as_all_pairs_say(columns: int, sharp: float, tmp_path: Path) -> None:
    entry = decimal_adder("adder", 10, columns, sharp, "")
    claim = tracks_claim_of_table(read_toml(entry.claim, "claim"), "claim", entry.network)
    (tmp_path / "w.toml").write_text(LETTERS, encoding="utf-8")
    plain, wrong = PlainNetwork(network_to_json(entry.network)), np.zeros(2, np.intp)
    for digits, weights in all_sums(columns):
        wrong += weights[:, margins_of_sums(plain, digits) < 0].sum(1)
    if columns == 3:
        found = [digits[margins_of_sums(plain, digits) < 0] for digits in all_pairs(columns)]
        assert wrong.tolist() == [sum(map(len, found)), sum(TWICE[one].prod((1, 2)).sum() for one in found)]
    count = count_tracks(entry.network, claim, workers=ONE, weights=read_weights(str(tmp_path / "w.toml"), claim))
    assert count.bounds == (count.total - Fraction(int(wrong[1]), 4 ** columns),) * 2
    assert sum(count_inputs(part, part.forms[0]) for part in wrong_parts(count)) == wrong[0]


def wrong_parts(count: TracksCount) -> Iterator[TracksClaim]:
    """Yield the claims of the wrong parts of a certificate."""
    for _, _, machine in errors_in(json.loads(count.certificate), count.claim):
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
        for seed in range(6 if part.is_wrong else 50):
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
def test_a_part_about_another_place_is_refused(number: int) -> None:
    parts = document()["evidence"]["parts"]
    for key, place in product(("first", "last"), range(-1, 13)):
        if parts[number][key] != place:
            found = document()
            found["evidence"]["parts"][number][key] = place
            assert refusal_of(found) is not None


def sums_to_the_base_4() -> Question:
    entry = decimal_adder("adder", 4, 2, 2.0, "")
    return entry.network, tracks_claim_of_table(read_toml(entry.claim, "claim"), "claim", entry.network)


@cache
def by_places() -> TracksCount:
    """Return the same count with parts about one place each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "EACH", 0)
        return count_tracks(*sums_to_the_base_4(), workers=ONE)


@cache
def several() -> TracksCount:
    """Return a count whose wrong parts write several tokens at one place, and one token each at another."""
    return count_tracks(*sums_to_the_base_4(), workers=ONE)


def split_by_token(parts: Sequence[Document]) -> list[Document]:
    """Return a part for each token that a wrong part writes."""
    claim, split = several().claim, list[Document]()
    form = Layout((0, 1), ())
    for part in parts:
        machine = machine_from_json(part["machine"])
        at = claim.forms[0].layout[part["last"]]
        those = machine.by_token(at).values() if part["verdict"] == "wrong" else [machine]
        claims = [replace(claim, machine=one, forms=(form,)) for one in those]
        split += [part | {"machine": tracks_claim_to_json(one)["machine"], "unit": {"inputs": count_inputs(one, form)}}
                  for one in claims]
    return split


def test_parts_about_one_place_write_other_tokens() -> None:
    found = json.loads(several().certificate)
    parts = found["evidence"]["parts"]
    assert [(part["verdict"], part["last"]) for part in parts] == [
        ("right", 8), *[("wrong", 6)] * 4, ("wrong", 7), ("wrong", 8)]
    split = split_by_token(parts)
    assert [part["last"] for part in split] == [8, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8]
    assert refusal_of(found) is None
    assert refusal_of(found | {"evidence": {"parts": split}}) is None
    assert refusal_of(found | {"evidence": {"parts": [*split, parts[5]]}}) is Malformed


def test_errors_behind_a_place_without_right_parts_count_where_no_wrong_part_is_before() -> None:
    found = json.loads(by_places().certificate)
    parts = found["evidence"]["parts"]
    assert [(part["verdict"], part["first"], part["last"]) for part in parts] == [
        *(("right", place, place) for place in (6, 7, 8)), *[("wrong", 6, 6)] * 4, ("wrong", 7, 7), ("wrong", 8, 8)]
    assert refusal_of(found) is None and by_places().bounds == several().bounds == (56, 56)
    network, claim = sums_to_the_base_4()
    later = int(counted_plainly((network, replace(claim, forms=(replace(claim.forms[0], first=7),)))))
    cases = [((0,), 56), ((1,), 56), ((2,), 56), ((0, 1, 2), 56), ((0, 3, 4, 5, 6), later), ((*range(7),), later)]
    for missing, most in cases:
        found["evidence"]["parts"] = [part for number, part in enumerate(parts) if number not in missing]
        for right, refusal in (([0, most], None), ([1, most], Rejected), ([0, most - 1], Rejected)):
            found["counts"]["right"] = [list(map(str, right))]
            assert refusal_of(found) is refusal


def test_answers_before_the_first_judged_one_are_given() -> None:
    network, claim = sums_to_the_base_4()
    (form,) = claim.forms
    last = replace(claim, forms=(replace(form, first=8),))
    written = tracks_claim_to_json(last)
    assert tracks_claim_from_json(written, "claim") == last and form.asked == range(6, 9)
    wrong = {place: sum(margin <= 0 for _, margin in margins_plainly(
        network_to_json(network), tracks_claim_to_json(replace(claim, forms=(replace(form, first=place),)))))
        for place in (6, 7, 8)}
    assert wrong[6] == 256 - 56 and wrong[6] > wrong[7] > wrong[8] > 0
    assert count_tracks(network, last, workers=ONE).bounds == (256 - wrong[8],) * 2
    written["forms"][0]["first"] = 9
    with pytest.raises(InputError, match="first: 9, expected one of 9 places"):
        tracks_claim_from_json(written, "claim")


@pytest.mark.parametrize("each", [0, EACH])
def test_a_part_that_is_not_proved_is_proved_token_by_token(each: int, monkeypatch: pytest.MonkeyPatch) -> None:
    proved, (_, claim) = counting.prove_parts, sums_to_the_base_4()

    def proved_of_one_token(network: TrainedNetwork, parts: Sequence[Part], *rest: Any) -> list[FormResult]:
        return [replace(one, unit=None) if len(part.by_token(claim.forms[0])) > 1 else one
                for part, one in zip(parts, proved(network, parts, *rest), strict=True)]

    monkeypatch.setattr(counting, "EACH", each)
    assert count_tracks(*sums_to_the_base_4(), workers=ONE).bounds == several().bounds
    monkeypatch.setattr(counting, "prove_parts", proved_of_one_token)
    (row,) = count_tracks(*sums_to_the_base_4(), workers=ONE).rows
    assert (row.least, row.most, {*row.errors}) == (*several().bounds, {*several().rows[0].errors})


def mutated(draw: random.Random) -> Document:
    """Return the certificate with one change: of a weight of the network, a machine, a part, a letter, or a number."""
    found: Document = json.loads(several().certificate)
    if draw.random() < 0.4:
        found = json.loads(by_places().certificate)
    elif draw.random() < 0.5:
        found["evidence"]["parts"] = split_by_token(found["evidence"]["parts"])
    parts, network, claim = found["evidence"]["parts"], found["network"], found["claim"]
    part = draw.choice(parts)
    machine = draw.choice([part["machine"], part["machine"], claim["machine"]])
    row = draw.choice(draw.choice(machine["tables"]))
    letters, states, kind = draw.randrange(len(row)), len(machine["end"]), draw.randrange(11)
    if kind < 3:
        tensor = draw.choice(list(network["tensors"].values()))
        numbers = np.frombuffer(b64decode(tensor["data"]), "<f8").copy()
        numbers[draw.randrange(len(numbers))] += draw.choice([1e-12, 1e-3, -0.1, 1, -1, 4, -40])
        tensor |= {"data": b64encode(numbers.tobytes()).decode(), "sha256": sha256(numbers.tobytes()).hexdigest()}
    elif kind == 3:
        row[letters] = None if row[letters] else [draw.randrange(states), draw.randrange(4)]
    elif kind == 4:
        row[letters] = [draw.randrange(states), draw.randrange(4)]
    elif kind == 5:
        machine["end"][draw.randrange(states)] = draw.choice([None, [0], [1], [2], [3]])
    elif kind == 6:
        parts.remove(part)
    elif kind == 7:
        key = draw.choice(["first", "last", "verdict"])
        part["machine"], part[key] = draw.choice(parts)["machine"], draw.choice(parts)[key]
    elif kind == 10:
        claim["forms"][0]["first"] = draw.randrange(5, 9)
    elif kind == 8:
        letter = [[[0, 0, draw.choice(["0", "1", "1/2", "3"])]] for _ in row]
        found["counts"]["weights"] = [{"start": ["1"], "columns": [0] * 2, "tables": [letter], "end": ["1"]}]
    ends = found["counts"]["right"][0]
    if kind > 5 or draw.random() < 0.5:
        found["counts"]["right"] = [[str(max(0, Fraction(one) + draw.choice(some))) for one, some in zip(
            ends, ([-40, -1, 0, 0, 1], [0, 0, -1, 1, 40, 200]), strict=True)]]
    return found


def weight_of(found: Document, columns: Sequence[int]) -> Fraction:
    """Return the weight of an input by automata of one state."""
    return prod((Fraction(table[letter][0][2]) for automaton in found["counts"]["weights"] or ()
                 for table in automaton["tables"] for letter in columns), start=Fraction(1))


@pytest.mark.parametrize("number", few_and_all(20, 2000))
def test_no_mutant_with_a_false_number_is_accepted(number: int) -> None:
    accepted = 0
    for seed in range(number):
        found = mutated(random.Random(seed))
        if refusal_of(found) is None:
            accepted += 1
            ((least, most),) = found["counts"]["right"]
            weights = [(weight_of(found, one.columns), margin)
                       for one, margin in margins_plainly(found["network"], found["claim"])]
            assert Fraction(least) <= sum(weight for weight, margin in weights if margin > -DOUBT), seed
            assert Fraction(most) >= sum(weight for weight, margin in weights if margin > DOUBT), seed
    print(f"{number} mutants, {accepted} accepted: all are true")
    assert accepted > number / 20


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
    for number, refusal in enumerate((None, Malformed, Malformed)):
        found = document()
        found["evidence"]["parts"].append(deepcopy(found["evidence"]["parts"][number]))
        assert refusal_of(found) is refusal
    ((least, _),) = found["counts"]["right"]
    del found["evidence"]["parts"][2:]
    found["evidence"]["parts"][1] = deepcopy(found["evidence"]["parts"][0])
    found["counts"]["right"] = [[str(int(least) + 1), str(27**2)]]
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


@pytest.mark.parametrize(("most", "least", "greatest"), [(3, 23, 98), (2, 8, 237)])
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
