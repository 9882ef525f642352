"""Interval arithmetic on real numbers, some of them exact; docs/reference/certificate.md, section 1.

Claim. For all real numbers within the given enclosures, the result is within the returned enclosure; a result that is a
rational is exact. Where the enclosures do not decide whether there is a value, or which one, the result is None.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from ..budget import Budget
from ..functions import FUNCTIONS
from ..numbers import ZERO, Enclosure, Number, ends_of
from .functions import apply_function

Operation = Callable[[Budget, Fraction, Fraction], Fraction | None]


def combine_enclosed(exactly: Mapping[str, Operation], budget: Budget, name: str,
                     numbers: Sequence[Number], digits: int) -> Number | bool | None:
    """Apply an operation, a function, a comparison or a predicate on integers to numbers; None if it is undecided.

    ``exactly`` are the operations on rationals, ``digits`` the decimal places of ln and sqrt.
    """
    if name in exactly:
        return calculate_enclosed(exactly, budget, name, *numbers)
    if name in FUNCTIONS:
        return apply_between(name, numbers[0], budget, digits)
    if len(numbers) == 1:  # SQUARE, POW2 and PRIME hold of integers only
        return False if has_no_integer(ends_of(*numbers)) else None
    return compare_enclosed(name, *numbers)


def span(found: Iterable[Fraction | None]) -> Number | None:
    """Return the interval hull of numbers; the number itself if all are equal, None if one is None."""
    known = []
    for number in found:
        if number is None:
            return None
        known.append(number)
    lower, upper = min(known), max(known)
    return lower if lower == upper else Enclosure(lower, upper)


def calculate_enclosed(exactly: Mapping[str, Operation], budget: Budget, name: str, x: Number,
                       y: Number) -> Number | None:
    """Enclose the result of an operation on two numbers; None if it is undefined or undecided.

    Proof. A sum, difference or product is linear in each of the two numbers, so it is least and greatest at ends; so is
    a quotient whose divisor keeps its sign, and a power of a number that does.
    """
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return exactly[name](budget, x, y)
    if name in ("//", "%"):
        return divide_to_floor(exactly, budget, name, x, y)
    if name == "^":
        return raise_to(exactly["^"], budget, x, y)
    if name == "/" and ends_of(y).lower <= 0 <= ends_of(y).upper:
        return None
    return span(exactly[name](budget, p, q) for p in ends_of(x) for q in ends_of(y))


def divide_to_floor(exactly: Mapping[str, Operation], budget: Budget, name: str, x: Number, y: Number) -> Number | None:
    """Enclose a floored quotient (//) or its remainder (%); None if the quotient has several floors."""
    quotient = calculate_enclosed(exactly, budget, "/", x, y)
    if quotient is None:
        return None
    floor, other = (end.numerator // end.denominator for end in ends_of(quotient))
    if floor != other:
        return None
    if name == "//":
        return Fraction(floor)
    multiple = calculate_enclosed(exactly, budget, "*", Fraction(floor), y)
    return None if multiple is None else calculate_enclosed(exactly, budget, "-", x, multiple)


def raise_to(power: Operation, budget: Budget, base: Number, exponent: Number) -> Number | None:
    """Enclose a power with an exact exponent; None if the base may be 0 and the exponent is negative."""
    if isinstance(exponent, Enclosure):
        return None
    lower, upper = ends_of(base)
    has_zero = lower <= 0 <= upper
    if has_zero and exponent < 0:
        return None
    inner = [ZERO] if has_zero and exponent > 0 else []
    return span(power(budget, end, exponent) for end in (lower, upper, *inner))


def apply_between(name: str, x: Number, budget: Budget, digits: int) -> Number | None:
    """Enclose a function of a number; None if undecided. Proof. No function decreases, so ends map to ends."""
    if isinstance(x, Fraction):
        return apply_function(name, x, budget, digits)
    ends = [apply_function(name, end, budget, digits) for end in x]
    found = span(None if value is None else ends_of(value)[place] for place, value in enumerate(ends))
    return None if name.startswith("log2") and isinstance(found, Enclosure) else found


def compare_enclosed(name: str, x: Number, y: Number) -> bool | None:
    """Return the truth of a comparison of two numbers; None if it is undecided."""
    if name in ("==", "!="):
        (a, b), (c, d) = ends_of(x), ends_of(y)
        is_apart = b < c or d < a
        return name == "!=" if is_apart else (name == "==" if a == b == c == d else None)
    if name in (">", ">="):
        return compare_enclosed({">": "<", ">=": "<="}[name], y, x)
    (a, b), (c, d) = ends_of(x), ends_of(y)
    is_below, is_not = (b < c, a >= d) if name == "<" else (b <= c, a > d)
    return True if is_below else (False if is_not else None)


def has_no_integer(x: Enclosure) -> bool:
    """Return whether no integer is between the ends; neither end is an integer itself."""
    return -(-x.lower.numerator // x.lower.denominator) > x.upper
