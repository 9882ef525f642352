"""Tasks about trained networks print and return the intended answers; a question is read and written once."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from certify.claims.trained import question
from certify.claims.trained.decision import DecisionPart, PartResult
from certify.claims.trained.searching import Searcher
from certify.claims.trained.tasks import result_from_text, result_to_text
from certify.claims.trained.track_runs_forms import FormInRuns
from certify.claims.trained.tracks_forms import FormDecider, FormResult
from certify.cli import app
from constructions.tables import read_toml
from constructions.trained.json_form import network_to_json
from examples.trained.zoo import plans
from proofs.enclosures.float_models.model import presets
from tests.trained.tracks.adders import adder, adds

ADDERS = Path(__file__).parents[2] / "examples" / "adders"


def results_of_forms() -> list[FormResult]:
    """Return a proof and a wrong input over the real numbers; a proof, and a wrong execution."""
    right, blurred, nearly = adder(2, 2), adder(2, 2, blur=0.8), adder(2, 2, blur=0.3)
    claim, narrow = adds(right, 2, 2), replace(adds(nearly, 2, 2), margin=Fraction(25, 256))
    return [FormDecider(right, claim, 1).result(0), FormDecider(blurred, adds(blurred, 2, 2), 1).result(0),
            FormInRuns(right, claim, presets()["binary32"], 1).result(0),
            FormInRuns(nearly, narrow, presets()["bfloat16"], 1).result(0)]


def test_results_of_forms_read_back_as_they_are() -> None:
    found = results_of_forms()
    assert [one.row.verdict for one in found] == ["certified", "refuted", "certified", "refuted"]
    assert [one.row.wrong and one.row.wrong.execution is not None for one in found] == [None, False, None, True]
    for one in found:
        assert result_from_text(FormResult, result_to_text(one)) == one


@pytest.mark.parametrize(("name", "offset"), [("tomita_7", 60), ("first", 0)])
def test_results_of_parts_read_back_as_they_are(name: str, offset: int) -> None:
    """One has a wrong word, the other a unit by classes."""
    plan = plans()[name]
    network = plan.network()
    searched = Searcher(network, plan.claim(network)).search(DecisionPart(offset, 1, 9 if name == "first" else 3))
    assert any(one.wrong for one in searched.found) or any(unit["by"] == "classes" for unit in searched.cover.units)
    assert result_from_text(PartResult, result_to_text(searched)) == searched


def test_a_claim_file_is_parsed_once_and_a_network_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = list[str]()

    def counted(text: str, path: str) -> Any:
        parsed.append(path)
        return read_toml(text, path)

    monkeypatch.setattr(question, "read_toml", counted)
    where = str(ADDERS / "ternary.toml")
    found = CliRunner().invoke(app, ["decide", str(ADDERS / "ternary.json"), "--claim", where, "--json"])
    assert (found.exit_code, parsed) == (0, [where])
    network = plans()["first"].network()
    assert network_to_json(network) is network_to_json(network)


def test_a_claim_about_tracks_may_stand_on_standard_input() -> None:
    told = (ADDERS / "ternary.toml").read_text(encoding="utf-8")
    found = CliRunner().invoke(app, ["decide", str(ADDERS / "ternary.json"), "--claim", "-", "--json"], input=told)
    assert found.exit_code == 0 and json.loads(found.stdout)["forms"][0]["inputs"] == "729"
