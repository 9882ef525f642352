"""The trained networks of examples/trained: their files, their tasks, and that training gives the same bytes again."""

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from constructions.trained.claim import WordsClaim, input_tokens, judged
from examples.counts.entries import read_entries
from examples.trained.table import COUNTS, MARK, counted, decision_of, ranges, table
from examples.trained.tasks import TASKS, Row, Samples, Task, draw
from examples.trained.zoo import ZOO, plans
from proofs.trained.forward import FloatNetwork
from proofs.words.tracking import cases_at
from tests.with_torch import torch_or_skip

PLANS = plans()

Holds = Callable[[str], bool]


def balanced(word: str, depth: int) -> bool:
    """Return whether nothing is left after removing innermost pairs at most ``depth`` times."""
    for _ in range(depth):
        word = re.sub("01", "", word)
    return not word


LANGUAGES: dict[str, Holds] = {
    "tomita_2": lambda word: re.fullmatch("(10)*", word) is not None,
    "tomita_4": lambda word: "000" not in word,
    "tomita_7": lambda word: re.fullmatch("0*1*0*1*", word) is not None,
    "even": lambda word: len(word) % 2 == 0,
    "d_2": lambda word: re.fullmatch("(0(01)*1)*", word) is not None,
    "dyck_1": lambda word: balanced(word, len(word)),
}
"""The languages whose next symbols are asked, by definitions that know nothing of the automata."""

SIGNS: dict[str, Holds] = {
    "tomita_1": lambda word: "0" not in word,
    "majority": lambda word: 2 * word.count("1") > len(word),
    "first": lambda word: word[0] == "1",
    "last_letter": lambda word: word[-1] == "1",
    "last_letter_alone": lambda word: word[-1] == "1",
    "flip_flop": lambda word: word.replace("k", "")[-1:] == "s",
    "palindromes": lambda word: word == word[::-1],
}
"""What the sign of the one row says of a word."""


def words_of(task: Task, samples: Samples, n: int) -> list[str]:
    first = int(task.starts)
    return ["".join(task.letters[token] for token in tokens[first : first + n]) for tokens in samples.tokens]


def samples_of(name: str, n: int = 7) -> tuple[Task, Samples, list[str]]:
    task = TASKS[name](n)
    samples = draw(task, 60, n, np.random.default_rng(n))
    return task, samples, words_of(task, samples, n)


def continuations(letters: str, holds: Holds, longest: int) -> set[str]:
    """Return the prefixes of the words of the language up to this length."""
    words, level = {""}, [""]
    for _ in range(longest):
        level = [word + letter for word in level for letter in letters]
        words |= set(level)
    return {word[:end] for word in words if holds(word) for end in range(len(word) + 1)}


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_tokens_that_may_follow_are_those_of_the_language(name: str) -> None:
    task, samples, words = samples_of(name, 5)
    prefixes = continuations(task.letters, LANGUAGES[name], 12)
    for word, positive in zip(words, samples.positive, strict=True):
        for place in range(len(word) + 1):
            prefix = word[:place]
            letters = [prefix + letter in prefixes for letter in task.letters]
            assert positive[place].tolist() == [*letters, False, LANGUAGES[name](prefix)]


@pytest.mark.parametrize("name", SIGNS)
def test_the_sign_that_is_asked_for_is_that_of_the_words_up_to_the_judged_place(name: str) -> None:
    _, samples, words = samples_of(name)
    for word, asked, positive in zip(words, samples.judged, samples.positive, strict=True):
        ends = range(1, len(word) + 1) if len(asked) > 1 else [len(word)]
        tie = name == "majority" and 2 * word.count("1") == len(word)
        assert asked.all() != tie
        assert tie or positive[:, 0].tolist() == [SIGNS[name](word[:end]) for end in ends]


def test_every_task_is_tested_here_and_trained() -> None:
    assert sorted(LANGUAGES | SIGNS) == sorted(TASKS)
    assert {plan.task or name for name, plan in PLANS.items()} == TASKS.keys()


