"""Second interpreter of programs of torch.export (.pt2), to compare an imported network with its file.

It shares no code with the importer. The archive is data (zip, JSON, raw bytes of tensors): neither torch.load nor
torch.export.load is called. Each node is a call of torch's own operation of that name on tensors, so types, views and
in-place changes are those of torch. Only the operations listed here are called.
"""

import ast
import io
import json
import operator
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.text import printable

Run = Callable[[Sequence[int]], Any]
"""Logits of a word, as a numpy array: the first output of the program."""

MAX_ELEMENTS = 1 << 24
MAX_GUARD = 1000
_DTYPES = {1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32", 8: "float64",
           10: "complex64", 11: "complex128", 12: "bool", 13: "bfloat16"}
_FORMATS = {1: "contiguous_format", 2: "channels_last", 3: "channels_last_3d", 4: "preserve_format"}
_STRIDED = 7
_NAMES = """
_log_softmax _safe_softmax _softmax _to_copy _unsafe_view _weight_norm abs add addmm alias all amax amin any arange
argmax argsort baddbmm bitwise_and bitwise_not bitwise_or bitwise_xor bmm broadcast_to cat ceil chunk clamp clamp_max
clamp_min clone complex concat contiguous conv1d copy cos cumprod cumsum detach diag diagonal div dropout einsum
embedding empty empty_like eq erf exp exp2 expand expm1 expand_as eye fill flatten flip floor floor_divide fmod full
full_like gather ge gelu glu gt hardtanh hstack index index_put index_select layer_norm le leaky_relu new_empty
select_scatter slice_scatter zero _unsafe_index _unsafe_index_put isfinite isinf isnan isneginf isposinf
lift_fresh_copy linalg_vector_norm linear linspace log log10 log1p log2 log_softmax logspace logical_and logical_not
logical_or logical_xor lt masked_fill matmul max maximum mean meshgrid min minimum mm movedim mul mv nan_to_num narrow
native_layer_norm ne neg new_full new_ones new_zeros numpy_T one_hot ones ones_like outer permute polar pow prod ravel
reciprocal relu relu6 remainder repeat repeat_interleave reshape reshape_as rms_norm roll round rsqrt rsub
scalar_tensor scaled_dot_product_attention select sigmoid sign silu sin slice softmax split sort split_with_sizes sqrt
square squeeze stack std sub sum swapaxes swapdims t tan tanh tensor_split tile to transpose tril tril_indices triu
triu_indices trunc type_as unbind unflatten unsqueeze var view view_as view_as_complex view_as_real where zeros
zeros_like mT __and__ __or__ __xor__ _assert_tensor_metadata _assert_async _assert_scalar sym_constrain_range
sym_constrain_range_for_size
"""
_CALLED = frozenset(_NAMES.split())
"""Operations of aten that are called, by name; also in place (with a final _)."""
_GUARDED = (ast.Expression, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Constant, ast.Subscript, ast.Call,
            ast.Load, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)
"""Nodes of guards, besides names and sizes of inputs."""
_OF_NUMBERS: Mapping[str, Callable[..., Any]] = {
    name: getattr(operator, name) for name in ("add", "sub", "mul", "floordiv", "mod", "truediv", "neg", "eq", "ne",
                                               "lt", "le", "gt", "ge", "and_", "or_", "not_")} | {
    "sym_max": max, "sym_min": min, "sym_not": operator.not_, "sym_int": int, "sym_float": float, "trunc": int,
    "floor": lambda x: x.__floor__(), "ceil": lambda x: x.__ceil__()}


class _Other(Exception):
    """A construct that this interpreter does not run."""


