"""Failures that are neither a verdict nor bad input: one line, exit 3, no traceback."""

import json
from pathlib import Path
from typing import Any

import pytest

from certify import Network
from certify.claims.formula.pipeline import certify as certify_in_python
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_to_json
from constructions.regimes import Regime
from proofs.formula.discharge import Disagreement


def test_provers_that_contradict_each_other_give_no_verdict(certify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.formula.attention.second.proves_attention", lambda *_, **__: False)
    with pytest.raises(Disagreement):
        certify_in_python("Q_1 since Q_0", "01", 3)
    result = certify("formula", "Q_1 since Q_0", "--max-n", "3")
    assert (result.code, result.out, result.err.count("\n")) == (3, "", 1)
    assert result.err.startswith("certify: internal error, no verdict: layer 1, head 1")


def test_hard_attention_to_one_of_equal_approximate_scores_is_unsupported_by_run(certify: Any) -> None:
    net = Network("01", temperature="1")
    same = net.head("same everywhere", key="FIRST", value="Q_1", mask="none", means="O (FIRST & Q_1)")
    net.head("hard", key=same, value="Q_0", weighting="average-hardmax", means="O (FIRST & Q_0)")
    net.output("Q_1")
    net.save("model.json")
    result = certify("run", "model.json", "0101")
    assert result.code == 3
    assert result.err.startswith("certify: unsupported: hard attention: the enclosures are too wide to tell")


def test_hard_attention_beside_approximate_values_is_run(certify: Any) -> None:
    model = transformer_to_json(compile_formula(parse_formula("prev prev Q_1"), ("0", "1"), Regime()))
    model["layers"][-1]["heads"][0]["weighting"] = "average-hardmax"
    Path("model.json").write_text(json.dumps(model), encoding="utf-8")
    result = certify("run", "model.json", "0101")
    assert result.code == 0 and "the word satisfies prev prev Q_1 at its last position" in result.out
