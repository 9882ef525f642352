"""Weights as a torch module in this process; certify/exports/torch_folder.py writes it for other processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from constructions.errors import install
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from constructions.running.weights import WeightArrays, weights_of

if TYPE_CHECKING:
    from constructions.running.torch_network import TorchNetwork

_DTYPES = {"binary64": "float64", "binary32": "float32", "binary16": "float16", "bfloat16": "bfloat16"}
"""Names of the formats in torch."""


def module_of(weights: WeightArrays, fused: bool = False) -> TorchNetwork:
    """Return the module with these weights, in their format.

    Raises:
        ImportError: without torch.
    """
    try:
        import torch
    except ImportError as error:
        raise ImportError(f"to_torch needs torch, which is not installed: {install('torch')}") from error
    from constructions.running.torch_network import TorchNetwork

    network = TorchNetwork(weights.config(), fused)
    network.to(getattr(torch, _DTYPES[weights.precision]))
    numbers = {name: array if array.dtype.kind in "ib" else array.astype(np.float64)  # exact, and a type that torch has
               for name, array in weights.arrays.items()}
    network.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in numbers.items()})
    network.eval()
    return network


def to_torch(transformer: Transformer, max_n: int = 64, precision: str = "binary32", fused: bool = False,
             min_n: int = 1) -> TorchNetwork:
    """Return a torch module, for words of these lengths; if ``fused``, with torch's own attention.

    See docs/howto/exports.md.

    Raises:
        ImportError: without torch.
        InputError, Unsupported: as ``to_numpy``.
    """
    return module_of(weights_of(transformer, Lengths(min_n, max_n), precision), fused)
