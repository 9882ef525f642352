"""Results of recognisers, and the tensors of a file as its weights: taken by name with their shapes checked."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from constructions.errors import InputError
from constructions.importing.contents import Contents, Stored
from constructions.trained.network import Affine, Attends, AttentionStep, NormStep, Readout, Step, Tensor, View
from constructions.trained.validation import check_total_bytes


@dataclass(frozen=True)
class Interface:
    """The program of a file: the lengths that it accepts, and its operation after the logits.

    ``length`` is None if it accepts several lengths from ``least`` on. Where all keys of a token are in one of the sets
    ``hidden``, its result may differ from the network's.
    """

    length: int | None
    least: int
    ending: str
    hidden: tuple[frozenset[int], ...] = ()


@dataclass(frozen=True)
class RecognisedNetwork:
    """A network whose tensors are still with the weights; ``kind`` is the name of its files in the report.

    ``pooled``: logits are those of the mean over all tokens, after these norms; None: of single tokens.
    """

    kind: str
    attention: Attends
    tokens: View
    positions: View | None
    steps: tuple[Step, ...]
    unembedding: Affine
    readout: Readout = "each"
    pooled: tuple[NormStep, ...] | None = None
    interface: Interface | None = None

    @property
    def rows(self) -> int | None:
        """The number of positions of its tables; None without tables."""
        tables = [self.positions] if self.positions else []
        tables += [step.rotary.cosines for step in self.steps if isinstance(step, AttentionStep) and step.rotary]
        return min((table.shape[0] for table in tables), default=None)


def numbered(names: Iterable[str], before: str, after: str, where: str, stated: int | None = None) -> int:
    """Count the layers by the numbers between two parts of their names, which must be 0, 1, 2, and so on."""
    pattern = re.compile(re.escape(before) + r"(\d{1,6})" + re.escape(after), re.ASCII)
    numbers = {int(match[1]) for name in names if (match := pattern.match(name))}
    if numbers != set(range(len(numbers))):
        raise InputError(f"{where}: layers {sorted(numbers)[:20]} of {before}…, expected 0 to {len(numbers) - 1}")
    if stated not in (None, len(numbers)):
        raise InputError(f"{where}: {len(numbers)} layers, expected {stated}, as stated in another file")
    return len(numbers)


def ending(names: Iterable[str], end: str) -> str | None:
    """Return the prefix before this ending in the first name that has it."""
    return next((name.removesuffix(end) for name in names if name == end or name.endswith("." + end)), None)


class TensorReader:
    """Reader of tensors that tracks their use; a tensor neither taken nor set aside is an error at the end."""

    def __init__(self, contents: Contents, where: str) -> None:
        self.stored = contents.tensors
        self.where = where
        self.tensors: dict[str, Tensor] = {}
        self.aside: dict[str, str] = dict(contents.others)

    def __contains__(self, name: str) -> bool:
        return name in self.stored

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        return self._entry(name).shape

    def _entry(self, name: str) -> Stored:
        if name not in self.stored:
            raise InputError(f"{self.where}: no tensor {name}, expected it beside the other tensors")
        return self.stored[name]

    def take(self, name: str, *shape: int | None) -> Tensor:
        """Return the tensor, whose shape must be this one; None means any size."""
        entry = self._entry(name)
        fits = len(shape) == len(entry.shape) and all(
            size in (None, actual) and actual > 0 for size, actual in zip(shape, entry.shape, strict=True))
        if not fits:
            sizes = ", ".join("any" if size is None else str(size) for size in shape)
            raise InputError(f"{self.where}: tensor {name} has shape {list(entry.shape)}, expected [{sizes}]")
        form = entry.numbers_in(f"{self.where}: tensor {name} has elements")
        if name not in self.tensors:
            check_total_bytes(sum(len(tensor.data) for tensor in self.tensors.values()) + entry.bytes, self.where)
            self.tensors[name] = Tensor(form, entry.shape, entry.read())
        return self.tensors[name]

    def matrix(self, name: str, rows: int | None = None, columns: int | None = None) -> View:
        """Return a two-dimensional tensor as a view."""
        shape = self.take(name, rows, columns).shape
        return View(name, 0, shape, (shape[1], 1))

    def linear(self, name: str, inward: int | None = None, outward: int | None = None) -> View:
        """Return the weight [in, out] of a torch Linear, which is stored [out, in]."""
        return transposed(self.matrix(name, outward, inward))

    def vector(self, name: str, size: int | None = None) -> View:
        """Return a one-dimensional tensor as a view."""
        return View(name, 0, self.take(name, size).shape, (1,))

    def vector_if(self, name: str, size: int | None = None) -> View | None:
        """Return a one-dimensional tensor as a view, or None if it does not exist."""
        return self.vector(name, size) if name in self else None

    def planes(self, name: str, *shape: int | None) -> tuple[View, ...]:
        """Return a three-dimensional tensor as matrices, one for each index of the first axis."""
        count, rows, columns = self.take(name, *shape).shape
        return tuple(View(name, plane * rows * columns, (rows, columns), (columns, 1)) for plane in range(count))

    def linear_with_bias(self, name: str, inward: int | None = None, outward: int | None = None) -> Affine:
        """Return a torch Linear: NAME.weight and, if it exists, NAME.bias."""
        weight = self.linear(f"{name}.weight", inward, outward)
        return Affine(weight, self.vector_if(f"{name}.bias", weight.shape[1]))

    def put(self, name: str, tensor: Tensor) -> View:
        """Add a computed matrix; its name begins with ``computed.``."""
        self.tensors[name] = tensor
        return View(name, 0, tensor.shape, (tensor.shape[1], 1))

    def same_as(self, name: str, other: str) -> bool:
        """Return whether two tensors have the same shape, format and bytes; if so, set the first aside."""
        first, second = self._entry(name), self._entry(other)
        same = first.format is not None and (first.format, first.shape) == (second.format, second.shape)
        if same and first.read() == second.read():
            self.aside[name] = f"equal to {other}"
            return True
        return False

    def finish(self, views: Iterable[View]) -> dict[str, Tensor]:
        """Return the tensors of the network, given its views."""
        used = {view.tensor for view in views}
        unknown = [name for name in self.stored if name not in used and name not in self.aside]
        if unknown:
            raise InputError(f"{self.where}: tensor {unknown[0]} ({self.stored[unknown[0]]}) is not understood"
                             + (f", nor are {len(unknown) - 1} more" if len(unknown) > 1 else ""))
        return {name: tensor for name, tensor in self.tensors.items() if name in used}


# -- views -------------------------------------------------------------------------------------------------------------


def transposed(view: View) -> View:
    """Return the transposed view."""
    return replace(view, shape=view.shape[::-1], strides=view.strides[::-1])


def rows(view: View, first: int, count: int) -> View:
    """Return some rows of a matrix, or elements of a vector."""
    return replace(view, start=view.start + first * view.strides[0], shape=(count, *view.shape[1:]))


def columns(view: View, first: int, count: int, step: int = 1) -> View:
    """Return some columns of a matrix."""
    return replace(view, start=view.start + first * view.strides[1], shape=(view.shape[0], count),
                   strides=(view.strides[0], view.strides[1] * step))


def outputs(affine: Affine, first: int, count: int) -> Affine:
    """Return some outputs of an affine map."""
    return Affine(columns(affine.weight, first, count), affine.bias and rows(affine.bias, first, count))
