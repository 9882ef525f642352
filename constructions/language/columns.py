"""Evaluation of expressions on a column of positions at once, in integers.

Each node becomes a list of numerators and a list of denominators, reduced only at the end, with a bound on their bits.
Expressions outside these rules (a division by zero, a number that may become too long, an exponent that varies) are
evaluated position by position, where they have a value or an error.
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.language.arithmetic import MAX_BITS, MAX_EXPONENT, NEGATE, Postfix, power_of_unit
from constructions.language.functions import DIGITS, FUNCTIONS, Number, UndefinedError, functions_to


class NotCoveredError(ArithmeticError):
    """An expression outside these rules; evaluate it position by position."""


@dataclass(frozen=True)
class Cells:
    """Numerators and positive denominators, not reduced, each of at most ``bits`` bits.

    ``denominators`` None means that all are 1.
    """

    numerators: Sequence[int]
    denominators: Sequence[int] | None
    bits: int

    def over(self) -> Sequence[int]:
        """Return the denominators as a sequence."""
        return [1] * len(self.numerators) if self.denominators is None else self.denominators

    def fractions(self) -> tuple[Fraction, ...]:
        """Return the values in lowest terms."""
        if self.denominators is None:
            return tuple(map(Fraction, self.numerators))
        return tuple(map(Fraction, self.numerators, self.denominators))


def evaluate_cells(program: Postfix, positions: range, n: int, digits: int = DIGITS) -> Cells:
    """Return the values of a program in i and n at the positions i.

    >>> cells = evaluate_cells(("i", "n", "/", 1, "-"), range(1, 4), 3)
    >>> cells.numerators, cells.denominators, [str(x) for x in cells.fractions()]
    ([-2, -1, 0], [3, 3, 3], ['-2/3', '-1/3', '0'])

    Raises:
        NotCoveredError: if the program is outside the rules; it may have values nevertheless.
    """
    stack: list[Cells] = []
    for item in program:
        if item in _BINARY:
            right, left = stack.pop(), stack.pop()
            stack.append(_limited(_BINARY[str(item)](left, right)))
        elif item == NEGATE:
            stack.append(_negate(stack.pop()))
        elif item in FUNCTIONS:
            stack.append(_apply(functions_to(digits)[str(item)], stack.pop()))
        else:
            stack.append(_leaf(item, positions, n))
    (cells,) = stack
    return cells


def _limited(cells: Cells) -> Cells:
    if cells.bits > MAX_BITS:
        raise NotCoveredError
    return cells


def _leaf(item: int | str, positions: range, n: int) -> Cells:
    if item == "i":
        return Cells(list(positions), None, max(map(int.bit_length, positions), default=0))
    if item == "n":
        item = n
    if not isinstance(item, int):
        raise NotCoveredError
    return Cells([item] * len(positions), None, item.bit_length())


def _negate(cells: Cells) -> Cells:
    return Cells(list(map(operator.neg, cells.numerators)), cells.denominators, cells.bits)


def _apply(function: Callable[[Number], Number], cells: Cells) -> Cells:
    try:
        values = [function(value) for value in cells.fractions()]
    except UndefinedError:
        raise NotCoveredError from None
    numerators, denominators = [x.numerator for x in values], [x.denominator for x in values]
    return Cells(numerators, denominators, max(map(int.bit_length, (*numerators, *denominators)), default=0))


def _multiply(left: Cells, right: Cells) -> Cells:
    return Cells(list(map(operator.mul, left.numerators, right.numerators)), _common(left, right),
                 left.bits + right.bits)


def _common(left: Cells, right: Cells) -> Sequence[int] | None:
    if left.denominators is None or right.denominators is None:
        return left.denominators or right.denominators
    return list(map(operator.mul, left.denominators, right.denominators))


def _adding(operation: Callable[[int, int], int]) -> Callable[[Cells, Cells], Cells]:
    def add(left: Cells, right: Cells) -> Cells:
        bits = left.bits + right.bits + 1
        if left.denominators == right.denominators:
            return Cells(list(map(operation, left.numerators, right.numerators)), left.denominators, bits)
        first = map(operator.mul, left.numerators, right.over())
        second = map(operator.mul, right.numerators, left.over())
        return Cells(list(map(operation, first, second)), _common(left, right), bits)

    return add


def _divide(left: Cells, right: Cells) -> Cells:
    return _multiply(left, _invert(right))


def _invert(cells: Cells) -> Cells:
    if 0 in cells.numerators:
        raise NotCoveredError
    above: Sequence[int] = cells.over()
    if min(cells.numerators, default=1) < 0:
        above = [-a if b < 0 else a for a, b in zip(above, cells.numerators, strict=True)]
    return Cells(above, list(map(abs, cells.numerators)), max(cells.bits, 1))


def _power(base: Cells, exponent: Cells) -> Cells:
    """Raise to integer exponents: any for bases -1, 0 and 1, else one exponent within the limits for all positions."""
    if exponent.denominators is not None:
        raise NotCoveredError
    exponents = exponent.numerators
    if base.denominators is None and base.bits <= 1 and min(exponents, default=0) >= 0:
        return Cells([power_of_unit(b, e) for b, e in zip(base.numerators, exponents, strict=True)], None, 1)
    times = exponents[0] if exponents else 0
    if abs(times) > MAX_EXPONENT or any(e != times for e in exponents):
        raise NotCoveredError
    if times < 0:
        base = _invert(base)
    bits = _limited(Cells((), None, max(base.bits * abs(times), 1))).bits
    raised = [x ** abs(times) for x in base.numerators]
    below = None if base.denominators is None else [x ** abs(times) for x in base.denominators]
    return Cells(raised, below, bits)


_BINARY: dict[object, Callable[[Cells, Cells], Cells]] = {
    "+": _adding(operator.add),
    "-": _adding(operator.sub),
    "*": _multiply,
    "/": _divide,
    "^": _power,
}
