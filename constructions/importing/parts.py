"""What recognisers find, and the tensors of a file as its weights: taken by name with their shapes checked."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from constructions.errors import InputError
from constructions.importing.contents import Contents, Stored
from constructions.trained.network import Affine, Attends, AttentionStep, NormStep, Readout, Step, Tensor, View
from constructions.trained.validation import check_total_bytes


@dataclass(frozen=True)
class Interface:
    """The program of a file as it is run: the lengths that it reads, and what follows its logits.

    ``length`` is None if it reads several lengths from ``least`` on. Where all keys of a token are of one of the sets
    ``hidden``, it may compute something else than what was read.
    """

    length: int | None
    least: int
    ending: str
    hidden: tuple[frozenset[int], ...] = ()


@dataclass(frozen=True)
class RecognisedNetwork:
    """A network whose tensors are still with the weights; ``kind`` is what the files are called in the report.

    ``pooled``: logits are read from the mean over all tokens, after these norms; None: from single tokens.
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
        """The number of positions that its tables have; None: there is no table."""
        tables = [self.positions] if self.positions else []
        tables += [step.rotary.cosines for step in self.steps if isinstance(step, AttentionStep) and step.rotary]
        return min((table.shape[0] for table in tables), default=None)


def numbered(names: Iterable[str], before: str, after: str, where: str, told: int | None = None) -> int:
    """How many layers there are, by the numbers between two parts of their names, which are 0, 1, 2, …"""
    pattern = re.compile(re.escape(before) + r"(\d{1,6})" + re.escape(after), re.ASCII)
    numbers = {int(match[1]) for name in names if (match := pattern.match(name))}
    if numbers != set(range(len(numbers))):
        raise InputError(f"{where}: layers {sorted(numbers)[:20]} of {before}…, expected 0 to {len(numbers) - 1}")
    if told not in (None, len(numbers)):
        raise InputError(f"{where}: {len(numbers)} layers, expected {told}, as another file says")
    return len(numbers)


def ending(names: Iterable[str], end: str) -> str | None:
    """What stands before this end in the first name that has it."""
    return next((name.removesuffix(end) for name in names if name == end or name.endswith("." + end)), None)


class TensorReader:
    """Takes tensors and remembers which; what is neither taken nor set aside at the end is an error."""

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
            raise InputError(f"{self.where}: no tensor {name}, which other tensors need")
        return self.stored[name]

    def take(self, name: str, *shape: int | None) -> Tensor:
        """Return the tensor, whose shape must be this one; None stands for any size."""
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
        """Return the whole of a tensor with two dimensions."""
        shape = self.take(name, rows, columns).shape
        return View(name, 0, shape, (shape[1], 1))

    def linear(self, name: str, inward: int | None = None, outward: int | None = None) -> View:
        """Return the weight [in, out] of a torch Linear, which is stored [out, in]."""
        return transposed(self.matrix(name, outward, inward))

    def vector(self, name: str, size: int | None = None) -> View:
        """Return the whole of a tensor with one dimension."""
        return View(name, 0, self.take(name, size).shape, (1,))

    def vector_if(self, name: str, size: int | None = None) -> View | None:
        """Likewise, or None if there is no such tensor."""
        return self.vector(name, size) if name in self else None

    def planes(self, name: str, *shape: int | None) -> tuple[View, ...]:
        """Return a tensor with three dimensions as matrices, one for each index of the first."""
        count, rows, columns = self.take(name, *shape).shape
        return tuple(View(name, plane * rows * columns, (rows, columns), (columns, 1)) for plane in range(count))

    def linear_with_bias(self, name: str, inward: int | None = None, outward: int | None = None) -> Affine:
        """Return a torch Linear: NAME.weight and, if it is there, NAME.bias."""
        weight = self.linear(f"{name}.weight", inward, outward)
        return Affine(weight, self.vector_if(f"{name}.bias", weight.shape[1]))

    def put(self, name: str, tensor: Tensor) -> View:
        """Return a matrix that was computed; its name begins with ``computed.``."""
        self.tensors[name] = tensor
        return View(name, 0, tensor.shape, (tensor.shape[1], 1))

    def same_as(self, name: str, other: str) -> bool:
        """Whether two tensors have the same shape, format and bytes; then the first is set aside."""
        first, second = self._entry(name), self._entry(other)
        same = first.format is not None and (first.format, first.shape) == (second.format, second.shape)
        if same and first.read() == second.read():
            self.aside[name] = f"the same as {other}"
            return True
        return False

    def finish(self, views: Iterable[View]) -> dict[str, Tensor]:
        """Return the tensors of the network, whose views are given."""
        used = {view.tensor for view in views}
        unknown = [name for name in self.stored if name not in used and name not in self.aside]
        if unknown:
            raise InputError(f"{self.where}: tensor {unknown[0]} ({self.stored[unknown[0]]}) is not understood"
                             + (f", nor are {len(unknown) - 1} more" if len(unknown) > 1 else ""))
        return {name: tensor for name, tensor in self.tensors.items() if name in used}


# -- views -------------------------------------------------------------------------------------------------------------


def transposed(view: View) -> View:
    """Rows for columns."""
    return replace(view, shape=view.shape[::-1], strides=view.strides[::-1])


def rows(view: View, first: int, count: int) -> View:
    """Return some rows of a matrix, or elements of a vector."""
    return replace(view, start=view.start + first * view.strides[0], shape=(count, *view.shape[1:]))


def columns(view: View, first: int, count: int, step: int = 1) -> View:
    """Return some columns of a matrix."""
    return replace(view, start=view.start + first * view.strides[1], shape=(view.shape[0], count),
                   strides=(view.strides[0], view.strides[1] * step))


def outputs(affine: Affine, first: int, count: int) -> Affine:
    """Return some of the numbers that an affine map makes."""
    return Affine(columns(affine.weight, first, count), affine.bias and rows(affine.bias, first, count))
