"""Small graphs of ONNX, written node by node."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.importing.importer import Imported, import_network

Node = tuple[str, list[str], str, dict[str, Any]]
OF_RUNTIME = ("MatMulNBits", "GatherBlockQuantized", "QLinearAdd")


def written(nodes: list[Node], arrays: Mapping[str, Any], length: Any = 3, kind: int = 7, opset: int = 23,
            packed: Mapping[str, str] | None = None) -> bytes:
    """Return a graph of nodes (operation, inputs, outputs, attributes) from ``x`` to the first output of the last one.

    ``packed``: arrays that ONNX keeps in 4 bits, with their types.
    """
    onnx = pytest.importorskip("onnx")
    helper, kinds = onnx.helper, packed or {}
    made = [helper.make_node(op, given, out.split(), name=f"n_{out.split()[0]}",
                             domain="com.microsoft" if op in OF_RUNTIME else "", **how)
            for op, given, out, how in nodes]
    held = [helper.make_tensor(name, getattr(onnx.TensorProto, kinds[name]), array.shape, array.ravel())
            if name in kinds else onnx.numpy_helper.from_array(np.asarray(array), name)
            for name, array in arrays.items()]
    graph = helper.make_graph(made, "g", [helper.make_tensor_value_info("x", kind, [1, length])],
                              [onnx.ValueInfoProto(name=nodes[-1][2].split()[0])], held)
    result: bytes = helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]).SerializeToString()
    return result


def imported(folder: Path, data: bytes) -> Imported:
    """Return the network of a graph."""
    (folder / "m.onnx").write_bytes(data)
    return import_network([folder / "m.onnx"])
