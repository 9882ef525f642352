"""`--float`, the claims key `float`, and `certify explain --floats`: float runs beside a claim over the reals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from certify.formula.float_reach import Reach, find_reach
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network.transformer import Transformer

SINCE = ("Q_1 S Q_0", "--alphabet", "01")
MORE_ONES = ("#<[Q_1] > #<[Q_0]", "--alphabet", "01")
PARITY = ("ODD(#<[Q_1])", "--alphabet", "01")
CLAIM = """[[claim]]
name = "runs"
formula = "Q_1 S Q_0"
alphabet = "01"
lengths = 4
"""


# -- certify formula ---------------------------------------------------------------------------------------------------


def test_a_formula_is_certified_over_the_reals_and_in_its_float_runs(certify: Any) -> None:
    shown = certify("formula", *SINCE, "--max-n", "6", "--float", "binary32", "-o", "f.cert")
    assert shown.code == 0
    assert "runs      and so it is, exactly 1.0 or 0.0, in every float run of binary32\n" in shown.out
    assert "runs      certified for n <= 6; head 1.1 within " in shown.out and "\nCERTIFIED  " in shown.out
    (claim,) = json.loads(Path("f.cert").read_text())["floats"]
    assert (claim["name"], claim["max_n"]) == ("binary32", 6)
    assert certify("check", "f.cert").code == 0


def test_a_formula_is_refuted_by_a_wrong_run(certify: Any) -> None:
    shown = certify("formula", *PARITY, "--gamma", "19/10", "--max-n", "4", "--float", "bfloat16", "-o", "f.cert")
    assert shown.code == 1 and not Path("f.cert").exists()
    assert "\nREFUTED  " in shown.out and "wrong on " in shown.out and "; replayed" in shown.out


def test_a_formula_of_which_nothing_wrong_is_found_is_unknown(certify: Any) -> None:
    """At 4 positions the bounds do not hold in bfloat16, and every run of the search is right."""
    result = certify("formula", *MORE_ONES, "--max-n", "4", "--float", "bfloat16", "--json")
    assert (result.code, result.json["verdict"]) == (3, "unknown")
    assert result.json["reason"].startswith(
        "certified over the real numbers, but not in all float runs of bfloat16: layer 2, feed-forward: ")
    assert result.json["float"]["certified"] == {"min_n": 1, "max_n": 3}


def test_a_formula_that_is_wrong_over_the_reals_is_refuted_there(certify: Any) -> None:
    result = certify("formula", *SINCE, "--gamma", "1/10", "--max-n", "6", "--float", "binary32", "--json")
    assert (result.code, result.json["verdict"]) == (1, "refuted")
    assert "float" not in result.json


# -- certify audit -----------------------------------------------------------------------------------------------------


def test_one_claim_is_about_the_runs_too_and_its_subject_says_so(certify: Any) -> None:
    result = certify("audit", "--formula", *SINCE, "--max-n", "4", "--critical", "none", "--float", "tf32",
                     "--markdown", "r.md", "--html", "r.html", "-o", "a.cert")
    assert result.code == 0
    subject = "Q_1 S Q_0 over 01; regime temperature, temperature 1/n, constant 3; in every float run of tf32, too"
    assert f"subject   {subject}\n" in result.out
    for report in ("r.md", "r.html"):
        assert "in every float run of tf32, too" in Path(report).read_text(encoding="utf-8")
    assert json.loads(Path("a.cert").read_text())["floats"][0]["name"] == "tf32"


def test_a_length_with_a_wrong_run_is_refuted_and_what_is_only_real_is_unknown(certify: Any) -> None:
    result = certify("audit", "--formula", *PARITY, "--gamma", "19/10", "--max-n", "4", "--critical", "none", "--float",
                     "bfloat16", "--markdown", "r.md")
    assert result.code == 1
    verdicts = [line.split()[1] for line in result.out.splitlines() if line[:2].strip().isdigit()]
    assert verdicts == ["certified", "certified", "unknown", "refuted"]
    assert "in a float run, is[ODD(#<[Q_1])] is " in result.out
    assert "replay " not in result.out and "Replay:" not in Path("r.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("options", "complaint"), [
    (("--float", "posit8"), "float runs 'posit8': expected one of binary32, "),
    (("--float", "nowhere.toml"), "nowhere.toml: "),
])
def test_a_class_that_is_none_is_refused(certify: Any, options: tuple[str, ...], complaint: str) -> None:
    for command in (("formula", *SINCE), ("audit", "--formula", *SINCE)):
        result = certify(*command, "--max-n", "2", *options)
        assert (result.code, result.out) == (2, "")
        assert complaint in " ".join(result.err.split())


def test_a_claims_file_says_itself_which_runs_it_is_about(certify: Any) -> None:
    Path("claims.toml").write_text(CLAIM + 'float = "binary32"\nexpect = "certified"\n', encoding="utf-8")
    assert certify("audit", "claims.toml", "--jobs", "1").code == 0
    refused = certify("audit", "claims.toml", "--float", "binary32")
    assert refused.code == 2 and "--float: a claims file states this itself" in refused.err


def test_the_class_of_a_claim_may_be_in_a_file_beside_it(certify: Any) -> None:
    classes = certify("floats", "--presets", "--format", "flash", "--json").json["classes"]
    fields = {key: value for key, value in classes[0].items() if key not in ("name", "assumed")}
    Path("folder").mkdir()
    Path("folder/own.toml").write_text("[own]\n" + "".join(f"{key} = {json.dumps(value)}\n"
                                                         for key, value in fields.items()), encoding="utf-8")
    Path("folder/claims.toml").write_text(CLAIM + 'float = "own.toml"\n', encoding="utf-8")
    result = certify("audit", "folder/claims.toml", "--jobs", "1", "--json")
    assert result.code == 0
    assert result.json["claims"][0]["subject"].endswith("; in every float run of own, too")


def test_a_claim_about_a_class_that_is_none_is_bad_input(certify: Any) -> None:
    Path("claims.toml").write_text(CLAIM + 'float = "posit8"\n', encoding="utf-8")
    result = certify("audit", "claims.toml")
    assert (result.code, result.out) == (2, "")
    assert "float runs 'posit8': expected one of binary32, " in " ".join(result.err.split())


# -- certify explain ---------------------------------------------------------------------------------------------------


REACHED = dict[str, Reach | None]()


@pytest.fixture
def reached_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What two commands ask of the same networks is found once."""
    def reach_of(network: Transformer, progress: Callable[[str], None]) -> Reach | None:
        text = write_canonical(transformer_to_json(network))
        if text not in REACHED:
            REACHED[text] = find_reach(network, progress=progress)
        return REACHED[text]

    monkeypatch.setattr("certify.formula.explanation.find_reach", reach_of)


