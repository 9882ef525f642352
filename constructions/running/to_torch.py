"""Weights as a torch module in this process; certify/exports/torch_folder.py writes the same for other processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from constructions.running.weights import Weights

if TYPE_CHECKING:
    from constructions.running.torch_network import Network

_DTYPES = {"binary64": "float64", "binary32": "float32", "binary16": "float16", "bfloat16": "bfloat16"}
"""torch's names of the formats."""


def module_of(weights: Weights, fused: bool = False) -> Network:
    """The module with these weights, in their format.

    Raises:
        ImportError: without torch.
    """
    try:
        import torch
    except ImportError as error:
        raise ImportError("to_torch needs torch, which is not installed: pip install 'certify[torch]'") from error
    from constructions.running.torch_network import Network

    network = Network(weights.config(), fused)
    network.to(getattr(torch, _DTYPES[weights.precision]))
    numbers = {name: array if array.dtype.kind in "ib" else array.astype(np.float64)  # exact, and a type torch knows
               for name, array in weights.arrays.items()}
    network.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in numbers.items()})
    network.eval()
    return network
