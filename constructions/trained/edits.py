"""Edits of a trained network: parts set to constants or sharpened, or a network whose logits are what a head reads.

Definitions and proofs: docs/background/parts.md. Steps, heads and neurons are numbered from 0, as in the network file.
An edited network is a network: every command takes it. Its file and certificates contain the original and the edits.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from constructions.errors import InputError, Unsupported
from constructions.trained.edit_kinds import (
    KINDS,
    AttendHard,
    Constants,
    CutEdges,
    Edit,
    KeepNeurons,
    MarkTokens,
    ReadHead,
    SetHead,
    SharpenHead,
)
from constructions.trained.network import (
    Affine,
    AttentionStep,
    NormStep,
    Rounding,
    Step,
    TrainedHead,
    TrainedNetwork,
    UnitsStep,
    views,
)
from constructions.trained.widening import EditTensors, Wide, reading_network, stream_widths

MAX_DOUBLINGS = 64
Array = npt.NDArray[np.float64]
_ORDER = [kind for kind, _ in KINDS.values()]


def edit_network(network: TrainedNetwork, edits: Sequence[Edit], where: str = "edits") -> TrainedNetwork:
    """Return the network with the edits, in canonical order; an edited one gets them on top of its own.

    Raises:
        InputError: if an edit does not fit the network, or two are of one part.
    """
    original, earlier = unedited(network)
    edits = sorted([*earlier, *edits], key=_key)
    if not edits:
        return network
    if len({_key(edit) for edit in edits}) < len(edits):
        raise InputError(f"{where}: two edits of one part, expected at most one")
    return _edited(original, edits, where)


def unedited(network: TrainedNetwork) -> tuple[TrainedNetwork, tuple[Edit, ...]]:
    """Return the original and the edits of a network; itself if it was changed after them, as by training."""
    if network.original is None or _edited(network.original, network.edits, "edits") != network:
        return replace(network, original=None, edits=()), ()
    return network.original, network.edits


def check_unedited(network: TrainedNetwork) -> None:
    """Check that a network has no edits: its layers, heads and neurons are numbered as those of its original.

    Raises:
        InputError: if it has some.
    """
    if network.edits:
        raise InputError("the network has edits, which number its parts anew; expected the network without edits")


def free_heads(network: TrainedNetwork) -> list[tuple[int, int]]:
    """Return the step and head of each head that is not set to constants, as in the original.

    Raises:
        InputError: if the network ends at a head that it reads, so that it has no answers of its own.
    """
    original, edits = unedited(network)
    if any(isinstance(edit, ReadHead) for edit in edits):
        raise InputError("the network ends at a head that it reads, expected a network with its own logits")
    cut = {(edit.step, edit.head) for edit in edits if isinstance(edit, SetHead)}
    return [(number, head) for number, step in enumerate(original.steps) if isinstance(step, AttentionStep)
            for head in range(len(step.heads)) if (number, head) not in cut]


def edge_parts(network: TrainedNetwork) -> list[tuple[int, ...]]:
    """Return the parts that edges join, in order: tables, heads, feed-forward blocks, and the end of the network.

    The end is the last step if that is a norm.
    """
    steps = network.steps
    parts: list[tuple[int, ...]] = [(-1, 0), (-1, 1)]
    for number, step in enumerate(steps):
        parts += [(number, k) for k in range(len(step.heads) if isinstance(step, AttentionStep) else
                                             isinstance(step, UnitsStep))]
    return [*parts, (len(steps) - any(isinstance(step, NormStep) for step in steps[-1:]), 0)]


def check_soft(network: TrainedNetwork) -> None:
    """Check that no head has hard attention, of which only answers to words over the reals are decided.

    Raises:
        Unsupported: if one has it.
    """
    if network.has_hard_heads:
        raise Unsupported("a head has hard attention: only answers to words, over the real numbers, are decided")


def _edited(original: TrainedNetwork, edits: Sequence[Edit], where: str) -> TrainedNetwork:
    return replace(_Edited(original, edits, where).network(), original=original, edits=tuple(edits))


def _key(edit: Edit) -> tuple[int, int, int]:
    return _ORDER.index(type(edit)), getattr(edit, "step", 0), getattr(edit, "head", 0)


def _is_binary64(x: Fraction) -> bool:
    """Return whether a number is one of binary64, of a size between 2^-900 and 2^900."""
    odd = x.numerator // (x.numerator & -x.numerator or 1)
    return x.denominator.bit_count() == 1 and odd.bit_length() <= 53 and x.denominator <= 2**900 and abs(x) <= 2**900


class _Edited:
    def __init__(self, network: TrainedNetwork, edits: Sequence[Edit], where: str) -> None:
        self._original, self._edits, self._where = network, edits, where
        self._tensors = EditTensors(network)

    def network(self) -> TrainedNetwork:
        """Return the network with all edits."""
        original = self._original
        for edit in self._edits:
            self._check(edit)
        marked = next((edit.tokens for edit in self._edits if isinstance(edit, MarkTokens)), ())
        reads = next((edit for edit in self._edits if isinstance(edit, ReadHead)), None)
        made = original
        if marked:
            rows = self._tensors.array(original.tokens)
            made = replace(made, tokens=self._tensors.view(np.concatenate([rows, rows[list(marked)]])))
        wide = Wide(original, self._tensors, [edit for edit in self._edits if isinstance(edit, CutEdges)])
        made, steps, end = wide.tables(made), list[Step](), reads.step if reads else len(original.steps)
        for number, step in enumerate(original.steps[:end]):
            steps += wide.constants(number)
            steps += [new for one, parts in self._steps(number, step) for new in wide.steps(number, one, parts)]
        made = replace(made, steps=(*steps, *wide.constants(end)))
        if reads:
            last = self._attention(reads)
            head = self._changed(reads.step, reads.head, last.heads[reads.head])
            (final,) = wide.steps(reads.step, replace(last, heads=(head,)), (reads.head,))
            assert isinstance(final, AttentionStep)
            made = reading_network(made, original.vocabulary, final, reads.what, self._tensors)
        tensors = {**original.tensors, **self._tensors.made}
        used = {view.tensor for view in views(made)}
        return replace(made, tensors={name: tensor for name, tensor in tensors.items() if name in used})

    def _attention(self, edit: SetHead | SharpenHead | AttendHard | ReadHead) -> AttentionStep:
        step = self._original.steps[edit.step] if edit.step < len(self._original.steps) else None
        if not isinstance(step, AttentionStep) or edit.head >= len(step.heads):
            raise InputError(f"{self._where}: head {edit.head} of step {edit.step}, expected a head of the network")
        return step

    def _check(self, edit: Edit) -> None:
        """Reject an edit that does not fit the network."""
        if isinstance(edit, MarkTokens):
            self._check_ascending("tokens", sorted({*edit.tokens}), self._original.vocabulary)
            if not edit.tokens or list(edit.tokens) != sorted(edit.tokens):
                raise InputError(f"{self._where}: tokens {list(edit.tokens)} to mark, expected ascending ones")
        elif isinstance(edit, KeepNeurons):
            step = self._original.steps[edit.step] if edit.step < len(self._original.steps) else None
            if not isinstance(step, UnitsStep):
                raise InputError(f"{self._where}: neurons of step {edit.step}, expected a feed-forward block")
            if isinstance(step.activation, Rounding) and step.activation.scale is None:
                raise InputError(f"{self._where}: step {edit.step} rounds by a range, which other neurons change")
            width = step.inward.weight.shape[1]
            self._check_ascending("neurons", edit.neurons, width)
            self._check_constants(edit.to, width - len(edit.neurons))
        elif isinstance(edit, CutEdges):
            self._check_edges(edit)
        else:
            attention = self._attention(edit)
            if isinstance(edit, SetHead):
                self._check_constants(edit.to, attention.heads[edit.head].value.weight.shape[1])
                return
            others = {type(other) for other in self._edits if _key(other)[1:] == _key(edit)[1:]} - {type(edit)}
            if SetHead in others:
                raise InputError(f"{self._where}: head {edit.head} of step {edit.step} is set to constants")
            if AttendHard in others:
                raise InputError(f"{self._where}: head {edit.head} of step {edit.step} attends hard")
            if isinstance(edit, AttendHard):
                marked = sum(len(other.tokens) for other in self._edits if isinstance(other, MarkTokens))
                self._check_ascending("tokens", edit.tokens, self._original.vocabulary + marked)
            if isinstance(edit, SharpenHead) and edit.doublings > MAX_DOUBLINGS:
                raise InputError(f"{self._where}: {edit.doublings} doublings, expected at most {MAX_DOUBLINGS}")
            if isinstance(edit, SharpenHead) and attention.cap is not None:
                raise InputError(f"{self._where}: the scores of step {edit.step} have a cap, expected none to sharpen")
            if isinstance(edit, ReadHead) and sum(isinstance(other, ReadHead) for other in self._edits) > 1:
                raise InputError(f"{self._where}: two heads to read, expected one")
            if isinstance(edit, ReadHead) and edit.what == "mass" and MarkTokens not in map(type, self._edits):
                raise InputError(f"{self._where}: no marked tokens, expected some to read the mass of")

    def _check_edges(self, edit: CutEdges) -> None:
        parts = edge_parts(self._original)
        if (edit.step, edit.head) not in parts or edit.step < 0:
            raise InputError(f"{self._where}: edges to head {edit.head} of step {edit.step}, expected a head, a "
                             "feed-forward block or the end of the network")
        if any(isinstance(one, SetHead) and (one.step, one.head) == (edit.step, edit.head) for one in self._edits):
            raise InputError(f"{self._where}: edges to head {edit.head} of step {edit.step}, which is set to constants")
        earlier = [part for part in parts if part in edit.parts and part[0] < edit.step]
        if not edit.parts or list(edit.parts) != earlier:
            raise InputError(f"{self._where}: edges from {list(map(list, edit.parts))}, expected ascending parts before"
                             f" step {edit.step}")
        self._check_constants(edit.to, stream_widths(self._original)[edit.step])

    def _check_ascending(self, what: str, found: Sequence[int], end: int) -> None:
        if list(found) != sorted({*found}) or (found and found[-1] >= end):
            raise InputError(f"{self._where}: {what} {list(found)}, expected ascending ones below {end}")

    def _check_constants(self, to: Constants, length: int) -> None:
        if to is not None and (len(to) != length or not all(map(_is_binary64, to))):
            raise InputError(f"{self._where}: expected {length} constants that are binary64 numbers")

    def _changed(self, step: int, number: int, head: TrainedHead) -> TrainedHead:
        """Return a head with its edits that keep it."""
        for edit in self._edits:
            if isinstance(edit, AttendHard) and (edit.step, edit.head) == (step, number):
                zero = Affine(self._tensors.view(np.zeros(head.query.weight.shape)))
                return replace(head, query=zero, slope=None, attends=edit.tokens)
        factor = 2 ** sum(edit.doublings for edit in self._edits if isinstance(edit, SharpenHead)
                          and (edit.step, edit.head) == (step, number))
        if factor == 1:
            return head
        bias = head.query.bias and self._tensors.view(self._tensors.array(head.query.bias) * factor)
        query = Affine(self._tensors.view(self._tensors.array(head.query.weight) * factor), bias)
        return replace(head, query=query, slope=None if head.slope is None else head.slope * factor)

    def _steps(self, number: int, step: Step) -> list[tuple[Step, Sequence[int]]]:
        """Return what stands in the place of a step, with the numbers of the parts that write."""
        tensors = self._tensors
        if isinstance(step, AttentionStep):
            cut = {edit.head: edit.to for edit in self._edits if isinstance(edit, SetHead) and edit.step == number}
            kept = [place for place in range(len(step.heads)) if place not in cut]
            heads = tuple(self._changed(number, place, step.heads[place]) for place in kept)
            left: list[Step] = [replace(step, heads=heads)] if kept else tensors.adds_bias(step.bias)
            return [*((one, kept) for one in left), *(
                (tensors.adds(np.array(to, np.float64), step.heads[place].out), [place])
                for place, to in sorted(cut.items()) if to)]
        found = [edit for edit in self._edits if isinstance(edit, KeepNeurons) and edit.step == number]
        if not found or not isinstance(step, UnitsStep):
            return [(step, [0])]
        neurons, out = found[0].neurons, tensors.array(step.outward.weight)
        left = [replace(step, inward=tensors.columns(step.inward, neurons),
                        gate=step.gate and tensors.columns(step.gate, neurons),
                        outward=Affine(tensors.view(out[list(neurons)]), step.outward.bias))
                ] if neurons else tensors.adds_bias(step.outward.bias)
        if found[0].to:
            others = np.delete(out, list(neurons), axis=0)
            left.append(tensors.adds(np.array(found[0].to, np.float64), tensors.view(others)))
        return [(one, [0]) for one in left]
