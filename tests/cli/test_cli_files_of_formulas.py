"""`certify formula -F`: many formulas, a row or a line of JSON each, and going on where one was."""

import json
from pathlib import Path
from typing import Any

import pytest

from certify.claims.formula.tasks import FormulaRequests, FormulaRow, do_formula, formula_task
from certify.common.shards.store import Store
from certify.requests.inputs import Options
from constructions.network.lengths import Lengths
from tests.cli.reports import without_seconds

FILE = "# a comment\nQ_a since Q_b\n\nQ_a & & Q_b\n  prev Q_a  \nSQUARE(#<[Q_a])\n"
SINCE = "(Q_a | Q_b) since Q_a"


@pytest.fixture
def path(certify: Any) -> str:
    Path("f.txt").write_text(FILE, encoding="utf-8")
    return "f.txt"


def lines(result: Any) -> list[Any]:
    return [json.loads(line) for line in result.out.splitlines()]


def test_each_line_has_a_verdict_and_the_status_is_the_worst(certify: Any, path: str) -> None:
    result = certify("formula", "-F", path, "--max-n", "4", "--json", "--causal", "--regime", "position")
    found = lines(result)
    assert result.code == 2
    assert [(entry["line"], entry["verdict"]) for entry in found] == [
        (2, "certified"), (4, "malformed"), (5, "certified"), (6, "unsupported")]
    assert found[1] == {"line": 4, "verdict": "malformed", "formula": "Q_a & & Q_b", "reason": found[1]["reason"]}
    assert found[1]["reason"].startswith("column 7: found '&', expected ")
    assert certify("formula", "-F", path, "--max-n", "4", "--gamma", "1/10").code == 1


def test_the_answer_is_that_of_each_formula_alone(certify: Any, path: str) -> None:
    options = ("--alphabet", "abc", "--max-n", "5", "--gamma", "2", "--temperature", "1/(2*n)", "--json")
    together = lines(certify("formula", "-F", path, *options))
    for entry in together:
        alone = certify("formula", entry["formula"], *options)
        if entry["verdict"] == "malformed":
            assert alone.code == 2
        else:
            assert without_seconds({**alone.json, "line": entry["line"]}) == without_seconds(entry)


def test_a_table_has_a_row_for_each_line_and_certificates_are_named_for_lines(certify: Any, path: str) -> None:
    result = certify("formula", "-F", path, "--max-n", "4", "-o", "kept")
    rows = [line for line in result.out.splitlines() if line.startswith("line_")]
    assert [row.split()[0] for row in rows] == ["line_2", "line_4", "line_5", "line_6"]
    assert "3 of 4 certified, 1 malformed, in " in result.out
    assert sorted(place.name for place in Path("kept").iterdir()) == ["line_2.cert", "line_5.cert", "line_6.cert"]
    assert certify("check", "kept/line_5.cert", "--formula", "prev Q_a", "--max-n", "4").code == 0


def test_any_number_of_processes_says_the_same_in_the_same_order(certify: Any, path: str) -> None:
    one, two = (lines(certify("formula", "-F", path, "--max-n", "4", "--json", "--jobs", jobs)) for jobs in "12")
    assert [without_seconds(entry) for entry in one] == [without_seconds(entry) for entry in two]


# -- going on ----------------------------------------------------------------------------------------------------------


def test_what_is_kept_is_used_after_its_certificates_are_checked_again(
        certify: Any, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = certify("formula", "-F", path, "--max-n", "4", "--json", "--store", "s")
    assert len([*Path("s").iterdir()]) == 4
    monkeypatch.setattr("certify.claims.formula.tasks.certify_request", None)  # nothing is decided anew
    second = certify("formula", "-F", path, "--max-n", "4", "--json", "--store", "s", "-o", "kept")
    assert second.err == "certify: 4 of 4 formulas found in s; certificates among them were checked again\n"
    assert [{**entry, "certificate": None} for entry in lines(second)] == [
        {**entry, "certificate": None} for entry in lines(first)]
    assert certify("check", "kept/line_2.cert", "kept/line_6.cert").code == 0


def test_another_question_is_not_answered_from_the_store(certify: Any, path: str) -> None:
    certify("formula", "-F", path, "--max-n", "4", "--store", "s")
    assert certify("formula", "-F", path, "--max-n", "5", "--store", "s").err == ""


@pytest.mark.parametrize("forge", ["another formula", "another network", "a refutation"])
def test_a_forged_store_cannot_make_it_say_certified_or_refuted(certify: Any, forge: str) -> None:
    Path("f.txt").write_text(f"{SINCE}\n", encoding="utf-8")
    assert certify("formula", "-F", "f.txt", "--max-n", "4", "--gamma", "1/10").code == 1
    asked, other = ("3", "1/10") if forge == "a refutation" else ("1/10", "3")
    task = formula_task(FormulaRow("line_1", SINCE, SINCE), FormulaRequests(Options(gamma=asked), Lengths(1, 4)))
    text = "Q_a | Q_b" if forge == "another formula" else SINCE
    forged = do_formula(formula_task(FormulaRow("line_1", text, SINCE),
                                     FormulaRequests(Options(gamma=other), Lengths(1, 4))))
    Store(Path("s"), do_formula).keep(task, forged)
    result = certify("formula", "-F", "f.txt", "--max-n", "4", "--gamma", asked, "--store", "s", "--json")
    assert lines(result)[0]["verdict"] == ("certified" if forge == "a refutation" else "refuted")


def test_the_shipped_examples_can_be_resumed(certify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from certify.claims.formula.examples import load_examples

    few = load_examples()[:3]
    monkeypatch.setattr("certify.claims.formula.examples.load_examples", lambda: few)
    assert certify("formula", "--max-n", "2", "--store", "s").code == 0
    monkeypatch.setattr("certify.claims.formula.tasks.certify_request", None)
    again = certify("formula", "--max-n", "2", "--store", "s")
    assert again.code == 0 and again.err.startswith("certify: 3 of 3 formulas found in s;")


# -- mistakes ----------------------------------------------------------------------------------------------------------


def test_a_line_names_no_file(certify: Any, certificate: str) -> None:
    Path("f.txt").write_text(f"{certificate}\n-\np.rasp\n", encoding="utf-8")
    found = lines(certify("formula", "-F", "f.txt", "--max-n", "2", "--json"))
    assert [entry["verdict"] for entry in found] == ["malformed"] * 3


def test_the_mark_that_editors_begin_a_file_with_means_nothing(certify: Any) -> None:
    Path("marked.ltl").write_bytes(b"\xef\xbb\xbfa U b\r\n")
    assert certify("run", "marked.ltl", "ab", "--alphabet", "ab", "--json").json["truth"] == [True, True]
