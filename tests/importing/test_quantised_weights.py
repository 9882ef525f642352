"""Quantised weights are exactly (q - zero) · scale, as ONNX Runtime and torch read them; more than that is refused."""

import io
import json
import math
import warnings
import zipfile
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.array_files import as_binary16, units_of
from constructions.importing.contents import Contents, Stored
from constructions.importing.importer import Imported, import_network, read_contents, recognise
from constructions.importing.names_file import read_names
from constructions.importing.questions import Options
from constructions.trained.numbers import all_numbers, numbers
from examples.trained.zoo import plans
from proofs.trained.forward import FloatNetwork
from tests.importing import quantised_files as files
from tests.importing.quantised_files import exact, quantised, safetensors, weights_of
from tests.importing.small_graphs import Node, imported, written
from tests.with_torch import torch_or_skip

TOKENS = np.array([[3, 0, 2]])
TABLE = (np.arange(32, dtype=np.float32).reshape(4, 8) - 11) / 8
RANDOM = np.random.default_rng(32)
OF_EIGHT_BITS = ("float8_e4m3fn", "float8_e5m2")
NOTE = "quantised weights are exactly (q - zero) times scale; what is multiplied by them is not rounded"


def graph(nodes: list[Node], arrays: dict[str, Any], kinds: dict[str, str]) -> bytes:
    """Rows of TABLE by the tokens x, then these nodes; ``kinds``: arrays that ONNX keeps in 4 bits."""
    return written([("Gather", ["t", "x"], "h", {}), *nodes], {"t": TABLE, **arrays}, opset=21, packed=kinds)


def check_output(result: Imported, data: bytes) -> None:
    """Check that the logits equal those of ONNX Runtime up to rounding; activations are not rounded to 8 bits."""
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "0")
    session = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    expected = session.run(None, {"x": TOKENS})[0]
    assert np.abs(FloatNetwork(result.network).logits(TOKENS, 0) - expected).max() < 1e-5 * np.abs(expected).max()
    assert NOTE in result.report.assumed


def made_matrix(result: Imported) -> list[list[Fraction]]:
    """Return the one matrix that is not in the file."""
    (tensor,) = (tensor for name, tensor in result.network.tensors.items() if name.startswith("computed.")
                 and len(tensor.shape) == 2)
    return [list(map(Fraction, row)) for row in all_numbers(tensor).reshape(tensor.shape).tolist()]


def scales(*shape: int) -> Any:
    """Numbers of 24 bits, so that products do not fit into binary32."""
    return (RANDOM.random(shape) / 7 + 1 / 64).astype(np.float32)


CASES: dict[str, tuple[str, int, tuple[int, ...], bool, dict[str, int]]] = {
    # element type, bits, shape of scales, zero points, attributes
    "one": ("INT8", 8, (), True, {}), "one-without-zero": ("UINT8", 8, (), False, {}),
    "columns": ("INT8", 8, (6,), True, {"axis": 1}), "rows": ("UINT8", 8, (8,), True, {"axis": -2}),
    "columns-16": ("INT16", 16, (6,), False, {}),
    "blocks-int4": ("INT4", 4, (2, 6), True, {"axis": 0, "block_size": 4}),
    "blocks-uint4": ("UINT4", 4, (8, 3), True, {"axis": 1, "block_size": 2}),
    "last-block-short": ("INT4", 4, (3, 6), False, {"axis": 0, "block_size": 3}),
}


