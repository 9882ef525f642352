"""`certify check`: what it accepts, what it rejects, and what it says of both."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.check.handmade import dump, logarithmic_certificate


def test_check_accepts_a_certificate_and_prints_its_claim(certify: Any, certificate: str) -> None:
    result = certify("check", certificate)
    assert (result.code, result.err) == (0, "")
    assert "Q_1 since Q_0" in result.out and result.out.splitlines()[-1] == "accepted: c.cert"


def test_check_json_has_the_claim_that_was_verified(certify: Any, certificate: str) -> None:
    result = certify("check", certificate, "--json")
    (report,) = result.json["files"]
    assert (result.code, result.json["verdict"], report["verdict"]) == (0, "accepted", "accepted")
    assert (report["formula"], report["alphabet"], report["min_n"], report["max_n"], report["regime"],
            report["causal"]) == ("Q_1 since Q_0", ["0", "1"], 1, 5, "temperature", False)


@pytest.mark.parametrize(("options", "code"), [
    ((), 0), (("--max-n", "8"), 1), (("--min-n", "2"), 0), (("--min-n", "2", "--max-n", "8"), 0),
    (("--min-n", "1", "--max-n", "8"), 1), (("--min-n", "two"), 2),
])
def test_check_says_from_which_length_on_a_certificate_holds(
        certify: Any, options: tuple[str, ...], code: int) -> None:
    Path("late.cert").write_bytes(dump(logarithmic_certificate(8, min_n=2)))
    result = certify("check", "late.cert", *options)
    assert result.code == code and ("for every n in 2..8, every word" in result.out) == (code == 0)
    if code == 2:
        assert "--min-n" in result.err and "expected a whole number" in result.err
        return
    (report,) = certify("check", "late.cert", "--json", *options).json["files"]
    if code == 0:
        assert (report["verdict"], report["min_n"], report["max_n"]) == ("accepted", 2, 8)
    else:
        assert report == {"file": "late.cert", "verdict": "rejected",
                          "reason": "claim differs: the file has min_n 2"}


@pytest.mark.parametrize(("options", "code"), [
    (("--formula", "Q_1 since Q_0", "--alphabet", "01", "--max-n", "5", "--regime", "temperature"), 0),
    (("--formula", "Q_0 since Q_1"), 1), (("--alphabet", "012"), 1), (("--max-n", "6"), 1),
    (("--regime", "position"), 1), (("--causal",), 1), (("--min-n", "1"), 0), (("--min-n", "2", "--max-n", "5"), 1),
])
def test_check_rejects_a_certificate_of_another_claim(
        certify: Any, certificate: str, options: tuple[str, ...], code: int) -> None:
    verdict = {0: "accepted", 1: "rejected"}[code]
    assert certify("check", certificate, *options).code == code
    result = certify("check", certificate, "--json", *options)
    assert (result.code, result.json["verdict"]) == (code, verdict)


def test_check_reads_a_formula_with_the_predicates_given_beside_it(certify: Any) -> None:
    """A predicate is its condition, whatever its variable and its name are called."""
    third = "THIRD(k,n) := k % 3 == 1"
    certify("formula", "THIRD(#<[Q_1])", "--predicate", third, "--alphabet", "01", "--max-n", "3", "-o", "third.cert")
    for options, code in [(("T(#<[Q_1])", "--predicate", "T(m) := m%3 == 1"), 0),
                          (("THIRD(#<[Q_1])", "--predicate", "THIRD(k) := k % 3 == 2"), 1), (("THIRD(#<[Q_1])",), 2)]:
        assert certify("check", "third.cert", "--formula", *options).code == code


def test_check_of_several_files_reports_each_and_exits_with_the_worst(certify: Any, certificate: str) -> None:
    Path("broken.cert").write_text(Path(certificate).read_text()[:200])
    result = certify("check", certificate, "broken.cert", "missing.cert", "--json")
    assert result.code == 2 and result.json["verdict"] == "malformed"
    assert [report["verdict"] for report in result.json["files"]] == ["accepted", "malformed", "unreadable"]
    assert certify("check", certificate, "broken.cert").code == 2


def test_check_says_the_same_of_several_files_with_any_number_of_processes(certify: Any, certificate: str) -> None:
    Path("broken.cert").write_text(Path(certificate).read_text()[:200])
    files = (certificate, "broken.cert", "missing.cert", certificate)
    alone, shared = (certify("check", *files, "--jobs", jobs) for jobs in ("1", "2"))
    assert alone == shared and alone.code == 2
    assert [line.partition(".cert")[0] for line in alone.out.splitlines() if ".cert" in line] == [
        "accepted: c", "malformed: broken", "unreadable: missing", "accepted: c"]
    alone, shared = (certify("check", *files, "--jobs", jobs, "--json") for jobs in ("1", "2"))
    assert alone.code == shared.code == 2 and alone.json["files"] == shared.json["files"]


def test_check_reads_a_pipe_by_itself_however_many_processes_there_are(certify: Any, certificate: str) -> None:
    os.mkfifo("pipe")
    with ThreadPoolExecutor() as writer:
        writer.submit(lambda: Path("pipe").write_bytes(Path(certificate).read_bytes()))
        result = certify("check", "pipe", "-", "--jobs", "2", stdin=b"")
    assert result.code == 2 and "\naccepted: pipe\nmalformed: -: " in result.out


def test_check_rejects_a_certificate_whose_bound_was_made_too_small(certify: Any) -> None:
    certify("formula", "(Q_a | Q_b) since Q_a", "--alphabet", "abc", "--max-n", "5", "-o", "c.cert")
    data = json.loads(Path("c.cert").read_text())
    data["bounds"][0]["error_if_true"] = "1/100"
    Path("tampered.cert").write_text(json.dumps(data, indent=1) + "\n")
    result = certify("check", "tampered.cert", "--json")
    assert (result.code, result.json["verdict"]) == (1, "rejected")
