"""The weights of a network as a safetensors file, under the names that its tensors have."""

import hashlib
import json
import struct
from dataclasses import replace

from constructions.trained.network import Source, TrainedNetwork

FILE = "model.safetensors"
COMPUTED = "computed."
"""Tensors that no file has begin so."""
_KINDS = {"binary64": "F64", "binary32": "F32", "binary16": "F16", "bfloat16": "BF16"}


def weights_bytes(network: TrainedNetwork) -> bytes:
    """The file, written here: what the package safetensors has for numpy knows no bfloat16."""
    kept = {name: tensor for name, tensor in network.tensors.items() if not name.startswith(COMPUTED)}
    header, start = {}, 0
    for name, tensor in kept.items():
        header[name] = {"dtype": _KINDS[tensor.format], "shape": list(tensor.shape),
                        "data_offsets": [start, start + len(tensor.data)]}
        start += len(tensor.data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(tensor.data for tensor in kept.values())


def with_its_source(network: TrainedNetwork) -> TrainedNetwork:
    """The network, which says that it came from this file."""
    return replace(network, sources=(Source(FILE, hashlib.sha256(weights_bytes(network)).hexdigest()),))
