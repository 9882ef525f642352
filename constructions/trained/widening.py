"""Wider networks: tensors that edits make, and parts of a network that read and write some coordinates of a stream."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from constructions.trained.edit_kinds import CutEdges, What
from constructions.trained.network import (
    Affine,
    AttentionStep,
    Norm,
    NormStep,
    Step,
    Tensor,
    TrainedHead,
    TrainedNetwork,
    UnitsStep,
    View,
)
from constructions.trained.numbers import numbers

Array = npt.NDArray[np.float64]


def stream_widths(network: TrainedNetwork) -> list[int]:
    """Return the width of the stream before each step, and after the last."""
    widths = [network.width]
    for step in network.steps:
        widths.append(step.norm.reads(widths[-1]) if isinstance(step, NormStep) else widths[-1])
    return widths


class EditTensors:
    """Views of the original's tensors, and new tensors in binary64, in order of their making."""

    def __init__(self, network: TrainedNetwork) -> None:
        self._network, self.made = network, dict[str, Tensor]()

    def view(self, array: Array) -> View:
        """Return a view of a new tensor with these numbers."""
        name = f"edit {len(self.made)}"
        self.made[name] = Tensor("binary64", array.shape, np.ascontiguousarray(array, "<f8").tobytes())
        strides = (1,) if array.ndim == 1 else (array.shape[1], 1)
        return View(name, 0, array.shape, strides)

    def array(self, view: View) -> Array:
        """Return the numbers of a view, old or new."""
        return numbers(replace(self._network, tensors={**self._network.tensors, **self.made}), view)

    def columns(self, affine: Affine, kept: Sequence[int]) -> Affine:
        """Return the map to these outputs."""
        bias = affine.bias and self.view(self.array(affine.bias)[list(kept)])
        return Affine(self.view(self.array(affine.weight)[:, list(kept)]), bias)

    def adds(self, to: Array, out: View) -> UnitsStep:
        """Return the step that adds ``to`` · ``out`` to the stream."""
        inward = Affine(self.view(np.zeros((out.shape[1], len(to)))), self.view(to))
        return UnitsStep(None, inward, None, "identity", Affine(out))

    def adds_bias(self, bias: View | None) -> list[Step]:
        """Return the step that adds a bias, or none."""
        if bias is None:
            return []
        width = bias.shape[0]
        return [UnitsStep(None, Affine(self.view(np.zeros((width, 1)))), None, "identity",
                          Affine(self.view(np.zeros((1, width))), bias))]


