"""Proof of a form by classes of inputs: every range of every class, every row in every cell.

See docs/background/tracks_rules.md, section 5.

Classes with the same steps after the last heads are a group, whose boxes of ranges are cut into cells together.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import pairwise

from ....kernel.budget import ENTRY_BITS
from ....kernel.verdicts import Rejected, expect, require, within
from ..reading.decision import Decision
from ..reading.tracks import Tree, Unit, width_of_stream
from ..reading.tracks_claim import TracksClaim
from ..zonotopes.affine import AffineForm, Linear, promoted
from ..zonotopes.arithmetic import Reals
from ..zonotopes.cells import Cell as BoxOfCell
from ..zonotopes.cells import DirectionBounds, parts
from ..zonotopes.packed_integers import SLOT
from ..zonotopes.ranges import ColumnSource
from ..zonotopes.rows import LastAttention, prove_rows
from .columns import FormColumns, windowed
from .layers import AttendedSizes, ClassRanges, LayerProof
from .queries import InputClass, TokenQuery, expect_labels, make_queries, make_sources, split

CELL_STEPS = 500  # work of a cell, besides its products
GroupKey = tuple[int, ...]


class FormProof:
    """The proof of one form."""

    def __init__(self, given: Decision[TracksClaim, object], number: int, unit: Unit,
                 arithmetic: Reals | None = None) -> None:
        self.given, self.unit, self.budget = given, unit, given.budget
        network, claim = given.network, given.claim
        require(network.causal, "claims about tracks need causal attention")
        claim_and_form = claim, claim.forms[number]
        self.columns = FormColumns(self.budget, *(
            claim_and_form if unit.window == 1 else windowed(self.budget, *claim_and_form, unit.window)))
        self.arithmetic = arithmetic or Reals(self.budget, network)
        *self.before, self.last = [
            LayerProof(self.columns, claim.offset, unit.labels, stated, stage, width_of_stream(step),
                       None if k else self.embedded)
            for k, (stated, stage, step) in enumerate(
                zip(unit.steps, self.arithmetic.stages, network.attention_steps, strict=True))]
        self._rows: dict[int, Linear] = {}

    def run(self) -> tuple[int, int]:
        """Prove every range, then every row; return the numbers of classes and cells.

        Raises:
            Rejected: if one is not proved, or no input is allowed.
            Malformed: if ranges or cells do not fit.
        """
        if self.before:
            expect_labels(self.columns, self.unit.labels)
        queries, classes = self.make_classes()
        if self.before:
            asked = len(self.columns.form.layout) - self.columns.form.first_answer
            self.pass_before([*make_sources(self.columns, self.unit.labels[:-asked]), *queries])
        if self.unit.verdicts is not None:
            return sum(map(len, classes)), self.prove_verdicts(queries, classes, self.unit.verdicts)
        boxes = self.last.boxes(sum(map(len, classes)))
        groups: dict[GroupKey, list[ClassRanges]] = {}
        for query, own in zip(queries, classes, strict=True):
            ranged = [ClassRanges(self.last.own(query.node(one)), query, one, next(boxes)) for one in own]
            self.last.prove(query, ranged)
            for one in ranged:
                groups.setdefault((*self.stream_key(one.own), query.answer(one.one)), []).append(one)
        expect(len(self.unit.cells) == len(groups), "cells: {}, expected {}", len(self.unit.cells), len(groups))
        cells = 0
        for (key, ranged), tree in zip(sorted(groups.items()), self.unit.cells, strict=True):
            with within(f"place {key[0]}, token {key[1]}, answer {key[-1]}"):
                cells += GroupProof(self, key[-1], self.given.claim.margin).prove(ranged, tree)
        return sum(map(len, classes)), cells

    def make_classes(self) -> tuple[list[TokenQuery], list[list[InputClass]]]:
        """Return the queries, and the classes of each; with verdicts as many as these."""
        asked, verdicts = len(self.columns.form.layout) - self.columns.form.first_answer, self.unit.verdicts
        queries = make_queries(self.columns, (self.unit.labels or [None] * asked)[-asked:])
        classes = split(queries, self.unit.splits, by_moves=verdicts is not None)
        count = sum(map(len, classes))
        self.budget.hold(4 * ENTRY_BITS * count)
        require(count, "no input is allowed")
        expect(verdicts is None or len(verdicts) == count, "verdicts: expected one for each of {} classes", count)
        return queries, classes

    def prove_verdicts(self, queries: Sequence[TokenQuery], classes: Sequence[Sequence[InputClass]],
                       verdicts: Sequence[int | None]) -> int:
        """Prove the verdicts of all classes that have one; return their number."""
        count = len(verdicts) - verdicts.count(None)
        boxes, numbers = self.last.boxes(count), iter(range(len(verdicts)))
        for query, own in zip(queries, classes, strict=True):
            ranged = [(number, ClassRanges(self.last.own(query.node(one)), query, one, next(boxes)))
                      for one, number in zip(own, numbers, strict=False) if verdicts[number] is not None]
            self.last.prove(query, [one for _, one in ranged])
            for number, one in ranged:
                self.prove_verdict(number, one, verdicts[number] or 0)
        return count

    def prove_verdict(self, number: int, ranged: ClassRanges, token: int) -> None:
        """Prove on a class that the logit of a token is above all others; by the margin if it is the right one."""
        claim, query = self.given.claim, ranged.query
        expect(token in claim.among, "verdicts: {} is not compared", token)
        with within(f"place {query.place}, token {query.own}, class {number}, answer {token}"):
            margin = claim.margin if token == query.answer(ranged.one) else Fraction(0)
            GroupProof(self, token, margin).prove([ranged], None)

    def stream_key(self, own: ColumnSource) -> ColumnSource:
        """Return the key of the stream before the last heads: without positions, before the first step, the token."""
        return own if self.before or self.given.network.positions is not None else (0, *own[1:])

    def pass_before(self, queries: Sequence[TokenQuery]) -> None:
        """Prove the steps before the last one, at the nodes of all sources and queries."""
        nodes: list[dict[ColumnSource, list[InputClass]]] = []
        for query in queries:
            found: dict[ColumnSource, list[InputClass]] = {}
            for one in query.classes:
                found.setdefault(query.node(one), []).append(one)
            nodes.append(dict(sorted(found.items())))
        self.budget.hold(4 * ENTRY_BITS * sum(len(those) for found in nodes for those in found.values()))
        for layer, following in pairwise([*self.before, self.last]):
            boxes = layer.boxes(sum(map(len, nodes)))
            for query, found in zip(queries, nodes, strict=True):
                stated = {node: next(boxes) for node in found}
                layer.prove(query, [ClassRanges(layer.own(node), query, one, stated[node])
                                    for node, those in found.items() for one in those])
                for node, box in stated.items():
                    own = layer.own(node)
                    stream = layer.write(layer.point(own), box, layer.proof_of(own).sizes)
                    following.points[node] = promoted(self.arithmetic.between(layer.after, stream))
                    self.budget.hold(2 * SLOT * following.points[node].slots * len(following.points[node].rows))

    def embedded(self, source: ColumnSource) -> AffineForm:
        """Return the stream of a token at a place, before the first attention step."""
        place, token = source
        return promoted(self.arithmetic.point(token, self.given.claim.offset + place))

    def rows(self, answer: int) -> Linear:
        """Return the rows of an answer as a linear map of the last stream."""
        if answer not in self._rows:
            self._rows[answer] = self.arithmetic.make_rows(self.given.claim.rows(answer))
        return self._rows[answer]


class GroupProof:
    """The proof of the rows of the classes of a group, cell by cell."""

    def __init__(self, form: FormProof, answer: int, margin: Fraction) -> None:
        self.form, self.layer, self.budget = form, form.last, form.budget
        self.rows, self.margin = form.rows(answer), margin

    def prove(self, ranged: Sequence[ClassRanges], tree: Tree) -> int:
        """Prove all rows; return the number of cells.

        Raises:
            Rejected: if one is not proved in a cell.
        """
        stream = self.layer.point(ranged[0].own)
        sizes = reduce(AttendedSizes.join, (self.layer.proof_of(own).sizes for own in {one.own for one in ranged}))
        waiting: list[tuple[Tree, Sequence[ClassRanges]]] = [(tree, ranged)]
        cells = 0
        while waiting:
            one, part = waiting.pop()
            self.budget.spend(1 + len(part))
            if one is not None:
                below, above = self.cut(part, one.direction, one.at)
                waiting += [(one.above, above), (one.below, below)]
            elif part:
                cells += 1
                self.prove_cell(part, stream, sizes)
        return cells

    def cut(self, part: Sequence[ClassRanges], direction: int, at: int) -> tuple[list[ClassRanges], list[ClassRanges]]:
        """Return the parts of each class's box below and above a cut; they overlap if the cut is finer than 2^-44."""
        head = 0
        while direction >= self.layer.widths[head]:
            direction -= self.layer.widths[head]
            head += 1
        both = [(one, parts(one.box, head, direction, at, self.layer.stated.bits)) for one in part]
        return ([one._replace(box=below) for one, (below, _) in both if below is not None],
                [one._replace(box=above) for one, (_, above) in both if above is not None])

    def prove_cell(self, part: Sequence[ClassRanges], point: AffineForm, sizes: AttendedSizes) -> None:
        """Prove all rows on the hull of the remaining boxes; class by class where the hull is too wide."""
        self.budget.spend(CELL_STEPS)
        box = tuple(DirectionBounds([min(column)
                                     for column in zip(*(one.box[head].least for one in part), strict=True)],
                           [max(column) for column in zip(*(one.box[head].greatest for one in part), strict=True)])
                    for head in range(len(self.layer.bases)))
        arithmetic = self.form.arithmetic
        stream = arithmetic.judged(arithmetic.between(self.layer.after, self.layer.write(point, box, sizes)))
        try:
            prove_rows(self.budget, self.rows, self.margin, stream, None)
            return
        except Rejected:
            cell = BoxOfCell(box, [None] * len(self.rows.columns))
        for one in part:
            last = LastAttention(self.layer.proof_of(one.own).attended_values(one), point.slots, cell)
            prove_rows(self.budget, self.rows, self.margin, stream, last)
