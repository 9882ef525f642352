"""A folder of the user's that would be imported in the place of one of ours is named in one line; extras can be had."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ENVIRONMENT, ROOT

FROM_PYTHON = ["-c", "from certify import build"]
FROM_A_SHELL = ["-m", "certify", "--version"]


@pytest.mark.parametrize("name", ["proofs", "constructions"])
@pytest.mark.parametrize("has_init", [True, False])
@pytest.mark.parametrize(("words", "code"), [(FROM_PYTHON, 1), (FROM_A_SHELL, 2)])
def test_a_folder_beside_a_notebook_is_named_in_one_line(
        name: str, has_init: bool, words: list[str], code: int, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    if has_init:
        (tmp_path / name / "__init__.py").touch()
    found = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False,
                           env=ENVIRONMENT | {"PYTHONPATH": f"{tmp_path}:{ROOT}"})
    if has_init:
        last = found.stderr.splitlines()[-1]
        assert found.returncode == code
        assert f"certify: the package {name} would be imported from {tmp_path / name}, expected {ROOT / name}" in last
        assert code == 1 or found.stderr.count("\n") == 1
    else:
        assert found.returncode == 0


def test_no_text_advises_to_install_from_an_index() -> None:
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md"),
             *(path for folder in ("certify", "constructions", "proofs") for path in (ROOT / folder).rglob("*.py"))]
    for path in files:
        text = " ".join(path.read_text(encoding="utf-8").split())
        assert not re.search(r"install ['\"]*certify\b", text), path
