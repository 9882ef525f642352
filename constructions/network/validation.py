"""Whether the position functions and temperatures of a transformer are defined wherever it may be run."""

from __future__ import annotations

from fractions import Fraction

from constructions.errors import InputError
from constructions.network.transformer import Transformer


def shortened(value: Fraction) -> str:
    """The number if it is short, else only its sign: a long one is no help, and Python refuses to print it.

    >>> shortened(Fraction(-1, 3)), shortened(Fraction(-(10**5000)))
    ('-1/3', 'a negative number')
    """
    if value.numerator.bit_length() + value.denominator.bit_length() <= 200:
        return str(value)
    return "a negative number" if value < 0 else "a positive number"


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
                    raise InputError(f"{where}: the temperature {temperature} is {shortened(value)} at i = {i}, "
                                     f"n = {n}, expected a positive number")
