"""Networks of other seeds, sizes and positions than the zoo's, trained for a few steps: learnt on all words of at most
12 letters, as brute force and Myhill and Nerode say."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from certify.claims.trained.claim_file import Scope
from certify.claims.trained.flags import Flags
from certify.learning.learn import Effort, learn
from certify.learning.question import OUT, LearningQuestion, read_words
from certify.learning.training.fresh import Sizes
from certify.learning.training.lessons import Lessons, Pool
from certify.learning.training.rounds import Pace
from certify.learning.training.task import lessons_of, new_network, read_task
from constructions.trained.claim import WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.check import check_text
from tests.learning.questions import Word, brute_force
from tests.with_torch import torch_or_skip

TRAINED = [
    ("tomita_1", Sizes(width=8), 1), ("tomita_2", Sizes(width=8, positions="rotary"), 2),
    ("tomita_4", Sizes(width=8), 3), ("tomita_4", Sizes(width=8, heads=2, positions="rotary"), 4),
    ("d_2", Sizes(width=8), 5), ("even", Sizes(width=4), 6), ("first", Sizes(), 7),
    ("last_letter", Sizes(width=4, positions="none"), 8), ("last_letter_alone", Sizes(width=4), 9),
    ("last_letter", Sizes(width=8, heads=2), 10), ("tomita_2", Sizes(layers=2, width=4), 11),
    ("tomita_1", Sizes(width=4, positions="rotary"), 12)]
"""A task, sizes and a seed."""


def trained(name: str, sizes: Sizes, seed: int, steps: int, longest: int) -> tuple[TrainedNetwork, LearningQuestion]:
    from certify.learning.training.fitting import fit

    task = read_task(name, Flags(), Scope(max_n=longest))
    _, network = new_network(task, sizes, seed)
    claim = task.claim(network)
    assert isinstance(claim, WordsClaim)
    claim = replace(claim, offsets=(0, 0))
    lessons: Lessons = lessons_of(network, claim)
    network, *_ = fit(network, lessons, Pool(lessons), Pace(steps), np.random.default_rng(seed), lambda *_: None)
    return network, read_words(network, claim, None)


def classes(question: LearningQuestion, answers: dict[Word, int]) -> int:
    """Count words that are pairwise distinguished by continuations within the length.

    This number of states is the least. If the empty word has no answer, each answer is tried for it.
    """
    letters, longest = len(question.claim.alphabet), question.longest
    levels = [np.array([answers.get(word, OUT) for word in product(range(letters), repeat=n)])
              for n in range(longest + 1)]
    found = []
    for empty in (set(answers.values()) if question.first else {int(levels[0][0])}):
        levels[0][0] = empty
        kept: list[tuple[int, int]] = []
        for n, level in enumerate(levels):
            for place in range(len(level)):
                if not any(all(np.array_equal(part(levels, n, place, more), part(levels, *other, more))
                               for more in range(longest - n + 1)) for other in kept):
                    kept.append((n, place))
        found.append(len(kept))
    return min(found)


def part(levels: list[NDArray[np.int64]], n: int, place: int, more: int) -> NDArray[np.int64]:
    """Return the answers for continuations of ``more`` letters of the n-letter word at this place."""
    size = len(levels[more])
    return levels[n + more][place * size : (place + 1) * size]


def check(name: str, sizes: Sizes, seed: int, steps: int, longest: int) -> None:
    network, question = trained(name, sizes, seed, steps, longest)
    learned, answers = learn(network, question, effort=Effort(states=256)), brute_force(network, question)
    found = learned.automaton
    assert (learned.verdict, learned.certified_to) == ("certified", longest) and found is not None
    assert all(found.marks[found.automaton.read(word)] == code for word, code in answers.items())
    assert len(found.marks) == classes(question, answers) == learned.rows[-1].states
    assert learned.certificate and check_text(learned.certificate.encode())


@pytest.mark.parametrize(("name", "sizes", "seed"), TRAINED[7:8])
def test_a_network_that_was_hardly_trained_is_learnt(name: str, sizes: Sizes, seed: int) -> None:
    torch_or_skip()
    check(name, sizes, seed, 20, 6)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "sizes", "seed"), TRAINED)
def test_twelve_networks_are_learnt_on_all_words_of_at_most_12_letters(name: str, sizes: Sizes, seed: int) -> None:
    """Most of them do not do what they were trained for: what they do is learnt, and proved, all the same."""
    torch_or_skip()
    check(name, sizes, seed, 400, 12)