def open_program(data: bytes, where: str, given: Mapping[str, int | None]) -> Run:
    """Return a function from words (token numbers) to the first output of the program.

    ``given``: for each other input the constant that fills it, None for the position.

    Raises:
        InputError: if the archive is damaged, or has a construct that is not run here.
    """
    try:
        whole, tensors = _read(data)
        program = _Program(whole, tensors, given)
    except _Other as problem:
        raise InputError(f"{where}: the program cannot be run for a comparison: {problem}") from None
    except Exception as problem:  # a damaged file gives one line
        raise InputError(f"{where}: the program cannot be run for a comparison: not a whole program "
                         f"({type(problem).__name__})") from None

    def run(word: Sequence[int]) -> Any:
        try:
            return program.run(word)
        except _Other as problem:
            raise InputError(f"{where}: the program cannot be run for a comparison: {problem}") from None
        except Exception as problem:  # torch may raise anything; the message is one line
            line = " ".join(str(problem).split())[:120]
            raise InputError(f"{where}: the program cannot be run on {len(word)} tokens: node "
                             f"{printable(program.node)[:80]}: {printable(line)}") from None
    return run


def _read(data: bytes) -> tuple[Any, dict[str, Any]]:
    """Return the program as JSON, and its tensors by the names of parameters, buffers and constants."""
    archive = zipfile.ZipFile(io.BytesIO(data))
    models = [name for name in archive.namelist() if name.split("/")[-2:-1] == ["models"]]
    if len(models) != 1 or len({*archive.namelist()}) < len(archive.namelist()):
        raise _Other("an archive of several programs, or of none")
    folder = models[0].removesuffix("models/model.json")
    whole = json.loads(archive.read(models[0]))
    if whole["schema_version"]["major"] != 8 or set(whole["opset_version"]) != {"aten"}:
        raise _Other("an unknown version of the format")
    tensors: dict[str, Any] = {}
    for kind in ("weights", "constants"):
        path = f"{folder}data/{kind}/model_{kind}_config.json"
        entries = json.loads(archive.read(path))["config"] if path in archive.namelist() else {}
        for name, entry in entries.items():
            if entry["use_pickle"] or entry["tensor_meta"] is None:
                continue
            tensors[name] = _tensor(archive.read(f"{folder}data/{kind}/{entry['path_name']}"), entry["tensor_meta"])
    return whole, tensors


def _type(number: Any) -> Any:
    import torch

    if number not in _DTYPES:
        raise _Other(f"elements of type {printable(str(number))[:20]}")
    return getattr(torch, _DTYPES[number])


def _tensor(data: bytes, meta: Mapping[str, Any]) -> Any:
    """Return a tensor from its bytes, with its strides."""
    import torch

    if meta["layout"] != _STRIDED:
        raise _Other("a tensor that is not stored by strides")
    sizes, strides = ([int(one["as_int"]) for one in meta[name]] for name in ("sizes", "strides"))
    first = int(meta["storage_offset"]["as_int"])
    flat = torch.frombuffer(bytearray(data), dtype=_type(meta["dtype"])) if data else torch.empty(
        0, dtype=_type(meta["dtype"]))
    if min([first, *strides, *sizes, 0]) < 0 or np.prod(sizes, dtype=object) > MAX_ELEMENTS:
        raise _Other("a tensor of negative or too large sizes")
    return torch.as_strided(flat, sizes, strides, first).clone()  # as_strided rejects ranges beyond the bytes


