"""Comparisons of counts in normal form: ``left R right`` is T R 0, T = constant + sum of coefficient * count.

T has each count once, none with coefficient 0: a count that cancels is removed, and with it the formula it counts.
"""

from fractions import Fraction

from ..numbers import ONE, ZERO, Enclosure, add, multiply
from ..verdicts import expect, quote
from .table import COUNTS, Place, Table


def compare_sums(table: Table, relation: str, left: Place, right: Place) -> Place:
    """Return the place of ``left R right`` in normal form."""
    constant, coefficients = find_linear_form(table, table.make("-", left, right))
    numbers = [constant, *coefficients.values()]
    expect(all(x.denominator == 1 for x in numbers), "counts are compared with integers")
    terms = {count: int(c) for count, c in sorted(coefficients.items()) if c}
    return table.make("T", *terms, data=(relation, int(constant), *terms.values()))


def find_linear_form(table: Table, root: Place) -> tuple[Fraction, dict[Place, Fraction]]:
    """Return the value where all counts are 0, and the coefficient of each count; visit parts from the root down."""
    constant, coefficients = ZERO, dict[Place, Fraction]()
    waiting = [(root, ONE)]
    while waiting:
        place, factor = waiting.pop()
        name, operands, _ = table.nodes[place]
        if name in COUNTS:
            coefficients[place] = add(table.budget, coefficients.get(place, ZERO), factor)
        elif not table.leaves(place):
            constant = add(table.budget, constant, multiply(table.budget, factor, find_number(table, place)))
        elif name in ("+", "-"):
            waiting += [(operands[0], factor), (operands[1], factor if name == "+" else -factor)]
        else:
            number, rest = find_factor(table, place)
            waiting.append((rest, multiply(table.budget, factor, number)))
    return constant, coefficients


def find_factor(table: Table, place: Place) -> tuple[Fraction, Place]:
    """Split a product into its number and its other operand."""
    name, operands, _ = table.nodes[place]
    numbers = [operand for operand in operands if not table.leaves(operand)]
    expect(name == "*" and numbers, "counts are added, and multiplied with numbers; not {}", quote(name))
    rest = operands[1] if numbers[0] == operands[0] else operands[0]
    return find_number(table, numbers[0]), rest


def find_number(table: Table, place: Place) -> Fraction:
    """Return the value of a number that mentions neither counts nor variables."""
    if table.nodes[place].operator == "int":
        return Fraction(int(table.nodes[place].data[0]))
    from .evaluation import Values

    value = Values(table).find(place, 0, 0)
    expect(value is not None and not isinstance(value, Enclosure), "counts are compared with integers")
    return value if isinstance(value, Fraction) else Fraction(bool(value))
