"""Refinement of abstract words until obligations are decided, up to a limit of work.

Results are evidence; units contain what the checker needs to prove them. An undecided obligation is *open*, with the
best bound and a word. The same arguments give the same units, in any order of calls.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from constructions.progress import report_progress
from constructions.trained.claim import WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.trained.classes.cells import CellSearch
from proofs.trained.classes.cover_unit import BITS, Evaluated
from proofs.trained.classes.graph import ClassGraph
from proofs.trained.classes.histories import Fineness
from proofs.trained.classes.partition import SCHEDULE, Label, Partition
from proofs.trained.classes.results import ClassUnit, Decided, Limits, RowBound, SuspectWord
from proofs.trained.classes.rows import ROOM, NodeBound, worst_row
from proofs.trained.classes.shared import Name, Shared, names_of
from proofs.trained.runs import runs

WORTHWHILE, STALLS, STALLS_OF_WHOLE_WORDS = 16, 5, 2
"""A length is given up after this many consecutive attempts that each closed less than 1/16 of the gap; sooner where
each of several attention steps sees whole words, as later letters do not distinguish classes."""
FIRST_BLOCK = 12
"""Places before this one are tried together."""
HOPELESS = 2
"""Longer places are not tried after this many consecutive undecided ones."""


@dataclass(frozen=True, eq=False)
class Settled:
    """A class whose rows are proved: its bound, and its ranges [directions, 2] / 2^bits at the last attention step."""

    bound: NodeBound
    bits: int
    ranges: NDArray[np.int32]


class ClassSearch:
    """Search for units of one claim; what obligations share is computed once."""

    def __init__(self, network: TrainedNetwork, claim: WordsClaim, limits: Limits | None = None) -> None:
        """Prepare the search; raise Unsupported if `Shared` does not support network or claim."""
        self.limits = limits or Limits()
        self.shared = Shared(network, claim, self.limits)
        self.claim = claim

    def decide(self, offset: int, first: int, last: int) -> Decided:
        """Decide the obligations (offset, first … last)."""
        task = _Task(self.shared, offset)
        if self.shared.is_whole and task.many_steps:
            for at in with_progress(range(first, last + 1)):
                task.one_by_one(at)
            return task.decided
        if self.shared.is_whole and self.claim.read == "each":
            for at in with_progress(range(first, last + 1)):
                task.whole(at)
            return task.decided
        wide = self.shared.first_wide(last)
        task.apart([at for at in range(first, last + 1) if at < wide])
        for at in with_progress(range(max(first, wide), last + 1)):
            task.merged(at)
        task.decided.units.sort(key=lambda unit: unit.first)
        task.decided.open.sort()
        task.decided.wrong = sorted(set(task.decided.wrong), key=lambda wrong: (wrong.place, wrong.value, wrong.word))
        return task.decided


def with_progress(lengths: range) -> Iterator[int]:
    """Yield these lengths in order, reporting progress."""
    for done, at in enumerate(lengths):
        report_progress("lengths by classes", done, len(lengths))
        yield at


class _Task:
    """Obligations at one offset."""

    def __init__(self, shared: Shared, offset: int) -> None:
        self.shared, self.offset = shared, offset
        self.claim = shared.claim
        self._enough = np.float64(shared.claim.margin) + ROOM
        self.many_steps = len(shared.network.attention_steps) > 1
        self.decided = Decided()

    def apart(self, pending: list[int]) -> None:
        """Decide places with few classes: first together, every class a node; then one by one, by contexts."""
        if self.many_steps:
            self._in_blocks(pending)
            return
        pending = self._together(pending, SCHEDULE[0])
        split_labels: frozenset[Label] = frozenset()
        while pending:
            split_labels = self.merged(pending.pop(0), split_labels)
            if self._is_hopeless():
                break
        self.decided.open += pending

    def _in_blocks(self, pending: list[int]) -> None:
        """Decide places in blocks: with several steps, a unit has ranges of all earlier nodes, refined together.

        Each block is about as long as all blocks before it; after an undecided block none is tried.
        """
        while pending:
            end = max(2 * pending[0], FIRST_BLOCK)
            block, pending = [at for at in pending if at < end], [at for at in pending if at >= end]
            for fineness in SCHEDULE:
                block = self._together(block, fineness)
            self.decided.open += block
            if block:
                self.decided.open += pending
                return

    def _is_hopeless(self) -> bool:
        """Return whether the last places that were tried are neither decided nor wrong."""
        last = self.decided.open[-HOPELESS:]
        return len(last) == HOPELESS and last[-1] - last[0] == HOPELESS - 1 and not any(map(self._is_wrong, last))

    def _together(self, pending: list[int], fineness: Fineness) -> list[int]:
        """Attempt places together; return those that are left."""
        if not pending:
            return []
        longest = pending[-1] if self.many_steps else self.shared.longest(0)  # all offsets share that graph
        graph = self.shared.whole_graph(fineness, longest)
        asked = [node for at in pending for node in graph.asked(at, at)]
        unit = self.shared.attempt(graph, self.offset, pending[-1], asked) if asked else None
        if asked and unit is None:
            return pending
        bounds = self._bounds(unit, self.shared.limits.cells_at_first) if unit else []
        return self._take(graph, unit, pending, bounds)

    def _bounds(self, unit: Evaluated, cells: int) -> list[NodeBound]:
        """Return the bounds of the asked nodes; failing nodes without a wrong word are cut into at most ``cells``."""
        bounds, left = self.shared.bounds(unit), self.shared.limits.cells_together
        for place in sorted(range(len(bounds)), key=lambda place: -bounds[place].low):
            bound = bounds[place]
            if left <= 0 or bound.low > self._enough:
                continue
            if self._worst(bound)[0] > 0:
                search = CellSearch(self.shared.floats, self.claim, self.offset, unit, place, min(left, cells))
                tree = search.run()
                left -= search.looked_at
                found = replace(bound, word=search.worst[1] or bound.word)
                bounds[place] = found if tree is None else replace(found, low=search.low, tree=tree)
        return bounds

    def _worst(self, bound: NodeBound) -> tuple[np.float64, int, int]:
        """Return the least row of the node on its word."""
        return worst_row(self.shared.floats, self.claim, self.offset, bound.word, bound.cases, bound.level)

    def _by_place(self, bounds: Sequence[NodeBound]) -> dict[int, np.float64]:
        """Return the least bound at each level; store bounds and wrong words."""
        grouped: dict[int, list[NodeBound]] = {}
        for bound in bounds:
            grouped.setdefault(bound.level, []).append(bound)
        return {level: self._note(level, some) for level, some in grouped.items()}

    def _note(self, at: int, bounds: Sequence[NodeBound]) -> np.float64:
        """Store the least bound at a place or length, the least row of the classes' words, and wrong words."""
        margin = np.float64(self.claim.margin)
        noted = self.decided.bounds.get(at, RowBound(np.float64(-np.inf), (), np.float64(np.inf)))
        word, value = noted.word, noted.value
        ordered = sorted(bounds, key=lambda bound: bound.low)
        for bound in ordered:
            if bound.low - margin > max(value, ROOM):
                break  # no word of this class, or of those after it, has a smaller row
            found, case, row = self._worst(bound)
            if found <= 0:
                self._wrong(at, bound, case, row, found)
            word, value = min((value, word), (found, bound.word))[::-1]
        least = ordered[0].low - margin
        self.decided.bounds[at] = RowBound(max(noted.low, least), word, value)
        return least

    def _wrong(self, at: int, bound: NodeBound, case: int, row: int, value: np.float64) -> None:
        """Store a wrong word; words that are too short for the claim are extended by its first letter."""
        whole = bound.word + (0,) * (self.claim.lengths[0] - len(bound.word))
        place = bound.level if self.claim.read == "each" else at
        self.decided.wrong.append(SuspectWord(whole, self.offset, place, case, row, value))

    def _is_wrong(self, at: int) -> bool:
        return any((word.place if self.shared.by_place else len(word.word)) == at for word in self.decided.wrong)

    def _take(self, graph: ClassGraph, unit: Evaluated | None, pending: list[int],
              bounds: Sequence[NodeBound]) -> list[int]:  # fmt: skip
        """Store units for proved places; return the places to try again. Places without asked nodes are proved."""
        least = self._by_place(bounds)
        proved = [at for at in pending if least.get(at, np.inf) > ROOM]
        if self.many_steps:  # every unit contains the ranges of all earlier nodes: at most one for each attempt
            first_failing = min(set(pending) - set(proved), default=pending[-1] + 1)
            proved = [at for at in proved if at < first_failing]
        for first, last in runs(proved):
            self.decided.units.append(self._unit(graph, unit, first, last, bounds))
        wrong = [at for at in pending if self._is_wrong(at)]
        self.decided.open += [at for at in wrong if at not in proved]
        return [at for at in pending if at not in proved and at not in wrong]

    def _unit(self, graph: ClassGraph, unit: Evaluated | None, first: int, last: int,
              bounds: Sequence[NodeBound]) -> ClassUnit:  # fmt: skip
        """Return the part of an evaluated unit for some levels; without asked nodes, one without ranges."""
        directions = self.shared.directions(self.offset, last)
        levels = len(graph.levels) - 1
        asked = graph.asked(first, last) if self.shared.by_place else graph.asked(0, levels)
        if unit is None or not asked:
            nothing = np.zeros((0, 0, 2), np.int32)
            return ClassUnit(self.offset, first, last, graph, directions, 0, (nothing,) * len(directions.matrices))
        ranges = unit.ranges_of(self.shared.skeleton(graph, asked))
        trees = {(bound.level, bound.node): bound.tree for bound in bounds}
        cells = tuple(trees[node] for node in asked)
        return ClassUnit(self.offset, first, last, graph, directions, unit.bits, ranges, cells if any(cells) else ())

    def whole(self, at: int) -> None:
        """Decide a length, where every letter is judged and sees the whole word: all levels are refined together."""
        least = np.float64(np.nan)
        for fineness in SCHEDULE:
            graph = self.shared.graph_of_length(fineness, at)
            asked = graph.asked(0, len(graph.levels) - 1)
            unit = self.shared.attempt(graph, self.offset, at, asked) if asked else None
            if asked and unit is None:
                break
            bounds = self._bounds(unit, self.shared.limits.cells_at_first) if unit else []
            before, least = least, self._note(at, bounds) if bounds else np.float64(np.inf)
            if least > ROOM:
                self.decided.units.append(self._unit(graph, unit, at, at, bounds))
                return
            if self._is_wrong(at) or least < before + (ROOM - before) / WORTHWHILE:
                break
        self.decided.open.append(at)

    def one_by_one(self, at: int) -> None:
        """Decide a length where several steps see whole words: each asked class alone, with ranges of all steps."""
        partition, least, stalls = Partition(self.shared.histories(SCHEDULE[0]), at), np.float64(np.nan), 0
        is_each = self.claim.read == "each"
        for attempt in range(len(SCHEDULE) if is_each else self.shared.limits.attempts):
            graph = (self.shared.graph_of_length(SCHEDULE[attempt], at) if is_each
                     else self.shared.merged_graph(partition, at))
            asked = graph.asked(0, len(graph.levels) - 1)
            units = self._each_alone(graph, at, asked)
            if len(units) < len(asked):
                break
            bounds = [bound for unit in units for bound in self._bounds(unit, self.shared.limits.cells_at_first)]
            before, least = least, self._note(at, bounds) if bounds else np.float64(np.inf)
            if least > ROOM:
                self._take_alone(graph, at, units, bounds)
                return
            stalls = stalls + 1 if least < before + (ROOM - before) / WORTHWHILE else 0
            names = {} if is_each else dict(enumerate(names_of(graph)))
            failing = {names[bound.node][0] for bound in bounds if bound.low <= self._enough and names}
            if self._is_wrong(at) or stalls == STALLS_OF_WHOLE_WORDS or not (is_each or partition.split(failing)):
                break
        self.decided.open.append(at)

    def _each_alone(self, graph: ClassGraph, at: int, asked: Sequence[tuple[int, int]]) -> list[Evaluated]:
        """Evaluate each asked node alone, all with equal bits; return fewer, if one is too much work."""
        bits, units = BITS, list[Evaluated]()
        while len(units) < min(len(asked), self.shared.limits.classes):
            unit = self.shared.attempt(graph, self.offset, at, [asked[len(units)]], bits)
            if unit is None:
                break
            units, bits = ([*units, unit], bits) if unit.bits == bits else ([], unit.bits)
        return units

    def _take_alone(self, graph: ClassGraph, at: int, units: Sequence[Evaluated], bounds: Sequence[NodeBound]) -> None:
        """Store the unit of a length whose asked nodes are proved one by one."""
        trees = tuple(bound.tree for bound in bounds)
        ranges = tuple(numbers for unit in units for numbers in unit.ranges)
        self.decided.units.append(ClassUnit(
            self.offset, at, at, graph, self.shared.directions(self.offset, at), units[0].bits if units else 0, ranges,
            trees if any(trees) else ()))

    def merged(self, at: int, split_labels: frozenset[Label] | None = None) -> frozenset[Label]:
        """Decide a length (or place): asked classes are merged, and split where they fail. Return the split labels.

        With ``split_labels``, the labels that other places split (perhaps none), classes are split by contexts.
        """
        partition = Partition(self.shared.histories(SCHEDULE[0]), at, split_labels)
        settled: dict[Name, Settled] = {}
        least, stalls = np.float64(np.nan), 0
        for _ in range(self.shared.limits.attempts):
            graph = self.shared.merged_graph(partition, at)
            level, names = len(graph.levels) - 1, names_of(graph)
            asked = [node for node in graph.asked(level, level) if names[node[1]] not in settled]
            unit = self.shared.attempt(graph, self.offset, at, asked) if asked else None
            if asked and unit is None:
                break
            cells = self.shared.limits.cells if split_labels is None else self.shared.limits.cells_at_first
            bounds = self._bounds(unit, cells) if unit else []
            found = [*bounds, *(one.bound for one in settled.values())]
            before, least = least, self._note(at, found) if bounds else np.float64(np.inf)
            stalls = stalls + 1 if split_labels is None and least < before + (ROOM - before) / WORTHWHILE else 0
            failing = {names[bound.node][0] for bound in bounds if bound.low <= self._enough}
            settled |= {name: one for name, one in _settled(unit, bounds).items() if name[0] not in failing}
            if not failing and self._finish(graph, at, settled):
                return partition.was_split
            if not failing or self._is_wrong(at) or stalls == STALLS or not partition.split(failing):
                break
        self.decided.open.append(at)
        return partition.was_split

    def _finish(self, graph: ClassGraph, at: int, settled: dict[Name, Settled]) -> bool:
        """Store the unit of a length with settled classes; evaluated together where earlier steps have ranges, too."""
        level, names = len(graph.levels) - 1, names_of(graph)
        everything = graph.asked(level, level)
        parts = [settled[names[node]] for _, node in everything if names[node] in settled]
        bits = {one.bits for one in parts}
        if not self.many_steps and len(bits) == 1 and len(parts) == len(everything):
            ranges, trees = np.stack([one.ranges for one in parts]), tuple(one.bound.tree for one in parts)
            self.decided.units.append(ClassUnit(self.offset, at, at, graph, self.shared.directions(self.offset, at),
                                                bits.pop(), (ranges,), trees if any(trees) else ()))  # fmt: skip
            return True
        unit = self.shared.attempt(graph, self.offset, at, everything) if everything else None
        bounds = self._bounds(unit, self.shared.limits.cells) if unit else []
        if everything and (unit is None or min(bound.low for bound in bounds) <= self._enough):
            return False
        self.decided.units.append(self._unit(graph, unit, at, at, bounds))
        return True


def _settled(unit: Evaluated | None, bounds: Iterable[NodeBound]) -> dict[Name, Settled]:
    """Return bound and ranges of the asked nodes of a merged graph."""
    if unit is None:
        return {}
    names = names_of(unit.skeleton.graph)
    ranges = {node: own for (_, node), own in zip(unit.ranged[-1], unit.ranges[-1], strict=True)}
    return {names[bound.node]: Settled(bound, unit.bits, ranges[bound.node]) for bound in bounds}
