"""`certify floats`: a row for each class of runs, the certificate that claims them, and what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from certify.floats.classes import SURVEYED
from proofs.enclosures.float_runs.run_class import FIELDS, presets

MINE = """[mine]
storage = "bfloat16"
inputs = "bfloat16"
sums = "binary32"
scores = "binary32"
softmax = "binary32"
weights = "binary32"
normalised = "after"
exp_ulp = "2"
exp_base = "e"
block = 0
"""
ROW_KEYS = ["verdict", "class", "certified", "heads", "reason", "counterexample"]


@pytest.fixture
def parity(certify: Any) -> str:
    """A network that is wrong in bfloat16 on some word of 4 symbols."""
    assert certify("formula", "ODD(#<[Q_1])", "--alphabet", "01", "--gamma", "19/10", "--max-n", "4", "-o",
                   "parity.cert").code == 0
    return "parity.cert"


def plain_lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


# -- the table and the JSON object -------------------------------------------------------------------------------------


def test_each_usual_class_has_a_row(certify: Any, certificate: str) -> None:
    result = certify("floats", certificate)
    assert (result.code, result.err) == (0, "")
    title, *rows = plain_lines(result.out)
    assert title == ["float", "runs", "certified", "worst", "head", "wrong", "run", "found", "verdict"]
    assert [row[0] for row in rows] == list(SURVEYED)
    assert all(row[1:4] == ["n", "<=", "5"] and row[-2:] == ["-", "certified"] for row in rows)


def test_json_says_which_class_which_lengths_and_how_far_heads_are_off(certify: Any, certificate: str) -> None:
    result = certify("floats", certificate, "--format", "bfloat16", "--format", "tf32", "--json")
    assert (result.code, result.err) == (0, "")
    assert list(result.json) == ["verdict", "min_n", "max_n", "floats"]
    assert [row["class"]["name"] for row in result.json["floats"]] == ["bfloat16", "tf32"]
    for row in result.json["floats"]:
        assert list(row) == ROW_KEYS and list(row["class"]) == ["name", *FIELDS]
        assert (row["verdict"], row["certified"]) == ("certified", {"min_n": 1, "max_n": 5})
        assert (row["reason"], row["counterexample"]) == (None, None)
        (head,) = row["heads"]
        assert head["head"] == "1.1" and 0 < float(head["output_error"]) < 0.25


def test_a_wrong_run_is_shown_and_all_of_it_is_in_the_json_object(certify: Any, parity: str) -> None:
    shown = certify("floats", parity, "--format", "bfloat16")
    assert shown.code == 1
    assert "bfloat16: not derived for longer words: " in shown.out and "; replayed\n" in shown.out
    result = certify("floats", parity, "--format", "bfloat16", "--json")
    assert result.code == 1
    (row,) = result.json["floats"]
    found = row["counterexample"]
    assert (row["verdict"], result.json["verdict"]) == ("refuted", "refuted")
    assert f"(n = {len(found['word'])}) at position {found['position']}: {found['direction']} is " in shown.out
    assert row["certified"] is None or row["certified"]["max_n"] < len(found["word"])


def test_fewer_words_may_be_asked_about(certify: Any, certificate: str) -> None:
    result = certify("floats", certificate, "--format", "binary32", "--max-n", "3", "--json")
    assert (result.code, result.json["max_n"]) == (0, 3)
    assert result.json["floats"][0]["certified"] == {"min_n": 1, "max_n": 3}


# -- the certificate that is written -----------------------------------------------------------------------------------


def test_the_certificate_that_is_written_claims_the_runs_and_is_accepted(certify: Any, certificate: str) -> None:
    assert certify("floats", certificate, "--format", "binary32", "--format", "flash", "--exp-ulp", "2", "-o",
                   "runs.cert").code == 0
    claims = json.loads(Path("runs.cert").read_text())["floats"]
    assert [(claim["name"], claim["exp_ulp"], claim["max_n"]) for claim in claims] == [
        ("binary32 exp 2", "2", 5), ("flash exp 2", "2", 5)]
    checked = certify("check", "runs.cert")
    assert checked.code == 0
    assert "'flash exp 2': for every n in 1..5 the same holds of every float run" in checked.out


def test_claims_of_the_file_that_is_read_stay_and_those_of_the_same_class_are_replaced(certify: Any,
                                                                                      certificate: str) -> None:
    certify("floats", certificate, "--format", "binary32", "-o", "one.cert")
    certify("floats", "one.cert", "--format", "tf32", "-o", "other.cert")
    certify("floats", "other.cert", "--format", "binary32", "-o", "both.cert")
    assert [claim["name"] for claim in json.loads(Path("both.cert").read_text())["floats"]] == ["tf32", "binary32"]


def test_standard_output_takes_the_certificate_and_nothing_else(certify: Any, certificate: str) -> None:
    result = certify("floats", certificate, "--format", "binary32", "-o", "-")
    assert result.code == 0 and result.json["floats"][0]["name"] == "binary32"
    assert "certified" in result.err


# -- what is asked about -----------------------------------------------------------------------------------------------


def test_a_class_of_ones_own_is_read_from_a_file(certify: Any, certificate: str) -> None:
    Path("mine.toml").write_text(MINE, encoding="utf-8")
    result = certify("floats", certificate, "--format", "mine.toml", "--json")
    assert (result.code, result.json["floats"][0]["class"]["name"]) == (0, "mine")


def test_a_model_is_certified_first_and_standard_input_is_read(certify: Any, since_model: Any) -> None:
    text = json.dumps(since_model)
    Path("m.json").write_text(text, encoding="utf-8")
    for result in (certify("floats", "m.json", "--format", "binary32", "--max-n", "4", "--json"),
                   certify("floats", "-", "--format", "binary32", "--max-n", "4", "--json", stdin=text.encode())):
        assert (result.code, result.json["max_n"]) == (0, 4)


def test_a_certificate_is_read_from_standard_input(certify: Any, certificate: str) -> None:
    result = certify("floats", "-", "--format", "binary32", "--json", stdin=Path(certificate).read_bytes())
    assert (result.code, result.json["verdict"]) == (0, "certified")


def test_a_model_that_is_not_certified_has_no_runs_to_ask_about(certify: Any) -> None:
    assert certify("build", "Q_1 S Q_0", "--alphabet", "01", "--gamma", "1/10", "-o", "m.json").code == 0
    result = certify("floats", "m.json", "--max-n", "4")
    assert result.code == 1 and "REFUTED" in result.out


# -- presets -----------------------------------------------------------------------------------------------------------


def test_presets_are_printed_with_what_is_assumed_and_its_source(certify: Any) -> None:
    result = certify("floats", "--presets")
    assert (result.code, result.err) == (0, "")
    assert [line for line in result.out.splitlines() if line and not line.startswith(" ")] == list(presets())
    shown = " ".join(result.out.split())
    assert all(why in shown for each in presets().values() for why in each.assumed.values())


def test_presets_as_json_are_those_that_are_named(certify: Any) -> None:
    data = certify("floats", "--presets", "--format", "flash", "--json").json
    assert data == {"classes": [presets()["flash"].to_json() | {"assumed": dict(presets()["flash"].assumed)}]}


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "complaint"), [
    (("--format", "posit8"), "float runs 'posit8': expected one of binary32, binary16, "),
    (("--format", "nowhere.toml"), "nowhere.toml: "),
    (("--exp-ulp", "0"), "--exp-ulp: found 0, expected a positive rational"),
    (("--exp-ulp", "two"), "--exp-ulp: expression 'two', column 1: found 'two', expected no variables"),
    (("--exp-ulp", "1000000000"),
     "run class binary32 exp 1000000000: exp_ulp is 1000000000, expected 1/2 (correctly rounded) to 2097152"),
    (("--max-n", "6"), "--max-n: 6, expected 1 to 5, which the certificate claims"),
    (("--max-n", "0"), "--max-n: 0, expected 1 to 5, which the certificate claims"),
])
def test_bad_options_are_named_with_what_is_expected(certify: Any, certificate: str, options: tuple[str, ...],
                                                     complaint: str) -> None:
    result = certify("floats", certificate, *options)
    assert (result.code, result.out) == (2, "")
    assert complaint in " ".join(result.err.split())


@pytest.mark.parametrize(("text", "complaint"), [
    ("[mine", "f.toml: not TOML: "),
    ("", "f.toml: no class of float runs, expected a table such as [mine]"),
    ("mine = 1", "f.toml: mine: expected a table [mine]"),
    (MINE.replace("block = 0\n", ""), "run class mine: field 'block' is missing"),
    (MINE + 'rounding = "up"\n', "run class mine: field 'rounding', expected storage, "),
    (MINE.replace('"after"', '"never"'), "run class mine: normalised is 'never', expected before, after, either"),
    (MINE.replace('sums = "binary32"', 'sums = "float(1,2)"'), "run class mine: sums: "),
    (MINE.replace('sums = "binary32"', 'sums = "binary16"'),
     "run class mine: storage is bfloat16, expected a format whose numbers sums, binary16, has"),
    (MINE.replace("mine", "tf32"), "f.toml: tf32 is a class of certify's own with other numbers"),
])
def test_a_malformed_file_of_classes_is_refused(certify: Any, certificate: str, text: str, complaint: str) -> None:
    Path("f.toml").write_text(text, encoding="utf-8")
    result = certify("floats", certificate, "--format", "tf32", "--format", "f.toml")
    assert (result.code, result.out) == (2, "")
    assert complaint in " ".join(result.err.split())


def test_nothing_to_run_is_bad_usage(certify: Any) -> None:
    result = certify("floats")
    assert result.code == 2
    assert "expected a certificate or a model file (or --presets)" in result.err


def test_a_rejected_certificate_is_rejected(certify: Any) -> None:
    certify("formula", "Q_1 S Q_0", "--alphabet", "01", "--max-n", "5", "-o", "c.cert")
    path = Path("c.cert")
    path.write_text(path.read_text().replace('"one": "6"', '"one": "1/100"'), encoding="utf-8")
    result = certify("floats", "c.cert")
    assert (result.code, result.out) == (1, "")
    assert "c.cert: rejected: " in " ".join(result.err.split())


def test_a_softened_certificate_says_nothing_of_float_runs(certify: Any) -> None:
    model = Path(__file__).parents[2] / "examples" / "hard" / "flip_flop.json"
    relative = os.path.relpath(model)
    assert certify("soften", relative, "--max-n", "2", "-o", "soft.cert").code == 0
    result = certify("floats", "soft.cert")
    assert (result.code, result.out) == (2, "")
    assert "soft.cert: a certificate of a softened transformer, expected one of a formula" in " ".join(
        result.err.split())


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "certify-certificate"}'])
def test_a_file_that_is_neither_certificate_nor_model_is_bad_input(certify: Any, text: str) -> None:
    Path("x.cert").write_text(text, encoding="utf-8")
    result = certify("floats", "x.cert")
    assert (result.code, result.out) == (2, "")
    assert "x.cert" in result.err and "Traceback" not in result.err


@pytest.mark.parametrize("name", ["trained_tracks", "trained_track_runs"])
def test_a_claim_about_inputs_in_tracks_is_said_to_be_asked_about_elsewhere(certify: Any, name: str) -> None:
    path = Path(__file__).parent.parent / "corpus" / "accepted" / f"{name}.cert"
    result = certify("floats", str(path))
    assert result.code == 2 and "inputs in tracks, expected words" in result.err and "--float CLASS" in result.err
