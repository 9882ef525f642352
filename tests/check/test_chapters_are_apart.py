"""Who checks certificates of formulas runs the kernel and one chapter; what is loaded is looked at from outside."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus" / "accepted"
LOADED = """
import sys
sys.path.insert(0, sys.argv[1])
from checker.command import main
assert main([sys.argv[2]]) == 0
print("LOADED", *(name for name in sys.modules if name.startswith("checker.")))
"""


def loaded(path: Path) -> set[str]:
    """The chapters, and the other weightings of formulas, that a check of this file loads."""
    run = subprocess.run([sys.executable, "-I", "-S", "-c", LOADED, str(ROOT / "proofs" / "check"), str(path)],
                         capture_output=True, text=True, check=True)
    (line,) = (line for line in run.stdout.splitlines() if line.startswith("LOADED"))
    names = [name.split(".") for name in line.split()[1:]]
    return {name[2] for name in names if name[:2] == ["checker", "chapters"] and len(name) > 2} | {
        "weightings" for name in names if "weightings" in name}


@pytest.mark.parametrize(("name", "chapters"), [
    ("by_hand_since", {"formula"}), ("square_many", {"formula"}),
    ("weighting_sparsemax_since", {"formula", "weightings"}), ("weighting_relu_since", {"formula", "weightings"}),
    ("floats_since", {"formula", "floats"}),
    ("softened_recent", {"softened"}), ("trained_mean", {"trained"}), ("trained_wrong_word", {"trained"})])
def test_a_file_loads_its_own_chapter_alone(name: str, chapters: set[str]) -> None:
    assert loaded(CORPUS / f"{name}.cert") == chapters
