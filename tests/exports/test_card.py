"""`certify export --to card`: Markdown that says what the checker says, and nothing of what is rejected."""

import hashlib
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from certify.claims.formula.sealed import NotAccepted
from certify.exports.card import card_of, code, fence
from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.regimes import Regime
from tests.cli.conftest import Result
from tests.exports.conftest import write_certificate
from tests.trained.lengths.counting import majority_by_hand
from tests.trained.small_networks import write_network

CORPUS = Path(__file__).parents[1] / "corpus"
HEADLINES = {
    "majority": "Right on all words of length <= 4",
    "from_length_2": "Right on all words of length 2 to 4",
    "trained_wrong_word": "Wrong on a word",
    "trained_tracks_wrong_input": "Wrong on an input",
    "trained_mean_in_cells": "A claim about all words of length 2 is proved",
    "trained_mean_by_classes": "A claim about all words of length <= 5 is proved",
    "softened_recent": "A claim about all words of length <= 3 is proved",
    "trained_tracks": "A claim about all allowed inputs is proved",
}


def card_of_corpus(name: str, called: str = "it.cert") -> str:
    text = (CORPUS / "accepted" / f"{name}.cert").read_text(encoding="utf-8")
    return card_of(text, "it.cert", called)


@pytest.mark.parametrize("name", HEADLINES)
def test_a_card_says_what_the_checker_says_of_each_kind_of_certificate(name: str) -> None:
    card = card_of_corpus(name)
    assert card.startswith(f"## {HEADLINES[name]}\n")
    path = CORPUS / "accepted" / f"{name}.cert"
    checker = Path(__file__).parents[2] / "proofs" / "check"
    printed = subprocess.run([sys.executable, "-I", "-S", str(checker), str(path)], capture_output=True, text=True,
                          check=True).stdout.splitlines()
    (shown,) = re.findall(r"^```text\n(.*?)^```$", card, re.MULTILINE | re.DOTALL)
    assert shown.splitlines() == printed[:-1]
    assert f"`{hashlib.sha256(path.read_bytes()).hexdigest()}`" in card
    assert ("Not claimed" in card) == ("FALSE" not in card)


def test_of_a_claim_about_every_length_no_words_are_longer(certify: Any) -> None:
    write_network(majority_by_hand(2.0), "network.json")
    claim = ("decide", "network.json", "--alphabet", "01", "--at", "every", "--sign", "0: false", "--every")
    assert certify(*claim, "-o", "all.cert").code == 0
    assert certify(*claim, "--min-n", "3", "-o", "longer.cert").code == 0
    card = certify("export", "all.cert", "--to", "card").out
    assert card.startswith("## A claim about all words is proved\n")
    assert "Not claimed: anything about other weights" in card and "longer words" not in card
    longer = certify("export", "longer.cert", "--to", "card").out
    assert longer.startswith("## A claim about all words of length >= 3 is proved\n")


def test_its_digests_are_those_of_the_files_and_its_commands_check_them(certify: Any, since: str) -> None:
    result = certify("export", since, "--to", "card")
    assert result.code == 0 and result.err == ""
    digests = re.findall(r"`([0-9a-f]{64})`", result.out)
    model = write_canonical(transformer_to_json(compile_formula(parse_formula("Q_1 since Q_0"), "01", Regime())))
    (block,) = re.findall(r"^```sh\n(.*?)^```$", result.out, re.MULTILINE | re.DOTALL)
    writes, checks = block.splitlines()
    assert certify(*shlex.split(writes)[1:]).code == 0
    assert digests == [hashlib.sha256(data).hexdigest() for data in (
        Path(since).read_bytes(), model.encode(), Path("check.pyz").read_bytes())]
    assert "--formula" in checks and "--max-n" in checks
    done = subprocess.run([sys.executable, *shlex.split(checks)[1:]], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"accepted: {since}")


def test_of_a_rejected_certificate_and_of_none_nothing_is_written(certify: Any, since: str) -> None:
    text = Path(since).read_text(encoding="utf-8")
    Path("bad.cert").write_text(text.replace('"formula": "Q_1 since Q_0"', '"formula": "Q_0 since Q_1"', 1))
    Path("no.cert").write_text("{}")
    for name, status, complaint in (("bad.cert", 1, "bad.cert: rejected: "), ("no.cert", 2, "no.cert: malformed: "),
                                  ("none.cert", 2, "none.cert: No such file or directory")):
        result = certify("export", name, "--to", "card", "-o", "card.md")
        assert (result.code, result.out) == (status, "") and result.err.startswith(f"certify: {complaint}")
        assert len(result.err.splitlines()) == 1 and not Path("card.md").exists()
    assert certify("export", since, "--to", "card", "-o", since).code == 2


def test_a_card_is_written_whole_or_read_from_standard_input(certify: Any, since: str) -> None:
    assert certify("export", since, "--to", "card", "-o", "card.md") == Result(0, "", "")
    card = Path("card.md").read_text(encoding="utf-8")
    assert card == certify("export", since, "--to", "card").out
    piped = certify("export", "-", "--to", "card", stdin=Path(since).read_bytes()).out
    assert piped == card.replace(since, "the.cert")


@pytest.mark.parametrize("name", ["a`b|c.cert", "<script>.cert", "[x](y)", " a", "*", "ü\n## No.cert"])
def test_no_name_of_a_file_speaks_in_a_card(name: str) -> None:
    card = card_of_corpus("majority", name)
    plain = card_of_corpus("majority")
    tags = [re.findall(r"<(/?\w+)", MarkdownIt("commonmark", {"html": False}).enable("table").render(text))
            for text in (card.replace(code(name), "`it.cert`"), plain)]
    assert tags[0] == tags[1]
    assert "\n## No" not in card and "<script>" not in card.partition("```sh")[0]


def test_no_symbol_of_a_certificate_speaks_in_a_card(tmp_path: Path) -> None:
    assert card_of_corpus("a_symbol_with_a_line_of_its_own").startswith("## Right on all words of length <= 3\n")
    symbol = "````\n## Proved: all"
    path = write_certificate(tmp_path / "it.cert", "Q_a", ("a", symbol), 2)
    card = card_of(path.read_text(encoding="utf-8"), "it", "it")
    assert fence("````") in card and len(re.findall(r"^#", card, re.MULTILINE)) == 1
    rendered = MarkdownIt("commonmark", {"html": False}).render(card)
    assert rendered.count("<h2>") == 1 and "all</h2>" not in rendered


def test_what_is_not_accepted_raises_what_exports_raise() -> None:
    rejected = (CORPUS / "rejected" / "a_bound_that_is_too_small.cert").read_text(encoding="utf-8")
    with pytest.raises(NotAccepted, match=r"^x: rejected: "):
        card_of(rejected, "x", "x")
    with pytest.raises(InputError, match=r"^x: malformed: "):
        card_of(json.dumps({}), "x", "x")
