"""`certify prove` and `certify export`: verdicts, exit statuses, folders, and what is refused."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from certify.claims.every_n.claim import claim_theorem
from certify.claims.every_n.theorems import find_wrong_output
from certify.requests.inputs import Options
from certify.requests.request import read_request
from constructions.language.syntax import Formula
from constructions.network.json_form import transformer_from_json, transformer_to_json, write_canonical
from proofs.every_n import KernelAnswer, ProvedLengths, prove_model_file
from proofs.every_n.axioms import allowed_axioms, name_of
from proofs.every_n.library import library_digest
from tests.with_coq import coq_or_skip, library_of, staying_coq_or_skip

ROOT = Path(__file__).parents[2]
PARITY = ("ODD(#<[Q_1])", "--alphabet", "01")
PREVIOUS = ("prev Q_a", "--alphabet", "ab", "--causal")


def assert_one_line(result: Any, code: int, message: str) -> None:
    assert (result.code, result.out, result.err) == (code, "", f"certify: {message}\n")


# -- with Coq ----------------------------------------------------------------------------------------------------------


@cache
def answer_about(model: str, formula: Formula, lengths: ProvedLengths) -> KernelAnswer:
    """Return the answer of Coq in a folder about the model with this text, computed once."""
    coq = staying_coq_or_skip()
    return prove_model_file(coq, library_of(coq), transformer_from_json(json.loads(model)), formula, lengths)


@pytest.fixture
def coq(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the version of Coq; single files are answered by a Coq process that has loaded the library.

    A folder is checked once for all tests, as it takes seconds.
    """
    monkeypatch.setattr("certify.claims.every_n.theorems.find_coq", staying_coq_or_skip)
    monkeypatch.setattr("certify.claims.every_n.theorems.prove_model_file",
                        lambda coq, library, network, formula, lengths: answer_about(
                            write_canonical(transformer_to_json(network)), formula, lengths))
    return staying_coq_or_skip().version


def test_parity_is_proved_for_every_n(certify: Any) -> None:
    coq = coq_or_skip().version
    result = certify("prove", *PARITY, "--json")
    found = result.json
    seconds = [found.pop("seconds"), found.pop("library_seconds")]
    assert result.code == 0 and all(isinstance(number, float) for number in seconds)
    assert found == {
        "verdict": "proved", "formula": "ODD(#<[Q_1])", "predicates": [], "alphabet": ["0", "1"], "lengths": "every n",
        "regime": "temperature", "causal": False, "coq": coq, "reason": None, "counterexample": None,
        "axioms": sorted(map(name_of, allowed_axioms())), "library": library_digest(),
    }


def test_the_proof_is_a_folder_and_the_model_in_it_is_proved_too(certify: Any, coq: str) -> None:
    result = certify("prove", *PREVIOUS, "-o", "proof")
    assert result.code == 0 and "\nPROVED  for every n: the kernel of Coq " in result.out
    assert Path("proof/theorem/Theorem_proof.v").is_file() and Path("proof/library/check.v").is_file()
    assert result.err.endswith("proof in proof\n")
    assert certify("prove", "proof/model.json", "--json").json["verdict"] == "proved"


def test_a_users_predicate_is_named_in_the_answer(certify: Any, coq: str) -> None:
    result = certify("prove", "THIRD", "--alphabet", "ab", "--predicate", "THIRD(k,n) := k % 3 == 1", "--json")
    assert (result.code, result.json["predicates"]) == (0, ["THIRD(k) := k%3 == 1"])