def signed(row: Row, positive: bool) -> tuple[tuple[int, Fraction], ...]:
    return tuple((token, Fraction(coefficient if positive else -coefficient)) for token, coefficient in row)


def rows_claimed(claim: WordsClaim, word: str, place: int) -> set[tuple[tuple[int, Fraction], ...]]:
    return {row for case in cases_at(claim, word, place) for row in claim.cases[case].above}


@pytest.mark.parametrize("name", PLANS)
def test_a_claim_says_of_every_drawn_word_what_the_network_was_trained_on(name: str) -> None:
    plan = PLANS[name]
    task, samples, words = samples_of(plan.task or name)
    claim = plan.claim(plan.network())
    for word, asked, positive in zip(words, samples.judged, samples.positive, strict=True):
        for place, token in judged(claim, len(word)):
            at = samples.at.tolist().index(token)
            expected = {signed(row, truth) for row, truth in zip(task.rows, positive[at], strict=True)}
            assert rows_claimed(claim, word, place) == (expected if asked[at] else set())


@pytest.mark.parametrize("name", PLANS)
def test_an_imported_network_is_right_on_as_many_words_as_its_accuracy_says(name: str) -> None:
    """Within a twentieth, on 200 other words, which are of the greatest length."""
    plan = PLANS[name]
    right, words = plan.accuracy
    network, task, n = FloatNetwork(plan.network()), plan.trains_on, plan.max_n
    samples = draw(task, 200, n, np.random.default_rng(0))
    values = network.logits(samples.tokens, 0)[:, samples.at] @ task.forms
    wrong = (((values > 0) != samples.positive).any(axis=2) & samples.judged).any(axis=1)
    assert abs(wrong.mean() - (1 - right / words)) <= 1 / 20


@pytest.mark.parametrize("name", PLANS)
def test_a_wrong_word_of_the_table_is_wrong_in_float64_too(name: str) -> None:
    found, network = decision_of(PLANS[name]), PLANS[name].network()
    if "word" in found:
        claim, word = PLANS[name].claim(network), found["word"]
        logits = FloatNetwork(network).logits(np.array([input_tokens(claim, word)]), found["offset"])[0]
        assert len(word) == found["wrong_at"] > found.get("certified_to", 0)
        assert any(sum(float(coefficient) * logits[at, token] for token, coefficient in row) <= 0
                   for place, at in judged(claim, len(word)) for row in rows_claimed(claim, word, place))


def test_the_table_of_the_readme_is_that_of_the_folders() -> None:
    assert (ZOO / "README.md").read_text(encoding="utf-8").partition(MARK)[2].lstrip("\n") == table()


def test_undecided_lengths_are_written_as_runs() -> None:
    assert (ranges([]), ranges([7]), ranges([1, 3, 4, 5, 9])) == ("", "7", "1, 3..5, 9")


def test_the_zoo_is_small() -> None:
    assert sum(path.stat().st_size for path in ZOO.rglob("*") if path.is_file()) < 1_000_000


def training() -> Any:
    """Return the module that trains, which needs torch."""
    torch_or_skip()
    from examples.trained import train

    return train


def test_training_from_scratch_learns_and_gives_the_same_bytes_again() -> None:
    train = training()
    plan = replace(PLANS["tomita_2"], max_n=8, rows=10, steps=150)
    network = train.train(plan)
    assert train.accuracy(network, plan, 640) == (640, 640)
    assert train.model_bytes(network) == train.model_bytes(train.train(plan))


@pytest.mark.parametrize("name", PLANS)
def test_every_network_has_the_shape_of_its_plan(name: str) -> None:
    train = training()
    plan = PLANS[name]
    network = train.KINDS[plan.kind](train.shape_of(plan))
    assert len(train.model_bytes(network)) == (plan.folder / "model.safetensors").stat().st_size


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", PLANS)
def test_the_certified_shares_of_the_board_are_counted_again(name: str) -> None:
    assert counted(PLANS[name]) == read_entries(COUNTS)[name]
