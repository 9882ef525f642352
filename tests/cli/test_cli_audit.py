"""`certify audit` from the command line: single claims, claims files, interruption, suggestions, bad input."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import shlex
import signal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.auditing.session import VERSION
from constructions.errors import WorkLost
from proofs.check import check_text
from proofs.check.checker.chapters.formula.records import Certificate
from tests.cli.reports import without_seconds
from tests.processes import ROOT, start_python, wait_until

SINCE = ("--formula", "(Q_a | Q_b) since Q_a", "--alphabet", "abc")
TWO_CLAIMS = """
title = "Two claims"
[defaults]
lengths = "1..6"
[[claim]]
name = "enough"
statement = "Theorem 15 a"
formula = "(Q_a | Q_b) since Q_a"
alphabet = "abc"
expect = "certified"
critical = [4]
constants = { 4 = "1.374063" }
[[claim]]
name = "not-enough"
formula = "(Q_a | Q_b) since Q_a"
alphabet = "abc"
gamma = "138/100"
expect = "refuted"
counterexample = { word = "aaaac", position = 5 }
"""
QUICK = TWO_CLAIMS.replace('critical = [4]\nconstants = { 4 = "1.374063" }\n', "")
"""The same without a critical constant, which takes most of the time."""


def write(text: str) -> str:
    Path("claims.toml").write_text(text, encoding="utf-8")
    return "claims.toml"


# -- one claim ---------------------------------------------------------------------------------------------------------


def test_a_claim_that_holds_is_certified_with_its_critical_constants(certify: Any) -> None:
    result = certify("audit", *SINCE, "--max-n", "8", "--json", "-o", "c.cert")
    found = result.json
    assert (result.code, found["verdict"], found["min_n"], found["max_n"]) == (0, "certified", 1, 8)
    assert [row["verdict"] for row in found["rows"]] == ["certified"] * 8
    assert [critical["n"] for critical in found["criticals"]] == [4, 8]
    lower, upper = (Fraction(found["criticals"][0]["gamma"][end]) for end in ("lower", "upper"))
    assert lower < Fraction("1.3740632") < upper < lower * Fraction(1_000_001, 1_000_000)
    assert check_text(Path("c.cert").read_bytes()).given.claim.max_n == 8


def test_a_claim_that_fails_is_refuted_by_the_shortest_word_which_run_shows(certify: Any) -> None:
    result = certify("audit", *SINCE, "--gamma", "1386/1000", "--max-n", "9", "--critical",
                     "none", "--json")
    found = result.json
    assert (result.code, found["verdict"], found["counterexample"]["word"]) == (1, "refuted", "aaaaaac")
    assert [row["verdict"] for row in found["rows"]] == ["certified"] * 6 + ["refuted"] * 3
    assert Fraction(found["counterexample"]["value_lower"]) > Fraction(1, 4)
    assert found["counterexample"]["command"].startswith("certify run '(Q_a | Q_b) since Q_a' aaaaaac ")
    shown = certify("run", "(Q_a | Q_b) since Q_a", "aaaaaac", "--alphabet", "abc", "--gamma", "693/500")
    assert shown.code == 0 and "is 0.250028" in shown.out


@pytest.mark.parametrize(("delta", "code"), [("1/20", 0), ("1/21", 1)])
def test_a_claimed_bound_on_the_error_is_decided(certify: Any, delta: str, code: int) -> None:
    """The worst error is e^-3 = 0.0497871 or a little less."""
    result = certify("audit", *SINCE, "--delta", delta, "--max-n", "6", "--critical", "none", "-o", "d.cert")
    assert result.code == code
    if code == 0:
        given = check_text(Path("d.cert").read_bytes()).given
        assert isinstance(given, Certificate)
        assert all(max(bound.error_if_false, bound.error_if_true) <= Fraction(delta) for bound in given.bounds)


def test_a_claimed_temperature_is_decided_from_the_least_length_on(certify: Any) -> None:
    warm = certify("audit", *SINCE, "--temperature", "1/ln(n)", "--min-n", "2", "--max-n", "8", "--critical", "none",
                   "--json")
    assert (warm.code, warm.json["verdict"], warm.json["min_n"]) == (1, "refuted", 2)
    cold = certify("audit", *SINCE, "--temperature", "1/(3*n*log2ceil(n+1))", "--max-n", "8", "--critical", "none")
    assert cold.code == 0


@pytest.mark.parametrize(("text", "alphabet", "gamma", "verdict"), [
    ("Q_1 S Q_0", "01", "1", "certified"), ("Q_1 since Q_0", "01", "1/100", "certified"),
    ("Q_1 S Q_0", "01", "1/8", "refuted"), ("Q_1 S Q_0", "012", "1", "refuted"),
])
def test_what_symbols_exclude_each_other_is_taken_into_account(
        certify: Any, text: str, alphabet: str, gamma: str, verdict: str) -> None:
    """Over 01 there is nothing but 0 and 1, so that no other position can decide the other way."""
    result = certify("audit", "--formula", text, "--alphabet", alphabet, "--gamma", gamma, "--max-n", "10",
                     "--critical", "none", "--json")
    assert result.json["verdict"] == verdict


def test_the_embeddings_that_are_claimed_to_suffice_are_compared_with_those_used(certify: Any) -> None:
    short = ("--max-n", "3", "--critical", "none")
    assert certify("audit", *SINCE, "--embeddings", "i/n", *short).code == 0
    result = certify("audit", "--formula", "prev Q_1", "--alphabet", "01", "--embeddings", "i/n", *short)
    assert result.code == 1 and "the network embeds (-1)^i besides i/n" in result.out


def test_gaps_of_a_model_are_decided_over_all_words(certify: Any) -> None:
    model = str(ROOT / "examples" / "models" / "flip_flop.json")
    assert certify("audit", "--model", model, "--gap", "1/n", "--max-n", "9").code == 0
    result = certify("audit", "--model", model, "--gap", "2/n", "--min-n", "2", "--max-n", "9", "--json")
    assert (result.code, result.json["counterexample"]["value_lower"]) == (1, "1/2")


def test_the_constant_and_the_temperature_of_a_model_are_changed(certify: Any) -> None:
    model = str(ROOT / "examples" / "models" / "flip_flop.json")
    short = ("--max-n", "6", "--critical", "none", "--json")
    assert certify("audit", "--model", model, *short).json["verdict"] == "certified"
    assert certify("audit", "--model", model, "--gamma", "1/2", *short).json["verdict"] == "refuted"
    result = certify("audit", "--model", model, "--temperature", "1/n", *short)
    assert result.json["verdict"] == "refuted"
    command = result.json["counterexample"]["command"].split()
    assert certify(*command[1:]).code == 0


def test_the_warmest_constants_are_suggested_with_their_certificate(certify: Any) -> None:
    result = certify("audit", "--formula", "ODD(#<[Q_1])", "--alphabet", "01", "--suggest", "--max-n", "6", "--json",
                     "-o", "s.cert")
    (head,) = result.json["suggested"]
    assert (result.code, result.json["verdict"], head["suggested"]) == (0, "certified", "9/5")
    assert Fraction(head["critical"]["lower"]) < Fraction("1.791759") < Fraction(head["critical"]["upper"])
    assert check_text(Path("s.cert").read_bytes()).given.claim.max_n == 6
    shown = certify("audit", "--formula", "prev Q_1 & O Q_1", "--suggest", "--max-n", "5")
    assert shown.code == 0 and "certified  with the suggested constants, for every n <= 5" in shown.out


# -- claims files ------------------------------------------------------------------------------------------------------


def test_a_claims_file_as_expected_exits_with_0_and_leaves_nothing_behind(certify: Any) -> None:
    result = certify("audit", write(TWO_CLAIMS), "--html", "r.html", "--markdown", "r.md", "--csv", "r.csv")
    assert result.code == 0, result
    assert "certified on n <= 6" in result.out and "1 certified, 1 refuted (2 claims, all as expected" in result.out
    assert sorted(path.name for path in Path().iterdir()) == ["claims.toml", "r.csv", "r.html", "r.md"]
    rows = list(csv.DictReader(io.StringIO(Path("r.csv").read_text(encoding="utf-8"))))
    assert [row["verdict"] for row in rows if row["claim"] == "not-enough"] == ["certified"] * 4 + ["refuted"] * 2


@pytest.mark.parametrize(("before", "after", "said"), [
    ('expect = "refuted"', 'expect = "certified"', "expected certified"),
    ('word = "aaaac"', 'word = "aaac"', "expected the counterexample aaac, position 5"),
    ('"1.374063"', '"1.373"', "expected the critical constant 1.373 at n = 4"),
])
def test_an_expectation_contrary_to_fact_exits_with_1_and_is_shown(
        certify: Any, before: str, after: str, said: str) -> None:
    result = certify("audit", write(TWO_CLAIMS.replace(before, after)))
    assert result.code == 1 and said in result.out and "1 unexpected" in result.out


def test_a_claim_that_states_a_wrong_constant_is_refuted_and_one_of_a_reading_says_which(certify: Any) -> None:
    text = TWO_CLAIMS.replace('critical = [4]\n', "").replace('"1.374063"', '"1.373"').replace(
        'expect = "certified"\n', "").replace('expect = "refuted"', 'reading = "1.38 is γ"\nrests_on = "a guess"')
    result = certify("audit", write(text), "--json", "--markdown", "r.md", "--html", "r.html", "--latex", "r.tex")
    first, second = result.json["claims"]
    assert (result.code, first["verdict"], second["verdict"]) == (1, "refuted", "refuted on a reading")
    assert first["reason"].startswith("the critical constant at n = 4 lies in 1.37406")
    assert second["reading"] == "1.38 is γ" and second["witness"]["word"] == "aaaac"
    for report in ("r.md", "r.html", "r.tex"):
        assert "refuted on a reading" in Path(report).read_text(encoding="utf-8")
    assert "a guess" in Path("r.md").read_text(encoding="utf-8")


def test_a_report_for_machines_has_every_claim_and_statement(certify: Any) -> None:
    result = certify("audit", write(TWO_CLAIMS), "--json")
    assert [claim["verdict"] for claim in result.json["claims"]] == ["certified", "refuted"]
    assert result.json["statements"][0]["statement"] == "Theorem 15 a"


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "nothing": ((), "nothing to audit: expected exactly one of CLAIMS.toml, --formula, --model"),
    "two": (("c.toml", "--formula", "Q_1"), "CLAIMS.toml and --formula: expected exactly one"),
    "missing file": (("nowhere.toml",), "nowhere.toml: No such file"),
    "unsafe": ((*SINCE, "--temperature", "__import__('os').system('true')"), "temperature: expression"),
    "undefined": ((*SINCE, "--temperature", "1/ln(n)", "--max-n", "4"), "1/ln(n) divides by zero at i = 1, n = 1"),
    "negative": ((*SINCE, "--temperature", "3-n", "--max-n", "4"), "3-n is 0 at i = 1, n = 3"),
    "delta": ((*SINCE, "--delta", "1/2"), "delta: found 1/2, expected at most 1/4"),
    "zero": ((*SINCE, "--gamma", "0"), "gamma: found 0, expected a positive number"),
    "critical": ((*SINCE, "--critical", "4,x"), "--critical: found 4,x, expected lengths"),
    "critical outside": ((*SINCE, "--max-n", "4", "--critical", "8"), "critical = [8], expected lengths in 1..4"),
    "width": ((*SINCE, "--width", "2"), "width: found 2, expected a rational"),
    "lengths": ((*SINCE, "--min-n", "5", "--max-n", "4"), "min-n: 5, expected a number from 1 to 4"),
    "option beside a file": (("c.toml", "--gamma", "3"), "--gamma: a claims file states this itself"),
    "option beside a model": (("--model", "m.json", "--alphabet", "01"),
                              "--alphabet: m.json states this itself, expected it with a formula"),
    "jobs": ((*SINCE, "--jobs", "2"), "--jobs: this option is for a claims file"),
    "no jobs": (("c.toml", "--jobs", "0"), "--jobs: 0, expected a number of processes from 1 to 1024"),
    "resume": ((*SINCE, "--resume"), "--resume: this option is for a claims file"),
    "no folder": ((*SINCE, "--html", "no/where.html"), "no/where.html"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_exit_status_2(certify: Any, case: str) -> None:
    Path("c.toml").write_text(TWO_CLAIMS, encoding="utf-8")
    Path("m.json").write_text((ROOT / "examples" / "models" / "flip_flop.json").read_text(), encoding="utf-8")
    arguments, message = BAD[case]
    result = certify("audit", *arguments)
    assert (result.code, result.out) == (2, ""), result
    assert result.err.startswith("certify: ") and len(result.err.splitlines()) == 1 and message in result.err


def test_an_expression_without_a_value_names_the_claim(certify: Any) -> None:
    text = TWO_CLAIMS.replace('gamma = "138/100"', 'temperature = "1/(n-3)^2"')
    result = certify("audit", write(text))
    assert result.code == 2 and "temperature: 1/(n-3)^2 divides by zero" in result.out
    assert "1 certified, 1 malformed (2 claims, " in result.out and "as expected" not in result.out


# -- several processes -------------------------------------------------------------------------------------------------


def test_an_audit_finds_the_same_with_any_number_of_processes(certify: Any) -> None:
    claims = write(QUICK)
    alone = certify("audit", claims, "--jobs", "1", "--json")
    shared = certify("audit", "-", "--jobs", "2", "--json", stdin=QUICK.encode())
    for result in (alone, shared):
        assert (result.code, len(result.json["claims"])) == (0, 2) and not Path("claims.audit.json").exists()
    assert without_seconds(shared.json) == without_seconds(alone.json | {"source": "-"})
    assert [claim["verdict"] for claim in shared.json["claims"]] == ["certified", "refuted"]


def test_processes_that_die_again_and_again_are_one_line_and_no_verdict(
        certify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(*_: object, **__: object) -> None:
        raise WorkLost("shard 1: 3 worker processes died at it")

    monkeypatch.setattr("certify.auditing.session.run_tasks", lose)
    result = certify("audit", write(QUICK), "--jobs", "2")
    assert (result.code, result.out) == (3, "")
    assert result.err == "certify: no verdict: shard 1: 3 worker processes died at it\n"


# -- interruption ------------------------------------------------------------------------------------------------------

SLOW = QUICK + """
[[claim]]
name = "slow"
formula = "#<[#<[prev Q_1] == #>[Q_1]] == 0"
alphabet = "01"
lengths = "1..200"
"""


@pytest.mark.skipif(not hasattr(os, "setsid"), reason="signals as on Unix")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupted_audit_reports_what_is_finished_and_resumes(certify: Any, jobs: str) -> None:
    claims = write(SLOW)
    kept = Path("claims.audit.json")
    process = start_python("-m", "certify.cli", "audit", claims, "--jobs", jobs)
    wait_until(lambda: kept.is_file() and len(json.loads(kept.read_text())["claims"]) == 2, [process])
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert "2 of 3 claims are finished and kept in claims.audit.json: --resume continues" in err
    assert "enough" in out and "INTERRUPTED" in out and "Traceback" not in err
    before = json.loads(kept.read_text())["claims"]
    shorter = write(SLOW.replace('"1..200"', '"1..4"'))
    resumed = certify("audit", shorter, "--resume", "--json")
    assert resumed.code == 0 and not kept.exists()
    assert [claim["name"] for claim in resumed.json["claims"]] == ["enough", "not-enough", "slow"]
    assert resumed.json["claims"][0] in [claim["result"] for claim in before]


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_audit_interrupted_before_a_claim_is_finished_says_that_nothing_is_kept_and_resumes_from_the_beginning(
        certify: Any, monkeypatch: pytest.MonkeyPatch, jobs: str) -> None:
    claims = write(QUICK)
    with monkeypatch.context() as patched:
        patched.setattr("certify.auditing.session.run_tasks", interrupt)
        stopped = certify("audit", claims, "--jobs", jobs)
    assert stopped.code == 130 and not Path("claims.audit.json").exists()
    assert stopped.err.splitlines()[0] == ("certify: interrupted before a claim was finished: nothing is kept, "
                                           "and --resume starts from the beginning")
    assert "INTERRUPTED before a claim was finished" in stopped.out and "--resume continues" not in stopped.out
    resumed = certify("audit", claims, "--resume", "--json")
    assert resumed.err.splitlines()[0] == ("certify: --resume: there is no claims.audit.json, so no finished claims of "
                                           "claims.toml are kept: the audit starts from the beginning")
    assert resumed.code == 0 and [claim["verdict"] for claim in resumed.json["claims"]] == ["certified", "refuted"]


def test_what_an_earlier_audit_kept_outlives_one_that_is_interrupted_before_a_claim_is_finished(
        certify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    claims, kept = write(QUICK), Path("claims.audit.json")
    left = json.dumps({"version": VERSION, "source": str(Path(claims).resolve()), "claims": []})
    kept.write_text(left)
    monkeypatch.setattr("certify.auditing.tasks.judge_of_file", interrupt)
    stopped = certify("audit", claims)
    assert stopped.code == 130 and kept.read_text() == left
    assert stopped.err.splitlines()[0] == ("certify: interrupted before a claim was finished; claims.audit.json is "
                                           "what an earlier audit left: --resume continues from there")


def test_what_was_kept_is_read_as_data_and_refused_if_it_is_not_what_an_audit_writes(certify: Any) -> None:
    claims = write(QUICK)
    source = json.dumps(str(Path(claims).resolve()))
    for text in ("", "[]", "{}", '{"version": 2, "claims": []}', f'{{"version": 2, "source": {source}, "claims": []}}',
                 f'{{"version": VERSION, "source": {source}, "claims": [3]}}', "\0"):
        Path("claims.audit.json").write_text(text)
        result = certify("audit", claims, "--resume")
        assert (result.code, len(result.err.splitlines())) == (2, 1), text
        assert "claims.audit.json" in result.err


@pytest.mark.parametrize("options", [(), ("--resume",)])
def test_what_an_audit_of_another_file_of_that_name_has_left_is_not_touched(
        certify: Any, options: tuple[str, ...]) -> None:
    kept, other = Path("claims.audit.json"), Path("other")
    other.mkdir()
    claims = write(QUICK)
    (other / "claims.toml").write_text(QUICK, encoding="utf-8")
    left = json.dumps({"version": VERSION, "source": str((other / "claims.toml").resolve()), "claims": []})
    kept.write_text(left)
    refused = certify("audit", claims, *options)
    assert (refused.code, refused.out, refused.err.count("\n"), kept.read_text()) == (2, "", 1, left)
    assert refused.err.startswith(f"certify: claims.audit.json: has finished claims of {(other / claims).resolve()}, ")
    assert certify("audit", str(other / claims), *options).code == 0 and not kept.exists()
    assert certify("audit", claims).code == 0


def test_the_page_of_one_claim_has_the_command_that_repeats_it_and_says_equal_rows_once(
        certify: Any, tmp_path: Path) -> None:
    given = ("--formula", "Q_1 since prev Q_0", "--gamma=3", "--as-printed", "--max-n", "16", "--critical", "none")
    assert certify("audit", *given, "--html", "r.html", "--json").code == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    (command,) = re.findall(r"<code>(certify audit .*?)</code>", page)
    words = shlex.split(html.unescape(command))
    assert words == ["certify", "audit", "--formula", "Q_1 since prev Q_0", "--as-printed", "--gamma", "3",
                     "--max-n", "16", "--critical", "none"]
    assert certify(*words[1:], "--html", "again.html").code == 0
    again = (tmp_path / "again.html").read_text(encoding="utf-8")
    assert re.sub(r"[\d.]+ s\b", "", again) == re.sub(r"[\d.]+ s\b", "", page)
    rows = re.findall(r'<th scope="row" class="number">([^<]*)</th>.*?<td class="name">(.*?)</td>', page, re.DOTALL)
    assert rows[-1] == ("6..16", "layer 4, head 1, i = n") and len(rows) == 6
