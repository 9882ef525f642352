"""Proof of one unit of a cover by abstract words: every row at its nodes.

See docs/reference/trained.md, section 4, and trained_rules.md, section 5.

At each attention step keys and values are prepared first: before the first one a node is one token at one position,
later an abstract word (a class) with a form of its own. Then the stated ranges of the averages of each node that the
step needs are proved (ranges.py). The average becomes a form (directions.py), and the steps up to the next attention
step follow (layers.py). At last the rows of the asked nodes are proved from their forms (rows.py), in each of the cells
into which the box of the last ranges is cut (cells.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ....kernel.verdicts import expect, require, within
from ...word_semantics.tracker import Tracker
from ..reading.cover import ClassesUnit, Cover, Tree
from ..reading.decision import Decision
from ..reading.words_claim import TrainedClaim
from ..zonotopes.affine import AffineForm, Linear, promoted, spread
from ..zonotopes.arithmetic import AttentionStage, Between, Reals
from ..zonotopes.cells import Box, cells_of
from ..zonotopes.directions import DirectionBasis, average, make_basis
from ..zonotopes.packed_integers import SLOT
from ..zonotopes.ranges import EQUAL, NOTHING, AttendedTo, Averages, ColumnSource, both_ways, weigh
from ..zonotopes.rows import AttendedValues, LastAttention, prove_rows
from ..zonotopes.scores import Vectors
from ..zonotopes.stated_ranges import StatedRanges
from ..zonotopes.trellis import GraphColumns, GraphNode, ancestors, follow, in_order, on_paths
from ..zonotopes.weights import RelativeWeights
from .obligations import is_by_place

CELL_STEPS = 500  # work of a cell, besides its products


CasesOfNodes = dict[GraphNode, frozenset[int]]
"""The nodes of a unit where rows are to be proved, with the cases of each."""


class Classes:
    """Proofs of the units of one certificate; what several of them need is memoised."""

    def __init__(self, decision: Decision[TrainedClaim, Cover], arithmetic: Reals | None = None) -> None:
        require(decision.network.causal or arithmetic is None, "float models by classes need causal attention")
        self.decision, self.budget = decision, decision.budget
        self.by_place = is_by_place(decision.network, decision.claim)
        self.arithmetic = arithmetic or Reals(self.budget, decision.network)
        self.tracker = Tracker(decision.claim.language, decision.claim.conditions)
        self.weights = RelativeWeights(self.budget)
        self.reads: dict[tuple[int, ...], AttendedTo] = {}
        self._points: dict[tuple[int, int], AffineForm] = {}
        self._bases: dict[int, list[list[DirectionBasis]]] = {}
        self._rows: dict[frozenset[int], Linear] = {}
        self._followed: dict[tuple[int, int | None], GraphColumns] = {}

    def prove(self, unit: ClassesUnit) -> int:
        """Prove all rows at all nodes of the unit; return how many nodes had rows to prove.

        Raises:
            Rejected: if a range or a row is not proved, or the graph does not cover the words.
            Malformed: if graph or ranges do not fit the unit.
        """
        columns = self.follow(unit)
        asked, rows = self.asked(unit, columns), self.decision.network.rows
        require(rows is None or unit.offset + len(columns.tokens) <= rows, "a token has no row in a table of positions")
        groups = [asked] if self.decision.network.masked else [{node: asked[node]} for node in sorted(asked)]
        number = sum(ClassesProof(self, unit, columns, group).number for group in groups)
        ranges, trees = StatedRanges(unit.ranges, unit.bits, number), trees_of(unit, asked)
        for group in groups:
            proof = ClassesProof(self, unit, columns, group)
            try:
                proof.run(ranges, trees)
            finally:
                self.budget.release(proof.held)
        return len(asked)

    def follow(self, unit: ClassesUnit) -> GraphColumns:
        """Return the columns of the unit, whose graph covers the words."""
        claim = self.decision.claim
        n = None if self.by_place else unit.first
        expect(n is None or unit.first == unit.last, "a unit of more than one length")
        expect(unit.first > 0 or claim.empty, "a unit with place 0")
        levels = unit.last if n is None else n + len(claim.after)
        known = self._followed.get((unit.graph, n))
        if known is None or len(known.cases) <= levels:
            known = follow(self.budget, self.decision.evidence.graphs[unit.graph], claim, self.tracker, n, levels)
            self._followed[unit.graph, n] = known
        tokens = len(claim.before) + levels
        return GraphColumns(known.tokens[:tokens], known.previous[:tokens], known.cases[:levels + 1])

    def asked(self, unit: ClassesUnit, columns: GraphColumns) -> CasesOfNodes:
        """Return the asked nodes: logits are judged there, and a case with rows holds in some state of the node.

        If the first token is judged and sees itself alone, its rows are those of all cases that hold after some word of
        the length; if it sees the word, the nodes are those of the last level, each a class of words.
        """
        claim = self.decision.claim
        shift, last = len(claim.before) - 1, len(columns.cases) - 1
        if claim.read == "first" and self.decision.network.masked:
            after = frozenset[int]().union(*columns.cases[unit.first])
            found = {(0, index): after for index in range(len(columns.tokens[0]))}
        else:
            judged = range(0 if claim.empty else 1, unit.last + 1) if claim.read == "each" else range(last, last + 1)
            levels = range(unit.first, last + 1) if self.by_place else judged
            found = {(level + shift, index): cases for level in levels
                     for index, cases in enumerate(columns.cases[level])}
        rowed = frozenset(case for case, one in enumerate(claim.cases) if one.above)
        return {node: cases & rowed for node, cases in found.items() if cases & rowed}

    def bases(self, unit: ClassesUnit) -> list[list[DirectionBasis]]:
        """Return the directions of each head of each attention step."""
        if unit.directions not in self._bases:
            given = self.decision.evidence.directions[unit.directions]
            steps = self.decision.network.attention_steps
            self._bases[unit.directions] = [
                [make_basis(self.budget, data, head.value.weight.width)
                 for data, head in zip(heads, step.heads, strict=True)]
                for heads, step in zip(given, steps, strict=True)]
        return self._bases[unit.directions]

    def rows_of(self, cases: frozenset[int]) -> Linear:
        """Return the rows of these cases as a linear map of the judged vector."""
        if cases not in self._rows:
            rows = dict.fromkeys(row for case in sorted(cases) for row in self.decision.claim.cases[case].above)
            self._rows[cases] = self.arithmetic.make_rows(list(rows))
        return self._rows[cases]

    def point(self, token: int, position: int) -> AffineForm:
        """Return the stream of a token before the first attention step."""
        key = (token, position)
        if key not in self._points:
            found = self._points[key] = self.arithmetic.point(token, position)
            self.budget.hold((1 << 14) + 2 * SLOT * (found.slots - 1) * len(found.rows))
        return self._points[key]


def trees_of(unit: ClassesUnit, asked: CasesOfNodes) -> dict[GraphNode, Tree | None]:
    """Return the tree of cuts of each asked node's box."""
    trees = unit.cells if unit.cells is not None else (None,) * len(asked)
    expect(len(trees) == len(asked), "cells: {}, expected {}", len(trees), len(asked))
    return dict(zip(sorted(asked), trees, strict=True))


