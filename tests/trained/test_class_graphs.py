"""Every word follows one path of a graph, and a node's words have its letter and, where they are judged, its cases."""

from collections import defaultdict
from dataclasses import replace
from functools import reduce

import pytest

from constructions.regular.automata import Automaton
from constructions.trained.claim import WordsClaim
from proofs.trained.classes.graph import ClassGraph, class_graph
from proofs.trained.classes.histories import Fineness, Histories
from proofs.trained.classes.partition import SCHEDULE, Partition
from proofs.trained.classes.paths import Skeleton
from proofs.words.tracking import track
from tests.trained.class_claims import by_counts, by_states, node_of, words

LENGTH = 6


def whole(claim: WordsClaim, fineness: Fineness) -> ClassGraph:
    return class_graph(Histories(track(claim), fineness), LENGTH, range(1, LENGTH + 1))


def merged(claim: WordsClaim, splits: int) -> ClassGraph:
    """Return the classes at the last level, each split ``splits`` times."""
    partition = Partition(Histories(track(claim), SCHEDULE[0]), LENGTH)
    after = len(claim.after)
    for _ in range(splits):
        graph = class_graph(Histories(track(claim), partition.fineness), LENGTH, range(LENGTH, LENGTH + 1), after,
                            partition.label)  # fmt: skip
        labels = [label for label, cases in zip(graph.merged, graph.levels[-1].cases, strict=True) if cases]
        assert partition.split([label for label in labels if isinstance(label, tuple)])
    return class_graph(Histories(track(claim), partition.fineness), LENGTH, range(LENGTH, LENGTH + 1), after,
                       partition.label)  # fmt: skip


GRAPHS = [(by_states(), whole(by_states(), fineness)) for fineness in SCHEDULE[:5]]
GRAPHS += [(claim, merged(claim, splits)) for claim in (by_counts(), by_states()) for splits in range(6)]


@pytest.mark.parametrize(("claim", "graph"), GRAPHS)
def test_every_node_is_on_the_path_of_a_word_and_has_its_letter(claim: WordsClaim, graph: ClassGraph) -> None:
    for level in range(1, len(graph.levels)):
        met = defaultdict(set)
        for word in words(min(level, LENGTH)):
            met[node_of(graph, word, level)].add(word[-1] if level <= LENGTH else 0)
        assert {node: {graph.levels[level].letters[node]} for node in range(len(graph.levels[level]))} == met


@pytest.mark.parametrize(("claim", "graph"), GRAPHS)
def test_words_have_the_cases_of_their_node_where_they_are_judged(claim: WordsClaim, graph: ClassGraph) -> None:
    tracker = track(claim)
    last = len(graph.levels) - 1
    for level in range(1, last + 1) if not graph.merged else (last,):
        for word in words(min(level, LENGTH)):
            cases = reduce(tracker.step, word, tracker.start).cases
            assert graph.levels[level].cases[node_of(graph, word, level)] == cases


@pytest.mark.parametrize(("claim", "graph"), GRAPHS)
def test_the_paths_of_a_skeleton_are_those_of_the_words_to_asked_nodes(claim: WordsClaim, graph: ClassGraph) -> None:
    last = len(graph.levels) - 1
    skeleton = Skeleton(graph, graph.asked(1, last))
    for level in range(1, last + 1):
        reached = {node_of(graph, word, level) for word in words(LENGTH)
                   if any(graph.levels[later].cases[node_of(graph, word, later)] for later in range(level, last + 1))}
        assert set(skeleton.levels[level].nodes.tolist()) == reached


def test_words_that_no_case_can_hold_for_any_more_are_one_class_for_each_letter() -> None:
    """The third state of the automaton, once entered, is never left, and no case names it."""
    claim = by_states((1, 3))
    stuck = replace(claim, automaton=Automaton(0, ((0, 1), (1, 2), (2, 2))))
    graph = class_graph(Histories(track(stuck), Fineness(1, 0)), 3, range(1, 4))
    assert [len(level) for level in graph.levels] == [1, 2, 4, 5]
    assert graph.levels[3].relevant.count(False) == 2


def test_more_letters_make_classes_finer() -> None:
    counts = [len(whole(by_states(), fineness).levels[LENGTH]) for fineness in SCHEDULE]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
