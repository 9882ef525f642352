"""Networks of several layers by classes, whose inputs are too many to be run: proved, and never wrongly."""

import base64
import json
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from certify.claims.trained.tracks_file import tracks_claim_of_table
from constructions.tables import read_toml
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim
from examples.adders.by_hand import carries
from proofs.check import Malformed, Rejected, check_text
from proofs.check.checker.chapters.trained.reading.tracks import Unit
from proofs.check.checker.chapters.trained.tracks.columns import FormColumns
from proofs.check.checker.chapters.trained.tracks.queries import make_queries, make_sources
from proofs.check.checker.kernel.budget import Budget
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.certificate import tracks_text
from proofs.trained.tracks.deciding import FormSearch
from tests.check.trained_networks import dump, parsed, refusal_of
from tests.trained.tracks.random_tracks import least_margin

Document = dict[str, Any]


@cache
def question() -> tuple[TrainedNetwork, TracksClaim]:
    """Two numbers of three digits to the base 2."""
    entry = carries("carries", 2, 3)
    return entry.network, tracks_claim_of_table(read_toml(entry.claim, "claim"), "claim", entry.network)


@cache
def certificate() -> str:
    network, claim = question()
    unit = FormSearch(FloatNetwork(network), claim, 0, 1, 16).run().unit
    assert unit is not None
    return tracks_text(network, claim, [unit])


def with_(document: Document, part: str, key: str, value: object) -> Document:
    made = deepcopy(document)
    unit = made["evidence"]["units"][0]
    (unit if part == "unit" else unit["before"][0])[key] = value
    return made


def test_an_adder_of_two_layers_is_proved_up_to_its_margin() -> None:
    network, claim = question()
    assert abs(least_margin(network, claim) - 1) < 1e-6
    printed = "\n".join(check_text(certificate().encode()).lines)
    assert "1 forms, 36 classes" in printed
    above = FormSearch(FloatNetwork(network), replace(claim, margin=Fraction(101, 100)), 0, 1).run()
    assert above.unit is None and above.open
    document = json.loads(certificate())
    document["claim"]["margin"] = "101/100"
    assert refusal_of(document) is Rejected


def test_a_box_of_the_first_layer_that_is_narrower_is_rejected() -> None:
    document = json.loads(certificate())
    before = document["evidence"]["units"][0]["before"][0]
    ranges = np.frombuffer(base64.b64decode(before["ranges"]), "<i4")
    for place in range(0, len(ranges), 11):
        made = ranges.copy()
        made[place] += (1 if place % 2 == 0 else -1) << 14
        assert refusal_of(with_(document, "before", "ranges", base64.b64encode(made.tobytes()).decode())) in (
            Rejected, Malformed)


def test_labels_that_put_other_classes_together_are_refused() -> None:
    """Sums of both digits are distinguished at the digits of b, and sums and carries at the answers."""
    document = json.loads(certificate())
    labels = document["evidence"]["units"][0]["labels"]
    for place in (5, 6, 10, 11):
        numbers = np.frombuffer(base64.b64decode(labels[place]), "<u2")
        for made in (np.zeros_like(numbers), np.roll(numbers, 1), numbers[:-1], numbers[::-1]):
            changed = [*labels[:place], base64.b64encode(made.tobytes()).decode(), *labels[place + 1:]]
            assert refusal_of(with_(document, "unit", "labels", changed)) in (Rejected, Malformed), place


def nodes_of(document: Document) -> list[list[tuple[Any, ...]]]:
    """Return the node of each class, by place that is a key or a query, and token there."""
    given = parsed(document, Budget(100))
    columns, unit = FormColumns(given.budget, given.claim, given.claim.forms[0]), given.evidence.units[0]
    assert isinstance(unit, Unit)
    asked = len(columns.form.layout) - columns.form.first_answer
    queries = [*make_sources(columns, unit.labels[:-asked]), *make_queries(columns, unit.labels[-asked:])]
    return [[query.node(one) for one in query.classes] for query in queries]


@pytest.mark.parametrize("place", [5, 7])
def test_what_is_stated_of_a_node_is_proved_of_each_class_of_it(place: int) -> None:
    """The digits of b are put together, or what = has heard, and have the ranges of their first class."""
    document = json.loads(certificate())
    made, before = deepcopy(document), document["evidence"]["units"][0]["before"][0]
    size = len(base64.b64decode(document["evidence"]["units"][0]["labels"][place]))
    made["evidence"]["units"][0]["labels"][place] = base64.b64encode(bytes(size)).decode()
    old, new, data = nodes_of(document), nodes_of(made), base64.b64decode(before["ranges"])
    stated = sum(len(set(row)) for row in old)
    boxes = iter(data[k:k + len(data) // stated] for k in range(0, len(data), len(data) // stated))
    known = {node: next(boxes) for row in old for node in sorted(set(row))}
    ranges = b"".join(known[row[others.index(node)]] for row, others in zip(old, new, strict=True)
                      for node in sorted(set(others)))
    assert sum(len(set(row)) for row in new) < stated
    made["evidence"]["units"][0]["before"][0]["ranges"] = base64.b64encode(ranges).decode()
    with pytest.raises(Rejected, match=f"place {place}, token [0-9]: a range of head 1 is not proved"):
        check_text(dump(made))


@pytest.mark.parametrize(("part", "key", "value"), [
    ("unit", "labels", []), ("unit", "labels", [None] * 14), ("unit", "labels", [None] * 15), ("unit", "before", []),
    ("unit", "labels", ["AA=="] * 14), ("unit", "labels", 0), ("before", "directions", [""]), ("before", "bits", 9),
    ("before", "ranges", ""), ("unit", "before", [None])])
def test_a_unit_that_does_not_fit_is_refused(part: str, key: str, value: object) -> None:
    assert refusal_of(with_(json.loads(certificate()), part, key, value)) in (Rejected, Malformed)


def test_columns_read_in_another_order_are_refused() -> None:
    made = json.loads(certificate())
    for place in made["claim"]["forms"][0]["layout"]:
        if place[0] in ("track", "answer"):
            place[2] = 2 - place[2]
    assert refusal_of(made) is not None
