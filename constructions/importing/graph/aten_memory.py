"""Memory of a program's arrays: which share it, what changes it, and which names are not read after that.

Constants share memory as those of torch do: a change in place of a view of one is a change of all. Of other arrays, and
where it is not certain that memory is shared, what was changed is not read again under another name.
"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from constructions.importing.graph.aten_call import Program, Unfit
from constructions.text import printable

VIEWS = frozenset({
    "slice", "select", "transpose", "permute", "t", "mT", "numpy_T", "swapaxes", "swapdims", "view", "view_as",
    "unflatten", "squeeze", "unsqueeze", "expand", "expand_as", "broadcast_to", "split", "split_with_sizes", "chunk",
    "tensor_split", "unbind", "detach", "alias", "narrow", "movedim"})
"""Operations whose results are always in the memory of their first argument."""
MAY_SHARE = VIEWS | {
    "contiguous", "dropout", "to", "_to_copy", "type_as", "detach_", "reshape", "_unsafe_view", "flatten", "reshape_as",
    "ravel", "einsum", "diagonal", "meshgrid"}
"""Those and others that are read and whose results may be there."""
_TURNING = frozenset({"t_", "transpose_", "squeeze_", "unsqueeze_", "swapaxes_", "swapdims_", "detach_"})
"""Operations in place that change no elements."""
_BY_SHAPE = frozenset({
    "copy", "copy_", "fill", "fill_", "zero", "zero_", "zeros_like", "ones_like", "full_like", "empty_like",
    "new_zeros", "new_ones", "new_full", "new_empty"})
"""Operations that read no elements of their first argument."""


class Memory:
    """Names by the memory that they share: certainly (``same``) or perhaps (``near``).

    ``empty``: arrays that a program makes without elements, and which of these were never written.
    """

    def __init__(self, given: Collection[str], new: Collection[str]) -> None:
        self.given, self.new = frozenset(given), new
        self.near = {name: {name} for name in given}
        self.same = {name: {name} for name in given}
        self.stale: dict[str, str] = {}
        self.empty: list[tuple[Any, Any]] = []

    def expect_read(self, program: Program, names: Sequence[str], operation: str) -> None:
        """Reject a read of what was changed under another name, or never written."""
        for place, name in enumerate(names):
            if name in self.stale:
                raise Unfit(f"reads an array that {printable(self.stale[name])[:80]} changes in place under another "
                            f"name, expected a new array")
            reads = operation not in VIEWS and (place > 0 or operation not in _BY_SHAPE)
            unset = self._unset(program.constants.get(name)) if reads else None
            if unset is not None and unset.any():
                raise Unfit("reads an array that is not written")

    def perhaps(self, operation: str, read: list[str], made: list[str]) -> set[str]:
        """Note that the results of an operation that is not read may be in the memory of what it reads."""
        shared = [] if operation in self.new and not is_in_place(operation) else read
        near = {*made}.union(*(self.near.get(name, {name}) for name in shared))
        self.near.update(dict.fromkeys(near, near))
        return near

    def made(self, program: Program, operation: str, read: list[str], made: list[str], said: str) -> None:
        """Note what an operation made."""
        in_place = is_in_place(operation)
        shared = read[:1] if in_place or operation in VIEWS else [] if operation in self.new else read
        near = {*made}.union(*(self.near.setdefault(name, {name}) for name in shared))
        certain = in_place or operation in VIEWS
        if certain and not in_place and shared and shared[0] in program.constants:
            first = program.constants[shared[0]]
            certain = all(not one.size or np.may_share_memory(first, one) for one in (
                program.constants[name] for name in made))
        same = {*made}.union(*(self.same.setdefault(name, {name}) for name in shared)) if certain else {*made}
        if in_place:
            if near & self.given or {*read[1:]} & (near - {*read[:1]}):
                raise Unfit("changes in place what the program is given, or reads what it changes, expected a new "
                            "array")
            written = bool(read) and self._write(program, operation, read[0], made[0])
            self.stale |= dict.fromkeys((near - same if written else near) - {*made}, said)
        for name in made:
            if operation in self.new and not in_place and name in program.constants:
                program.constants[name] = np.array(program.constants[name])  # in memory of its own
        if operation in ("empty", "empty_like", "new_empty"):
            self.empty.append((program.constants[made[0]], np.ones(program.shape(made[0]), bool)))
        for names, of in ((near, self.near), (same, self.same)):
            of.update(dict.fromkeys(names, names))

    def _write(self, program: Program, operation: str, changed: str, made: str) -> bool:
        """Change a constant in place; whether it is one."""
        target, value = program.constants.get(changed), program.constants.get(made)
        if target is None or value is None or operation in _TURNING or target.shape != value.shape or (
                target.dtype != value.dtype):
            return False
        if not target.flags.writeable:
            raise Unfit("changes in place what is repeated in memory, expected a new array")
        value = np.array(value)
        for node in program.nodes:  # what was read before is what it was
            for place, name in enumerate(node.input):
                if name in program.constants and np.may_share_memory(program.constants[name], target):
                    node.input[place] = program.snapshot(name)
        target[...] = value
        program.constants[made] = target
        if (unset := self._unset(target)) is not None:
            unset[...] = False
        if made in program.inexact:
            program.inexact |= self.same[changed]
        return True

    def _unset(self, view: Any) -> Any:
        """Return which elements of a view of an empty array were never written; None for other arrays."""
        for whole, unset in self.empty if view is not None else ():
            if np.may_share_memory(whole, view):
                first = (view.__array_interface__["data"][0] - whole.__array_interface__["data"][0]) // whole.itemsize
                strides = [stride // whole.itemsize for stride in view.strides]
                return np.lib.stride_tricks.as_strided(unset.reshape(-1)[first:], view.shape, strides)
        return None


def is_in_place(operation: str) -> bool:
    """Whether an operation changes its first argument."""
    return (operation.endswith("_") and not operation.endswith("__")) or operation.startswith("__i")