class ClassesProof:
    """Proof of asked nodes of one unit, attention step by attention step.

    All nodes are proved together if attention is masked, else each by itself. ``number`` is how many numbers its ranges
    have.
    """

    def __init__(self, shared: Classes, unit: ClassesUnit, columns: GraphColumns, asked: CasesOfNodes) -> None:
        self.shared, self.unit, self.asked, self.budget = shared, unit, asked, shared.budget
        self.columns, self.masked = columns, shared.decision.network.masked
        self.edges = sum(len(one) for previous in columns.previous for one in previous) >> 1
        self.budget.spend(self.edges)
        self.reachable = (ancestors if self.masked else on_paths)(columns, asked)
        self.nodes = in_order(self.reachable)
        self.bases = shared.bases(unit)
        inner = sum(len(basis.rows) for heads in self.bases[:-1] for basis in heads)
        outer = sum(len(basis.rows) for basis in self.bases[-1]) if self.bases else 0
        self.number = 2 * (len(self.nodes) * inner + len(asked) * outer)
        self.held = 0

    def hold(self, bits: int) -> None:
        """Hold memory until the unit is proved."""
        self.budget.hold(bits)
        self.held += bits

    def run(self, ranges: StatedRanges, trees: dict[GraphNode, Tree | None]) -> None:
        """Prove every range and every row; ``ranges`` are read in order."""
        sources: list[list[ColumnSource]] = [[(p, token) for token in tokens]
                                             for p, tokens in enumerate(self.columns.tokens)]
        streams: dict[ColumnSource, AffineForm] = {(p, token): self.shared.point(token, self.unit.offset + p)
                                                   for p, token in {sources[p][index] for p, index in self.nodes}}
        stages, between = self.shared.arithmetic.stages, self.shared.arithmetic.between
        for number, stage in enumerate(stages):
            is_last = number == len(stages) - 1
            with within(f"attention step {number + 1}"):
                step = AttentionOnNodes(self, number, stage, sources, streams)
            found: dict[ColumnSource, AffineForm] = {}
            for node in in_order(self.needed(is_last)):
                with within(f"column {node[0]}, node {node[1]}, attention step {number + 1}"):
                    visible = self.visible_nodes(node)
                    attended = step.attend(self.judged(node, visible) if is_last else node, visible, ranges)
                    if is_last:
                        self.prove_cells(node, step, stage.after, attended, trees[node])
                    else:
                        found[node] = between(stage.after, step.write(attended, attended.box))
                        self.hold(2 * SLOT * found[node].slots * len(found[node].rows))
            sources = [[(p, index) for index in range(len(tokens))] for p, tokens in enumerate(self.columns.tokens)]
            streams = found
        for node in self.asked if not stages else ():
            p, index = self.judged(node, self.visible_nodes(node))
            self.prove_rows(node, streams[sources[p][index]], None)

    def needed(self, is_last: bool) -> list[set[int]]:
        """Return the nodes whose averages a step needs, by column."""
        if not is_last:
            return self.reachable
        found: list[set[int]] = [set() for _ in self.columns.tokens]
        for p, index in self.asked:
            found[p].add(index)
        return found

    def visible_nodes(self, node: GraphNode) -> list[set[int]]:
        """Return, for each column that a query at a node sees, the unit's nodes on its paths."""
        self.budget.spend(self.edges)
        if self.masked:
            return ancestors(self.columns, [node])[:node[0] + 1]
        return [own & reachable for own, reachable in zip(on_paths(self.columns, [node]), self.reachable, strict=True)]

    def judged(self, node: GraphNode, visible: Sequence[set[int]]) -> GraphNode:
        """Return the node of the judged token for an asked node, which sees ``visible``.

        Raises:
            Malformed: if that is the first token, and the node's words have different ones.
        """
        if self.masked or self.shared.decision.claim.read != "first":
            return node
        expect(len(visible[0]) == 1, "graph: words of a node of the last level have different first tokens")
        return 0, min(visible[0])

    def prove_cells(self, node: GraphNode, step: AttentionOnNodes, after: Between, attended: Attended,
                    tree: Tree | None) -> None:
        """Prove the rows of an asked node in each of its cells: all steps after the averages are computed for each."""
        rows = self.shared.rows_of(self.asked[node])
        cells = cells_of(tree, attended.box, len(rows.columns), self.unit.bits)
        for number, cell in enumerate(cells, 1):
            self.budget.spend(CELL_STEPS)
            with within(f"cell {number}"):
                stream = self.shared.arithmetic.between(after, step.write(attended, cell.box))
                self.prove_rows(node, stream, LastAttention(attended.heads, attended.stream.slots, cell))

    def prove_rows(self, node: GraphNode, stream: AffineForm, last: LastAttention | None) -> None:
        """Prove the rows of an asked node."""
        rows = self.shared.rows_of(self.asked[node])
        prove_rows(self.budget, rows, self.shared.decision.claim.margin, self.shared.arithmetic.judged(stream), last)


