"""`certify export`: every kind of certificate in every format, what is refused, and that nothing half-written stays."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import onnx
import pytest

from certify.exports.formats import EXPORTERS, load_exporter
from proofs.formula.failures import NotDerived, Undecided
from proofs.formula.z3.solver import SolverQuery
from tests.check.test_corpus import CORPUS
from tests.cli.conftest import Result
from tests.exports.pages.test_page_of_a_certificate import check_form
from tests.exports.test_latex import check_balanced
from tests.exports.test_proof import check_latex

RUNNABLE = ["onnx", "torch", "safetensors"]
FORMATS = ["smt2", "latex", "tikz", "figures", "proof", "html", "npz", *RUNNABLE]


def test_every_format_has_its_exporter() -> None:
    assert sorted(EXPORTERS) == ["coq", *sorted(FORMATS)]
    assert all(callable(load_exporter(form)) and EXPORTERS[form][1] == f"export_{form}" for form in EXPORTERS)


KINDS = {"by_hand_prev": "", "margin_parity": "about margins", "softened_counting": "of a softened transformer",
         **dict.fromkeys((f"trained_{name}" for name in (
             "mean_in_cells", "mean_by_classes", "float_executions_of_relu", "lengths", "lengths_wrong_word",
             "wrong_word", "suffixes", "track_runs", "tracks", "tracks_wrong_input", "wrong_input_run", "wrong_run")),
             "of a trained network")}
"""A certificate of the corpus for each kind of claim and of evidence, and what it is about if that is no formula."""


def refusal(name: str, form: str) -> tuple[int, str]:
    """Return the exit status of an export, and why it is not made."""
    drawn = form == "figures" and name in ("softened_counting", "trained_mean_by_classes")
    if not KINDS[name] or form == "html" or drawn:
        return 0, ""
    if form == "figures" and name in ("trained_mean_in_cells", "trained_wrong_word"):
        return 3, "unsupported: x.cert: it has no figures"
    return 3, f"unsupported: x.cert: there is no such export of a certificate {KINDS[name]}"


OPENED: dict[str, Callable[[Path], object]] = {
    "npz": lambda path: np.load(path, allow_pickle=False)["output"], "html": lambda path: check_form(path.read_text()),
    "latex": lambda path: check_balanced(path.read_text()), "tikz": lambda path: path.read_text().index("tikzpicture"),
    "proof": lambda path: check_latex(path.read_text().partition(r"\begin{document}")[2].rpartition(r"\end{")[0]),
    "smt2": lambda path: json.loads((path / "manifest.json").read_text())["scripts"],
    "figures": lambda path: next(ElementTree.parse(each) for each in path.glob("*.svg")),
    "onnx": lambda path: onnx.checker.check_model(onnx.load(path)),
    "safetensors": lambda path: json.loads(path.read_bytes()[8:].partition(b"}}")[0] + b"}}"),
    "torch": lambda path: next(compile(each.read_text(), each.name, "exec") for each in path.glob("*.py")),
}
"""What reads a format again, and fails if it cannot."""


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_certificate_is_written_and_can_be_read_again_or_one_line_says_why_not(
        certify: Any, tmp_path: Path, name: str, form: str) -> None:
    shutil.copy(CORPUS / "accepted" / f"{name}.cert", tmp_path / "x.cert")
    if KINDS[name]:
        coq = certify("export", "x.cert", "--to", "coq", "--unchecked", "-o", "out")
        assert coq.err == f"certify: unsupported: x.cert: there is no such export of a certificate {KINDS[name]}\n"
        assert coq.code == 3
    result, (status, why) = certify("export", "x.cert", "--to", form, "-o", "out"), refusal(name, form)
    assert (result.code, result.out, result.err) == (status, "", f"certify: {why}\n" if why else "")
    assert (tmp_path / "out").exists() is (not why)
    if not why:
        OPENED[form](tmp_path / "out")


@pytest.mark.parametrize("form", FORMATS)
def test_exporting_twice_gives_the_same_bytes(certify: Any, since: str, tmp_path: Path, form: str) -> None:
    written = []
    for name in ("one", "two"):
        assert certify("export", since, "--to", form, "-o", name) == Result(0, "", "")
        place = tmp_path / name
        written.append({path.name: path.read_bytes() for path in place.iterdir()} if place.is_dir()
                       else place.read_bytes())
    assert written[0] == written[1] and written[0]


@pytest.mark.parametrize("form", FORMATS)
def test_a_rejected_certificate_is_not_exported(certify: Any, since: str, tmp_path: Path, form: str) -> None:
    text = (tmp_path / since).read_text(encoding="utf-8")
    (tmp_path / "spoilt.cert").write_text(text.replace('"formula": "Q_1 since Q_0"', '"formula": "Q_0 since Q_1"', 1))
    before = sorted(tmp_path.iterdir())
    result = certify("export", "spoilt.cert", "--to", form, "-o", "out")
    assert (result.code, result.out) == (1, "") and result.err.startswith("certify: spoilt.cert: rejected: ")
    assert len(result.err.splitlines()) == 1 and sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("content", "complaint"), [
    ("{}", "expected a certificate"), ("no JSON", "expected a certificate"), (None, "No such file or directory")])
def test_what_is_no_certificate_is_bad_input(
        certify: Any, tmp_path: Path, form: str, content: str | None, complaint: str) -> None:
    if content is not None:
        (tmp_path / "x.cert").write_text(content)
    result = certify("export", "x.cert", "--to", form, "-o", "out")
    assert result.code == 2 and complaint in result.err and len(result.err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("form", "place", "complaint"), [
    ("smt2", "full", "full: cannot be written: the folder is not empty"),
    ("smt2", "file", "file: cannot be written: it is no folder"),
    ("smt2", "-", "-o: found '-', expected a folder"),
    ("smt2", "x" * 300, "cannot be written: File name too long"),
    ("smt2", "nowhere/out", "nowhere/out: cannot be written: there is no folder"),
    ("latex", "full", "full: cannot be written: it is a folder"),
    ("proof", "full", "full: cannot be written: it is a folder"),
    ("latex", "nowhere/out", "nowhere/out: cannot be written: there is no folder"),
    ("npz", "full", "full: cannot be written: it is a folder"),
    ("npz", "-", "-o -: it is not text, expected a file"),
    ("safetensors", "-", "-o -: it is not text, expected a file"),
    ("safetensors", "full", "full: cannot be written: it is a folder"),
    ("onnx", "-", "-o -: it is not text, expected a file"),
    ("onnx", "nowhere/out", "nowhere/out: cannot be written: there is no folder"),
    ("torch", "full", "full: cannot be written: the folder is not empty"),
    ("torch", "-", "-o: found '-', expected a folder"),
])
def test_a_place_that_cannot_be_written_is_refused_and_left_alone(
        certify: Any, since: str, tmp_path: Path, form: str, place: str, complaint: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "kept").write_text("kept")
    (tmp_path / "file").write_text("kept")
    before = sorted(tmp_path.rglob("*"))
    result = certify("export", since, "--to", form, "-o", place)
    assert result.code == 2 and complaint in result.err and len(result.err.splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before and (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in RUNNABLE])
def test_only_what_runs_has_a_precision(certify: Any, since: str, form: str) -> None:
    result = certify("export", since, "--to", form, "-o", "out", "--precision", "binary16")
    complaint = f"certify: --precision: found --to {form}, expected --to onnx, torch or safetensors\n"
    assert (result.code, result.err) == (2, complaint)


def test_latex_goes_from_standard_input_to_standard_output(certify: Any, since: str, tmp_path: Path) -> None:
    result = certify("export", "-", "--to", "latex", "-o", "-", stdin=(tmp_path / since).read_bytes())
    assert result.code == 0 and r"\begin{tabular}" in result.out
    assert result.out.startswith("% Pastes into a document with")


def test_a_probe_that_z3_does_not_decide_is_no_export(
        certify: Any, since: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def undecided(_: SolverQuery) -> bool:
        raise Undecided("Z3: timeout")

    monkeypatch.setattr(SolverQuery, "is_vacuous", undecided)
    result = certify("export", since, "--to", "smt2", "-o", "out")
    assert (result.code, result.err) == (3, "certify: unsupported: a probe that is not decided: Z3: timeout\n")
    assert not (tmp_path / "out").exists()


def test_a_line_that_is_not_proved_is_no_export(
        certify: Any, since: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts of a proof with a hole would all be answered as stated."""
    monkeypatch.setattr(SolverQuery, "is_proved", lambda question: False)
    monkeypatch.setattr("proofs.formula.feed_forward.family.check_cases", _refuse)
    monkeypatch.setattr("proofs.formula.attention.second.proves_attention", lambda *_, **__: True)
    result = certify("export", since, "--to", "smt2", "-o", "out")
    assert (result.code, result.err) == (3, "certify: unsupported: scripts for feed-forward, is[Q_1 since Q_0], which "
                                            "is not proved here: no\n")
    assert not (tmp_path / "out").exists()


def _refuse(_: object) -> None:
    raise NotDerived("no")
