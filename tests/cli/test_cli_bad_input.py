"""Bad usage and bad input: one clear line on standard error, exit status 2, and nothing left behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

EXPLAINED = "--help explains the usage"


def assert_refused(result: Any, *parts: str, lines: int = 1, as_json: bool = False) -> None:
    assert result.code == 2, result
    if as_json:
        assert result.json["verdict"] == "malformed" and f"certify: {result.json['error']}" in result.err
    else:
        assert result.out == "", result
    assert result.err.startswith("certify: ") and result.err.endswith("\n")
    assert len(result.err.splitlines()) == lines, result.err
    for part in parts:
        assert part in result.err, result.err
    assert "Traceback" not in result.err


# -- formulas ----------------------------------------------------------------------------------------------------------

FORMULAS = {
    "unbalanced": ("(Q_1 & Q_0", "line 1, column 11: found the end of the text, expected ')'", 11),
    "closed twice": ("Q_1 & Q_0)", "line 1, column 10: found ')'", 10),
    "unknown operator": ("Q_1 wibble Q_0", "line 1, column 5: found 'wibble', expected an operator such as &", 5),
    "no formula at all": ("", "line 1, column 1: found the end of the text, expected a formula", 1),
    "blank": ("   ", "found the end of the text, expected a formula", 1),
    "operator without operand": ("Q_1 &", "line 1, column 6: found the end of the text, expected a formula", 6),
    "symbol outside the alphabet": ("Q_1 since Q_2", "line 1, column 11: symbol '2' is not in the alphabet 0, 1", 11),
    "unknown predicate": ("ODDISH & Q_1", "line 1, column 1: found 'ODDISH', expected a predicate such as", 1),
    "python": ("__import__('os')", "line 1, column 1", 1),
}


@pytest.mark.parametrize("command", ["formula", "build", "explain", "run"])
@pytest.mark.parametrize("name", FORMULAS)
def test_a_malformed_formula_gets_a_line_the_text_and_a_caret(certify: Any, command: str, name: str) -> None:
    formula, message, column = FORMULAS[name]
    result = certify(command, formula, *(["01"] if command == "run" else []), "--alphabet", "01")
    assert_refused(result, message, lines=3)
    _, text, caret = result.err.splitlines()
    assert caret.strip() == "^"
    if column:
        assert text == formula and caret.index("^") == column - 1


def test_the_caret_points_into_the_line_that_is_wrong(certify: Any) -> None:
    result = certify("formula", "-", stdin=b"Q_1 since\nQ_0 & &\n")
    assert_refused(result, "line 2, column 7: found '&'", lines=3)
    assert result.err.splitlines()[1:] == ["Q_0 & &", "      ^"]


def test_standard_input_that_is_not_utf8_is_refused(certify: Any) -> None:
    assert_refused(certify("formula", "-", stdin=b"Q_1 \xff"), "-: byte 5 is not UTF-8 text")


@pytest.mark.parametrize("arguments", [
    ("formula", "Q_\udcff"), ("formula", "Q_1", "--alphabet", "1\udcff"), ("run", "Q_1", "\udcff"),
    ("formula", "Q_1", "--predicate", "\udcff(k) := k == 1"),
])
def test_arguments_that_are_not_utf8_are_refused(certify: Any, arguments: tuple[str, ...]) -> None:
    assert_refused(certify(*arguments), "is not UTF-8 text")


def test_an_escape_sequence_in_an_argument_does_not_reach_the_terminal(certify: Any) -> None:
    for result in (certify("formula", "Q_1", "--alphabet", "1\x1b[31m\x9b"), certify("run", "Q_1", "1\x1b[2J")):
        assert "\x1b" not in result.out + result.err and "\x9b" not in result.out + result.err


# -- options -----------------------------------------------------------------------------------------------------------

OPTIONS: dict[str, tuple[Any, ...]] = {
    "empty alphabet": (("--alphabet", ""), "alphabet: found nothing, expected at least one symbol"),
    "empty symbol": (("--alphabet", "1,,0"), "symbol 2 is empty"),
    "duplicate symbol": (("--alphabet", "010"), "alphabet '010': '0' occurs twice, expected distinct symbols"),
    "max-n 0": (("--max-n", "0"), "max-n: 0, expected a number from 1 to 1024"),
    "max-n negative": (("--max-n", "-1"), "max-n: -1, expected a number from 1 to 1024"),
    "max-n huge": (("--max-n", "1000000000"), "max-n: 1000000000, expected a number from 1 to 1024"),
    "max-n of 5000 digits": (("--max-n", "9" * 5000), "expected a whole number"),
    "max-n a word": (("--max-n", "abc"), "--max-n': found 'abc', expected a whole number", EXPLAINED),
    "max-n a float": (("--max-n", "6.0"), "--max-n': found '6.0', expected a whole number", EXPLAINED),
    "max-n without a value": (("--max-n",), "--max-n", EXPLAINED),
    "unknown option": (("--bogus",), "No such option: --bogus", EXPLAINED),
    "unknown regime": (("--regime", "hot"), "--regime", "'hot' is not one of 'temperature', 'position'", EXPLAINED),
    "unknown style": (("--style", "html"), "--style", "'html' is not one of", EXPLAINED),
    "gamma 0": (("--gamma", "0"), "--gamma: found 0, expected a positive number"),
    "gamma negative": (("--gamma", "-1"), "--gamma: found -1, expected a positive number"),
    "gamma a word": (("--gamma", "x"), "--gamma: expression 'x', column 1: found 'x'"),
    "gamma two points": (("--gamma", "2.5."), "--gamma: expression '2.5.', column 4: found '.'"),
    "gamma divides by zero": (("--gamma", "1/0"), "--gamma: 1/0 divides by zero"),
    "gamma a bomb": (("--gamma", "9^9^9^9"), "--gamma: 9^9^9^9 has an exponent outside -64..64"),
    "gamma empty": (("--gamma", ""), "--gamma: expression '', column 1: found the end of the expression"),
    "predicate without a definition": (("--predicate", "THIRD"), "THIRD"),
    "two formulas": (("Q_0",), "extra argument", EXPLAINED),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_a_bad_option_is_one_line_and_leaves_no_file(certify: Any, tmp_path: Path, name: str) -> None:
    options, *parts = OPTIONS[name]
    assert_refused(certify("formula", "Q_1 since Q_0", "-o", "c.cert", *options), *parts)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("arguments", "part"), [
    (("bogus",), "No such command 'bogus'"), (("check",), "Missing argument 'FILE...'"),
    (("model",), "Missing argument 'FILE'"), (("run", "Q_1"), "no WORD, expected the symbols of a word"),
    (("check", "--max-n", "many", "c.cert"), "found 'many', expected a whole number"),
    (("model", "m.json", "--max-n", "0"), "max-n: 0, expected a number from 1 to 1024"),
    (("explain", "Q_1", "--gamma", "-3"), "--gamma: found -3"),
    (("list", "everything"), "'everything' is not one of 'examples', 'predicates'"),
    (("check", "--formula", "(Q_1", "c.cert", "--json"), "--formula"),
])
def test_bad_usage_of_a_command_is_one_line(certify: Any, arguments: tuple[str, ...], part: str) -> None:
    assert_refused(certify(*arguments), part, as_json="--json" in arguments)


@pytest.mark.parametrize("option", [("--alphabet", "01"), ("--predicate", "T(k) := k == 1"), ("--parenthesize",)])
def test_the_demo_refuses_options_that_it_would_ignore(certify: Any, option: tuple[str, ...]) -> None:
    assert_refused(certify("formula", "--max-n", "2", *option), f"{option[0]}: the shipped examples do not take it")


# -- words -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("word", "message"), [
    ("", "word: found nothing, expected at least one symbol"),
    ("0120", "word, position 3: found '2', expected one of 0, 1"),
    ("0,,1", "word, position 2: found '', expected one of 0, 1"),
    ("01" * 1000, "word: 2000 symbols, expected at most 1024"),
    ("0" * 200_000, "word of 200000 characters: expected at most 100000"),
])
def test_a_word_that_cannot_be_run_is_one_line(certify: Any, word: str, message: str) -> None:
    assert_refused(certify("run", "Q_1 since Q_0", word, "--alphabet", "01"), message)
    certify("build", "Q_1 since Q_0", "--alphabet", "01", "-o", "m.json")
    assert_refused(certify("run", "m.json", word), message)


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("arguments", "message"), [
    (("model", "missing.json"), "missing.json: No such file or directory"),
    (("run", "missing.json", "0"), "missing.json: No such file or directory"),
    (("run", "missing.cert", "0"), "missing.cert: No such file or directory"),
    (("model", "."), ".: found a folder, expected a model file or a certificate"),
])
def test_a_file_that_cannot_be_read_is_one_line(certify: Any, arguments: tuple[str, ...], message: str) -> None:
    assert_refused(certify(*arguments), message)


def test_check_of_a_file_that_cannot_be_read_is_one_line_and_exits_2(certify: Any, tmp_path: Path) -> None:
    for path in ("missing.cert", str(tmp_path)):
        result = certify("check", path)
        assert result.code == 2
        assert len((result.out + result.err).splitlines()) == 1 and path in result.out + result.err


@pytest.mark.parametrize(("place", "message"), [
    ("no/such/folder/c.cert", "no/such/folder/c.cert: cannot be written: there is no folder"),
    (".", ".: cannot be written: it is a folder"),
    ("", "-o: the name is empty, expected a file"),
    ("file/c.cert", "file/c.cert: cannot be written: there is no folder"),
])
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
        certify: Any, monkeypatch: pytest.MonkeyPatch, place: str, message: str) -> None:
    Path("file").write_text("a file, not a folder")
    Path("m.json").write_text("not reached")
    monkeypatch.setattr("certify.formula.pipeline.certify_request", None)
    for command in (("formula", "Q_1"), ("build", "Q_1"), ("model", "m.json")):
        assert_refused(certify(*command, "-o", place), message)


def test_the_demo_refuses_a_file_where_a_folder_is_needed(certify: Any) -> None:
    Path("file").write_text("")
    assert_refused(certify("formula", "--max-n", "2", "-o", "file"), "file: cannot be a folder for the certificates")
    assert_refused(certify("formula", "--max-n", "2", "-o", "-"), "-o -: there are several results, expected a folder")


def test_the_certificate_and_the_json_object_cannot_both_go_to_standard_output(certify: Any) -> None:
    assert_refused(certify("formula", "Q_1", "-o", "-", "--json"), "-o -", "expected a file", as_json=True)


@pytest.mark.parametrize("arguments", [
    ("formula", "(Q_1", "-o", "precious"), ("formula", "Q_1", "--max-n", "0", "-o", "precious"),
    ("formula", "Q_1 since next Q_0", "--gamma", "1", "--alphabet", "01", "--max-n", "5", "-o", "precious"),
    ("formula", "next Q_0", "--causal", "-o", "precious"), ("build", "next Q_1", "--causal", "-o", "precious"),
    ("build", "Q_2", "--alphabet", "01", "-o", "precious"), ("model", "precious", "-o", "precious"),
])
def test_a_run_that_fails_leaves_the_output_file_as_it_was(
        certify: Any, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    Path("precious").write_text("keep me")
    assert certify(*arguments).code in (1, 2, 3)
    assert Path("precious").read_text() == "keep me"
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]


def test_an_option_that_is_given_twice_is_refused_and_not_half_ignored(certify: Any) -> None:
    twice = certify("formula", "Q_1", "--max-n", "2", "-o", "one.cert", "--output", "two.cert")
    assert_refused(twice, "certify: --output is given twice, expected once; certify formula --help")
    assert not list(Path().iterdir())
    definitions = ("--predicate", "ONE(k) := k % 3 == 1", "--predicate", "TWO(k) := k % 3 == 2")
    assert certify("explain", "ONE & TWO", *definitions, "--json", "--json").code == 0


@pytest.mark.parametrize(("name", "text", "complaint"), [
    ("f.ltl", "Q_a &\n& Q_b\n", "f.ltl, line 2, column 1: found '&', expected a formula"),
    ("c.ltl", "p = q\nq = p\np\n",
     "c.ltl, line 1, column 5: found 'q', whose definition needs 'p' itself, expected no circle"),
    ("p.rasp", "P(i) := rightmost j [j<2, true] Q_a(j) : 0",
     "p.rasp, line 1, column 24: found '2', expected the mask 1 or j<i or j<=i or j>i or j>=i"),
    ("p.cr", 'D = !"a" && "b"', 'p.cr, line 1, column 5: found no brackets where readings differ, '
                               'expected (!"a") && "b" or !("a" && "b")'),
])
def test_what_is_wrong_in_a_file_is_said_with_its_name(certify: Any, name: str, text: str, complaint: str) -> None:
    Path(name).write_text(text, encoding="utf-8")
    result = certify("formula", name)
    assert (result.code, result.out, result.err.splitlines()[0]) == (2, "", f"certify: {complaint}")


@pytest.mark.parametrize(("text", "complaint"), [
    ("", "a.att: nothing in it, expected an automaton in TOML, JSON, AT&T lines or HOA"),
    ("0 1 a\n1 2 b c d e\n2\n", "a.att, line 2: expected two states and a symbol, or a state that accepts"),
])
def test_lines_of_an_automaton_are_not_read_as_toml(certify: Any, text: str, complaint: str) -> None:
    Path("a.att").write_text(text, encoding="utf-8")
    result = certify("formula", "--dfa", "a.att")
    assert (result.code, result.out, result.err) == (2, "", f"certify: {complaint}\n")