class Attended(NamedTuple):
    """A node in a column: its stream before an attention step, what each head attends to, the box of its ranges."""

    column: int
    stream: AffineForm
    heads: list[AttendedValues]
    box: Box


class AttentionOnNodes:
    """One attention step on the nodes of a unit: keys and values of all sources, once, then each query."""

    def __init__(self, proof: ClassesProof, number: int, stage: AttentionStage, sources: list[list[ColumnSource]],
                 streams: dict[ColumnSource, AffineForm]) -> None:
        self.proof, self.budget, self.attention = proof, proof.budget, stage.attention
        streams = {source: promoted(stream) for source, stream in streams.items()}
        self.bases, self.sources, self.streams = proof.bases[number], sources, streams
        self._heads = proof.shared.decision.network.attention_steps[number].heads
        self._normed: dict[ColumnSource, AffineForm] = {}
        self.is_first = number == 0
        known = proof.shared.reads if self.is_first else {}
        self.reads = [{source: self.read(known, source, k) for source in streams} for k in range(stage.heads)]

    def read(self, known: dict[tuple[int, ...], AttendedTo], source: ColumnSource, k: int) -> AttendedTo:
        """Return key and value of head k; before the first step they depend on token and position number alone."""
        key = (self.proof.unit.directions, k, self.proof.unit.offset + source[0], source[1])
        if key not in known:
            known[key] = self.make_read(source, k)
        return known[key]

    def normed(self, source: ColumnSource) -> AffineForm:
        """Return the heads' input."""
        if source not in self._normed:
            self._normed[source] = self.attention.normed(self.streams[source])
        return self._normed[source]

    def make_read(self, source: ColumnSource, k: int) -> AttendedTo:
        """Compute key and value of head k."""
        read = self.normed(source)
        value, key = self.attention.value(k, read), self.attention.key(k, read, self.proof.unit.offset + source[0])
        hold = self.budget.hold if self.is_first else self.proof.hold
        hold(SLOT * key.slots * (len(value.rows) + len(key.rows) + 2) + (1 << 14))
        most = both_ways(self.budget, self.bases[k].forward, value)
        return AttendedTo(Vectors(key, spread(self.budget, key)), value, most)

    def attend(self, node: GraphNode, visible: list[set[int]], numbers: StatedRanges) -> Attended:
        """Prove the ranges of the averages at a node that sees ``visible``; return them with what the heads attend to.

        Raises:
            Rejected: if a stated range is not proved.
        """
        heads, box = [], []
        for k, basis in enumerate(self.bases):
            averages = self.averages(node, visible, k)
            bounds = numbers.take(len(basis.rows))
            reads = {source: self.reads[k][source] for source in averages.weights}
            most = {source: read.most for source, read in reads.items()}
            require(all(averages.below(most, [*bounds.greatest, *(-x for x in bounds.least)])),
                    "a range of head {} is not proved", k + 1)
            sizes = [max(column) for column in zip(*(read.value.sizes for read in reads.values()), strict=True)]
            heads.append(AttendedValues(averages.below, reads, basis, sizes))
            box.append(bounds)
        return Attended(node[0], self.streams[self.sources[node[0]][node[1]]], heads, tuple(box))

    def write(self, attended: Attended, box: Box) -> AffineForm:
        """Return the stream of a node after the step, for averages in the box, whose symbols follow the others."""
        averages = [average(self.budget, head.basis, *bounds, head.sizes)
                    for head, bounds in zip(attended.heads, box, strict=True)]
        return self.attention.write(attended.stream, averages, [head.sizes for head in attended.heads],
                                    attended.column)

    def averages(self, node: GraphNode, visible: list[set[int]], k: int) -> Averages:
        """Return the weights of head k for all that the node sees."""
        p, index = node
        attends = self._heads[k].attends
        if attends is not None:
            return self.hard_averages(node, visible, attends)
        form = self.attention.query(k, self.normed(self.sources[p][index]), self.proof.unit.offset + p)
        query = Vectors(form, spread(self.budget, form))
        self.budget.spend(sum(map(len, visible)) + len(visible))
        reachable = {self.sources[q][one] for q, indices in enumerate(visible) for one in indices}
        found = self.attention.scores(k, query, {source: self.reads[k][source].key for source in reachable}, p)
        weights = weigh(self.budget, self.proof.shared.weights, self.attention.logarithms(found, p))
        return Averages(self.budget, self.proof.columns, self.sources, visible, weights)

    def hard_averages(self, node: GraphNode, visible: list[set[int]], attends: frozenset[int]) -> Averages:
        """Return the weights of a head with hard attention to these tokens."""
        tokens, previous = self.proof.columns.tokens, self.proof.columns.previous
        self.budget.spend(2 * sum(map(len, visible)) + len(visible))
        weights = {self.sources[q][one]: EQUAL if tokens[q][one] in attends else NOTHING
                   for q, indices in enumerate(visible) for one in indices}
        unseen: set[int] = set()  # the nodes of a column that a path reaches without these tokens
        for q, indices in enumerate(visible):
            unseen = {one for one in indices if tokens[q][one] not in attends
                      and (q == 0 or not unseen.isdisjoint(previous[q][one]))}
        return Averages(self.budget, self.proof.columns, self.sources, visible, weights,
                        self.sources[node[0]][node[1]] if unseen else None)
