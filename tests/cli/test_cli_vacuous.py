"""What is certified of a formula that is true, or false, everywhere is said to say nothing."""

from __future__ import annotations

import pytest

from certify.asking.vacuity import find_vacuity
from constructions.language.parser import parse_formula
from tests.cli.conftest import Certify


def test_a_formula_that_is_false_everywhere_has_a_note(certify: Certify) -> None:
    result = certify("formula", "Q_1 since Q_0", "--alphabet", "01", "--max-n", "8")
    assert result.code == 0
    assert "\nnote      the formula is false at every position of every word up to n = 8\n" in result.out


def test_the_note_is_in_the_json(certify: Certify) -> None:
    result = certify("formula", "Q_1 | !Q_1", "--alphabet", "01", "--max-n", "2", "--json")
    assert result.json["note"] == "true at every position of every word up to n = 2"


def test_other_formulas_have_none(certify: Certify) -> None:
    assert "note" not in certify("formula", "prev Q_1", "--alphabet", "01", "--max-n", "2").out


@pytest.mark.parametrize(("formula", "expected"), [
    ("prev Q_a", None),
    ("prev prev prev prev Q_a", None),
    ("#<[Q_a] > 3 & Q_b", None),
    ("true", "true at every position of every word up to n = 5"),
    ("next Q_a & !next true", "false at every position of every word up to n = 5"),
    ("#<[Q_a] + #<[Q_b] == #<[true]", "true at every position of every word up to n = 5"),
])  # fmt: skip
def test_a_formula_is_vacuous_if_no_word_up_to_n_tells(formula: str, expected: str | None) -> None:
    found = find_vacuity(parse_formula(formula), "ab", 5)
    assert (str(found) if found else None) == expected
