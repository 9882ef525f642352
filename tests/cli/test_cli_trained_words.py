"""`certify run` of trained networks: tokens, logits and verdicts as they are, and complaints in one line."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from constructions.trained.network import Affine, AttentionStep, Head, Scale, Tensor, TrainedNetwork, View
from tests.trained.small_networks import write_network

CLAIM = """
letters = "ab"
before = [2]
answers = "each"
max_n = 8
[[answer]]
kind = "sign"
token = 0
truth = "#<[Q_a] >= #<[Q_b]"
"""


def difference_network(rows: int = 0) -> TrainedNetwork:
    """Logit 0 is what the token is worth (a 1, b -1, the start 1/2) plus the mean so far; logit 1 is minus it."""
    data = {"tokens": (1.0, -1.0, 0.5), "zero": (0.0,), "one": (1.0, -1.0, 0.0)}
    tensors = {name: Tensor("binary32", (len(row),), struct.pack(f"<{len(row)}f", *row)) for name, row in data.items()}
    positions = None
    if rows:
        tensors["rows"] = Tensor("binary32", (rows, 1), bytes(4 * rows))
        positions = View("rows", 0, (rows, 1), (1, 1))
    zero, one = View("zero", 0, (1, 1), (1, 1)), View("one", 0, (1, 1), (1, 1))
    minus = View("one", 1, (1, 1), (1, 1))
    heads = (Head(Affine(zero), Affine(zero), Affine(one), one), Head(Affine(zero), Affine(zero), Affine(zero), minus))
    attention = AttentionStep(None, heads, None, Scale(root=1))
    tokens = View("tokens", 0, (3, 1), (1, 1))
    outputs = Affine(View("one", 0, (1, 2), (1, 1)))
    return TrainedNetwork("causal", tokens, positions, (attention,), outputs, tensors)


@pytest.fixture
def model(tmp_path: Path) -> str:
    write_network(difference_network(), tmp_path / "model.json")
    (tmp_path / "c.toml").write_text(CLAIM, encoding="utf-8")
    return "model.json"


def test_a_word_is_shown_with_its_logits_and_verdicts(certify: Any, model: str) -> None:
    result = certify("run", model, "abb", "--claim", "c.toml", "--head")
    assert (result.code, result.err) == (0, "")
    assert [line.rstrip() for line in result.out.splitlines()] == [
        "word      abb (n = 3)",
        "tokens    2 0 1 1 at offset 0",
        "",
        "position  letter  logit[0]  cases  least      is       verdict",
        "       1  a           1.75  1      logit[0]   1.75     right",
        "       2  b        -0.8333  1      logit[0]   -0.8333  wrong",
        "       3  b         -1.125  2      -logit[0]  1.125    right",
        "",
        "head 1.1   the weights with which a token (row) reads the tokens (columns)",
        "token   <2>     a     b     b",
        "<2>    1.00",
        "a      0.50  0.50",
        "b      0.33  0.33  0.33",
        "b      0.25  0.25  0.25  0.25",
        "",
        "head 1.2   the weights with which a token (row) reads the tokens (columns)",
        "token   <2>     a     b     b",
        "<2>    1.00",
        "a      0.50  0.50",
        "b      0.33  0.33  0.33",
        "b      0.25  0.25  0.25  0.25",
        "",
        "wrong: at position 2, logit[0] is -0.8333, expected more than 0 (case 1)",
    ]


def test_the_same_is_there_as_json(certify: Any, model: str) -> None:
    result = certify("run", model, "ab", "--claim", "c.toml", "--json")
    assert (result.json["tokens"], result.json["verdict"]) == ([2, 0, 1], "wrong")
    first, second = result.json["places"]
    assert (first["position"], first["token"], first["verdict"], second["verdict"]) == (1, 1, "right", "wrong")
    assert first["logits"] == [["1.75", "1.75"], ["-1.75", "-1.75"]]
    assert first["asked"] == [{"case": 0, "row": 0, "above": [[0, "1"]], "value": ["1.75", "1.75"], "verdict": "right"}]
    assert second["logits"][0] == ["-0.833333333334", "-0.833333333333"]


def test_without_a_claim_tokens_are_run(certify: Any, model: str) -> None:
    result = certify("run", model, "0,1")
    assert [line.rstrip() for line in result.out.splitlines()] == [
        "tokens    0 1 at offset 0", "",
        "position  token  logit[0]  logit[1]",
        "       1  0             2        -2",
        "       2  1            -1         1",
    ]  # fmt: skip


def test_a_value_that_is_the_margin_is_wrong(certify: Any, model: str) -> None:
    Path("c.toml").write_text(CLAIM.replace("max_n", "margin = 1.75\nmax_n"), encoding="utf-8")
    result = certify("run", model, "a", "--claim", "c.toml")
    assert "wrong: at position 1, logit[0] is 1.75, expected more than 7/4 (case 1)" in result.out


@pytest.mark.parametrize(("arguments", "message"), [
    (("abc", "--claim", "c.toml"), "word, position 3: found 'c', expected one of a, b"),
    (("01",), "word: without --claim expected tokens such as 2,0,1"),
    (("0,3",), "word: token 3, but the network has the tokens 0 to 2"),
    (("ab", "--claim", "c.toml", "--offset", "1"), "offset: 1, but the network has no position tables, so expected 0"),
    (("ab", "--claim", "c.toml", "--offset", "-1"), "--offset: -1, expected 0 or more"),
    (("ab", "--claim", "none.toml"), "none.toml: No such file or directory"),
    (("ab", "--alphabet", "ab"), "--alphabet: model.json holds a trained network, which does not take this option"),
    (("ab", "--weighting", "hard"), "--weighting: model.json holds a trained network, which does not take this option"),
])
def test_what_cannot_be_run_is_refused_in_one_line(certify: Any, model: str, arguments: tuple[str, ...],
                                                   message: str) -> None:
    result = certify("run", model, *arguments)
    assert (result.code, result.out, result.err) == (2, "", f"certify: {message}\n")


def test_a_word_that_has_no_rows_is_refused(certify: Any, tmp_path: Path) -> None:
    write_network(difference_network(rows=3), tmp_path / "short.json")
    result = certify("run", "short.json", "0,1", "--offset", "2")
    assert result.err == "certify: word: 2 tokens at offset 2, but the network has 3 rows of positions\n"
    assert certify("run", "short.json", "0,1", "--offset", "1").code == 0


def test_options_of_trained_networks_are_refused_beside_a_formula(certify: Any) -> None:
    result = certify("run", "Q_a", "a", "--head")
    assert (result.code, result.err) == (2, "certify: --head: Q_a does not hold a trained network, and this option "
                                            "is for those\n")


@pytest.mark.parametrize(("arguments", "message"), [
    (("decide", "model.json"), "what is claimed? expected --claim FILE, or --alphabet, --read and one of --sign, "
                               "--larger, --argmax, --follow"),
    (("decide", "model.json", "--claim", "c.toml", "--sign", "0: Q_a"),
     "--sign: the claim file says this, expected one or the other"),
    (("decide", "model.json", "--claim", "c.toml", "--offset", "1-"),
     '--offset: "1-", expected all, an offset, or a range such as 0-10'),
    (("decide", "model.json", "--claim", "c.toml", "--offset", "1"),
     "c.toml: offsets: 1, expected an offset from 0 to 0"),
    (("decide", "model.json", "--claim", "c.toml", "--max-n", "0"),
     "c.toml: min_n 1 and max_n 0, expected 1 <= min_n <= max_n"),
    (("decide", "c.toml", "--claim", "c.toml"),
     "c.toml: found a claim file of a trained network (.toml), expected a trained network (certify import "
     "writes one) or a certificate about one; certify decide MODEL.json --claim c.toml"),
    (("decide", "model.json", "--alphabet", "ab", "--at", "every", "--sign", "9: Q_a", "--max-n", "2"),
     "options: answer 1: token: 9, expected a token with a logit, from 0 to 1"),
])
def test_a_question_that_is_wrong_is_refused_in_one_line(certify: Any, model: str, arguments: tuple[str, ...],
                                                         message: str) -> None:
    result = certify(*arguments)
    assert (result.code, result.out, result.err) == (2, "", f"certify: {message}\n")


def test_a_claim_that_is_false_is_refuted_with_the_shortest_word(certify: Any, model: str) -> None:
    result = certify("decide", model, "--claim", "c.toml", "--max-n", "3", "--json", "--wrong", "wrong.json")
    assert (result.code, result.json["verdict"], result.json["counterexample"]["word"]) == (1, "refuted", ["a", "b"])
    replayed = certify("run", "wrong.json", "ab")
    assert "wrong: at position 2, logit[0] is -0.8333, expected more than 0 (case 1)" in replayed.out


def test_a_claim_that_is_true_is_certified(certify: Any, model: str) -> None:
    claim = ("--alphabet", "ab", "--before", "2", "--at", "every", "--larger", "0,1: Q_a")
    result = certify("decide", model, *claim, "--max-n", "4", "-o", "c.cert", "--json")
    assert (result.code, result.json["verdict"], result.json["certified_to"]) == (0, "certified", 4)
    assert json.loads(Path("c.cert").read_text(encoding="utf-8"))["format"] == "certify-decision"
