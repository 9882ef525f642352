"""Figures for papers: what is in a certificate is in them, and two runs give the same bytes."""

import html
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from certify.claims.formula.sealed import Sealed, read_sealed
from certify.exports.figures import figure_files
from certify.exports.pages.certificate.approximations import study
from certify.exports.pages.certificate.blocks import find_columns
from certify.exports.pages.certificate.names import DirectionNames, clip
from tests.processes import ROOT

CORPUS = ROOT / "tests" / "corpus" / "accepted"


def drawn(path: Path) -> dict[str, str | bytes]:
    return figure_files(path.read_text(encoding="utf-8"), path.name)


def first_lines(sealed: Sealed) -> set[str]:
    columns = find_columns(sealed.transformer, DirectionNames(sealed.transformer))
    return {clip(block.lines[0], 20) for column in columns for block in column.blocks}


def texts_of(files: dict[str, str | bytes]) -> set[str]:
    return set(map(html.unescape, re.findall(r">([^<>]+)</text>", str(files["network.svg"]))))


def test_a_certificate_of_a_formula_has_its_network_and_the_map_of_every_head_that_errs(
        since: str, tmp_path: Path) -> None:
    sealed: Sealed = read_sealed(str(tmp_path / since))
    files = drawn(tmp_path / since)
    maps = {f"errors-{each.at}" for each in study(sealed).approximations if each.chart is not None}
    assert maps and files.keys() == {f"{name}.{form}" for name in {"network", *maps} for form in ("pdf", "svg")}
    assert all(bytes(content[:5]) == b"%PDF-" for name, content in files.items()
               if name.endswith("pdf") and isinstance(content, bytes))
    assert first_lines(sealed) <= texts_of(files)


def test_a_decision_has_its_margin_curve_and_a_softened_transformer_its_network() -> None:
    assert drawn(CORPUS / "trained_mean_by_classes.cert").keys() == {"margins.pdf", "margins.svg"}
    assert drawn(CORPUS / "softened_recent.cert").keys() == {"network.pdf", "network.svg"}


def test_names_that_strangers_gave_are_drawn_as_they_are(sealed: Callable[..., Sealed], tmp_path: Path) -> None:
    lines = first_lines(sealed("O Q['$a$'] & !Q['<b>']", ("$a$", "<b>"), 3))
    assert any("$" in line for line in lines) and any("<" in line for line in lines)
    assert lines <= texts_of(drawn(tmp_path / "made.cert"))


@pytest.mark.exhaustive
def test_another_process_gives_the_same_bytes(since: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        subprocess.run([sys.executable, "-m", "certify", "export", since, "--to", "figures", "-o", name], cwd=tmp_path,
                       check=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()} == {
        path.name: path.read_bytes() for path in (tmp_path / "two").iterdir()}
