"""Cells cover every word of their class, and no word in a cell has a row below its bound, whatever its shares are."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from constructions.trained.claim import WordsClaim
from proofs.trained.certificate import cover_of
from proofs.trained.classes.cells import CellSearch, whole_box
from proofs.trained.classes.cover_unit import Evaluated, evaluate
from proofs.trained.classes.directions import Directions, averages_at, path_letters, sampled_directions
from proofs.trained.classes.graph import class_graph
from proofs.trained.classes.histories import Fineness, Histories
from proofs.trained.classes.multipliers import CellRows, ClassOfNode, rounded, value
from proofs.trained.classes.partition import Partition
from proofs.trained.classes.paths import Skeleton
from proofs.trained.classes.results import ClassUnit
from proofs.trained.classes.rows import NodeBound, linear_parts, node_bounds, row_forms, rows_of, worst_row
from proofs.trained.classes.trees import Cut, Leaf, Tree, leaves
from proofs.trained.forward import FloatNetwork
from proofs.words.tracking import track
from tests.trained.class_claims import by_counts, by_states, causal_network, node_of, tokens_of, words

LENGTH = 6
SEEDS = (0, 1, 6)
CLAIMS = (by_states((LENGTH, LENGTH)), by_counts((LENGTH, LENGTH)))


@dataclass(frozen=True)
class Case:
    """A random network and an evaluated unit of all words of one length."""

    floats: FloatNetwork
    claim: WordsClaim
    offset: int
    unit: Evaluated
    directions: Directions

    def bounds(self) -> Iterator[tuple[int, NodeBound]]:
        """Return the index of the query and the bound of each judged node."""
        return enumerate(node_bounds(self.floats, self.claim, self.unit))

    def words_of(self, bound: NodeBound) -> list[tuple[int, ...]]:
        """Return the words of a node's class."""
        graph = self.unit.skeleton.graph
        return [word for word in words(min(bound.level, graph.length))
                if node_of(graph, word, bound.level) == bound.node]

    def averages(self, bound: NodeBound, word: tuple[int, ...]) -> np.ndarray:
        """Return the averages of all heads of the last attention step, in the unit's directions."""
        tokens = tokens_of(self.claim, self.unit.skeleton.graph, word, bound.level)
        last = averages_at(self.floats, tokens, self.offset, -1)[-1]
        step = len(self.directions.matrices) - 1
        return np.concatenate([self.directions.rows(step, head) @ z[0] for head, z in enumerate(last)])

    def row(self, bound: NodeBound, word: tuple[int, ...]) -> np.float64:
        """Return the least row of a word."""
        return worst_row(self.floats, replace(self.claim, margin=Fraction(0)), self.offset, word, bound.cases)[0]

    def search(self, bound: NodeBound, query: int, margin: float) -> CellSearch:
        """Return the search where rows must be above a margin."""
        claim = replace(self.claim, margin=Fraction(margin))
        return CellSearch(self.floats, claim, self.offset, self.unit, query, 16)


def case_of(seed: int, claim: WordsClaim) -> Case:
    floats, histories, offset = FloatNetwork(causal_network(seed)), Histories(track(claim), Fineness()), seed % 3
    judged = range(0) if claim.after else range(LENGTH, LENGTH + 1)
    label = Partition(histories, LENGTH).label if claim.after else None
    graph = class_graph(histories, LENGTH, judged, len(claim.after), label)
    skeleton = Skeleton(graph, graph.asked(0, len(graph.levels) - 1))
    directions = sampled_directions(floats, claim, skeleton, offset)
    return Case(floats, claim, offset, evaluate(floats, claim, skeleton, offset, directions), directions)


def first_of_head(unit: Evaluated) -> tuple[int, ...]:
    return tuple(np.cumsum([0, *(len(head.directions) for head in unit.heads)])[:-1].tolist())


@cache
def trees(seed: int, claim: WordsClaim) -> list[tuple[Case, NodeBound, CellSearch, Tree]]:
    """Trees for margins between the bound without cells and the least row of all words."""
    case, found = case_of(seed, claim), []
    for query, bound in case.bounds():
        least = min(case.row(bound, word) for word in case.words_of(bound))
        search = case.search(bound, query, bound.low + (least - bound.low) / 4)
        tree = search.run()
        if tree is not None:
            found.append((case, bound, search, tree))
    return found


@pytest.mark.parametrize("claim", CLAIMS, ids=("each", "after"))
def test_some_of_what_a_bound_is_short_of_is_proved_by_cells(claim: WordsClaim) -> None:
    assert any(isinstance(tree, Cut) for seed in SEEDS for *_, tree in trees(seed, claim))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("claim", CLAIMS, ids=("each", "after"))
