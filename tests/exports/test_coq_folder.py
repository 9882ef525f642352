"""`--to coq`: a folder that is whole, says what it is, and is checked by the one command of its README."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from certify.exports.coq import coq_folder
from certify.exports.theorem_claim import TheoremClaim, claim_theorem
from certify.files import write_folder
from certify.request import NetworkSubject, Request, read_request
from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_from_json
from constructions.network.meanings import Near
from constructions.regimes import Regime
from proofs.by_coq.axioms import parse_axioms
from proofs.by_coq.library import imported_files
from tests.with_coq import coq_or_skip

COMMAND = re.compile(r"```sh\n(.+)\n```")


def since() -> TheoremClaim:
    formula = parse_formula("Q_a since Q_b", "ab")
    return TheoremClaim("since", compile_formula(formula, "ab", Regime()), formula)


def test_the_folder_has_every_file_that_its_files_import() -> None:
    files = coq_folder(since())
    listed = [line for line in files["_CoqProject"].splitlines() if line.endswith(".v")]
    assert sorted(listed) == sorted(name for name in files if name.endswith(".v"))
    assert listed[-1] == "Theorem_since.v"
    for place, name in enumerate(listed):
        assert {f"library/{other}" for other in imported_files(files[name])} <= set(listed[:place]), name


def test_the_readme_names_files_of_the_folder_only() -> None:
    files = coq_folder(since())
    named = set(re.findall(r"`([\w/]+\.\w+|_CoqProject)`", files["README.md"]))
    assert named <= set(files) and {"Theorem_since.v", "model.json", "axioms.txt", "_CoqProject"} <= named
    assert "```text\nQ_a since Q_b\n```" in files["README.md"]


def test_the_model_in_the_folder_is_the_network() -> None:
    claim = since()
    assert transformer_from_json(json.loads(coq_folder(claim)["model.json"])) == claim.network


@pytest.mark.exhaustive
def test_the_command_of_the_readme_checks_the_folder_in_an_empty_environment(tmp_path: Path) -> None:
    coq_or_skip()
    write_folder(str(tmp_path / "right"), coq_folder(since()))
    right = run_command(tmp_path / "right")
    assert right.returncode == 0, right.stderr
    assert parse_axioms(right.stdout) == set((tmp_path / "right" / "axioms.txt").read_text("utf-8").splitlines())
    theorem = tmp_path / "right" / "Theorem_since.v"
    text = theorem.read_text(encoding="utf-8")
    theorem.write_text(text.replace("FutureMasked", "PastMasked"), encoding="utf-8")
    assert run_command(tmp_path / "right").returncode != 0


def run_command(folder: Path) -> subprocess.CompletedProcess[str]:
    """The command, with nothing but the programs of the system."""
    (command,) = COMMAND.findall((folder / "README.md").read_text(encoding="utf-8"))
    return subprocess.run(["env", "-i", "PATH=/usr/bin:/bin", "sh", "-c", command], cwd=folder, capture_output=True,
                          text=True, check=False)


# -- what can be exported, and where to --------------------------------------------------------------------------------


def test_a_network_whose_output_is_no_truth_has_no_theorem() -> None:
    network = since().network
    near = next(name for name, meaning in network.directions.items() if isinstance(meaning, Near))
    changed = type(network)(network.alphabet, network.directions, network.token_embedding, network.position_embedding,
                            network.layers, near)
    with pytest.raises(InputError, match="its meaning is no truth, expected the truth of a formula"):
        claim_theorem(Request(NetworkSubject("changed", changed)), "changed")


def test_the_network_of_a_certificate_is_read_with_the_formula_that_its_output_means(tmp_path: Path) -> None:
    model = json.loads(coq_folder(since())["model.json"])
    certificate = {"format": "certify-certificate", "claim": {"max_n": 9}, "transformer": model}
    path = tmp_path / "since-1.cert"
    path.write_text(json.dumps(certificate), encoding="utf-8")
    claim = claim_theorem(read_request(str(path)), path.stem)
    assert (claim.name, claim.formula, claim.regime) == ("since_1", since().formula, None)
    certificate["claim"] = {"max_n": 9, "formula": "Q_b since Q_a"}
    path.write_text(json.dumps(certificate), encoding="utf-8")
    with pytest.raises(InputError, match="claim: its formula is not Q_a since Q_b, which the output means"):
        read_request(str(path))


def test_a_folder_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_folder(str(tmp_path / "new"), {"a": "text", "a/b": "a file cannot be in a file"})
    assert list(tmp_path.iterdir()) == []
    write_folder(str(tmp_path / "new"), {"a/b": "text", "c": b"\x00"})
    assert (tmp_path / "new" / "a" / "b").read_text(encoding="utf-8") == "text"
    assert (tmp_path / "new" / "c").read_bytes() == b"\x00"
    with pytest.raises(InputError, match="the folder is not empty"):
        write_folder(str(tmp_path / "new"), {"d": ""})
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "c", "new"]
