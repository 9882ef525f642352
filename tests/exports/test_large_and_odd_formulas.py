"""Formulas that are deep, wide or odd: each export is written, or one line says why not."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from certify.exports.formats import EXPORTERS
from tests.exports.conftest import write_certificate
from tests.with_coq import coq_or_skip

FORMULAS = {
    "within 200": ("F[0,200] Q_a", "ab"), "after 500": ("X[500] Q_a", "ab"), "a modulus": ("MOD(97,3) & Q_a", "ab"),
    "deep": ("!prev (Q_b since " * 200 + "Q_a" + ")" * 200, "ab"),
    "wide": ("(Q_s0 | Q_s1) since Q_s999", tuple(f"s{number}" for number in range(1000))),
}
REASONS = {
    "coq": "unsupported: the formula, written out, is ", "latex": " directions in LaTeX, expected at most 1000",
    "proof": "unsupported: a readable proof of ", "tikz": "unsupported: a picture of this network, expected at most ",
    **dict.fromkeys(("onnx", "torch", "safetensors"), " directions: dense matrices would have "),
}
"""Why a format does without a large formula; the others take all of them."""


@cache
def certificate(name: str) -> str:
    """Return the text of the certificate for words of one or two letters."""
    formula, alphabet = FORMULAS[name]
    path = Path("made.cert")
    return write_certificate(path, formula, alphabet, 2).read_text(encoding="utf-8")


@pytest.mark.one_in(5)
@pytest.mark.parametrize("form", [form for form in EXPORTERS if form != "figures"])
@pytest.mark.parametrize("name", FORMULAS)
def test_every_export_is_made_or_one_line_says_why_not(certify: Any, tmp_path: Path, name: str, form: str) -> None:
    if form == "coq":
        coq_or_skip()
    (tmp_path / "x.cert").write_text(certificate(name), encoding="utf-8")
    result = certify("export", "x.cert", "--to", form, "-o", "written")
    if result.code:
        assert (result.code, name in ("a modulus", "wide")) == (3, False), result
        assert REASONS[form] in result.err.splitlines()[-1] and not (tmp_path / "written").exists(), result
    else:
        assert (tmp_path / "written").exists()
