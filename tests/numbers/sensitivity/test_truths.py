"""Which exchanges change the truth of a formula: pairs of runs against all words, run by the semantics."""

import random
from itertools import product

import pytest

from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import Formula
from proofs.words.formula_runs import Direction, FormulaRuns, State
from proofs.words.pairs_of_runs import ExchangedTruths, TooMuchWork, Work

LEAVES = ("Q_a", "Q_b", "Q_c", "FIRST", "LAST", "ODD", "true")


def random_formula(draw: random.Random, depth: int) -> str:
    if depth == 0 or draw.random() < 0.15:
        return draw.choice(LEAVES)
    one, other = (random_formula(draw, depth - 1) for _ in range(2))
    return draw.choice((f"!({one})", f"({one}) & ({other})", f"({one}) | ({other})", f"prev ({one})", f"next ({one})",
                        f"({one}) since ({other})", f"({one}) until ({other})", f"#<[{one}] > #>[{other}]",
                        f"ODD(#<[{one}])", f"2*#>[{one}] <= #<[{other}] + 1"))


def sensitive_by_words(formula: Formula, alphabet: str, n: int, i: int) -> int:
    """Return the same as bits, from the definition."""
    truths = {word: truth_values(formula, word)[i - 1] for word in product(alphabet, repeat=n)}
    return sum(1 << p for p in range(1, n + 1)
               if any(truths[(*word[: p - 1], symbol, *word[p:])] != truth
                      for word, truth in truths.items() for symbol in alphabet))


def test_two_hundred_random_formulas_are_sensitive_where_words_say_so() -> None:
    draw = random.Random(17)
    for number in range(200):
        formula = parse_formula(random_formula(draw, 3 if number % 10 == 0 else 2))
        question = ExchangedTruths(formula, ("a", "b"))
        n = 1 + number % 6
        for i in (1, n, draw.randint(1, n)):
            assert question.judged_at(n, i).bits == sensitive_by_words(formula, "ab", n, i), (str(formula), n, i)


def test_unnamed_symbols_count_once_and_witnesses_are_words_of_the_length() -> None:
    formula = parse_formula("ODD(#<[Q_a]) & !next Q_b")
    question = ExchangedTruths(formula, tuple("abcdefgh"))
    assert question.letters == ["a", "b", "c"]
    for n, i in ((1, 1), (4, 2), (5, 5)):
        found = question.judged_at(n, i)
        assert found.bits == sensitive_by_words(formula, "abc", n, i)
        for p in (p for p in range(1, n + 1) if found.at(p)):
            first, second = question.witness(n, i, p)
            assert [k for k in range(n) if first[k] != second[k]] == [p - 1]
            assert truth_values(formula, first)[i - 1] != truth_values(formula, second)[i - 1]


@pytest.mark.parametrize(("text", "bits"), [
    ("ODD(#<[Q_1])", 0b1111110), ("Q_1 since Q_0", 0), ("Q_0 since Q_1", 0), ("prev Q_1", 0b100000),
    ("LAST & Q_1", 0b1000000), ("(Q_0 | Q_1) since Q_1", 0b1111110), ("#<[Q_1] == 6", 0b1111110),
    ("#<[Q_1] > 6", 0), ("FIRST | next Q_0", 0),
])
def test_six_symbols_judged_at_the_last(text: str, bits: int) -> None:
    assert ExchangedTruths(parse_formula(text), ("0", "1")).judged_at(6, 6).bits == bits


def test_one_pass_serves_every_length_of_a_formula_of_the_past_and_longer_ones_follow() -> None:
    question = ExchangedTruths(parse_formula("ODD(#<[Q_1])"), ("0", "1"))
    assert [question.judged_at(n, n).bits.bit_count() for n in (3, 64, 7)] == [3, 64, 7]


def test_nothing_is_decided_beyond_the_budget() -> None:
    with pytest.raises(TooMuchWork):
        ExchangedTruths(parse_formula("ODD(#<[Q_1])"), ("0", "1"), Work(50)).judged_at(40, 40)


def test_a_word_has_exactly_one_run_and_its_truths_are_those_of_the_semantics() -> None:
    formula = parse_formula("(Q_a until next Q_b) since prev (#>[Q_a] > #<[prev Q_b])")
    runs = FormulaRuns(formula)
    for word in product("ab", repeat=4):
        for judged in range(1, 5):
            states: list[tuple[State, int | None]] = [(state, None) for state in runs.starts(4)]
            for j, letter in enumerate(word, start=1):
                side = Direction.THERE if j == judged else Direction.BEFORE if j < judged else Direction.BEHIND
                states = [(after, truth if j == judged else before) for state, before in states
                          for after, truth in runs.steps(state, letter, j, 4, side)]
            ended = [truth for state, truth in states if state[1] == runs.end]
            assert ended == [truth_values(formula, word)[judged - 1]], (word, judged)
