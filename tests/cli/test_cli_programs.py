"""`certify run` of programs: the table, the JSON object, and one line for what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from certify.frame.shipped import examples_folder
from constructions.rasp.parser import parse_program

DYCK_2 = str(examples_folder() / "programs" / "dyck_2.rasp")
INDUCTION_HEAD = str(examples_folder() / "programs" / "induction_head.rasp")


def write(text: str) -> str:
    Path("p.rasp").write_text(text, encoding="utf-8")
    return "p.rasp"


def test_the_table_has_a_row_per_vector_and_a_column_per_position(certify: Any) -> None:
    result = certify("run", DYCK_2, "([])]")
    assert (result.code, result.err) == (0, "")
    assert [line.rstrip() for line in result.out.splitlines()] == [
        "word      ([])]",
        "",
        "            symbol   ( [ ] )  ]",
        "            position 1 2 3 4  5",
        "sleft(i)    int      1 2 2 2  2",
        "sright(i)   int      0 0 1 2  3",
        "er1(i)      bool     . . . .  T",
        "diff(i)     int      1 2 1 0 -1",
        "d(i)        int      1 2 2 1  0",
        "check(i)    symbol   ? ? [ (  ?",
        "er2(i)      bool     . . . .  T",
        "okprefix(i) bool     T T T T  .",
        "out(i)      bool     . . . T  .",
        "",
        "the program rejects the word: out is false at its last position",
    ]


def test_build_writes_the_model_of_a_program_which_runs(certify: Any) -> None:
    result = certify("build", DYCK_2, "-o", "m.json")
    assert (result.code, result.out, result.err) == (0, "", "")
    model = certify("build", DYCK_2)
    assert model.out == Path("m.json").read_text(encoding="utf-8")
    assert (model.json["output"], model.json["alphabet"]) == ("out(i)", ["(", ")", "[", "]"])
    ran = certify("run", "m.json", "([])]")
    assert ran.code == 0
    (line,) = [line for line in ran.out.splitlines() if line.startswith("out(i) ")]
    assert line.split() == ["out(i)", "exact", "0", "0", "0", "1", "0"]


def test_build_says_which_definition_is_not_supported(certify: Any) -> None:
    result = certify("build", write("alphabet ab\nsum(i) := psum j [j<=i] pos(j)"), "-o", "m.json")
    assert (result.code, result.out, result.err) == (
        3, "", "certify: unsupported: sum(i): the sum of an integer without a constant bound\n")
    assert not Path("m.json").exists()


def test_build_refuses_a_program_that_is_wrong(certify: Any) -> None:
    result = certify("build", write("P(i) := Q_a(i) & pos(i)"))
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("certify: p.rasp, line 1, column 18: found an integer, expected a truth value\n")


def test_the_word_is_accepted_if_the_output_is_true_at_its_last_position(certify: Any) -> None:
    assert certify("run", DYCK_2, "([])").out.endswith("accepts the word: out is true at its last position\n")
    assert certify("run", INDUCTION_HEAD, "abca").out.endswith("the output is out\n")


def test_json_has_the_truth_of_a_boolean_output_and_every_vector(certify: Any) -> None:
    data = certify("run", write("alphabet 01\nodd(i) := Q_1(i)\nsum(i) := psum j [j<=i] 1 if odd(j) else 0\n"
                                "out(i) := sum(i) = 1"), "011", "--json").json
    assert list(data) == ["program", "alphabet", "word", "truth", "vectors"]
    assert (data["alphabet"], data["word"], data["truth"]) == (["0", "1"], ["0", "1", "1"], [False, True, False])
    assert data["vectors"] == {"odd": [False, True, True], "sum": [0, 1, 2], "out": [False, True, False]}
    assert parse_program(data["program"]) == parse_program(Path("p.rasp").read_text(encoding="utf-8"))


def test_json_has_the_output_if_it_is_of_symbols_or_integers(certify: Any) -> None:
    data = certify("run", INDUCTION_HEAD, "abcab", "--json").json
    assert "truth" not in data and data["output"] == ["?", "?", "?", "b", "c"]
    assert certify("run", write("P(i) := -pos(i)"), "??", "--json").json["output"] == [-1, -2]


def test_a_program_without_alphabet_takes_that_of_the_option(certify: Any) -> None:
    path = write("P(i) := Q_a(i)")
    assert certify("run", path, "a,long", "--alphabet", "a,long", "--json").json["truth"] == [True, False]
    assert certify("run", path, "a?", "--json").json["truth"] == [True, False]


def test_a_wrong_program_gets_a_line_the_source_line_and_a_caret(certify: Any) -> None:
    result = certify("run", write("alphabet ab\nP(i) := pos(i) & true\n"), "ab")
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines() == [
        "certify: p.rasp, line 2, column 9: found an integer, expected a truth value",
        "P(i) := pos(i) & true",
        "        ^",
    ]


@pytest.mark.parametrize(("word", "options", "message"), [
    ("aca", (), "word, position 2: found 'c', expected one of a, b"),
    ("", (), "word: found nothing, expected at least one symbol (words are not empty)"),
    ("a" * 1025, (), "word: 1025 symbols, expected at most 1024"),
    ("ab", ("--alphabet", "ab"), "alphabet 'a, b': the program states its own, expected only one"),
])
def test_wrong_words_and_alphabets_get_one_line(certify: Any, word: str, options: tuple[str, ...],
                                                message: str) -> None:
    result = certify("run", write("alphabet ab\nP(i) := Q_a(i)"), word, *options)
    assert (result.code, result.out, result.err) == (2, "", f"certify: {message}\n")


def test_a_missing_program_gets_one_line(certify: Any) -> None:
    result = certify("run", "none.rasp", "ab")
    assert (result.code, result.out, result.err) == (2, "", "certify: none.rasp: No such file or directory\n")


def test_an_escape_sequence_in_a_program_does_not_reach_the_terminal(certify: Any) -> None:
    result = certify("run", write("alphabet 'a'\nauxiliary '\x1b[2J'\nP(i) := '\x1b[2J'"), "a")
    assert result.code == 0 and "\x1b" not in result.out
    assert "\x1b" not in certify("run", write("P(i) := \x1b[2J"), "a").err
