"""docs/reference/statements.md: every numbered statement of both papers, compared with list, library and folders."""

import re
from pathlib import Path

import pytest

from proofs.every_n.library import LIBRARY
from tests.statements.numbered import numbered_statements

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "statements.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.splitlines()
        if re.match(r"\| (Definition|Lemma|Theorem|Proposition|Corollary) \d", line)]
VERDICTS = {"defined", "proved", "repaired", "proof repaired", "proved with Section 3.1 repaired",
            "refuted on a reading", "proof and Section 3.1 repaired", "proved for our networks",
            "repaired for our networks"}
DECLARED = re.compile(r"^ *(?:Lemma|Theorem|Corollary|Definition|Fixpoint|with|Record|Inductive) (\w+)", re.MULTILINE)
PROVED = re.compile(r"^ *(?:Lemma|Theorem|Corollary) (\w+)", re.MULTILINE)
ASSUMPTIONS = set(re.findall(r"@(\w+)", (LIBRARY / "assumptions.v").read_text(encoding="utf-8")))


def in_coq(cell: str) -> dict[str, list[str]]:
    """Return the names that a cell lists, by file."""
    return {file: re.findall(r"`(\w+)`", names) for file, names in re.findall(r"`([\w/]+\.v)`: ([^;]*)", cell)}


def source(file: str) -> str:
    return (LIBRARY / file).read_text(encoding="utf-8")


@pytest.mark.parametrize(("section", "paper"), [("[SHA]", ""), ("[Hahn]", "Hahn, ")])
def test_every_numbered_statement_of_a_paper_has_one_row(section: str, paper: str) -> None:
    part = PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ((?:Definition|Lemma|Theorem|Proposition|Corollary) \d+)(?:, PARITY|, 2DYCK)? \|", part,
                      re.MULTILINE)
    assert list(dict.fromkeys(rows)) == numbered_statements(paper)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_names_what_the_library_has(row: list[str]) -> None:
    _, verdict, coq, _, _ = row
    assert verdict.partition(":")[0] in VERDICTS
    files = in_coq(coq)
    assert files and all(files.values())
    for file, names in files.items():
        assert set(names) - set(DECLARED.findall(source(file))) == set(), file


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_axioms_of_what_is_proved_are_printed(row: list[str]) -> None:
    for file, names in in_coq(row[2]).items():
        theorems = set(names) & set(PROVED.findall(source(file)))
        assert row[1] == "defined" or file == "language/formula.v" or theorems <= ASSUMPTIONS, file


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_files_of_a_row_exist(row: list[str]) -> None:
    construction, tests = (re.findall(r"`([\w/.]+)`", cell) for cell in row[3:])
    assert tests and all((ROOT / path).is_file() for path in (*construction, *tests))
