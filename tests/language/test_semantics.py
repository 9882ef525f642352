"""The oracle against truth tables written by hand, and against a second formulation of every operator."""

from itertools import product

import pytest
from hypothesis import given

from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definition
from constructions.language.semantics import satisfies, truth_values
from constructions.language.syntax import (
    And,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Predicate,
    Previous,
    Since,
    Symbol,
    Until,
    once,
    usual_since,
    usual_until,
)
from tests.language.strategies import formulas, words


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("true", "ab", "11"), ("false", "ab", "00"), ("Q_a", "aba", "101"), ("Q_c", "aba", "000"),
        ("!Q_a", "aba", "010"), ("Q_a & ODD", "aab", "100"), ("Q_b | FIRST", "aab", "101"),
        ("Q_a -> LAST", "aaba", "0011"), ("Q_a <-> ODD", "aab", "100"),
        ("prev Q_a", "aba", "010"), ("prev true", "aba", "011"), ("!prev true", "aba", "100"),
        ("next Q_a", "aba", "010"), ("next true", "aba", "110"), ("next prev Q_a", "aba", "100"),
        # Q_1 & next Q_1 & next next Q_0 of [SHA] marks where 110 begins.
        ("Q_1 & next Q_1 & next next Q_0", "11101100", "01001000"),
        # Definition 14 is inclusive: the left side must hold at the witness as well.
        ("Q_a since Q_b", "abaa", "0000"), ("Q_a S Q_b", "abaa", "0111"), ("Q_a S Q_b", "baca", "1100"),
        ("Q_a since (FIRST | Q_b)", "aaba", "1100"), ("!Q_c since Q_b", "abacab", "011001"),
        ("Q_a until Q_b", "aaba", "0000"), ("Q_a U Q_b", "aaba", "1110"), ("!Q_c until Q_b", "cabacb", "011001"),
        ("O Q_b", "aba", "011"), ("H Q_a", "aba", "100"), ("F Q_b", "aba", "110"), ("G Q_a", "aba", "001"),
        ("ODD(#<[Q_1])", "01101", "01001"), ("ODD(#>[Q_1])", "01101", "11011"),
        ("#<[Q_a] > #<[Q_b]", "abaab", "10111"), ("#<[Q_a] >= #>[Q_a]", "aaba", "0111"),
        ("2*#<[Q_a] - 3*#>[Q_b] + 1 == 0", "aab", "100"), ("#<[true] == 2", "aaa", "010"),
        ("0*#<[Q_a] != 0", "aaa", "000"), ("#<[prev Q_a] < 1", "aab", "100"),
        ("MOD(3,1)", "aaaaaaa", "1001001"), ("MOD(3,3)", "aaa", "000"), ("EVEN", "aaaa", "0101"),
        ("SQUARE", "a" * 9, "100100001"), ("POW2", "a" * 9, "110100010"), ("PRIME", "a" * 9, "011010100"),
        ("FIRST", "a", "1"), ("LAST", "a", "1"), ("LAST(#<[Q_a])", "aba", "000"), ("LAST(#<[true])", "aba", "001"),
    ],
)  # fmt: skip
def test_truth_tables(text: str, word: str, expected: str) -> None:
    values = truth_values(parse_formula(text), word)
    assert "".join("01"[value] for value in values) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("EVEN", True), ("ODD", False), ("FIRST", False), ("LAST", False), ("SQUARE", True), ("POW2", False),
     ("PRIME", False), ("MOD(3,0)", True), ("MOD(3,1)", False)],
)  # fmt: skip
def test_predicates_of_a_count_that_is_zero(name: str, expected: bool) -> None:
    assert truth_values(parse_formula(f"{name}(#<[false])"), "ab") == (expected, expected)


