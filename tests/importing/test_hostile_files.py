"""Files that are damaged or made to harm: one line each, nothing is run, memory is bounded."""

import io
import json
import os
import pickle  # noqa: TID251  # writes what the reader must refuse
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.importer import import_network, read_contents
from constructions.importing.questions import Options
from constructions.importing.torch_file import interpret

CONFIG = {"model_type": "gpt2", "n_head": 2, "n_layer": 1, "activation_function": "gelu_new",
          "layer_norm_epsilon": 1e-5}
SHAPES = {"wte.weight": (3, 4), "wpe.weight": (5, 4), "ln_f.weight": (4,), "ln_f.bias": (4,),
          "h.0.ln_1.weight": (4,), "h.0.ln_1.bias": (4,), "h.0.ln_2.weight": (4,), "h.0.ln_2.bias": (4,),
          "h.0.attn.c_attn.weight": (4, 12), "h.0.attn.c_attn.bias": (12,), "h.0.attn.c_proj.weight": (4, 4),
          "h.0.attn.c_proj.bias": (4,), "h.0.mlp.c_fc.weight": (4, 6), "h.0.mlp.c_fc.bias": (6,),
          "h.0.mlp.c_proj.weight": (6, 4), "h.0.mlp.c_proj.bias": (4,)}
ARRAYS = {name: np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 8 + 64 * place
          for place, (name, shape) in enumerate(SHAPES.items())}


def safetensors_file(arrays: dict[str, Any], change: Callable[[Any], None] = lambda header: None) -> bytes:
    header: dict[str, Any] = {}
    body = b""
    for name, array in arrays.items():
        begin, body = len(body), body + array.tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [begin, len(body)]}
    change(header)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def npz_file(arrays: dict[str, Any], compressed: bool = False) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **arrays)
    return file.getvalue()


