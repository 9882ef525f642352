"""`certify export --to checker` writes the trusted folder as one file, the same every time, which says the same."""

import subprocess
import sys
import zipfile
from pathlib import Path

from certify.exports.checker import write_checker

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus"


def test_two_writes_are_equal(tmp_path: Path) -> None:
    for name in ("one.pyz", "two.pyz"):
        write_checker(str(tmp_path / name))
    assert (tmp_path / "one.pyz").read_bytes() == (tmp_path / "two.pyz").read_bytes()


def test_it_holds_the_files_of_the_folder_and_nothing_else(tmp_path: Path) -> None:
    write_checker(str(tmp_path / "check.pyz"))
    folder = ROOT / "proofs" / "check"
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.py")}
    del files["__init__.py"]
    with zipfile.ZipFile(tmp_path / "check.pyz") as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == files | {"README.md": (folder / "README.md").read_bytes()}


def test_it_says_the_same_from_an_empty_folder(tmp_path: Path) -> None:
    write_checker(str(tmp_path / "check.pyz"))
    (tmp_path / "empty").mkdir()
    for path in ("accepted/by_hand_prev.cert", "rejected/another_mask.cert", "malformed/empty.cert"):
        alone, folder = (
            subprocess.run([sys.executable, "-I", "-S", str(checker), str(CORPUS / path)], cwd=tmp_path / "empty",
                           capture_output=True, check=False)
            for checker in (tmp_path / "check.pyz", ROOT / "proofs" / "check"))
        assert (alone.returncode, alone.stdout, alone.stderr) == (folder.returncode, folder.stdout, folder.stderr)
        assert alone.stdout
