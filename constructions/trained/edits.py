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
    Edit,
    KeepNeurons,
    MarkTokens,
    ReadHead,
    SetHead,
    SharpenHead,
    What,
)
from constructions.trained.network import (
    Affine,
    AttentionStep,
    Norm,
    NormStep,
    Rounding,
    Step,
    Tensor,
    TrainedHead,
    TrainedNetwork,
    UnitsStep,
    View,
    views,
)
from constructions.trained.numbers import numbers

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


class _Tensors:
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

    def vector(self, view: View | None, width: int) -> View | None:
        """Return a vector followed by zeros, of this width."""
        return view and self.view(np.pad(self.array(view), (0, width - view.shape[0])))

    def affine(self, affine: Affine, height: int, above: int = 0) -> Affine:
        """Return the map that reads its input from coordinate ``above`` on, of ``height`` in all."""
        weight = self.array(affine.weight)
        rows = (above, height - above - weight.shape[0])
        return Affine(self.view(np.pad(weight, (rows, (0, 0)))), affine.bias)

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


class _Edited:
    def __init__(self, network: TrainedNetwork, edits: Sequence[Edit], where: str) -> None:
        self._original, self._edits, self._where = network, edits, where
        self._tensors = _Tensors(network)

    def network(self) -> TrainedNetwork:
        """Return the network with all edits."""
        original = self._original
        for edit in self._edits:
            self._check(edit)
        marked = next((edit.tokens for edit in self._edits if isinstance(edit, MarkTokens)), ())
        reads = [edit for edit in self._edits if isinstance(edit, ReadHead)]
        groups = [self._steps(number, step) for number, step in enumerate(original.steps)]
        made = replace(original, steps=tuple(step for group in groups for step in group))
        if marked:
            rows = self._tensors.array(original.tokens)
            made = replace(made, tokens=self._tensors.view(np.concatenate([rows, rows[list(marked)]])))
        if reads:
            last = self._attention(reads[0])
            head = self._changed(reads[0].step, reads[0].head, last.heads[reads[0].head])
            before = tuple(step for group in groups[:reads[0].step] for step in group)
            made = _Reads(replace(made, steps=before), replace(last, heads=(head,)), reads[0].what, self._tensors
                          ).network(original.vocabulary)
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

    def _steps(self, number: int, step: Step) -> list[Step]:
        """Return what stands in the place of a step."""
        tensors = self._tensors
        if isinstance(step, AttentionStep):
            cut = {edit.head: edit.to for edit in self._edits if isinstance(edit, SetHead) and edit.step == number}
            kept = [self._changed(number, place, head) for place, head in enumerate(step.heads) if place not in cut]
            left: list[Step] = [replace(step, heads=tuple(kept))] if kept else tensors.adds_bias(step.bias)
            return left + [tensors.adds(np.array(to, np.float64), step.heads[place].out)
                           for place, to in sorted(cut.items()) if to]
        found = [edit for edit in self._edits if isinstance(edit, KeepNeurons) and edit.step == number]
        if not found or not isinstance(step, UnitsStep):
            return [step]
        neurons, out = found[0].neurons, tensors.array(step.outward.weight)
        left = [replace(step, inward=tensors.columns(step.inward, neurons),
                        gate=step.gate and tensors.columns(step.gate, neurons),
                        outward=Affine(tensors.view(out[list(neurons)]), step.outward.bias))
                ] if neurons else tensors.adds_bias(step.outward.bias)
        if not found[0].to:
            return left
        others = np.delete(out, list(neurons), axis=0)
        return [*left, tensors.adds(np.array(found[0].to, np.float64), tensors.view(others))]


