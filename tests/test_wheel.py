"""The wheel in a fresh environment and an empty folder, and no other packages in our places."""

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from certify.common.shadowed_imports import NEIGHBOURS
from tests.processes import ROOT

hatchling = pytest.importorskip("hatchling", reason="what builds the wheel is an extra")
PATH = os.environ["PATH"]


@dataclass(frozen=True)
class Installed:
    """A fresh environment with the wheel in it, and the libraries of this one."""

    environment: Path
    wheel: Path

    @property
    def packages(self) -> Path:
        (found,) = self.environment.glob("lib/python*/site-packages")
        return found

    def run(self, folder: Path, *command: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
        """Return a program of the environment in a folder, with ``path`` as PYTHONPATH."""
        program = str(self.environment / "bin" / command[0])
        variables = {"PATH": PATH, "HOME": str(folder)} | ({} if path is None else {"PYTHONPATH": path})
        return subprocess.run([program, *command[1:]], cwd=folder, env=variables, capture_output=True, text=True,
                              check=False)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("wheel")
    build = "import hatchling.build, sys; print(hatchling.build.build_wheel(sys.argv[1]))"
    name = subprocess.run([sys.executable, "-c", build, str(folder)], cwd=ROOT, check=True, capture_output=True,
                          text=True).stdout.split()[-1]
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = str(environment / "bin" / "python")
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index",
                    "--no-compile", str(folder / name)], check=True, env={"PATH": PATH})
    found = Installed(environment, folder / name)
    typer = importlib.util.find_spec("typer")
    assert typer and typer.origin
    (found.packages / "libraries.pth").write_text(f"{Path(typer.origin).parent.parent}\n", encoding="utf-8")
    return found


def test_the_wheel_has_code_guides_examples_licence_and_types(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        names = set(archive.namelist())
    for name in ("certify/py.typed", "constructions/py.typed", "proofs/py.typed", "certify/docs/DIVERGENCES.md",
                 "certify/docs/reference/certificate.md", "certify/examples/claims/sha.toml",
                 "certify/examples/formulas.txt",
                 "proofs/check/__main__.py", "proofs/coq/sha/lemma_09_rounding.v"):
        assert name in names
    guides = {f"certify/docs/{path.relative_to(ROOT / 'docs')}" for path in (ROOT / "docs").rglob("*.md")}
    assert {name for name in names if name.startswith("certify/docs/") and name.count("/") > 2 and name.endswith(".md")
            } == {name for name in guides if name.count("/") > 2}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    outside = ("tests/", "benchmarks/", "certify/docs/tools/", ".")
    assert not any("__pycache__" in name or name.startswith(outside) for name in names)


def test_the_first_minute_of_an_installed_program(installed: Installed, tmp_path: Path) -> None:
    assert installed.run(tmp_path, "certify", "--version").stdout == installed.run(
        tmp_path, "python", "-m", "certify", "--version").stdout
    assert installed.run(tmp_path, "certify", "list", "examples", "--copy", "examples").returncode == 0
    made = installed.run(tmp_path, "certify", "formula", "-F", "examples/formulas.txt", "--max-n", "3", "-o", "kept",
                         "--json")
    assert made.returncode == 0, made.stderr
    certificates = [json.loads(line)["certificate"] for line in made.stdout.splitlines()]
    assert installed.run(tmp_path, "certify", "export", "--to", "checker", "-o", "check.pyz").returncode == 0
    checked = subprocess.run([sys.executable, "-I", "-S", "check.pyz", *certificates], cwd=tmp_path, check=False,
                             capture_output=True, text=True)
    assert checked.returncode == 0 and checked.stdout.count("accepted: kept/line_") == len(certificates) == 4
    listed = installed.run(tmp_path, "certify", "list").stdout
    assert listed.startswith(f"examples in {installed.packages / 'certify' / 'examples'}")
    assert installed.run(tmp_path, "certify", "list", "guides", "DIVERGENCES").stdout == (
        ROOT / "DIVERGENCES.md").read_text(encoding="utf-8")


# -- packages of others ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*NEIGHBOURS, "lark", "typer"])
def test_a_module_of_the_current_folder_is_refused_or_not_seen(installed: Installed, tmp_path: Path,
                                                               name: str) -> None:
    """Under PYTHONPATH=. it would be imported; as a program, and under python -m, nothing there is."""
    place = tmp_path / name / "__init__.py" if name in NEIGHBOURS else tmp_path / f"{name}.py"
    place.parent.mkdir(exist_ok=True)
    place.write_text("raise SystemExit('code of the current folder ran')\n", encoding="utf-8")
    for command in (("certify",), ("python", "-m", "certify")):
        assert installed.run(tmp_path, *command, "--version").returncode == 0
    refused = installed.run(tmp_path, "certify", "--version", path=".")
    found = place.parent if name in NEIGHBOURS else place
    assert (refused.returncode, refused.stdout) == (2, "") and refused.stderr.count("\n") == 1
    assert refused.stderr.startswith(f"certify: {'the package ' * (name in NEIGHBOURS)}{name} would be imported from "
                                     f"{found}, expected ")


@pytest.fixture
def changed(installed: Installed, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file of the installed packages as another package would leave it; the environment is as before at the end."""
    place = installed.packages / request.param
    before = place.read_bytes() if place.exists() else None
    place.write_text("x = 1\n", encoding="utf-8")
    yield place
    if before is None:
        place.unlink()
    else:
        place.write_bytes(before)


@pytest.mark.parametrize("changed", ["proofs/somebody.py", "constructions/__init__.py"], indirect=True)
def test_another_package_in_the_same_folder_is_refused(installed: Installed, tmp_path: Path, changed: Path) -> None:
    refused = installed.run(tmp_path, "certify", "--version")
    assert (refused.returncode, refused.stdout) == (2, "") and refused.stderr.count("\n") == 1
    assert refused.stderr.startswith(f"certify: {changed} is of another package, which was installed into the folder "
                                     f"of certify's own {changed.parent.name}: ")
