"""C-RASP programs on the command line: run, certified, explained; and one line for what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from certify.frame.shipped import examples_folder

PROGRAMS = examples_folder() / "programs"
BIGRAM = str(PROGRAMS / "bigram.cr")
SITE = b"P_a(i) := rightmost [j<i, 1] Q_a(j) : 0\nY(i) := P_a(i) & Q_b(i)\n"


def write(text: str) -> str:
    Path("p.cr").write_text(text, encoding="utf-8")
    return "p.cr"


def test_run_has_a_row_per_definition_and_a_column_per_position(certify: Any) -> None:
    result = certify("run", BIGRAM, "abaaba")
    assert (result.code, result.err) == (0, "")
    assert [line.rstrip() for line in result.out.splitlines()] == [
        "word      abaaba",
        "",
        "             symbol   a b a a b a",
        "             position 1 2 3 4 5 6",
        "after_a      bool     . T . T T .",
        "b_followed   int      0 1 1 1 2 2",
        "any_followed int      0 1 1 2 3 3",
        "predicts_b   bool     . . T . . T",
        "",
        "the program accepts the word: predicts_b is true at its last position",
    ]


def test_run_in_json_has_the_program_as_it_stands(certify: Any) -> None:
    found = certify("run", BIGRAM, "ab", "--json").json
    assert found["program"] == Path(BIGRAM).read_text(encoding="utf-8")
    assert (found["alphabet"], found["truth"]) == (["a", "b", "?"], [False, False])
    assert found["vectors"]["any_followed"] == [0, 1]


@pytest.mark.parametrize(("word", "symbols"), [("( ( )", ["(", "(", ")"]), ("(()", ["(", "(", ")"])])
def test_symbols_of_a_word_may_be_separated_by_blanks(certify: Any, word: str, symbols: list[str]) -> None:
    assert certify("run", str(PROGRAMS / "dyck_1.cr"), word, "--json").json["word"] == symbols


def test_longer_symbols_are_separated_by_blanks_or_commas(certify: Any) -> None:
    program = write('D = #"up" > #"down"')
    for word in ("up down up", "up,down,up"):
        assert certify("run", program, word, "--json").json["truth"] == [True, False, True]
    assert certify("run", program, "up left").err == (
        "certify: word, position 2: found 'left', expected one of down, up, ?\n")


def test_a_program_denotes_the_formula_of_its_last_definition(certify: Any) -> None:
    formula = "Q_a & 2*#<[prev Q_a & Q_b] > #<[prev Q_a]"
    proved = certify("formula", BIGRAM, "--max-n", "4", "-o", "bigram.cert", "--json")
    assert (proved.code, proved.json["verdict"], proved.json["formula"]) == (0, "certified", formula)
    assert certify("check", "bigram.cert", "--formula", BIGRAM).code == 0
    assert certify("explain", BIGRAM, "--json").json["formula"] == formula


def test_build_writes_the_network_of_the_formula(certify: Any) -> None:
    program = write('D = "a"')
    assert certify("build", program).out == certify("build", "Q_a").out
    assert certify("build", program, "--as-formula", "--alphabet", "ab").json["alphabet"] == ["a", "b"]


@pytest.mark.parametrize(("text", "arguments", "code", "message"), [
    ('N = #"a"', ("formula",), 2, "p.cr: the last definition N is a number, expected a truth value"),
    ('D = "a"', ("formula", "--symbol", "a"), 2,
     "--symbol: the output D of p.cr is a truth value, expected no symbol"),
    ("#import primes\nD = primes", ("formula",), 3,
     "unsupported: p.cr, line 1, column 9: the predicate 'primes' is not known, expected pos_even, pos_odd, pred or "
     "pred2, ..., pred64"),
    ('A = (#"a") * #"b"\nD = A == 4', ("formula",), 3,
     "unsupported: p.cr, line 1, column 5: a product of two counts, expected at most one of them to depend on counts"),
    ('D = "a"', ("soften",), 3, "unsupported: a C-RASP program has no network with hard attention; certify build "
                                "writes the transformer of its formula"),
    ('D = "a"', ("formula", "--alphabet", "01"), 2,
     "p.cr, line 1, column 5: symbol 'a' is not in the alphabet 0, 1\nD = \"a\"\n    ^"),
    ('D = "a" &\n', ("explain",), 2,
     "p.cr, line 1, column 9: found '&', expected an operator such as && or +, a comparison such as ==, if, the end "
     "of the line or the end of the program; conjunction is written &&\nD = \"a\" &\n        ^"),
])  # fmt: skip
def test_what_does_not_fit_gets_one_line(certify: Any, text: str, arguments: tuple[str, ...], code: int,
                                         message: str) -> None:
    command, *options = arguments
    result = certify(command, write(text), *options)
    assert (result.code, result.out) == (code, "" if code == 2 or command == "soften" else result.out)
    assert message in result.out + result.err
    assert "Traceback" not in result.err


def test_b_rasp_programs_come_from_standard_input_too(certify: Any) -> None:
    assert certify("run", "-", "ab", stdin=SITE).out.splitlines()[-1] == (
        "the program accepts the word: Y is true at its last position")
    assert certify("formula", "-", "--max-n", "4", "--json", stdin=SITE).json["formula"] == "prev Q_a & Q_b"
    assert certify("explain", "-", "--json", stdin=SITE).json["formula"] == "prev Q_a & Q_b"
