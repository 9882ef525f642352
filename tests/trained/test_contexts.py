"""Contexts are a partition of the words, and what is remembered of a word, step by step, tells its context."""

import random
from functools import reduce
from itertools import product

import pytest

from constructions.trained.claim import WordsClaim
from proofs.trained.classes.contexts import Contexts, Suffix, with_suffixes
from proofs.trained.classes.graph import class_graph
from proofs.trained.classes.histories import Fineness, Histories
from proofs.trained.classes.partition import Label, Partition
from proofs.words.tracking import track
from tests.trained.class_claims import by_counts, by_states, node_of, words

LENGTH = 8


def some_contexts(seed: int) -> Contexts:
    """Contexts of two or three letters, some of them long."""
    source = random.Random(seed)
    alphabet = source.choice((2, 3))
    chosen = [tuple(source.choices(range(alphabet), k=source.randint(0, 6))) for _ in range(source.randint(0, 5))]
    return Contexts(alphabet, with_suffixes([(), *chosen]))


def all_words(alphabet: int, longest: int) -> list[Suffix]:
    return [word for length in range(longest + 1) for word in product(range(alphabet), repeat=length)]


@pytest.mark.parametrize("seed", range(12))
def test_every_long_word_ends_in_exactly_one_context(seed: int) -> None:
    contexts = some_contexts(seed)
    ends = {(letter, *suffix) for suffix in contexts.split for letter in range(contexts.alphabet)} - contexts.split
    for word in product(range(contexts.alphabet), repeat=LENGTH if contexts.alphabet == 2 else 7):
        assert [word[place:] for place in range(len(word)) if word[place:] in ends] == [contexts.context(word)]


@pytest.mark.parametrize("seed", range(12))
def test_what_is_remembered_follows_letter_by_letter_and_ends_in_the_context(seed: int) -> None:
    contexts = some_contexts(seed)
    start: Suffix = ()
    for word in all_words(contexts.alphabet, 7):
        step_by_step = reduce(lambda memory, letter: contexts.memory((*memory, letter)), word, start)
        assert step_by_step == contexts.memory(word)
        context = contexts.context(word)
        if context not in contexts.split:
            assert step_by_step[len(step_by_step) - len(context) :] == context


def test_long_contexts_take_few_memories() -> None:
    contexts = Contexts(2, with_suffixes([(1,) * 29]))
    assert len(contexts.beginnings) == 1 + 30 + 30


def failing(histories: Histories, partition: Partition, seed: int) -> list[Label]:
    """Return some of the labels of all words."""
    histories = Histories(histories.tracker, partition.fineness)
    histories.extend(LENGTH)
    labels = sorted({partition.label(key) for key in histories.levels[LENGTH]}, key=repr)
    return random.Random(seed).sample(labels, min(2, len(labels)))


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("claim", [by_states(), by_counts()])
@pytest.mark.parametrize("seed", range(4))
def test_classes_by_contexts_are_what_their_labels_say_whatever_else_is_split(claim: WordsClaim, seed: int,
                                                                              alike: bool) -> None:  # fmt: skip
    tracker = track(claim)
    partition = Partition(Histories(tracker, Fineness()), LENGTH, frozenset())
    for step in range(5):
        assert partition.split(failing(partition.histories, partition, seed + step))
    graph = class_graph(Histories(tracker, partition.fineness), LENGTH, range(LENGTH, LENGTH + 1), len(claim.after),
                        partition.label, alike)  # fmt: skip
    last = len(graph.levels) - 1
    for word in words(LENGTH):
        node = node_of(graph, word, last)
        state = reduce(tracker.step, word, tracker.start)
        if graph.levels[last].cases[node]:
            name = graph.merged[node]
            assert name in {("context", state, word[place:]) for place in range(len(word) + 1)}
