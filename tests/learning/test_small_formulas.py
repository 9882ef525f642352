"""The best small formula where none is exact: what it is said to be wrong on is what brute force says."""

from functools import cache
from typing import Any

import pytest

from certify.learning.explanation import explain
from certify.learning.learn import learn
from certify.learning.learned import Learned
from certify.learning.question import OUT
from certify.learning.show import describe_guess, learned_to_json
from certify.learning.small_formulas import _Sample, _truths, best_formula
from constructions.language.parser import parse_formula
from constructions.language.semantics import satisfies
from tests.learning.questions import Word, brute_force, of_the_zoo

CASES = (("palindromes", 6), ("flip_flop", 3), ("tomita_7", 5), ("majority", 4))


@cache
def learnt(name: str, max_n: int) -> tuple[Learned, dict[Word, int]]:
    network, question = of_the_zoo(name, max_n)
    return learn(network, question), brute_force(network, question)


def spelt(learned: Learned, word: Word) -> str:
    return "".join(learned.question.claim.alphabet[letter] for letter in word)


@pytest.mark.parametrize(("name", "max_n"), CASES)
def test_the_words_on_which_the_best_formula_is_wrong_are_those_of_brute_force(name: str, max_n: int) -> None:
    learned, answers = learnt(name, max_n)
    assert learned.automaton is not None
    for part in range(len(learned.question.parts)):
        guess = best_formula(learned.question, learned.automaton, max_n, part, 0)
        assert guess is not None
        words = [word for word in answers if word and answers[word] != OUT]
        wrong = [word for word in words if satisfies(guess.formula, spelt(learned, word), len(word))
                 != (learned.question.choices(answers[word])[part] == 0)]
        assert (guess.words, guess.wrong.total) == (len(words), len(wrong))
        assert list(guess.wrong.words) == wrong[:12]
        assert list(guess.wrong.counts) == [sum(len(word) == n for word in wrong) for n in range(max_n + 1)]


@pytest.mark.parametrize(("name", "max_n"), [("flip_flop", 2), ("majority", 4)])
def test_each_truth_of_the_family_is_the_formula_that_is_printed(name: str, max_n: int) -> None:
    learned, _ = learnt(name, max_n)
    assert learned.automaton is not None
    sample = _Sample(learned.question, learned.automaton, max_n, 0, 0)
    words: list[Word] = [()]
    for parent, letter in zip(sample.parent[1:], sample.letter[1:], strict=True):
        words.append((*words[parent], int(letter)))
    for truth in _truths(learned.question, sample):
        formula = parse_formula(truth.text, learned.question.claim.alphabet)
        for word, holds in zip(words[1:], truth.bits[1:], strict=True):
            assert satisfies(formula, spelt(learned, word), len(word)) == holds, (truth.text, word)


def test_the_best_formula_is_told_with_the_words_that_break_it() -> None:
    learned, _ = learnt("palindromes", 6)
    explanation = explain(learned)
    assert explanation is not None
    assert describe_guess(learned.question, "", explanation.guesses[0, 0]) == (
        "  the best found of 22,500 small formulas, !O Q_0 | !O Q_1, is wrong on 16 of 126 words of at most 6 letters: "
        "010, 101, 0110, 1001, 00100, 01010, ...")
    best: dict[str, Any] = learned_to_json(learned)["formulas"][0]["best"]
    assert (best["formula"], best["wrong"], best["words"]) == ("!O Q_0 | !O Q_1", 16, 126)
    assert best["first"][0] == ["0", "1", "0"]


def test_where_a_formula_is_exact_no_other_is_looked_for() -> None:
    learned, _ = learnt("tomita_7", 5)
    explanation = explain(learned)
    assert explanation is not None and not explanation.guesses


@pytest.mark.exhaustive
def test_the_bug_of_flip_flop_is_a_count() -> None:
    """No small formula is that of the automaton of 9 states, but one of these is right on all 9,840 words."""
    learned = learn(*of_the_zoo("flip_flop", 8))
    explanation = explain(learned)
    assert explanation is not None and explanation.guesses[0, 0].words == 9840
    assert describe_guess(learned.question, "it", explanation.guesses[0, 0]) == (
        "it  iff  !Q_r S Q_s & !(#<[Q_r] >= 7), up to n = 8")
