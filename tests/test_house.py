"""The house keeps its shape: what may import what, the size of files and functions, one stem per statement."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from constructions.statements import NUMBERS, STATEMENTS, Statement

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(path for folder in ("certify", "constructions", "proofs") for path in (ROOT / folder).rglob("*.py"))
CHECKERS = {ROOT / "proofs" / "check.py": 1000, ROOT / "proofs" / "check_softened.py": 600}


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


def test_the_checkers_import_the_standard_library_only_and_the_second_one_the_first() -> None:
    first, second = ({name for name in imported_modules(path) if name.partition(".")[0] not in sys.stdlib_module_names}
                     for path in CHECKERS)
    assert (first, second) == (set(), {"proofs", "proofs.check"})


@pytest.mark.parametrize(("path", "limit"), CHECKERS.items(), ids=lambda value: getattr(value, "name", str(value)))
def test_each_checker_is_read_in_one_sitting(path: Path, limit: int) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < limit


@pytest.mark.parametrize("path", CHECKERS, ids=lambda path: path.name)
def test_the_checkers_use_no_floating_point(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, float)]
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "float"]


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


@pytest.mark.parametrize("path", [path for path in SOURCES if path not in CHECKERS], ids=lambda path: path.name)
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


@pytest.mark.parametrize("statement", (*STATEMENTS, *NUMBERS), ids=lambda statement: statement.stem)
def test_each_statement_has_one_stem_and_a_row_in_the_readme_that_links_its_files(statement: Statement) -> None:
    links = []
    for folder, ending in (("constructions", "py"), ("proofs/instances", "py"), ("proofs/coq", "v")):
        path = f"{folder}/{statement.stem}.{ending}"
        links.append(f"[{ending}]({path})" if (ROOT / path).is_file() else "")
    row = f"| {statement.name} | {statement.builds} | `{statement.stem}` | {' | '.join(links)} |"
    assert row in (ROOT / "README.md").read_text(encoding="utf-8")
    assert any(links)


@pytest.mark.parametrize(("folder", "tests"), [("constructions", "constructions"), ("proofs/instances", "instances")])
def test_each_statement_is_tested_under_its_stem(folder: str, tests: str) -> None:
    stems = {path.stem for path in (ROOT / folder).glob("*_[0-9]*_*.py")}
    named = {path.stem.removeprefix("test_") for path in (ROOT / "tests" / tests).glob("test_*_[0-9]*_*.py")}
    assert stems == named


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