class Wide:
    """A stream [x, copies, z, beside]: x is the network's own; a copy lacks what the parts of an edit of edges write.

    x, each copy and z have ``size`` coordinates; z is 0 between steps, and is there if norms need it.
    """

    def __init__(self, network: TrainedNetwork, tensors: EditTensors, cuts: Sequence[CutEdges], least: int = 0,
                 beside: int = 0) -> None:
        self._tensors, self._widths = tensors, stream_widths(network)
        self.size = max(*self._widths, least)
        self._copies = list({(cut.step, cut.parts, cut.to): None for cut in cuts})
        self._at = {(cut.step, cut.head): self.size * (1 + self._copies.index((cut.step, cut.parts, cut.to)))
                    for cut in cuts}
        norms = [isinstance(step, NormStep) for step in network.steps]
        self._narrow = len(norms) - 1 if norms and norms[-1] and not beside else -1
        self.z = self.size * (1 + len(self._copies))
        self.width = self.z + beside + (self.size if beside or (cuts and any(norms[:-1])) else 0)

    @property
    def is_plain(self) -> bool:
        """Whether the stream is the network's own."""
        return self.width == self.size

    def tables(self, network: TrainedNetwork) -> TrainedNetwork:
        """Return a network with wide tables, and an unembedding that reads what the end of the network reads."""
        if self.is_plain:
            return network
        end = self._at.get((len(self._widths) - 1, 0), 0)
        return replace(network, tokens=self.writes(network.tokens, -1, 0),
                       positions=network.positions and self.writes(network.positions, -1, 1),
                       unembedding=network.unembedding if self._narrow >= 0 else self.reads(
                           network.unembedding, None, end))

    def constants(self, number: int) -> list[Step]:
        """Return the steps that add the constants of copies that are read by a step."""
        found, now = list[Step](), self._widths[number]
        for place, (step, _, to) in enumerate(self._copies):
            if step == number and to is not None:
                out = self._tensors.view(np.eye(now, self.width, self.size * (1 + place)))
                found.append(self._tensors.adds(np.array(to, np.float64), out))
        return found

    def steps(self, number: int, step: Step, heads: Sequence[int]) -> list[Step]:
        """Return the steps in the place of one; ``heads`` numbers what writes: heads, or one part."""
        if self.is_plain:
            return [step]
        at = self._at.get((number, 0), 0)
        if isinstance(step, NormStep):
            norm = self._norm(step.norm, number, at)
            if number == self._narrow and norm:
                return [NormStep(norm)]
            read = [0, *(self.size * (1 + place) for place, (reader, *_) in enumerate(self._copies) if reader > number)]
            return [new for one in read for new in self._replaced(step.norm, number, one)]
        if isinstance(step, UnitsStep):
            outward = Affine(self.writes(step.outward.weight, number, [*heads, 0][0]),
                             self._bias(step.outward.bias, number))
            return [replace(step, norm=self._norm(step.norm, number, at), inward=self.reads(step.inward, step.norm, at),
                            gate=step.gate and self.reads(step.gate, step.norm, at), outward=outward)]
        places = [self._at.get((number, head), 0) for head in heads]
        made = [replace(head, query=self.reads(head.query, step.norm, at), key=self.reads(head.key, step.norm, at),
                        value=self.reads(head.value, step.norm, at), out=self.writes(head.out, number, name))
                for name, at, head in zip(heads, places, step.heads, strict=True)]
        ordered = sorted({*places})
        return [replace(step, norm=self._norm(step.norm, number, at),
                        heads=tuple(head for place, head in zip(places, made, strict=True) if place == at),
                        bias=self._bias(step.bias, number) if at == ordered[0] else None) for at in ordered]

    def to_z(self, norm: Norm | None, number: int, at: int = 0) -> UnitsStep:
        """Return the step that adds x or a copy, or its norm, to z."""
        image = norm.reads(self._widths[number]) if norm else self._widths[number]
        inward = Affine(self._tensors.view(np.eye(image)))
        return UnitsStep(self._norm(norm, number, at), self.reads(inward, norm, at), None, "identity",
                         Affine(self._tensors.view(np.eye(image, self.width, self.z))))

    def _replaced(self, norm: Norm, number: int, at: int) -> list[Step]:
        moves, one, own, z = np.zeros((self.width, self.width)), np.eye(self.size), at, self.z
        moves[own:own + self.size, own:own + self.size] = -one
        moves[z:z + self.size, own:own + self.size], moves[z:z + self.size, z:z + self.size] = one, -one
        return [self.to_z(norm, number, at), UnitsStep(
            None, Affine(self._tensors.view(np.eye(self.width))), None, "identity", Affine(self._tensors.view(moves)))]

    def _norm(self, norm: Norm | None, number: int, at: int) -> Norm | None:
        if norm is None:
            return None
        if norm.of:
            return replace(norm, of=self.reads(norm.of, None, at))
        return replace(norm, of=Affine(self._tensors.view(np.eye(self.width, self._widths[number], -at))))

    def reads(self, affine: Affine, norm: Norm | None, at: int) -> Affine:
        """Return a map that reads its input from a coordinate on; itself behind a norm."""
        if norm:
            return affine
        weight = self._tensors.array(affine.weight)
        return Affine(self._tensors.view(np.pad(weight, ((at, self.width - at - len(weight)), (0, 0)))), affine.bias)

    def writes(self, view: View, step: int, part: int) -> View:
        """Return rows that write to x, and to copies that are read later and do not lack this part."""
        rows = self._tensors.array(view)
        wide = np.pad(rows, ((0, 0), (0, self.width - rows.shape[1])))
        for place, (reader, parts, _) in enumerate(self._copies):
            if reader > step and (step, part) not in parts:
                at = self.size * (1 + place)
                wide[:, at:at + rows.shape[1]] = rows
        return self._tensors.view(wide)

    def _bias(self, bias: View | None, step: int) -> View | None:
        if bias is None:
            return None
        return self._tensors.view(self._tensors.array(self.writes(replace(
            bias, shape=(1, *bias.shape), strides=(0, *bias.strides)), step, -1))[0])


def reading_network(network: TrainedNetwork, unmarked: int, last: AttentionStep, what: What, tensors: EditTensors
                    ) -> TrainedNetwork:
    """Return the network whose logits are what the one head of ``last``, a step after all others, reads; and 1.

    Its stream is [x, z, mark, read]: the network's stream, its norm before the last head, the mark, what is read.
    Tokens from ``unmarked`` on are marked.
    """
    head, now = last.heads[0], stream_widths(network)[-1]
    read = 1 if what == "mass" else head.value.weight.shape[1]
    wide = Wide(network, tensors, (), last.norm.reads(now) if last.norm else now, 1 + read)
    steps = [new for number, step in enumerate(network.steps)
             for new in wide.steps(number, step, range(len(step.heads)) if isinstance(step, AttentionStep) else (0,))]
    made, width, mark = wide.tables(network), wide.width, 2 * wide.size
    tokens = tensors.array(made.tokens)
    tokens[unmarked:, mark] = 1
    query, key, value = (wide.reads(one, None, wide.z) for one in (head.query, head.key, head.value))
    if what == "mass":
        value = Affine(tensors.view(np.eye(width)[:, [mark]]))
    out = np.eye(read, width, mark + 1)
    heads = [TrainedHead(query, key, value, tensors.view(out), head.slope)]
    if what == "average less uniform":
        zero = Affine(tensors.view(np.zeros(query.weight.shape)))
        heads.append(TrainedHead(zero, zero, value, tensors.view(-out)))
    reads = np.vstack([np.zeros((mark + 1, read + 1)), np.eye(read, read + 1)])
    return replace(made, readout="each", tokens=tensors.view(tokens), steps=(
        *steps, wide.to_z(last.norm, len(network.steps)), replace(last, norm=None, heads=tuple(heads), bias=None)),
        unembedding=Affine(tensors.view(reads), tensors.view(np.eye(read + 1)[-1])))
