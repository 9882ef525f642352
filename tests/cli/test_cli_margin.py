"""`certify margin` from the command line: what it prints and writes, its exit status, and bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from certify.margins import answer
from proofs.check import Rejected

PUBLISHED = Path(__file__).resolve().parents[2] / "examples" / "published"
FIRST = (str(PUBLISHED / "first.json"), "--formula", "Q_1", "--at", "first", "--before", "$")
PARITY = (str(PUBLISHED / "parity.json"), "--formula", "ODD(#<[Q_1])", "--after", "$")


def test_a_certified_claim_is_shown_with_its_margins_and_written(certify: Any) -> None:
    result = certify("margin", *PARITY, "--max-n", "4", "-o", "parity.cert")
    assert (result.code, result.err) == (0, "certificate in parity.cert\n")
    assert "4        5     0.0498998  0000  certified" in result.out
    assert "CERTIFIED  14 classes of words; " in result.out
    written = json.loads(Path("parity.cert").read_text(encoding="utf-8"))
    assert list(written) == ["format", "version", "claim", "transformer"]
    assert written["claim"] == {
        "formula": "ODD(#<[Q_1])", "predicates": [], "alphabet": ["0", "1"], "before": [], "after": ["$"], "min_n": 1,
        "max_n": 4, "at": "last", "threshold": "0", "margin": "0"}
    model = json.loads((PUBLISHED / "parity.json").read_text(encoding="utf-8"))
    assert written["transformer"] == model


def test_a_margin_is_refuted_with_the_shortest_word_and_the_rest_is_sealed(certify: Any) -> None:
    result = certify("margin", *FIRST, "--max-n", "14", "--margin", "1/10", "-o", "first.cert", "--json")
    found = result.json
    assert (result.code, found["verdict"], found["certified_to"], found["norm"]) == (1, "refuted", 10, None)
    assert [row["verdict"] for row in found["lengths"]] == ["certified"] * 10 + ["refuted"] * 4
    row = found["lengths"][10]
    assert row == {"n": 11, "verdict": "refuted", "classes": 2, "by_words": False, "required": "1/10",
                   "margin_lower": "0.0990751561474", "margin_upper": "0.0990751561475", "word": ["0"] * 11,
                   "position": 1, "truth": False}
    assert json.loads(Path("first.cert").read_text(encoding="utf-8"))["claim"]["max_n"] == 10


def test_norms_are_written_into_the_certificate(certify: Any) -> None:
    doubled = (str(PUBLISHED / "parity_doubled.json"), *PARITY[1:], "--max-n", "2")
    assert certify("margin", *doubled, "--norm", "1/100000", "-o", "norms.cert").code == 0
    written = json.loads(Path("norms.cert").read_text(encoding="utf-8"))
    assert written["norms"] == [{"attention": "1/100000", "feedforward": "1/100000"}] * 2


def test_gamma_multiplies_scores_and_a_temperature_takes_the_place_of_the_networks(certify: Any) -> None:
    assert certify("margin", *FIRST, "--max-n", "40", "--margin", "1/10", "--gamma", "4").code == 0
    assert certify("margin", *FIRST, "--max-n", "40", "--margin", "1/4", "--temperature", "1/ln(n)").code == 0


def test_lengths_of_long_words_are_those_where_something_changes(certify: Any) -> None:
    out = certify("margin", *FIRST, "--max-n", "40", "--margin", "1/30").out
    shown = [line.split()[0] for line in out.splitlines() if line.strip()[:1].isdigit()]
    assert shown == ["1", "2", "4", "8", "16", "32", "38", "39", "40"] and "0^40" in out


def test_the_output_may_mean_a_formula_already(certify: Any) -> None:
    assert certify("build", "Q_a since Q_b", "-o", "m.json").code == 0
    result = certify("margin", "m.json", "--at", "every", "--threshold", "1/2", "--margin", "49/100", "--max-n", "4")
    assert result.code == 0 and "formula   Q_a since Q_b" in result.out


@pytest.mark.parametrize(("arguments", "complaint"), [
    (FIRST[:1], "--formula: the output of the network does not mean a formula, expected the one that it tells"),
    ((FIRST[0], "--formula", "Q_2"), "--formula: symbol '2' is not one of the letters 0, 1, $"),
    ((*FIRST, "--before", "x"), "--before is given twice, expected once; certify margin --help explains the usage"),
    ((*PARITY[:3], "--after", "x"), "after: symbol 'x', expected one of the network's 0 1 $"),
    ((*PARITY[:3], "--after", "a,,b"), "--after: found 'a,,b', expected symbols such as $ or a,b"),
    ((*PARITY[:3], "--after", "01$"), "--alphabet: all symbols stand before or after words, expected some that words"),
    ((*PARITY, "--margin", "-1"), "margin -1: negative at n = 1, expected 0 or more"),
    ((*PARITY, "--margin", "i"), "--margin: expression 'i', column 1: found 'i', expected n"),
    ((*PARITY, "--threshold", "n"), "--threshold: expression 'n', column 1: found 'n', expected no variables"),
    ((*PARITY, "--norm", "-1"), "--norm: found -1, expected 0 or more, such as 1/100000"),
    ((*PARITY, "--max-n", "0"), "max-n: 0, expected a number from 1 to 1024"),
    ((*PARITY, "--max-n", "1024"), "max-n: 1024 letters and 1 symbol around them, expected at most 1024 together"),
    ((*PARITY[:3], "--after", "$", "--alphabet", "00"), "alphabet '00': '0' occurs twice, expected distinct symbols"),
])
def test_bad_input_is_one_line_with_exit_status_2(certify: Any, arguments: tuple[str, ...], complaint: str) -> None:
    result = certify("margin", *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"certify: {complaint}") and result.err.count("\n") == 1


def test_what_the_checker_does_not_accept_is_unknown(certify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def reject(certificate: bytes, work: int) -> None:
        raise Rejected("no")

    monkeypatch.setattr(answer, "check_text", reject)
    result = certify("margin", *PARITY, "--max-n", "2", "-o", "parity.cert")
    assert result.code == 3 and not Path("parity.cert").exists()
    assert ("UNKNOWN  n = 1: decided, but the independent checker does not accept the certificate: no; "
            in result.out)


def test_a_weighting_that_the_checker_does_not_take_is_unknown(certify: Any) -> None:
    model = json.loads((PUBLISHED / "first.json").read_text(encoding="utf-8"))
    model["layers"][1]["heads"][0]["weighting"] = "sparsemax"
    Path("sparse.json").write_text(json.dumps(model), encoding="utf-8")
    result = certify("margin", "sparse.json", *FIRST[1:], "--max-n", "2", "--json")
    assert (result.code, result.json["certified_to"]) == (3, None)
    row = result.json["lengths"][0]
    assert "the independent checker does not accept the certificate: transformer: layers: 2: " in row["reason"]
    assert (row["margin_lower"], row["margin_upper"]) == ("0.5", "0.5"), "sparsemax looks at the first letter alone"


def test_the_network_inside_a_certificate_of_margins_can_be_asked_about(certify: Any) -> None:
    assert certify("margin", *PARITY, "--max-n", "3", "-o", "parity.cert").code == 0
    assert certify("run", "parity.cert", "011$").code == 0
    again = certify("margin", "parity.cert", *PARITY[1:], "--max-n", "3")
    assert (again.code, "CERTIFIED" in again.out) == (0, True)
