"""`certify export`: what is refused, with which status, and that nothing half-written stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from certify.commands.export import EXPORTERS, load_exporter
from certify.frame.files import write_folder
from constructions.errors import InputError
from proofs.formula.failures import NotDerived, Undecided
from proofs.formula.z3.solver import Question
from tests.cli.conftest import Result

RUNNABLE = ["onnx", "torch", "safetensors"]
FORMATS = ["smt2", "latex", "tikz", "figures", "proof", "html", "npz", *RUNNABLE]


def test_every_format_has_its_exporter() -> None:
    assert sorted(EXPORTERS) == ["coq", *sorted(FORMATS)]
    assert [load_exporter(form).__name__ for form in EXPORTERS] == [f"export_{form}" for form in EXPORTERS]


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
    ("npz", "-", "-o -: arrays are not text, expected a file"),
    ("safetensors", "-", "-o -: arrays are not text, expected a file"),
    ("safetensors", "full", "full: cannot be written: it is a folder"),
    ("onnx", "-", "-o -: a model is not text, expected a file"),
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


def test_an_empty_folder_is_filled(certify: Any, since: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert certify("export", since, "--to", "smt2", "-o", "out").code == 0
    assert (tmp_path / "out" / "manifest.json").is_file()


def test_an_unknown_format_is_bad_usage(certify: Any, since: str) -> None:
    result = certify("export", since, "--to", "pdf", "-o", "out")
    assert result.code == 2 and "'pdf'" in result.err


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in RUNNABLE])
def test_only_what_runs_has_a_precision(certify: Any, since: str, form: str) -> None:
    result = certify("export", since, "--to", form, "-o", "out", "--precision", "binary16")
    complaint = f"certify: --precision: {form} has none, expected --to onnx, torch or safetensors\n"
    assert (result.code, result.err) == (2, complaint)


def test_a_folder_appears_complete_or_not_at_all(tmp_path: Path) -> None:
    """The second file cannot be written: its folder is a file already."""
    with pytest.raises(InputError, match="cannot be written"):
        write_folder(str(tmp_path / "out"), {"first": "1", "first/second": "2"})
    assert list(tmp_path.iterdir()) == []
    write_folder(str(tmp_path / "out"), {"first": "1", "second": "é"})
    assert {path.name: path.read_text("utf-8") for path in (tmp_path / "out").iterdir()} == {"first": "1",
                                                                                             "second": "é"}


def test_latex_goes_to_standard_output(certify: Any, since: str) -> None:
    result = certify("export", since, "--to", "latex", "-o", "-")
    assert result.code == 0 and result.out.startswith("% Pastes into a document with")


def test_standard_input_is_read(certify: Any, since: str, tmp_path: Path) -> None:
    result = certify("export", "-", "--to", "latex", "-o", "-", stdin=(tmp_path / since).read_bytes())
    assert result.code == 0 and r"\begin{tabular}" in result.out


def test_a_probe_that_z3_does_not_decide_is_no_export(
        certify: Any, since: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def undecided(_: Question) -> bool:
        raise Undecided("Z3: timeout")

    monkeypatch.setattr(Question, "is_vacuous", undecided)
    result = certify("export", since, "--to", "smt2", "-o", "out")
    assert (result.code, result.err) == (3, "certify: unsupported: a probe that is not decided: Z3: timeout\n")
    assert not (tmp_path / "out").exists()


def test_a_line_that_is_not_proved_is_no_export(
        certify: Any, since: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts of a proof with a hole would all be answered as stated."""
    monkeypatch.setattr(Question, "is_proved", lambda question: False)
    monkeypatch.setattr("proofs.formula.feed_forward.family.check_cases", _refuse)
    monkeypatch.setattr("proofs.formula.attention.second.proves_attention", lambda *_, **__: True)
    result = certify("export", since, "--to", "smt2", "-o", "out")
    assert (result.code, result.err) == (3, "certify: unsupported: scripts for feed-forward, is[Q_1 since Q_0], which "
                                            "is not proved here: no\n")
    assert not (tmp_path / "out").exists()


def _refuse(_: object) -> None:
    raise NotDerived("no")
