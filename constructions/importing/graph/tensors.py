"""Arrays of a network as tensors: those of the file where they have the same numbers, else made ones."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from constructions.importing.contents import Stored
from constructions.importing.graph.exact import Array
from constructions.trained import network as trained
from constructions.trained.numbers import all_numbers, view_of_tensor

_ALIKE = 16
"""Number of rows of tensors with the same numbers that are remembered."""


class Tensors:
    """Arrays as tensors: an initialiser of the file where it has the same numbers, else one that is made.

    ``pieces``: consecutive rows or columns of a tensor are found in it, too.
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
        """A tensor of the file, in place of which none is made; those of more than two dimensions are left out."""
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
        """A view of consecutive rows of a tensor, or of its transpose, that have these numbers; the largest tensor."""
        lines = array if array.ndim == 2 else array[:, None]
        found = [(way.size, replace(view, start=view.start + first * view.strides[0], shape=array.shape))
                 for way, view, first in self._lines.get((lines.shape[1], hash(lines[0].tobytes())), ())
                 if way.ndim == array.ndim and np.array_equal(way[first : first + len(array)], array)]
        return max(found, key=lambda one: one[0])[1] if found else None

    def view(self, array: Array) -> trained.View:
        """A view of these numbers: in a tensor that no other view is in, if there is one."""
        array = np.asarray(array, np.float64) + 0  # no -0
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
        """The numbers of a view that was made."""
        return view_of_tensor(self._tensors[view.tensor], view)
