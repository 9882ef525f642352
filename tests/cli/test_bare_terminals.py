"""A machine that is not ours: no home to write in, a locale of ASCII alone, forty columns, a newer Python."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from certify.cli import command_line
from certify.common.terminal_tables import NARROW
from tests.check.test_other_pythons import python_or_skip
from tests.processes import ENVIRONMENT, ROOT
from tests.tiers import ends_and_all

EXAMPLES = ROOT / "examples"
FIRST = str(EXAMPLES / "trained" / "first")
PARITY = ("ODD(#<[Q_1])", "--alphabet", "01", "--temperature", "1", "--max-n", "4")
WEAK = ("--formula", "Q_1 since next Q_0", "--gamma", "13/10", "--max-n", "4")
COMMANDS = {
    "help": ("--help",),
    **{f"help of {name}": (name, "--help") for name in command_line().commands},
    "formula": ("formula", "prev Q_a since (Q_b until next Q_c)", "--max-n", "4"),
    "formulas": ("formula", "-F", str(EXAMPLES / "formulas.txt"), "--max-n", "2"),
    "explain": ("explain", "ODD(#<[Q_1])"),
    "list": ("list", "--all"),
    "run": ("run", "prev Q_a since (Q_b until next Q_c)", "abacab"),
    "run of a program": ("run", str(EXAMPLES / "programs" / "dyck_1.cr"), "(())"),
    "soften": ("model", str(EXAMPLES / "hard" / "flip_flop.json"), "--max-n", "3"),
    "sensitivity": ("sensitivity", *PARITY),
    "cross-entropy": ("cross-entropy", *PARITY),
    "margin": ("model", str(EXAMPLES / "published" / "parity.json"), "--formula", "ODD(#<[Q_1])", "--after", "$",
               "--max-n", "4"),
    "presets": ("floats", "--presets"),
    "import": ("import", FIRST, "--kind", "nanogpt", "--attention", "causal", "--heads", "1", "--activation",
               "gelu", "--epsilon", "1e-5", "--show", "-o", "first.json"),
    "decide": ("decide", "first.json", "--claim", f"{FIRST}/claim.toml", "--max-n", "2"),
    "learn": ("learn", "first.json", "--claim", f"{FIRST}/claim.toml", "--max-n", "2"),
    "equal": ("equal", "first.json", "first.json", "--claim", f"{FIRST}/claim.toml", "--max-n", "2"),
    "audit": ("audit", *WEAK),
    "check": ("check", str(ROOT / "tests" / "corpus" / "accepted" / "floats_since.cert")),
}
SECONDS = re.compile(r"\d+\.\d+;?")
BETWEEN = re.compile(r"[\s-]+")
"""Lines are broken at hyphens, too."""


@pytest.mark.parametrize("name", COMMANDS)
def test_forty_columns_lose_no_word(certify: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A terminal that is wide, but too narrow for all columns, some of which are left out."""
    if name in ("decide", "learn", "equal"):
        certify(*COMMANDS["import"])
    printed = {}
    for width in (40, NARROW - 1):
        monkeypatch.setenv("COLUMNS", str(width))
        if name == "import":
            Path("first.json").unlink(missing_ok=True)
        result = certify(*COMMANDS[name])
        assert result.code == (name == "audit"), result.err
        printed[width] = result.out
    known, words = ({word for word in BETWEEN.split(printed[width]) if not SECONDS.fullmatch(word)} - {""}
                    for width in (40, NARROW - 1))
    assert words and [word for word in sorted(words) if not is_put_together(word, known)] == []


def is_put_together(word: str, known: set[str]) -> bool:
    """Return whether the word is a known one, or a concatenation of known ones, as in a breakable column."""
    reached = {0}
    for start in range(len(word)):
        if start in reached:
            reached |= {end for end in range(start + 1, len(word) + 1) if word[start:end] in known}
    return len(word) in reached


def without(*names: str, **others: str) -> dict[str, str]:
    """Return the environment of the tests without some variables, and with others."""
    return {name: value for name, value in ENVIRONMENT.items() if name not in names} | others


def run(environment: dict[str, str], folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "certify.cli", *arguments], cwd=folder, env=environment,
                          capture_output=True, check=False)


@pytest.mark.parametrize("name", ["help", "list", "formula", "run", "explain", "audit", "import", "check"])
def test_a_locale_of_ascii_loses_nothing_but_the_shape_of_letters_and_a_home_that_cannot_be_written_is_no_news(
        tmp_path: Path, name: str) -> None:
    """Characters that it cannot show are escaped; files are UTF-8 all the same.

    Matplotlib would cache fonts in the home folder, and prints that.
    """
    environment = without("PYTHONIOENCODING", "LANG", "LC_CTYPE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR",
                          LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", COLUMNS="132",
                          HOME=os.devnull + "/none")
    style = ("--style", "unicode") if name in ("formula", "run", "explain") else ()
    pages = ("--html", "a.html", "--markdown", "a.md", "--csv", "a.csv")
    more = (*pages, "--quiet", "--critical", "none") if name == "audit" else ()
    done = run(environment, tmp_path, *COMMANDS[name], *style, *more)
    assert done.returncode == (name == "audit") and b"Traceback" not in done.stderr + done.stdout
    assert done.stdout and done.stdout.isascii()
    assert name not in ("audit", "list") or done.stderr == b""
    if name in ("formula", "run", "explain"):
        assert rb"\u2296Q_" in done.stdout or rb"\u2190#[Q_1]" in done.stdout
    for page in more[1:6:2]:
        assert (tmp_path / page).read_text(encoding="utf-8")
    assert name != "audit" or "<svg" in (tmp_path / "a.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("version", ends_and_all(["3.11", "3.12", "3.13", "3.14"]))
def test_every_file_is_python_of_every_version_that_it_is_for(version: str) -> None:
    """Without a word of warning: what is deprecated there is refused later."""
    other = python_or_skip(version)
    folders = [str(ROOT / name) for name in ("certify", "constructions", "proofs", "examples", "docs")]
    program = ("import pathlib, sys\n"
               "paths = [path for folder in sys.argv[1:] for path in pathlib.Path(folder).rglob('*.py')]\n"
               "for path in paths:\n"
               "    compile(path.read_bytes(), str(path), 'exec')\n"
               "print(len(paths))\n")
    done = subprocess.run([other, "-I", "-S", "-W", "error", "-c", program, *folders], capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stderr) == (0, "") and int(done.stdout) > 400
