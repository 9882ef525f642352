"""The checker says the same under every Python that it is for; under one that is too old it says so in one line."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from certify.exports.checker import write_checker
from tests.tiers import ends_and_all

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus"
ENTRY = ROOT / "proofs" / "check" / "__main__.py"
FOR = ("3.10", "3.11", "3.12", "3.13", "3.14")
TOO_OLD = ("3.6", "3.7", "3.8", "3.9")
SAMPLE = sorted(CORPUS.glob("*/*.cert"))[::20]


def python_or_skip(version: str) -> str:
    """Return the program of this version: on the path, or installed beside the one that runs the tests."""
    beside = (str(path) for path in sorted(Path(sys.base_prefix).parent.glob(f"*{version}*/bin/python{version}")))
    for program in (f"python{version}", *beside):
        try:
            printed = subprocess.run([program, "-I", "-S", "-c", "import sys; print(sys.version_info[:2])"],
                                  capture_output=True, text=True, check=False)
        except OSError:
            continue
        if printed.stdout.split() == f"({version.replace('.', ', ')})".split():
            return program
    pytest.skip(f"Python {version} is not on this machine")


def run_checker(program: str, checker: Path, *files: Path) -> tuple[int, str, str]:
    """Exit status, what is printed and what is complained of."""
    done = subprocess.run([program, "-I", "-S", str(checker), *map(str, files)], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[int, str, str]]:
    """A checker in one file, and what it says of the corpus under the Python that runs the tests."""
    checker = tmp_path_factory.mktemp("here") / "check.pyz"
    write_checker(str(checker))
    return checker, run_checker(sys.executable, checker, *SAMPLE)


@pytest.mark.parametrize("version", ends_and_all(FOR))
def test_every_python_that_it_is_for_says_the_same_of_the_corpus(
        here: tuple[Path, tuple[int, str, str]], version: str) -> None:
    other = python_or_skip(version)
    checker, printed = here
    assert run_checker(other, checker, *SAMPLE) == printed
    assert printed[0] == 1 and all(f"{path}" in printed[1] for path in SAMPLE)


def test_as_a_module_of_the_house_it_says_the_same() -> None:
    done = subprocess.run([sys.executable, "-m", "proofs.check", *map(str, SAMPLE)], cwd=ROOT, capture_output=True,
                          text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == run_checker(sys.executable, ENTRY.parent, *SAMPLE)


@pytest.mark.parametrize("version", ends_and_all(TOO_OLD))
def test_an_older_python_says_so_in_one_line_and_rejects_nothing(tmp_path: Path, version: str) -> None:
    other = python_or_skip(version)
    write_checker(str(tmp_path / "check.pyz"))
    for checker in (tmp_path / "check.pyz", ROOT / "proofs" / "check"):
        assert run_checker(other, checker, SAMPLE[0]) == (
            2, "", f"check: this is Python {version}, expected 3.10 or newer; nothing was checked\n")


def test_any_python_3_can_read_the_file_that_looks_at_the_version() -> None:
    """Whatever is installed here: no syntax that is newer than 3.0, and nothing imported first but ``sys``."""
    parsed = ast.parse(ENTRY.read_text(encoding="utf-8"), feature_version=(3, 0))
    newer = ast.JoinedStr | ast.AnnAssign | ast.NamedExpr | ast.AsyncFunctionDef | ast.Match
    assert not [node for node in ast.walk(parsed) if isinstance(node, newer)]
    asked = next(place for place, node in enumerate(parsed.body) if isinstance(node, ast.If))
    imports = [ast.unparse(node) for node in parsed.body[:asked] if isinstance(node, ast.Import | ast.ImportFrom)]
    assert imports == ["import sys"]


def test_the_documents_name_the_oldest_version_that_is_refused_no_longer() -> None:
    oldest = re.search(r"^OLDEST = \((\d+), (\d+)\)$", ENTRY.read_text(encoding="utf-8"), re.M)
    assert oldest is not None
    for page in (ROOT / "README.md", ROOT / "proofs" / "check" / "README.md"):
        assert f"Python {oldest[1]}.{oldest[2]} or newer" in " ".join(page.read_text(encoding="utf-8").split()), page
