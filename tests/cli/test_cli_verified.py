"""`certify check --verified` and `certify checker --verified`: the program that is proved in Coq, where it is."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest


def program(folder: Path, script: str) -> None:
    """Something of the name of the proved checker."""
    place = folder / "certify-check"
    place.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    place.chmod(place.stat().st_mode | stat.S_IXUSR)


def test_where_there_is_no_such_program_it_is_said_how_to_build_it(certify: Any, certificate: str, tmp_path: Path,
                                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = certify("check", "--verified", certificate)
    assert (found.code, found.out) == (3, "")
    assert "certify-check is not on the path; docs/coq.md says how it is built" in found.err


@pytest.mark.parametrize("status", range(4))
def test_the_program_of_the_path_is_asked_and_its_status_is_the_answer(
        certify: Any, certificate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    program(tmp_path, f'printf "%s\\n" "$@" >"{tmp_path}/asked"\nexit {status}')
    monkeypatch.setenv("PATH", str(tmp_path))
    found = certify("check", "--verified", "--formula", "Q_1 since Q_0", "--max-n", "5", certificate)
    assert found.code == status
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert asked == ["--formula", "Q_1 since Q_0", "--max-n", "5", "--", certificate]


@pytest.mark.parametrize("arguments", [
    ("check", "--verified", "--json"), ("check", "--verified", "--estimate"), ("check", "--verified", "--part", "1/2")])
def test_what_the_program_does_not_know_is_refused(certify: Any, certificate: str, arguments: tuple[str, ...]) -> None:
    assert certify(*arguments, certificate).code == 2


def test_a_checker_that_is_asked_for_is_one_of_the_two_programs(certify: Any) -> None:
    assert certify("checker", "--verified", "--every-n").code == 2
    assert certify("checker", "--numbers", "zarith").code == 2