class _Reads:
    """Stream of [x, z, mark, read]: the original's stream, its norm before the last head, the mark, what is read."""

    def __init__(self, network: TrainedNetwork, last: AttentionStep, what: What, tensors: _Tensors) -> None:
        self._network, self._last, self._what, self._tensors = network, last, what, tensors
        self._now = network.width
        widths, now = [network.width], network.width
        for norm in [step.norm for step in network.steps if isinstance(step, NormStep)]:
            now = norm.reads(now)
            widths.append(now)
        self._half = max(*widths, last.norm.reads(now) if last.norm else now)
        self._read = 1 if what == "mass" else last.heads[0].value.weight.shape[1]
        self._mark = 2 * self._half
        self._width = self._mark + 1 + self._read

    def network(self, unmarked: int) -> TrainedNetwork:
        """Return the network; tokens from ``unmarked`` on are marked."""
        network, tensors = self._network, self._tensors
        rows = self._beside(tensors.array(network.tokens))
        rows[unmarked:, self._mark] = 1
        steps = [wide for step in network.steps for wide in self._wide(step)]
        reads = np.vstack([np.zeros((self._mark + 1, self._read + 1)), np.eye(self._read, self._read + 1)])
        one = np.eye(self._read + 1)[-1]
        return replace(network, readout="each", tokens=tensors.view(rows), steps=(*steps, *self._last_steps()),
                       positions=network.positions and tensors.view(self._beside(tensors.array(network.positions))),
                       unembedding=Affine(tensors.view(reads), tensors.view(one)))

    def _beside(self, rows: Array) -> Array:
        return np.pad(rows, ((0, 0), (0, self._width - rows.shape[1])))

    def _norm(self, norm: Norm | None) -> Norm | None:
        if norm is None:
            return None
        if norm.of:
            return replace(norm, of=self._tensors.affine(norm.of, self._width))
        return replace(norm, of=Affine(self._tensors.view(np.eye(self._width, self._now))))

    def _to_z(self, norm: Norm | None) -> UnitsStep:
        image = norm.reads(self._now) if norm else self._now
        inward = np.eye(image) if norm else np.eye(self._width, image)
        return UnitsStep(self._norm(norm), Affine(self._tensors.view(inward)), None, "identity",
                         Affine(self._tensors.view(np.eye(image, self._width, self._half))))

    def _wide(self, step: Step) -> list[Step]:
        tensors, width, half = self._tensors, self._width, self._half
        if isinstance(step, NormStep):
            first = self._to_z(step.norm)
            self._now = step.norm.reads(self._now)
            moves = np.zeros((width, width))
            moves[:half, :half], moves[half:2 * half, :half] = -np.eye(half), np.eye(half)
            moves[half:2 * half, half:2 * half] = -np.eye(half)
            return [first, UnitsStep(None, Affine(tensors.view(np.eye(width))), None, "identity",
                                     Affine(tensors.view(moves)))]

        def reads(affine: Affine) -> Affine:
            return affine if step.norm else tensors.affine(affine, width)

        def writes(view: View) -> View:
            return tensors.view(self._beside(tensors.array(view)))

        if isinstance(step, AttentionStep):
            heads = tuple(replace(head, query=reads(head.query), key=reads(head.key), value=reads(head.value),
                                  out=writes(head.out)) for head in step.heads)
            return [replace(step, norm=self._norm(step.norm), heads=heads, bias=tensors.vector(step.bias, width))]
        outward = Affine(writes(step.outward.weight), tensors.vector(step.outward.bias, width))
        return [replace(step, norm=self._norm(step.norm), inward=reads(step.inward),
                        gate=step.gate and reads(step.gate), outward=outward)]

    def _last_steps(self) -> list[Step]:
        tensors, width, head = self._tensors, self._width, self._last.heads[0]
        value = tensors.affine(head.value, width, self._half)
        if self._what == "mass":
            value = Affine(tensors.view(np.eye(width)[:, [self._mark]]))
        out = np.eye(self._read, width, self._mark + 1)
        query, key = (tensors.affine(one, width, self._half) for one in (head.query, head.key))
        heads = [TrainedHead(query, key, value, tensors.view(out), head.slope)]
        if self._what == "average less uniform":
            zero = Affine(tensors.view(np.zeros(query.weight.shape)))
            heads.append(TrainedHead(zero, zero, value, tensors.view(-out)))
        return [self._to_z(self._last.norm), replace(self._last, norm=None, heads=tuple(heads), bias=None)]
