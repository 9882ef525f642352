"""Number expressions: sums of multiples of counts, and their remainders; chains of comparisons.

Positions   ``i`` is ``#<[true]``, the number of positions up to here, and ``n`` is ``#<[true] + #>[true] - 1``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from lark import Token

from constructions.errors import InputError
from constructions.language.remainders import MAX_SPLIT, MIRRORED, compare_remainder
from constructions.language.syntax import TRUE, And, Comparison, Count, Formula, Relation, Term

MAX_DIGITS = 1_000
_TOO_LARGE = 10**MAX_DIGITS

Summand = tuple[int, Count | None]
"""A multiple of a count, or of 1."""
POSITIONS: Mapping[str, tuple[Summand, ...]] = {
    "i": ((1, Count("left", TRUE)),),
    "n": ((1, Count("left", TRUE)), (1, Count("right", TRUE)), (-1, None)),
}


@dataclass(frozen=True)
class CountSum:
    """A sum of multiples of counts, and its first token.

    ``formula`` is the meaning of the same text where a formula is expected: ``1`` is true, and ``i`` may be a symbol.
    """

    token: Token
    summands: list[Summand]
    formula: Formula | None = None

    @property
    def constant(self) -> int | None:
        """The number, if there is no count; else None."""
        if any(count is not None for _, count in self.summands):
            return None
        return sum(number for number, _ in self.summands)

    def term(self) -> Term:
        """Return the term of the core language: counts in the order of mention, and one constant.

        Raises:
            InputError: if the constant is too large.
        """
        constant = sum(number for number, count in self.summands if count is None)
        if abs(constant) >= _TOO_LARGE:
            raise InputError(f"found a sum of more than {MAX_DIGITS} digits, expected at most {MAX_DIGITS}")
        return Term(tuple((number, count) for number, count in self.summands if count is not None), constant)


@dataclass(frozen=True)
class Remainder:
    """The remainder of a sum modulo a number, and its first token."""

    token: Token
    dividend: CountSum
    modulus: int


Number = CountSum | Remainder


def compare_chain(numbers: list[Number], relations: list[Relation]) -> Formula:
    """Return ``a <= b < c``: the conjunction of the comparisons of neighbours.

    Raises:
        InputError: if a remainder is compared with anything except a number.
        Unsupported: if a remainder would be split into too many parts.
    """
    first, *others = [compare(left, relation, right)
                      for (left, right), relation in zip(pairwise(numbers), relations, strict=True)]
    for other in others:
        first = And(first, other)
    return first


def compare(left: Number, relation: Relation, right: Number) -> Formula:
    """Return one comparison."""
    if isinstance(left, Remainder):
        if isinstance(right, CountSum) and right.constant is not None:
            return compare_remainder(left.dividend.term(), left.modulus, relation, right.constant)
        raise InputError("found a remainder that is not compared with a number, expected one such as "
                         "#<[Q_a] % 2 == 0")
    if isinstance(right, Remainder):
        return compare(right, MIRRORED[relation], left)
    return Comparison(relation, left.term(), right.term())


def multiply(left: CountSum, right: CountSum) -> CountSum | None:
    """Return the product if one factor is a number, else None.

    Raises:
        InputError: if the product has too large a number.
    """
    if left.constant is None:
        left, right = right, left
    factor = left.constant
    if factor is None:
        return None
    product = [(factor * number, count) for number, count in right.summands]
    if any(abs(number) >= _TOO_LARGE for number, _ in product):
        raise InputError(f"found a product of more than {MAX_DIGITS} digits, expected at most {MAX_DIGITS}")
    return CountSum(left.token, product)


def remainder_cost(dividend: CountSum, modulus: int, relation: Relation) -> int:
    """Bound from below the number of parts that a comparison of the remainder is split into; 1 for one count."""
    remainders = 1 if relation in ("==", "!=") else modulus
    return remainders * max(1, (len(dividend.summands) - 1) * modulus**2)


def predicate_cost(name: str, parameters: tuple[int, ...], argument: CountSum) -> int:
    """Bound from below the number of parts that a predicate of the sum is split into; 1 for a single count."""
    if len(argument.summands) < 2:
        return 1
    modulus = {"ODD": 2, "EVEN": 2, "MOD": parameters[0] if parameters else 1}.get(name)
    return MAX_SPLIT if modulus is None else min(MAX_SPLIT, remainder_cost(argument, modulus, "=="))
