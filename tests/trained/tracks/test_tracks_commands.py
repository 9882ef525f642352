"""`certify decide` and `certify run` with claims about inputs in tracks."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from certify.cli import main
from constructions.trained.json_form import network_text
from tests.trained.tracks.adders import adder, claim_text, short_claim_text, silent


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("right.json").write_text(network_text(adder(3, 2)), encoding="utf-8")
    Path("wrong.json").write_text(network_text(adder(3, 2, blur=0.6)), encoding="utf-8")
    Path("claim.toml").write_text(claim_text(3, 2), encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> int:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as done:
        patch.setattr(sys, "argv", ["certify", *arguments])
        main()
    return int(done.value.code or 0)


def test_a_right_network_is_certified_with_a_certificate_and_a_page(
        folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("decide", "right.json", "--claim", "claim.toml", "-o", "sum.cert", "--html", "sum.html") == 0
    assert "certified: right on all 81 inputs of 2 columns" in capsys.readouterr().out
    assert run("check", "sum.cert") == 0
    page = Path("sum.html").read_text(encoding="utf-8")
    assert "right on all 81 inputs of 2 columns" in page and "sum.cert" in page
    assert run("decide", "sum.cert") == 0  # a certificate has a claim of its own
    assert run("run", "sum.cert", "12 + 02") == 0


def test_a_wrong_network_is_refuted_with_an_input_that_run_replays(
        folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("decide", "wrong.json", "--claim", "claim.toml", "--wrong", "w.cert", "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "refuted" and found["counterexample"]["right"] != found["counterexample"]["other"]
    assert run("check", "w.cert") == 0
    assert "the claim that follows is FALSE:" in capsys.readouterr().out
    run("run", "wrong.json", found["counterexample"]["input"], "--claim", "claim.toml", "--json")
    replayed = json.loads(capsys.readouterr().out)
    assert replayed["verdict"] == "wrong"
    wrong = next(one for one in replayed["answers"] if one["verdict"] == "wrong")
    assert wrong["place"] == found["counterexample"]["place"] and wrong["nearest"] == found["counterexample"]["other"]


def test_options_take_the_place_of_a_claim_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("decide", "right.json", "--machine", "add", "--alphabet", "012", "--columns", "2", "--layout",
               "a,3,b,4,answer") == 0
    assert "certified: right on all 81 inputs of 2 columns" in capsys.readouterr().out
    assert run("decide", "right.json", "--machine", "add", "--columns", "2", "--layout", "a,3,b,4,answer") == 2
    assert run("decide", "right.json", "--claim", "claim.toml", "--machine", "add") == 2


@pytest.mark.parametrize("more", [[], ["--float", "binary32"]])
def test_several_processes_find_what_one_finds(folder: Path, capsys: pytest.CaptureFixture[str], more: list[str]
                                               ) -> None:
    Path("short.toml").write_text(short_claim_text(3, "[1, 2]"), encoding="utf-8")
    printed = []
    for jobs in ("1", "2"):
        run("decide", "wrong.json", "--claim", "short.toml", "--jobs", jobs, "-o", f"{jobs}.cert", "--json", *more)
        printed.append(json.loads(capsys.readouterr().out) | {"seconds": 0})
    assert printed[0] == printed[1] and [row["columns"] for row in printed[0]["forms"]] == [1, 2]
    assert printed[0]["verdict"] == "refuted" and Path("1.cert").exists() == Path("2.cert").exists()


def test_a_wrong_run_and_right_runs_have_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--claim", "claim.toml", "--float", "bfloat16/binary32"]
    assert run("decide", "wrong.json", *asked, "--wrong", "w.cert", "--html", "w.html") == 1
    page = Path("w.html").read_text(encoding="utf-8")
    assert "an execution is wrong on a=" in page and "w.cert" in page
    assert "certificate of a wrong execution accepted" in page
    assert run("check", "w.cert") == 0
    assert run("decide", "right.json", *asked[:2], "--float", "binary32", "-o", "r.cert", "--html", "r.html") == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "every execution is right on all 81 inputs" in page and "runs outside the float model binary32" in page
    assert "execution in floating point" not in page and "certified" in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "complaint"), [
    (["decide", "right.json", "--claim", "claim.toml", "--store", "kept"], "which does not take this option"),
    (["run", "right.json", "12", "--claim", "claim.toml"], "1 parts, expected one for each of the tracks a, b"),
    (["run", "right.json", "12 03", "--claim", "claim.toml"], "found '3', expected one of 0, 1, 2"),
    (["run", "right.json", "1 0", "--claim", "claim.toml"], "1 letters, expected 2"),
])
def test_a_mistake_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str],
                               complaint: str) -> None:
    assert run(*arguments) == 2
    printed = capsys.readouterr().err.strip()
    assert complaint in printed and "\n" not in printed


def test_a_network_of_two_layers_is_decided_input_by_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network = adder(3, 2)
    Path("deep.json").write_text(network_text(replace(network, steps=(*network.steps, *network.steps))),
                                 encoding="utf-8")
    assert run("decide", "deep.json", "--claim", "claim.toml", "--wrong", "deep.cert") == 1
    assert run("check", "deep.cert") == 0
    first, *others = adder(3, 2).steps
    Path("deep.json").write_text(network_text(replace(network, steps=(first, *others, *silent(first)))),
                                 encoding="utf-8")
    assert run("decide", "deep.json", "--claim", "claim.toml", "-o", "right.cert") == 0
    assert run("check", "right.cert") == 0
    assert "1 forms, 81 inputs" in capsys.readouterr().out
