"""Every kind of file is given to every command: it works, or one line names the kind and the next command.

Each accepted certificate of the corpus, of every kind, is told in every way: as text, as JSON, as a card and as a page.
"""

import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import certify as package
from certify.commands.files_taken import TAKEN
from certify.common.look import CERTIFICATES, KINDS, SUBJECTS, TRAINED, UNKNOWN, look
from constructions.errors import InputError
from proofs.check.checker.kinds import CHAPTERS
from tests.check.test_corpus import ACCEPTED
from tests.check.test_corpus import CORPUS as VERDICTS
from tests.processes import ROOT

CORPUS, EXAMPLES = ROOT / "tests" / "corpus" / "accepted", ROOT / "examples"
COPIED: Mapping[str, Path] = {
    "model.json": EXAMPLES / "published" / "first.json", "trained.json": EXAMPLES / "adders" / "carries.json",
    "since.cert": CORPUS / "by_hand_prev.cert", "decided.cert": CORPUS / "trained_mean.cert",
    "claims.toml": EXAMPLES / "claims" / "ties.toml", "claim.toml": EXAMPLES / "trained" / "even" / "claim.toml",
    "flip.rasp": EXAMPLES / "programs" / "flip_flop.rasp", "star.cr": EXAMPLES / "programs" / "ab_star.cr",
    "m.safetensors": EXAMPLES / "trained" / "even" / "model.safetensors", "n.ipynb": EXAMPLES / "certify.ipynb",
}
WRITTEN: Mapping[str, bytes] = {
    "f.ltl": b"prev Q_a\n", "even.hoa": b"HOA: v1\n", "old.pt": b"\x80\x02}q\x00.", "m.onnx": b"\x08\x0a\x12\x01x",
    "lens.json": b'{"d_model": 8}', "config.json": b'{"model_type": "gpt2"}', "x.gguf": b"GGUF\x03\0\0\0",
    "bytes.dat": bytes(range(256)),
}
ARCHIVES: Mapping[str, tuple[str, ...]] = {
    "enc.pt": ("enc/data.pkl", "enc/version"), "m.pt2": ("m/archive_format", "m/models/model.json"),
    "script.pt": ("s/data.pkl", "s/constants.pkl"), "other.zip": ("readme",),
}
EXPECTED = {
    "model.json": "model", "trained.json": "trained", "since.cert": "certificate",
    "decided.cert": "trained certificate", "claims.toml": "claims", "claim.toml": "claim",
    "flip.rasp": "program", "star.cr": "program", "f.ltl": "formula",
    "m.safetensors": "safetensors", "n.ipynb": "notebook", "even.hoa": "automaton", "old.pt": "torch",
    "enc.pt": "torch", "m.onnx": "onnx", "config.json": "config", "lens.json": "config", "x.gguf": "gguf",
    "bytes.dat": "binary",
    "m.pt2": "pt2", "script.pt": "torchscript", "other.zip": "binary", "arrays.npz": "npz", "a.folder": "folder",
}
MORE: Mapping[str, list[str]] = {
    "run": ["0110"], "export": ["--to", "html", "-o", "page.html"], "train": ["-o", "new"],
    "import": ["-o", "imported.json"],
}
"""Files beside the model."""
FIRST = {"sensitivity": "prev Q_a", "run": "trained.json", "decide": "trained.json", "learn": "trained.json",
         "heads": "trained.json", "ablate": "trained.json", "harden": "trained.json", "equal": "trained.json",
         "import": "m.safetensors", "audit": None}
"""The file of the argument where an option is given another."""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, source in COPIED.items():
        shutil.copy(source, name)
    for name, data in WRITTEN.items():
        Path(name).write_bytes(data)
    for name, parts in ARCHIVES.items():
        with zipfile.ZipFile(name, "w") as archive:
            for part in parts:
                archive.writestr(part, "")
    np.savez("arrays.npz", x=np.zeros(2))
    Path("a.folder").mkdir()
    return tmp_path


def test_each_kind_is_recognised(files: Path) -> None:
    assert {name: look(name) for name in EXPECTED} == EXPECTED
    assert set(EXPECTED.values()) == set(KINDS) - UNKNOWN
    assert look("missing") is None


def arguments(command: str, parameter: str, path: str) -> list[str]:
    from certify.cli import command_line

    found = {each.name: each for each in command_line().commands[command].params}[parameter]
    more = MORE.get(command, [])
    if found.param_type_name == "argument":
        before = ["trained.json"] if parameter == "second" else []
        after = ["trained.json"] if (command, parameter) == ("equal", "model") else []
        return [command, *before, path, *after, *more]
    first = FIRST.get(command)
    both = [first] * (first is not None) + ["trained.json"] * (command == "equal")
    return [command, *both, max(found.opts, key=len), path, *more]


@pytest.mark.parametrize(("command", "parameter"), TAKEN)
def test_a_file_of_another_kind_is_named_with_the_next_command(
        certify: Any, files: Path, command: str, parameter: str) -> None:
    taken = TAKEN[command, parameter][0]
    for name, kind in EXPECTED.items():
        if kind in taken and not (command == "export" and kind == "model"):
            continue
        result = certify(*arguments(command, parameter, name))
        assert result.code == 2, (name, result)
        assert result.err.startswith(f"certify: {name}: found {KINDS[kind].label}, expected "), (name, result.err)
        assert result.err.count("\n") == 1 and result.out == ""
        assert KINDS[kind].then.partition("{path}")[0] in result.err


def test_every_argument_that_is_a_file_is_looked_at() -> None:
    from certify.cli import command_line

    for name, command in command_line().commands.items():
        for parameter in command.params:
            metavar = str(getattr(parameter, "metavar", ""))
            if parameter.param_type_name == "argument" and {*metavar.replace(".", "|").split("|")} & {
                    "FILE", "MODEL", "MODEL2", "CERT", "CLAIMS", "FORMULA", "TASK"}:
                assert (name, parameter.name) in TAKEN, (name, parameter.name)


def test_python_names_the_kind_of_a_file(files: Path) -> None:
    for function, taken in ((package.decide, TRAINED), (package.certify, SUBJECTS), (package.audit_file, {"claims"}),
                            (package.card, CERTIFICATES)):
        for name, kind in EXPECTED.items():
            if kind not in taken and not (function is package.audit_file and kind in {*CERTIFICATES, "model"}):
                with pytest.raises(InputError) as refusal:
                    function(name)
                assert str(refusal.value).startswith(f"{name}: found {KINDS[kind].label}, expected ")


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_is_told_in_every_way(certify: Any, path: Path) -> None:
    printed = certify("check", str(path))
    assert printed.code == 0 and printed.out.splitlines()[-1].startswith("accepted: ")
    result = certify("check", str(path), "--json")
    assert (result.code, result.json["files"][0]["verdict"]) == (0, "accepted")
    assert result.json["files"][0].get("claim_is_false", False) == ("FALSE" in printed.out)
    card = certify("export", str(path), "--to", "card")
    assert card.code == 0 and printed.out.splitlines()[0] in card.out
    page = certify("export", str(path), "--to", "html", "-o", "page.html")
    assert (page.code, page.err) == (0, "")
    assert "check.pyz" in Path("page.html").read_text(encoding="utf-8")


def test_every_kind_is_in_the_corpus() -> None:
    kinds = {path.read_text(encoding="utf-8").split('"')[3] for path in VERDICTS.rglob("accepted/*.cert")}
    assert kinds == set(CHAPTERS)
