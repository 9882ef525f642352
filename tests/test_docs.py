"""Documents are tests: what README and docs/ show is what the program prints, and what they name exists."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from constructions.language.parser import parse_formula
from constructions.regimes import ALL_REGIMES

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SECONDS = re.compile(r"\b\d+\.\d\d s\b")


def console_blocks() -> list[tuple[str, str]]:
    """Every ```text block of README that begins with a $ command: the command and the output shown."""
    blocks = re.findall(r"```text\n\$ (.+?)\n(.*?)```", README, re.DOTALL)
    return [(command, output.strip()) for command, output in blocks]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme")


@pytest.mark.parametrize("place", range(len(console_blocks())))
def test_the_runs_in_the_readme_print_what_it_shows(place: int, folder: Path) -> None:
    """In order: a later block may read the file that an earlier one wrote."""
    command, shown = console_blocks()[place]
    script = re.sub("^certify ", f"{sys.executable} -m certify.cli ", command)
    script = script.replace("python -I -S proofs/check.py", f"{sys.executable} -I -S {ROOT / 'proofs' / 'check.py'}")
    done = subprocess.run(script, shell=True, cwd=folder, capture_output=True, text=True, check=False,
                          env={"PYTHONPATH": str(ROOT), "PATH": "", "PYTHONIOENCODING": "utf-8"})
    printed = "\n".join(line.rstrip() for line in done.stdout.splitlines()).strip()
    assert SECONDS.sub("? s", printed) == SECONDS.sub("? s", shown)


def test_the_python_session_in_the_readme_is_true() -> None:
    test = doctest.DocTestParser().get_doctest(README, {}, "README.md", "README.md", 0)
    assert test.examples
    results = doctest.DocTestRunner().run(test)
    assert results.failed == 0


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "DIVERGENCES.md", "docs/certificate.md",
                                      "docs/rasp.md"])
def test_every_path_that_a_document_names_exists(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for path in re.findall(r"`((?:certify|constructions|proofs|tests|docs|examples)/[\w/.]+)`", text):
        assert (ROOT / path).exists(), path
    for path in re.findall(r"\]\(([\w/.]+)\)", text):
        assert (ROOT / path).exists(), path


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert ".venv/bin/python -m pytest\n" in README
    assert ".venv/bin/python -m pytest\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_abbreviations_in_the_certificate_page_are_those_of_the_parser() -> None:
    table = (ROOT / "docs" / "certificate.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?`) \| (`.+?`) \|$", table, re.MULTILINE)
    assert len(rows) == 3
    for written, meant in rows:
        for short, long in zip(re.findall("`(.+?)`", written), re.findall("`(.+?)`", meant), strict=True):
            assert parse_formula(letters(short)) is parse_formula(letters(long))


def letters(text: str) -> str:
    """The formula letters a and b of a table, as symbols."""
    return re.sub(r"\b([ab])\b", r"Q_\1", text.replace("\\|", "|"))


def test_every_regime_is_in_the_table_of_regimes() -> None:
    text = (ROOT / "constructions" / "regimes.py").read_text(encoding="utf-8")
    assert all(f"| {str(regime).replace(',', '')} " in text for regime in ALL_REGIMES)
