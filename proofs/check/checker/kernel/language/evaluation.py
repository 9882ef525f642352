"""Values at (n, i) of numbers, positional formulas and conditions, which do not depend on the word.

A number may be undefined (division by zero, a power or a function outside its domain); then so is everything built on
it, except for `&` and `|` whose left side decides. An undefined value that is needed is rejected. An irrational number
has an enclosure (irrational/enclosures.py); a truth that the enclosure does not decide is undefined.
"""

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from ..budget import MAX_RATIONAL_BITS, Budget, Cache
from ..functions import DIGITS, FUNCTIONS, IRRATIONAL, apply_log2
from ..numbers import Enclosure, Number, add, bounded, charge, divide, ends_of, multiply, size, size_of_ends, text_of
from ..verdicts import Rejected, TooLong
from .positions import MAX_PRIME, OF_NUMBERS, PREDICATES
from .table import ARITHMETIC, Node, Place, Table
from .truths import COMPARE, CONNECT, holds_at_sum, is_constant_comparison

Value = Number | bool | None

TRUTHS = (Fraction(0), Fraction(1))
MAX_POWER = 64  # exponents are integers of at most this absolute value, unless the base is 0, 1 or -1


def power(budget: Budget, base: Fraction, exponent: Fraction) -> Fraction | None:
    """Return base^exponent for integers up to 64 (any for base 0, 1, -1), or None; raise TooLong if it is too long."""
    e = exponent.numerator
    if exponent.denominator != 1 or (base == 0 and e < 0):
        return None
    if abs(base) in (0, 1):
        return base ** (min(e, 1) if base == 0 else e % 2)
    if abs(e) > MAX_POWER:
        return None
    bits = abs(e) * size(base)
    if bits > MAX_RATIONAL_BITS:
        raise TooLong(f"a rational of more than {MAX_RATIONAL_BITS} bits")
    budget.spend(2 + (bits * bits >> 18))
    return Fraction(base**e)


def remainder(budget: Budget, x: Fraction, y: Fraction) -> Fraction:
    """Return the remainder of x after floor division by y."""
    charge(budget, x, y)
    return bounded(x % y)


