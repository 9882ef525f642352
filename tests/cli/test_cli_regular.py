"""`--regex` and `--dfa` in place of a formula: what every command makes of them, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Certify

ALTERNATING = "Q_b & !O (Q_b & !prev Q_a | Q_a & prev Q_a)"
EMPTY = ("certify: note: the empty word is in the language, and nothing is claimed of it: words have at least one "
         "symbol\n")
EVEN = "e\to\ta\ne\te\tb\no\te\ta\no\to\tb\ne\n"


def test_a_regular_expression_is_certified_as_its_formula(certify: Certify) -> None:
    result = certify("formula", "--regex", "(ab)*", "--max-n", "4")
    assert result.code == 0 and result.err == EMPTY
    assert result.out.startswith(f"formula   {ALTERNATING}\nalphabet  {{a, b}}\n")


def test_the_prefixes_of_a_word_are_shown(certify: Certify) -> None:
    result = certify("run", "--regex", "a*b", "aab", "--json")
    assert result.code == 0 and result.err == ""
    shown = certify("run", "--regex", "a*b", "aba")
    assert shown.out.endswith("the word does not satisfy Q_b & !prev O Q_b at its last position\n")


def test_an_automaton_is_explained_with_what_it_counts(certify: Certify, tmp_path: Path) -> None:
    path = tmp_path / "even.att"
    path.write_text(EVEN, encoding="utf-8")
    result = certify("explain", "--dfa", str(path))
    assert result.code == 0
    assert "formula   !ODD(#<[Q_a])\n" in result.out
    assert "\nlanguage  its minimal automaton has 2 states\nlanguage  not star-free: " in result.out
    told = json.loads(certify("explain", "--dfa", str(path), "--json").out)
    assert told["language"][1] == ("not star-free: words permute states like a group of order 2, which is followed by "
                                   "counting modulo 2")


def test_the_network_of_a_regular_language_is_that_of_its_formula(certify: Certify) -> None:
    of_the_language = certify("build", "--regex", "(ab)*")
    assert of_the_language.out == certify("build", ALTERNATING, "--alphabet", "ab").out


def test_a_constant_that_is_too_small_is_refuted(certify: Certify) -> None:
    refuted = certify("formula", "--regex", "a*b*", "--gamma", "1/10", "--max-n", "6")
    assert refuted.code == 1 and "REFUTED  on the word" in refuted.out


@pytest.mark.parametrize(("arguments", "message"), [
    (("formula", "--regex", "(ab"), '"(ab": ( at character 1, expected a closing ) after it, or'),
    (("formula", "--regex", "abc", "--alphabet", "ab"), "c at character 3, expected one of the symbols a b"),
    (("formula", "--regex", ".*"), "no symbol, expected the alphabet beside it"),
    (("formula", "Q_a", "--regex", "a"),
     "'Q_a': given together with a regular expression (--regex), expected one of the two"),
    (("formula", "--dfa", "x", "--regex", "a"),
     "an automaton (--dfa): given together with a regular expression (--regex)"),
    (("formula", "--dfa", "missing.att"), "missing.att: No such file or directory"),
    (("formula", "--regex", "a", "--predicate", "P(k) := k == 1"),
     "--predicate: a regular expression does not take this option"),
    (("formula", "--regex", "a", "--jobs", "2"), "--jobs: this option is for several formulas"),
    (("formula", "-F", "formulas.txt", "--regex", "a"), "--regex: formulas of a file (-F) do not"),
    (("run", "--regex", "a"), "no WORD, expected the symbols of a word after what is run"),
    (("run", "--regex", "a", "Q_a", "ab"), "'Q_a': given together with a regular expression (--regex)"),
    (("run", "--regex", "a*", "ab"), "expected one of a"),
    (("explain",), "no formula, expected one, or a regular language (--regex, --dfa)"),
    (("build",), "no formula, expected one, or a regular language (--regex, --dfa)"),
])  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(arguments: tuple[str, ...], message: str, certify: Certify) -> None:
    result = certify(*arguments)
    assert result.code == 2 and message in result.err and result.out == ""


def test_a_language_without_a_formula_is_unsupported(certify: Certify, tmp_path: Path) -> None:
    path = tmp_path / "five.json"
    steps = {str(state): {"a": str((state + 1) % 5), "b": str([1, 2, 0, 3, 4][state])} for state in range(5)}
    path.write_text(json.dumps({"start": "0", "accepting": ["0"], "steps": steps}), encoding="utf-8")
    result = certify("formula", "--dfa", str(path))
    assert result.code == 3
    assert "the words a, b generate a group of 60 permutations of the states after (nothing), a, aa" in result.err
