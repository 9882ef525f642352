"""Which processes count as something that may look for a tool."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.noting import only_filters


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
