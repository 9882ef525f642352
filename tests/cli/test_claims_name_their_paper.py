"""A claims file of any paper: it says which paper and which version was read, and every report repeats it."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from certify.auditing.claims_file import parse_claims
from certify.auditing.csv_figures import render_csv
from certify.auditing.results import Paper
from constructions.errors import InputError
from tests.auditing.sample import HOSTILE, REPORT, html_of, markdown_of

PAPER = '[paper]\ntitle = "On <Counting>"\nauthors = "A. One and B. Two"\nversion = "arXiv v2, May 2024"\n'
CLAIM = '[[claim]]\nname = "a"\nstatement = "Theorem PARITY"\nformula = "Q_1"\nalphabet = "01"\nlengths = 3\n'


def test_statements_of_other_papers_have_any_name_and_reports_say_which_version_was_read(certify: Any) -> None:
    Path("c.toml").write_text(PAPER + CLAIM, encoding="utf-8")
    result = certify("audit", "c.toml", "--html", "r.html", "--markdown", "r.md", "--csv", "r.csv")
    assert result.code == 0, result.err
    terminal = " ".join(result.out.split())
    assert "audit On <Counting>" in terminal, "a file without a title has that of the paper"
    assert "paper A. One and B. Two, On <Counting>" in terminal and "read arXiv v2, May 2024" in terminal
    assert "Theorem PARITY" in terminal
    page = Path("r.html").read_text(encoding="utf-8")
    assert "A. One and B. Two, On &lt;Counting&gt;" in page and "arXiv v2, May 2024" in page
    assert "Read: arXiv v2, May 2024" in Path("r.md").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(Path("r.csv").read_text(encoding="utf-8"))))
    assert {(row["paper"], row["version_read"]) for row in rows} == {
        ("A. One and B. Two, On <Counting>", "arXiv v2, May 2024")}
    found = certify("audit", "c.toml", "--json").json
    assert found["paper"] == {"title": "On <Counting>", "authors": "A. One and B. Two", "version": "arXiv v2, May 2024"}
    assert [statement["statement"] for statement in found["statements"]] == ["Theorem PARITY"]


@pytest.mark.parametrize(("text", "message"), [
    ('[paper]\ntitle = "T"\nauthors = "A"\n' + CLAIM, "c.toml, paper: no version, expected title, authors, version"),
    (PAPER + 'year = "2024"\n' + CLAIM, "c.toml, paper: key 'year', expected one of title, authors, version"),
    (PAPER.replace('"A. One and B. Two"', "3") + CLAIM, "c.toml, paper: authors = 3, expected a string"),
    ('paper = "T"\n' + CLAIM, 'c.toml: paper = "T", expected a table'),
    (PAPER + CLAIM.replace("Theorem PARITY", " "), "statement: empty, expected what the source calls it"),
])
def test_a_paper_that_is_not_said_in_full_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_claims(text, "c.toml")
    assert message in str(error.value) and len(str(error.value).splitlines()) == 1


def test_the_paper_of_a_stranger_is_escaped() -> None:
    report = replace(HOSTILE, paper=Paper("<script>t</script>", "=1+1", "*v*\nx"))
    assert "<script>t" not in html_of(report) and "<script>t" not in markdown_of(report)
    assert "Read: \\*v\\* x" in markdown_of(report)
    assert next(csv.DictReader(io.StringIO(render_csv(report))))["paper"].startswith("'=1+1")


def test_a_report_of_no_paper_says_nothing_of_one(certify: Any) -> None:
    assert "Paper:" not in markdown_of(REPORT) and "Read:" not in html_of(REPORT)
    Path("c.toml").write_text(CLAIM, encoding="utf-8")
    assert json.loads(certify("audit", "c.toml", "--json").out)["paper"] is None
