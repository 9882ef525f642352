"""Edits of a network: the network without some parts, or one whose logits are what a head attends to or averages.

docs/background/parts.md has their definitions and proofs. Steps, heads and neurons are numbered from 0, as in the file.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, integer_within, list_of, one_of, or_null, read_rational
from ....kernel.verdicts import expect, show
from .dyadics import Matrix, Vector
from .network import Affine, AttentionStep, Count, Network, NetworkHead, NormStep, Step, UnitsStep, width_after
from .widening import Builder, EdgeCut, Wide, widths_of

MAX_SHARPENING = 64  # binary orders of magnitude
KINDS = ("set head", "keep neurons", "sharpen head", "mark tokens", "attend hard", "cut edges", "read head")
MASS, AVERAGE, FROM_UNIFORM = "mass", "average", "average less uniform"


class Edit(NamedTuple):
    """One edit: its kind, the step and head, the list or vector it states, and the parts that are not read (`Wide`)."""

    kind: str
    step: int = 0
    head: int = 0
    numbers: tuple[int, ...] = ()
    to: tuple[Fraction, ...] | None = None
    what: str = ""
    parts: tuple[tuple[int, ...], ...] = ()


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
    rest = {"sharpen head": "doublings", "attend hard": "tokens", "read head": "what", "cut edges": "from to"}
    fields = Fields(value, "edit", "step", "head", *rest.get(str(kind), "to").split())
    edit = Edit(str(fields.read("edit", one_of(*KINDS))), fields.read("step", Count), fields.read("head", Count))
    if kind == "sharpen head":
        return edit._replace(numbers=(fields.read("doublings", integer_within(range(1, MAX_SHARPENING + 1))),))
    if kind == "attend hard":
        return edit._replace(numbers=fields.read("tokens", list_of(Count)))
    if kind == "read head":
        return edit._replace(what=str(fields.read("what", one_of(MASS, AVERAGE, FROM_UNIFORM))))
    if kind == "cut edges":
        edit = edit._replace(parts=fields.read("from", list_of(list_of(integer_within(range(-1, 1 << 24))))))
    return edit._replace(to=fields.read("to", constants))


def read_dyadic(value: Json) -> Fraction:
    """Parse a rational whose denominator is a power of two."""
    found = read_rational(value)
    expect(found.denominator.bit_count() == 1, "expected a power of two as the denominator, got {}", found)
    return found


class Editor:
    """Applies edits, in the order of `KINDS`; steps and heads are numbered as in the original."""

    def __init__(self, network: Network, budget: Budget) -> None:
        self._original, self._build, self._names = network, Builder(budget), names_of(network.steps)
        self._marked: tuple[int, ...] = ()
        self._set: dict[tuple[int, int], tuple[Fraction, ...] | None] = {}
        self._kept: dict[int, Edit] = {}
        self._doublings: dict[tuple[int, int], int] = {}
        self._hard: dict[tuple[int, int], frozenset[int]] = {}
        self._cut: dict[tuple[int, int], EdgeCut] = {}
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
        if edit.kind == "cut edges":
            expect(edit[1:3] in self._names, "edges: expected them to a head, or to head 0 of a block or of the end")
            expect(edit[1:3] not in self._set, "head: it is set")
            earlier = sorted(one for one in {*edit.parts} & {*self._names} if one[0] < edit.step)
            expect(edit.parts and list(edit.parts) == earlier, "from: expected ascending earlier parts")
            expect(edit.to is None or len(edit.to) == widths_of(self._original)[edit.step],
                   "to: expected one for each coordinate")
            self._cut[edit.step, edit.head] = edit.parts, edit.to
            return
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
        original, rows = self._original, self._original.tokens.rows
        tokens = replace(original.tokens, rows=rows + tuple(rows[token] for token in self._marked))
        edited = replace(original, tokens=tokens, edits=tuple(self._sentences(edits)))
        wide = Wide(original, self._build, self._cut)
        edited, steps = wide.network(edited), list[Step]()
        last = self._read.step if self._read else len(original.steps)
        for number, step in enumerate(original.steps[:last]):
            steps += wide.constants(number)
            steps += [new for one, parts in self._steps(number, step) for new in wide.steps(number, one, parts)]
        edited = replace(edited, steps=(*steps, *wide.constants(last)))
        if self._read is None:
            return edited
        step = original.steps[last]
        assert isinstance(step, AttentionStep)
        head = self._head(last, self._read.head, step.heads[self._read.head])
        (final,) = wide.steps(last, replace(step, heads=(head,)), (self._read.head,))
        assert isinstance(final, AttentionStep)
        return reading_network(edited, len(rows), final, self._read.what, self._build)

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

    def _steps(self, number: int, step: Step) -> list[tuple[Step, tuple[int, ...]]]:
        """Return what stands in the place of a step: steps, and the numbers of the parts that write their outputs."""
        if isinstance(step, AttentionStep):
            places = tuple(place for place in range(len(step.heads)) if (number, place) not in self._set)
            heads = tuple(self._head(number, place, step.heads[place]) for place in places)
            left: list[Step] = [replace(step, heads=heads)] if heads else self._build.bias(step.bias)
            return [(one, places) for one in left] + [
                (self._build.constant(to, step.heads[place].out), (place,))
                for place in range(len(step.heads)) if (to := self._set.get((number, place)))]
        if not isinstance(step, UnitsStep) or number not in self._kept:
            return [(step, (0,))]
        edit, outward = self._kept[number], step.outward
        others = [unit for unit in range(len(outward.weight.rows)) if unit not in edit.numbers]
        left = [replace(step, inward=columns(step.inward, edit.numbers), outward=Affine(
            rows_of(outward.weight, edit.numbers), outward.bias), gate=step.gate and columns(step.gate, edit.numbers))
                ] if edit.numbers else self._build.bias(outward.bias)
        left += [self._build.constant(edit.to, rows_of(outward.weight, others))] if edit.to else []
        return [(one, (0,)) for one in left]

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
                "cut edges": f"{self._names.get(edit[1:3])} reads the stream without the outputs of "
                f"{', '.join(self._names[one] for one in edit.parts)} (biases stay), and with {to} added",
                "read head": f"the network ends at {part}: its logits are, in order, the {edit.what} of {part}, and 1",
            }[edit.kind])
        mass = "mass: the sum of the weights of marked tokens; " * (self._read is not None)
        return [*found, f"({mass}steps, heads and neurons count from 0)"]


def reading_network(network: Network, vocabulary: int, last: AttentionStep, what: str, build: Builder) -> Network:
    """Return the network whose logits are what the one head of ``last``, the step after all others, averages; and 1.

    The stream contains the original's stream x, as many numbers z, the mark, and what is read. Each step reads and
    writes x as in the original; z is 0 until it becomes the norm of x in ``last``.
    """
    head, now = last.heads[0], widths_of(network)[-1]
    read = 1 if what == MASS else head.value.weight.width
    wide = Wide(network, build, {}, least=width_after(last.norm, now), beside=1 + read)
    steps = [new for number, step in enumerate(network.steps) for new in wide.steps(number, step)]
    network, half, width = wide.network(network), wide.size, wide.width
    shift, power = max(0, network.tokens.power), min(0, network.tokens.power)
    tokens = tuple((*(entry << shift for entry in row[:2 * half]), (number >= vocabulary) << -power, *(0,) * read)
                   for number, row in enumerate(network.tokens.rows))
    out = build.moved(build.identity(read), read, width, 0, width - read)
    query, key, value = (wide.reads(one, None, half) for one in (head.query, head.key, head.value))
    value = value if what != MASS else Affine(build.matrix(width, 1, {(2 * half, 0): 1}), None)
    reads = NetworkHead(query, key, value, out, head.slope)
    zero = Affine(build.matrix(width, head.query.weight.width, {}), None)
    less = replace(out, rows=tuple(tuple(-entry for entry in row) for row in out.rows))
    heads = (reads, *[NetworkHead(zero, zero, value, less, None)] * (what == FROM_UNIFORM))
    end = Affine(build.moved(build.identity(read), width, read + 1, width - read), Vector((0,) * read + (1,), 0))
    return replace(network, readout="each", tokens=Matrix(tokens, width, power), unembedding=end, steps=(
        *steps, wide.copied(last.norm, now, 0), replace(last, norm=None, heads=heads, bias=None)))


def names_of(steps: tuple[Step, ...]) -> dict[tuple[int, ...], str]:
    """Return the parts that edges are from or to, with their names; the end is the last step if that is a norm."""
    end = len(steps) - any(isinstance(step, NormStep) for step in steps[-1:])
    names: dict[tuple[int, ...], str] = {(-1, 0): "the tokens", (-1, 1): "the positions", (end, 0): "the end"}
    for number, step in enumerate(steps):
        if isinstance(step, AttentionStep):
            names |= {(number, head): f"head {head} of step {number}" for head in range(len(step.heads))}
        elif isinstance(step, UnitsStep):
            names[number, 0] = f"step {number}"
    return names


def columns(given: Affine, kept: tuple[int, ...]) -> Affine:
    """Return the map to these outputs."""
    weight = replace(given.weight, rows=tuple(tuple(row[j] for j in kept) for row in given.weight.rows),
                     width=len(kept))
    return Affine(weight, given.bias and replace(given.bias, entries=tuple(given.bias.entries[j] for j in kept)))


def rows_of(matrix: Matrix, kept: tuple[int, ...] | list[int]) -> Matrix:
    """Return these rows of a matrix."""
    return replace(matrix, rows=tuple(matrix.rows[i] for i in kept))
