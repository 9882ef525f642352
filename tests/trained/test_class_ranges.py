"""Ranges hold every word's averages, and at the first step some word attains them; rows are at least their bounds."""

import numpy as np
import pytest

from constructions.trained.claim import WordsClaim
from proofs.trained.classes.cover_unit import ROOM, Evaluated, evaluate
from proofs.trained.classes.directions import averages_at, sampled_directions
from proofs.trained.classes.graph import ClassGraph, class_graph
from proofs.trained.classes.histories import Fineness, Histories
from proofs.trained.classes.partition import SCHEDULE, Partition
from proofs.trained.classes.paths import Skeleton
from proofs.trained.classes.rows import node_bounds, worst_row
from proofs.trained.forward import FloatNetwork
from proofs.words.tracking import track
from tests.trained.class_claims import by_counts, by_states, causal_network, node_of, tokens_of, words

LENGTH = 4
SEEDS = (0, 1, 2, 4, 7, 8)  # one to three attention steps, each kind of position


def graph_of(claim: WordsClaim) -> ClassGraph:
    histories = Histories(track(claim), Fineness())
    if not claim.after:
        return class_graph(histories, LENGTH, range(0 if claim.empty else 1, LENGTH + 1))
    return class_graph(histories, LENGTH, range(0), len(claim.after), Partition(histories, LENGTH).label)


def unit_of(seed: int, claim: WordsClaim, offset: int) -> tuple[FloatNetwork, Evaluated]:
    floats, graph = FloatNetwork(causal_network(seed)), graph_of(claim)
    skeleton = Skeleton(graph, graph.asked(0, len(graph.levels) - 1))
    directions = sampled_directions(floats, claim, skeleton, offset)
    return floats, evaluate(floats, claim, skeleton, offset, directions)


def averages(floats: FloatNetwork, claim: WordsClaim, unit: Evaluated,
             offset: int) -> dict[tuple[int, int], list[list[np.ndarray]]]:
    """Return the averages of all heads in the unit's directions, by node, word and step."""
    graph = unit.skeleton.graph
    directions = sampled_directions(floats, claim, unit.skeleton, offset)
    found: dict[tuple[int, int], list[list[np.ndarray]]] = {}
    for level in range(unit.skeleton.last + 1):
        for word in words(min(level, graph.length)):
            steps = averages_at(floats, tokens_of(claim, graph, word, level), offset, -1)
            values = [np.concatenate([directions.rows(step, head) @ z[0] for head, z in enumerate(heads)])
                      for step, heads in enumerate(steps)]  # fmt: skip
            found.setdefault((level, node_of(graph, word, level)), []).append(values)
    return found


CLAIMS = (by_states((1, LENGTH)), by_states((1, LENGTH), empty=True), by_counts((1, LENGTH)))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("claim", CLAIMS, ids=("each", "empty", "after"))
@pytest.mark.parametrize("seed", SEEDS)
def test_ranges_hold_every_average_and_are_attained_at_the_first_step(seed: int, claim: WordsClaim) -> None:
    offset = seed % 3
    floats, unit = unit_of(seed, claim, offset)
    values = averages(floats, claim, unit, offset)
    for step, (ranges, nodes) in enumerate(zip(unit.ranges, unit.ranged, strict=True)):
        for numbers, node in zip(np.ldexp(ranges.astype(float), -unit.bits), nodes, strict=True):
            if node in values and node[1] >= 0:
                seen = np.array([steps[step] for steps in values[node]])
                assert (numbers[:, 0] <= seen.min(axis=0)).all()
                assert (seen.max(axis=0) <= numbers[:, 1]).all()
                if not step:
                    room = np.ldexp(ROOM + 2, -unit.bits)
                    assert (np.abs(numbers[:, 0] - seen.min(axis=0)) <= room).all()
                    assert (np.abs(numbers[:, 1] - seen.max(axis=0)) <= room).all()


@pytest.mark.one_in(6)
@pytest.mark.parametrize("claim", CLAIMS, ids=("each", "empty", "after"))
@pytest.mark.parametrize("seed", SEEDS)
def test_no_word_has_a_row_below_the_bound_of_its_class(seed: int, claim: WordsClaim) -> None:
    floats, unit = unit_of(seed, claim, seed % 3)
    graph = unit.skeleton.graph
    bounds = {(bound.level, bound.node): bound for bound in node_bounds(floats, claim, unit)}
    assert sorted(bounds) == unit.skeleton.asked
    for level, node in bounds:
        for word in words(min(level, graph.length)):
            if node_of(graph, word, level) == node:
                value = worst_row(floats, claim, seed % 3, word, bounds[level, node].cases)[0]
                assert bounds[level, node].low <= value + 1e-9
        assert node_of(graph, bounds[level, node].word, level) == node


def test_finer_classes_have_smaller_ranges() -> None:
    """Each word's class at one level of fineness is inside its class at the one before."""
    claim, floats = by_states((1, LENGTH)), FloatNetwork(causal_network(0))
    widths = []
    for fineness in SCHEDULE[:3]:
        graph = class_graph(Histories(track(claim), fineness), LENGTH, range(1, LENGTH + 1))
        skeleton = Skeleton(graph, graph.asked(LENGTH, LENGTH))
        coarse = Skeleton(graph_of(claim), graph_of(claim).asked(LENGTH, LENGTH))
        directions = sampled_directions(floats, claim, coarse, 0)
        ranges = evaluate(floats, claim, skeleton, 0, directions).ranges[0].astype(float)
        widths.append((ranges[..., 1] - ranges[..., 0]).max())
    assert widths == sorted(widths, reverse=True)
