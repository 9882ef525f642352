"""Rationals in place of irrational numbers: the lower ends of their enclosures."""

from copy import copy
from fractions import Fraction

from ...kernel.language import Language, Place
from ...kernel.language.evaluation import Values
from ...kernel.numbers import Number, ends_of


class RoundedValues(Values):
    """The values of places, all of which are exact."""

    def exact(self, value: Number, place: Place, n: int, i: int) -> Fraction:
        """The value itself, or the lower end of its enclosure."""
        return ends_of(value).lower


def with_rationals_as_values(language: Language, digits: int) -> Language:
    """The same table, in which the value of an irrational number is the lower end of its enclosure."""
    rational = copy(language)
    rational.values = RoundedValues(language, digits)
    return rational
