"""The checker that is proved in Coq, on decisions about trained networks by words.

What it accepts is compared with what the Python checker says of the same claim, every word of which it runs, too.
"""

from __future__ import annotations

import json
import random
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from proofs.check.checker.chapters.trained.reading.network import read_network
from proofs.check.checker.chapters.trained.reading.words_claim import read_claim
from proofs.check.checker.chapters.trained.words.obligations import obligations
from proofs.check.checker.kernel.budget import Budget
from proofs.every_n.extracted import VERIFIED, VERIFIED_WITH_ZARITH, OcamlProgram
from tests.sabotage.certificates.judging import judge
from tests.tiers import few_and_all
from tests.with_ocaml import Checked, check_verified, extracted

CORPUS = Path(__file__).parents[1] / "corpus"
Json = dict[str, Any]
BY_WORDS = {"inputs": "words", "execution": "exact", "property": "answers", "by": "cover"}

COVERED = {"bidirectional_by_length", "mean", "mean_by_classes", "mean_by_classes_with_a_wide_range", "mean_in_cells",
           "norms_of_images", "readout_and_comparison", "rotary_by_place", "whole_words_by_classes"}
"""Accepted files of the corpus, without trained_, that are accepted here: by classes or not, every word is run."""
UNLOOKED = {"a_folder_in_the_name_of_a_source", "an_unused_tensor", "a_digest_of_other_bytes",
            "a_comparison_by_a_negative_difference", "a_comparison_with_a_program_that_is_none"}
"""Malformed for what is not read here, since nothing is claimed about it."""


def of_words(path: Path) -> bool:
    """Return whether a file of the corpus is a decision by words, about exact numbers, of a network without edits."""
    document = json.loads(path.read_text(encoding="utf-8"))
    return document.items() >= BY_WORDS.items() and "edits" not in document["network"]


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


def dump(document: Json) -> bytes:
    return (json.dumps(document, indent=1) + "\n").encode("ascii")


def word_by_word(document: Json) -> Json:
    """Return the same claim with the evidence that every word is run."""
    network = read_network(document["network"], Budget())
    claim = read_claim(document["claim"], network, Budget())
    units = [{"offset": one.offset, "from": one.first, "to": one.last, "by": "words"}
             for one in obligations(network, claim)]
    return document | {"evidence": {"graphs": [], "directions": [], "units": units}}


# -- files of the corpus -----------------------------------------------------------------------------------------------


def test_these_decisions_of_the_corpus_are_accepted() -> None:
    assert {path.stem.removeprefix("trained_") for path, found in answers().items()
            if path.parent.name == "accepted" and found.verdict == "accepted"} == COVERED


def test_what_is_accepted_python_accepts_word_by_word() -> None:
    """Whatever else the evidence says: it is not looked at."""
    for path, found in answers().items():
        if found.verdict == "accepted" and path.stem.removeprefix("trained_") not in UNLOOKED:
            python = judge(dump(word_by_word(json.loads(path.read_text(encoding="utf-8")))))
            assert python.verdict == "accepted", path.stem
            assert ["VACUOUS" in line for line in found.lines][:1] == ["VACUOUS" in line for line in python.lines][:1]


def test_no_decision_is_rejected_and_what_is_malformed_here_is_so_for_python() -> None:
    for path, found in answers().items():
        assert found.verdict in ("accepted", "incomplete") or path.parent.name == found.verdict == "malformed", path


def test_other_kinds_of_decisions_are_incomplete_for_that_reason() -> None:
    names = {"trained_float_executions_of_relu": "execution: this checker is proved for \"exact\" only",
             "trained_tracks": "inputs: this checker is proved for \"words\" only",
             "trained_words_count": "property: this checker is proved for \"answers\" only",
             "trained_wrong_word": "by: this checker is proved for \"cover\" only",
             "trained_head_mass": "network.edits: this checker is not proved for networks that were edited"}
    paths = [CORPUS / "accepted" / f"{name}.cert" for name in names]
    for reason, found in zip(names.values(), check_verified(paths, with_zarith=True), strict=True):
        assert found.verdict == "incomplete" and reason in found.reason


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
    path.write_bytes(dump(word_by_word(document)))
    found, python = check_verified([path], with_zarith=True)[0], judge(path.read_bytes())
    assert (found.verdict, python.verdict) == ("accepted", "accepted")
    said = [[line for line in one.lines if "VACUOUS" in line] for one in (found, python)]
    assert said[0] == said[1] != []


