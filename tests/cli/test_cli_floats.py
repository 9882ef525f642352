"""Test `certify floats` and `certify explain --floats`: float models, presets, and certified lengths."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from certify.claims.floats.models import DEFAULT_MODELS
from certify.claims.formula.explanation import Reach, find_reach
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network.transformer import Transformer
from proofs.enclosures.float_models.model import FIELDS, presets
from tests.cli.made import MINE

ROW_KEYS = ["verdict", "float_model", "certified", "heads", "reason", "counterexample"]


def plain_lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


# -- the table and the JSON object -------------------------------------------------------------------------------------


def test_each_usual_float_model_has_a_row(certify: Any, certificate: str) -> None:
    result = certify("floats", certificate)
    assert (result.code, result.err) == (0, "")
    title, *rows = plain_lines(result.out)
    assert title == ["float", "model", "certified", "worst", "head", "wrong", "execution", "found", "verdict"]
    assert [row[0] for row in rows] == list(DEFAULT_MODELS)
    assert all(row[1:4] == ["n", "<=", "5"] and row[-2:] == ["-", "certified"] for row in rows)


def test_json_has_the_float_model_the_lengths_and_the_errors_of_heads(certify: Any, certificate: str) -> None:
    result = certify("floats", certificate, "--format", "bfloat16", "--format", "tf32", "--json")
    assert (result.code, result.err) == (0, "")
    assert list(result.json) == ["verdict", "min_n", "max_n", "floats"]
    assert [row["float_model"]["name"] for row in result.json["floats"]] == ["bfloat16", "tf32"]
    for row in result.json["floats"]:
        assert list(row) == ROW_KEYS and list(row["float_model"]) == ["name", *FIELDS]
        assert (row["verdict"], row["certified"]) == ("certified", {"min_n": 1, "max_n": 5})
        assert (row["reason"], row["counterexample"]) == (None, None)
        (head,) = row["heads"]
        assert head["head"] == "1.1" and 0 < float(head["output_error"]) < 0.25


# -- presets -----------------------------------------------------------------------------------------------------------


def test_presets_are_printed_with_what_is_assumed_and_its_source(certify: Any) -> None:
    result = certify("floats", "--presets")
    assert (result.code, result.err) == (0, "")
    assert [line for line in result.out.splitlines() if line and not line.startswith(" ")] == list(presets())
    shown = " ".join(result.out.split())
    assert all(why in shown for each in presets().values() for why in each.assumed.values())


def test_presets_as_json_are_those_that_are_named(certify: Any) -> None:
    data = certify("floats", "--presets", "--format", "flash", "--json").json
    assert data == {"float_models": [presets()["flash"].to_json() | {"assumed": dict(presets()["flash"].assumed)}]}


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "complaint"), [
    ("[mine", "f.toml: not TOML: "),
    ("", "f.toml: no float model, expected a table such as [mine]"),
    ("mine = 1", "f.toml: mine: expected a table [mine]"),
    (MINE.replace("block = 0\n", ""), "float model mine: field 'block' is missing"),
    (MINE + 'rounding = "up"\n', "float model mine: field 'rounding', expected storage, "),
    (MINE.replace('"after"', '"never"'), "float model mine: normalised is 'never', expected before, after, either"),
    (MINE.replace('sums = "binary32"', 'sums = "float(1,2)"'), "float model mine: sums: "),
    (MINE.replace('sums = "binary32"', 'sums = "binary16"'),
     "float model mine: storage is bfloat16, expected a format whose numbers sums, binary16, has"),
    (MINE.replace("mine", "tf32"), "f.toml: tf32 is a preset with other numbers"),
])
def test_a_malformed_file_of_float_models_is_refused(certify: Any, certificate: str, text: str, complaint: str) -> None:
    Path("f.toml").write_text(text, encoding="utf-8")
    result = certify("floats", certificate, "--format", "tf32", "--format", "f.toml")
    assert (result.code, result.out) == (2, "")
    assert complaint in " ".join(result.err.split())


# -- certify explain ---------------------------------------------------------------------------------------------------


REACHED = dict[str, Reach | None]()


@pytest.fixture
def reached_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cache the results about equal networks between two commands."""
    def reach_of(network: Transformer, progress: Callable[[str], None]) -> Reach | None:
        text = write_canonical(transformer_to_json(network))
        if text not in REACHED:
            REACHED[text] = find_reach(network, progress=progress)
        return REACHED[text]

    monkeypatch.setattr("certify.claims.formula.explanation.find_reach", reach_of)


@pytest.mark.usefixtures("reached_once")
def test_explain_shows_certified_lengths_and_the_constructions_for_low_precision(certify: Any) -> None:
    shown = certify("explain", "Q_1 S Q_0", "--alphabet", "01", "--floats")
    assert shown.code == 0
    rows = [line for line in shown.out.splitlines() if line.startswith("  floats, n <=")]
    assert len(rows) == 5 and all("binary32 64, tf32 " in row for row in rows)
    assert "\nregime position, for bfloat16\n" in shown.out
    assert rows[-1].endswith("binary16 64, bfloat16 64")


@pytest.mark.usefixtures("reached_once")
def test_explain_json_has_the_lengths_of_each_float_model(certify: Any) -> None:
    entries = certify("explain", "Q_1 S Q_0", "--alphabet", "01", "--floats", "--json").json["regimes"]
    assert [entry.get("for") for entry in entries] == [None] * 4 + ["bfloat16"]
    assert all(entry["float_executions"]["tried"] == 64 for entry in entries)
    assert all(entry["float_executions"]["bounded"]["binary32"] == 64 for entry in entries)
    without = certify("explain", "Q_1 S Q_0", "--alphabet", "01", "--json").json["regimes"]
    assert all("float_executions" not in entry for entry in without)
