"""Certificates about inputs in tracks: whatever is changed in one, it is refused in order, or what it says is true."""

import base64
import json
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np
import pytest

from certify.claims.trained.tracks_decision import decide_tracks
from constructions.errors import InputError
from constructions.trained.json_form import network_from_json
from constructions.trained.tracks import check_tracks_fit
from constructions.trained.tracks_form import tracks_claim_from_json
from proofs.check import Incomplete, Malformed, Rejected, check_text
from proofs.check.checker.chapters.trained.tracks.columns import FormColumns, find_remaining
from proofs.check.checker.chapters.trained.tracks.each_input import inputs_of
from proofs.check.checker.chapters.trained.tracks.queries import InputClass, TokenQuery, make_queries, split
from proofs.check.checker.kernel.budget import Budget
from tests.check.trained_networks import parsed, refusal_of
from tests.trained.tracks.adders import adder, adds
from tests.trained.tracks.random_tracks import least_margin

Document = dict[str, Any]


@cache
def certificate() -> str:
    """Return the certificate of an adder of two digits to the base 3, in both layouts of its place numbers."""
    network = adder(3, 2)
    text = decide_tracks(network, adds(network, 3, 2)).certificate
    assert text is not None
    return text


@cache
def wrong_input() -> str:
    network = adder(3, 2, blur=0.5)
    text = decide_tracks(network, adds(network, 3, 2)).wrong_certificate
    assert text is not None
    return text


def is_true(document: Document) -> bool:
    """Return whether the claim of a document is true on all inputs."""
    network = network_from_json(document["network"], "network")
    claim = tracks_claim_from_json(document["claim"], "claim")
    try:
        check_tracks_fit(network, claim)
    except InputError:
        return False
    return least_margin(network, claim) > float(claim.margin)


def numbers(document: Document) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.frombuffer(base64.b64decode(document["evidence"]["units"][0]["ranges"]), "<i4").copy()


def with_ranges(document: Document, ranges: np.ndarray[Any, np.dtype[np.int32]]) -> Document:
    made = deepcopy(document)
    made["evidence"]["units"][0]["ranges"] = base64.b64encode(ranges.astype("<i4").tobytes()).decode()
    return made


def places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [path] * bool(path) + [p for key, inner in items for p in places(inner, (*path, key))]


def changed(document: Document, path: tuple[Any, ...], value: object) -> Document:
    made = deepcopy(document)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return made


def test_a_narrower_range_is_rejected_and_a_wider_one_proves_no_less_than_it_says() -> None:
    document = json.loads(certificate())
    ranges = numbers(document)
    for place in range(0, len(ranges), 23):
        for by in (-4096, 4096):
            inward = by > 0 if place % 2 == 0 else by < 0
            made = ranges.copy()
            made[place] += by
            assert refusal_of(with_ranges(document, made)) in ((Rejected, Malformed) if inward else (None, Rejected))


def test_a_range_less_or_more_does_not_fit() -> None:
    document = json.loads(certificate())
    ranges = numbers(document)
    assert refusal_of(with_ranges(document, ranges[:-2])) is Malformed
    assert refusal_of(with_ranges(document, np.append(ranges, ranges[-2:]))) is Malformed


@pytest.mark.parametrize("first", [0, *[pytest.param(first, marks=pytest.mark.exhaustive) for first in range(1, 9)]])
def test_changed_claims_are_refused_or_true(first: int) -> None:
    """Letters of columns, states, what is written, the layout, tokens, what answers are among, the margin."""
    document = json.loads(certificate())
    for path in places(document["claim"])[first::9]:
        for value in (0, 1, 2, 7, None, [1, 2], ["track", 0, 1], "1/2", "2"):
            made = changed(document, ("claim", *path), value)
            if made == document:
                continue
            if refusal_of(made) is None:
                assert path[-1] in ("name", "typed") or "letters" in path or is_true(made), (path, value)


@pytest.mark.parametrize("swap", [(0, 1), (0, 3), (1, 4), (2, 5), (6, 7), (7, 8)])
def test_two_places_of_the_layout_exchanged_are_refused_or_true(swap: tuple[int, int]) -> None:
    made = json.loads(certificate())
    layout = made["claim"]["forms"][0]["layout"]
    layout[swap[0]], layout[swap[1]] = layout[swap[1]], layout[swap[0]]
    assert refusal_of(made) is not None or is_true(made)


def test_columns_read_in_another_order_are_refused() -> None:
    """The machine would read the most significant digit first."""
    made = json.loads(certificate())
    for place in made["claim"]["forms"][0]["layout"]:
        if place[0] in ("track", "answer"):
            place[2] = 1 - place[2]
    assert refusal_of(made) is not None and not is_true(made)


