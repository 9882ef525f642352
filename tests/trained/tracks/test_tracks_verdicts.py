"""Counts by verdicts on the boxes of the search: as inputs run one by one say; no mutant with a false number passes."""

from __future__ import annotations

import json
import random
from base64 import b64decode
from copy import deepcopy
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from certify.claims.trained import counting
from certify.claims.trained.counting import TracksCount, count_tracks
from constructions.trained.json_form import network_to_json
from constructions.trained.tracks import count_inputs
from constructions.trained.tracks_form import tracks_claim_to_json
from proofs.check import Malformed, Rejected
from proofs.check.checker.chapters.trained.tracks.counting import weigh_form
from proofs.check.checker.checking import read_within
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.requirements import ANYTHING
from proofs.trained.certificate import packed
from tests.check.trained_networks import dump, refusal_of
from tests.tiers import few_and_all
from tests.trained.tracks.random_tracks import random_claim, random_layer
from tests.trained.tracks.test_tracks_counts import (
    DOUBT,
    ONE,
    Document,
    Question,
    blurred,
    counted_plainly,
    margins_plainly,
    sums_to_the_base_4,
)


def count_by_verdicts(question: Question) -> TracksCount:
    """Return a count by boxes, as that of a network that has no exact numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "EACH", 0)
        patch.setattr(counting, "find_obstacle", lambda network: "a norm")
        return count_tracks(*question, workers=ONE)


@cache
def sums() -> TracksCount:
    return count_by_verdicts(sums_to_the_base_4())


@cache
def margins_of_sums() -> list[float]:
    network, claim = sums_to_the_base_4()
    return [margin for _, margin in margins_plainly(network_to_json(network), tracks_claim_to_json(claim))]


def document() -> Document:
    found: Document = json.loads(sums().certificate)
    return found


def test_boxes_with_verdicts_say_what_inputs_say() -> None:
    for question in (sums_to_the_base_4(), blurred(1.7)):
        found = count_by_verdicts(question)
        (row,) = found.rows
        assert row.least == row.most == counted_plainly(question)
        evidence = json.loads(found.certificate)["evidence"]
        assert [one["place"] for one in evidence["verdicts"]] == [*question[1].forms[0].asked]
        assert all(part["first"] == part["last"] == evidence["verdicts"][part["unit"]]["place"]
                   for part in evidence["parts"])


@pytest.mark.parametrize("seed", few_and_all(3, 40))
def test_verdicts_of_random_networks_contain_what_all_inputs_say(seed: int) -> None:
    for number in range(seed):
        network = random_layer(number, 1)
        claim = random_claim(number, network, (0, 1), (2,))
        if count_inputs(claim, claim.forms[0]):
            (row,) = count_by_verdicts((network, claim)).rows
            assert row.least <= counted_plainly((network, claim)) <= row.most


def with_its_numbers(found: Document) -> Document:
    """Replace the claimed numbers by the closest that the weights of the parts give."""
    found["counts"]["right"] = [["0", "256"]]
    given = read_within(dump(found), ANYTHING, Budget(9)).given
    weights = weigh_form(given, given.counts, 0)
    found["counts"]["right"] = [[str(weights.right), str(weights.total - sum(weights.wrong.values(), Fraction(0)))]]
    return found


def remove_verdict(unit: Document, at: int) -> None:
    """Make a class an open one, which has no ranges."""
    numbers = np.frombuffer(b64decode(unit["ranges"]), np.int32)
    closed = [number for number, token in enumerate(unit["verdicts"]) if token is not None]
    if at in closed:
        unit["ranges"] = packed([np.delete(numbers.reshape(len(closed), -1), closed.index(at), 0)])
        unit["verdicts"][at] = None


def mutated(draw: random.Random) -> Document:
    """Return the certificate with one or two changes of verdicts, splits, ranges, places, or machines of parts."""
    found = document()
    parts, verdicts = found["evidence"]["parts"], found["evidence"]["verdicts"]
    for kind in draw.sample(range(10), draw.choice([1, 1, 2])):
        part, one = draw.choice(parts), draw.choice(verdicts)
        unit, row = one["unit"], draw.choice(draw.choice(part["machine"]["tables"]))
        split, at = draw.choice(unit["splits"] or [[0, 0, 0, 0]]), draw.randrange(len(unit["verdicts"]))
        if kind == 0:
            unit["verdicts"][at] = draw.randrange(4)
        elif kind == 1:
            remove_verdict(unit, at)
        elif kind == 2:
            split[3:] = [move for move in split[3:] if move != draw.choice(split[3:])]
        elif kind == 3:
            split.append(draw.randrange(32))
        elif kind == 4:
            split[draw.randrange(3)] = draw.randrange(3)
        elif kind == 5:
            unit["splits"].remove(split) if split in unit["splits"] else unit["splits"].append([0, 0, 0, 1])
        elif kind == 6:
            part["unit"] = draw.randrange(len(verdicts))
        elif kind == 7:
            one["place"] = draw.randrange(6, 9)
        elif kind == 8:
            row[draw.randrange(len(row))] = [draw.randrange(len(part["machine"]["end"])), draw.randrange(4)]
        else:
            numbers = np.frombuffer(b64decode(unit["ranges"]), np.int32).copy()
            numbers[draw.randrange(len(numbers))] += draw.choice([1, -1, 1 << 20, -1 << 20])
            unit["ranges"] = packed([numbers])
    if draw.random() < 0.3:
        part = draw.choice(parts)
        part["machine"] = deepcopy(draw.choice([found["claim"], *parts])["machine"])
    return found


@pytest.mark.parametrize("number", few_and_all(12, 400))
def test_no_mutant_of_verdicts_is_accepted_with_a_false_number(number: int) -> None:
    accepted, right = 0, [sum(margin > room for margin in margins_of_sums()) for room in (DOUBT, -DOUBT)]
    for seed in range(number):
        found = mutated(random.Random(seed))
        try:
            found = with_its_numbers(found)
        except (Malformed, Rejected):
            continue
        if refusal_of(found) is None:
            accepted += 1
            ((least, most),) = found["counts"]["right"]
            assert int(least) <= right[1] and right[0] <= int(most), seed
    assert accepted > number / 12


@pytest.mark.parametrize("place", range(3))
def test_a_class_without_the_verdict_of_a_part_is_refused(place: int) -> None:
    of_place = document()["evidence"]["verdicts"][place]["unit"]["verdicts"]
    for at in range(0, len(of_place), 1 + len(of_place) // 3):
        found = document()
        remove_verdict(found["evidence"]["verdicts"][place]["unit"], at)
        assert refusal_of(found) is Rejected
        found = document()
        found["evidence"]["verdicts"][place]["unit"]["verdicts"][at] = (of_place[at] + 1) % 4
        assert refusal_of(found) is Rejected
    found = document()
    found["evidence"]["verdicts"][place]["place"] = 6 + (place + 1) % 3
    assert refusal_of(found) is Malformed
