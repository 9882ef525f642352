"""The checker that is proved in Coq, on decisions about trained networks by words.

What it accepts is compared with what the Python checker says of the same claim, every word of which it runs, too.
"""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path

import pytest

from proofs.every_n.extracted import VERIFIED, VERIFIED_WITH_ZARITH, OcamlProgram
from tests.every_n.mutants_of_decisions import dump, mutants, word_by_word
from tests.sabotage.certificates.judging import judge
from tests.tiers import few_and_all
from tests.with_ocaml import Checked, check_verified, extracted, verified_place

CORPUS = Path(__file__).parents[1] / "corpus"
BY_WORDS = {"inputs": "words", "execution": "exact", "property": "answers"}

COVERED = {"bidirectional_by_length", "mean", "mean_by_classes", "mean_by_classes_with_a_wide_range", "mean_in_cells",
           "norms_of_images", "readout_and_comparison", "rotary_by_place", "whole_words_by_classes", "wrong_word"}
"""Accepted files of the corpus, without trained_, that are accepted here: by classes or not, every word is run."""
UNLOOKED = {"a_folder_in_the_name_of_a_source", "an_unused_tensor", "a_digest_of_other_bytes",
            "a_comparison_by_a_negative_difference", "a_comparison_with_a_program_that_is_none"}
"""Malformed for what is not read here, since nothing is claimed about it."""


def of_words(path: Path) -> bool:
    """Return whether a file of the corpus is a decision by words, about exact numbers, of a network without edits."""
    document = json.loads(path.read_text(encoding="utf-8"))
    return (document.items() >= BY_WORDS.items() and document["by"] in ("cover", "wrong word")
            and "edits" not in document["network"])


@cache
def answers() -> dict[Path, Checked]:
    paths = [path for path in sorted(CORPUS.glob("*/trained_*.cert")) if is_json(path) and of_words(path)]
    return dict(zip(paths, check_verified(paths, with_zarith=True), strict=True))


def is_json(path: Path) -> bool:
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return True


# -- files of the corpus -----------------------------------------------------------------------------------------------


def test_these_decisions_of_the_corpus_are_accepted() -> None:
    assert {path.stem.removeprefix("trained_") for path, found in answers().items()
            if path.parent.name == "accepted" and found.verdict == "accepted"} == COVERED


def test_what_is_accepted_python_accepts_word_by_word() -> None:
    """Whatever else the evidence says: it is not looked at."""
    for path, found in answers().items():
        if found.verdict == "accepted" and path.stem.removeprefix("trained_") not in UNLOOKED:
            python = judge(word_by_word(path.read_bytes()))
            assert python.verdict == "accepted", path.stem
            assert ["VACUOUS" in line for line in found.lines][:1] == ["VACUOUS" in line for line in python.lines][:1]


def test_no_decision_is_rejected_and_what_is_malformed_here_is_so_for_python() -> None:
    for path, found in answers().items():
        assert found.verdict in ("accepted", "incomplete") or path.parent.name == found.verdict == "malformed", path


def test_other_kinds_of_decisions_are_incomplete_for_that_reason() -> None:
    names = {"trained_float_executions_of_relu": "execution: this checker is proved for \"exact\" only",
             "trained_tracks_input_by_input": "evidence: this checker is proved for classes, not input by input",
             "trained_words_count": "property: this checker is proved for \"answers\" only",
             "trained_roundings_wrong_word": "network.steps: this checker is not proved for activations that round",
             "trained_head_mass": "network.edits: this checker is not proved for networks that were edited"}
    paths = [CORPUS / "accepted" / f"{name}.cert" for name in names]
    for reason, found in zip(names.values(), check_verified(paths, with_zarith=True), strict=True):
        assert found.verdict == "incomplete" and reason in found.reason


def test_claims_that_define_predicates_are_incomplete_for_that_reason(tmp_path: Path) -> None:
    document = json.loads((CORPUS / "accepted" / "trained_mean.cert").read_text(encoding="utf-8"))
    document["claim"]["predicates"] = ["P(k) := k%2 == 0"]
    (path := tmp_path / "predicates.cert").write_bytes(dump(document))
    (found,) = check_verified([path], with_zarith=True)
    assert (found.verdict, found.reason) == (
        "incomplete", "claim.predicates: this checker is not proved for claims that define predicates")


@pytest.mark.parametrize("program", [VERIFIED, VERIFIED_WITH_ZARITH], ids=["coq", "zarith"])
def test_the_checker_of_decisions_is_extracted(program: OcamlProgram) -> None:
    assert "let judge_decision" in extracted(program)["checker.ml"]


def test_the_printed_claim_is_that_of_the_file() -> None:
    found = answers()[CORPUS / "accepted" / "trained_mean.cert"].lines
    python = judge((CORPUS / "accepted" / "trained_mean.cert").read_bytes()).lines
    for entry in ("alphabet", "input", "claim"):
        assert [line for line in found if line.startswith(entry)] == [
            line.replace("'", '"') for line in python if line.startswith(entry)]


def test_a_claim_that_asks_nothing_is_called_vacuous(tmp_path: Path) -> None:
    document = json.loads((CORPUS / "accepted" / "trained_mean.cert").read_text(encoding="utf-8"))
    for case in document["claim"]["cases"]:
        case["above"] = []
    path = tmp_path / "vacuous.cert"
    path.write_bytes(word_by_word(dump(document)))
    found, python = check_verified([path], with_zarith=True)[0], judge(path.read_bytes())
    assert (found.verdict, python.verdict) == ("accepted", "accepted")
    said = [[line for line in one.lines if "VACUOUS" in line] for one in (found, python)]
    assert said[0] == said[1] != []


def test_decisions_are_written_in_the_one_spelling(tmp_path: Path) -> None:
    data = (CORPUS / "accepted" / "trained_mean.cert").read_bytes()
    (path := tmp_path / "other.cert").write_bytes(data.replace(b"#<[Q_1]", b"(#<[(Q_1)])"))
    (found,) = check_verified([path], with_zarith=True)
    assert found.verdict == "incomplete"
    done = subprocess.run([verified_place(with_zarith=True), "--canonical", path], capture_output=True, check=True)
    assert done.stdout == data


# -- changed files -----------------------------------------------------------------------------------------------------

BASES = ("bidirectional_by_length", "mean", "norms_of_images", "readout_and_comparison", "rotary_by_place",
         "wrong_word")


@pytest.mark.parametrize("number", few_and_all(9, 120))
def test_changed_decisions_are_accepted_only_where_python_accepts_them(tmp_path: Path, number: int) -> None:
    paths, accepted = list[Path](), dict[Path, bool]()
    for base in BASES:
        for k, data in enumerate(mutants((CORPUS / "accepted" / f"trained_{base}.cert").read_bytes(), number)):
            (path := tmp_path / f"{base}_{k}.cert").write_bytes(data)
            paths.append(path)
            accepted[path] = judge(data).verdict == "accepted"
    found = check_verified(paths, with_zarith=True)
    wrong = [path.stem for path, one in zip(paths, found, strict=True)
             if one.verdict == "accepted" and not accepted[path]]
    assert wrong == []
    both = sum(one.verdict == "accepted" for one in found)
    assert 0 < both <= sum(accepted.values()) < len(paths)
