"""certify train: what it prints and writes, and how it ends."""

from __future__ import annotations

import importlib.util
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from constructions.trained.json_form import read_network
from examples.trained.zoo import ZOO, plans
from proofs.check import check_text
from tests.cli.conftest import Certify
from tests.learning.changed import changed, in_bits
from tests.trained.small_networks import write_network
from tests.with_torch import torch_or_skip

LAST = ("train", "last_letter_alone", "--max-n", "3", "--width", "4", "--steps", "60")


@pytest.fixture
def train(certify: Certify) -> Certify:
    torch_or_skip()
    return certify


def test_a_network_is_trained_and_every_command_that_reads_it_again_works(train: Certify, tmp_path: Path) -> None:
    result = train(*LAST, "--seed", "2", "-o", "last")
    assert result.code == 0 and "certified: right on every word of length 1 .. 3" in result.out
    folder = tmp_path / "last"
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md", "claim.toml", "model.json", "model.safetensors", "network.cert"]
    check_text((folder / "network.cert").read_bytes())
    commands = [line.strip() for line in result.err.splitlines() if line.startswith("  certify ")]
    assert [line.split()[1] for line in commands] == ["import", "decide", "check"]
    written = (folder / "model.json").read_bytes()
    for line in commands:
        assert train(*shlex.split(line.replace("model.", "last/model.").replace("claim.", "last/claim.").replace(
            "network.", "last/network."))[1:]).code == 0, line
        assert line in (folder / "README.md").read_text(encoding="utf-8")
    assert (folder / "model.json").read_bytes() == written
    again = train(*LAST, "--seed", "2", "-o", "again", "--json")
    assert again.json["verdict"] == again.json["rounds"][-1]["verdict"] == "certified"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()}


def test_a_network_is_repaired_and_it_is_told_what_it_had_wrong(train: Certify, tmp_path: Path) -> None:
    write_network(changed(plans()["tomita_2"].network(), in_bits(2)), tmp_path / "broken.json")
    before = (tmp_path / "broken.json").read_bytes()
    result = train("train", str(ZOO / "tomita_2" / "claim.toml"), "--from", "broken.json", "--max-n", "3", "--offset",
                   "0", "--steps", "60", "-o", "two")
    assert result.code == 0 and (tmp_path / "broken.json").read_bytes() == before
    assert "repaired: of the words of at most 3 letters of which the claim asks something, at offset 0, the given " \
           "network had 1 word wrong (1); on all others both answer as the claim asks" in result.out
    assert "given and repaired compared: refuted: " in result.out
    repaired = read_network(tmp_path / "two" / "model.json")
    assert replace(repaired, tensors={}, sources=()) == replace(read_network("broken.json"), tensors={}, sources=())
    compared = tmp_path / "two" / "compared"
    assert [path.name for path in sorted(compared.iterdir())] == ["README.md", "first.cert", "given.cert",
                                                                  "second.wrong"]
    check_text((compared / "given.cert").read_bytes())


def test_when_the_rounds_are_over_the_network_is_there_with_what_is_wrong(train: Certify, tmp_path: Path) -> None:
    result = train(*LAST[:-1], "1", "--rounds", "1", "-o", "last")
    assert result.code == 1 and "the rounds are over (--rounds 1)" in result.out
    check_text((tmp_path / "last" / "wrong.cert").read_bytes())
    assert "\ncertify check wrong.cert\n" in (tmp_path / "last" / "README.md").read_text(encoding="utf-8")


def test_when_time_is_up_nothing_is_claimed(train: Certify, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ticks = iter(range(10**9))
    monkeypatch.setattr("constructions.deadline.monotonic_ns", lambda: next(ticks) * 10**8)
    result = train(*LAST, "--timeout", "3", "-o", "last")
    assert result.code == 3 and "UNKNOWN  time is up (--timeout 3)" in result.out
    assert not (tmp_path / "last" / "network.cert").exists() and (tmp_path / "last" / "model.json").exists()


def test_inputs_in_tracks_are_learnt_too(train: Certify, tmp_path: Path) -> None:
    result = train("train", "--machine", "copy", "--columns", "1", "--alphabet", "01", "--layout", "a,2,answer",
                   "--steps", "60", "--width", "4", "-o", "copy")
    assert result.code == 0 and "certified" in result.out
    check_text((tmp_path / "copy" / "network.cert").read_bytes())
    assert train("decide", "copy/model.json", "--claim", "copy/claim.toml").code == 0


@pytest.mark.parametrize(("arguments", "message"), [
    ((), "what is claimed? expected --claim FILE, or --alphabet, --read"),
    (("nothing",), "nothing: no such file, and no task of this name, expected a claim file or one of d_2, dyck_1"),
    (("first", "--alphabet", "01"), "--alphabet: the task says this, expected one or the other"),
    (("last_letter",), "max_n: 1000000, expected at most 64 (--max-n)"),
    (("first", "--rounds", "0"), "--rounds: 0, expected from 1"),
    (("first", "--seed", "-1"), "--seed: -1, expected from 0"),
    (("first", "--width", "5", "--heads", "2"), "--width: 5, expected a multiple of the 2 heads"),
    (("first", "--from", "model.json", "--width", "8"), "--width: the network of --from has its sizes"),
    (("first", "--from", "nothing.json"), "nothing.json: "),
    (("first", "--rows", "3", "--max-n", "3"), "the claim: max_n: 3, but at offset 0 no word of more than 2 letters"),
    (("--alphabet", "01", "--before", "99999", "--at", "last", "--sign", "0: Q_0", "--max-n", "2"),
     "token 99999, expected fewer than 4096 tokens"),
])
def test_bad_input_is_refused_in_a_line(train: Certify, tmp_path: Path, arguments: tuple[str, ...],
                                        message: str) -> None:
    result = train("train", *arguments, "-o", "new")
    assert (result.code, result.out) == (2, "") and message in result.err and len(result.err.splitlines()) == 1
    assert not (tmp_path / "new").exists()


def test_a_folder_that_holds_something_is_refused_before_anything_is_trained(train: Certify, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis").touch()
    result = train("train", "first", "-o", "mine")
    assert result.code == 2 and "mine: cannot be written: the folder is not empty" in result.err


def test_without_torch_a_line_says_so(certify: Certify, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *more: None if name == "torch" else found(name, *more))
    result = certify("train", "first", "-o", "new")
    assert (result.code, result.out) == (3, "") and not (tmp_path / "new").exists()
    assert result.err == ("certify: unsupported: torch is not installed, expected the extra: pip install "
                          "'.[torch]' in a checkout of certify\n")