def torch_file(arrays: dict[str, Any], change: Callable[[list[Any]], None] = lambda tensor: None) -> bytes:
    """Write a state dict like torch.save; ``change`` spoils [start, shape, strides, elements] of the first tensor."""
    file = io.BytesIO()
    out = [b"\x80\x02}("]
    with zipfile.ZipFile(file, "w") as archive:
        for place, (name, array) in enumerate(arrays.items()):
            tensor = [0, array.shape, tuple(stride // 4 for stride in array.strides), array.size]
            if not place:
                change(tensor)
            out += [text(name), b"ctorch._utils\n_rebuild_tensor_v2\n((", text("storage"), b"ctorch\nFloatStorage\n",
                    text(str(place)), text("cpu"), number(tensor[3]), b"tQ", number(tensor[0]), numbers(tensor[1]),
                    numbers(tensor[2]), b"\x89}tR"]
            archive.writestr(f"m/data/{place}", array.tobytes())
        archive.writestr("m/data.pkl", b"".join([*out, b"u."]))
    return file.getvalue()


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def number(value: int) -> bytes:
    return b"\x8a\x09" + value.to_bytes(9, "little", signed=True)


def numbers(values: tuple[int, ...]) -> bytes:
    return b"(" + b"".join(map(number, values)) + b"t"


FORMS: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "m.safetensors": safetensors_file, "m.npz": npz_file, "m.pt": torch_file}


def complaint(data: bytes, name: str, tmp_path: Path, options: Options | None = None) -> str:
    """Return the one line that is said about a file."""
    (tmp_path / name).write_bytes(data)
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        import_network([tmp_path / name, tmp_path / "config.json"], options)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 600
    return str(refused.value)


@pytest.mark.parametrize("name", FORMS)
def test_the_three_forms_hold_the_same_network(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FORMS[name](ARRAYS))
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    network = import_network([tmp_path / name, tmp_path / "config.json"]).network
    assert {name: tensor.data for name, tensor in network.tensors.items()} == {
        name: array.tobytes() for name, array in ARRAYS.items()}


@pytest.mark.parametrize("name", FORMS)
def test_every_truncated_file_is_one_line(name: str) -> None:
    data = FORMS[name](ARRAYS)
    for end in range(0, len(data) - 1, 7):
        with pytest.raises(InputError) as refused:
            read_contents(data[:end], name)
        assert "\n" not in str(refused.value)


def test_arrays_by_columns_are_read_row_by_row() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    stored = read_contents(npz_file({"a": np.asfortranarray(array)}), "m.npz").tensors["a"]
    assert (stored.shape, stored.read()) == ((2, 3), array.tobytes())


@pytest.mark.parametrize("name", FORMS)
def test_a_file_with_any_byte_changed_gives_no_traceback(name: str) -> None:
    data = FORMS[name]({name: ARRAYS[name] for name in ("wte.weight", "ln_f.bias")})
    for place in range(len(data)):
        for bits in (1, 0x80, 0xFF):
            changed = data[:place] + bytes([data[place] ^ bits]) + data[place + 1 :]
            try:
                for tensor in read_contents(changed, name).tensors.values():
                    if tensor.format:
                        assert len(tensor.read()) == tensor.bytes
            except InputError as error:
                assert "\n" not in str(error)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_infinite_weights_are_refused_with_their_tensor(name: str, value: float, tmp_path: Path) -> None:
    spoiled = ARRAYS | {"h.0.mlp.c_fc.bias": np.array([0, 0, value, 0, 0, 0], np.float32)}
    assert "tensor h.0.mlp.c_fc.bias: an element is infinite" in complaint(FORMS[name](spoiled), name, tmp_path)


def test_shapes_that_do_not_fit_are_named(tmp_path: Path) -> None:
    spoiled = ARRAYS | {"h.0.attn.c_proj.weight": np.zeros((4, 5), np.float32)}
    assert complaint(safetensors_file(spoiled), "m.safetensors", tmp_path) == (
        "m.safetensors: tensor h.0.attn.c_proj.weight has shape [4, 5], expected [4, 4]")


def test_tensors_that_are_not_understood_are_named(tmp_path: Path) -> None:
    spoiled = ARRAYS | {"h.0.gate": np.zeros(3, np.float32), "extra": np.zeros(3, np.float32)}
    assert complaint(safetensors_file(spoiled), "m.safetensors", tmp_path) == (
        "m.safetensors: tensor h.0.gate (F32 [3]) is not understood, nor are 1 more")


def test_a_missing_tensor_is_named(tmp_path: Path) -> None:
    rest = {name: array for name, array in ARRAYS.items() if name != "h.0.ln_2.weight"}
    assert "no tensor h.0.ln_2.weight" in complaint(safetensors_file(rest), "m.safetensors", tmp_path)


@pytest.mark.parametrize(("change", "printed"), [
    (lambda header: header["wte.weight"].update(data_offsets=[0, 1 << 40]), "expected a whole number"),
    (lambda header: header["wte.weight"].update(shape=[1 << 30, 1 << 30]), "expected 4611686018427387904 bytes"),
    (lambda header: header["wpe.weight"].update(header["wte.weight"]), "a tensor begins at byte 0 of the data"),
    (lambda header: header["wte.weight"].update(dtype="F4"), 'dtype: "F4", expected "F64"'),
    (lambda header: header.pop("ln_f.bias"), "a tensor begins at byte"),
    (lambda header: header.update(x=[]), "expected an object with the keys dtype, shape, data_offsets"),
])
def test_headers_of_safetensors_describe_the_bytes_exactly(
        change: Callable[[Any], None], printed: str, tmp_path: Path) -> None:
    assert printed in complaint(safetensors_file(ARRAYS, change), "m.safetensors", tmp_path)


def test_a_member_beyond_every_file_is_one_line() -> None:
    """An archive of 64 bits places it where no position can be."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("m/data.pkl", b"")
    data = file.getvalue()
    entry, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    extra = struct.pack("<HHQ", 1, 8, 1 << 63)
    moved = data[entry : entry + 30] + struct.pack("<H", len(extra)) + data[entry + 32 : entry + 42] + b"\xff" * 4 + (
        data[entry + 46 : end]) + extra
    whole = data[:entry] + moved + data[end : end + 12] + struct.pack("<I", len(moved)) + data[end + 16 :]
    with pytest.raises(InputError, match=r"^m.pt: not a whole zip archive: "):
        read_contents(whole, "m.pt")


def test_repeated_names_are_refused(tmp_path: Path) -> None:
    data = safetensors_file({"a": ARRAYS["ln_f.bias"], "b": ARRAYS["ln_f.bias"]}).replace(b'"b"', b'"a"')
    assert "occurs twice" in complaint(data, "m.safetensors", tmp_path)
    file = io.BytesIO(npz_file({"a": ARRAYS["ln_f.bias"]}))
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("a.npy", b"")
    assert "two members of the archive have the same name" in complaint(file.getvalue(), "m.npz", tmp_path)


@pytest.mark.parametrize(("change", "printed"), [
    ([1, (3, 4), (4, 1), 12], "reaches to element 13"),
    ([0, (3, 4), (1 << 39, 1), 12], "reaches to element"),
    ([0, (1 << 39, 4), (0, 1), 12], "expected at most 40000000"),
    ([-1, (3, 4), (4, 1), 12], "numbers of 0 or more"),
    ([0, (3, 4), (4,), 12], "numbers of 0 or more"),
])
def test_tensors_lie_inside_their_storages(change: list[Any], printed: str, tmp_path: Path) -> None:
    def spoil(tensor: list[Any]) -> None:
        tensor[:] = change
    assert printed in complaint(torch_file(ARRAYS, spoil), "m.pt", tmp_path)


def test_archives_are_no_bombs(tmp_path: Path) -> None:
    bomb = npz_file({"a": np.zeros((6000, 1000), np.float64)}, compressed=True)
    assert len(bomb) < 100_000
    assert "bytes unpacked, expected at most 40000000" in complaint(bomb, "m.npz", tmp_path)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("m/data.pkl", b"\x80\x02" + b"0" * 50_000_000)
    assert "bytes unpacked, expected at most" in complaint(file.getvalue(), "m.pt", tmp_path)


def test_arrays_of_objects_and_false_shapes_are_refused(tmp_path: Path) -> None:
    assert "Python objects, expected numbers" in complaint(
        npz_file({"a": np.array([{}], object)}), "m.npz", tmp_path)
    data = npz_file({"a": np.zeros(4, np.float32)})
    assert "not that of a numpy array" in complaint(recompute(data, b"(4,), }   ", b"(9**9,), }"), "m.npz", tmp_path)
    assert "16 bytes, expected 1600000000" in complaint(
        recompute(data, b"'shape': (4,), }         ", b"'shape': (400000000,), }"), "m.npz", tmp_path)


def recompute(data: bytes, old: bytes, new: bytes) -> bytes:
    """Return the archive with a header changed, its checksum right."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(file, "w") as changed:
        for name in archive.namelist():
            changed.writestr(name, archive.read(name).replace(old, new.ljust(len(old))))
    return file.getvalue()


# -- pickles that would run code ---------------------------------------------------------------------------------------


class Runs:
    """Unpickled, it would call a function."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


def archived(pickled: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("m/data.pkl", pickled)
    return file.getvalue()


@pytest.mark.parametrize("protocol", range(2, 6))
@pytest.mark.parametrize(("value", "named"), [
    (Runs(os.system, "touch ran"), "system"), (Runs(eval, "open('ran', 'w')"), "builtins.eval"),
    (Runs(exec, "open('ran', 'w')"), "builtins.exec"), (Runs(open, "ran", "w"), "open"),
    (Runs(getattr, "a", "b"), "getattr"), (OrderedDict(a=Runs(os.mkdir, "ran")), "mkdir"),
    ({"model": {"a": Runs(os.mkdir, "ran")}}, "mkdir"), (Path("ran"), "athlib"), (3 + 4j, "builtins.complex"),
])
def test_nothing_in_a_pickle_is_run(value: Any, named: str, protocol: int, tmp_path: Path,
                                    monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed = complaint(archived(pickle.dumps(value, protocol)), "m.pt", tmp_path)
    assert named in printed.replace("__builtin__", "builtins")
    assert "which is never run" in printed
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("pickled", [
    b"cos\nsystem\n(X\x04\x00\x00\x00truetR.", b"(S'true'\nios\nsystem\n.", b"(cos\nsystem\nX\x04\x00\x00\x00trueo.",
    b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85\x81.", b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
    b"\x80\x02\x82\x01.", b"\x80\x02NX\x01\x00\x00\x00a\x85R.", b"\x80\x02ccollections\nOrderedDict\n]\x85R.",
])
def test_other_ways_to_call_are_refused_and_named(pickled: bytes) -> None:
    with pytest.raises(InputError, match="which is never run"):
        interpret(pickled, "m.pt")


@pytest.mark.parametrize("pickled", [
    b"", b".", b"\x80\x02(.", b"\x80\x02t.", b"\x80\x02h\x07.", b"\x80\x02}(X", b"\x80\x02NNs.", b"\x80\x02}Nb0.",
    b"\x80\x02]]]e.", b"\x80\x02}(Nu.", b"0.", b"R.", b"Q."])
def test_damaged_pickles_are_one_line(pickled: bytes) -> None:
    with pytest.raises(InputError, match=r"a damaged pickle|never run"):
        interpret(pickled, "m.pt")


def test_keys_that_take_for_ever_to_hash_are_refused() -> None:
    """A tuple of a tuple of ..., each twice: 2^200 elements when hashed."""
    with pytest.raises(InputError, match="a key of type tuple"):
        interpret(b"\x80\x02}X\x01\x00\x00\x00a" + b"q\x00h\x00\x86" * 200 + b"Ns.", "m.pt")


def test_old_files_of_torch_and_other_files_are_named(tmp_path: Path) -> None:
    assert "a bare pickle" in complaint(pickle.dumps({}, 2), "m.pt", tmp_path)
    assert "neither safetensors" in complaint(b"GGUF", "m.gguf", tmp_path)
    printed = complaint(archived(pickle.dumps([1], 2)), "m.pt", tmp_path)
    assert "a list is saved in it, expected a state dict: names and tensors" in printed


def test_a_vocabulary_of_50000_is_refused_by_its_size(tmp_path: Path) -> None:
    large = ARRAYS | {"wte.weight": np.zeros((50_000, 204), np.float32)}
    printed = complaint(safetensors_file(large), "m.safetensors", tmp_path)
    assert printed == "m.safetensors: tensors of 40800000 bytes, expected at most 40000000 in all"
