"""The house keeps its shape: what may import what, the size of files and functions, one stem per statement."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from constructions.statements import LOW_PRECISION, NUMBERS, STATEMENTS, Statement

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(path for folder in ("certify", "constructions", "proofs") for path in (ROOT / folder).rglob("*.py"))
CHECKER = sorted((ROOT / "proofs" / "check").rglob("*.py"))


def imported_modules(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def relative_imports(path: Path) -> set[Path]:
    """The files of the trusted package that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            candidates = [folder / name.name for name in node.names] if not node.module else [folder]
            found |= {one.with_suffix(".py") if one.with_suffix(".py").is_file() else one / "__init__.py"
                      for one in candidates}
    return found


def test_the_checker_imports_the_standard_library_and_itself() -> None:
    for path in CHECKER:
        absolute = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
                    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                    if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level)}
        foreign = {name for name in absolute if str(name).partition(".")[0] not in sys.stdlib_module_names}
        assert foreign == ({"checker.command"} if path.name == "__main__.py" else set()), path


def test_the_imports_of_the_checker_have_no_circle() -> None:
    """Removing what imports nothing that is left, again and again, removes everything."""
    package = [path for path in CHECKER if "checker" in path.relative_to(ROOT / "proofs" / "check").parts]
    left = {path: relative_imports(path) for path in package}
    assert all(imported.is_file() for files in left.values() for imported in files)
    while free := [path for path, files in left.items() if not files & left.keys()]:
        for path in free:
            del left[path]
    assert not left


def test_the_checker_uses_no_floating_point() -> None:
    for path in CHECKER:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), path
            assert not (isinstance(node, ast.Name) and node.id == "float"), path


def test_every_file_of_the_checker_is_in_its_readme_and_every_chapter_has_its_files() -> None:
    folder = ROOT / "proofs" / "check"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    named = [path for path in CHECKER if path.name[:2] != "__" and path.parent.name != "softening"]
    assert [path.name for path in named if path.name not in readme] == []
    page = (ROOT / "docs" / "certificate.md").read_text(encoding="utf-8")
    chapters = {line[3:].strip() for line in page.splitlines() if line.startswith("## ")}
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ") and ".py`" in line]
    for chapter, files in ((row[0][2:], row[1]) for row in rows):
        is_chapter = any(one.startswith(chapter) for one in chapters)
        assert is_chapter or all(f"**{part.strip()}" in page for part in chapter.split(",")), chapter
        for name in re.findall("`([^`]+)`", files):
            assert (folder / "checker" / name).exists(), name


def test_only_by_z3_imports_z3() -> None:
    importers = {path.relative_to(ROOT).parts[:2] for path in SOURCES if "z3" in imported_modules(path)}
    assert importers == {("proofs", "by_z3")}


def test_only_by_cvc5_imports_cvc5_and_it_imports_nothing_of_the_project() -> None:
    assert [path.name for path in SOURCES if "cvc5" in imported_modules(path)] == ["by_cvc5.py"]
    assert imported_modules(ROOT / "proofs" / "by_cvc5.py") == {"__future__", "sys", "cvc5"}


@pytest.mark.parametrize("folder", ["constructions", "proofs"])
def test_no_floating_point_literal_and_no_eval_where_verdicts_are_made(folder: str) -> None:
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), f"{path}:{node.lineno}"
            assert not (isinstance(node, ast.Name) and node.id in {"float", "eval", "exec", "sympify"}), (
                f"{path}:{node.lineno}")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_files_have_at_most_400_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_no_function_is_longer_than_60_lines_and_the_median_is_at_most_10() -> None:
    lengths = []
    for path in SOURCES:
        for function in functions(path):
            length = (function.end_lineno or function.lineno) - function.lineno + 1
            assert length <= 60, f"{path.relative_to(ROOT)}:{function.lineno} {function.name} has {length} lines"
            lengths.append(length)
    assert sorted(lengths)[len(lengths) // 2] <= 10


@pytest.mark.parametrize("statement", (*STATEMENTS, *NUMBERS, *LOW_PRECISION), ids=lambda statement: statement.stem)
def test_each_statement_has_one_stem_and_a_row_in_the_map_that_links_its_files(statement: Statement) -> None:
    links = []
    for folder, ending in (("constructions", "py"), ("proofs/instances", "py"), ("proofs/coq", "v")):
        path = f"{folder}/{statement.stem}.{ending}"
        links.append(f"[{ending}](../{path})" if (ROOT / path).is_file() else "")
    row = f"| {statement.name} | {statement.builds} | `{statement.stem}` | {' | '.join(links)} |"
    assert row in (ROOT / "docs" / "map.md").read_text(encoding="utf-8")
    assert any(links)


@pytest.mark.parametrize(("folder", "tests"), [("constructions", "constructions"), ("proofs/instances", "instances")])
def test_each_statement_is_tested_under_its_stem(folder: str, tests: str) -> None:
    stems = {path.stem for path in (ROOT / folder).glob("*_[0-9]*_*.py")}
    named = {path.stem.removeprefix("test_") for path in (ROOT / "tests" / tests).glob("test_*_[0-9]*_*.py")}
    assert stems == named


def test_each_construction_for_low_precision_is_listed_and_tested() -> None:
    named = {path.stem for path in (ROOT / "constructions").glob("low_precision_*.py")}
    assert named == {statement.stem for statement in LOW_PRECISION}
    assert {f"test_{stem}" for stem in named} <= {path.stem for path in (ROOT / "tests/constructions").glob("*.py")}


def test_each_file_named_for_a_statement_is_listed() -> None:
    named = {path.stem for folder in ("constructions", "proofs/instances", "proofs/coq")
             for path in (ROOT / folder).glob("*_[0-9]*_*") if path.suffix in (".py", ".v")}
    listed = {statement.stem for statement in (*STATEMENTS, *NUMBERS)}
    assert named - {"corollaries_17_18_22_23"} == listed - {"compiler"}


def test_the_repository_names_no_absolute_path_and_no_package_host() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    for name in tracked or [str(path.relative_to(ROOT)) for path in SOURCES]:
        text = (ROOT / name).read_text(encoding="utf-8", errors="ignore")
        for word in ("/" + "root/", "/" + "home/", "py" + "pi.org", "python" + "hosted"):
            assert word not in text, f"{name} mentions {word}"
