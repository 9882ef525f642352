"""`certify import --expect`: the owner's logits confirm what names of tensors do not say, or refuse the import."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from tests.cli.conftest import Certify

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
    assert "wrong.npz: on input 2,1 the original's logits differ from those of the network as it was" in result.err


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
