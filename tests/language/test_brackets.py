"""Brackets: 1 where a positional formula holds, here or one position to the left."""

import pytest

from constructions.errors import InputError
from constructions.language.brackets import Bracket, parse_position_function
from constructions.language.expressions import Expression
from constructions.language.parser import parse_formula
from constructions.language.positional import positional_truth
from constructions.language.predicates import BUILTIN, parse_predicate_definition
from constructions.language.semantics import truth_values
from constructions.language.syntax import Predicate, is_positional

USERS = {"HALF": parse_predicate_definition("HALF(k,n) := 2*k == n"),
         "THIRD": parse_predicate_definition("THIRD(k,n) := k % 3 == 1"),
         "INVERSE": parse_predicate_definition("INVERSE(k) := 1/k < 1")}


def values(text: str, n: int) -> list[int]:
    bracket = parse_position_function(text, USERS)
    return [int(bracket.evaluate(i=i, n=n)) for i in range(1, n + 1)]


@pytest.mark.parametrize(("text", "expected"), [
    ("[ODD]", [1, 0, 1, 0, 1, 0]), ("[ODD](i-1)", [0, 1, 0, 1, 0, 1]), ("[EVEN](i-1)", [1, 0, 1, 0, 1, 0]),
    ("[PRIME & !LAST]", [0, 1, 1, 0, 1, 0]), ("[LAST](i-1)", [0] * 6), ("[MOD(3,3)]", [0] * 6), ("[true]", [1] * 6),
    ("[1 < 2 -> HALF]", [0, 0, 1, 0, 0, 0]), ("[HALF](i-1)", [0, 0, 0, 1, 0, 0]), ("i^2", [1, 4, 9, 16, 25, 36]),
    ("[SQUARE <-> THIRD](i-1)", [0, 1, 1, 1, 1, 1]), ("[0*#<[Q_a] == 0]", [1] * 6),
])
def test_values(text: str, expected: list[int]) -> None:
    assert values(text, 6) == expected


@pytest.mark.parametrize("name", ["ODD", "EVEN", "SQUARE", "POW2", "PRIME", "FIRST", "LAST"])
def test_one_to_the_left_is_the_rule_itself_also_at_0(name: str) -> None:
    assert values(f"[{name}](i-1)", 9) == [int(BUILTIN[name].holds(k, 9, ())) for k in range(9)]


@pytest.mark.parametrize(("text", "printed"), [
    (" [ ODD&FIRST ] ", "[ODD & FIRST]"), ("[ODD] ( i - 1 )", "[ODD](i-1)"), ("[MOD(3, 1)](i-1)", "[MOD(3,1)](i-1)")])
def test_the_text_is_canonical(text: str, printed: str) -> None:
    bracket = parse_position_function(text)
    assert str(bracket) == printed
    assert parse_position_function(printed) == bracket and hash(bracket) == hash(parse_position_function(printed))


@pytest.mark.parametrize(("text", "mentions_n"), [
    ("[ODD]", False), ("[LAST]", True), ("[ODD | !LAST](i-1)", True), ("[HALF]", True), ("[THIRD]", False),
    ("1/i", False), ("i/n", True)])
def test_whether_the_length_is_mentioned(text: str, mentions_n: bool) -> None:
    assert ("n" in parse_position_function(text, USERS).variables) is mentions_n


@pytest.mark.parametrize(("text", "message"), [
    ("[Q_a]", "bracket '[Q_a]': expected a formula of predicates on the position and connectives"),
    ("[prev ODD]", "bracket '[prev ODD]': expected a formula of predicates on the position and connectives"),
    ("[ODD(#<[true])]", "bracket '[ODD(#<[true])]': expected a formula of predicates on the position and connectives"),
    ("[ODD] + 1", "bracket '[ODD] + 1': expected [formula] or [formula](i-1) and nothing else"),
    ("[ODD](i-2)", "bracket '[ODD](i-2)': expected [formula] or [formula](i-1) and nothing else"),
    ("[ODD", "bracket '[ODD': expected [formula] or [formula](i-1) and nothing else"),
    ("[SIXTH]", "line 1, column 1: found 'SIXTH', expected a predicate such as ODD, EVEN, MOD, FIRST, LAST, SQUARE, "
                "POW2, PRIME; write Q_SIXTH, or give --alphabet, whose symbols may be written bare"),
    ("1 + [ODD]", "expression '1 + [ODD]', column 5: found '[', expected a number, a variable, a function, '(' or '-'"),
])
def test_what_is_no_position_function(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_position_function(text)
    assert str(refused.value) == message


def test_a_condition_without_a_value_says_where() -> None:
    assert parse_position_function("[INVERSE]", USERS).evaluate(i=1, n=3) == 0
    with pytest.raises(InputError, match="1/k < 1 divides by zero at k = 0, n = 3"):
        parse_position_function("[INVERSE](i-1)", USERS).evaluate(i=1, n=3)


def test_brackets_have_a_latex_form_and_expressions_stay_expressions() -> None:
    assert parse_position_function("[ODD & !POW2](i-1)").latex() == (
        r"\left[\mathrm{ODD} \land \lnot \mathrm{POW2}\right](i-1)")
    assert isinstance(parse_position_function("1/i"), Expression)
    assert parse_position_function("[ODD]") == Bracket(Predicate("ODD"))


@pytest.mark.parametrize("text", ["ODD -> FIRST", "LAST <-> !PRIME", "true & (false | MOD(2,1))", "2 > 3 | SQUARE"])
def test_the_truth_without_a_word_is_the_truth_in_any_word(text: str) -> None:
    formula = parse_formula(text)
    assert is_positional(formula)
    for n in range(1, 8):
        assert tuple(positional_truth(formula, i, n) for i in range(1, n + 1)) == truth_values(formula, "a" * n)
