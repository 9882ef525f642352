"""Formulas of other tools on the command line: dialects, where a word is judged, and what the checker is asked."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from certify.asking.readings import describe_reading, is_core
from certify.asking.request import read_request
from certify.asking.written import Options
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.spellings import Dialect

READ = "certify: note: --formula is read as !(!Q_b until !(Q_a | Q_b))\n"


def test_a_formula_of_another_tool_is_certified_and_checked_as_it_was_written(certify: Any) -> None:
    assert certify("formula", "a W b", "--alphabet", "abc", "--max-n", "4", "-o", "c.cert").code == 0
    for options in (("a W b", "--alphabet", "abc"), ("Q_a W Q_b",), ('"a" W "b"', "--max-n", "4")):
        result = certify("check", "c.cert", "--formula", *options)
        assert (result.code, result.err) == (0, READ)
        assert result.out.endswith("accepted: c.cert\n")
    assert certify("check", "c.cert", "--formula", "!(!Q_b until !(Q_a | Q_b))").err == ""
    rejected = certify("check", "c.cert", "--formula", "Q_b W Q_a", "--json")
    assert (rejected.code, rejected.json["verdict"]) == (1, "rejected")


def test_what_the_checker_is_asked_depends_on_the_dialect(certify: Any) -> None:
    assert certify("formula", "X Q_a", "--max-n", "4", "-o", "c.cert").code == 0
    assert certify("check", "c.cert", "--formula", "X Q_a").code == 0
    assert certify("check", "c.cert", "--formula", "X Q_a", "--dialect", "black").code == 0
    weak = certify("check", "c.cert", "--formula", "X Q_a", "--dialect", "spot")
    assert (weak.code, weak.err) == (1, "certify: note: --formula is read as !next !Q_a\n")


def test_a_formula_that_nobody_reads_is_one_line(certify: Any) -> None:
    assert certify("formula", "Q_a", "--max-n", "2", "-o", "c.cert").code == 0
    result = certify("check", "c.cert", "--formula", "Q_a Until Q_b")
    assert (result.code, result.out, result.err) == (
        2, "", "certify: --formula: line 1, column 5: found 'Until', expected an operator such as & or since or the "
               "end of the text; did you mean 'until'?\n")


@pytest.mark.parametrize(("dialect", "truths"), [
    ("sha", [False, True, False]), ("spot", [False, True, True]), ("black", [False, True, False]),
    ("lydia", [False, True, True]),
])
def test_dialects_differ_at_the_last_position(certify: Any, dialect: str, truths: list[bool]) -> None:
    result = certify("run", "X a", "aba", "--alphabet", "ab", "--dialect", dialect, "--json")
    assert result.json["truth"] == truths
    request = read_request("X a & (a until b)", Options(alphabet="ab", dialect=dialect))
    _, *again = shlex.split(request.run_command.on("aba"))
    assert certify(*again, "--json").json["truth"] == [False, dialect != "sha", False]


def test_a_note_says_how_a_text_was_read_where_tools_differ() -> None:
    weak, strong = "X holds at the last position", "X fails at the last position"
    usual, sha = "since and until are S and U", "since and until ask for their left side at the witness, too"
    page = " (docs/formulas.md)"
    for text, dialect, note in (
        ("X Q_a since Q_b", Dialect.SHA, ""), ("Q_a U Q_b", Dialect.SPOT, ""), ("Q_a W Q_b", Dialect.SHA, ""),
        ("wX X Q_a", Dialect.SHA, f"dialect sha: {strong}{page}"),
        ("X Q_a", Dialect.SPOT, f"dialect spot: {weak}{page}"),
        ("Q_a until 1", Dialect.SHA, f"dialect sha: {sha}{page}"),
        ("X Q_a since Q_b", Dialect.LYDIA, f"dialect lydia: {weak}, {usual}{page}"),
    ):
        assert describe_reading(text, None, {}, dialect) == note


def test_the_core_language_is_what_the_checker_reads() -> None:
    third = "T(k) := k % 3 == 0"
    for text in ("X Q_a S Y Q_b", "T(#<[Q_a]) | MOD(3,1)", "#<[Q_a] - 2*#>[Q_b] + 1 != 0"):
        assert is_core(text, [third])
        assert parse_formula(text, predicates=parse_predicate_definitions([third])) is not None
    for text in ("Q_a T Q_b", "1", "i > 2", "0 <= #<[Q_a] <= 2", "GFQ_a", "a U b", "Q_a Until"):
        assert not is_core(text)


@pytest.mark.parametrize(("at", "satisfied", "line"), [
    ("first", True, "at its first position: satisfied (elsewhere: --at last or every)"),
    ("last", False, "at its last position: not satisfied (elsewhere: --at first or every)"),
    ("every", False, "at every position: not satisfied at 3 (elsewhere: --at first or last)"),
])
def test_where_a_word_is_judged(certify: Any, at: str, satisfied: bool, line: str) -> None:
    arguments = ("run", "a U b", "aba", "--alphabet", "ab", "--at", at)
    printed, data = certify(*arguments), certify(*arguments, "--json").json
    assert printed.out.splitlines()[1] == f"judged    {line}"
    place = {"first": "at its first position", "last": "at its last position", "every": "at every position"}[at]
    assert printed.out.endswith(
        f"\nthe word {'satisfies' if satisfied else 'does not satisfy'} Q_a U Q_b {place}\n")
    assert (data["at"], data["satisfied"], data["truth"]) == (at, satisfied, [True, True, False])


def test_the_default_alphabet_is_named_where_it_is_in_the_way(certify: Any) -> None:
    assert certify("run", "F Q_1", "0,1,1").err == (
        "certify: word, position 1: found '0', expected one of 1, ?; this alphabet is that of the formula, with '?' "
        "for any other symbol: name them all, as in --alphabet 01\n")
    for word in ("011", "0,1,1", "0 1 1"):
        for alphabet in ("01", "0,1", "0 1"):
            assert certify("run", "F Q_1", word, "--alphabet", alphabet, "--json").json["word"] == ["0", "1", "1"]


def test_an_unknown_dialect_is_refused_with_the_word_of_the_user() -> None:
    with pytest.raises(InputError, match=r"^--dialect: found 'ltl', expected sha, spot, black or lydia$"):
        read_request("Q_a", Options(dialect="ltl"))


def test_a_decimal_is_a_rational(certify: Any) -> None:
    exact, decimal = (certify("build", "Q_a since Q_b", "--gamma", gamma).out for gamma in ("5/2", "2.5"))
    assert exact == decimal


def test_a_text_without_brackets_has_a_reading_in_our_dialect_alone(certify: Any) -> None:
    assert certify("formula", "X a | b ^ a", "--alphabet", "ab", "--max-n", "3").code == 0
    refused = certify("formula", "X a | b ^ a", "--alphabet", "ab", "--max-n", "3", "--dialect", "spot")
    assert (refused.code, refused.out, refused.err.splitlines()[0]) == (
        2, "", "certify: line 1, column 9: found '|' and '^' without brackets, which tools group differently, "
               "expected (a | b) ^ c or a | (b ^ c)")