@pytest.mark.parametrize("name", CASES)
def test_dequantised_constants_are_exact(tmp_path: Path, name: str) -> None:
    """Element by element the product of rationals, whose nearest binary32 number is what ONNX Runtime computes."""
    kind, bits, shape, has_zero, how = CASES[name]
    least = 0 if kind[0] == "U" else -(1 << bits - 1)
    codes, zeros = (RANDOM.integers(least, least + (1 << bits), size) for size in ((8, 6), shape))
    scale = scales(*shape) * (-1 if "int4" in name else 1)  # as the tool of ONNX Runtime makes them
    held = {"q": codes.astype(kind.lower() if bits > 4 else np.int8), "s": scale}
    if has_zero:
        held["z"] = np.asarray(zeros, held["q"].dtype)
    data = graph([("DequantizeLinear", list(held), "w", how), ("MatMul", ["h", "w"], "y", {})], held,
                 {"q": kind, "z": kind} if bits == 4 else {})
    result = imported(tmp_path, data)

    def at(part: Any, i: int, j: int) -> Any:
        if part.ndim == 2:
            return part[(i // how["block_size"], j) if how["axis"] == 0 else (i, j // how["block_size"])]
        return part[()] if part.ndim == 0 else part[i if how.get("axis") == -2 else j]

    zeros = np.asarray(zeros if has_zero else zeros * 0)
    expected = [[(int(codes[i, j]) - int(at(zeros, i, j))) * Fraction(float(at(scale, i, j))) for j in range(6)]
                for i in range(8)]
    assert made_matrix(result) == expected
    assert any(Fraction(float(np.float32(number))) != number for row in expected for number in row)
    check_output(result, data)


@pytest.mark.parametrize("dtype", OF_EIGHT_BITS)
def test_constants_of_eight_bits_are_exact(tmp_path: Path, dtype: str) -> None:
    """All finite codes below 500, as ONNX Runtime reads them."""
    every = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, dtype))
    codes = np.resize(every[np.isfinite(every.astype(np.float32)) & (abs(every.astype(np.float32)) < 500)], (8, 32))
    scale = scales(32)
    nodes: list[Node] = [("DequantizeLinear", ["q", "s", "z"], "w", {"axis": 1}), ("MatMul", ["h", "w"], "y", {})]
    held = {"q": codes, "s": scale, "z": np.zeros(32, codes.dtype)}
    result = imported(tmp_path, data := graph(nodes, held, {}))
    assert made_matrix(result) == [[Fraction(float(q)) * Fraction(float(s)) for q, s in zip(row, scale, strict=True)]
                                   for row in codes]
    check_output(result, data)
    for wrong in ({"q": np.full_like(codes, np.nan)}, {"z": np.ones(32, codes.dtype)}):
        with pytest.raises(InputError, match=r"numbers of 8 bits that are not finite, or with zero points other than"):
            imported(tmp_path, graph(nodes, held | wrong, {}))


def test_products_of_more_than_53_bits_are_rounded_to_nearest_and_reported(tmp_path: Path) -> None:
    codes = (RANDOM.integers(1 << 30, 1 << 31, (8, 6)) | 1).astype(np.int32)
    scale = np.float32(1 + 2**-23)
    nodes: list[Node] = [("DequantizeLinear", ["q", "s"], "w", {}), ("MatMul", ["h", "w"], "y", {})]
    result = imported(tmp_path, graph(nodes, {"q": codes, "s": scale}, {}))
    assert made_matrix(result) == [[Fraction(float(int(q) * Fraction(float(scale)))) for q in row] for row in codes]
    assert "sums or products of weights are rounded to binary64 in n_w" in result.report.assumed


@pytest.mark.parametrize(("bits", "block", "has_zero"), [(4, 16, True), (4, 16, False), (8, 16, True)])
def test_products_of_blocks_are_exact(tmp_path: Path, bits: int, block: int, has_zero: bool) -> None:
    """The format of ONNX Runtime's own tool: 8 inputs in one block of 16, whose rest is left out."""
    codes = RANDOM.integers(0, 1 << bits, (6, 16))
    zeros = RANDOM.integers(0, 1 << bits, 6) if has_zero else np.full(6, 1 << bits - 1)
    words = codes[:, 0::2] | codes[:, 1::2] << 4 if bits == 4 else codes
    held = {"q": words.astype(np.uint8).reshape(6, 1, -1), "s": scales(6)} | (
        {"z": zeros.astype(np.uint8)} if has_zero else {})
    data = graph([("MatMulNBits", ["h", *held], "y", {"K": 8, "N": 6, "bits": bits, "block_size": block})], held, {})
    result = imported(tmp_path, data)
    expected = exact(codes[:, :8], held["s"][:, None], None, zeros[:, None])
    assert [list(row) for row in zip(*made_matrix(result), strict=True)] == expected
    check_output(result, data)


