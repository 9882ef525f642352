"""Tensors in a file beside the model, as onnx and torch write them, are read from the folder of the model alone."""

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from certify.claims.trained.comparing import with_comparison
from constructions.errors import InputError
from constructions.importing.importer import import_network
from tests.importing.small_graphs import written

onnx = pytest.importorskip("onnx")
TABLE = np.arange(12, dtype=np.float32).reshape(4, 3) / 4


def saved(folder: Path) -> Path:
    """Return a model of one table and one matrix, written by onnx itself with its tensors in another file."""
    model = onnx.load_model_from_string(written(
        [("Gather", ["t", "x"], "h", {}), ("MatMul", ["h", "m"], "y", {})],
        {"t": TABLE, "m": np.eye(3, dtype=np.float32)[::-1].copy()}))
    onnx.save_model(model, folder / "m.onnx", save_as_external_data=True, location="m.onnx.data", size_threshold=0)
    return folder / "m.onnx"


def changed(path: Path, **entries: str | None) -> Path:
    """Return the model with other entries for its table."""
    model = onnx.load(path, load_external_data=False)
    tensor = model.graph.initializer[0]
    found = {one.key: one.value for one in tensor.external_data} | entries
    del tensor.external_data[:]
    for key, value in found.items():
        if value is not None:
            tensor.external_data.add(key=key, value=value)
    path.write_bytes(model.SerializeToString())
    return path


def test_external_data_is_read_and_named(tmp_path: Path) -> None:
    path = saved(tmp_path)
    imported = import_network([path])
    assert [one.file for one in imported.network.sources] == ["m.onnx", "m.onnx.data"]
    assert imported.network.sources[1].sha256 == hashlib.sha256((tmp_path / "m.onnx.data").read_bytes()).hexdigest()
    assert "t" in imported.network.tensors and imported.network.tensors["t"].data == TABLE.tobytes()
    pytest.importorskip("onnxruntime")
    assert with_comparison(imported, [path], {}, None).network.compared is not None


def test_a_tensor_without_offset_and_length_is_the_whole_file(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(TABLE.tobytes())
    sha1 = hashlib.sha1(TABLE.tobytes()).hexdigest()
    path = changed(saved(tmp_path), location="t", offset=None, length=None, checksum=sha1)
    assert import_network([path]).network.tensors["t"].data == TABLE.tobytes()


@pytest.mark.parametrize(("entries", "printed"), [
    ({"location": "../m.onnx.data"}, r"tensor t: kept in \.\./m.onnx.data, expected a file in the folder of the model"),
    ({"location": "/etc/passwd"}, "kept in /etc/passwd, expected a file in"), ({"location": ".."}, "bare"),
    ({"location": "sub/m.onnx.data"}, "expected a file in the folder"), ({"location": ""}, "expected a file"),
    ({"location": "link"}, "kept in link, a link out of the model"), ({"location": "pipe"}, "which is not beside"),
    ({"location": "none"}, "kept in none, which is not beside the model"), ({"location": None}, "without its name"),
    ({"location": "m.onnx.data\n"}, "kept in m.onnx.data"), ({"offset": "1000000"}, "expected 48 bytes inside of it"),
    ({"offset": "-1"}, "expected numbers of bytes"), ({"length": "44"}, "expected 48 bytes"),
    ({"length": None}, "expected 48 bytes"), ({"offset": "9" * 18}, "expected 48 bytes"),
    ({"checksum": "00"}, "has another checksum"), ({"basepath": "/"}, "basepath of a tensor in another file")])
def test_other_files_are_not_read(tmp_path: Path, entries: dict[str, str | None], printed: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    path = saved(folder)
    (tmp_path / "m.onnx.data").write_bytes((folder / "m.onnx.data").read_bytes())
    (folder / "link").symlink_to(tmp_path / "m.onnx.data")
    os.mkfifo(folder / "pipe")
    with pytest.raises(InputError, match=printed) as caught:
        import_network([changed(path, **entries)])
    assert "\n" not in str(caught.value)
