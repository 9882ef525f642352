"""The checker that is proved in Coq, on decisions about trained networks by words.

What it accepts is compared with what the Python checker says of the same claim, every word of which it runs, too.
"""

import json
import random
import subprocess
from base64 import b64decode, b64encode
from functools import cache
from pathlib import Path
from struct import pack_into, unpack_from

import pytest

from certify.claims.trained.decide import Settings, decide
from certify.common.shards import Workers
from constructions.trained.claim import claim_of_lengths
from examples.trained.zoo import plans
from proofs.every_n.extracted import VERIFIED, VERIFIED_WITH_ZARITH, OcamlProgram
from tests.every_n.mutants_of_decisions import (
    Json,
    change_margin,
    change_row,
    change_tokens,
    change_weight,
    dump,
    mutants,
    word_by_word,
)
from tests.sabotage.certificates.judging import judge
from tests.tiers import few_and_all
from tests.with_ocaml import Checked, check_verified, extracted, verified_place

CORPUS = Path(__file__).parents[1] / "corpus"
BY_WORDS = {"inputs": "words", "execution": "exact", "property": "answers"}

COVERED = {"bidirectional_by_length", "mean", "mean_by_classes", "mean_by_classes_with_a_wide_range", "mean_in_cells",
           "norms_of_images", "readout_and_comparison", "rotary_by_place", "whole_words_by_classes", "wrong_word"}
"""Accepted files of the corpus, without trained_, that are accepted here: by classes, or word by word."""
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
    """Whatever else the evidence says: where words are few, it need not be right."""
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


# -- classes of words --------------------------------------------------------------------------------------------------

LONGEST = 18  # so many words that a refused class is not made good by running them


@cache
def by_classes() -> bytes:
    """A decision about all words to LONGEST: the short ones one by one, the others by classes."""
    plan = plans()["first"]
    network = plan.network()
    claim = claim_of_lengths(network, plan.claim(network), 1, LONGEST)
    certificate = decide(network, claim, Settings(Workers(1))).certificate
    assert certificate is not None
    return certificate.encode("ascii")


def units(document: Json) -> list[Json]:
    found: list[Json] = document["evidence"]["units"]
    return found


def narrow_a_range(document: Json, draw: random.Random) -> None:
    """Let a range along the first direction, which is the widest, be only its lower half."""
    ranges = bytearray(b64decode(units(document)[-1]["ranges"]))
    place = draw.randrange(len(ranges) // 128) * 128
    low, high = unpack_from("<2i", ranges, place)
    pack_into("<i", ranges, place + 4, (low + high) // 2)
    units(document)[-1]["ranges"] = b64encode(ranges).decode("ascii")


def leave_out_lengths(document: Json, draw: random.Random) -> None:
    units(document)[-1]["to"] -= draw.choice([1, 2])


OF_CLASSES = [leave_out_lengths, change_weight, change_margin, change_row, change_tokens]


def changed(number: int) -> list[bytes]:
    """Mutants of the decision by classes, whose evidence is kept."""
    draw, found = random.Random(number), []
    for k in range(number):
        document = json.loads(by_classes())
        OF_CLASSES[k % len(OF_CLASSES)](document, draw)
        found.append(dump(document))
    return found


def files(folder: Path, contents: list[bytes]) -> list[Path]:
    paths = [folder / f"{k}.cert" for k in range(len(contents))]
    for path, data in zip(paths, contents, strict=True):
        path.write_bytes(data)
    return paths


def test_words_that_are_too_many_to_be_run_are_accepted_by_classes(tmp_path: Path) -> None:
    """A claim or a range that is wrong is not, nor are lengths that are left out."""
    draw, wrong = random.Random(1), []
    for change in (narrow_a_range, leave_out_lengths, change_tokens):
        document = json.loads(by_classes())
        change(document, draw)
        wrong.append(dump(document))
    document = json.loads(by_classes())
    document["claim"]["margin"] = "7"  # the least logit is 6.1
    found = check_verified(files(tmp_path, [by_classes(), *wrong, dump(document)]), with_zarith=True)
    assert [one.verdict for one in found] == ["accepted"] + ["incomplete"] * 4


@pytest.mark.exhaustive
def test_changed_decisions_by_classes_are_accepted_only_where_python_accepts_them(tmp_path: Path) -> None:
    mutants_of_classes = changed(60)
    for data, found in zip(mutants_of_classes, check_verified(files(tmp_path, mutants_of_classes), with_zarith=True),
                           strict=True):
        assert found.verdict != "accepted" or judge(data).verdict == "accepted"