def unfolded(formula: Formula, word: tuple[str, ...]) -> list[bool]:
    """Return a second reading of the temporal operators: left to right or right to left, one step at a time."""
    n = len(word)
    match formula:
        case Symbol(symbol):
            return [letter == symbol for letter in word]
        case Not(operand):
            return [not value for value in unfolded(operand, word)]
        case Previous(operand):
            return [False, *unfolded(operand, word)[:-1]]
        case Next(operand):
            return [*unfolded(operand, word)[1:], False]
        case Since(left, right) | Until(left, right):
            steps = list(zip(unfolded(left, word), unfolded(right, word), strict=True))
            forward = isinstance(formula, Since)
            values, last = [], False
            for holds_left, holds_right in steps if forward else reversed(steps):
                last = holds_left and (holds_right or last)
                values.append(last)
            return values if forward else values[::-1]
        case And(left, right) | Or(left, right) | Implies(left, right) | Iff(left, right):
            table = {And: (0, 0, 0, 1), Or: (0, 1, 1, 1), Implies: (1, 1, 0, 1), Iff: (1, 0, 0, 1)}[type(formula)]
            pairs = zip(unfolded(left, word), unfolded(right, word), strict=True)
            return [bool(table[2 * a + b]) for a, b in pairs]
    return [str(formula) == "true"] * n


@given(formulas(), words())
def test_the_definitions_agree_with_their_unfolding(formula: Formula, word: tuple[str, ...]) -> None:
    assert list(truth_values(formula, word)) == unfolded(formula, word)


@given(formulas(counting=True, max_depth=2), words())
def test_a_comparison_holds_exactly_if_its_sums_of_indicators_compare(formula: Formula, word: tuple[str, ...]) -> None:
    values = truth_values(formula, word)
    for i in range(1, len(word) + 1):
        here, after = sum(values[:i]), sum(values[i - 1 :])
        compared = parse_formula(f"3*#<[{formula}] - #>[{formula}] <= {3 * here - after}")
        assert satisfies(compared, word, i)
        assert not satisfies(parse_formula(f"3*#<[{formula}] - #>[{formula}] != {3 * here - after}"), word, i)


@given(formulas(counting=True, max_depth=3), words())
def test_counting_can_say_once(formula: Formula, word: tuple[str, ...]) -> None:
    assert truth_values(once(formula), word) == truth_values(parse_formula(f"#<[{formula}] >= 1"), word)


@given(formulas(), formulas(), words())
def test_the_usual_since_and_until_do_not_ask_for_the_left_side_at_the_witness(
    left: Formula, right: Formula, word: tuple[str, ...]
) -> None:
    before, at = truth_values(left, word), truth_values(right, word)
    positions = range(len(word))
    since = [any(at[j] and all(before[j + 1 : i + 1]) for j in range(i + 1)) for i in positions]
    until = [any(at[j] and all(before[i:j]) for j in range(i, len(word))) for i in positions]
    assert list(truth_values(usual_since(left, right), word)) == since
    assert list(truth_values(usual_until(left, right), word)) == until


def test_parity_is_recognised_at_the_last_position() -> None:
    parity = parse_formula("ODD(#<[Q_1])")
    for word in product("01", repeat=6):
        assert satisfies(parity, word, 6) == (word.count("1") % 2 == 1)


def test_user_predicates() -> None:
    known = {"HALF": parse_predicate_definition("HALF(k,n) := 2*k == n")}
    formula = parse_formula("HALF | HALF(#<[Q_a])", predicates=known)
    assert truth_values(formula, "bbba") == (False, True, False, False)
    assert satisfies(formula, "bbba", 2)
    with pytest.raises(InputError, match="predicate HALF: unknown, expected a built-in predicate or"):
        truth_values(Predicate("HALF"), "bbba")


def test_words_are_not_empty() -> None:
    with pytest.raises(InputError, match="words are not empty"):
        truth_values(parse_formula("true"), "")


@pytest.mark.parametrize("i", [0, -1, 4])
def test_positions_count_from_one(i: int) -> None:
    with pytest.raises(InputError, match=rf"position {i}: expected one of 1\.\.3"):
        satisfies(parse_formula("true"), "aba", i)


def test_shared_subformulas_are_evaluated_once() -> None:
    formula = parse_formula("Q_a S " * 60 + "Q_b")
    assert truth_values(formula, "ab") == (False, True)


@pytest.mark.parametrize("n", range(1, 9))
def test_parity_without_predicates(n: int) -> None:
    """[SHA] Section 4.5: at the last position the formula is true exactly if the number of 1's is odd."""
    by_halves = parse_formula("#<[#<[prev Q_1] == #>[Q_1]] == 0")
    assert all(satisfies(by_halves, word, n) == (word.count("1") % 2 == 1) for word in product("01", repeat=n))
