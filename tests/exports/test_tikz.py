"""The picture in LaTeX: balanced and in ASCII, with every block and every wire of the network, inside its own frame."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from certify.claims.formula.sealed import Sealed
from certify.exports import tikz
from certify.exports.latex_tables import plain
from certify.exports.pages.certificate.blocks import find_columns
from certify.exports.pages.certificate.layout import find_wires
from certify.exports.pages.certificate.names import DirectionNames
from certify.exports.tikz import tikz_of
from constructions.errors import Unsupported

FORMULAS = [("Q_1 since prev Q_0", "01"), ("#<[Q_1] > #<[Q_0]", "01"), ("Q_a & (Q_b | !Q_a) & prev Q_a", "ab"),
            ("O Q['%'] & !Q['\\\\'] & Q['_']", "%\\_^~{}#$&[*<>|\""), ("O Q['\n\n']", ("\n\n", "é", "φ1", "…"))]
DOCUMENT = "\\documentclass{article}\n\\usepackage{tikz}\n\\begin{document}\n%s\\end{document}\n"


@pytest.mark.parametrize(("formula", "alphabet"), FORMULAS)
def test_it_is_ascii_with_balanced_braces_and_each_statement_in_a_line(
        sealed: Callable[..., Sealed], formula: str, alphabet: str) -> None:
    text = tikz_of(sealed(formula, alphabet, 3))
    assert text.isascii()
    bare = re.sub(r"\\[\\{}#$%&_]", " ", re.sub(r"^%.*$|(?<!\\)%$", "", text, flags=re.MULTILINE))
    assert bare.count("{") == bare.count("}") and bare.count("$") % 2 == 0 and "%" not in bare
    assert text.count(r"\begin{tikzpicture}") == text.count(r"\end{tikzpicture}") == 1
    drawn = [line for line in text.splitlines() if line.startswith(("\\draw", "\\node"))]
    assert drawn and all(line.endswith(";") for line in drawn)
    styles = {name for line in drawn for name in re.findall(r"^\\\w+\[([^\]]*)\]", line)[0].split(", ")}
    defined = set(re.findall(r"(\w+)/\.style", text))
    assert {name for name in styles if not name.startswith("minimum ")} <= defined


@pytest.mark.parametrize(("formula", "alphabet"), FORMULAS)
def test_every_block_stands_in_it_once_and_every_wire_ends_where_it_is_read(
        sealed: Callable[..., Sealed], formula: str, alphabet: str) -> None:
    given = sealed(formula, alphabet, 3)
    columns = find_columns(given.transformer, DirectionNames(given.transformer))
    text = tikz_of(given)
    blocks = [block for column in columns for block in column.blocks]
    kinds = re.findall(r"^\\node\[(symbol|position|head|exact|feed)", text, re.MULTILINE)
    assert sorted(kinds) == sorted(block.kind for block in blocks)
    assert len(re.findall(r"^\\node\[\w+, output", text, re.MULTILINE)) == 1
    read = {name for block in blocks for name, _ in block.reads}
    branches = re.findall(r"^\\draw\[[^\]]*(?:query|key|value|relu)\]", text, re.MULTILINE)
    assert len(branches) == sum(len(block.reads) for block in blocks)
    assert read == {wire.direction for wire in find_wires(columns)}


def test_numbered_formulas_are_defined_below_the_picture(sealed: Callable[..., Sealed]) -> None:
    long = " | ".join(f"(Q_{letter} & prev Q_{letter})" for letter in "abcde")
    text = tikz_of(sealed(long, "abcde", 2))
    below = text.partition(r"\end{tikzpicture}")[2]
    named = set(re.findall(r"\\varphi_\{(\d+)\}", text))
    assert named and named <= set(re.findall(r"\\par\\smallskip \$\\varphi_\{(\d+)\}\$ is ", below))


def test_a_network_that_nobody_could_see_is_refused(
        sealed: Callable[..., Sealed], monkeypatch: pytest.MonkeyPatch) -> None:
    given = sealed("Q_1 since Q_0", "01", 2)
    monkeypatch.setattr(tikz, "MOST_BLOCKS", 3)
    with pytest.raises(Unsupported, match="expected at most 3 blocks"):
        tikz_of(given)


@pytest.mark.parametrize("character", [
    chr(code) for code in (*range(32, 127), 0xE9, 0x3A9, 0x3B5, 0x3C6, 0x2026, 0x1F600)])
def test_no_character_acts(character: str) -> None:
    text = plain(f"a{character}b")
    assert text.isascii() and not re.search(r"(?<!\\)[#%&_$]", text) and not re.search(r"(?<!\\)[~^<>|]", text)


@pytest.mark.one_in(2)
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize(("formula", "alphabet"), FORMULAS)
def test_pdflatex_compiles_it(sealed: Callable[..., Sealed], tmp_path: Path, formula: str, alphabet: str) -> None:
    (tmp_path / "picture.tex").write_text(DOCUMENT % tikz_of(sealed(formula, alphabet, 3)), encoding="ascii")
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "picture.tex"], cwd=tmp_path,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-1200:]
