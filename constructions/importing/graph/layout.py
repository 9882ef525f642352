"""Layout of a graph's computation on one stream: coordinates of values, and the steps that read and write them.

A *sum* (``SumBase``) that an operation reads is a block of the stream. Every value is written where it is needed as
soon as it is computed, so a sum and its continuation share a block: the residual stream. Where only a norm is read
later, it replaces the stream; a norm that is read together with other values is written beside them.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from constructions.importing.graph.affine_forms import (
    Array,
    Base,
    Exactness,
    Flat,
    HeadBase,
    HiddenUnits,
    NormBase,
    NotUnderstood,
    SoftmaxHeads,
    SumBase,
    TokenBase,
    UnitBase,
)
from constructions.trained.network import Rounding


@dataclass(frozen=True)
class Read:
    """base · matrix + bias; without a base only the bias."""

    base: SumBase | NormBase | None
    matrix: Array
    bias: Array | None


@dataclass(eq=False)
class Operation:
    """A computation at its place: heads, hidden units, a written norm, or a mapped sum.

    ``others`` are hidden units computed together with it.
    """

    what: SoftmaxHeads | HiddenUnits | NormBase | SumBase
    made: list[Base] = field(default_factory=list)
    order: int = 0
    others: list[HiddenUnits] = field(default_factory=list)

    @property
    def units(self) -> list[HiddenUnits]:
        """All hidden units computed together, in order."""
        return [self.what, *self.others] if isinstance(self.what, HiddenUnits) else []


@dataclass(eq=False)
class StreamBlock:
    """Coordinates of the stream: terms written there, and constants with the operation that writes them (0: start)."""

    size: int
    terms: dict[Base, Array]
    constants: list[tuple[int, Array]]
    first: int = 0

    @property
    def part(self) -> slice:
        """Its coordinates."""
        return slice(self.first, self.first + self.size)


@dataclass
class Epoch:
    """Operations after ``start``, before ``end``, on these blocks; the stream begins as a norm, or is embedded."""

    start: int
    end: int
    blocks: list[StreamBlock] = field(default_factory=list)
    block_of: dict[SumBase, StreamBlock] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """Width of the stream."""
        return sum(block.size for block in self.blocks)


class Plan:
    """The operations in order, and the blocks of each epoch."""

    def __init__(self, output: Flat, exactness: Exactness) -> None:
        self.exactness = exactness
        self._found: dict[Any, Operation] = {}
        self._wrapped: dict[NormBase, SumBase] = {}
        self.written: set[NormBase] = set()
        self._raw: dict[int, tuple[Flat, Read]] = {}
        self._seen: set[Base] = set()
        final = self._plain(output)
        if isinstance(final.base, NormBase):
            self.written.add(final.base)
        self._collect(final.base)
        while more := {base for operation in self._found.values() for bases in [self._read_by(operation)]
                       if len(bases) > 1 for base in bases if isinstance(base, NormBase)}:
            self.written |= more  # norms read together with other values
        self.output = self.read(output)
        for norm in self.written:
            self._found.setdefault(norm, Operation(norm, [norm], norm.order))
        self.operations = sorted(self._found.values(), key=lambda one: one.order)
        self._time: dict[Base, int] = {}
        self._side_by_side()
        self._reads = self._read_times()
        self.epochs = self._epochs()

    # -- operations ----------------------------------------------------------------------------------------------------

    def _plain(self, flat: Flat) -> Read:
        """Return how a form is read, before written norms are known."""
        if id(flat) not in self._raw:
            self._raw[id(flat)] = flat, self._read(flat)
        return self._raw[id(flat)][1]

    def _read(self, flat: Flat) -> Read:
        if len(flat.terms) <= 1 and all(len(one) == 1 for one in flat.constants):
            bias = None
            for one in flat.constants:
                bias = one[0] if bias is None else self.exactness.sum(bias, one[0])
            if not flat.terms:
                return Read(None, np.zeros((0, flat.size)), bias)
            ((base, matrix),) = flat.terms.items()
            if isinstance(base, SumBase | NormBase):
                return Read(base, matrix, bias)
        return Read(flat.as_sum(), np.eye(flat.size), None)

    def read(self, flat: Flat) -> Read:
        """Return how a form is read: written norms are read in the stream."""
        plain = self._plain(flat)
        if isinstance(plain.base, NormBase) and plain.base in self.written:
            return Read(self.wrapped(plain.base), plain.matrix, plain.bias)
        return plain

    def wrapped(self, norm: NormBase) -> SumBase:
        """Return a written norm as a sum."""
        if norm not in self._wrapped:
            self._wrapped[norm] = norm.values().as_sum()
        return self._wrapped[norm]

    def forms(self, operation: Operation) -> list[Flat]:
        """Return the inputs of heads or hidden units."""
        what = operation.what
        if isinstance(what, SoftmaxHeads):
            return [flat for head in what.heads for flat in (head.query, head.key, head.value)]
        return [flat for one in operation.units for flat in (one.inward, *([one.gate] if one.gate else []))]

    def _collect(self, base: Base | None) -> None:
        waiting = [base] if base else []
        while waiting:
            one = waiting.pop()
            if one in self._seen:
                continue
            self._seen.add(one)
            if isinstance(one, NormBase):
                under = self._plain(one.of.flat).base
                if isinstance(under, NormBase):
                    self.written.add(under)
                waiting += [under] if under else []
            elif isinstance(one, SumBase):
                for term in one.flat.terms:
                    waiting.append(term)
                    if isinstance(term, SumBase):
                        self._found.setdefault(term, Operation(term, [term], term.order))
                    elif isinstance(term, NormBase):
                        self.written.add(term)
            elif isinstance(one, HeadBase | UnitBase):
                what = one.attention if isinstance(one, HeadBase) else one.units
                operation = self._found.setdefault(what, Operation(
                    what, [], what.order if isinstance(what, SoftmaxHeads) else one.order))
                operation.made.append(one)
                waiting += [base for flat in self.forms(operation) for base in [self._plain(flat).base] if base]

    def _side_by_side(self) -> None:
        """Merge hidden units with earlier ones on which they do not depend into one step."""
        alone: list[Operation] = []
        for one in self.operations:
            beside_it = next((other for other in alone if self._fits_beside(one, other)), None)
            if beside_it is None:
                alone.append(one)
                self._time |= dict.fromkeys(one.made, len(alone))
            else:
                beside_it.others += one.units
                beside_it.made += one.made
                self._time |= dict.fromkeys(one.made, self._time[beside_it.made[0]])
        self.operations = alone

    def _read_by(self, operation: Operation) -> set[SumBase | NormBase | None]:
        """Return the bases read by heads or hidden units."""
        return {self.read(flat).base for flat in self.forms(operation)} - {None}

    def _fits_beside(self, one: Operation, other: Operation) -> bool:
        if not isinstance(one.what, HiddenUnits) or not isinstance(other.what, HiddenUnits) or (
                isinstance(one.what.activation, Rounding) or one.what.activation != other.what.activation
                or (one.what.gate is None) != (other.what.gate is None)
                or self.norm_of(one) is not self.norm_of(other)):
            return False
        time, read = self._time[other.made[0]], (self.read(flat).base for flat in self.forms(one))
        sums = (self.read(base.of.flat).base if isinstance(base, NormBase) else base for base in read)
        return all(self._when(term) < time for base in sums if isinstance(base, SumBase) for term in base.flat.terms)

    def norm_of(self, operation: Operation) -> NormBase | None:
        """Return the norm inside an operation."""
        if isinstance(operation.what, NormBase):
            return operation.what
        bases = self._read_by(operation)
        found = next(iter(bases)) if len(bases) == 1 else None
        return found if isinstance(found, NormBase) else None

    def _read_times(self) -> dict[SumBase, list[int]]:
        """Return the times at which each sum is read; the logits are read after all operations."""
        found: dict[SumBase, list[int]] = {}
        for index, operation in enumerate(self.operations, 1):
            norm = self.norm_of(operation)
            sums: list[Base | None] = [operation.what] if isinstance(operation.what, SumBase) else [
                self.read(flat).base for flat in ([norm.of.flat] if norm else self.forms(operation))]
            for one in dict.fromkeys(sums):
                if isinstance(one, SumBase):
                    found.setdefault(one, []).append(index)
        if isinstance(self.output.base, SumBase):
            found.setdefault(self.output.base, []).append(len(self.operations) + 1)
        return found

    # -- coordinates ---------------------------------------------------------------------------------------------------

    def _epochs(self) -> list[Epoch]:
        """Return the epochs; one begins with each norm that replaces the stream."""
        last = len(self.operations) + 1
        starts = [index for index, operation in enumerate(self.operations, 1)
                  if isinstance(operation.what, NormBase) and self._is_all(operation.what, index)]
        while True:
            bounds = [0, *starts, last + 1]
            epochs = [self._epoch(start, end) for start, end in pairwise(bounds)]
            bad = [epoch.start for epoch in epochs[1:] if not self._is_norm(epoch)]
            if not bad:
                return epochs
            starts.remove(bad[0])

    def _is_all(self, norm: NormBase, index: int) -> bool:
        """Return whether no value written before this norm is read after it."""
        for one, times in self._reads.items():
            if max(times) <= index:
                continue
            if min(times) <= index or any(self._when(term) < index for term in one.flat.terms) or any(
                    len(constant) > 1 for constant in one.flat.constants):
                return False
        return True

    def _is_norm(self, epoch: Epoch) -> bool:
        """Return whether the stream begins as the norm only."""
        norm = self.operations[epoch.start - 1].what
        matrix = epoch.blocks[0].terms.get(norm) if len(epoch.blocks) == 1 and isinstance(norm, NormBase) else None
        return matrix is not None and matrix.shape[0] == matrix.shape[1] and bool((matrix == np.eye(len(matrix))).all())

    def _when(self, base: Base) -> int:
        return 0 if isinstance(base, TokenBase) else self._time[base]

    def _epoch(self, start: int, end: int) -> Epoch:
        """Return the epoch with blocks for its sums: each in the first block that it fits into."""
        epoch = Epoch(start, end)
        shared: list[list[SumBase]] = []
        read = [(times, one) for one, times in self._reads.items() if start < times[0] <= end]
        for _, one in sorted(read, key=lambda pair: (pair[0][0], pair[1].order)):
            for group in shared:
                if group[0].size == one.size and self._block([*group, one], epoch):
                    group.append(one)
                    break
            else:
                shared.append([one])
        for group in shared:
            block = self._block(group, epoch)
            if block is None:
                raise NotUnderstood("a sum that cannot be stored in one block")
            block.first = epoch.width
            epoch.blocks.append(block)
            epoch.block_of |= dict.fromkeys(group, block)
        return epoch

    def _block(self, sums: list[SumBase], epoch: Epoch) -> StreamBlock | None:
        """Return the block shared by these sums: when one is read, it alone is there; None if impossible."""
        terms: dict[Base, Array] = {}
        for one in sums:
            for base, matrix in one.flat.terms.items():
                if base in terms and not np.array_equal(terms[base], matrix):
                    return None
                terms[base] = matrix
        times = [(one, time) for one in sums for time in self._reads[one]]
        for one, time in times:
            if {base for base in terms if self._when(base) < time} != one.flat.terms.keys():
                return None
        constants = []
        for constant, number in _distinct(sums):
            having = {one for one in sums if sum(c is constant for c in one.flat.constants) > number}
            least = max([time for one, time in times if one not in having], default=epoch.start)
            most = min(time for one, time in times if one in having)
            when = self._constant_time(least, most, terms, epoch, is_table=len(constant) > 1)
            if when is None:
                return None
            constants.append((when, constant))
        return StreamBlock(sums[0].size, terms, constants)

    def _constant_time(self, least: int, most: int, terms: dict[Base, Array], epoch: Epoch,
                       is_table: bool) -> int | None:
        """Return the operation with which a constant is written: one that writes there at a suitable time, if any."""
        own: list[int] = sorted({self._when(base) for base in terms})
        later = [time for time in [*own, *range(least, most)] if max(least, epoch.start + 1) <= time < most
                 and time <= len(self.operations)]
        if not is_table and later:
            return int(later[0])
        return epoch.start if least <= epoch.start else None


def _distinct(sums: list[SumBase]) -> list[tuple[Array, int]]:
    """Return the constants of all sums, each with its greatest multiplicity in one of them."""
    found: dict[tuple[int, int], Array] = {}
    for one in sums:
        met: dict[int, int] = {}
        for constant in one.flat.constants:
            number = met.get(id(constant), 0)
            met[id(constant)] = number + 1
            found[id(constant), number] = constant
    return [(constant, number) for (_, number), constant in found.items()]
