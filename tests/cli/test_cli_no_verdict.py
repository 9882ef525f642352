"""What is neither a verdict nor bad input: one line, exit 3, no traceback."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from certify import Network
from certify.cli import main
from certify.formula.pipeline import certify
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_to_json
from constructions.regimes import Regime
from proofs.formula.discharge import Disagreement


def run_main(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["certify", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    assert isinstance(stop.value.code, int)
    return stop.value.code


def test_provers_that_contradict_each_other_give_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("proofs.formula.attention.second.proves_attention", lambda *_, **__: False)
    with pytest.raises(Disagreement):
        certify("Q_1 since Q_0", "01", 3)
    assert run_main(monkeypatch, "formula", "Q_1 since Q_0", "--max-n", "3") == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("certify: internal error, no verdict: layer 1, head 1")
    assert printed.err.count("\n") == 1


def test_hard_attention_to_one_of_equal_approximate_scores_is_unsupported_by_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    net = Network("01", temperature="1")
    same = net.head("same everywhere", key="FIRST", value="Q_1", mask="none", means="O (FIRST & Q_1)")
    net.head("hard", key=same, value="Q_0", weighting="average-hardmax", means="O (FIRST & Q_0)")
    net.output("Q_1")
    path = tmp_path / "model.json"
    net.save(str(path))
    assert run_main(monkeypatch, "run", str(path), "0101") == 3
    said = capsys.readouterr().err
    assert said.startswith("certify: unsupported: hard attention: the enclosures are too wide to tell")


def test_hard_attention_beside_approximate_values_is_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    model = transformer_to_json(compile_formula(parse_formula("prev prev Q_1"), ("0", "1"), Regime()))
    model["layers"][-1]["heads"][0]["weighting"] = "average-hardmax"
    path = tmp_path / "model.json"
    path.write_text(json.dumps(model), encoding="utf-8")
    assert run_main(monkeypatch, "run", str(path), "0101") == 0
    assert "the word satisfies prev prev Q_1 at its last position" in capsys.readouterr().out
