"""Programs of torch.export (.pt2) as graphs of ONNX: the archive is read as data, and its operations are spelled out.

Tensors are raw bytes with their strides beside a file of JSON that has the graph; nothing in it is run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.archive import Archive
from constructions.importing.contents import MAX_DIMENSIONS, MAX_FILE_BYTES
from constructions.importing.graph.aten import MAKING_NEW, OPSET, translate
from constructions.importing.graph.aten_call import Program, Unfit
from constructions.importing.graph.aten_complex import as_pairs, in_pairs
from constructions.importing.graph.aten_values import ELEMENTS, TYPES, shape_of, tensors_of
from constructions.importing.graph.exported_lengths import concrete, holds, symbol_of
from constructions.importing.graph.state import MAX_ELEMENTS
from constructions.text import printable

MAX_NODES = 20_000
SCHEMA = 8
ACCEPTS_ONE = 2
"""Sizes of 2 or more are what torch writes of any axis; its programs take 1 there."""
_DAMAGED = (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, ArithmeticError)
_WORDS = {"parameter": "parameter_name", "buffer": "buffer_name", "tensor_constant": "tensor_constant_name"}


@dataclass(frozen=True)
class ExportedProgram:
    """A program, its tensors, the symbols of its input's sizes (the last one: of its length), and which lengths it has.

    ``length`` is None if there are several; ``greatest`` is None if it has no end; ``guards`` hold of what it is for.
    """

    where: str
    part: Mapping[str, Any]
    tensors: Mapping[str, Any]
    symbols: tuple[str | None, ...]
    length: int | None
    least: int
    greatest: int | None
    guards: tuple[str, ...] = ()

    def model(self, count: int) -> tuple[Any, bool]:
        """For inputs of so many tokens, as a model of ONNX; whether scales that are roots were rounded.

        Raises:
            InputError: if the program has an operation that is not read.
        """
        sizes = {name: 1 for name in self.symbols[:-1] if name} | {name: count for name in self.symbols[-1:] if name}
        try:
            graph = concrete(self.part["graph"], sizes) if sizes else self.part["graph"]
            program = Program(*in_pairs(graph["tensor_values"]))
            self._expect_guards(graph, count)
            _inputs(program, self.part, self.tensors, self.where)
            nodes = graph["nodes"]
            if len(nodes) > MAX_NODES:
                raise InputError(f"{self.where}: {len(nodes)} nodes, expected at most {MAX_NODES}")
            _expect_nothing_shared(nodes, self.part, self.where)
        except InputError:
            raise
        except _DAMAGED:
            raise InputError(f"{self.where}: not a whole program of torch.export.save") from None
        for node in nodes:
            _translated(program, node, self.where)
        return _model(program, self.part, self.where), program.rounded

    def _expect_guards(self, graph: Mapping[str, Any], count: int) -> None:
        for guard in self.guards:
            said = f"{self.where}: guard {printable(guard)[:80]}"
            try:
                fits = holds(guard, lambda name: shape_of(graph["tensor_values"][name]))
            except _DAMAGED:
                raise InputError(f"{said} is not read, expected a condition on sizes of inputs") from None
            if not fits:
                raise InputError(f"{said} is false for {count} tokens, expected a program for every length")


def read_exported_program(data: bytes, where: str, given: Collection[str] = ()) -> ExportedProgram:
    """The program, whose tokens are no input that is given otherwise.

    Raises:
        InputError: if the archive is damaged.
    """
    try:
        import onnx  # noqa: F401
    except ModuleNotFoundError:
        raise InputError(f"{where}: the package onnx is not installed; expected it (the extra onnx)") from None
    archive = Archive(data, where, MAX_FILE_BYTES)
    try:
        folder, whole = _only_program(archive, where)
        tensors = _tensors(archive, folder)
        part = whole["graph_module"]
        symbols, length = _lengths(part, given)
        *batches, ends = [whole["range_constraints"].get(symbol, {}) for symbol in symbols] or [{}]
        if any((end.get("min_val") or 0) > ACCEPTS_ONE for end in batches):
            raise InputError(f"{where}: a program for batches of several sequences alone, expected one that takes one")
        return ExportedProgram(where, part, tensors, symbols, length, int(ends.get("min_val") or 0),
                               None if ends.get("max_val") is None else int(ends["max_val"]),
                               tuple(whole.get("guards_code") or ()))
    except InputError:
        raise
    except _DAMAGED:
        raise InputError(f"{where}: not a whole program of torch.export.save") from None


def _only_program(archive: Archive, where: str) -> tuple[str, Any]:
    """The folder of the one program in the archive, and its JSON.

    Raises:
        InputError: if there are several, or it is of another version of the format.
    """
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
    """The symbols of the sizes of the tokens, and their number if that is one."""
    for spec in part["signature"]["input_specs"]:
        name = spec.get("user_input", {}).get("arg", {}).get("as_tensor", {}).get("name")
        if name is not None and name not in given:
            sizes = part["graph"]["tensor_values"][name]["sizes"]
            symbols = tuple(symbol_of(size) for size in sizes)
            return symbols, None if symbols and symbols[-1] else int(sizes[-1]["as_int"]) if sizes else 1
    return (), 1


def _expect_nothing_shared(nodes: Any, part: Mapping[str, Any], where: str) -> None:
    """Reject a read of what was changed in place under another name, and a change of what the program was given.

    Every operation that is not known to make new memory may leave its results in that of all tensors that it reads.
    """
    given = [str(name) for name in tensors_of(part["graph"]["inputs"])]
    group = {name: {name} for name in given}
    stale: dict[str, str] = {}

    def expect_unchanged(names: Any) -> None:
        for name in names:
            if name in stale:
                raise InputError(f"{where}: node {printable(stale[name])[:80]}: changes an array in place that is read "
                                 f"again under another name, expected a new array")

    for node in nodes:
        operation = str(node["target"]).removeprefix("torch.ops.").split(".")[1]
        read, made = ([*map(str, tensors_of(part))] for part in (
            [one["arg"] for one in node["inputs"]], node["outputs"]))
        expect_unchanged(read)
        in_place = (operation.endswith("_") and not operation.endswith("__")) or operation.startswith("__i")
        own = {*made}
        for name in [] if operation in MAKING_NEW and not in_place else read[:1] if in_place else read:
            own |= group.setdefault(name, {name})
        if in_place:
            said = str(node["name"] or operation)
            if own & {*given} or {*read[1:]} & (own - {*read[:1]}):
                raise InputError(f"{where}: node {printable(said)[:80]}: changes in place what the program is given, "
                                 f"or reads what it changes, expected a new array")
            stale |= dict.fromkeys(own - {*made}, said)
        for name in own:
            group[name] = own
    expect_unchanged(str(name) for spec in part["signature"]["output_specs"] for name in tensors_of([*spec.values()]))


def _translated(program: Program, node: Any, where: str) -> None:
    name = "a node"
    try:
        target = str(node["target"]).removeprefix("torch.ops.")
        name = f"node {printable(str(node.get('name') or target))[:80]} ({printable(target)[:60]})"
        translate(program, node, target)
    except Unfit as problem:
        raise InputError(f"{where}: {name}: {problem}") from None
    except _DAMAGED:
        raise InputError(f"{where}: {name}: its arguments are none that are expected") from None


def _tensors(archive: Archive, folder: str) -> dict[str, Any]:
    """All tensors of the archive."""
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
    """The elements of a tensor, in the order of its strides."""
    kind, shape = meta["dtype"], shape_of(meta)
    strides = [int(one["as_int"]) for one in meta["strides"]]
    first = int(meta["storage_offset"]["as_int"])
    elements = np.frombuffer(data, ELEMENTS[kind])
    last = first + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if len(shape) > MAX_DIMENSIONS or math.prod(shape) > MAX_ELEMENTS or min([first, *strides, *shape]) < 0 or (
            0 not in shape and last >= len(elements)):
        raise ValueError
    places = np.full(shape, first, np.int64)
    for axis, (size, stride) in enumerate(zip(shape, strides, strict=True)):
        places += (np.arange(size) * stride).reshape(-1, *[1] * (len(shape) - 1 - axis))
    return elements[places]


def _inputs(program: Program, part: Any, tensors: Mapping[str, Any], where: str) -> None:
    """Parameters and buffers as initialisers, and the one input that is given."""
    for spec in part["signature"]["input_specs"]:
        ((kind, inner),) = spec.items()
        if kind == "user_input":
            program.inputs += [inner["arg"]["as_tensor"]["name"]] if "as_tensor" in inner["arg"] else []
            continue
        stored = inner[_WORDS[kind]] if kind in _WORDS else None
        if stored is None or stored not in tensors:
            raise InputError(f"{where}: input {printable(str(stored or kind))[:80]} of the program is no tensor of the "
                             f"archive")
        name = inner["arg"]["name"]
        program.initializer(name, as_pairs(tensors[stored]), program.values[name]["dtype"])


def _model(program: Program, part: Any, where: str) -> Any:
    from onnx import helper

    try:
        specs = part["signature"]["output_specs"]
        if any("user_output" not in spec for spec in specs):
            raise InputError(f"{where}: a program that changes its buffers, expected one that makes logits alone")
        returned = [spec["user_output"]["arg"] for spec in specs]
        if not returned or "as_tensor" not in returned[0]:
            raise InputError(f"{where}: the first output is not an array, expected logits of tokens")
        outputs = [one["as_tensor"]["name"] for one in returned if "as_tensor" in one]
        inputs = [helper.make_tensor_value_info(name, TYPES[program.values[name]["dtype"]],
                                                shape_of(program.values[name])) for name in program.inputs]
        shown = [helper.make_tensor_value_info(name, TYPES[program.values[name]["dtype"]], None) for name in outputs]
    except InputError:
        raise
    except _DAMAGED:
        raise InputError(f"{where}: not a whole program of torch.export.save") from None
    stated = [helper.make_tensor_value_info(name, TYPES[meta["dtype"]], shape_of(meta))
              for name, meta in program.values.items()]
    graph = helper.make_graph(program.nodes, "program", inputs, shown, program.initializers, value_info=stated)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
