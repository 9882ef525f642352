"""Directions whose value at (n, i) does not depend on the word."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from constructions.language.positional import positional_truth
from constructions.network.meanings import Meaning, Position, Product, Truth, is_known
from constructions.network.transformer import Coefficients

ZERO = Fraction(0)


class KnownValues:
    """The exact value of every known direction at (n, i), computed once."""

    def __init__(self, directions: Mapping[str, Meaning]):
        """The known directions among ``directions``; the others are not looked up here."""
        self._meanings = {name: meaning for name, meaning in directions.items() if is_known(meaning)}
        self._values: dict[tuple[str, int, int], Fraction] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._meanings

    def value(self, name: str, i: int, n: int) -> Fraction:
        """What the direction's meaning says it holds at position i of a word of length n."""
        key = (name, i, n)
        if key not in self._values:
            self._values[key] = known_value(self._meanings[name], i, n)
        return self._values[key]

    def form(self, row: Coefficients, i: int, n: int) -> Fraction:
        """The linear form at (n, i), of its known directions alone."""
        return sum((weight * self.value(name, i, n) for name, weight in row.items() if name in self), ZERO)


def known_value(meaning: Meaning, i: int, n: int) -> Fraction:
    """The number that a known direction of this meaning holds at position i of a word of length n."""
    match meaning:
        case Position(value):
            return value.evaluate(i=i, n=n)
        case Truth(formula):
            return Fraction(positional_truth(formula, i, n))
        case Product(value, formula):
            return value.evaluate(i=i, n=n) if positional_truth(formula, i, n) else ZERO
    raise AssertionError(f"not known: {meaning}")
