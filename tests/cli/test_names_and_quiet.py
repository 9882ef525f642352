"""Names that libraries use are read, near ones are suggested, and --quiet says nothing that is no complaint."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify import certify as certify_in_python
from certify.floats.classes import read_class
from constructions.network.float_formats import ALIASES, FORMATS, parse_format


@pytest.mark.parametrize("name", ALIASES)
def test_formats_have_the_names_of_libraries_too(certify: Any, name: str) -> None:
    assert parse_format(name) == FORMATS[ALIASES[name]]
    if ALIASES[name] != "binary64":
        assert read_class(name) == read_class(ALIASES[name])
        built = [certify("build", "prev Q_1", "--alphabet", "01", "--precision", each, "--max-n", "8").out
                 for each in (name, ALIASES[name])]
        assert built[0] and built[0] == built[1]
    certify("formula", "prev Q_1", "--alphabet", "01", "--max-n", "2", "-o", "c.cert")
    exported = certify("export", "c.cert", "--to", "safetensors", "--precision", name, "-o", "x.safetensors")
    assert exported.code == (2 if ALIASES[name] == "binary64" else 0)


@pytest.mark.parametrize(("words", "meant"), [
    (("help", "formulae"), "formula"), (("help", "crosentropy"), "cross-entropy"), (("docs", "formulae"), "formulas"),
    (("docs", "exprots"), "exports"),
])
def test_near_names_are_suggested(certify: Any, words: tuple[str, str], meant: str) -> None:
    result = certify(*words)
    assert result.code == 2 and result.err.endswith(f"; did you mean {meant}?\n") and result.err.count("\n") == 1


EVEN = Path(__file__).parents[2] / "examples" / "trained" / "even"
LINES = (
    "formula Q_1 --alphabet 01 --max-n 2 -o a.cert", "formula 'Q_1 since next Q_0' --gamma 13/10 --max-n 6 -o b.cert",
    "audit --formula Q_1 --alphabet 01 --max-n 2 -o d.cert", "model m.json --max-n 2 -o e.cert",
    "import {even} --kind nanogpt --attention causal --heads 1 --activation gelu --epsilon 1e-5 -o even.json",
    "equal even.json even.json --claim {even}/claim.toml --max-n 2 -o compared",
    "learn even.json --claim {even}/claim.toml --max-n 2 -o f.cert --svg f.svg",
    "decide even.json --claim {even}/claim.toml --max-n 2 -o g.cert --wrong h.cert", "site a.cert -o site",
    "audit claims.toml --resume", "build Q_1 --alphabet 01 -o n.json",
    "export a.cert --to html -o a.html", "card a.cert -o a.md",
)
"""Commands that say on standard error where something is, or why there is nothing."""


def test_quiet_is_quiet(certify: Any) -> None:
    certify("build", "prev Q_1", "--alphabet", "01", "-o", "m.json")
    Path("claims.toml").write_text('[[claim]]\nname = "a"\nformula = "Q_1"\nalphabet = "01"\nlengths = 2\n')
    for words in LINES:
        result = certify(*shlex.split(words.format(even=EVEN)), "-q")
        assert result.code in (0, 1) and result.err == "", (words, result)


def test_symbols_that_end_in_nul_are_exported(certify: Any) -> None:
    certify_in_python("prev Q['a']", ["a", "a\0"], 2).save("nul.cert")
    assert certify("export", "nul.cert", "--to", "npz", "-o", "nul.npz").code == 0
    assert json.loads(str(np.load("nul.npz")["names"]))["alphabet"] == ["a", "a\0"]
