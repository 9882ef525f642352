"""Random networks of one layer on two and three digits, against every input by a forward pass and by arithmetic that
share nothing with the product; and their certificates, changed at random: none is accepted that says what is not so."""

import base64
import json
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest

from certify.claims.trained.tracks_decision import TracksDecision, decide_tracks
from certify.claims.trained.tracks_file import tracks_claim_of_table
from constructions.tables import read_toml
from constructions.trained.tracks_form import tracks_claim_to_json
from proofs.check import Refusal, check_text
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.certificate import unit_to_json
from proofs.trained.tracks.ranges import FormRanges, ranged
from tests.check.trained_networks import dump
from tests.trained.tracks.plain_tracks import (
    Document,
    least_of_all_inputs,
    played,
    ranges_are_attained,
    ranges_contain_all_inputs,
)
from tests.trained.tracks.random_arithmetic import document, random_case

ROUNDING = 1e-9
MUTANTS = 2  # of each kind, of each certificate


def examine(seed: int) -> Counter[str]:
    """Everything about one network; what was found is counted."""
    question, network = random_case(seed)
    claim = tracks_claim_of_table(read_toml(question.text, "claim"), "claim", network)
    net, asked = document(network), tracks_claim_to_json(claim)
    assert [one.tokens for one in played(asked, 0)] == list(question.sequences())
    form = FormRanges(FloatNetwork(network), claim, claim.forms[0])
    unit = unit_to_json(form, (), ranged(form), ())
    found = Counter(networks=1, classes=ranges_contain_all_inputs(net, asked, unit))
    ranges_are_attained(net, asked, unit)
    least = least_of_all_inputs(net, asked)
    margins = [Fraction(0)]
    if least > 0:
        margins = [Fraction(least * 0.95) if seed % 2 else Fraction(0), Fraction(least * 1.01)]
    for margin in margins:
        decision = decide_tracks(network, replace(claim, margin=margin))
        agrees_with_all_inputs(decision, net, least)
        found[f"{decision.verdict}, {'right' if least > margin else 'wrong'}"] += 1
        if decision.certificate is not None:
            found += changed_certificates_say_what_is_so(json.loads(decision.certificate), seed)
    return found


def agrees_with_all_inputs(decision: TracksDecision, net: Document, least: float) -> None:
    """No input contradicts what is decided."""
    margin = float(decision.claim.margin)
    if decision.verdict == "certified":
        assert least > margin - ROUNDING and decision.certificate is not None
        made = json.loads(decision.certificate)
        assert ranges_contain_all_inputs(net, made["claim"], made["evidence"]["units"][0]) > 0
    if decision.verdict == "refuted":
        wrong = decision.rows[0].wrong
        assert least <= margin + ROUNDING and wrong is not None and decision.wrong_certificate is not None
        assert "wrong input" in "\n".join(check_text(decision.wrong_certificate.encode()).lines)


def changed_certificates_say_what_is_so(made: Document, seed: int) -> Counter[str]:
    """Return the numbers of rejected and of accepted changed certificates; the latter are true."""
    found, draw = Counter[str](), np.random.default_rng(seed)
    for change in CHANGES:
        for _ in range(MUTANTS):
            other = deepcopy(made)
            change(other, draw)
            if other == made:
                continue
            try:
                check_text(dump(other))
            except Refusal:
                found["mutants refused"] += 1
                continue
            found["mutants accepted"] += 1
            assert least_of_all_inputs(other["network"], other["claim"]) > float(Fraction(
                other["claim"]["margin"])) - ROUNDING, (seed, change.__name__)
            (unit,) = other["evidence"]["units"]
            assert ranges_contain_all_inputs(other["network"], other["claim"], unit), change.__name__
    return found


def threshold(made: Document, draw: np.random.Generator) -> None:
    unit = made["evidence"]["units"][0]
    numbers = np.frombuffer(base64.b64decode(unit["ranges"]), "<i4").copy()
    numbers[draw.integers(len(numbers))] += draw.choice([-1, 1]) * 2 ** draw.integers(4, 26)
    unit["ranges"] = base64.b64encode(numbers.tobytes()).decode()


def threshold_of_another_class(made: Document, draw: np.random.Generator) -> None:
    unit = made["evidence"]["units"][0]
    numbers = np.frombuffer(base64.b64decode(unit["ranges"]), "<i4").reshape(-1, 2).copy()
    i, k = draw.integers(len(numbers), size=2)
    numbers[[i, k]] = numbers[[k, i]]
    unit["ranges"] = base64.b64encode(numbers.tobytes()).decode()


def direction(made: Document, draw: np.random.Generator) -> None:
    unit = made["evidence"]["units"][0]
    head = draw.integers(len(unit["directions"]))
    numbers = np.frombuffer(base64.b64decode(unit["directions"][head]), "<i4").copy()
    numbers[draw.integers(len(numbers))] += draw.choice([-1, 1]) * 2 ** draw.integers(4, 29)
    unit["directions"][head] = base64.b64encode(numbers.tobytes()).decode()


def bits(made: Document, draw: np.random.Generator) -> None:
    made["evidence"]["units"][0]["bits"] += int(draw.choice([-1, 1]))


