"""Approximate values of a direction by the float program of the network, to search for words."""

from collections.abc import Sequence

import numpy as np

from constructions.errors import InputError, Unsupported
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from constructions.running.numpy_network import NumpyNetwork
from constructions.running.weights import weights_of
from proofs.numbers.sensitivity.climbing import Values

BATCH_NUMBERS = 1 << 22
"""The number of attention weights in memory at a time."""


def float_values(network: Transformer, n: int, direction: str, judged: Sequence[int]) -> Values | None:
    """Return the values of the direction, [words, judged positions], as a function; None without a float program."""
    try:
        program = NumpyNetwork(weights_of(network, Lengths(n, n), "binary64"))
    except (InputError, Unsupported):
        return None
    column = program.weights.directions.index(direction)
    places = [i - 1 for i in judged]
    most = max(1, BATCH_NUMBERS // (n * n * max(1, sum(1 for _ in network.heads()))))
    return lambda words: np.concatenate([program.stream(words[k : k + most])[:, places, column]
                                         for k in range(0, len(words), most)])
