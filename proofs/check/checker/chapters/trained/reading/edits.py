"""Edits of a network: the network without some parts, or one whose logits are what a head attends to or averages.

docs/background/parts.md has their definitions and proofs. Steps, heads and neurons are numbered from 0, as in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, integer_within, list_of, one_of, or_null, read_rational
from ....kernel.verdicts import expect, show
from .dyadics import POINTER_BITS, Matrix, Vector
from .network import Affine, AttentionStep, Count, Network, NetworkHead, Norm, NormStep, Step, UnitsStep, width_after

MAX_SHARPENING = 64  # binary orders of magnitude
KINDS = ("set head", "keep neurons", "sharpen head", "mark tokens", "attend hard", "read head")
MASS, AVERAGE, FROM_UNIFORM = "mass", "average", "average less uniform"


class Edit(NamedTuple):
    """One edit: its kind, the step and head, the list or vector it states, and its sentence."""

    kind: str
    step: int = 0
    head: int = 0
    numbers: tuple[int, ...] = ()
    to: tuple[Fraction, ...] | None = None
    what: str = ""


def read_edits(value: Json, network: Network, budget: Budget) -> Network:
    """Parse the edits, and return the network with all of them, which keeps their sentences."""
    edits = list_of(read_edit)(value)
    expect(edits, "expected at least one edit")
    expect([edit[:3] for edit in edits] == sorted({edit[:3] for edit in edits}, key=lambda key: (
        KINDS.index(key[0]), *key[1:])), "expected each part once, in the order {}, by step and head", ", ".join(KINDS))
    editor = Editor(network, budget)
    for edit in edits:
        editor.apply(edit)
    return editor.network(edits)


def read_edit(value: Json) -> Edit:
    """Parse one edit; ``edit`` determines its fields."""
    kind = value.get("edit") if isinstance(value, dict) else None
    constants = or_null(list_of(read_dyadic))
    if kind == "mark tokens":
        fields = Fields(value, "edit", "tokens")
        return Edit(kind, numbers=fields.read("tokens", list_of(Count)))
    if kind == "keep neurons":
        fields = Fields(value, "edit", "step", "neurons", "to")
        return Edit(kind, fields.read("step", Count), numbers=fields.read("neurons", list_of(Count)),
                    to=fields.read("to", constants))
    rest = {"set head": "to", "sharpen head": "doublings", "attend hard": "tokens", "read head": "what"}
    fields = Fields(value, "edit", "step", "head", rest.get(str(kind), "to"))
    edit = Edit(str(fields.read("edit", one_of(*KINDS))), fields.read("step", Count), fields.read("head", Count))
    if kind == "sharpen head":
        return edit._replace(numbers=(fields.read("doublings", integer_within(range(1, MAX_SHARPENING + 1))),))
    if kind == "attend hard":
        return edit._replace(numbers=fields.read("tokens", list_of(Count)))
    if kind == "read head":
        return edit._replace(what=str(fields.read("what", one_of(MASS, AVERAGE, FROM_UNIFORM))))
    return edit._replace(to=fields.read("to", constants))


def read_dyadic(value: Json) -> Fraction:
    """Parse a rational whose denominator is a power of two."""
    found = read_rational(value)
    expect(found.denominator.bit_count() == 1, "expected a power of two as the denominator, got {}", found)
    return found


class Editor:
    """Applies edits, in the order of `KINDS`; steps and heads are numbered as in the original."""

    def __init__(self, network: Network, budget: Budget) -> None:
        self._original, self._build = network, Builder(budget)
        self._marked: tuple[int, ...] = ()
        self._set: dict[tuple[int, int], tuple[Fraction, ...] | None] = {}
        self._kept: dict[int, Edit] = {}
        self._doublings: dict[tuple[int, int], int] = {}
        self._hard: dict[tuple[int, int], frozenset[int]] = {}
        self._read: Edit | None = None

    def apply(self, edit: Edit) -> None:
        """Check that an edit fits the network, and note it."""
        if edit.kind == "mark tokens":
            vocabulary = len(self._original.tokens.rows)
            expect(edit.numbers and list(edit.numbers) == sorted(edit.numbers) and edit.numbers[-1] < vocabulary,
                   "tokens: expected ascending ones, below {}", vocabulary)
            self._marked = edit.numbers
            return
        steps = self._original.steps
        expect(edit.step < len(steps), "step: the network has {}", len(steps))
        step = steps[edit.step]
        if edit.kind == "keep neurons":
            expect(isinstance(step, UnitsStep), "step: expected a feed-forward block")
            assert isinstance(step, UnitsStep)
            expect(isinstance(step.activation, str) or step.activation.scale is not None,
                   "step: it rounds by a range, which other neurons change")
            width = step.inward.weight.width
            expect(list(edit.numbers) == sorted({*edit.numbers}) and all(n < width for n in edit.numbers),
                   "neurons: expected ascending ones, below {}", width)
            expect(edit.to is None or len(edit.to) == width - len(edit.numbers),
                   "to: expected one for each other neuron")
            self._kept[edit.step] = edit
            return
        expect(isinstance(step, AttentionStep), "step: expected attention")
        assert isinstance(step, AttentionStep)
        expect(edit.head < len(step.heads), "head: the step has {}", len(step.heads))
        part, head = (edit.step, edit.head), step.heads[edit.head]
        if edit.kind == "set head":
            expect(edit.to is None or len(edit.to) == head.value.weight.width, "to: expected one for each value")
            self._set[part] = edit.to
            return
        expect(part not in self._set, "head: it is set")
        if edit.kind == "sharpen head":
            expect(step.cap is None, "head: its scores have a cap")
            self._doublings[part] = edit.numbers[0]
            return
        expect(part not in self._doublings or edit.kind != "attend hard", "head: it is sharpened")
        if edit.kind == "attend hard":
            vocabulary = len(self._original.tokens.rows) + len(self._marked)
            expect(list(edit.numbers) == sorted({*edit.numbers}) and all(n < vocabulary for n in edit.numbers),
                   "tokens: expected ascending ones, below {}", vocabulary)
            self._hard[part] = frozenset(edit.numbers)
            return
        expect(part not in self._hard, "head: it attends hard")
        expect(self._read is None, "expected one head that is read")
        expect(edit.what != MASS or self._marked, "what: there are no marked tokens")
        self._read = edit

    def network(self, edits: tuple[Edit, ...]) -> Network:
        """Return the edited network, with the sentences of its edits."""
        original, last = self._original, self._read.step if self._read else None
        groups = [tuple(self._steps(number, step)) for number, step in enumerate(original.steps)]
        rows = original.tokens.rows
        tokens = replace(original.tokens, rows=rows + tuple(rows[token] for token in self._marked))
        edited = replace(original, tokens=tokens, steps=sum(groups, ()), edits=tuple(self._sentences(edits)))
        if self._read is None or last is None:
            return edited
        step = original.steps[last]
        assert isinstance(step, AttentionStep)
        head = self._head(last, self._read.head, step.heads[self._read.head])
        edited = replace(edited, steps=sum(groups[:last], ()))
        return reading_network(edited, len(rows), replace(step, heads=(head,)), self._read.what, self._build)

    def _head(self, step: int, number: int, head: NetworkHead) -> NetworkHead:
        doublings, attends = self._doublings.get((step, number), 0), self._hard.get((step, number))
        if attends is not None:
            zero = self._build.matrix(len(head.query.weight.rows), head.query.weight.width, {})
            return replace(head, query=Affine(zero, None), slope=None, attends=attends)
        if not doublings:
            return head
        slope = None if head.slope is None else head.slope * (1 << doublings)
        weight, bias = head.query.weight, head.query.bias
        query = Affine(replace(weight, power=weight.power + doublings),
                       bias and replace(bias, power=bias.power + doublings))
        return replace(head, query=query, slope=slope)

    def _steps(self, number: int, step: Step) -> list[Step]:
        """Return what stands in the place of a step."""
        if isinstance(step, AttentionStep):
            heads = tuple(self._head(number, place, head) for place, head in enumerate(step.heads)
                          if (number, place) not in self._set)
            constants = [(self._set.get((number, place)), head.out) for place, head in enumerate(step.heads)]
            left: list[Step] = [replace(step, heads=heads)] if heads else self._build.bias(step.bias)
            return left + [self._build.constant(to, out) for to, out in constants if to]
        if not isinstance(step, UnitsStep) or number not in self._kept:
            return [step]
        edit, outward = self._kept[number], step.outward
        others = [unit for unit in range(len(outward.weight.rows)) if unit not in edit.numbers]
        left = [replace(step, inward=columns(step.inward, edit.numbers), outward=Affine(
            rows_of(outward.weight, edit.numbers), outward.bias), gate=step.gate and columns(step.gate, edit.numbers))
                ] if edit.numbers else self._build.bias(outward.bias)
        return left + ([self._build.constant(edit.to, rows_of(outward.weight, others))] if edit.to else [])

    def _sentences(self, edits: tuple[Edit, ...]) -> list[str]:
        vocabulary, found = len(self._original.tokens.rows), list[str]()
        for edit in edits:
            part = f"head {edit.head} of step {edit.step}"
            to = "0" if edit.to is None else " ".join(map(show, edit.to))
            numbers = " ".join(map(str, edit.numbers)) or "none"
            last = len(edit.numbers) + vocabulary - 1
            found.append({
                "set head": f"{part} averages nothing: instead of its average it has {to}",
                "keep neurons": f"step {edit.step} keeps the neurons {numbers}; the others output {to}",
                "sharpen head": f"the scores of {part} are times 2^{numbers}",
                "mark tokens": f"tokens {vocabulary} to {last} are marked copies of the tokens {numbers}",
                "attend hard": f"{part} attends to its own token alone" if not edit.numbers else
                f"{part} attends to the tokens {numbers} alone, with equal weights; where it sees none, to its own",
                "read head": f"the network ends at {part}: its logits are, in order, the {edit.what} of {part}, and 1",
            }[edit.kind])
        mass = "mass: the sum of the weights of marked tokens; " * (self._read is not None)
        return [*found, f"({mass}steps, heads and neurons count from 0)"]


class Builder:
    """Builds matrices and steps, and charges their memory."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def matrix(self, height: int, width: int, entries: Mapping[tuple[int, int], int]) -> Matrix:
        """Return the integer matrix with these entries, 0 elsewhere."""
        self._budget.spend(height * width)
        self._budget.hold(POINTER_BITS * height * width)
        return Matrix(tuple(tuple(entries.get((i, j), 0) for j in range(width)) for i in range(height)), width, 0)

    def moved(self, matrix: Matrix, height: int, width: int, down: int = 0, right: int = 0) -> Matrix:
        """Return a matrix of this shape that contains ``matrix`` from row ``down`` and column ``right`` on, else 0."""
        self._budget.spend(height * width)
        self._budget.hold(POINTER_BITS * height * width)
        rows = [(0,) * right + row + (0,) * (width - right - matrix.width) for row in matrix.rows]
        empty = [(0,) * width]
        return Matrix(tuple(empty * down + rows + empty * (height - down - len(rows))), width, matrix.power)

    def identity(self, width: int) -> Matrix:
        """Return the identity matrix."""
        return self.matrix(width, width, {(i, i): 1 for i in range(width)})

    def constant(self, to: tuple[Fraction, ...], out: Matrix) -> UnitsStep:
        """Return the step that adds ``to`` · ``out`` to a stream of the width of ``out``."""
        power = min((1 - one.denominator.bit_length() for one in to), default=0)
        entries = tuple(int(one * (1 << -power)) for one in to)
        inward = Affine(self.matrix(out.width, len(to), {}), Vector(entries, power))
        return UnitsStep(None, inward, None, "identity", Affine(out, None))

    def bias(self, bias: Vector | None) -> list[Step]:
        """Return the step that adds a bias, or no step."""
        if bias is None:
            return []
        width = len(bias.entries)
        inward, outward = self.matrix(width, 1, {}), self.matrix(1, width, {})
        return [UnitsStep(None, Affine(inward, None), None, "identity", Affine(outward, bias))]


