"""A certificate of a formula that is true, or false, everywhere is reported as vacuous."""

import pytest

from certify.requests.vacuity import find_vacuity
from constructions.language.parser import parse_formula


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