@pytest.mark.parametrize("seed", SEEDS)
def test_each_word_is_in_a_leaf_and_no_row_is_below_the_bound(seed: int, claim: WordsClaim) -> None:
    for case, bound, search, tree in trees(seed, claim):
        whole = list(leaves(tree, whole_box(case.unit, case.unit.nodes.index((bound.level, bound.node))),
                            first_of_head(case.unit)))  # fmt: skip
        boxes = np.ldexp(np.array([box for box, _ in whole], np.float64), -case.unit.bits)
        for word in case.words_of(bound):
            y = case.averages(bound, word)
            assert ((boxes[..., 0] <= y) & (y <= boxes[..., 1])).all(axis=1).any()
            assert search.enough < search.low <= case.row(bound, word) + 1e-9


@pytest.mark.one_in(6)
@pytest.mark.parametrize("claim", CLAIMS, ids=("each", "after"))
@pytest.mark.parametrize("seed", SEEDS)
def test_no_word_in_a_cell_has_a_row_below_its_bound_with_any_shares(seed: int, claim: WordsClaim) -> None:
    case, draw = case_of(seed, claim), np.random.default_rng(seed)
    for query, bound in case.bounds():
        averages = {word: case.averages(bound, word) for word in case.words_of(bound)}
        members = ClassOfNode(case.unit, query)
        whole = np.ldexp(whole_box(case.unit, query).astype(np.float64), -case.unit.bits)
        for middle in averages.values():
            box = np.where(draw.random(whole.shape) < 1 / 3, middle[:, np.newaxis], whole)[np.newaxis]
            forms = row_forms(case.floats, case.unit.streams_within(np.array([query]), box),
                              rows_of(case.claim, bound.cases))  # fmt: skip
            alpha, rest = linear_parts(forms, case.unit.heads[0].symbol, box.mean(axis=2), np.ptp(box, axis=2) / 2)
            shares = rounded(alpha[0] * draw.random(alpha[0].shape) * 2)
            boxes = np.repeat(box, len(shares), axis=0)
            rows = CellRows(alpha[0], rest[0], boxes, boxes != whole, np.float64(0))
            low = value(rows, members, shares)[0].min()
            inside = [word for word, y in averages.items() if (box[0, :, 0] <= y).all() and (y <= box[0, :, 1]).all()]
            assert inside
            assert all(low <= case.row(bound, word) + 1e-9 for word in inside)


@pytest.mark.parametrize("claim", CLAIMS, ids=("each", "after"))
@pytest.mark.parametrize("seed", SEEDS)
def test_the_least_of_a_class_is_below_every_word_and_attained_after_one_attention_step(
    seed: int, claim: WordsClaim
) -> None:
    case, draw = case_of(seed, claim), np.random.default_rng(seed)
    exact = len(case.directions.matrices) == 1 and len(case.unit.heads) == 1
    for query, bound in case.bounds():
        members = ClassOfNode(case.unit, query)
        slopes = draw.standard_normal((3, len(whole_box(case.unit, query))))
        least, paths = members.least(slopes)
        found = slopes @ np.array([case.averages(bound, word) for word in case.words_of(bound)]).T
        assert (least <= found.min(axis=1) + 1e-9).all()
        if exact:
            assert np.allclose(members.model(slopes)[0], least, atol=1e-9)
            assert np.allclose(least, found.min(axis=1), atol=1e-9)
            ends = {path_letters(case.unit.skeleton, path) for path in paths}
            assert ends <= set(case.words_of(bound))


def test_the_search_ends_at_a_wrong_word() -> None:
    case = case_of(0, CLAIMS[0])
    for query, bound in case.bounds():
        search = case.search(bound, query, case.row(bound, bound.word) + 1)
        assert search.run() is None
        assert search.worst[0] <= 0
        assert search.looked_at == 1
        assert abs(case.row(bound, search.worst[1]) - np.float64(search.claim.margin) - search.worst[0]) < 1e-9


def test_cells_are_written_with_their_cuts_and_shares() -> None:
    case = case_of(0, CLAIMS[0])
    share = np.array([1, -1], np.int32)
    tree = Cut(0, 1, -7, Leaf((share, None)), Leaf((None, None)))
    unit = ClassUnit(0, LENGTH, LENGTH, case.unit.skeleton.graph, case.directions, 24, case.unit.ranges, (None, tree))
    below, above = {"shares": ["AQAAAP////8=", None]}, {"shares": [None, None]}
    assert cover_of([unit]).units[0]["cells"] == [
        None, {"head": 0, "direction": 1, "at": -7, "below": below, "above": above}]  # fmt: skip
    assert "cells" not in cover_of([replace(unit, cells=())]).units[0]


def test_leaves_have_the_boxes_of_the_cuts_above_them() -> None:
    share = np.array([1, 2, 3], np.int32)
    tree = Cut(1, 0, 5, Leaf((share,)), Cut(0, 1, -2, Leaf((None,)), Leaf((None,))))
    box = np.array([[-9, 9], [-8, 8], [-7, 7]], np.int32)
    found = [part.tolist() for part, _ in leaves(tree, box, (0, 2))]
    assert found == [[[-9, 9], [-8, 8], [-7, 5]], [[-9, 9], [-8, -2], [5, 7]], [[-9, 9], [-2, 8], [5, 7]]]