@pytest.mark.usefixtures("reached_once")
def test_explain_says_to_which_length_runs_are_right_and_adds_low_precision(certify: Any) -> None:
    shown = certify("explain", *SINCE, "--floats")
    assert shown.code == 0
    rows = [line for line in shown.out.splitlines() if line.startswith("  float runs, n <=")]
    assert len(rows) == 5 and all("binary32 64, tf32 " in row for row in rows)
    assert "\nregime position, for bfloat16\n" in shown.out
    assert rows[-1].endswith("binary16 64, bfloat16 64")


@pytest.mark.usefixtures("reached_once")
def test_explain_json_has_the_lengths_of_each_class(certify: Any) -> None:
    entries = certify("explain", *SINCE, "--floats", "--json").json["regimes"]
    assert [entry.get("for") for entry in entries] == [None] * 4 + ["bfloat16"]
    assert all(entry["float_runs"]["tried"] == 64 for entry in entries)
    assert all(entry["float_runs"]["bounded"]["binary32"] == 64 for entry in entries)
    assert all("float_runs" not in entry for entry in certify("explain", *SINCE, "--json").json["regimes"])


def test_explain_says_where_a_network_is_wrong_over_the_reals(certify: Any) -> None:
    entries = certify("explain", *SINCE, "--gamma", "1/10", "--floats", "--json").json["regimes"]
    assert [entry["float_runs"] for entry in entries] == [None] * 5
    assert "float runs, n <=     not certified over the real numbers\n" in certify(
        "explain", *SINCE, "--gamma", "1/10", "--floats").out
