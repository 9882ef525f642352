"""Programs of torch.export (.pt2) as graphs of ONNX: the archive is read as data, and its operations are translated.

Tensors are raw bytes with strides beside a JSON file with the graph; no code is executed. Constants share memory as in
torch: an in-place change of a view changes all. For other arrays, and where sharing is not certain, a changed array
must not be read under another name.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.array_files import Archive
from constructions.importing.contents import MAX_DIMENSIONS, MAX_FILE_BYTES, Stored
from constructions.importing.graph.aten import TRANSLATORS, in_pairs, translate
from constructions.importing.graph.aten_call import BFLOAT, ELEMENTS, AtenGraph, Unfit, shape_of, tensors_of
from constructions.importing.graph.exported_lengths import UnknownSize, concrete, holds, symbol_of
from constructions.importing.graph.operators import OPSET, Graph, Input
from constructions.importing.graph.state import MAX_ELEMENTS
from constructions.text import printable

MAX_NODES = 20_000
SCHEMA = 8
ACCEPTS_ONE = 2
"""torch writes the range of every axis from 2 on; its programs also accept 1."""
_DAMAGED = (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, ArithmeticError)
_FORMATS = {"float32": "binary32", "float64": "binary64", "float16": "binary16", "uint16": "bfloat16"}
_WORDS = {"parameter": "parameter_name", "buffer": "buffer_name", "tensor_constant": "tensor_constant_name"}


@contextmanager
def _as_whole(where: str, unknown: str = "{}") -> Iterator[None]:
    """Convert errors about a damaged program, or sizes independent of the length, to one line."""
    try:
        yield
    except InputError:
        raise
    except UnknownSize as problem:
        raise InputError(f"{where}: {unknown.format(printable(str(problem))[:120])}") from None
    except _DAMAGED:
        raise InputError(f"{where}: not a whole program of torch.export.save") from None


@dataclass(frozen=True)
class ExportedProgram:
    """A program, its tensors, the symbols of its input's sizes (the last one: its length), and its lengths.

    ``length`` is None for several lengths; ``greatest`` is None if unbounded; ``guards`` are its preconditions.
    """

    where: str
    part: Mapping[str, Any]
    tensors: Mapping[str, Any]
    symbols: tuple[str | None, ...]
    length: int | None
    least: int
    greatest: int | None
    guards: tuple[str, ...] = ()

    def graph(self, count: int) -> tuple[Graph, bool]:
        """Return the graph for this number of tokens, and whether scales that are roots were rounded."""
        sizes = {name: 1 for name in self.symbols[:-1] if name} | {name: count for name in self.symbols[-1:] if name}
        with _as_whole(self.where, "size {} does not follow from the number of tokens, expected one that does"):
            graph = concrete(self.part["graph"], sizes)
            program = AtenGraph(*in_pairs(graph["tensor_values"]), count)
            for guard in self.guards:
                self._expect_true(guard, graph, count)
            _inputs(program, self.part, self.tensors, self.where)
            nodes = graph["nodes"]
            if len(nodes) > MAX_NODES:
                raise InputError(f"{self.where}: {len(nodes)} nodes, expected at most {MAX_NODES}")
            given = [str(name) for name in tensors_of(self.part["graph"]["inputs"])]
        translation = _GraphTranslation(program, SharedMemory(given), self.where)
        for node in nodes:
            translation.translate(node)
        made = _graph(program, self.part, self.tensors, self.where)
        translation.expect_output(made.outputs[0])
        return made, program.rounded

    def _expect_true(self, guard: str, graph: Mapping[str, Any], count: int) -> None:
        said = f"{self.where}: guard {printable(guard)[:80]}"
        try:
            fits = holds(guard, lambda name: shape_of(graph["tensor_values"][name]))
        except _DAMAGED:
            raise InputError(f"{said} is not read, expected a condition on sizes of inputs") from None
        if not fits:
            raise InputError(f"{said} is false for {count} tokens, expected a program for every length")


def read_exported_program(data: bytes, where: str, given: Collection[str] = ()) -> ExportedProgram:
    """Read the program, whose tokens are the input that is not in ``given``."""
    archive = Archive(data, where, MAX_FILE_BYTES)
    with _as_whole(where, "inputs of a size that is computed of others, {}; expected one length, or a dimension of its "
                          "own, as torch.export.Dim makes it"):
        folder, whole = _only_program(archive, where)
        tensors = _tensors(archive, folder)
        part = whole["graph_module"]
        symbols, length = _lengths(part, given)
        *batches, ends = [whole["range_constraints"].get(symbol, {}) for symbol in symbols] or [{}]
        if any((end.get("min_val") or 0) > ACCEPTS_ONE for end in batches):
            raise InputError(f"{where}: a program for batches of several sequences only, expected one that accepts one")
        return ExportedProgram(where, part, tensors, symbols, length, int(ends.get("min_val") or 0),
                               None if ends.get("max_val") is None else int(ends["max_val"]),
                               tuple(whole.get("guards_code") or ()))


def _only_program(archive: Archive, where: str) -> tuple[str, Any]:
    """Return the folder of the one program in the archive, and its JSON."""
    models = [name for name in archive.sizes if f"/{name}".rpartition("/")[0].endswith("/models")]
    if len(models) != 1 or not models[0].endswith("models/model.json"):
        raise InputError(f"{where}: not a whole program of torch.export.save: programs "
                         f"{', '.join(map(printable, models[:4])) or '(none)'}, expected one, models/model.json")
    whole = json.loads(archive.read(models[0]))
    if whole["schema_version"]["major"] != SCHEMA or {*whole["opset_version"]} != {"aten"}:
        raise InputError(f"{where}: a program of version {printable(str(whole['schema_version']['major']))[:20]} of "
                         f"the format with operations of {printable(', '.join(whole['opset_version']))[:80]}, "
                         f"expected version {SCHEMA} with those of aten")
    return models[0].removesuffix("models/model.json"), whole


def _lengths(part: Mapping[str, Any], given: Collection[str]) -> tuple[tuple[str | None, ...], int | None]:
    """Return the symbols of the sizes of the tokens, and their number if it is fixed."""
    for spec in part["signature"]["input_specs"]:
        name = spec.get("user_input", {}).get("arg", {}).get("as_tensor", {}).get("name")
        if name is not None and name not in given:
            sizes = part["graph"]["tensor_values"][name]["sizes"]
            symbols = tuple(symbol_of(size) for size in sizes)
            return symbols, None if symbols and symbols[-1] else int(sizes[-1]["as_int"]) if sizes else 1
    return (), 1


class _GraphTranslation:
    """The translation of nodes one by one; a refusal is raised when the first output depends on it."""

    def __init__(self, program: AtenGraph, memory: SharedMemory, where: str) -> None:
        self.program, self.memory, self.where = program, memory, where
        self.refused: dict[str, InputError] = {}

    def translate(self, node: Any) -> None:
        name, operation, read, made, changes = "a node", "", [], [], True
        try:
            target = str(node["target"]).removeprefix("torch.ops.")
            name = f"node {printable(str(node.get('name') or target))[:80]} ({printable(target)[:60]})"
            library, operation = target.split(".")[:2]
            read, made = ([*map(str, tensors_of(part))] for part in (
                [one["arg"] for one in node["inputs"]], node["outputs"]))
            changes = library != "aten" or is_in_place(operation) or "out" in [one["name"] for one in node["inputs"]]
            self.expect_fit(read)
            self.memory.expect_read(self.program, read, operation)
            translate(self.program, node, target)
            self.memory.made(self.program, operation, read, made, str(node["name"] or operation))
        except InputError as problem:
            self._refuse(problem, operation, read, made, changes)
        except Unfit as reason:
            self._refuse(InputError(f"{self.where}: {name}: {reason}"), operation, read, made, changes)
        except _DAMAGED:
            damage = InputError(f"{self.where}: {name}: its arguments are not the expected ones")
            self._refuse(damage, operation, read, made, changes=True)

    def _refuse(self, problem: InputError, operation: str, read: list[str], made: list[str], changes: bool) -> None:
        """Refuse the results, and with ``changes`` all arrays that may be changed in place."""
        if not made:
            raise problem
        near = self.memory.perhaps(operation, read, made)
        self.refused |= dict.fromkeys(near if changes else made, problem)

    def expect_fit(self, names: Collection[str]) -> None:
        """Reject arrays that depend on a refused result."""
        for name in names:
            if name in self.refused:
                raise self.refused[name]

    def expect_output(self, name: str) -> None:
        """Reject an output that depends on a refused result, or that was changed under another name."""
        self.expect_fit([name])
        try:
            self.memory.expect_read(self.program, [name], "output")
        except Unfit as problem:
            raise InputError(f"{self.where}: output {printable(name)[:80]}: {problem}") from None


def _tensors(archive: Archive, folder: str) -> dict[str, Any]:
    found = {}
    for kind in ("weights", "constants"):
        path = f"{folder}data/{kind}/model_{kind}_config.json"
        if path not in archive.sizes:
            continue
        for name, entry in json.loads(archive.read(path))["config"].items():
            if entry.get("use_pickle") or entry.get("tensor_meta") is None:
                continue  # named where it is needed
            found[name] = _tensor(archive.read(f"{folder}data/{kind}/{entry['path_name']}"), entry["tensor_meta"])
    return found


def _tensor(data: bytes, meta: Mapping[str, Any]) -> Any:
    """Return the elements of a tensor, in the order of its strides."""
    kind, shape = meta["dtype"], shape_of(meta)
    strides = [int(one["as_int"]) for one in meta["strides"]]
    first = int(meta["storage_offset"]["as_int"])
    elements = np.frombuffer(data, ELEMENTS[kind])
    last = first + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if len(shape) > MAX_DIMENSIONS or math.prod(shape) > MAX_ELEMENTS or min([first, *strides, *shape]) < 0 or (
            0 not in shape and last >= len(elements)):
        raise ValueError
    return np.array(np.lib.stride_tricks.as_strided(elements[first:], shape, [
        stride * elements.itemsize for stride in strides]))


def _inputs(program: AtenGraph, part: Any, tensors: Mapping[str, Any], where: str) -> None:
    """Add parameters and buffers as initialisers, and the one input that is given."""
    for spec in part["signature"]["input_specs"]:
        ((kind, inner),) = spec.items()
        if kind == "user_input":
            program.inputs += [str(inner["arg"]["as_tensor"]["name"])] if "as_tensor" in inner["arg"] else []
            continue
        stored = inner[_WORDS[kind]] if kind in _WORDS else None
        if stored is None or stored not in tensors:
            raise InputError(f"{where}: input {printable(str(stored or kind))[:80]} of the program is not one of the "
                             f"archive")
        name = inner["arg"]["name"]
        array = tensors[stored]
        if array.dtype.kind == "c":
            array = np.stack([array.real, array.imag], -1)
        program.constants[name] = (array.astype(np.uint32) << 16).view(np.float32) if (
            program.kind(name) == BFLOAT) else array


def _graph(program: AtenGraph, part: Any, tensors: Mapping[str, Any], where: str) -> Graph:
    with _as_whole(where):
        specs = part["signature"]["output_specs"]
        if any("user_output" not in spec for spec in specs):
            raise InputError(f"{where}: a program that changes its buffers, expected one that only computes logits")
        returned = [spec["user_output"]["arg"] for spec in specs]
        if not returned or "as_tensor" not in returned[0]:
            raise InputError(f"{where}: the first output is not an array, expected logits of tokens")
        outputs = tuple(str(one["as_tensor"]["name"]) for one in returned if "as_tensor" in one)
        inputs = tuple(Input(name, np.dtype(ELEMENTS[program.kind(name)]).name, program.shape(name))
                       for name in program.inputs)
        stored = {name: Stored(array.dtype.name, _FORMATS.get(array.dtype.name), array.shape,
                               np.ascontiguousarray(array).tobytes) for name, array in tensors.items()}
        return Graph(program.nodes, program.constants, inputs, outputs, {"": OPSET}, stored,
                     {name: shape_of(meta) for name, meta in program.values.items()})


# -- memory: shared arrays, in-place changes, and names that must not be read after them -------------------------------

VIEWS = frozenset({
    "slice", "select", "transpose", "permute", "t", "mT", "numpy_T", "swapaxes", "swapdims", "view", "view_as",
    "unflatten", "squeeze", "unsqueeze", "expand", "expand_as", "broadcast_to", "split", "split_with_sizes", "chunk",
    "tensor_split", "unbind", "detach", "alias", "narrow", "movedim"})
"""Operations whose results always share memory with their first argument."""
_MAY_SHARE = VIEWS | {
    "contiguous", "dropout", "to", "_to_copy", "type_as", "detach_", "reshape", "_unsafe_view", "flatten", "reshape_as",
    "ravel", "einsum", "diagonal", "meshgrid"}
"""These and other supported operations whose results may share it."""
_NEW = (TRANSLATORS.keys() - _MAY_SHARE) | {"polar", "complex"}
"""Operations with a result in new memory; all others may return memory of their arguments."""
_TURNING = frozenset({"t_", "transpose_", "squeeze_", "unsqueeze_", "swapaxes_", "swapdims_", "detach_"})
"""Operations in place that do not change elements."""
_BY_SHAPE = frozenset({
    "copy", "copy_", "fill", "fill_", "zero", "zero_", "zeros_like", "ones_like", "full_like", "empty_like",
    "new_zeros", "new_ones", "new_full", "new_empty"})
"""Operations that do not read elements of their first argument."""


class SharedMemory:
    """Names by the memory that they share: certainly (``same``) or perhaps (``near``).

    ``empty``: arrays created without elements, with the elements not yet written.
    """

    def __init__(self, given: Collection[str]) -> None:
        self.given = frozenset(given)
        self.near = {name: {name} for name in given}
        self.same = {name: {name} for name in given}
        self.stale: dict[str, str] = {}
        self.empty: list[tuple[Any, Any]] = []

    def expect_read(self, program: AtenGraph, names: Sequence[str], operation: str) -> None:
        """Reject a read of an array changed under another name, or never written."""
        for place, name in enumerate(names):
            if name in self.stale:
                raise Unfit(f"reads an array that {printable(self.stale[name])[:80]} changes in place under another "
                            f"name, expected a new array")
            reads = operation not in VIEWS and (place > 0 or operation not in _BY_SHAPE)
            unset = self._unset(program.constants.get(name)) if reads else None
            if unset is not None and unset.any():
                raise Unfit("reads an array that was never written")

    def perhaps(self, operation: str, read: list[str], made: list[str]) -> set[str]:
        """Record that the results of an unsupported operation may share memory with its arguments."""
        shared = [] if operation in _NEW and not is_in_place(operation) else read
        near = {*made}.union(*(self.near.get(name, {name}) for name in shared))
        self.near.update(dict.fromkeys(near, near))
        return near

    def made(self, program: AtenGraph, operation: str, read: list[str], made: list[str], said: str) -> None:
        """Record the results of an operation."""
        in_place = is_in_place(operation)
        shared = read[:1] if in_place or operation in VIEWS else [] if operation in _NEW else read
        near = {*made}.union(*(self.near.setdefault(name, {name}) for name in shared))
        certain = in_place or operation in VIEWS
        if certain and not in_place and shared and shared[0] in program.constants:
            first = program.constants[shared[0]]
            certain = all(not one.size or np.may_share_memory(first, one) for one in (
                program.constants[name] for name in made))
        same = {*made}.union(*(self.same.setdefault(name, {name}) for name in shared)) if certain else {*made}
        if in_place:
            if near & self.given or {*read[1:]} & (near - {*read[:1]}):
                raise Unfit("changes an input in place, or reads the array that it changes, expected a new "
                            "array")
            written = bool(read) and self._write(program, operation, read[0], made[0])
            self.stale |= dict.fromkeys((near - same if written else near) - {*made}, said)
        for name in made:
            if operation in _NEW and not in_place and name in program.constants:
                program.constants[name] = np.array(program.constants[name])  # in memory of its own
        if operation in ("empty", "empty_like", "new_empty"):
            self.empty.append((program.constants[made[0]], np.ones(program.shape(made[0]), bool)))
        for names, of in ((near, self.near), (same, self.same)):
            of.update(dict.fromkeys(names, names))

    def _write(self, program: AtenGraph, operation: str, changed: str, made: str) -> bool:
        """Change a constant in place; return whether it is one."""
        target, value = program.constants.get(changed), program.constants.get(made)
        if target is None or value is None or operation in _TURNING or target.shape != value.shape or (
                target.dtype != value.dtype):
            return False
        if not target.flags.writeable:
            raise Unfit("changes elements that are repeated in memory in place, expected a new array")
        value = np.array(value)
        for node in program.nodes:  # earlier reads keep their values
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
    """Return whether an operation changes its first argument."""
    return (operation.endswith("_") and not operation.endswith("__")) or operation.startswith("__i")
