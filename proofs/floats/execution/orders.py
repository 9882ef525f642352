"""Orders in which the terms of a sum are added: any binary tree is allowed, and each order here is one.

A drawn order depends on SHA-256 only, so that it is equal in every language: the stream of a text is the SHA-256 of
``text/0``, ``text/1``, ..., each read as a big-endian integer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from proofs.enclosures.float_models.numbers import ZERO, Arithmetic, Number, add_exactly


class OrderKind(StrEnum):
    """A kind of order; terms count from 0, directions in the order of the weights, positions upward."""

    ASCENDING = "ascending"
    DESCENDING = "descending"
    SMALLEST_FIRST = "smallest first"
    LARGEST_FIRST = "largest first"
    BALANCED = "balanced"
    DRAWN = "drawn"
    LISTED = "listed"


@dataclass(frozen=True)
class Order:
    """An order: its kind, and the seed or the list of terms.

    Ascending, descending and by exact magnitude: sequential sums. Balanced: the first half of the terms, rounded
    down, and the others are summed separately. Drawn: a permutation and a tree from the seed and the place of the
    sum. Listed: sequential, in this order of numbers (for sums of this many terms; others are ascending).

    >>> str(Order(OrderKind.LISTED, listed=(2, 0, 1))), str(Order(OrderKind.DRAWN, 7))
    ('listed 2 0 1', 'drawn 7')
    """

    way: OrderKind = OrderKind.ASCENDING
    seed: int = 0
    listed: tuple[int, ...] = ()

    def __str__(self) -> str:
        match self.way:
            case OrderKind.DRAWN:
                return f"drawn {self.seed}"
            case OrderKind.LISTED:
                return " ".join(["listed", *map(str, self.listed)])
        return self.way.value

    def permutation(self, terms: Sequence[Number], place: str) -> list[int]:
        """Return the terms' numbers in the order of the leaves of the tree."""
        numbers = list(range(len(terms)))
        match self.way:
            case OrderKind.DESCENDING:
                numbers.reverse()
            case OrderKind.SMALLEST_FIRST | OrderKind.LARGEST_FIRST:
                least = min((exponent for _, exponent in terms), default=0)
                sizes = [abs(mantissa) << (exponent - least) for mantissa, exponent in terms]
                numbers.sort(key=sizes.__getitem__, reverse=self.way is OrderKind.LARGEST_FIRST)
            case OrderKind.LISTED if sorted(self.listed) == numbers:
                return list(self.listed)
            case OrderKind.DRAWN:
                keys = stream(f"{self.seed}/{place}/permutation")
                drawn = [next(keys) for _ in numbers]
                numbers.sort(key=drawn.__getitem__)
        return numbers


ASCENDING = Order()


def stream(text: str) -> Iterator[int]:
    """Yield pseudorandom 256-bit integers."""
    count = 0
    while True:
        yield int.from_bytes(sha256(f"{text}/{count}".encode()).digest(), "big")
        count += 1


def add_terms(terms: Sequence[Number], order: Order, fused: bool, arithmetic: Arithmetic, place: str) -> Number:
    """Return the computed sum of exact products: each is rounded, or fused with the sum that it enters.

    Of two fused products that are added to each other the left one is rounded. ``place`` names the sum for drawn
    orders.
    """
    if not terms:
        return ZERO
    ordered = [terms[k] for k in order.permutation(terms, place)] if len(terms) > 1 else terms
    match order.way:
        case OrderKind.BALANCED | OrderKind.DRAWN:
            draws = stream(f"{order.seed}/{place}/tree") if order.way is OrderKind.DRAWN else None
            return _Tree(arithmetic, fused, draws).add(ordered)
    total = arithmetic.round(ordered[0])
    for term in ordered[1:]:
        total = arithmetic.add(total, term if fused else arithmetic.round(term))
    return total


@dataclass
class _Tree:
    """Sums by a tree that halves the terms, or splits them by draws; the left part is added first."""

    arithmetic: Arithmetic
    fused: bool
    draws: Iterator[int] | None

    def add(self, terms: Sequence[Number]) -> Number:
        """Return the computed sum."""
        if len(terms) == 1:
            return self.arithmetic.round(terms[0])
        middle = 1 + next(self.draws) % (len(terms) - 1) if self.draws else len(terms) // 2
        left, right = terms[:middle], terms[middle:]
        if self.fused and len(right) == 1:
            return self.arithmetic.round(add_exactly(self.add(left), right[0]))
        if self.fused and len(left) == 1:
            return self.arithmetic.round(add_exactly(left[0], self.add(right)))
        return self.arithmetic.add(self.add(left), self.add(right))
