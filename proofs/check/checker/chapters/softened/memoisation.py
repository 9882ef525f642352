"""Memoisation: tables of numbers, of histories of heads, and of vectors.

Equal tuples of integers are one object (`IntegerVector`), and tables have such objects as keys, which are found by
identity. The table that makes them unique has texts as keys. Hashes of texts contain a secret of Python, those of
integers do not: a file could choose integers that all have one hash, and make a table as slow as a list.

All tables belong to one length and may be dropped together (lengths.py): no entry refers to the object that made it.
"""

from fractions import Fraction
from operator import sub

from ...kernel.budget import ENTRY_BITS, Budget
from ...kernel.numbers import bits_of
from .integers import Integers, longest

POINTER_BITS = 64
TABLES_BITS = 1 << 31  # tables are emptied when they hold 256 MB, or half of the memory that was left when they began


def as_key(numbers: Integers) -> str:
    """Return a text that is different for different integers."""
    return " ".join(map(hex, numbers))


class IntegerVector:
    """Integers that heads read at a position: equal ones are one object; ``order`` is the order of creation."""

    __slots__ = ("bits", "integers", "order")

    def __init__(self, integers: Integers, order: int, bits: int) -> None:
        self.integers, self.order, self.bits = integers, order, bits


class Addition:
    """The addition of a part of a layer to the directions that it writes, at a position, in its order.

    Attributes:
        values: integers over the scale of the layer's stage.
        carried: the additions to the errors of those directions that other parts of the stage write as well.
    """

    __slots__ = ("carried", "values")

    def __init__(self, values: Integers, carried: tuple[tuple[str, Fraction], ...]) -> None:
        self.values, self.carried = values, carried


class Item:
    """The key and the values of a head at a position: equal ones are one object.

    Attributes:
        integers: of the key, followed by those of the values.
        order: the order of creation.
    """

    __slots__ = ("integers", "key", "order", "values")

    def __init__(self, key: IntegerVector, values: IntegerVector, order: int) -> None:
        self.key, self.values, self.order = key, values, order
        self.integers = key.integers + values.integers


class Extent:
    """The least and the greatest of some integers, component by component; ``spans`` are their differences.

    ``extended`` is the extent with one more vector, by that vector.
    """

    __slots__ = ("extended", "greatest", "least", "spans")

    def __init__(self, least: Integers = (), greatest: Integers = ()) -> None:
        self.least, self.greatest, self.spans = least, greatest, tuple(map(sub, greatest, least))
        self.extended: dict[IntegerVector, Extent] = {}

    def reach(self, read: Integers) -> tuple[Integers, Integers]:
        """Return the least and the greatest, with one more vector."""
        return tuple(map(min, self.least or read, read)), tuple(map(max, self.greatest or read, read))


class QueryWinner:
    """The greatest score of a query among keys.

    Attributes:
        best: the greatest score.
        uncertainty: the part of the uncertainty (score_uncertainty.py) that is equal for all positions.
        is_exact: whether Û weighs the positions exactly as U does, and the error is 0.
        widest: the spans of values that the coarser bound allows (error_terms.py), None if it is not used.
    """

    __slots__ = ("best", "is_exact", "uncertainty", "widest")

    def __init__(self, best: int, uncertainty: int, is_exact: bool, widest: Integers | None) -> None:
        self.best, self.uncertainty, self.is_exact, self.widest = best, uncertainty, is_exact, widest


class Keys:
    """The visible keys of a head, in the order of `IntegerVector.order`, not of positions.

    Attributes:
        bits: of the longest integer.
        extent: of the keys.
        extended: the keys with one more, by that key.
        winners: the greatest score of each query among them.
    """

    __slots__ = ("bits", "extended", "extent", "items", "winners")

    def __init__(self, items: tuple[IntegerVector, ...], bits: int, extent: Extent) -> None:
        self.items, self.bits, self.extent = items, bits, extent
        self.extended: dict[IntegerVector, Keys] = {}
        self.winners: dict[IntegerVector, QueryWinner] = {}


class History:
    """The state of a head over its visible positions.

    Attributes:
        keys: all of them; a uniform head has one entry in place of keys, the number of positions and sums of values.
        extent: of all values; empty for a uniform head.
        contenders: the items that may still win (visible_keys.py), in `Item.order`; empty for a uniform head.
        extended: the history with one more position, by the item there.
        answers: the addition of the head, by its query.
    """

    __slots__ = ("answers", "contenders", "extended", "extent", "keys")

    def __init__(self, keys: Keys, extent: Extent, contenders: tuple[Item, ...] = ()) -> None:
        self.keys, self.extent, self.contenders = keys, extent, contenders
        self.extended: dict[Item, History] = {}
        self.answers: dict[IntegerVector, Addition] = {}


class ResidualVector:
    """The vector of a position at the beginning of a layer.

    Attributes:
        integers: of the directions that this layer or a later one reads, over the layer's scale.
        queries: the query of each head of the layer here.
        items: the key and the values of each head here.
        after: the vector after the layer, by the additions of its heads.
    """

    __slots__ = ("after", "integers", "items", "queries")

    def __init__(self, integers: Integers, queries: list[IntegerVector], items: list[Item]) -> None:
        self.integers, self.queries, self.items = integers, queries, items
        self.after: dict[tuple[Addition, ...], ResidualVector] = {}


class LengthTables:
    """The memory of the tables of one length, and the tables of numbers and additions."""

    def __init__(self, budget: Budget) -> None:
        self.budget, self.used, self.room = budget, 0, min(TABLES_BITS, budget.bits_left // 2)
        self._numbers: dict[str, IntegerVector] = {}
        self._items: dict[tuple[IntegerVector, IntegerVector], Item] = {}
        self._additions: dict[tuple[str, tuple[tuple[str, str], ...]], Addition] = {}

    @property
    def is_full(self) -> bool:
        """True if the tables must be emptied."""
        return self.used > self.room

    def keep(self, entries: int, bits: int) -> None:
        """Charge the memory of table entries whose numbers have ``bits`` bits."""
        self.used += entries * ENTRY_BITS + bits
        self.budget.hold(entries * ENTRY_BITS + bits)

    def forget(self) -> None:
        """Release the memory of all tables."""
        self.budget.release(self.used)
        self.used = 0

    def unify(self, integers: Integers) -> IntegerVector:
        """Return the unique object for these integers."""
        key = as_key(integers)
        known = self._numbers.get(key)
        if known is None:
            self.budget.spend(1 + (len(key) >> 8))
            self.keep(2, bits_of(integers) + 8 * len(key))
            known = self._numbers[key] = IntegerVector(integers, len(self._numbers), longest(integers))
        return known

    def unify_item(self, key: IntegerVector, values: IntegerVector) -> Item:
        """Return the unique object for this key and these values."""
        known = self._items.get((key, values))
        if known is None:
            self.keep(2, key.bits * len(key.integers) + values.bits * len(values.integers))
            known = self._items[key, values] = Item(key, values, len(self._items))
        return known

    def unify_addition(self, values: Integers, carried: tuple[tuple[str, Fraction], ...]) -> Addition:
        """Return the unique object for this addition."""
        key = as_key(values), tuple((t, as_key(error.as_integer_ratio())) for t, error in carried)
        known = self._additions.get(key)
        if known is None:
            of_errors = [x for _, error in carried for x in error.as_integer_ratio()]
            self.keep(3 + len(carried), 2 * (bits_of(values) + bits_of(of_errors)))
            known = self._additions[key] = Addition(values, carried)
        return known
