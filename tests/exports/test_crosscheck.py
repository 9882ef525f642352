"""`certify check --crosscheck cvc5`: agreement, contradiction, no answer, no solver, and folders that are none."""

import json
from pathlib import Path
from typing import Any

import pytest

from certify.exports import second_solver
from certify.exports.manifest import digest_of_script
from constructions.language.printer import format_formula
from tests.exports.conftest import EXAMPLES, write_certificate
from tests.tiers import few_and_all

FIRST = "001_layer_1_head_1_part_1.smt2"
THREE = ["dyck_1", "first_symbol_is_a", "all_four"]


EXPORTED = dict[str, str]()
"""The files of one folder, exported once for these tests."""


@pytest.fixture
def folder(certify: Any, since: str, tmp_path: Path) -> Path:
    place = tmp_path / "scripts"
    if not EXPORTED:
        assert certify("export", since, "--to", "smt2", "-o", "scripts").code == 0
        EXPORTED.update({path.name: path.read_text(encoding="utf-8") for path in place.iterdir()})
    place.mkdir(exist_ok=True)
    for name, text in EXPORTED.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


def agreement_at(certify: Any, tmp_path: Path, name: str, max_n: int) -> None:
    example = EXAMPLES[name]
    write_certificate(tmp_path / "x.cert", format_formula(example.formula), "".join(example.alphabet), max_n)
    assert certify("export", "x.cert", "--to", "smt2", "-o", "x").code == 0
    result = certify("check", "x", "--crosscheck", "cvc5", "--json")
    assert (result.code, result.json["verdict"], result.json["solver"]) == (0, "agreement", "cvc5")
    listed = json.loads((tmp_path / "x" / "manifest.json").read_text())["scripts"]
    assert [row["file"] for row in result.json["scripts"]] == [row["file"] for row in listed]
    assert all(row["found"] == row["status"] for row in result.json["scripts"])


@pytest.mark.parametrize("max_n", few_and_all(2, 3))
@pytest.mark.parametrize("name", [
    "dyck_1", pytest.param("first_symbol_is_a", marks=pytest.mark.exhaustive), "all_four"])
def test_cvc5_agrees_on_every_obligation_of_short_words(certify: Any, tmp_path: Path, name: str, max_n: int) -> None:
    agreement_at(certify, tmp_path, name, max_n)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", THREE)
def test_cvc5_agrees_on_every_obligation_up_to_16(certify: Any, tmp_path: Path, name: str) -> None:
    agreement_at(certify, tmp_path, name, 16)


def test_the_table_has_a_row_per_script_and_ends_with_the_tally(certify: Any, folder: Path) -> None:
    result = certify("check", "scripts", "--crosscheck", "cvc5")
    rows = [line for line in result.out.splitlines() if ".smt2" in line]
    assert result.code == 0 and len(rows) == len(list(folder.glob("*.smt2")))
    assert all("agrees" in row for row in rows)
    assert result.out.splitlines()[-1].startswith(
        f"AGREEMENT  cvc5, {len(rows)} scripts: {len(rows)} as stated, 0 contradicted, 0 unknown; ")


def test_z3_reads_the_scripts_too(certify: Any, folder: Path) -> None:
    assert certify("check", "scripts", "--crosscheck", "z3", "--json").json["verdict"] == "agreement"