# -- changed files -----------------------------------------------------------------------------------------------------

BASES = ("bidirectional_by_length", "mean", "norms_of_images", "readout_and_comparison", "rotary_by_place")


def change_weight(document: Json, draw: random.Random) -> None:
    """Turn over the sign, or a high bit of the fraction, of a weight."""
    tensor = draw.choice(list(document["network"]["tensors"].values()))
    data = bytearray(b64decode(tensor["data"]))
    size = {"binary32": 4, "binary64": 8, "binary16": 2, "bfloat16": 2}[tensor["format"]]
    place = size * draw.randrange(len(data) // size)
    data[place + size - 1] ^= draw.choice([0x80, 0x01])
    tensor |= {"data": b64encode(data).decode("ascii"), "sha256": sha256(data).hexdigest()}


def change_margin(document: Json, draw: random.Random) -> None:
    document["claim"]["margin"] = draw.choice(["1/10", "1", "3", "1000"])


def change_length(document: Json, draw: random.Random) -> None:
    document["claim"]["max_n"] = max(document["claim"]["min_n"], document["claim"]["max_n"] + draw.choice([-1, 1, 2]))


def change_row(document: Json, draw: random.Random) -> None:
    """Turn over the sign of a coefficient."""
    rows = [row for case in document["claim"]["cases"] for row in case["above"] if row]
    entry = draw.choice(draw.choice(rows))
    entry[1] = entry[1].removeprefix("-") if entry[1].startswith("-") else f"-{entry[1]}"


def change_tokens(document: Json, draw: random.Random) -> None:
    document["claim"]["tokens"].reverse()


def change_mask(document: Json, draw: random.Random) -> None:
    found = document["network"]["attention"]
    document["network"]["attention"] = "causal" if found == "bidirectional" else "bidirectional"


def change_step(document: Json, draw: random.Random) -> None:
    """Change an activation, an epsilon, a scale or a slope."""
    for step in document["network"]["steps"]:
        if step["step"] == "units":
            step["activation"] = draw.choice(["relu", "gelu", "gelu-tanh", "silu", "sigmoid", "tanh", "identity"])
        elif step["step"] == "attention" and draw.random() < 0.5:
            step["scale"] = draw.choice([{"times": "1/2"}, {"root": 3}, {"times": "-1"}])
        if step.get("norm"):
            step["norm"]["epsilon"] = draw.choice(["1/100000", "1/10", "2"])
            step["norm"]["kind"] = draw.choice(["layer", "rms"])


CHANGES: list[Callable[[Json, random.Random], None]] = [
    change_weight, change_margin, change_length, change_row, change_tokens, change_mask, change_step]


@pytest.mark.parametrize("number", few_and_all(8, 120))
def test_changed_decisions_are_accepted_only_where_python_accepts_them(tmp_path: Path, number: int) -> None:
    draw, paths, accepted = random.Random(number), list[Path](), dict[Path, bool]()
    for base in BASES:
        text = (CORPUS / "accepted" / f"trained_{base}.cert").read_text(encoding="utf-8")
        for k in range(number):
            document = json.loads(text)
            CHANGES[k % len(CHANGES)](document, draw)
            path = tmp_path / f"{base}_{k}.cert"
            try:
                path.write_bytes(dump(word_by_word(document)))
            except Exception:  # the claim does not fit the network: malformed for Python
                path.write_bytes(dump(document))
            paths.append(path)
            accepted[path] = judge(path.read_bytes()).verdict == "accepted"
    found = check_verified(paths, with_zarith=True)
    wrong = [path.stem for path, one in zip(paths, found, strict=True)
             if one.verdict == "accepted" and not accepted[path]]
    assert wrong == []
    both = sum(one.verdict == "accepted" for one in found)
    assert 0 < both <= sum(accepted.values()) < len(paths)
