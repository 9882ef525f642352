"""State shared by the obligations of one claim: the tracker, its histories, graphs and directions; one attempt."""

from collections.abc import Sequence

import numpy as np

from constructions.errors import Unsupported
from constructions.trained.claim import WordsClaim, is_by_place
from constructions.trained.network import TrainedNetwork
from proofs.trained.classes.cover_unit import BITS, Evaluated, evaluate
from proofs.trained.classes.directions import Directions, plain_directions, sampled_directions
from proofs.trained.classes.graph import ClassGraph, class_graph, with_tokens_after
from proofs.trained.classes.histories import Fineness, Histories
from proofs.trained.classes.partition import SCHEDULE, Label, Partition
from proofs.trained.classes.paths import Skeleton
from proofs.trained.classes.results import Limits
from proofs.trained.classes.rows import NodeBound, node_bounds
from proofs.trained.forward import FloatNetwork
from proofs.words.tracking import track

OFFSETS = 16  # consecutive offsets with common directions
LENGTHS = 8   # consecutive lengths with common directions
Nodes = Sequence[tuple[int, int]]
Name = tuple[Label, int]
"""An asked class: its label and the last letter."""


class Shared:
    """Memoised parts of a search; each depends on its arguments only, not on the order of calls."""

    def __init__(self, network: TrainedNetwork, claim: WordsClaim, limits: Limits) -> None:
        """Prepare the shared parts; raise Unsupported without attention, or a rule for network or claim."""
        self.network, self.claim, self.limits = network, claim, limits
        self.floats = FloatNetwork(network)
        self.by_place = is_by_place(network, claim)
        self.is_whole = network.attention == "bidirectional"
        if self.floats.last_attention < 0:
            raise Unsupported("classes of words: expected attention")
        if network.by_ranges:
            raise Unsupported("classes of words: no rule for roundings by a range")
        if not self.by_place and not self.is_whole and not (claim.read == "last" and claim.after):
            raise Unsupported("classes of words: the token that is judged does not see the word")
        if claim.read == "first" and not claim.before:
            raise Unsupported("classes of words: no token before the word, where the first one is judged")
        self.tracker = track(claim)
        self.after = 0 if self.by_place else len(claim.after)
        self._histories: dict[Fineness, Histories] = {}
        self._partitions: dict[int, Partition] = {}
        self._graphs: dict[object, ClassGraph] = {}
        self._directions: dict[tuple[int, int], Directions] = {}

    def histories(self, fineness: Fineness) -> Histories:
        """Return all words at this granularity."""
        if fineness not in self._histories:
            self._histories[fineness] = Histories(self.tracker, fineness)
        return self._histories[fineness]

    def longest(self, offset: int) -> int:
        """Return the last place (or length) that fits at an offset."""
        rows = self.network.rows
        if rows is None:
            return self.claim.lengths[1]
        return min(self.claim.lengths[1], rows - offset - len(self.claim.before) - len(self.claim.after))

    def first_wide(self, last: int) -> int:
        """Return the first place with more than `Limits.wide` asked classes; 0 unless the claim is by place."""
        if not self.by_place:
            return 0
        histories = self.histories(SCHEDULE[0])
        for level in range(last + 1):
            histories.extend(level)
            if sum(bool(histories.cases(key)) for key in histories.levels[level]) > self.limits.wide:
                return level
        return last + 1

    def whole_graph(self, fineness: Fineness, length: int) -> ClassGraph:
        """Return the graph in which every class is a node, and every place is judged."""
        if (fineness, length) not in self._graphs:
            first = self.claim.lengths[0] if self.claim.read == "last" else int(not self.claim.empty)
            graph = class_graph(self.histories(fineness), length, range(first, length + 1))
            self._graphs[fineness, length] = graph
        return self._graphs[fineness, length]

    def graph_of_length(self, fineness: Fineness, length: int) -> ClassGraph:
        """Return the graph of all words of a length: every class is a node, every letter is judged."""
        graph = class_graph(self.histories(fineness), length, range(int(not self.claim.empty), length + 1))
        return with_tokens_after(graph, self.after)

    def partition(self, at: int) -> Partition:
        """Return the coarsest classes of a place or length."""
        if at not in self._partitions:
            self._partitions[at] = Partition(self.histories(SCHEDULE[0]), at)
        return self._partitions[at]

    def merged_graph(self, partition: Partition, at: int) -> ClassGraph:
        """Return the classes of a partition, asked on the last level."""
        key = (at, partition.by_contexts, partition.was_split)
        if key not in self._graphs:
            judged = range(0) if self.after else range(at, at + 1)
            histories = self.histories(partition.fineness)
            self._graphs[key] = class_graph(histories, at, judged, self.after, partition.label,
                                            merge_equal=len(self.network.attention_steps) == 1)
        return self._graphs[key]

    def directions(self, offset: int, at: int) -> Directions:
        """Return the directions of a group of offsets and lengths: those of its least offset."""
        start = offset - offset % OFFSETS
        wide = self.first_wide(at) <= at
        rounded = at if at < LENGTHS else max(at - at % LENGTHS, self.claim.lengths[0])
        length = rounded if wide else self.longest(start)
        if (start, length) not in self._directions:
            skeleton = self._sampled_from(length, wide) or self._sampled_from(at, wide)
            found = sampled_directions(self.floats, self.claim, skeleton, start) if skeleton else None
            self._directions[start, length] = found or plain_directions(self.floats)
        return self._directions[start, length]

    def _sampled_from(self, length: int, wide: bool) -> Skeleton | None:
        """Return the classes from which words are sampled, if there are some."""
        if wide:
            graph = self.merged_graph(self.partition(length), length)
            asked = graph.asked(len(graph.levels) - 1, len(graph.levels) - 1)
        else:
            last = min(length, self.first_wide(length) - 1)
            graph = self.whole_graph(SCHEDULE[0], last)
            asked = graph.asked(0, last)
        return self.skeleton(graph, asked) if asked else None

    def skeleton(self, graph: ClassGraph, asked: Nodes) -> Skeleton:
        """Return the skeleton of these asked nodes."""
        return Skeleton(graph, asked, self.is_whole)

    def attempt(self, graph: ClassGraph, offset: int, at: int, asked: Nodes, bits: int = BITS) -> Evaluated | None:
        """Evaluate the asked nodes: ranges and streams; None if that is too much work, or bounds overflow."""
        skeleton = self.skeleton(graph, asked)
        width = max(head.out.shape[0] for step in self.floats.steps for head in getattr(step, "heads", ()))
        nodes = sum(len(level.nodes) for level in skeleton.levels)
        queries = nodes if len(self.network.attention_steps) > 1 else len(asked)
        levels = len({level for level, _ in asked})
        if len(asked) > self.limits.classes * levels or queries * nodes * width > self.limits.terms:
            return None
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                return evaluate(self.floats, self.claim, skeleton, offset, self.directions(offset, at), bits)
        except ArithmeticError:
            return None

    def bounds(self, unit: Evaluated) -> list[NodeBound]:
        """Return the bounds of the rows of each asked node."""
        return node_bounds(self.floats, self.claim, unit)


def names_of(graph: ClassGraph) -> list[Name]:
    """Return the classes of the nodes of the last level of a merged graph."""
    labels = [label if isinstance(label, tuple) else () for label in graph.merged]
    return list(zip(labels, graph.levels[-1].letters, strict=True))
