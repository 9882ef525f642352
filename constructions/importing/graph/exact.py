"""Sums and products of binary64 numbers that say whether they were exact; what was not is rounded to nearest."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Exactness:
    """Remembers in which node sums or products of weights had to be rounded."""

    def __init__(self) -> None:
        self.node = ""
        self.rounded: dict[str, None] = {}

    def note(self, exact: bool) -> None:
        """If it was not, the node is remembered."""
        if not exact:
            self.rounded[self.node] = None

    def sum(self, x: Array, y: Array) -> Array:
        """x + y; by Knuth's two-sum what is lost is known."""
        total = np.asarray(x + y)
        back = total - x
        lost = (x - (total - back)) + (y - back)
        self.note(bool(np.all(np.broadcast_to(lost, total.shape) == 0)))
        return total

    def scaled(self, x: Array, factor: Fraction) -> Array:
        """The nearest numbers to x times a rational."""
        if factor in (1, -1):
            return np.asarray(x * np.float64(factor))
        exact = [Fraction(value) * factor for value in x.ravel().tolist()]
        result = np.array([np.float64(value) for value in exact], np.float64).reshape(x.shape)
        self.note(all(Fraction(a) == b for a, b in zip(result.ravel().tolist(), exact, strict=True)))
        return result

    def inverse(self, x: Array) -> Array:
        """The nearest numbers to 1 / x."""
        result = np.asarray(1 / x)
        self.note(all(Fraction(a) * Fraction(b) == 1 for a, b in zip(x.ravel().tolist(), result.ravel().tolist(),
                                                                     strict=True)))
        return result

    def times(self, x: Array, y: Array) -> Array:
        """Coordinate by coordinate, with the shapes of numpy."""
        x, y = np.broadcast_arrays(x, y)
        exact = [Fraction(a) * Fraction(b) for a, b in zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)]
        result = np.array([np.float64(value) for value in exact], np.float64).reshape(x.shape)
        self.note(all(Fraction(a) == b for a, b in zip(result.ravel().tolist(), exact, strict=True)))
        return result

    def product(self, x: Array, y: Array) -> Array:
        """The product of matrices."""
        if is_selection(x):
            return y if len(x) == x.shape[1] and (x.diagonal() == 1).all() else np.asarray(x @ y)
        if is_selection(y.T):
            return np.asarray(x @ y)
        (a, p), (b, q) = _integers(x), _integers(y)
        whole = a @ b
        unit = Fraction(2) ** (p + q)
        result = np.array([[np.float64(int(value) * unit) for value in row] for row in whole], np.float64)
        result = result.reshape(x.shape[0], y.shape[1])
        self.note(all(Fraction(np.float64(r)) == int(value) * unit for row, exact in zip(result, whole, strict=True)
                      for r, value in zip(row, exact, strict=True)))
        return result


def is_selection(x: Array) -> bool:
    """Whether each row and each column has at most one number that is not 0, and that is 1 or -1."""
    found = x != 0
    return bool((found.sum(0) <= 1).all() and (found.sum(1) <= 1).all() and np.isin(x, (-1, 0, 1)).all())


def _integers(x: Array) -> tuple[Any, int]:
    """Integers and a power of two by which they are to be multiplied."""
    parts = [Fraction(value) for value in x.ravel().tolist()]
    power = max((part.denominator.bit_length() - 1 for part in parts), default=0)
    whole = [part.numerator << power - (part.denominator.bit_length() - 1) for part in parts]
    return np.array(whole, object).reshape(x.shape), -power
