"""The cache of the compiled library, and what is made of the answers of a ``coqc``, which here is a script."""

from __future__ import annotations

from pathlib import Path

import pytest

from constructions.errors import InputError, InternalError
from proofs.by_coq import Coq, CoqMissing, compiled_library, find_coq
from proofs.by_coq.axioms import ALLOW_LIST, parse_axioms
from proofs.by_coq.kernel import find_answer
from proofs.by_coq.library import DIAGNOSIS, needed_sources

COUNTING = 'for last; do :; done; echo "$last" >> "$(dirname "$0")/log"; touch "${last}o"'
"""A ``coqc`` that accepts everything, and notes what."""


def script(folder: Path, body: str, version: str = "8.16.1") -> Coq:
    program = folder / "coqc"
    program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    program.chmod(0o755)
    return Coq(str(program), version)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "certify"


def test_the_library_is_compiled_once_for_each_version_of_coq(tmp_path: Path, cache: Path) -> None:
    first = compiled_library(script(tmp_path, COUNTING))
    assert compiled_library(script(tmp_path, COUNTING)) == first
    names = [Path(line).name for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines()]
    assert names == list(needed_sources(DIAGNOSIS))
    assert compiled_library(script(tmp_path, COUNTING, "8.17.0")) != first
    assert len(list(cache.iterdir())) == 2


def test_a_library_that_coq_rejects_leaves_nothing_behind(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(InternalError, match=r"Coq 8.16.1 does not accept the library: finite_sums.v: out of memory"):
        compiled_library(script(tmp_path, "echo 'Error: out of  memory' >&2; exit 1"))
    assert list(cache.iterdir()) == []


def test_a_cache_that_is_a_file_is_one_line(tmp_path: Path, cache: Path) -> None:
    cache.parent.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"the cache cannot be written: .*; XDG_CACHE_HOME names another place"):
        compiled_library(script(tmp_path, COUNTING))


def answer(tmp_path: Path, body: str) -> tuple[bool, str]:
    found = find_answer(script(tmp_path, body), tmp_path, tmp_path / "theorem.v")
    return found.proved, found.reason


def test_a_theorem_is_proved_by_allowed_axioms_and_by_none(tmp_path: Path) -> None:
    assert answer(tmp_path, "echo 'Closed under the global context'") == (True, "")
    assert answer(tmp_path, f"echo Axioms:; sed 's/$/ : Prop/' {ALLOW_LIST}") == (True, "")


@pytest.mark.parametrize("name", ["my_axiom", "Classical_Prop.classics", "Other.classic"])
def test_another_axiom_is_not_allowed(tmp_path: Path, name: str) -> None:
    assert answer(tmp_path, f"echo Axioms:; echo '{name} : False'") == (
        False, f"it rests on axioms that are not allowed: {name}")


def test_a_crash_is_no_proof(tmp_path: Path) -> None:
    assert answer(tmp_path, "echo 'Closed under the global context'; exit 139") == (
        False, "Coq does not accept the theorem: exit status 139")


def test_what_is_assumed_without_an_axiom_counts() -> None:
    assert parse_axioms("Axioms:\nloop is assumed to be guarded.\nlarge relies on type in type.\n") == {"loop", "large"}


def test_without_coqc_the_message_names_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CoqMissing, match=r"^coqc is not on the path; install Coq \(Debian: the package coq\)$"):
        find_coq()
