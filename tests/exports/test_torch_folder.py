"""The torch folder stands alone, loads, says its claim, and runs as its README says; safetensors holds the same."""

import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

from certify.claims.formula.sealed import read_sealed
from constructions.network.float_tables import float_tables
from constructions.running.to_torch import to_torch
from constructions.running.weights import weights_of
from tests.exports.conftest import write_certificate
from tests.exports.running import truths
from tests.with_torch import torch_or_skip

FORMULA = "Q_1 since prev Q_0"


@pytest.fixture
def folder(certify: Any, tmp_path: Path) -> Path:
    write_certificate(tmp_path / "x.cert", FORMULA, "01", 6)
    assert certify("export", "x.cert", "--to", "torch", "-o", "folder").code == 0
    return tmp_path / "folder"


def run_python(folder: Path, program: str) -> list[str]:
    """Return the output of a Python process in the folder."""
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_folder_has_four_files_and_states_claim_and_digest(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "config.json", "network.py",
                                                              "weights.safetensors"]
    sealed = read_sealed(str(folder.parent / "x.cert"))
    readme, config = (folder / "README.md").read_text("utf-8"), json.loads((folder / "config.json").read_text("utf-8"))
    assert sealed.digest in readme and all(line in readme for line in sealed.statement)
    assert (config["certificate_sha256"], config["formula"], config["lengths"]) == (sealed.digest, FORMULA, [1, 6])
    assert config["directions"] == list(sealed.transformer.directions)
    assert config["directions"][config["output"]] == sealed.transformer.output == config["output_direction"]


def test_the_program_of_the_readme_runs_and_needs_nothing_of_the_project(folder: Path) -> None:
    torch_or_skip()
    (program,) = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text("utf-8"), re.DOTALL)
    *setup, last = program.strip().splitlines()
    printed = run_python(folder, "\n".join([
        *setup, f"print(({last}).tolist())", "import sys",
        "print([name for name in sys.modules if name.split('.')[0] in ('certify', 'constructions', 'proofs')])"]))
    assert printed == ["[0.0, 1.0, 0.0, 1.0]", "[]"]


def test_precision_and_attention_are_by_choice(folder: Path) -> None:
    torch_or_skip()
    printed = run_python(folder, (
        "import torch\nfrom network import TorchNetwork\n"
        "for fused in (False, True):\n"
        "    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):\n"
        "        found = TorchNetwork.load('.', fused=fused).to(dtype).run(['010110'])[0, :, -1]\n"
        "        print(found.dtype == dtype, found.tolist())\n"))
    assert printed == ["True [0.0, 1.0, 0.0, 1.0, 1.0, 0.0]"] * 8


def test_a_module_is_loaded_in_the_precision_in_which_it_was_stored(certify: Any, folder: Path) -> None:
    torch = torch_or_skip()
    assert certify("export", "x.cert", "--to", "torch", "-o", "narrow", "--precision", "bfloat16").code == 0
    from constructions.running.torch_network import TorchNetwork

    network = TorchNetwork.load(folder.parent / "narrow")
    assert {parameter.dtype for parameter in network.parameters()} == {torch.bfloat16}
    assert network.run(["0110"]).dtype == torch.bfloat16


def test_gradients_flow_to_every_weight_that_is_used(folder: Path) -> None:
    """A plain module: what was written exactly can be trained on."""
    torch = torch_or_skip()
    network = to_torch(read_sealed(str(folder.parent / "x.cert")).transformer, 6)
    network(torch.tensor([[0, 1, 1, 0]])).sum().backward()
    assert network.layers[-1].w2.grad.abs().sum() > 0


def test_the_forward_of_a_layer_fits_one_screen(folder: Path) -> None:
    text = (folder / "network.py").read_text("utf-8")
    (body,) = re.findall(r"    def forward\(self, h: .*?(?=\n\nclass )", text, re.DOTALL)
    assert len(body.splitlines()) <= 20 and len(text.splitlines()) <= 120


@pytest.mark.parametrize(("precision", "dtype"), [
    ("binary32", np.float32), ("binary16", np.float16), ("bfloat16", ml_dtypes.bfloat16)])
def test_safetensors_hold_the_rounded_arrays_and_the_claim(
        certify: Any, tmp_path: Path, precision: str, dtype: Any) -> None:
    write_certificate(tmp_path / "x.cert", FORMULA, "01", 6)
    assert certify("export", "x.cert", "--to", "safetensors", "-o", "x.st", "--precision", precision).code == 0
    sealed = read_sealed(str(tmp_path / "x.cert"))
    expected, found = weights_of(sealed.transformer, sealed.lengths, precision), load_file(tmp_path / "x.st")
    assert found.keys() == expected.arrays.keys()
    for name, array in expected.arrays.items():
        assert found[name].dtype == array.dtype and found[name].tobytes() == array.tobytes()
    assert found["token_embedding"].dtype == dtype
    assert list(map(Fraction, found["token_embedding"][0].tolist())) == float_tables(sealed.transformer).token_rows[0]
    with safe_open(tmp_path / "x.st", "numpy") as file:
        config = json.loads(file.metadata()["certify"])
    assert config["certificate_sha256"] == sealed.digest and list(config["truths"]) == list(expected.truths)


def test_a_module_made_in_python_is_the_module_of_the_folder(folder: Path) -> None:
    torch_or_skip()
    from constructions.running.torch_network import TorchNetwork

    transformer = read_sealed(str(folder.parent / "x.cert")).transformer
    words = ["010110", "111111", "000000"]
    made, loaded = to_torch(transformer, 6), TorchNetwork.load(folder)
    assert made.names == loaded.names
    assert made.run(words).equal(loaded.run(words))
    assert np.array_equal(made.run(words).double().numpy(), truths(transformer, words))
