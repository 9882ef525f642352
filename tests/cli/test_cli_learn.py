"""certify learn and certify equal: what they print, their files and exit statuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from examples.trained.zoo import ZOO, plans
from proofs.check import check_text
from tests.learning.changed import changed, in_bits, in_half_precision
from tests.learning.test_vnnlib_queries import SIGNS, WORDS, differ, query
from tests.trained.small_networks import write_network

SEVEN = str(ZOO / "tomita_7" / "claim.toml")


@pytest.fixture
def seven(tmp_path: Path) -> str:
    write_network(plans()["tomita_7"].network(), tmp_path / "seven.json")
    return "seven.json"


def test_learn_prints_the_automaton_and_the_words_on_which_it_differs(certify: Any, seven: str) -> None:
    result = certify("learn", seven, "--claim", SEVEN, "--max-n", "4", "-o", "s.cert", "--svg", "s.svg", "--html",
                     "s.html")
    assert result.code == 0
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    assert "5 101 logit[1], logit[3] > 0 6 5" in lines
    assert ("certified: an automaton of 7 states answers as the network does on every word of length 0 .. 4; "
            "none has fewer") in lines
    assert "logit[1] > 0 iff true" in lines
    assert lines[-2:] == ["not as claimed on 1 word of at most 4 letters: 0111",
                          "of at most 4 letters: as claimed, except after the words that match 0111"]
    check_text(Path("s.cert").read_bytes())
    assert len(ElementTree.parse("s.svg").getroot().findall("{http://www.w3.org/2000/svg}circle")) == 6
    assert "certify learn" not in Path("s.html").read_text(encoding="utf-8")


def test_learn_as_json_has_the_automaton(certify: Any, seven: str) -> None:
    data = certify("learn", seven, "--claim", SEVEN, "--max-n", "4", "--json").json
    assert [row["states"] for row in data["lengths"]] == [1, 1, 4, 7]
    assert data["automaton"][5] == {"after": ["1", "0", "1"], "answer": "logit[1], logit[3] > 0", "steps": [6, 5]}
    assert data["differences"] == {"total": 1, "by_length": [0, 0, 0, 0, 1], "expression": "0111",
                                   "words": [["0", "1", "1", "1"]]}
    assert (data["verdict"], data["certified_to"], data["words"]) == ("certified", 4, "allowed")


def test_a_learnt_certificate_is_a_question_again(certify: Any, seven: str) -> None:
    certify("learn", seven, "--claim", SEVEN, "--max-n", "3", "-o", "s.cert")
    assert certify("decide", "s.cert", "--json").json["verdict"] == "certified"
    again = certify("learn", "s.cert", "--json").json
    assert (again["certified_to"], again["differences"]["total"]) == (3, 0)


def test_too_few_states_is_unknown_with_status_3(certify: Any, seven: str) -> None:
    result = certify("learn", seven, "--claim", SEVEN, "--max-n", "4", "--states", "4")
    assert result.code == 3 and "open at n = 4 (more than 4 states are needed for words of at most 4" in result.out


def test_equal_finds_the_word_and_writes_what_proves_it(certify: Any, seven: str, tmp_path: Path) -> None:
    write_network(changed(plans()["tomita_7"].network(), in_bits(4)), tmp_path / "other.json")
    result = certify("equal", seven, "other.json", "--claim", SEVEN, "--max-n", "4", "-o", "compared", "--json")
    assert (result.code, result.json["verdict"], result.json["difference"]["word"]) == (1, "refuted", ["0", "1", "1"])
    for name in ("first.cert", "second.cert", "second.wrong"):
        check_text((tmp_path / "compared" / name).read_bytes())


def test_equal_of_a_network_and_itself_is_certified(certify: Any, seven: str) -> None:
    result = certify("equal", seven, seven, "--alphabet", "01", "--before", "2", "--at", "every", "--sign", "0",
                     "--sign", "1", "--max-n", "3")
    assert result.code == 0
    assert "certified: equal on every word of length 0 .. 3, where both answer as an automaton of" in result.out


@pytest.mark.parametrize(("arguments", "message"), [
    (("learn", "seven.json"), "what is claimed? expected --claim FILE, or --alphabet, --read and one of --sign, "),
    (("learn", "seven.json", "--alphabet", "01", "--at", "last", "--sign", "0", "--sign", "1: Q_0", "--max-n", "2"),
     "--sign, --larger, --argmax: some have a truth, expected one for each or none at all"),
    (("equal", "seven.json", "nothing.json", "--claim", SEVEN, "--max-n", "2"), "nothing.json: "),
    (("learn", "seven.json", "--claim", SEVEN, "--max-n", "2", "--offset", "x"), "--offset: \"x\", expected all"),
])
def test_bad_input_is_refused_in_a_line(certify: Any, seven: str, arguments: tuple[str, ...], message: str) -> None:
    result = certify(*arguments)
    assert (result.code, result.out) == (2, "") and message in result.err and len(result.err.splitlines()) == 1


def test_equal_answers_a_query_in_the_words_of_its_standard(certify: Any, seven: str, tmp_path: Path) -> None:
    for name, change in (("half", in_half_precision), ("four", in_bits(4))):
        write_network(changed(plans()["tomita_7"].network(), change), tmp_path / f"{name}.json")
    (tmp_path / "q.vnnlib").write_text(query(WORDS, differ((1, 2, 3), SIGNS)), encoding="utf-8")
    result = certify("equal", seven, "half.json", "--query", "q.vnnlib", "-o", "compared")
    assert (result.code, result.out.splitlines()[0]) == (0, "unsat")
    check_text((tmp_path / "compared" / "second.cert").read_bytes())
    result = certify("equal", seven, "four.json", "--query", "q.vnnlib")
    assert (result.code, result.out.splitlines()[:4]) == (1, ["sat", "X_f[0,0]=2", "X_g[0,0]=2", "X_f[0,1]=0"])
    assert certify("equal", seven, "four.json", "--query", "q.vnnlib", "--json").json["query"] == "sat"
    result = certify("equal", seven, "half.json", "--query", "q.vnnlib", "--max-n", "3")
    assert (result.code, result.out) == (2, "") and "--max-n: the query says this" in result.err