Q = np.ones((8, 6), np.int8)
REFUSED: dict[str, tuple[Node | None, dict[str, Any], str]] = {
    "scale-infinite": (None, {"s": np.float32(np.inf)}, "a scale of inf, expected finite numbers"),
    "scale-nan": (None, {"s": np.float32(np.nan)}, "a scale of nan, expected finite numbers"),
    "axis": (("DequantizeLinear", ["q", "s"], "w", {"axis": 2}), {"s": np.ones(6, np.float32)},
             "axis 2 of numbers of shape [8, 6], expected -2 to 1"),
    "scales": (None, {"s": np.ones(8, np.float32)},
               "scales of shape [8], expected [6] for numbers of shape [8, 6] along axis 1"),
    "blocks": (("DequantizeLinear", ["q", "s"], "w", {"axis": 0, "block_size": 3}), {"s": np.ones((2, 6), np.float32)},
               "scales of shape [2, 6], expected [3, 6] for numbers of shape [8, 6] in blocks of 3 along axis 0"),
    "blocks-below-0": (("DequantizeLinear", ["q", "s"], "w", {"axis": 0, "block_size": -1}),
                       {"s": np.ones((2, 6), np.float32)}, "blocks of -1, expected 1 or more"),
    "blocks-beyond-memory": (("DequantizeLinear", ["q", "s"], "w", {"axis": 0, "block_size": 1 << 60}),
                             {"s": np.ones((2, 6), np.float32)}, "expected [1, 6] for numbers of shape [8, 6]"),
    "zero-of-another-type": (("DequantizeLinear", ["q", "s", "z"], "w", {}), {"z": np.array(200, np.uint8)},
                             "zero points of type uint8, expected int8, the type of the numbers"),
    "zeros": (("DequantizeLinear", ["q", "s", "z"], "w", {}), {"z": np.zeros(6, np.int8)},
              "zero points of shape [6], expected the shape of the scales, []"),
    "no-whole-numbers": (None, {"q": np.ones((8, 6), np.float16)},
                         "quantised numbers of type float16, expected integers of 2 to 32 bits"),
    "level": (("MatMulNBits", ["h", "b", "s"], "w", {"K": 8, "N": 1, "block_size": 16, "accuracy_level": 4}),
              {"b": np.zeros((1, 1, 8), np.uint8)}, "(quantised activations), for which there is no rule"),
    "packed": (("MatMulNBits", ["h", "b", "s"], "w", {"K": 8, "N": 2, "block_size": 16}),
               {"b": np.zeros((1, 1, 8), np.uint8)}, "expected uint8 of shape [2, 1, 8] and 2 scales"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_quantised_weight_is_one_line_with_its_node(tmp_path: Path, name: str) -> None:
    node, arrays, printed = REFUSED[name]
    node = node or ("DequantizeLinear", ["q", "s"], "w", {"axis": 1})
    data = graph([node, ("MatMul", ["h", "w"], "y", {})], {"q": Q, "s": np.float32(0.5), **arrays}, {})
    with pytest.raises(InputError) as refused:
        imported(tmp_path, data)
    assert str(refused.value).startswith(f"m.onnx: node n_w ({node[0]}): ") and printed in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("zero", [None, 3])
def test_rows_of_a_quantised_table_are_exact(tmp_path: Path, zero: int | None) -> None:
    """A scale of 0 stands for zeros."""
    codes = RANDOM.integers(-8, 8, (4, 32)).astype(np.int8)
    held = {"q": codes, "s": scales(4, 2) * np.array([[1, -1], [-1, 1], [0, 0], [1, 1]], np.float32)}
    held |= {} if zero is None else {"z": np.full((4, 2), zero, np.int8)}
    data = graph([("GatherBlockQuantized", ["q", "x", *list(held)[1:]], "y", {"block_size": 16})], held,
                 {"q": "INT4", "z": "INT4"})
    result = imported(tmp_path, data)
    table = numbers(result.network, result.network.tokens).tolist()
    assert [list(map(Fraction, row)) for row in table] == exact(codes, held["s"], 16, held.get("z"))
    check_output(result, data)


# -- torch -------------------------------------------------------------------------------------------------------------


def saved(torch: Any, state: Any) -> bytes:
    file = io.BytesIO()
    torch.save(state, file)
    return file.getvalue()


def quantised_tensors(torch: Any) -> dict[str, Any]:
    weight = torch.arange(12).reshape(3, 4) / 7 - 0.8
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        steps, zeros = torch.tensor([1, 2, 3]) / 96, torch.tensor([1, 2, -3])
        return {"channels": torch.quantize_per_channel(weight.T, steps, zeros, 1, torch.qint8),
                "one": torch.quantize_per_tensor(weight, float(np.float32(0.1)), 3, torch.quint8)[1:]}


def test_quantised_tensors_of_torch_are_what_torch_reads(tmp_path: Path) -> None:
    torch = torch_or_skip()
    tensors = quantised_tensors(torch)
    read = read_contents(saved(torch, tensors), "m.pt").tensors
    for name, tensor in tensors.items():
        assert read[name].shape == tuple(tensor.shape)
        found = np.frombuffer(read[name].read(), "<f8").reshape(read[name].shape)
        assert np.array_equal(found.astype(np.float32), tensor.dequantize().numpy())
        assert not np.array_equal(found, found.astype(np.float32))


def test_a_pickle_of_quantised_tensors_with_any_byte_changed_gives_no_traceback() -> None:
    torch = torch_or_skip()
    members = zipfile.ZipFile(io.BytesIO(saved(torch, quantised_tensors(torch))))
    parts = {name: members.read(name) for name in members.namelist()}
    (pickled,) = (name for name in parts if name.endswith("data.pkl"))
    for place in range(len(parts[pickled])):
        changed = bytearray(parts[pickled])
        changed[place] ^= 0xFF if place % 2 else 0x01
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, data in parts.items():
                archive.writestr(name, bytes(changed) if name == pickled else data)
        try:
            read_contents(file.getvalue(), "m.pt")
        except InputError as error:
            assert "\n" not in str(error)


def test_scales_that_kernels_of_torch_would_round_are_refused() -> None:
    torch = torch_or_skip()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = saved(torch, {"w": torch.quantize_per_tensor(torch.ones(2, 2), 0.1, 0, torch.qint8)})
    with pytest.raises(InputError, match=r"^m.pt, tensor w: a scale of 0.1, expected a binary32 number"):
        read_contents(data, "m.pt")


# -- files of names ----------------------------------------------------------------------------------------------------

GPT = Options(kind="nanogpt", attention="causal", heads=1, activation="gelu", epsilon=Fraction(1, 100000))
FC = "transformer.h.0.mlp.c_fc.weight"


def by_names(folder: Path, arrays: dict[str, Any], names: str) -> Imported:
    (folder / "m.safetensors").write_bytes(safetensors(arrays))
    (folder / "names.toml").write_text(names, encoding="utf-8")
    return import_network([folder / "m.safetensors"], GPT, read_names(folder / "names.toml"))


def test_names_of_numbers_scales_and_zero_points(tmp_path: Path) -> None:
    arrays = weights_of(plans()["tomita_2"].folder)
    codes, scale = quantised(arrays.pop(FC), 4, 8)
    zero = RANDOM.integers(-8, 8, scale.shape).astype(np.int8)
    arrays |= {"q": codes.T.copy(), "s": scale.T.copy(), "z": zero.T.copy()}
    result = by_names(tmp_path, arrays, f'[tensors]\n"{FC}" = {{ from = "q", scale = "s", zero = "z", block = 8, '
                                        f"axes = [1, 0] }}")
    tensor = result.network.tensors[FC]
    assert [list(map(Fraction, row)) for row in all_numbers(tensor).reshape(64, 16).tolist()] == exact(
        codes, scale, 8, zero)
    assert NOTE in result.report.assumed


def test_numbers_of_four_bits_in_bytes(tmp_path: Path) -> None:
    """As in Q4_0: groups of one scale of binary16 each, and 8 in the place of 0."""
    arrays = weights_of(plans()["tomita_2"].folder)
    codes, scale = quantised(arrays.pop(FC), 4, 8, np.float16)
    whole = codes.astype(np.uint8) + 8 & 15
    result = by_names(tmp_path, arrays | {"q": whole[:, ::2] | whole[:, 1::2] << 4, "s": scale}, (
        f'[tensors]\n"{FC}" = {{ from = "q", scale = "s", zero = 8, bits = 4, axis = 1, block = 8 }}'))
    tensor = result.network.tensors[FC]
    assert [list(map(Fraction, row)) for row in all_numbers(tensor).reshape(64, 16).tolist()] == exact(codes, scale, 8)


@pytest.mark.parametrize("dtype", OF_EIGHT_BITS)
def test_numbers_of_eight_bits_times_scales_are_what_torch_computes(tmp_path: Path, dtype: str) -> None:
    """Exactly in binary64, as in a matrix of torch's float8 of which each row has a scale."""
    torch = torch_or_skip()
    weight = torch.from_numpy(weights_of(plans()["tomita_2"].folder)[FC].copy())
    scale = weight.abs().amax(1) / 300
    codes = (weight / scale[:, None]).to(getattr(torch, dtype))
    state = {name: torch.from_numpy(array.copy())
             for name, array in weights_of(plans()["tomita_2"].folder).items() if name != FC}
    (tmp_path / "m.pt").write_bytes(saved(torch, state | {"q": codes.t().contiguous().t(), "s": scale}))
    (tmp_path / "names.toml").write_text(f'[tensors]\n"{FC}" = {{ from = "q", scale = "s" }}', encoding="utf-8")
    result = import_network([tmp_path / "m.pt"], GPT, read_names(tmp_path / "names.toml"))
    found = all_numbers(result.network.tensors[FC]).reshape(64, 16)
    assert np.array_equal(found, (codes.double() * scale.double()[:, None]).numpy())
    assert NOTE in result.report.assumed
    state |= {"q": codes, "s": scale, "z": torch.zeros(64, dtype=torch.int8)}
    (tmp_path / "m.pt").write_bytes(saved(torch, state))
    (tmp_path / "names.toml").write_text(f'[tensors]\n"{FC}" = {{ from = "q", scale = "s", zero = "z" }}',
                                         encoding="utf-8")
    with pytest.raises(InputError, match="zero points of numbers of floating point, expected none"):
        import_network([tmp_path / "m.pt"], GPT, read_names(tmp_path / "names.toml"))


@pytest.mark.parametrize(("rule", "printed"), [
    ('from = "q", scale = "q"', "scale: elements I8, expected binary32, binary64, binary16 or bfloat16"),
    ('from = "s", scale = "s"', "elements F32, expected integers"),
    ('from = "q", scale = "s", zero = "s"', "zero: elements F32, expected integers"),
    ('from = "q", scale = "t"', "no tensor t in the files, expected one"),
    ('from = "q", scale = 1', "no tensor 1 in the files, expected one"),
    ('from = "q", scale = "s", bits = 4', "bits 4 of elements int8, expected 2 or 4 bits of bytes (uint8)"),
    ('from = "q", scale = "s", zero = 200', "a zero point of 200, expected -128 to 127"),
    ('from = "q", zero = "z"', "scale, zero, block or bits, expected them together with from and scale"),
    ('from = "q", scale = "s", axis = 2', "axis 2 of numbers of shape [64, 16], expected -2 to 1"),
    ('from = "q", scale = "s", axis = 1', "scales of shape [64], expected [16] for numbers of shape [64, 16] along"),
    ('from = "q", scale = "s", block = 0', "block: [0], expected a list of whole numbers from 1 on"),
    ('from = "q", scale = "s", zero = "z"', "a zero point of 200, expected -128 to 127"),
    ('from = "q", scale = "n"', "a scale of -0.5, expected finite numbers above 0"),
    ('from = "q", scale = "o"', "a scale of 0.0, expected finite numbers above 0"),
    ('from = "q", scale = "i"', "a scale of inf, expected finite numbers"),
    ('from = "q", scale = "h"', "a number times its scale is beyond binary64, expected smaller scales"),
    ('from = "q", scale = "d"', "a number times its scale is not a binary64 number, expected scales of fewer bits")])
def test_rules_that_do_not_fit_are_one_line(tmp_path: Path, rule: str, printed: str) -> None:
    arrays = weights_of(plans()["tomita_2"].folder)
    codes, scale = quantised(arrays.pop(FC), 8)
    arrays |= {"q": codes, "s": scale[:, 0], "z": np.full(64, 200, np.int32), "d": np.full(64, 0.1),
               "h": np.full(64, 1e308),
               "n": np.array([-0.5], np.float16), "o": np.zeros(64, np.float32), "i": np.full(64, np.inf, np.float32)}
    with pytest.raises(InputError) as refused:
        by_names(tmp_path, arrays, f'[tensors]\n"{FC}" = {{ {rule} }}')
    assert str(refused.value).startswith(f"names.toml, {FC}") and printed in str(refused.value)


# -- checkpoints -------------------------------------------------------------------------------------------------------


def packed(codes: Any, bits: int, axis: int, order: tuple[int, ...] | None = None) -> Any:
    """Words of 32 bits of numbers without sign along an axis; ``order``: which of eight goes to which place."""
    lines = np.moveaxis(codes, axis, 0).astype(np.int64)
    count = 32 // bits
    words = [sum(int(q) << bits * place for place, q in enumerate(
        (list(line[k : k + count]) + [0] * count)[:count] if order is None else [line[k + j] for j in order]))
        for line in lines.reshape(len(lines), -1).T for k in range(0, len(lines), count)]
    whole = np.array(words, np.uint32).view(np.int32).reshape(-1, -(-len(lines) // count))
    return whole if axis == 1 else np.ascontiguousarray(whole.T)


CHECKPOINTS: dict[str, dict[str, Any]] = {
    "pack-quantized": {"quant_method": "compressed-tensors", "format": "pack-quantized",
        "quantization_status": "compressed", "config_groups": {"group_0": {
        "input_activations": None, "targets": ["Linear"], "weights": {
            "num_bits": 4, "type": "int", "strategy": "group", "group_size": 8, "symmetric": False}}}},
    "int-quantized": {"quant_method": "compressed-tensors", "format": "int-quantized",
        "quantization_status": "compressed", "config_groups": {"group_0": {
        "input_activations": None, "weights": {"num_bits": 8, "type": "int", "strategy": "channel"}}}},
    "float-quantized": {"quant_method": "compressed-tensors", "format": "float-quantized",
        "quantization_status": "compressed", "config_groups": {
        "group_0": {"input_activations": None, "weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}}},
    "gptq": {"quant_method": "gptq", "bits": 4, "group_size": 8, "desc_act": True},
    "gptq_v2": {"quant_method": "gptq", "bits": 8, "group_size": -1, "checkpoint_format": "gptq_v2"},
    "awq": {"quant_method": "awq", "bits": 4, "group_size": 8, "version": "gemm", "zero_point": True},
}


def layer_of(kind: str, name: str, weight: Any) -> tuple[dict[str, Any], list[list[Fraction]]]:
    """Return the tensors that replace NAME.weight, and their values."""
    if kind == "float-quantized":
        scale = (abs(weight).max(1, keepdims=True) / 448).astype(np.float32)
        codes = np.asarray(weight / scale).astype(ml_dtypes.float8_e4m3fn)
        return {f"{name}.weight": codes, f"{name}.weight_scale": scale}, [
            [Fraction(float(q)) * Fraction(float(scale[row, 0])) for q in line] for row, line in enumerate(codes)]
    bits, group = (8, None) if kind in ("int-quantized", "gptq_v2") else (4, 8)
    codes, scale = quantised(weight, bits, group, np.float16)
    zero = RANDOM.integers(-(1 << bits - 1), (1 << bits - 1) - 1, scale.shape)
    half = 1 << bits - 1
    if kind == "pack-quantized":
        return {f"{name}.weight_packed": packed(codes + half, 4, 1), f"{name}.weight_scale": scale,
                f"{name}.weight_zero_point": packed(zero + half, 4, 0),
                f"{name}.weight_shape": np.array(weight.shape)}, exact(codes, scale, 8, zero)
    if kind == "int-quantized":
        return {f"{name}.weight": codes, f"{name}.weight_scale": scale}, exact(codes, scale)
    if kind == "awq":
        order = (0, 2, 4, 6, 1, 3, 5, 7)
        return {f"{name}.qweight": packed(codes.T + half, 4, 1, order), f"{name}.scales": scale.T,
                f"{name}.qzeros": packed(zero.T + half, 4, 1, order)}, exact(codes, scale, 8, zero)
    made = {f"{name}.scales": scale.T}
    if kind == "gptq_v2":
        return made | {f"{name}.qweight": packed(codes.T.astype(np.int64) + half, 8, 0),
                       f"{name}.qzeros": packed(zero.T + half, 8, 1)}, exact(codes, scale, None, zero)
    zero = np.maximum(zero, 1 - half)  # so that one less is a number of 4 bits
    made[f"{name}.qzeros"] = packed(zero.T + half - 1, 4, 1)
    rows = RANDOM.permutation(weight.shape[1])  # rows of groups in another rows
    made |= {f"{name}.qweight": packed(codes.T[rows] + half, 4, 0), f"{name}.g_idx": rows.astype(np.int32) // 8}
    return made, [[row[k] for k in rows] for row in exact(codes, scale, 8, zero)]


def checkpoint(folder: Path, kind: str, **changes: Any) -> list[Path]:
    """Return the LLaMA of the zoo, quantised; expected weights go beside it."""
    source = plans()["tomita_4_turned"].folder
    arrays = weights_of(source)
    expected = {}
    for name in [name for name in files.matrices(arrays) if "layers" in name]:
        made, expected[name] = layer_of(kind, name.removesuffix(".weight"), arrays.pop(name))
        arrays |= made
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    config["quantization_config"] = CHECKPOINTS[kind] | changes
    (folder / "model.safetensors").write_bytes(safetensors(arrays))
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "expected.json").write_text(json.dumps({name: [[str(x) for x in row] for row in rows]
                                                      for name, rows in expected.items()}), encoding="utf-8")
    return [folder / "model.safetensors", folder / "config.json"]


@pytest.mark.parametrize("kind", CHECKPOINTS)
def test_checkpoints_of_known_ways_are_exact(tmp_path: Path, kind: str) -> None:
    result = import_network(checkpoint(tmp_path, kind))
    expected = json.loads((tmp_path / "expected.json").read_text(encoding="utf-8"))
    assert len(expected) == 7
    for name, rows in expected.items():
        tensor = result.network.tensors[name]
        found = [list(map(Fraction, row)) for row in all_numbers(tensor).reshape(tensor.shape).tolist()]
        assert found == [list(map(Fraction, row)) for row in rows], name
    assert NOTE in result.report.assumed


WEIGHTS = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 8, "symmetric": False}


@pytest.mark.parametrize(("kind", "changes", "printed"), [
    ("gptq", {"quant_method": "bitsandbytes"}, "quant_method: \"bitsandbytes\" is not supported, expected"),
    ("gptq", {"quant_method": None}, "quant_method: null is not supported"),
    ("gptq", {"quant_method": []}, "is not supported"),
    ("gptq", {"bits": 3}, "bits: 3, expected 2, 4 or 8"),
    ("gptq", {"bits": 8}, "qzeros holds"),
    ("gptq", {"checkpoint_format": "marlin"}, "checkpoint_format: \"marlin\" is not supported"),
    ("gptq", {"checkpoint_format": "gptq_v2", "bits": True}, "bits: true, expected"),
    ("awq", {"version": "gemv"}, "version: \"gemv\" is not supported"),
    ("awq", {"bits": 8}, "bits: 8, expected 4"),
    ("awq", {"group_size": 16}, "scales of shape [8, 16], expected [4, 16] for numbers of shape [64, 16] in blocks of"),
    ("pack-quantized", {"kv_cache_scheme": {"num_bits": 8}}, "kv_cache_scheme: "),
    ("pack-quantized", {"format": "float-quantized"}, "format: float-quantized of numbers of type int"),
    ("pack-quantized", {"config_groups": {}}, "config_groups: "),
    ("int-quantized", {"quantization_status": None}, 'quantization_status: null (or left out), expected "compressed"'),
    ("int-quantized", {"quantization_status": "frozen"}, 'quantization_status: "frozen" (or left out), expected '),
    ("pack-quantized", {"config_groups": {"a": {"weights": WEIGHTS, "input_activations": {"num_bits": 8}}}},
     "config_groups: it rounds what depends on tokens to whole numbers (quantised activations)"),
    ("pack-quantized", {"config_groups": {"a": {"weights": WEIGHTS | {"num_bits": 8}}}},
     "holds [16, 32] numbers, expected [16, 64]"),
    ("pack-quantized", {"config_groups": {"a": {"weights": WEIGHTS | {"group_size": 5}}}},
     "scales of shape [16, 8], expected [16, 13] for numbers of shape [16, 64] in blocks of 5"),
    ("int-quantized", {"config_groups": {"a": {"weights": WEIGHTS | {"strategy": "channel"}}}},
     "has numbers outside -8 to 7"),
    ("pack-quantized", {"config_groups": {"a": {"weights": WEIGHTS | {"symmetric": True}}}},
     "weight_zero_point is not 0, expected symmetric: false in quantization_config, as programs ignore it"),
    ("float-quantized", {"format": None, "config_groups": {"a": {"weights": {"num_bits": 8, "type": "int"}}}},
     "expected integers"),
    ("float-quantized", {"config_groups": {"a": {"weights": {"num_bits": 4, "type": "float"}}}}, "expected 8"),
    ("int-quantized", {"config_groups": {"a": {"weights": {"num_bits": 8, "type": "float"}}}},
     "expected F8_E4M3 or F8_E5M2"),
    ("gptq", {"quant_method": "fp8"}, "quant_method: \"fp8\": it rounds what depends on tokens"),
    ("float-quantized", {"quant_method": "gptq", "bits": 4, "format": None}, "has elements F8_E4M3 without scales")])
def test_checkpoints_of_other_ways_are_one_line(
        tmp_path: Path, kind: str, changes: dict[str, Any], printed: str) -> None:
    with pytest.raises(InputError) as refused:
        import_network(checkpoint(tmp_path, kind, **changes))
    assert printed in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(("kind", "dtype"), [("F8_E4M3", "float8_e4m3fn"), ("F8_E5M2", "float8_e5m2")])
def test_each_number_of_eight_bits_is_one_of_binary16(kind: str, dtype: str) -> None:
    data = bytes(range(256))
    torch = torch_or_skip()
    expected = torch.frombuffer(bytearray(data), dtype=getattr(torch, dtype)).double().numpy()
    found = np.frombuffer(as_binary16(kind, data), "<f2").astype(np.float64)
    assert np.array_equal(found, expected, equal_nan=True)
    assert (found[np.isfinite(found)] % units_of(kind) == 0).all()


@pytest.mark.parametrize("dtype", OF_EIGHT_BITS)
def test_all_256_codes_are_those_of_torch_in_its_files(dtype: str) -> None:
    torch = torch_or_skip()
    codes = torch.frombuffer(bytearray(range(256)), dtype=getattr(torch, dtype)).reshape(16, 16).t()
    stored = read_contents(saved(torch, {"w": codes}), "m.pt").tensors["w"]
    found = np.frombuffer(stored.read(), "<f2").reshape(stored.shape).astype(np.float64)
    assert np.array_equal(found, codes.double().numpy(), equal_nan=True)


@pytest.mark.parametrize("dtype", [*OF_EIGHT_BITS, "bfloat16"])
def test_tensors_of_few_bits_are_what_they_hold(tmp_path: Path, dtype: str) -> None:
    """Without a word of quantisation each element is itself, as safetensors and torch write it."""
    torch, save = torch_or_skip(), pytest.importorskip("safetensors.torch").save_file
    arrays = {name: torch.from_numpy(array.copy()).to(getattr(torch, dtype))
              for name, array in weights_of(plans()["tomita_4_turned"].folder).items()}
    save(arrays, tmp_path / "model.safetensors")
    paths = [tmp_path / "model.safetensors", plans()["tomita_4_turned"].folder / "config.json"]
    network = import_network(paths).network
    for name, tensor in network.tensors.items():
        if not name.startswith("computed."):
            assert all_numbers(tensor).ravel().tolist() == arrays[name].double().ravel().tolist()


@pytest.mark.parametrize("kind", [kind if kind == "gptq" else pytest.param(kind, marks=pytest.mark.exhaustive)
                                  for kind in CHECKPOINTS])
def test_any_tensor_or_setting_of_a_checkpoint_may_be_another(tmp_path: Path, kind: str) -> None:
    """Missing, flat, empty, of another type: a line each, or the network is imported."""
    paths = checkpoint(tmp_path, kind)
    tensors = read_contents(paths[0].read_bytes(), "m.safetensors").tensors
    config = read_contents(paths[1].read_bytes(), "config.json").settings

    def attempt(given: Mapping[str, Stored], told: Any) -> None:
        settings = {**config, "quantization_config": told}
        try:
            recognise(Contents(given, settings), Options(), "m", "config.json", ())
        except InputError as error:
            assert "\n" not in str(error)

    layer = [name for name in tensors if "q_proj" in name]
    for name in layer:
        others = {key: value for key, value in tensors.items() if key != name}
        data, shape = tensors[name].read(), tensors[name].shape
        for other in (Stored(tensors[name].kind, tensors[name].format, (math.prod(shape),), partial(bytes, data)),
                      Stored(tensors[name].kind, tensors[name].format, (0, 3), bytes),
                      Stored("I8", None, (len(data),), partial(bytes, data)),
                      Stored("I32", None, (16, len(data) // 64), partial(bytes, data[: len(data) // 64 * 64])),
                      Stored("F16", "binary16", (16, len(data) // 32), partial(bytes, data[: len(data) // 32 * 32])),
                      Stored("BOOL", None, shape, bytes)):
            attempt({**others, name: other}, CHECKPOINTS[kind])
        attempt(others, CHECKPOINTS[kind])
    values: list[Any] = [None, [], {}, -1, 0, True, "x", 10**30, [CHECKPOINTS[kind]]]
    for value in values:
        attempt(tensors, value)
        for key in CHECKPOINTS[kind]:
            attempt(tensors, CHECKPOINTS[kind] | {key: value})
        for key in CHECKPOINTS[kind].get("config_groups", {}).get("group_0", {}).get("weights", {}):
            group = CHECKPOINTS[kind]["config_groups"]["group_0"]
            attempt(tensors, CHECKPOINTS[kind] | {"config_groups": {"a": group | {
                "weights": group["weights"] | {key: value}}}})
