"""Lookups of sums: what a formula says of the sum is found once, however many values the sum may have."""

import json
from collections import Counter
from pathlib import Path

import pytest

from proofs.check import Rejected, check_text
from proofs.check.checker.chapters.sums import lookup_of_sums
from proofs.check.checker.kernel import numbers
from tests.check import handmade

DIFFERENCE = Path(__file__).parents[1] / "corpus" / "accepted" / "a_difference_that_is_square.cert"


def compared_up_to(max_n: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Count the comparisons of two forms in the check of one network on words up to this length."""
    calls, ratio = Counter[str](), numbers.ratio

    def counted(*forms: object) -> object:
        calls["ratio"] += 1
        return ratio(*forms)  # type: ignore[arg-type]  # passed on as they come

    made = json.loads(DIFFERENCE.read_text(encoding="ascii"))
    made["claim"]["max_n"] = max_n
    with monkeypatch.context() as patch:
        patch.setattr(lookup_of_sums, "ratio", counted)
        check_text((json.dumps(made, indent=1) + "\n").encode())
    return calls["ratio"]


def test_sums_are_compared_once_for_all_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compared_up_to(3, monkeypatch) == compared_up_to(2, monkeypatch) > 0


def test_what_a_query_leaves_out_of_a_sum_moves_the_place_that_is_looked_for() -> None:
    """For D = #<[Q_a] - #<[Q_b] the head reads the count of the other positions: D - 1 at a position with an a."""
    made = json.loads(DIFFERENCE.read_text(encoding="ascii"))
    made["claim"]["max_n"] = 4
    model = made["transformer"]
    model["predicates"].append("PLUS_ONE(k) := SQUARE(k+1)")
    model["directions"] |= {"plus": handmade.position("[PLUS_ONE]"), "more": handmade.near(
        "SQUARE(#<[Q_a] - #<[Q_b])", "Q_a & !Q_b & #<[Q_a] - #<[Q_b] > 1")}
    model["position_embedding"]["plus"] = "[PLUS_ONE]"
    head = handmade.edit(model["layers"][2]["heads"][0], "values", value={"more": {"plus": "1"}})
    for name in ("is[Q_a]", "is[Q_b]"):
        del head["queries"][0][name]
    model["layers"][2]["heads"].append(head)
    errors = {"error_if_false": "1/100", "error_if_true": "1/100"}
    made["bounds"].append({"layer": 3, "head": 3, "direction": "more", **errors})
    check_text(handmade.dump(made))
    model["layers"][2]["heads"][2]["values"]["more"] = {"is[SQUARE]": "1"}
    with pytest.raises(Rejected, match="a value is not the truth that is claimed, at n = 4, i = 2"):
        check_text(handmade.dump(made))