def test_bits_of_weights_that_are_turned_are_refused_or_change_nothing() -> None:
    document = json.loads(certificate())
    draw = np.random.default_rng(0)
    for name, tensor in document["network"]["tensors"].items():
        data = bytearray(base64.b64decode(tensor["data"]))
        for _ in range(2):
            made, changed_data = deepcopy(document), bytearray(data)
            changed_data[draw.integers(len(data) // 8) * 8 + draw.integers(5, 8)] ^= 1 << int(draw.integers(8))
            changed_tensor = made["network"]["tensors"][name]
            changed_tensor["data"] = base64.b64encode(bytes(changed_data)).decode()
            changed_tensor["sha256"] = sha256(bytes(changed_data)).hexdigest()
            assert refusal_of(made) is not None or is_true(made), name


@pytest.mark.parametrize("change", [
    lambda unit: unit["cells"].pop(),
    lambda unit: unit["cells"].append(None),
    lambda unit: unit["splits"].append([0, 0, 99]),
    lambda unit: unit["splits"].append([99, 0, 0]),
    lambda unit: unit["splits"].append([0, 10_000, 0]),
    lambda unit: unit["splits"].append([9, 0, 0]),
    lambda unit: unit["directions"].pop(),
    lambda unit: unit["directions"].append(unit["directions"][0]),
    lambda unit: unit.update(bits=unit["bits"] + 1),
    lambda unit: unit.update(directions=[base64.b64encode(bytes(4 * 11)).decode()]),
], ids=list(map(str, range(10))))
def test_a_unit_that_does_not_fit_is_refused(change: Callable[[Document], None]) -> None:
    made = json.loads(certificate())
    change(made["evidence"]["units"][0])
    assert refusal_of(made) in (Malformed, Rejected)


def test_cells_that_are_left_out_or_cut_elsewhere_are_refused_or_cover_as_well() -> None:
    document = json.loads(certificate())
    cells = document["evidence"]["units"][0]["cells"]
    refused = 0
    for number, tree in enumerate(cells):
        if tree is None:
            continue
        turned = [*tree[:-2], tree[-1], tree[-2]]
        assert refusal_of(changed(document, ("evidence", "units", 0, "cells", number), turned)) is not Incomplete
        refused += refusal_of(changed(document, ("evidence", "units", 0, "cells", number), None)) is Rejected
    assert refused > 0
    assert refusal_of(changed(document, ("evidence", "units", 0, "cells", 0), [7, 0, None, None])) is Malformed
    deep: Any = None
    for _ in range(65):
        deep = [0, 0, deep, None]
    assert refusal_of(changed(document, ("evidence", "units", 0, "cells", 0), deep)) is Malformed


def test_parts_of_classes_have_each_input_once() -> None:
    """Columns split by all letters, or by some, once more by others; as the checker makes them."""
    given = parsed(json.loads(certificate()), Budget(100))
    columns, draw = FormColumns(given.budget, given.claim, given.claim.forms[0]), np.random.default_rng(0)
    queries = make_queries(columns, [None] * 3)
    inputs = list(inputs_of(columns, find_remaining(columns, None, 0, {})))

    def members(query: TokenQuery, one: InputClass) -> set[int]:
        return {number for number, (letters, states) in enumerate(inputs)
                if all(letters[column] in some for column, some in one.given)
                and (states[-1] == one.member if isinstance(one.member, int) or query.by is None else
                     (states[query.by], letters[query.by]) == one.member[:2])
                and given.claim.token(query.read, states, letters, columns.form) == query.own}

    for number, query in enumerate(queries):
        splits: list[list[int]] = []
        for _ in range(6):
            made = split(queries, splits)[number]
            here, column = int(draw.integers(len(made))), int(draw.integers(2))
            some = sorted({*draw.integers(9, size=draw.integers(5)).tolist()})
            if len(dict(made[here].given).get(column, range(9))) > 1:
                splits.append([number, here, column, *some])
                parts = split(queries, splits)[number][here:here + len(split(queries, splits)[number]) - len(made) + 1]
                each = [members(query, one) for one in parts]
                assert all(each) and sorted(one for mine in each for one in mine) == sorted(members(query, made[here]))
        for wrong in ([[number, 0, 2, 0]], [[number, 99, 0, 0]], [[99, 0, 0, 0]], [[number, 0, 0], [number, 0, 0]]):
            with pytest.raises(Malformed, match="splits: "):
                split(queries, wrong)


def test_every_place_survives_every_type() -> None:
    """Nothing fails from within."""
    document = json.loads(certificate())
    for path in [path for path in places(document) if path[0] != "network"][::19]:
        values: tuple[object, ...] = (None, True, -1, 77, "x", [], {}, [[]], 2**70)
        for value in values:
            refusal_of(changed(document, path, value))


def test_a_wrong_input_is_refused_where_it_is_not_one() -> None:
    document = json.loads(wrong_input())
    assert refusal_of(document) is None
    assert refusal_of(document | {"network": json.loads(certificate())["network"]}) is Rejected
    assert refusal_of(document | {"other": 99}) is Malformed
    assert refusal_of(document | {"place": 0}) is Malformed
    assert refusal_of(document | {"place": 10**6}) is Malformed
    assert refusal_of(document | {"form": 1}) is Malformed
    assert refusal_of(document | {"input": [[0, 0]]}) is Malformed
    assert refusal_of(document | {"input": [[0, 9], [0, 0]]}) is Malformed
    assert refusal_of(document | {"input": [[0, 0], [0, 0]]}) in (Rejected, Malformed)


def test_an_input_that_the_claim_does_not_allow_is_no_wrong_input() -> None:
    document = json.loads(wrong_input())
    made = deepcopy(document)
    made["claim"]["machine"]["end"][1] = None
    states = [column[0] + column[1] for column in document["evidence"]["input"]]
    is_carried = states[1] + (states[0] >= 3) >= 3
    assert refusal_of(made) is (Rejected if is_carried else None)


def test_an_accepted_certificate_prints_the_whole_claim() -> None:
    printed = "\n".join(check_text(certificate().encode()).lines)
    for part in ("track        'a': '0', '1', '2'", "table 1, state 1: '0' '0' > 0 1", "'2' '2' > 1 2",
                 "state 0 writes 0, state 1 writes 1", "token 3, 'b' of column 1", "end 1", "by more than 0"):
        assert part in printed