def cell(made: Document, draw: np.random.Generator) -> None:
    cells = made["evidence"]["units"][0]["cells"]
    number = int(draw.choice([k for k, one in enumerate(cells) if one is not None] or range(len(cells))))
    one = cells[number]
    if one is None:
        cells[number] = [0, int(draw.integers(-(2**28), 2**28)), None, None]
        return
    k, at, below, above = one
    cells[number] = [None, [k, at, above, below], below, [k, at + int(draw.integers(-(2**28), 2**28)), below, above]][
        draw.integers(4)]


def split(made: Document, draw: np.random.Generator) -> None:
    unit, columns = made["evidence"]["units"][0], len(made["claim"]["forms"][0]["columns"])
    if unit["splits"] and draw.random() < 0.5:
        unit["splits"].pop(draw.integers(len(unit["splits"])))
    else:
        unit["splits"].append([int(draw.integers(12)), int(draw.integers(6)), int(draw.integers(columns))])


def reading_order(made: Document, draw: np.random.Generator) -> None:
    form = made["claim"]["forms"][0]
    order = draw.permutation(len(form["columns"])).tolist()
    form["layout"] = [[*place[:2], order[place[2]]] if len(place) == 3 else place for place in form["layout"]]
    if draw.random() < 0.5:
        form["columns"] = [form["columns"][k] for k in order]


def reading_order_of_a_track(made: Document, draw: np.random.Generator) -> None:
    form = made["claim"]["forms"][0]
    kind, order = draw.choice(["track", "answer"]), draw.permutation(len(form["columns"])).tolist()
    form["layout"] = [[*place[:2], order[place[2]]] if place[0] == kind and place[1] == 0 else place
                      for place in form["layout"]]


def letter(made: Document, draw: np.random.Generator) -> None:
    track = made["claim"]["tracks"][draw.integers(len(made["claim"]["tracks"]))]
    track["tokens"] = draw.permutation(5)[:len(track["tokens"])].tolist()


def state(made: Document, draw: np.random.Generator) -> None:
    machine = made["claim"]["machine"]
    if draw.random() < 0.2:
        machine["start"] = int(draw.integers(len(machine["end"])))
        return
    table = machine["tables"][draw.integers(len(machine["tables"]))]
    row = table[draw.integers(len(table))]
    place = draw.integers(len(row))
    if row[place] is None or draw.random() < 0.2:
        row[place] = [int(draw.integers(len(machine["end"]))), *[0] * (len(next(s for s in row if s)) - 1)] if (
            row[place] is None) and any(row) else None
    else:
        row[place][0] = int(draw.integers(len(machine["end"])))


def written(made: Document, draw: np.random.Generator) -> None:
    machine = made["claim"]["machine"]
    if draw.random() < 0.3:
        end = int(draw.integers(len(machine["end"])))
        machine["end"][end] = None if machine["end"][end] is None or draw.random() < 0.5 else (
            draw.integers(5, size=len(machine["end"][end])).tolist())
        return
    table = machine["tables"][draw.integers(len(machine["tables"]))]
    steps = [step for row in table for step in row if step is not None]
    step = steps[draw.integers(len(steps))]
    step[1:] = draw.integers(5, size=len(step) - 1).tolist()


def layout(made: Document, draw: np.random.Generator) -> None:
    places = made["claim"]["forms"][0]["layout"]
    i, k = draw.integers(len(places), size=2)
    if draw.random() < 0.5:
        places[i], places[k] = places[k], places[i]
    elif draw.random() < 0.5:
        places[i] = ["token", int(draw.integers(5))]
    else:
        places.insert(i, deepcopy(places[k]))


def a_bit_of_a_weight(made: Document, draw: np.random.Generator) -> None:
    name = draw.choice(list(made["network"]["tensors"]))
    tensor = made["network"]["tensors"][name]
    data = bytearray(base64.b64decode(tensor["data"]))
    data[draw.integers(len(data))] ^= 1 << int(draw.integers(8))
    tensor["data"], tensor["sha256"] = base64.b64encode(data).decode(), sha256(data).hexdigest()


def margin_or_offset(made: Document, draw: np.random.Generator) -> None:
    claim = made["claim"]
    if draw.random() < 0.5:
        claim["margin"] = str(Fraction(claim["margin"]) + Fraction(int(draw.integers(1, 2**20)), 2**20))
    else:
        claim["offset"] += 1


CHANGES: tuple[Callable[[Document, np.random.Generator], None], ...] = (
    threshold, threshold_of_another_class, direction, bits, cell, split, reading_order, reading_order_of_a_track,
    letter, state, written, layout, a_bit_of_a_weight, margin_or_offset)


def test_a_few_random_networks_are_decided_as_plain_arithmetic_says() -> None:
    found = sum((examine(seed) for seed in (0, 2, 6, 259)), Counter[str]())
    assert found["certified, right"] > 0 and found["refuted, wrong"] > 0 and found["mutants refused"] > 20


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(0, 1000, 50))
def test_a_thousand_random_networks_are_decided_as_plain_arithmetic_says(first: int) -> None:
    found = sum((examine(seed) for seed in range(first, first + 50)), Counter[str]())
    assert found["networks"] == 50 and found["certified, right"] > 0 and found["refuted, wrong"] > 0
    print(dict(found))  # what was met, with -s
