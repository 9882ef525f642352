"""Arrays of a network as tensors, and comparison of a graph on two lengths: equal except for rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from constructions.importing.contents import Stored
from constructions.importing.graph.affine_forms import Array
from constructions.importing.graph.state import Tables
from constructions.importing.parts import RecognisedNetwork
from constructions.trained import network as trained
from constructions.trained.numbers import all_numbers, view_of_tensor

_ALIKE = 16
"""Number of rows with the same numbers that are indexed."""


class Tensors:
    """Arrays as tensors: an initialiser of the file with the same numbers, or else a new one.

    ``pieces``: consecutive rows or columns of a tensor are found, too.
    """

    def __init__(self, stored: Mapping[str, Stored], pieces: bool = False) -> None:
        self.pieces = pieces
        self._lines: dict[tuple[int, int], list[tuple[Array, trained.View, int]]] = {}
        self.made: dict[str, trained.Tensor] = {}
        self._arrays: dict[str, Array] = {}
        self._tensors: dict[str, trained.Tensor] = {}
        self._known: dict[tuple[tuple[int, ...], bytes], list[trained.View]] = {}
        for name, one in stored.items():
            if one.format and 1 <= len(one.shape) <= 2 and one.bytes <= 40_000_000:
                tensor = trained.Tensor(one.format, one.shape, one.read())
                self.learn(name, tensor)

    def learn(self, name: str, tensor: trained.Tensor) -> None:
        """Index a tensor of the file, to be used instead of new ones; those of more than two dimensions are omitted."""
        self._tensors[name] = tensor
        if not 1 <= len(tensor.shape) <= 2:
            return
        array = all_numbers(tensor).reshape(tensor.shape)
        self._arrays[name] = array
        if array.ndim == 1:
            ways = [(array, trained.View(name, 0, tensor.shape, (1,)))]
        else:
            view = trained.View(name, 0, tensor.shape, (tensor.shape[1], 1))
            ways = [(array, view), (array.T, trained.View(name, 0, tensor.shape[::-1], (1, tensor.shape[1])))]
        for way, view in ways:
            key = (way.shape, np.ascontiguousarray(way).tobytes())
            self._known.setdefault(key, []).append(view)
            if self.pieces:
                for index, line in enumerate(way if way.ndim == 2 else way[:, None]):
                    others = self._lines.setdefault((len(line), hash(line.tobytes())), [])
                    others += [(way, view, index)] if len(others) < _ALIKE else []

    def _piece(self, array: Array) -> trained.View | None:
        """Return a view of consecutive rows of the largest tensor (or transpose) with these numbers, or None."""
        lines = array if array.ndim == 2 else array[:, None]
        found = [(way.size, replace(view, start=view.start + first * view.strides[0], shape=array.shape))
                 for way, view, first in self._lines.get((lines.shape[1], hash(lines[0].tobytes())), ())
                 if way.ndim == array.ndim and np.array_equal(way[first : first + len(array)], array)]
        return max(found, key=lambda one: one[0])[1] if found else None

    def view(self, array: Array) -> trained.View:
        """Return a view of these numbers: of an existing tensor without other views, if possible."""
        array = np.asarray(array, np.float64) + 0  # -0 becomes 0
        key = (array.shape, np.ascontiguousarray(array).tobytes())
        if key not in self._known and self.pieces and (piece := self._piece(array)):
            self._known[key] = [piece]
        if key not in self._known and self.pieces and array.ndim == 2 and (piece := self._piece(array.T)):
            self._known[key] = [replace(piece, shape=piece.shape[::-1], strides=piece.strides[::-1])]
        if key not in self._known:
            narrow = bool((array.astype(np.float32).astype(np.float64) == array).all())
            form, kind = ("binary32", "<f4") if narrow else ("binary64", "<f8")
            name = f"computed.{len(self.made)}"
            while name in self._arrays:
                name += "_"
            self.learn(name, trained.Tensor(form, array.shape, array.astype(kind).tobytes()))
        views = self._known[key]
        view = next((view for view in views if self.pieces and view.tensor not in self.made), views[0])
        self.made[view.tensor] = self._tensors[view.tensor]
        return view

    def array(self, view: trained.View) -> Array:
        """Return the numbers of a view that was made."""
        return view_of_tensor(self._tensors[view.tensor], view)


ROUNDED = 45
"""Bits of agreement of sums of embeddings, positions and biases that are rounded in different orders."""


@dataclass(frozen=True)
class NetworkAtLength:
    """A network as read for inputs of one length, its tensors, and the tables added to scores."""

    found: RecognisedNetwork
    tensors: Tensors
    tables: Tables

    def begins(self, whole: NetworkAtLength, count: int) -> bool:
        """Return whether it is the other one with fewer rows: of positions, and in tables of scores."""
        if count == 1:
            return self._is_beginning_of_one_token(whole)
        one, other = ((form.found.attention, form.found.readout, _structure(form.parts)) for form in (self, whole))
        return one == other and self.tables.begin(whole.tables) and _begin(
            _arrays(self.parts, self.tensors), _arrays(whole.parts, whole.tensors))

    @property
    def parts(self) -> tuple[Any, ...]:
        """The network without its attention and readout."""
        return self.found.tokens, self.found.positions, self.found.steps, self.found.unembedding

    def _is_beginning_of_one_token(self, whole: NetworkAtLength) -> bool:
        """Return whether both are equal on inputs of one token, where the first row of positions is a constant.

        Such a constant may enter the stream later, with a bias, if its coordinates are not read before.
        """
        steps = [tuple(map(_with_one_key, form.found.steps)) for form in (self, whole)]
        parts, rest = ((mine, form.found.unembedding) for mine, form in zip(steps, (self, whole), strict=True))
        one, other = (form.embeddings() for form in (self, whole))
        if one.shape != other.shape or _structure(parts) != _structure(rest) or not _begin(
                _arrays(parts, self.tensors), _arrays(rest, whole.tensors)):
            return False
        size = np.float64(np.abs(one).max() + np.abs(other).max())
        change = other - one
        for mine, theirs in zip(self.found.steps, whole.found.steps, strict=True):
            differs = (np.abs(change) > np.ldexp(size, -ROUNDED)).any(0)
            if differs.any() and any(array is None or array[differs].any() for array in _reads(mine, self.tensors)):
                return False
            biases = [_bias(step, form.tensors) for step, form in ((mine, self), (theirs, whole))]
            size += sum(np.abs(bias).max() for bias in biases)
            change = change + (biases[1] - biases[0]) if not isinstance(mine, trained.NormStep) else np.zeros((1, 1))
        return bool((np.abs(change) <= np.ldexp(size, -ROUNDED)).all())

    def embeddings(self) -> Array:
        """Return the rows of tokens at the first position."""
        table = self.tensors.array(self.found.tokens)
        return table if self.found.positions is None else table + self.tensors.array(self.found.positions)[:1]


def _structure(part: Any) -> Any:
    """Return the parts of a network outside its tensors: kinds, scales, slopes, shapes except for rows."""
    if isinstance(part, trained.View):
        return part.shape[1:]
    if isinstance(part, tuple):
        return tuple(map(_structure, part))
    if is_dataclass(part):
        return (type(part).__name__, *(_structure(getattr(part, one.name)) for one in fields(part)))
    return part


def _arrays(part: Any, tensors: Tensors) -> list[Array]:
    """Return the arrays of all views in a part of a network, in order."""
    if isinstance(part, trained.View):
        return [tensors.array(part)]
    inner = part if isinstance(part, tuple) else [getattr(part, one.name) for one in fields(part)] if is_dataclass(
        part) else []
    return [array for one in inner for array in _arrays(one, tensors)]


def _begin(arrays: list[Array], whole: list[Array]) -> bool:
    """Return whether arrays are the first rows of others."""
    return len(arrays) == len(whole) and all(
        one.shape[1:] == other.shape[1:] and np.array_equal(one, other[: len(one)])
        for one, other in zip(arrays, whole, strict=True))


def _with_one_key(step: trained.Step) -> Any:
    """Return the computation of a step on an input of one token, without its bias: attention is all on that token."""
    if isinstance(step, trained.AttentionStep):
        return "attention", step.norm, tuple((head.value, head.out) for head in step.heads)
    return replace(step, outward=trained.Affine(step.outward.weight)) if isinstance(step, trained.UnitsStep) else step


def _bias(step: trained.Step, tensors: Tensors) -> Array:
    """Return the constant that a step adds to the stream of every token."""
    view = step.bias if isinstance(step, trained.AttentionStep) else (
        step.outward.bias if isinstance(step, trained.UnitsStep) else None)
    return np.zeros(1) if view is None else tensors.array(view)


def _reads(step: trained.Step, tensors: Tensors) -> list[Array | None]:
    """Return the matrices with which a step reads the stream of one token; None for all of it."""
    if step.norm is not None:
        return [None if step.norm.of is None else tensors.array(step.norm.of.weight)]
    if isinstance(step, trained.AttentionStep):
        return [tensors.array(head.value.weight) for head in step.heads]
    read = [step.inward, step.gate] if isinstance(step, trained.UnitsStep) else []
    return [tensors.array(affine.weight) for affine in read if affine is not None]