def change(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text(encoding="utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new), encoding="utf-8")


def forge(folder: Path, name: str, old: str, new: str) -> None:
    """Change a script, and the manifest so that it fits."""
    before = digest_of_script((folder / name).read_text(encoding="utf-8"))
    change(folder, name, old, new)
    change(folder, "manifest.json", before, digest_of_script((folder / name).read_text(encoding="utf-8")))


def test_a_weaker_hypothesis_is_contradicted(certify: Any, folder: Path) -> None:
    """The rounding layer needs that what is near a truth is at least 3/4; 1/3 is not enough."""
    (name,) = (path.name for path in folder.glob("*feed_forward.smt2"))
    forge(folder, name, "(<= (/ 3.0 4.0) x_0)", "(<= (/ 1.0 3.0) x_0)")
    result = certify("check", "scripts", "--crosscheck", "cvc5", "--json")
    assert (result.code, result.json["verdict"]) == (1, "contradiction")
    assert [row["file"] for row in result.json["scripts"] if row["agreement"] == "contradicts"] == [name]


def test_a_probe_with_contradictory_hypotheses_is_contradicted(certify: Any, folder: Path) -> None:
    name = next(path.name for path in sorted(folder.glob("*probe.smt2")))
    forge(folder, name, "(check-sat)", "(assert false)\n(check-sat)")
    assert certify("check", "scripts", "--crosscheck", "cvc5").code == 1


def test_what_the_solver_cannot_read_is_unknown(certify: Any, folder: Path) -> None:
    name = next(path.name for path in sorted(folder.glob("*.smt2")))
    forge(folder, name, "(check-sat)", "(assert undeclared)\n(check-sat)")
    result = certify("check", "scripts", "--crosscheck", "cvc5", "--json")
    assert (result.code, result.json["verdict"]) == (3, "unknown")
    (row,) = (row for row in result.json["scripts"] if row["agreement"] == "unknown")
    assert row["file"] == name and "undeclared" in row["found"]


def test_a_contradiction_is_not_hidden_by_an_unknown(certify: Any, folder: Path) -> None:
    (name,) = (path.name for path in folder.glob("*feed_forward.smt2"))
    forge(folder, name, "(<= (/ 3.0 4.0) x_0)", "(<= (/ 1.0 3.0) x_0)")
    forge(folder, next(path.name for path in sorted(folder.glob("*.smt2"))), "(check-sat)", "(assert no)")
    assert certify("check", "scripts", "--crosscheck", "cvc5").code == 1


def test_a_script_that_takes_too_long_is_stopped_and_unknown(
        certify: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sleep.py").write_text(f"import signal, sys\nif {FIRST!r} in sys.argv[1]:\n    signal.pause()\n")
    monkeypatch.setattr(second_solver, "READERS", {"cvc5": str(tmp_path / "sleep.py")})
    result = certify("check", "scripts", "--crosscheck", "cvc5", "--script-timeout", "4", "--json")
    assert result.code == 3
    assert {row["file"] == FIRST: row["found"] for row in result.json["scripts"]} == {
        True: "no answer in 4 s", False: "no answer"}


def test_without_cvc5_one_line_says_how_to_get_it(
        certify: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_solver, "is_installed", lambda solver: False)
    result = certify("check", "scripts", "--crosscheck", "cvc5")
    assert (result.code, result.out) == (3, "")
    assert result.err == ("certify: cvc5 is not installed, expected the extra: pip install '.[cvc5]' in a checkout of "
                          "certify\n")


def test_whether_a_solver_is_installed_is_seen() -> None:
    assert second_solver.is_installed("z3")
    assert not second_solver.is_installed("no_such_solver")  # type: ignore[arg-type]


@pytest.mark.parametrize(("spoil", "complaint"), [
    (lambda folder: (folder / "manifest.json").unlink(), "scripts/manifest.json: No such file or directory"),
    (lambda folder: (folder / "manifest.json").write_text("[]"),
     "scripts/manifest.json: expected a manifest of the format certify-smt2, version 1"),
    (lambda folder: (folder / "manifest.json").write_text('{"format": "certify-smt2", "version": 1, "scripts": []}'),
     "scripts/manifest.json: scripts: expected a list of at least one"),
    (lambda folder: (folder / "more.smt2").write_text(""), "scripts/manifest.json: does not list more.smt2"),
    (lambda folder: change(folder, "manifest.json", '"status": "sat"', '"status": "unsat"'),
     "scripts/001_layer_1_head_1_part_1_probe.smt2: states the status sat, and the manifest unsat"),
    (lambda folder: change(folder, "manifest.json", '"status": "sat"', '"status": "maybe"'),
     "scripts/manifest.json: script 2: status: found 'maybe', expected sat or unsat"),
    (lambda folder: change(folder, "manifest.json", '"file": "001_layer', '"file": "../001_layer'),
     "scripts/manifest.json: script 1: file: found '../001_layer_1_head_1_part_1.smt2', "
     "expected a name that ends in .smt2"),
    (lambda folder: change(folder, "manifest.json", '"proves"', '"shows"'),
     "scripts/manifest.json: script 1: expected an object with the texts file, status, proves, sha256"),
    (lambda folder: change(folder, FIRST, "(check-sat)", "(assert false)\n(check-sat)"),
     f"scripts/{FIRST}: was changed since it was exported: its SHA-256 is not the one of the manifest"),
    (lambda folder: next(folder.glob("*.smt2")).unlink(), "No such file or directory"),
])
def test_a_folder_that_was_changed_is_bad_input(certify: Any, folder: Path, spoil: Any, complaint: str) -> None:
    spoil(folder)
    result = certify("check", "scripts", "--crosscheck", "cvc5")
    assert result.code == 2 and complaint in result.err
    assert len(result.err.splitlines()) == 1


@pytest.mark.parametrize(("command", "complaint"), [
    ("(set-option :regular-output-channel stolen)", "found 'set-option', expected the commands assert, check-sat, "),
    ("(set-info :source |x|)", "found a string or a quoted symbol, expected none"),
    ('(echo "unsat")', "found a string or a quoted symbol, expected none"),
    ("(include x)", "found 'include', expected the commands "),
    ("( get-model)", "found 'get-model', expected the commands "),
    ("(((check-sat)))", "found '(', expected the commands "),
    (") (assert true)", "found ')', expected the commands "),
    ("push", "found 'push', expected the commands "),
    ("; a comment\r(include x)", r"found '\r', expected printable ASCII"),
    ("; a comment\x0b(include x)", r"found '\x0b', expected printable ASCII"),
])
def test_a_script_that_does_more_than_to_state_and_ask_never_reaches_a_solver(
        certify: Any, folder: Path, command: str, complaint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_solver, "_ask_about", None)
    forge(folder, FIRST, "(check-sat)", f"{command}\n(check-sat)")
    result = certify("check", "scripts", "--crosscheck", "cvc5")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"certify: scripts/{FIRST}: {complaint}")


@pytest.mark.parametrize("seconds", ["0", "86401", "9" * 40])
def test_a_timeout_is_from_a_second_to_a_day(certify: Any, folder: Path, seconds: str) -> None:
    result = certify("check", "scripts", "--crosscheck", "cvc5", "--script-timeout", seconds)
    assert (result.code, result.err) == (
        2, f"certify: --script-timeout: {seconds}, expected a number of seconds from 1 to 86400\n")
