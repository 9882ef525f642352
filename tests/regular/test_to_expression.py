"""Expressions of languages: read back, each is the same language."""

import random

import pytest

from constructions.regular.automata import RegularLanguage, explore, minimal_language
from constructions.regular.cover_automata import first_difference
from constructions.regular.expression import language_of_regex
from constructions.regular.to_expression import expression_of_language

ALPHABETS = ("abc", "()|", "^-]", "<>\\", ("push", "b", "-"))


def is_same(one: RegularLanguage, other: RegularLanguage) -> bool:
    small = [minimal_language(language) for language in (one, other)]
    marks = [[int(state in language.accepting) for state in range(len(language.automaton.steps))] for language in small]
    most = len(marks[0]) + len(marks[1])
    return first_difference(small[0].automaton, marks[0], small[1].automaton, marks[1], most) is None


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("letters", [1, 2, 3])
def test_an_expression_of_a_random_language_is_read_back_as_the_same(alphabet: tuple[str, ...], letters: int) -> None:
    symbols, read = alphabet[:letters], 0
    for seed in range(30):
        draw = random.Random(seed)
        steps = [[draw.randrange(4) for _ in range(letters)] for _ in range(4)]
        automaton, _ = explore(0, lambda state, letter, steps=steps: steps[state][letter], letters, "")  # type: ignore[misc]
        accepting = frozenset(state for state in range(len(automaton.steps)) if draw.random() < 0.5)
        language = RegularLanguage(automaton, accepting)
        text = expression_of_language(language, symbols)
        if text is None:
            assert language.accepting == frozenset()
        elif len(text) <= 1000:
            assert is_same(language_of_regex(text, symbols), language), text
            read += 1
    assert read > 5


@pytest.mark.parametrize(("pattern", "written"), [
    ("00*1111*", "0+111+"), ("0*1*0*1*", "0*(1+(0+1*)?)?"), ("(0(01)*1)*", "(0(01)*1)*"), ("(0|1)*", ".*"),
    ("()", "()"), ("01|0110", "01(10)?"), ("(1|01)*", "(0?1)*"),
])
def test_short_expressions_stay_short(pattern: str, written: str) -> None:
    assert expression_of_language(language_of_regex(pattern, "01"), "01") == written