class _Program:
    """The nodes, the inputs and the first output of a program."""

    def __init__(self, whole: Any, tensors: Mapping[str, Any], given: Mapping[str, int | None]) -> None:
        part, self.ranges = whole["graph_module"], whole["range_constraints"]
        self.guards = [_guard(text) for text in whole.get("guards_code") or ()]
        graph, signature = part["graph"], part["signature"]
        self.nodes, self.values, self.given = graph["nodes"], graph["tensor_values"], given
        self.node, self.stored, self.inputs = "the inputs", dict[str, Any](), list[str]()
        for spec in signature["input_specs"]:
            ((kind, inner),) = spec.items()
            if kind == "constant_input":
                continue  # it does not occur in the graph
            name = inner["arg"].get("as_tensor", inner["arg"]).get("name")
            if kind == "user_input" and "as_tensor" in inner["arg"]:
                self.inputs.append(name)
            elif kind in ("parameter", "buffer", "tensor_constant"):
                self.stored[name] = tensors[inner[f"{kind}_name"]]
            else:
                raise _Other(f"an input of kind {printable(kind)[:40]}")
        if len([name for name in self.inputs if name not in given]) != 1:
            raise _Other("inputs other than the tokens that are not given")
        if any("user_output" not in spec for spec in signature["output_specs"]):
            raise _Other("outputs other than what is returned")
        returned = [spec["user_output"]["arg"] for spec in signature["output_specs"]]
        if not returned or "as_tensor" not in returned[0]:
            raise _Other("a first output that is not an array")
        self.output = returned[0]["as_tensor"]["name"]
        for node in self.nodes:
            _function(node)

    def run(self, word: Sequence[int]) -> Any:
        """Return the first output on a word."""
        import torch

        self.node = "the inputs"
        made = {name: tensor.clone() for name, tensor in self.stored.items()}
        made |= {name: self._input(name, word) for name in self.inputs}
        self._expect_fits({name: made[name] for name in self.inputs}, word)
        with torch.no_grad():
            for node in self.nodes:
                self.node = str(node.get("name") or node["target"])
                self._call(_function(node), node, made)
        output = made[self.output].resolve_conj()
        if output.dtype == torch.bfloat16:  # numpy has no bfloat16
            output = output.half() if output.abs().max() < torch.finfo(torch.float16).max else output.float()
        return output.numpy()

    def _input(self, name: str, word: Sequence[int]) -> Any:
        """Return the tokens, or the constants of another input: [1, tokens], [tokens], or one token."""
        import torch

        meta = self.values[name]
        number = self.given.get(name)
        numbers = word if name not in self.given else range(len(word)) if number is None else [number] * len(word)
        shape = [1] * (len(meta["sizes"]) - 1) + ([len(word)] if meta["sizes"] else [])
        return torch.tensor([*numbers], dtype=_type(meta["dtype"])).reshape(shape)

    def _expect_fits(self, inputs: Mapping[str, Any], word: Sequence[int]) -> None:
        """Reject sizes that the program excludes: by number, by the range of a symbol, or by a guard."""
        symbols: dict[str, int] = {}
        for name, tensor in inputs.items():
            for size, found in zip(self.values[name]["sizes"], tensor.shape, strict=True):
                symbol = re.fullmatch(r"Symbol\('(\w+)'[\w=, ]*\)", size.get("as_expr", {}).get("expr_str", ""))
                if found != (symbols.setdefault(symbol[1], found) if symbol else size.get("as_int")):
                    raise _Other(f"inputs of other sizes than of one sequence of {len(word)} tokens")
        for letter, found in symbols.items():
            ends = self.ranges.get(letter, {})
            least, greatest = ends.get("min_val"), ends.get("max_val")
            if (least is not None and found < least > 2) or (greatest is not None and found > greatest):  # as torch
                raise _Other(f"inputs of other sizes than of one sequence of {len(word)} tokens")
        for guard in self.guards:
            if not eval(guard, {"__builtins__": {}, "max": max, "min": min, "L": inputs}):
                raise _Other(f"a guard of the program is false for {len(word)} tokens")

    def _call(self, function: Callable[..., Any], node: Any, made: dict[str, Any]) -> None:
        names = [one["name"] for one in node["inputs"]]
        values = [_value(one["arg"], made) for one in node["inputs"]]
        plain = function in _OF_NUMBERS.values() or function is _size
        result = function(*values) if plain else function(**dict(zip(names, values, strict=True)))
        outputs = node["outputs"]
        results = [result] if len(outputs) == 1 else result or []
        for output, one in zip(outputs, results, strict=True):
            _keep(output, one, made)


