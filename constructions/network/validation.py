"""Whether the position functions and temperatures of a transformer are defined wherever it may be run."""

from __future__ import annotations

from constructions.errors import InputError
from constructions.network.transformer import Transformer


def check_defined(transformer: Transformer, max_n: int) -> None:
    """Check every (n, i) with i <= n <= max_n.

    Raises:
        InputError: naming the first embedding or temperature that divides by zero, or a temperature that is not
            positive, with i and n.
    """
    temperatures = {head.temperature: f"layer {layer}, head {place}" for layer, place, head in transformer.heads()}
    for n in range(1, max_n + 1):
        for i in range(1, n + 1):
            for embedding in transformer.position_embedding.values():
                embedding.evaluate(i=i, n=n)
            for temperature, where in temperatures.items():
                if (value := temperature.evaluate(i=i, n=n)) <= 0:
                    raise InputError(f"{where}: the temperature {temperature} is {value} at i = {i}, n = {n}, "
                                     "expected a positive number")
