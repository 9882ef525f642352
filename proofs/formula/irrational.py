"""Error bounds of heads that read irrational numbers, from those with ln and sqrt rounded down.

Source      docs/background/obligations.md, section 5, Heads that read irrational numbers. The checker requires smaller
errors
            with rationals; here an error that was found with rationals is widened to enclose the real one.
Claim       Let scaled scores change by at most δ, s = 2 δ < 1, R = exp(s) <= 1/(1 - s). Let o be the real error on one
            input, and o' the error with rationals. For ``near``, o' (1 - s) <= o'/R <= o <= R o' <= o'/(1 - s), as
            o/(1 - o) is between 1/R and R times o'/(1 - o'). For ``others``, |o - o'| <= 2 s V if values are at most V
            in absolute value.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from constructions.language.brackets import PositionFunction
from constructions.language.expressions import Expression
from constructions.language.positional import positional_truth
from constructions.language.syntax import Formula, is_positional
from constructions.network.lengths import Lengths
from constructions.network.meanings import Average, Mean, Meaning, Near, Others, Position, Product, Truth
from constructions.network.transformer import Coefficients, Head, Transformer
from proofs.formula.common.extremes import Extreme, WorstCase
from proofs.formula.failures import NotDerived

ZERO, ONE = Fraction(0), Fraction(1)


class Extent(NamedTuple):
    """Bounds of a number over all rows: of its absolute value, and of its distance from its rational approximation."""

    size: Fraction
    error: Fraction


def known_to(transformer: Transformer, digits: int) -> Transformer:
    """Return the transformer with ln and sqrt evaluated to this many digits."""
    def finer(function: PositionFunction) -> Any:
        return function.to_digits(digits) if isinstance(function, Expression) else function

    return replace(
        transformer.with_heads(lambda _, __, head: replace(head, temperature=finer(head.temperature))),
        directions={name: replace(meaning, value=finer(meaning.value)) if isinstance(meaning, Position | Product)
                    else meaning for name, meaning in transformer.directions.items()},
        position_embedding={name: finer(value) for name, value in transformer.position_embedding.items()})


def reads_irrational(transformer: Transformer, head: Head, direction: str) -> bool:
    """Return whether the temperature of a head, or a position function that it reads, may be irrational."""
    read = {name for row in (*head.queries, *head.keys, head.values[direction]) for name in row}
    functions = [head.temperature, *(value for name in read
                                     if (value := _function(transformer.directions[name])) is not None)]
    return any(function.may_be_irrational for function in functions)


def widened(worst: WorstCase, transformer: Transformer, head: Head, direction: str, lengths: Lengths) -> WorstCase:
    """Return the worst case of the head with real numbers, from that with rational ones.

    Raises:
        NotDerived: if the rules do not cover the head, or its numbers have too few digits.
    """
    if not head.weighting.is_exponential:
        raise NotDerived(f"{head.weighting} takes rational scores, and something that the head reads is irrational")
    inside = Extents(transformer, lengths)
    if inside.of_form(head.values[direction]).error:
        raise NotDerived("the values of the head are irrational")
    s = 2 * inside.of_scores(head)
    if s >= 1:
        raise NotDerived("the irrational numbers that the head reads are not known closely enough")
    away = None if isinstance(transformer.directions[direction], Near) else (
        2 * s * inside.of_form(head.values[direction]).size)
    return replace(worst, if_false=_widened(worst.if_false, s, away), if_true=_widened(worst.if_true, s, away))


def _widened(extreme: Extreme | None, s: Fraction, away: Fraction | None) -> Extreme | None:
    if extreme is None:
        return None
    if away is None:
        return replace(extreme, lower=extreme.lower * (1 - s), upper=extreme.upper / (1 - s))
    return replace(extreme, lower=extreme.lower - away, upper=extreme.upper + away)


def _function(meaning: Meaning) -> PositionFunction | None:
    return meaning.value if isinstance(meaning, Position | Product) else None


class Extents:
    """Bounds of numbers and of their rounding errors at all rows of these lengths, in every word."""

    def __init__(self, transformer: Transformer, lengths: Lengths):
        """Store the meanings of the directions, and the lengths."""
        self.directions, self.lengths = transformer.directions, lengths

    def of_scores(self, head: Head) -> Fraction:
        """Bound the difference of the scaled scores from those with rationals: factors are replaced one by one."""
        inverse, found = _extent_of_inverse(head.temperature, self.lengths), ZERO
        for query, key in zip(head.queries, head.keys, strict=True):
            factors = (self.of_form(query), self.of_form(key), inverse)
            for place, factor in enumerate(factors):
                term = factor.error
                for other in factors[:place] + factors[place + 1:]:
                    term *= other.size
                found += term
        return found

    def of_form(self, row: Coefficients) -> Extent:
        """Return the bounds of a linear form."""
        parts = [(abs(weight), self._of_direction(name)) for name, weight in row.items()]
        return Extent(sum((weight * part.size for weight, part in parts), ZERO),
                      sum((weight * part.error for weight, part in parts), ZERO))

    def _of_direction(self, name: str) -> Extent:
        match meaning := self.directions[name]:
            case Truth() | Near() | Mean():
                return Extent(ONE, ZERO)
            case Position(value):
                return _extent_of_values(value, self.lengths, None)
            case Product(value, formula):
                return _extent_of_values(value, self.lengths, formula if is_positional(formula) else None)
            case Others():
                return Extent(Fraction(self.lengths.last + 1), ZERO)
            case Average(term):
                return Extent(Fraction(sum(abs(number) for number, _ in term.coefficients)), ZERO)
        raise NotDerived(f"irrational numbers beside {name}, which means {meaning}")


@lru_cache(maxsize=256)
def _extent_of_values(function: PositionFunction, lengths: Lengths, when: Formula | None) -> Extent:
    """Return the bounds of a position function, where a positional formula holds, if there is one."""
    return _extent_of(_found_at(function, lengths, when))


@lru_cache(maxsize=256)
def _extent_of_inverse(temperature: Expression, lengths: Lengths) -> Extent:
    """Return the bounds of 1 over the temperature."""
    return _extent_of(tuple(1 / value for value in found) for found in _found_at(temperature, lengths))


def _found_at(function: PositionFunction, lengths: Lengths,
              when: Formula | None = None) -> Iterator[tuple[Fraction, ...]]:
    """Yield the rational approximation of each value, and its enclosure, at rows that have all values."""
    for n in lengths if when is not None or "n" in function.variables else [lengths.last]:
        for i in range(1, n + 1 if when is not None or "i" in function.variables else 2):
            if when is None or positional_truth(when, i, n):
                yield function.evaluate(i=i, n=n), *function.enclose(i=i, n=n)


def _extent_of(numbers: Iterable[tuple[Fraction, ...]]) -> Extent:
    """Return the bounds of numbers, each given by its rational approximation and the ends of its enclosure."""
    size = error = ZERO
    for rounded, lower, upper in numbers:
        size = max(size, abs(rounded), abs(lower), abs(upper))
        error = max(error, abs(rounded - lower), abs(rounded - upper))
    return Extent(size, error)
