"""Networks of other seeds, sizes and positions than the zoo's, trained for a few steps: learnt on all words of at most
12 letters, as brute force and Myhill and Nerode say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from certify.learning.learn import learn
from certify.learning.question import Question, read_words
from certify.learning.training.fresh import Sizes
from certify.learning.training.lessons import Lessons, Pool
from certify.learning.training.rounds import Pace
from certify.learning.training.task import lessons_of, new_network, read_task
from certify.trained.claim_file import Scope
from certify.trained.flags import Flags
from constructions.trained.network import TrainedNetwork
from tests.learning.questions import brute_force
from tests.learning.test_learning_against_brute_force import check_learned
from tests.with_torch import torch_or_skip

TRAINED = [
    ("tomita_1", Sizes(width=8), 1), ("tomita_2", Sizes(width=8, positions="rotary"), 2),
    ("tomita_4", Sizes(width=8), 3), ("tomita_4", Sizes(width=8, heads=2, positions="rotary"), 4),
    ("d_2", Sizes(width=8), 5), ("even", Sizes(width=4), 6), ("first", Sizes(width=8, positions="rotary"), 7),
    ("last_letter", Sizes(width=4, positions="none"), 8), ("last_letter_alone", Sizes(width=4), 9),
    ("first", Sizes(width=4, heads=2), 10), ("tomita_2", Sizes(layers=2, width=4), 11),
    ("tomita_1", Sizes(width=4, positions="rotary"), 12)]
"""A task, sizes and a seed."""


def trained(name: str, sizes: Sizes, seed: int, steps: int, longest: int) -> tuple[TrainedNetwork, Question]:
    from certify.learning.training.fitting import fit

    task = read_task(name, Flags(), Scope(max_n=longest))
    _, network = new_network(task, sizes, seed)
    claim = replace(task.claim(network), offsets=(0, 0))
    lessons: Lessons = lessons_of(network, claim)
    network, *_ = fit(network, lessons, Pool(lessons), Pace(steps), np.random.default_rng(seed), lambda *_: None)
    return network, read_words(network, claim, None)


def check(name: str, sizes: Sizes, seed: int, steps: int, longest: int) -> None:
    network, question = trained(name, sizes, seed, steps, longest)
    learned, answers = learn(network, question), brute_force(network, question)
    assert (learned.verdict, learned.certified_to) == ("certified", longest) and learned.automaton is not None
    check_learned(learned, question, answers)


@pytest.mark.parametrize(("name", "sizes", "seed"), TRAINED[6:8])
def test_a_network_that_was_hardly_trained_is_learnt(name: str, sizes: Sizes, seed: int) -> None:
    torch_or_skip()
    check(name, sizes, seed, 20, 6)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "sizes", "seed"), TRAINED)
def test_twelve_networks_are_learnt_on_all_words_of_at_most_12_letters(name: str, sizes: Sizes, seed: int) -> None:
    """Most of them do not do what they were trained for: what they do is learnt, and proved, all the same."""
    torch_or_skip()
    check(name, sizes, seed, 400, 12)
