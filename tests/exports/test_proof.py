"""Proofs for people: LaTeX that compiles, lemmas for all obligations, and every number where the certificate has it."""

import json
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.claims.formula.sealed import read_sealed_text
from certify.exports.proof.document import proof_of
from certify.exports.proof.paper import find_spans, spell
from constructions.regimes import ALL_REGIMES, Regime, Sharpening
from tests.exports.conftest import write_certificate

CAUSAL, POSITION = Regime(causal=True), Regime(Sharpening.POSITION)
STRANGE = "%\\_^~{}#$&é<>|\"'"
SUBJECTS: list[tuple[str, str, Regime]] = [
    ("Q_1 since prev Q_0", "01", Regime()), ("next Q_1 & (Q_1 until Q_0)", "01", POSITION), ("prev Q_1", "01", CAUSAL),
    ("2*#<[Q_1] >= #>[Q_0] + 1", "01", Regime()), ("ODD(#<[Q_1]) & #<[Q_0] > 2", "01", CAUSAL),
    ("O Q['%'] & !Q['\\\\'] & Q['_'] | Q['é']", STRANGE, Regime())]


def made(folder: Path, formula: str, alphabet: str, regime: Regime, max_n: int = 4) -> tuple[str, str]:
    """Return a certificate and its proof."""
    text = write_certificate(folder / "made.cert", formula, alphabet, max_n, regime).read_text(encoding="utf-8")
    return text, proof_of(read_sealed_text(text, "made.cert"), text)


def tokens(document: str) -> list[str]:
    """Commands, escaped characters, and single characters that LaTeX acts on."""
    return re.findall(r"\\[A-Za-z]+\*?|\\.|[{}$&%#_^~]", document, re.DOTALL)


def check_latex(document: str) -> None:
    """Check that braces, dollars and environments are balanced, and special characters are in their places."""
    found = tokens(document.replace("Section~2", "Section 2"))
    depth, in_math = 0, False
    for token in found:
        depth += (token == "{") - (token == "}")
        in_math ^= token == "$"
        in_math = token == r"\[" or (in_math and token != r"\]")
        assert depth >= 0
        assert token not in "_^" or in_math, "an index outside mathematics"
        assert token not in "%~#", "a character that LaTeX acts on"
    assert depth == 0 and not in_math
    stack: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", document):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert stack == [] and document.isascii()


@pytest.mark.parametrize(("formula", "alphabet", "regime"), SUBJECTS)
def test_the_document_is_balanced_and_escaped(tmp_path: Path, formula: str, alphabet: str, regime: Regime) -> None:
    preamble, _, body = made(tmp_path, formula, alphabet, regime)[1].partition(r"\begin{document}")
    check_latex(r"\begin{document}" + body)
    assert preamble.startswith(r"\documentclass")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("place", [0, 3, 5])
def test_pdflatex_compiles_it(tmp_path: Path, place: int) -> None:
    (tmp_path / "proof.tex").write_text(made(tmp_path, *SUBJECTS[place])[1], encoding="ascii")
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "proof.tex"], cwd=tmp_path,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert b"Overfull" not in done.stdout


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_every_citation_names_the_line_that_has_it(tmp_path: Path, regime: Regime) -> None:
    certificate, document = made(tmp_path, "(Q_1 since prev Q_0) | (O Q_1)", "01", regime)
    lines, data = certificate.splitlines(), json.loads(certificate)
    cited = re.findall(r"\\cert\{lines? (\d+)(?:--(\d+))?\}\{(.*?)\}", document)
    assert len(cited) > 10
    for first, last, path in cited:
        part: Any = data
        for key in re.findall(r"[A-Za-z_]+|\d+", path.replace("\\_", "_")):
            part = part[int(key) if key.isdigit() else key]
        written = "\n".join(line.strip() for line in lines[int(first) - 1:int(last or first)])
        expected = "\n".join(line.strip() for line in json.dumps(part, indent=1).splitlines())
        assert written.removesuffix(",").split(": ", 1)[-1] == expected or written.removesuffix(",") == expected


def test_all_bounds_are_cited_and_none_is_rounded_down(tmp_path: Path) -> None:
    certificate, document = made(tmp_path, *SUBJECTS[3])
    for place, bound in enumerate(json.loads(certificate)["bounds"]):
        for key in ("error_if_false", "error_if_true"):
            name = f"bounds[{place}].{key}".replace("_", r"\_")
            found = re.search(r"at most \$([^$]*)\$ \\cert\{line \d+\}\{" + re.escape(name) + r"\}", document)
            assert found is not None
            mantissa, _, exponent = found[1].partition(r" \cdot 10^{")
            shown = Fraction(mantissa) * Fraction(10) ** int(exponent.rstrip("}") or 0)
            assert Fraction(bound[key]) <= shown <= Fraction(bound[key]) * (1 + Fraction(1, 10**5))


def test_every_obligation_is_claimed_by_one_lemma(tmp_path: Path) -> None:
    """Equal ones share a lemma: the two copies of `prev` have the same heads and outputs."""
    certificate, document = made(tmp_path, "(prev Q_1) & (prev Q_0)", "01", Regime())
    claims = re.findall(r"\\begin\{lemma\}\[(.*?)\](.*?)\\end\{lemma\}", document, re.DOTALL)
    titles = [title for title, _ in claims]
    numbers = {name: place for place, name in enumerate(json.loads(certificate)["transformer"]["directions"], start=1)}
    for name, number in numbers.items():
        assert sum(f"$h_{{{number}}}$" in claim for _, claim in claims) == 1, name
    assert titles[0] == "{Embedding}" and titles[-1] == "{Composition}"
    assert "{Heads 1.1, 1.3}" in titles or "{Heads 1.1, 1.4}" in titles


def test_the_worst_input_and_the_simplified_scores_are_there(tmp_path: Path) -> None:
    _, document = made(tmp_path, "(Q_1 | Q_0) since Q_1", "01_", Regime(), 3)
    assert r"\[ s_{ij} = 6 h_{" in document and "at $n = 3$, $i = 3$" in document
    assert r"\[ \frac{e^{-3} + e^{-6}}{1 + e^{-3} + e^{-6}}. \]" in document
    assert "$u_{1} = h_{" in document and r"$f_{1}(u) = 2 \operatorname{ReLU}(u - \tfrac{1}{4})" in document


def test_too_many_directions_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, certify: Any) -> None:
    write_certificate(tmp_path / "since.cert", "Q_1 since Q_0", "01", 3)
    monkeypatch.setattr("certify.exports.proof.document.MOST_DIRECTIONS", 5)
    result = certify("export", "since.cert", "--to", "proof", "-o", "out.tex")
    assert result.code == 3 and re.fullmatch(
        r"certify: unsupported: a readable proof of \d+ directions: at most 5 are written\n", result.err)
    assert not (tmp_path / "out.tex").exists()


def test_spans_are_those_of_json_with_an_indent_of_one() -> None:
    data = {"a": [1, {"b": [], "c": {}}], "d": "x"}
    lines = json.dumps(data, indent=1).splitlines()
    for path, span in find_spans(data).items():
        part: Any = data
        for key in path:
            part = part[key]
        written = "\n".join(line.strip() for line in lines[span.first - 1:span.last]).removesuffix(",")
        assert written.endswith("\n".join(line.strip() for line in json.dumps(part, indent=1).splitlines()))
    assert spell(("a", 1, "b")) == "a[1].b"
