"""`certify run` on a model whose output means no formula: all its directions, and no verdict on the word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MODELS = Path(__file__).resolve().parents[2] / "examples" / "claims" / "models"


def test_all_directions_are_shown_and_the_word_is_not_judged(certify: Any) -> None:
    result = certify("run", str(MODELS / "lemma_07_last_position.json"), "00")
    assert result.code == 0 and result.err == "" and "satisfy" not in result.out
    lines = [line.split() for line in result.out.splitlines()]
    assert ["place", "exact", "1", "2"] in lines and ["square", "exact", "1", "4"] in lines
    assert ["found", "soft", "1", "1.7311"] in lines and ["hard", "1", "2"] in lines


def test_json_has_every_direction_without_a_truth(certify: Any) -> None:
    data = certify("run", str(MODELS / "lemma_29_bias.json"), "0", "--json").json
    assert (data["formula"], data["truth"], data["satisfied"]) == (None, [], None)
    assert data["directions"] == [{"direction": "out", "soft_lower": ["0.5"], "soft_upper": ["0.5"], "hard": ["1/2"],
                                   "mpmath": ["0.5"]}]


def test_a_model_whose_output_means_a_formula_is_still_held_against_it(
        certify: Any, since_model: dict[str, Any]) -> None:
    Path("m.json").write_text(json.dumps(since_model), encoding="utf-8")
    data = certify("run", "m.json", "01", "--json").json
    assert data["formula"] == "Q_1 since Q_0" and data["truth"] == [False, False] and data["satisfied"] is False
    assert all("truth" in direction for direction in data["directions"])
