"""`certify soften` from the command line: what it prints and writes, its exit status, and bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network.transformer import Transformer
from examples.hard import flip_flop, mixed_masks, tied, tied_rightmost, uniform


def write(model: Transformer, name: str = "model.json") -> str:
    Path(name).write_text(write_canonical(transformer_to_json(model)), encoding="utf-8")
    return name


def test_a_certified_model_is_shown_with_its_gaps_and_the_certificate_is_accepted(certify: Any) -> None:
    result = certify("soften", write(flip_flop.build()), "--max-n", "4", "-o", "soft.cert")
    assert result.code == 0 and result.err == "certificate in soft.cert\n"
    assert "softmax   at temperature 5/(7*n*(9+log2ceil(n^2))), by Theorem 26\n" in result.out
    assert "constants d = 4, p_max = 1, L = 1, K1 = 8, K2 = 9\n" in result.out
    assert "4     81   1/4  0000 at 2, head 1.1      1" in result.out
    checked = certify("check", "soft.cert", "--json")
    (report,) = checked.json["files"]
    assert (checked.code, report["verdict"], report["max_n"], report["gaps"]) == (
        0, "accepted", 4, [None, "1/2", "1/3", "1/4"])


def test_the_json_object_has_everything(certify: Any) -> None:
    result = certify("soften", write(flip_flop.build()), "--max-n", "3", "--json")
    found = result.json
    assert (result.code, result.err, found["verdict"], found["alphabet"], found["max_n"], found["temperature"]) == (
        0, "", "certified", ["0", "1", "-"], 3, "5/(7*n*(9+log2ceil(n^2)))")
    assert found["constants"] == {"d": 4, "p_max": "1", "layers": 1, "k1": "8", "k2": "9"}
    assert found["gaps"][0] is None and found["gaps"][1] == {
        "value": "1/2", "word": ["0", "0"], "position": 2, "layer": 1, "head": 1}
    assert [entry["value"] for entry in found["x_max"]] == ["1"] * 3 and found["temperatures"][2] == "5/273"
    (critical,) = found["critical"]
    assert (critical["n"], critical["checked"]) == (3, True) and critical["ratio_lower"].startswith("13.65")
    assert found["counterexample"] is None and found["seconds"] > 0 and len(found["errors"]) == 3


def test_ties_that_are_averaged_are_certified_and_shown(certify: Any) -> None:
    result = certify("soften", write(tied.build()), "--max-n", "4", "-o", "soft.cert")
    assert result.code == 0
    assert "softmax   at temperature 5/(7*(8+log2ceil(n))), by the theorem with ties\n" in result.out
    assert "ties      head 1.1 ties, first on the word 00 at 2: tied positions are averaged\n" in result.out
    assert certify("check", "soft.cert").code == 0
    found = certify("soften", "model.json", "--max-n", "2", "--json").json
    assert found["ties"] == [None, {"word": ["0", "0"], "position": 2, "layer": 1, "head": 1}]
    assert [gap and gap["value"] for gap in found["gaps"]] == [None, "1"]


def test_ties_of_one_side_can_be_broken(certify: Any) -> None:
    path = write(tied_rightmost.build())
    result = certify("soften", path, "--max-n", "3", "--break-ties", "--critical", "none", "-o", "soft.cert")
    assert result.code == 0 and certify("check", "soft.cert").code == 0
    assert "broken    the ties of 1.1, by a term in the position: the same transformer with hard " in result.out
    found = certify("soften", path, "--max-n", "4", "--break-ties", "--json").json
    assert (found["ties_broken"], found["estimates"]["gap"]) == ([{"layer": 1, "head": 1}], "1/(2*n)")
    certify("soften", path, "--max-n", "3", "--break-ties", "--softmax", "soft.json")
    assert certify("run", "soft.json", "01-").code == 0


def test_a_tie_of_one_side_is_refuted_with_exit_status_1(certify: Any) -> None:
    path = write(tied_rightmost.build())
    result = certify("soften", path, "-o", "soft.cert")
    assert result.code == 1 and not Path("soft.cert").exists()
    assert ("REFUTED  on the word 00 (n = 2) at position 2, layer 1, head 1 (last bit) scores positions 1, 2 equally, "
            "and highest: 1; softmax tends to their average, the head takes one side (--break-ties adds a term); "
            ) in result.out
    assert certify("soften", path, "--json").json["counterexample"] == {
        "word": ["0", "0"], "position": 2, "layer": 1, "head": 1, "score": "1", "tied": [1, 2]}


def test_a_temperature_that_is_too_high_is_refuted_with_exit_status_1(certify: Any) -> None:
    result = certify("soften", write(flip_flop.build()), "--max-n", "3", "--temperature", "1/n", "--critical", "none")
    assert result.code == 1
    assert "(n = 2) at position 2, temperature 0.5 moves the result by at least 0.268941421369; " in result.out


@pytest.mark.parametrize("model, options, verdict", [
    (mixed_masks.build(), ("--temperature", "1/5", "--max-n", "2"), "unknown"),
    (None, (), "unsupported"),
])
def test_no_verdict_has_exit_status_3(certify: Any, model: Transformer | None, options: tuple[str, ...],
                                      verdict: str) -> None:
    if model is None:
        certify("soften", write(flip_flop.build()), "--max-n", "1", "--softmax", "soft.json")
    path = write(model) if model else "soft.json"
    result = certify("soften", path, "--critical", "none", *options)
    assert result.code == 3 and verdict.upper() in result.out
    found = certify("soften", path, "--critical", "none", "--json", *options)
    assert (found.code, found.json["verdict"]) == (3, verdict) and found.json["reason"]


def test_the_transformer_with_softmax_is_a_model_file(certify: Any) -> None:
    assert certify("soften", write(flip_flop.build()), "--max-n", "2", "--softmax", "soft.json").code == 0
    (layer,) = json.loads(Path("soft.json").read_text(encoding="utf-8"))["layers"]
    (head,) = layer["heads"]
    assert (head["weighting"], head["temperature"]) == ("softmax", "5/(7*n*(9+log2ceil(n^2)))")
    assert certify("run", "soft.json", "01-").code == 0


def test_a_certificate_can_be_softened_again_and_a_program_as_well(certify: Any) -> None:
    assert certify("soften", write(uniform.build()), "--max-n", "3", "-o", "soft.cert").code == 0
    assert certify("soften", "soft.cert", "--max-n", "2", "--temperature", "5").code == 0
    Path("last.rasp").write_text("last(i) := rightmost j [j<=i, in(j) = 'a'] true : false\n", encoding="utf-8")
    result = certify("soften", "last.rasp", "--alphabet", "ab", "--max-n", "2", "--critical", "none", "--json")
    assert (result.code, result.json["verdict"], result.json["alphabet"]) == (0, "certified", ["a", "b"])


def test_two_processes_and_a_store_find_the_same(certify: Any) -> None:
    path = write(flip_flop.build())
    assert certify("soften", path, "--max-n", "4", "-o", "one.cert", "--critical", "none").code == 0
    for options in (("--jobs", "2"), ("--store", "kept"), ("--store", "kept")):
        assert certify("soften", path, "--max-n", "4", "-o", "other.cert", "--critical", "none", *options).code == 0
        assert Path("other.cert").read_bytes() == Path("one.cert").read_bytes()
    assert len(list(Path("kept").iterdir())) >= 4


@pytest.mark.parametrize("options, complaint", [
    (("--temperature", "1/i"), "temperature: found 1/i, expected an expression in n alone"),
    (("--temperature", "1/(n-1)"), "1/(n-1) divides by zero at i = 1, n = 1"),
    (("--temperature", "1/m"), "expected i or n"),
    (("--max-n", "40"), "max-n: 40, expected at most 16: all words over 3 symbols are run"),
    (("--max-n", "0"), "max-n: 0, expected a number from 1 to 1024"),
    (("--critical", "9"), "--critical: 9, expected lengths up to 4"),
    (("--jobs", "0"), "--jobs: 0, expected a number of processes from 1 to 1024"),
    (("--alphabet", "01"), "--alphabet: model.json states this itself, expected it with a program (.rasp or .cr)"),
    (("-o", "nowhere/c.cert"), "nowhere/c.cert: cannot be written: there is no folder"),
    (("--softmax", "nowhere/c.json"), "nowhere/c.json: cannot be written: there is no folder"),
])
def test_bad_options_are_one_line_and_exit_status_2(certify: Any, options: tuple[str, ...], complaint: str) -> None:
    result = certify("soften", write(flip_flop.build()), *(() if "--max-n" in options else ("--max-n", "4")), *options)
    assert (result.code, result.out) == (2, "") and result.err.count("\n") == 1 and complaint in result.err


@pytest.mark.parametrize("options, complaint", [
    (("--max-n", "4"), "--max-n: does not go with the shipped examples, expected a model or a program"),
    (("--temperature", "1/n"), "--temperature: does not go with the shipped examples"),
    (("-o", "-"), "expected a folder for them"),
    (("--critical", "3"), "--critical: found 3, expected none (or nothing, for the greatest lengths)"),
])
def test_without_a_subject_few_options_make_sense(certify: Any, options: tuple[str, ...], complaint: str) -> None:
    result = certify("soften", *options)
    assert (result.code, result.out) == (2, "") and result.err.count("\n") == 1 and complaint in result.err


@pytest.mark.parametrize("name, text, complaint", [
    ("model.json", "{}", "no key \"version\""), ("model.json", "[", "not JSON"),
    ("p.rasp", "a(i) := b(i)", "line 1"), ("none.json", None, "No such file"),
])
def test_bad_files_are_exit_status_2(certify: Any, name: str, text: str | None, complaint: str) -> None:
    if text is not None:
        Path(name).write_text(text, encoding="utf-8")
    result = certify("soften", name)
    assert (result.code, result.out) == (2, "") and complaint in result.err


@pytest.mark.parametrize("options", [(), ("--temperature", "1/n"), ("--temperature", "1/n^64")])
@pytest.mark.parametrize("weight, place, verdicts", [
    (f"1{'0' * 400}", "values", ("certified", "unknown")), (f"1/1{'0' * 400}", "queries", ("unsupported",)),
])
def test_extreme_weights_are_a_verdict_and_no_traceback(certify: Any, weight: str, place: str,
                                                        verdicts: tuple[str, ...], options: tuple[str, ...]) -> None:
    model = transformer_to_json(flip_flop.build())
    (head,) = model["layers"][0]["heads"]
    row = head["queries"][0] if place == "queries" else head["values"]["last bit"]
    row.update(dict.fromkeys(row, weight))
    Path("model.json").write_text(json.dumps(model), encoding="utf-8")
    result = certify("soften", "model.json", "--max-n", "3", *options, "--json")
    assert result.json["verdict"] in verdicts and result.code in (0, 3) and "Traceback" not in result.err
    if place == "values" and not options:
        shown = certify("soften", "model.json", "--max-n", "3").out
        assert "n = 3: no temperature that was tried is certified: the bounds exceed 1/4 at all of them" in shown