def reading_network(network: Network, vocabulary: int, last: AttentionStep, what: str, build: Builder) -> Network:
    """Return the network whose logits are what the one head of ``last``, the step after all others, averages; and 1.

    The stream contains the original's stream x, as many numbers z, the mark, and what is read. Each step reads and
    writes x as in the original; z is 0 until it becomes the norm of x in ``last``.
    """
    wide = Reading(network, last, what, build)
    tokens = wide.table(network.tokens, vocabulary)
    steps = [new for step in network.steps for new in wide.steps(step)]
    unembedding = Affine(build.moved(build.identity(wide.read), wide.width, wide.read + 1, wide.at),
                         Vector((0,) * wide.read + (1,), 0))
    return replace(network, readout="each", tokens=tokens, steps=(*steps, *wide.last_steps()),
                   positions=network.positions and wide.table(network.positions, len(network.positions.rows)),
                   unembedding=unembedding)


class Reading:
    """Widens steps: x is coordinates 0 to half, z as many, then the mark; from ``at`` on is what is read."""

    def __init__(self, network: Network, last: AttentionStep, what: str, build: Builder) -> None:
        self._last, self._what, self._build = last, what, build
        self._now = network.width  # coordinates of x in use
        widths, now = [network.width], network.width
        for norm in (step.norm for step in (*network.steps, last) if isinstance(step, NormStep) or step is last):
            widths.append(width_after(norm, now))
            now = widths[-1]
        self._half = max(widths)
        self.read = 1 if what == MASS else last.heads[0].value.weight.width
        self.at = 2 * self._half + 1
        self.width = self.at + self.read

    def table(self, table: Matrix, unmarked: int) -> Matrix:
        """Widen rows of x; those from ``unmarked`` on are marked."""
        rows = [tuple(entry << max(0, table.power) for entry in row) for row in table.rows]
        power = min(0, table.power)
        wide = self._build.moved(Matrix(tuple(rows), table.width, power), len(rows), self.width)
        mark = 2 * self._half
        return replace(wide, rows=wide.rows[:unmarked] + tuple(
            (*row[:mark], 1 << -power, *row[mark + 1:]) for row in wide.rows[unmarked:]))

    def steps(self, step: Step) -> list[Step]:
        """Return the steps that do to x what ``step`` does."""
        if isinstance(step, NormStep):
            half, width = self._half, self.width
            first = self._to_z(step.norm)
            self._now = width_after(step.norm, self._now)
            entries = {(i, i): -1 for i in range(half)} | {(half + i, i): 1 for i in range(half)}
            moves = self._build.matrix(width, width, entries | {(half + i, half + i): -1 for i in range(half)})
            return [first, UnitsStep(None, Affine(self._build.identity(width), None), None, "identity",
                                     Affine(moves, None))]
        norm = self._norm(step.norm)
        if isinstance(step, AttentionStep):
            heads = tuple(replace(
                head, query=self._reads(head.query, norm), key=self._reads(head.key, norm),
                value=self._reads(head.value, norm), out=self._writes(head.out)) for head in step.heads)
            return [replace(step, norm=norm, heads=heads, bias=self._bias(step.bias))]
        return [replace(step, norm=norm, inward=self._reads(step.inward, norm),
                        gate=step.gate and self._reads(step.gate, norm),
                        outward=Affine(self._writes(step.outward.weight), self._bias(step.outward.bias)))]

    def last_steps(self) -> list[Step]:
        """Return the steps that write the norm of x to z, and what the head averages to the last coordinates."""
        head, build, half, width = self._last.heads[0], self._build, self._half, self.width

        def from_z(given: Affine) -> Affine:
            return Affine(build.moved(given.weight, width, given.weight.width, half), given.bias)

        out = build.moved(build.identity(self.read), self.read, width, 0, self.at)
        value = from_z(head.value) if self._what != MASS else Affine(build.matrix(width, 1, {(2 * half, 0): 1}), None)
        reads = NetworkHead(from_z(head.query), from_z(head.key), value, out, head.slope)
        zero = Affine(build.matrix(width, head.query.weight.width, {}), None)
        less = replace(out, rows=tuple(tuple(-entry for entry in row) for row in out.rows))
        heads = (reads, *[NetworkHead(zero, zero, value, less, None)] * (self._what == FROM_UNIFORM))
        return [self._to_z(self._last.norm), replace(self._last, norm=None, heads=heads, bias=None)]

    def _to_z(self, norm: Norm | None) -> UnitsStep:
        """Return the step that adds x, or its norm, to z."""
        image = width_after(norm, self._now)
        reads = self._build.identity(image)
        reads = reads if norm else self._build.moved(reads, self.width, image)
        out = self._build.moved(self._build.identity(image), image, self.width, 0, self._half)
        return UnitsStep(self._norm(norm), Affine(reads, None), None, "identity", Affine(out, None))

    def _norm(self, norm: Norm | None) -> Norm | None:
        """Return the norm of x in the wide stream."""
        if norm is None:
            return None
        of = norm.of or Affine(self._build.identity(self._now), None)
        return replace(norm, of=Affine(self._build.moved(of.weight, self.width, of.weight.width), of.bias))

    def _reads(self, given: Affine, norm: Norm | None) -> Affine:
        """Return a map of x as one of the wide stream; unchanged behind a norm."""
        return given if norm else Affine(self._build.moved(given.weight, self.width, given.weight.width), given.bias)

    def _writes(self, matrix: Matrix) -> Matrix:
        return self._build.moved(matrix, len(matrix.rows), self.width)

    def _bias(self, bias: Vector | None) -> Vector | None:
        return bias and replace(bias, entries=bias.entries + (0,) * (self.width - len(bias.entries)))


def columns(given: Affine, kept: tuple[int, ...]) -> Affine:
    """Return the map to these outputs."""
    weight = replace(given.weight, rows=tuple(tuple(row[j] for j in kept) for row in given.weight.rows),
                     width=len(kept))
    return Affine(weight, given.bias and replace(given.bias, entries=tuple(given.bias.entries[j] for j in kept)))


def rows_of(matrix: Matrix, kept: tuple[int, ...] | list[int]) -> Matrix:
    """Return these rows of a matrix."""
    return replace(matrix, rows=tuple(matrix.rows[i] for i in kept))
