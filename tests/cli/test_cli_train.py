"""certify train, learn and import --expect: what they write, and how they end."""

import importlib.util
import io
import shlex
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from constructions.trained.json_form import read_network
from examples.trained.zoo import ZOO, plans
from proofs.check import check_text
from tests.cli.conftest import Certify
from tests.cli.made import make
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
    assert "repaired: of the words of at most 3 letters that the claim judges, at offset 0, the given " \
           "network had 1 word wrong (1); on all others both satisfy the claim" in result.out
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


def test_training_stops_where_the_stated_share_is_proved(train: Certify, tmp_path: Path) -> None:
    options = ("train", "--machine", "copy", "--columns", "1", "--alphabet", "0123", "--layout", "a,4,answer",
               "--width", "4", "--steps", "100", "--json")
    result = train(*options, "--at-least", "50%", "-o", "half")
    last, (least, most) = result.json["rounds"][-1], map(Fraction, result.json["decision"]["share"])
    assert (result.code, result.json["verdict"], last["verdict"]) == (0, "certified", "certified")
    assert Fraction(1, 2) <= least == most == 1 - Fraction(last["wrong"], 4) < 1
    assert last["share"] == f"{float(100 * least):g} %"
    check_text((tmp_path / "half" / "network.cert").read_bytes())
    again = "certify decide model.json --claim claim.toml --count --at-least 50%"
    assert again in (tmp_path / "half" / "README.md").read_text(encoding="utf-8").splitlines()
    assert train(*shlex.split(again.replace("model", "half/model").replace("claim.t", "half/claim.t"))[1:]).code == 0
    short = train(*options, "--at-least", "4", "--rounds", "1", "-o", "all")
    assert (short.code, short.json["verdict"]) == (1, "refuted")
    assert train(*options, "--at-least", "x", "-o", "no").err.startswith("certify: --at-least: ")


def test_without_torch_a_line_says_so(certify: Certify, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *more: None if name == "torch" else found(name, *more))
    result = certify("train", "first", "-o", "new")
    assert (result.code, result.out) == (3, "") and not (tmp_path / "new").exists()
    assert result.err == ("certify: unsupported: torch is not installed, expected the extra: pip install "
                          "'.[torch]' in a checkout of certify\n")


def test_the_automaton_of_a_network_is_drawn(certify: Certify) -> None:
    make("seven.json")
    claim = str(ZOO / "tomita_7" / "claim.toml")
    assert certify("learn", "seven.json", "--claim", claim, "--max-n", "4", "--svg", "s.svg").code == 0
    assert len(ElementTree.parse("s.svg").getroot().findall("{http://www.w3.org/2000/svg}circle")) == 6


SMALL = {"embed.W_E": (3, 4), "unembed.W_U": (4, 2), "blocks.0.attn.W_Q": (1, 4, 2), "blocks.0.attn.W_K": (1, 4, 2),
         "blocks.0.attn.W_V": (1, 4, 2), "blocks.0.attn.W_O": (1, 2, 4), "pos_embed.W_pos": (6, 4)}
ANSWERS = ("--attention", "causal", "--norm", "none")


def write_small(folder: Path) -> None:
    arrays = {name: np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 8 for name, shape in SMALL.items()}
    np.savez(folder / "small.npz", **arrays)  # type: ignore[arg-type]


def logits_of_owner(folder: Path) -> dict[str, np.ndarray]:
    from proofs.trained.forward import FloatNetwork

    network = import_network([folder / "small.npz"], Options(kind="hooked-transformer", attention="causal",
                                                            norm="none")).network
    return {",".join(map(str, word)): FloatNetwork(network).logits(np.array([word]), 0)[0].astype(np.float32)
            for word in ([0], [2, 1], [0, 1, 2, 2])}


def test_logits_of_the_owner_answer_what_names_do_not(certify: Certify, tmp_path: Path) -> None:
    write_small(tmp_path)
    right = logits_of_owner(tmp_path)
    np.savez(tmp_path / "right.npz", **right)  # type: ignore[arg-type]
    assert "--kind hooked-transformer" in certify("import", "small.npz", *ANSWERS, "-o", "m.json").err
    result = certify("import", "small.npz", *ANSWERS, "--expect", "right.npz", "-o", "m.json", "--json")
    assert result.code == 0 and result.json["compared"]["original"] == "logits in right.npz"
    assert result.json["compared"]["inputs"] == 3
    np.savez(tmp_path / "wrong.npz", **{**right, "2,1": right["2,1"] + np.float32(0.01)})  # type: ignore[arg-type]
    result = certify("import", "small.npz", *ANSWERS, "--expect", "wrong.npz", "-o", "n.json")
    assert result.code == 2 and not (tmp_path / "n.json").exists()
    assert "wrong.npz: on input 2,1 the original's logits differ from the imported network's" in result.err


@pytest.mark.parametrize(("arrays", "message"), [
    ({"a": np.zeros(2)}, "array a (<f8 [2]), expected logits under the tokens of their input, as in 2,0,1"),
    ({"9": np.zeros(2)}, "input 9, expected tokens below 3, at most 6 of them"),
    ({"0,0,0,0,0,0,0": np.zeros(2)}, "input 0,0,0,0,0,0,0, expected tokens below 3"),
    ({"0": np.zeros(3)}, "on input 0 the original's output has shape [3], expected 2 logits"),
    ({"0": np.array([np.nan, 0])}, "and numbers that are not finite")])
def test_logits_that_are_none_of_the_network_are_refused(
        certify: Certify, tmp_path: Path, arrays: dict[str, object], message: str) -> None:
    write_small(tmp_path)
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    (tmp_path / "e.npz").write_bytes(file.getvalue())
    result = certify("import", "small.npz", *ANSWERS, "--expect", "e.npz", "-o", "m.json")
    assert result.code == 2 and message in result.err and len(result.err.splitlines()) == 1
