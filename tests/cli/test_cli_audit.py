"""`certify audit` from the command line: single claims, claims files, interruption, suggestions, bad input."""

import html
import json
import os
import re
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest

from certify.auditing.session import VERSION
from constructions.errors import WorkLost
from tests.cli.made import TWO_CLAIMS
from tests.cli.reports import interrupt, without_seconds
from tests.processes import start_python, wait_until

QUICK = TWO_CLAIMS.replace('critical = [4]\nconstants = { 4 = "1.374063" }\n', "")
"""The same without a critical constant, which takes most of the time."""


def write(text: str) -> str:
    Path("claims.toml").write_text(text, encoding="utf-8")
    return "claims.toml"


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
    monkeypatch.setattr("certify.auditing.session.judge_of_file", interrupt)
    stopped = certify("audit", claims)
    assert stopped.code == 130 and kept.read_text() == left
    assert stopped.err.splitlines()[0] == ("certify: interrupted before a claim was finished; claims.audit.json is "
                                           "from an earlier audit: --resume continues it")


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
