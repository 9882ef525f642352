"""Which processes count as something that may look for a tool."""

import ast
import subprocess
import sys

import pytest

from tests.noting import only_filters, python_alone
from tests.processes import ROOT


@pytest.mark.parametrize(("line", "filters"), [
    ("tail -7", True), ("grep -E '^(a|b) $(c)' | tail -n 1", True), ("grep a | coqc", False), ("coqc -v", False),
    ("tail -7; coqc", False), ("tail -7 && coqc", False), ("grep $(coqc)", False), ("grep `coqc`", False),
    ("grep '' > x", False), ("tail -7\ncoqc", False), ("tailor", False), ("env grep a", False), ("", False),
    ("grep ''coqc", False), ("grep a|coqc", False), ("X=1 grep a", False),
])
def test_of_shells_only_those_with_filters_alone_look_for_nothing(line: str, filters: bool) -> None:
    assert only_filters("subprocess.Popen", ("/bin/sh", ["/bin/sh", "-c", line], None, None)) == filters
    assert not only_filters("os.posix_spawn", ("/bin/sh", ["/bin/sh", "-c", line], None))
    assert not only_filters("subprocess.Popen", (sys.executable, [sys.executable, "-c", line], None, None))


def test_python_says_of_a_shell_what_is_asked_here(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr("sys.audit", lambda event, *arguments: seen.append((event, arguments)))
    subprocess.run("tail -1", shell=True, input=b"", check=True, capture_output=True)
    assert [only_filters(event, arguments) for event, arguments in seen if event == "subprocess.Popen"] == [True]


@pytest.mark.parametrize(("arguments", "alone"), [
    (["-I", "-S", f"{ROOT}/proofs/check", "a.cert"], True), (["-I", "-S", "/x/check.pyz"], True),
    (["-I", "-S", "check.pyz", "a.cert"], True), (["-I", "-S", "recheck.pyz", "a.cert"], False),
    (["-I", "-S", "-c", "import sys; print(sys.version)"], True), (["-I", "-S", "-W", "error", "-c", "print(1)"], True),
    (["-I", "-S", "-c", "import shutil"], False),
    (["-I", "-S", "-c", "import sys; sys.path[0] = 'x'"], False), (["-I", "-S", "-c", "__import__('x')"], False),
    (["-I", "-S", "/x/other.pyz"], False), (["-I", "-S", "-m", "certify"], False), (["-I", "-S"], False),
    (["-I", f"{ROOT}/proofs/check", "a.cert"], False), (["-S", "-I", f"{ROOT}/proofs/check"], False),
])
def test_a_python_without_packages_looks_for_nothing_if_it_runs_the_checker_or_what_is_seen_not_to(
        arguments: list[str], alone: bool) -> None:
    assert python_alone("subprocess.Popen", (sys.executable, [sys.executable, *arguments], None, None)) == alone
    assert not python_alone("subprocess.Popen", ("/bin/sh", ["/bin/sh", *arguments], None, None))
    assert not python_alone("os.exec", (sys.executable, [sys.executable, *arguments], None))


def test_the_checker_imports_nothing_that_could_look_for_a_tool() -> None:
    for path in (ROOT / "proofs" / "check").rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
        tops = {name.partition(".")[0] for name in names}
        assert not tops & {"multiprocessing", "os", "runpy", "shutil", "subprocess"}, path
