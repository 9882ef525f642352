"""Lookups of sums: what a formula says of the sum is found once, however many values the sum may have."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from proofs.check import check_text
from proofs.check.checker.chapters.sums import lookup_of_sums
from proofs.check.checker.kernel import numbers

DIFFERENCE = Path(__file__).parents[1] / "corpus" / "accepted" / "a_difference_that_is_square.cert"


def compared_up_to(max_n: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often two forms are compared in the check of the same network on words up to this length."""
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
