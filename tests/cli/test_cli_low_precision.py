"""`--precision FORMAT`: the constructions for low precision, wherever a network of a formula is made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from certify import certify as certify_formula
from constructions.errors import InputError

COUNTING = ("ODD(#<[Q_1])", "--alphabet", "01")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("text", ["Q_1 since prev Q_0", "ODD(#<[Q_1]) & #<[Q_1] > #>[Q_0]"])
@pytest.mark.parametrize("name", ["bfloat16", "binary16", "tf32", "binary32"])
def test_a_formula_is_certified_in_the_regime_of_position(certify: Any, text: str, name: str) -> None:
    result = certify("formula", text, "--alphabet", "01", "--precision", name, "--max-n", "5", "--json")
    assert result.code == 0
    assert result.json["verdict"] == "certified"
    assert (result.json["regime"], result.json["causal"]) == ("position", False)


def test_the_constant_is_4_and_can_be_another(certify: Any) -> None:
    errors = {gamma: certify("formula", "O Q_1", "--precision", "bfloat16", *gamma, "--max-n", "6", "--json").json
              for gamma in ((), ("--gamma", "4"), ("--gamma", "2"))}
    assert errors[()]["worst_error"] == errors["--gamma", "4"]["worst_error"]
    assert float(errors["--gamma", "2"]["worst_error"]["upper"]) > 0.1 > float(errors[()]["worst_error"]["upper"])


def test_a_causal_network_counts_without_a_temperature(certify: Any) -> None:
    assert certify("formula", *COUNTING, "--precision", "bfloat16", "--causal", "--max-n", "5").code == 0


NOT_TAKEN = "the constructions for low precision do not take it, expected it without --precision"


@pytest.mark.parametrize(("options", "complaint"), [
    (("--regime", "temperature"),
     "--regime: 'temperature' needs i/n, which a format rounds, expected position with --precision"),
    (("--as-printed",), f"--as-printed: {NOT_TAKEN}"),
    (("--temperature", "1"), f"--temperature: {NOT_TAKEN}"),
])
def test_what_does_not_go_with_it_is_refused(certify: Any, options: tuple[str, ...], complaint: str) -> None:
    result = certify("formula", *COUNTING, "--precision", "bfloat16", *options)
    assert (result.code, result.out) == (2, "")
    assert complaint in " ".join(result.err.split())


def test_an_unknown_format_is_refused(certify: Any) -> None:
    result = certify("formula", *COUNTING, "--precision", "posit8")
    assert result.code == 2
    found = " ".join(result.err.split())
    assert "--precision: found 'posit8', expected one of bfloat16, binary16, tf32, binary32" in found


def test_the_regime_of_position_may_be_named(certify: Any) -> None:
    assert certify("formula", "O Q_1", "--precision", "tf32", "--regime", "position", "--max-n", "3").code == 0


def test_build_and_run_take_the_longest_word_that_is_counted_in(certify: Any) -> None:
    sizes = []
    for longest in ("4", "8"):
        assert certify("build", *COUNTING, "--precision", "bfloat16", "--max-n", longest, "-o", "m.json").code == 0
        model = json.loads(Path("m.json").read_text())
        sizes.append(sum("slack" in name for name in model["directions"]))
        assert certify("model", "m.json", "--max-n", longest).code == 0
    assert sizes == [4, 8]
    run = certify("run", *COUNTING[:1], "0110", *COUNTING[1:], "--precision", "bfloat16", "--max-n", "4", "--json")
    assert run.code == 0


def test_a_longest_word_without_a_format_would_be_ignored(certify: Any) -> None:
    for command in (("build", *COUNTING), ("run", COUNTING[0], "01", *COUNTING[1:])):
        result = certify(*command, "--max-n", "4")
        assert result.code == 2
        assert "--max-n: only the networks for low precision depend on it, expected it with --precision" in " ".join(
            result.err.split())


def test_a_claim_says_it_with_a_key(certify: Any) -> None:
    Path("claims.toml").write_text('[[claim]]\nname = "low"\nformula = "ODD(#<[Q_1])"\nalphabet = "01"\nlengths = 4\n'
                                   'precision = "bfloat16"\nexpect = "certified"\n', encoding="utf-8")
    assert certify("audit", "claims.toml").code == 0
    Path("claims.toml").write_text('[[claim]]\nname = "low"\nformula = "O Q_1"\nlengths = 4\nprecision = "float8"\n',
                                   encoding="utf-8")
    complaint = " ".join(certify("audit", "claims.toml").err.split())
    assert "precision: found 'float8', expected one of bfloat16" in complaint


def test_a_model_says_itself_how_it_is_built(certify: Any) -> None:
    certify("build", "O Q_1", "-o", "m.json")
    result = certify("run", "m.json", "1", "--precision", "bfloat16")
    assert result.code == 2
    assert "--precision: m.json states this itself" in " ".join(result.err.split())


def test_python_takes_a_precision() -> None:
    outcome = certify_formula("ODD(#<[Q_1]) & O Q_0", "01", 4, precision="bfloat16")
    assert outcome.verdict == "certified"
    with pytest.raises(InputError, match="precision: found 'x', expected one of bfloat16"):
        certify_formula("Q_1", "01", 4, precision="x")