def test_what_a_users_predicate_means_is_said_beside_the_formula(
        certify: Any, coq: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """tests/exports/test_coq_folder.py has Coq check such a folder."""
    monkeypatch.setattr("certify.claims.every_n.theorems.prove_model_file", lambda *_: KernelAnswer(True, frozenset()))
    definition = "THIRD(k,n) := k % 3 == 1 or n - k < 2"
    result = certify("prove", "THIRD & Q_a", "--alphabet", "ab", "--predicate", definition, "-o", "proof")
    assert result.out.startswith("formula   THIRD & Q_a\nwhere     THIRD(k,n) := k%3 == 1 or n-k < 2\nalphabet  ")
    assert "\nTHIRD(k,n) := k%3 == 1 or n-k < 2\n" in Path("proof/README.md").read_text(encoding="utf-8")


def test_too_small_a_constant_is_refuted_by_a_word_and_no_folder_is_written(certify: Any, coq: str) -> None:
    result = certify("prove", *PARITY, "--gamma", "1", "-o", "proof")
    assert result.code == 1 and "\nREFUTED  false, at n = " in result.out
    assert result.err.endswith("certify: refuted, so no folder was written\n")
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(("gamma", "code", "n"), [("138/100", 1, 5), ("1386/1000", 1, 7), ("1387/1000", 0, None)])
def test_a_theorem_is_refuted_at_the_length_at_which_the_finite_claim_is(
        certify: Any, coq: str, gamma: str, code: int, n: int | None) -> None:
    """ln 4 is 1.38629...; the lengths are those of docs/background/critical.md."""
    result = certify("prove", "(Q_a | Q_b) since Q_a", "--alphabet", "abc", "--gamma", gamma, "--json")
    found = result.json["counterexample"]
    assert (result.code, found and len(found["word"])) == (code, n)


def test_a_word_that_breaks_a_direction_and_not_the_output_refutes_no_theorem() -> None:
    claim = claim_theorem(read_request("(Q_a | Q_b) since Q_a", Options("abc", gamma="138/100")), "since")
    assert find_wrong_output(claim, ProvedLengths()) and not find_wrong_output(claim, ProvedLengths(1, 4))
    right = replace(claim, network=replace(claim.network, output="is[Q_a]"))
    assert find_wrong_output(right, ProvedLengths()) is None


def test_what_coq_accepts_is_exported_and_what_it_refuses_is_not(certify: Any, coq: str) -> None:
    assert certify("build", *PREVIOUS, "-o", "right.json").code == 0
    assert certify("build", *PARITY, "--gamma", "1", "-o", "small.json").code == 0
    result = certify("export", "right.json", "--to", "coq", "-o", "right")
    assert (result.code, result.out) == (0, "")
    assert Path("right/README.md").read_text(encoding="utf-8").startswith("# A theorem for every n\n")
    result = certify("export", "small.json", "--to", "coq", "-o", "small")
    assert result.code == 1 and "certify: refuted: false, at n = " in result.err
    assert result.err.endswith("; no folder was written\n") and not Path("small").exists()


def test_a_folder_may_be_about_the_lengths_where_a_model_is_right(certify: Any, coq: str) -> None:
    """The export is what Coq has accepted, byte for byte."""
    model = str(ROOT / "examples" / "models" / "recent_write.json")
    result = certify("prove", model, "--min-n", "2", "--max-n", "8", "-o", "proof")
    assert result.code == 0 and "\nPROVED  for every n from 2 to 8: the kernel of Coq " in result.out
    readme = Path("proof/README.md").read_text(encoding="utf-8")
    assert readme.startswith("# A theorem for every n from 2 to 8\n")
    assert certify("export", model, "--to", "coq", "--min-n", "2", "--max-n", "8", "-o", "export").code == 0
    for path in Path("proof/theorem").iterdir():
        assert (Path("export/theorem") / path.name).read_bytes() == path.read_bytes()


def test_of_a_range_where_the_model_is_wrong_there_is_no_folder(certify: Any, coq: str) -> None:
    model = str(ROOT / "examples" / "models" / "recent_write.json")
    for command in (("prove", model), ("export", model, "--to", "coq")):
        result = certify(*command, "--max-n", "9", "-o", "proof")
        assert result.code == 1 and "false, at n = 9: on the word w1,i,i,i,i,i,i,i,i" in result.out + result.err
        assert "no folder was written" in result.err and not Path("proof").exists()


def test_a_model_that_is_refused_for_every_length_may_be_asked_about_for_some(certify: Any, coq: str) -> None:
    model = str(ROOT / "examples" / "models" / "recent_write.json")
    hint = "; --min-n and --max-n restrict the lengths"
    assert hint in certify("prove", model).out and hint in certify("export", model, "--to", "coq", "-o", "proof").err
    assert hint not in certify("prove", model, "--max-n", "9").out
    assert hint not in certify("prove", *PARITY, "--gamma", "1").out


def test_hard_attention_is_unsupported(certify: Any, coq: str, since_model: dict[str, Any]) -> None:
    since_model["layers"][0]["heads"][0]["weighting"] = "rightmost-hardmax"
    Path("hard.json").write_text(json.dumps(since_model), encoding="utf-8")
    result = certify("prove", "hard.json")
    assert result.code == 3
    assert "\nUNSUPPORTED  head 'rightmost deciding position': weighting rightmost-hardmax, in Coq only" in result.out


def test_a_certificate_up_to_n_becomes_a_theorem_for_every_n(certify: Any, coq: str) -> None:
    assert certify("formula", "Q_1 since Q_0", "--max-n", "3", "-o", "since.cert").code == 0
    result = certify("prove", "since.cert")
    assert result.code == 0 and "claim     for every n, every word" in result.out


# -- without Coq -------------------------------------------------------------------------------------------------------


def test_without_coq_one_line_names_the_package(certify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    reason = "coqc is not on the path; install Coq (Debian: the package coq)"
    assert_one_line(certify("prove", *PARITY), 3, f"unknown: {reason}")
    result = certify("prove", *PARITY, "--json")
    assert (result.code, result.json) == (3, {"verdict": "unknown", "reason": reason})
    assert_one_line(certify("export", "--to", "certify-every-n"), 3, f"unknown: {reason}")
    assert not Path("certify-every-n").exists()


@pytest.mark.parametrize(("options", "path", "why"), [
    (("--unchecked",), None, "Coq did not check it"),
    ((), "", "coqc is not on the path; install Coq (Debian: the package coq)"),
])
def test_a_folder_that_coq_was_not_asked_about_is_unchecked(
        certify: Any, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], path: str | None, why: str) -> None:
    if path is not None:
        monkeypatch.setenv("PATH", path)
    assert certify("build", "Q_a S Q_b", "-o", "usual.json").code == 0
    Path("new").mkdir()
    result = certify("export", "usual.json", "--to", "coq", "-o", "new", *options)
    assert_one_line(result, 3, f"unchecked: {why}; nothing is proved in new until its check.sh succeeds")
    assert {path.name for path in Path("new").iterdir()} == {
        "README.md", "SHA256SUMS", "_CoqProject", "axioms.txt", "check.sh", "library", "model.json", "theorem"}
    assert Path("new/README.md").read_text(encoding="utf-8").startswith("# Unchecked\n")
    assert Path("new/model.json").read_bytes() == Path("usual.json").read_bytes()