def _keep(output: Any, result: Any, made: dict[str, Any]) -> None:
    """Store the result of a node under its name."""
    ((kind, inner),) = output.items()
    if kind == "as_tensors":
        made |= zip([one["name"] for one in inner], result, strict=True)
    elif kind in ("as_sym_int", "as_sym_bool", "as_sym_float", "as_tensor"):
        made[inner["name"] if kind == "as_tensor" else inner["as_name"]] = result
    elif kind != "as_none":
        raise _Other(f"a result of kind {printable(kind)[:40]}")
    for one in result if isinstance(result, list | tuple) else [result]:
        if getattr(one, "numel", int)() > MAX_ELEMENTS:
            raise _Other(f"an array of more than {MAX_ELEMENTS} elements")


def _guard(text: str) -> Any:
    """Compile a guard, which may only compute with sizes of inputs, such as L['tokens'].size()[1]."""
    text = text.replace("torch.sym_max(", "max(").replace("torch.sym_min(", "min(")
    tree = ast.parse(text[:MAX_GUARD], mode="eval")
    keys = [one.slice for one in ast.walk(tree) if isinstance(one, ast.Subscript)]
    for one in ast.walk(tree):
        fits = isinstance(one, _GUARDED) or (isinstance(one, ast.Name) and one.id in ("L", "max", "min")) or (
            isinstance(one, ast.Attribute) and one.attr == "size" and isinstance(one.value, ast.Subscript))
        if not fits or isinstance(one, ast.Pow | ast.LShift) or len(text) > MAX_GUARD or (
                isinstance(getattr(one, "value", 0), str) and one not in keys):
            raise _Other(f"a guard that is not read, {printable(text)[:60]}")
    return compile(tree, "guard", "eval")


def _size(tensor: Any, dim: int) -> int:
    return int(tensor.shape[dim])


def _function(node: Any) -> Callable[..., Any]:
    """Return the operation that a node calls.

    Raises:
        _Other: if that operation is not called here.
    """
    import torch

    target = str(node["target"]).removeprefix("torch.ops.")
    library, name, overload = [*target.split("."), "", ""][:3]
    if library == "aten" and name == "sym_size":
        return _size
    if library == "aten" and (name in _CALLED or (name[-1:] == "_" and name[:-1] in _CALLED)) and (
            target.count(".") == 2 and "out" not in [one["name"] for one in node["inputs"]]):
        found = getattr(getattr(torch.ops.aten, name), overload, None)
        if found is not None:
            return found  # type: ignore[no-any-return]
    if library in ("_operator", "math", "torch") and target.split(".")[-1] in _OF_NUMBERS and all(
            next(iter(one)).startswith("as_sym") for one in node["outputs"]):
        return _OF_NUMBERS[target.split(".")[-1]]
    raise _Other(f"node {printable(str(node.get('name')))[:80]} ({printable(target)[:60]}) is an operation that is not "
                 f"run here")


def _value(argument: Mapping[str, Any], made: Mapping[str, Any]) -> Any:
    """Convert an argument to torch's type."""
    import torch

    ((kind, inner),) = argument.items()
    if kind == "as_none":
        return None
    if kind == "as_tensor":
        return made[inner["name"]]
    if kind == "as_tensors":
        return [made[one["name"]] for one in inner]
    if kind == "as_optional_tensors":
        return [_value(one, made) for one in inner]
    if kind in ("as_int", "as_ints", "as_bool", "as_bools", "as_string"):
        return inner
    if kind == "as_float":
        return float(inner)
    if kind == "as_floats":
        return [float(one) for one in inner]
    if kind in ("as_sym_int", "as_sym_bool", "as_sym_float"):
        return made[inner["as_name"]] if "as_name" in inner else next(iter(inner.values()))
    if kind in ("as_sym_ints", "as_sym_bools"):
        return [made[one["as_name"]] if "as_name" in one else next(iter(one.values())) for one in inner]
    if kind == "as_complex":
        return complex(inner["real"], inner["imag"])
    if kind == "as_scalar_type":
        return _type(inner)
    if kind == "as_memory_format" and inner in _FORMATS:
        return getattr(torch, _FORMATS[inner])
    if kind == "as_layout" and inner == _STRIDED:
        return torch.strided
    if kind == "as_device":
        return torch.device("cpu")
    raise _Other(f"an argument of kind {printable(kind)[:40]}")
