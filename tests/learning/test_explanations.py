"""An automaton in other words: formulas, counts and differences hold on every word that they are about."""

from __future__ import annotations

import re
from functools import cache

import pytest

from certify.exports.pages.learned.drawing import draw_automaton
from certify.learning.counts import Test as CountTest
from certify.learning.counts import comparisons, find_test
from certify.learning.differences import differences
from certify.learning.explanation import explain, formula_text
from certify.learning.formulas import formulas_of
from certify.learning.learn import learn
from certify.learning.learned import Learned
from certify.learning.question import OUT
from constructions.language.parser import parse_formula
from constructions.language.semantics import satisfies
from constructions.trained.claim import Row
from proofs.words.tracking import cases_at
from tests.learning.questions import Word, all_words, brute_force, of_the_zoo

CASES = (("tomita_7", 6), ("tomita_2", 8), ("tomita_4_turned", 5), ("d_2", 7), ("dyck_1", 6), ("first", 5),
         ("flip_flop", 4), ("majority", 5), ("palindromes", 4), ("even", 8))


@cache
def learnt(name: str, max_n: int) -> tuple[Learned, dict[Word, int]]:
    network, question = of_the_zoo(name, max_n)
    return learn(network, question), brute_force(network, question)


def spelt(learned: Learned, word: Word) -> str:
    return "".join(learned.question.claim.alphabet[letter] for letter in word)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("name", "max_n"), CASES)
def test_formulas_hold_exactly_where_the_answer_is_theirs(name: str, max_n: int) -> None:
    learned, answers = learnt(name, max_n)
    assert learned.automaton is not None
    printed = 0
    for one in formulas_of(learned.question, learned.automaton):
        for word, code in answers.items():
            if code != OUT and word and one.formula is not None:
                holds = satisfies(one.formula, spelt(learned, word), len(word))
                assert holds == (learned.question.choices(code)[one.part] == one.choice)
                printed += 1
    assert printed > 0


@pytest.mark.parametrize(("name", "max_n"), CASES)
def test_comparisons_of_counts_hold_exactly_where_the_answer_is_the_first(name: str, max_n: int) -> None:
    learned, answers = learnt(name, max_n)
    assert learned.automaton is not None
    counted, alphabet = comparisons(learned.question, learned.automaton, max_n), learned.question.claim.alphabet
    for place, test in enumerate(counted.tests):
        for word, code in answers.items():
            if code == OUT or not word or test is None:
                continue
            holds = test if isinstance(test, bool) else satisfies(parse_formula(test.text(alphabet), alphabet),
                                                                  spelt(learned, word), len(word))
            assert holds == (learned.question.choices(code)[place] == 0)
    for place, (one, other) in counted.anagrams.items():
        assert sorted(one) == sorted(other)
        assert learned.question.choices(answers[one])[place] != learned.question.choices(answers[other])[place]


def test_counts_decide_majority_and_dyck_1() -> None:
    for name, texts in (("majority", ["#<[Q_1] > #<[Q_0]"]), ("dyck_1", [None, "#<[Q_0] > #<[Q_1]", None, None])):
        learned, _ = learnt(name, dict(CASES)[name])
        explanation = explain(learned)
        assert explanation is not None and explanation.counted is not None
        found = [test.text("01") if isinstance(test, CountTest) else None for test in explanation.counted.tests]
        assert [text for text in texts if text] == [one for one, text in zip(found, texts, strict=True) if text]


@pytest.mark.parametrize(("truths", "text"), [
    ({(a, b): a > b for a in range(5) for b in range(5)}, "#<[Q_0] > #<[Q_1]"),
    ({(a, b): a >= b for a in range(5) for b in range(5)}, "#<[Q_0] >= #<[Q_1]"),
    ({(a, b): a == b + 2 for a in range(5) for b in range(5)}, "#<[Q_0] = #<[Q_1] + 2"),
    ({(a, b): a != b for a in range(5) for b in range(5)}, "#<[Q_0] != #<[Q_1]"),
    ({(n, 0): n == 2 for n in range(5)}, "#<[Q_0] = 2"), ({(n, 0): n >= 3 for n in range(6)}, "#<[Q_0] >= 3"),
    ({(n, 0): n < 3 for n in range(6)}, "2 >= #<[Q_0]"),
    ({(a, b): 3 * a > 2 * b for a in range(6) for b in range(6)}, "3*#<[Q_0] > 2*#<[Q_1]"),
])
def test_the_simplest_test_is_found(truths: dict[tuple[int, ...], bool], text: str) -> None:
    test = find_test(truths)
    assert isinstance(test, CountTest) and test.text("01") == text


def test_no_test_is_found_where_there_is_none() -> None:
    assert find_test({(n, 0): n % 2 == 0 for n in range(5)}) is None


def wrong_by_definition(learned: Learned, answers: dict[Word, int]) -> list[Word]:
    """Words on which a case of the claim has a row that is not among those above 0."""
    question, wrong = learned.question, []
    for word, code in answers.items():
        if code == OUT or len(word) < question.claimed_from:
            continue
        above: set[Row] = set(question.rows(code))
        cases = cases_at(question.claim, spelt(learned, word), len(word))
        if any(row not in above for case in cases for row in question.claim.cases[case].above):
            wrong.append(word)
    return wrong


@pytest.mark.parametrize(("name", "max_n"), [*CASES, ("flip_flop", 5)])
def test_differences_are_all_words_on_which_the_claim_is_wrong(name: str, max_n: int) -> None:
    learned, answers = learnt(name, max_n)
    assert learned.automaton is not None
    found, wrong = differences(learned.question, learned.automaton, max_n), wrong_by_definition(learned, answers)
    assert found.total == len(wrong)
    assert found.counts == tuple(sum(len(word) == n for word in wrong) for n in range(max_n + 1))
    assert set(found.words) <= set(wrong) and len(found.words) == min(12, len(wrong))


def test_the_bug_of_tomita_7_is_an_expression() -> None:
    learned, answers = learnt("tomita_7", 6)
    assert learned.automaton is not None
    found = differences(learned.question, learned.automaton, 6)
    assert found.expression == "0+111+"
    matching = [word for word in all_words(learned.question) if re.fullmatch(found.expression, spelt(learned, word))]
    assert matching == wrong_by_definition(learned, answers)
    assert found.states == {learned.automaton.automaton.read(word) for word in matching}


def test_the_bug_of_palindromes_is_two_words() -> None:
    network, question = of_the_zoo("palindromes", 8)
    learned = learn(network, question)
    assert learned.automaton is not None
    found = differences(question, learned.automaton, 8)
    assert [spelt(learned, word) for word in found.words] == ["01000011", "01011011"]
    assert found.expression == "010(00|11)011" and len(learned.automaton.marks) == 49


def test_a_printed_formula_is_read_back_as_itself() -> None:
    learned, _ = learnt("tomita_7", 6)
    explanation = explain(learned)
    assert explanation is not None
    for one in explanation.formulas:
        text = formula_text(one)
        assert text is not None and parse_formula(text, "01") == one.formula


def test_the_drawing_has_every_state_but_the_one_of_dead_words_and_marks_the_wrong_one() -> None:
    learned, _ = learnt("tomita_7", 6)
    assert learned.automaton is not None
    text = str(draw_automaton(learned.question, learned.automaton, {5}))
    assert text.count("<circle") == 6 and text.count('class="differs"') == 1 and "state 5: " in text
    assert text == str(draw_automaton(learned.question, learned.automaton, {5}))
