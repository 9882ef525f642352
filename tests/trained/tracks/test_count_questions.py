"""Statements about the number of right inputs, and the verdict of certified bounds on them."""

from fractions import Fraction
from typing import Any

import pytest

from certify.claims.trained.count_question import read_amount, read_count_question
from constructions.errors import InputError


@pytest.mark.parametrize(("given", "value", "is_share"), [
    ("99.9 %", Fraction(999, 1000), True), ("0.5", Fraction(1, 2), True), ("1.0", Fraction(1), True), (1, 1, False),
    ("2", 2, False), ("98,979,133,944,176,762,182", 98979133944176762182, False), (Fraction(1), 1, True), (0, 0, False),
    ("0", 0, False), ("1/1", 1, True), ("1%", Fraction(1, 100), True), ("9" * 999, 10**999 - 1, False)])
def test_a_whole_number_is_one_of_inputs_and_other_amounts_are_shares(given: Any, value: Fraction, is_share: bool
                                                                       ) -> None:
    found = read_amount(given, "x")
    assert (found.value, found.is_share) == (value, is_share)


@pytest.mark.parametrize(("given", "line"), [
    ("0,5", "x: "), ("101 %", "x: found 101 %, expected a share"), (-1, "x: found -1, expected a share"),
    ("-1/2", "x: found -1/2, expected a share"), (0.5, "x: found the float 0.5"), (True, "x: found True"),
    ("", "x: found nothing, expected a share such as 99.9% or 0.999, or a whole number of inputs"),
    ("1.1", "x: found 1.1, expected a share"), ("5/2", "x: found 5/2, expected a share"), ("1e2", "x: "),
    ("nan", "x: "), (Fraction(2), "x: found 2, expected a share"),
    ("1", "x: found 1, expected 100% for all inputs, or a number of inputs above 1"),
    ("9" * 1000, "x: "), ("1,00", "x: "), (" 01", "x: found 01, expected 100%"),
    ("2 - 1", "x: found 2 - 1, expected a share"), ("(1)", "x: ")])
def test_other_amounts_are_refused_in_one_line(given: Any, line: str) -> None:
    with pytest.raises(InputError) as error:
        read_amount(given, "x")
    assert str(error.value).startswith(line) and "\n" not in str(error.value)


@pytest.mark.parametrize(("asked", "verdicts"), [
    # of 100 inputs: 60 to 70, exactly 65, all, none of which is known
    ({"at_least": "60 %"}, "certified certified certified unknown"),
    ({"at_least": 61}, "unknown certified certified unknown"), ({"at_least": 71}, "refuted refuted certified unknown"),
    ({"at_least": 0}, "vacuous vacuous vacuous vacuous"), ({"at_most": "1.0"}, "vacuous vacuous vacuous vacuous"),
    ({"at_most": 70}, "certified certified refuted unknown"), ({"at_most": 69}, "unknown certified refuted unknown"),
    ({"at_most": 59}, "refuted refuted refuted unknown"),
    ({"exactly": 65}, "unknown certified refuted unknown"), ({"exactly": "71%"}, "refuted refuted refuted unknown"),
    ({"exactly": 59}, "refuted refuted refuted unknown"), ({"exactly": "100 %"}, "refuted refuted certified unknown"),
    ({"at_least": 60, "at_most": 69}, "unknown certified refuted unknown"),
    ({"at_least": 0, "at_most": 70}, "certified certified refuted unknown"),
    ({"within": "10 %"}, "certified certified certified unknown"), ({"within": "9 %"}, "unknown certified certified "
                                                                                      "unknown"),
    ({}, "certified certified certified unknown")])
def test_bounds_decide_what_they_exclude_or_contain(asked: dict[str, Any], verdicts: str) -> None:
    question = read_count_question(asked)
    assert " ".join(question.verdict(Fraction(least), Fraction(most), Fraction(100)) for least, most in (
        (60, 70), (65, 65), (100, 100), (0, 100))) == verdicts


@pytest.mark.parametrize(("asked", "verdict"), [
    ({}, "vacuous"), ({"at_least": "99%"}, "vacuous"), ({"exactly": "100%"}, "vacuous"), ({"at_most": 0}, "vacuous"),
    ({"within": "1%"}, "vacuous"), ({"exactly": 1}, "refuted"), ({"at_least": 1}, "refuted")])
def test_a_count_of_no_inputs_is_vacuous(asked: dict[str, Any], verdict: str) -> None:
    assert read_count_question(asked).verdict(Fraction(0), Fraction(0), Fraction(0)) == verdict