def floor_quotient(budget: Budget, x: Fraction, y: Fraction) -> Fraction:
    """Return the greatest integer that is at most x / y."""
    charge(budget, x, y)
    return Fraction(x // y)


CALCULATE: dict[str, Callable[[Budget, Fraction, Fraction], Fraction | None]] = {
    "+": add, "-": lambda budget, x, y: add(budget, x, -y), "*": multiply, "^": power,
    "/": lambda budget, x, y: divide(budget, x, y) if y else None,
    "//": lambda budget, x, y: floor_quotient(budget, x, y) if y else None,
    "%": lambda budget, x, y: remainder(budget, x, y) if y else None}


class Values:
    """Values of places at (n, i), cached. Irrational numbers have no exact value.

    All methods except `find` and `combine` raise Rejected where a value is needed and is undefined, or not exact.
    """

    def __init__(self, table: Table, digits: int = DIGITS) -> None:
        self._table, self._budget, self._digits = table, table.budget, digits
        self._values = Cache[tuple[Place, int, int], Number]()
        self._applied = Cache[str, Value]()
        self._orders = Cache[Place, list[Place]]()

    def value_at(self, place: Place, n: int, i: int) -> Fraction:
        """Return the exact value of a number, or the truth (1 or 0) of a positional formula."""
        return self.exact(self.enclose_at(place, n, i), place, n, i)

    def exact(self, value: Number, place: Place, n: int, i: int) -> Fraction:
        """Return the value itself; reject an enclosure."""
        if isinstance(value, Enclosure):
            from .printing import write_short

            raise Rejected(f"{write_short(self._table, place)} is irrational at n = {n}, i = {i}, expected a rational")
        return value

    def enclose_at(self, place: Place, n: int, i: int) -> Number:
        """Return the value of a number, or of a positional formula (1 or 0); an enclosure if it is irrational."""
        self._budget.spend(1)
        leaves = self._table.leaves(place)
        key = (place, n if "n" in leaves else 0, i if "i" in leaves else 0)
        known = self._values.get(key)
        if known is not None:
            return known
        found = self.require_value(self.find(place, n, i), place, n, i)
        return self._values.keep(key, found, size_of_ends(found))

    def require_value(self, value: Value, place: Place, n: int, i: int) -> Number:
        """Return the value as a number (a truth as 1 or 0); reject None."""
        if value is None:
            from .printing import write_short

            raise Rejected(f"{write_short(self._table, place)} has no value at n = {n}, i = {i}")
        return value if isinstance(value, Fraction | Enclosure) else TRUTHS[value]

    def order(self, place: Place) -> list[Place]:
        """Return all nodes below a place, operands first."""
        known = self._orders.get(place)
        if known is None:
            found = sorted(self._table.below([place]))
            known = self._orders.keep(place, found, 64 * len(found))
        return known

    def find(self, place: Place, n: int, i: int) -> Value:
        """Return the value, or None if it is undefined."""
        values: dict[Place, Value] = {}
        for inner in self.order(place):
            arguments = [values[operand] for operand in self._table.parts(inner)]
            values[inner] = self.combine(self._table.nodes[inner], arguments, n, i)
        return values[place]

    def combine(self, node: Node, arguments: list[Value], n: int, i: int) -> Value:
        """Return the value of a node at (n, i) from the values of its parts, or None if it is undefined."""
        self._budget.spend(3)
        name, operands, data = node
        if name in ("i", "n", "int"):
            return Fraction({"i": i, "n": n}[name] if name != "int" else int(data[0]))
        if name == "P":
            self._budget.spend(1 + (abs(i) >> 6))
            return PREDICATES[str(data[0])](n, i, *data[1:])
        if is_constant_comparison(node):
            return holds_at_sum(node)
        if name in ("user", "shift"):
            return self.value_at(operands[0], n, i - (name == "shift")) == 1
        if any(x is None for x in arguments[: 1 if name in ("&", "|") else 2]):
            return None
        if name in FUNCTIONS:
            return self._apply(name, as_number(arguments[0]))
        if name in ARITHMETIC:
            return self._calculate(name, *map(as_number, arguments))
        if name in CONNECT:
            return self._connect(name, arguments)
        if name in OF_NUMBERS:
            return self._apply_predicate(name, as_number(arguments[0]))
        if any(isinstance(x, Enclosure) for x in arguments):
            return self._combine_enclosed(name, *map(as_number, arguments))
        return COMPARE[name](*arguments)

    def _apply_predicate(self, name: str, x: Number) -> Value:
        """Return the truth of SQUARE, POW2 or PRIME of a number; only PRIME is limited, by `MAX_PRIME`."""
        greatest = ends_of(x).upper
        charge(self._budget, greatest, greatest)
        if name == "PRIME" and greatest > MAX_PRIME:
            return None
        if isinstance(x, Enclosure):
            return self._combine_enclosed(name, x)
        self._budget.spend(isqrt(max(0, x.numerator)) >> 4 if name == "PRIME" else 1)
        return x.denominator == 1 and PREDICATES[name](0, x.numerator)

    def _connect(self, name: str, arguments: list[Value]) -> Value:
        """Return the truth of a connective; the left side of `&` and `|` may decide if the right one is undefined."""
        if len(arguments) == 2 and arguments[1] is None:
            return arguments[0] if arguments[0] == (name == "|") else None
        return CONNECT[name](*arguments)

    def _calculate(self, name: str, x: Number, y: Number) -> Value:
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return CALCULATE[name](self._budget, x, y)
        return self._combine_enclosed(name, x, y)

    def _combine_enclosed(self, name: str, *numbers: Number) -> Value:
        """Combine numbers of which some are irrational; only this method needs `irrational/`."""
        from ..irrational.enclosures import combine_enclosed

        return combine_enclosed(CALCULATE, self._budget, name, numbers, self._digits)

    def _apply(self, name: str, x: Number) -> Value:
        """Return a function of functions.py, cached under texts, since a file can choose many numbers with one hash."""
        ends = ends_of(x)
        self._budget.spend(8 + (sum(map(size, ends)) >> 8))  # for texts, their hash and, at most, integer square roots
        text = " ".join([name, *map(text_of, ends)])
        known = self._applied.get(text)
        if known is None:
            known = (self._combine_enclosed(name, x) if name in IRRATIONAL or isinstance(x, Enclosure)
                     else apply_log2(name, x))
            if known is not None:
                self._applied.keep(text, known, 8 * len(text))
        return known


def as_number(value: Value) -> Number:
    """Return the value of a part that is a number, and defined."""
    return value if isinstance(value, Enclosure) else Fraction(value or 0)
