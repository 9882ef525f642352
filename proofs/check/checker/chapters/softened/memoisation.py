"""What has been met is not computed again: tables of numbers, of what heads have seen, and of vectors.

Equal tuples of integers are one object (`IntegerVector`), and tables have such objects as keys, which are found by
identity. The table that makes them one has texts as keys: Python mixes a secret into the hashes of texts, and none into
those of integers, so that a file could choose integers that all have one hash, and make a table as slow as a list.

All that is remembered belongs to one length and may be forgotten together (lengths.py): nothing points back to who
made it.
"""

from fractions import Fraction
from operator import sub

from ...kernel.budget import ENTRY_BITS, Budget
from ...kernel.numbers import bits_of
from .integers import Integers, longest

POINTER_BITS = 64
TABLES_BITS = 1 << 31  # tables are emptied when they hold 256 MB, or half of the memory that was left when they began


def as_key(numbers: Integers) -> str:
    """Return a text that no other integers have."""
    return " ".join(map(hex, numbers))


class IntegerVector:
    """Integers that heads read at a position: equal ones are one object; ``order`` counts these as they are met."""

    __slots__ = ("bits", "integers", "order")

    def __init__(self, integers: Integers, order: int, bits: int) -> None:
        self.integers, self.order, self.bits = integers, order, bits


class Addition:
    """What a part of a layer adds at a position to the directions that it writes, in its order.

    Attributes:
        values: integers over the scale of the layer's stage.
        carried: what it adds to the errors of those directions that other parts of the stage write as well.
    """

    __slots__ = ("carried", "values")

    def __init__(self, values: Integers, carried: tuple[tuple[str, Fraction], ...]) -> None:
        self.values, self.carried = values, carried


class Item:
    """What a head reads at a position where it is attended to: equal keys and values are one object.

    Attributes:
        integers: of the key, and of the values behind it.
        order: counts items as they are met.
    """

    __slots__ = ("integers", "key", "order", "values")

    def __init__(self, key: IntegerVector, values: IntegerVector, order: int) -> None:
        self.key, self.values, self.order = key, values, order
        self.integers = key.integers + values.integers


class Extent:
    """The least and the greatest of some integers, place by place; they are ``spans`` apart.

    ``extended`` is the extent with one more, by that one.
    """

    __slots__ = ("extended", "greatest", "least", "spans")

    def __init__(self, least: Integers = (), greatest: Integers = ()) -> None:
        self.least, self.greatest, self.spans = least, greatest, tuple(map(sub, greatest, least))
        self.extended: dict[IntegerVector, Extent] = {}

    def reach(self, read: Integers) -> tuple[Integers, Integers]:
        """Return the least and the greatest, with one more."""
        return tuple(map(min, self.least or read, read)), tuple(map(max, self.greatest or read, read))


class QueryWinner:
    """What a query meets among keys.

    Attributes:
        best: the greatest score.
        doubt: the part of the doubt (score_uncertainty.py) that is the same for all positions.
        is_exact: whether Û weighs the positions exactly as U does, so that nothing is missed.
        widest: the spans of values that the coarser bound allows (error_terms.py), None if it says nothing.
    """

    __slots__ = ("best", "doubt", "is_exact", "widest")

    def __init__(self, best: int, doubt: int, is_exact: bool, widest: Integers | None) -> None:
        self.best, self.doubt, self.is_exact, self.widest = best, doubt, is_exact, widest


class Keys:
    """The keys that a head has seen, in the order of `IntegerVector.order`, which is no order of positions.

    Attributes:
        bits: of the longest integer.
        extent: of the keys.
        extended: the keys with one more, by that key.
        met: what queries meet among them.
    """

    __slots__ = ("bits", "extended", "extent", "items", "met")

    def __init__(self, items: tuple[IntegerVector, ...], bits: int, extent: Extent) -> None:
        self.items, self.bits, self.extent = items, bits, extent
        self.extended: dict[IntegerVector, Keys] = {}
        self.met: dict[IntegerVector, QueryWinner] = {}


class History:
    """What a head needs to know of the positions that it sees.

    Attributes:
        keys: all of them; a uniform head has one entry in place of keys, the number of positions and sums of values.
        extent: of all values; a uniform head needs none.
        contenders: the items that may still win (seeing.py), in the order of `Item.order`; a uniform head has none.
        extended: the history with one more position, by what is read there.
        answers: what the head adds, by its query.
    """

    __slots__ = ("answers", "contenders", "extended", "extent", "keys")

    def __init__(self, keys: Keys, extent: Extent, contenders: tuple[Item, ...] = ()) -> None:
        self.keys, self.extent, self.contenders = keys, extent, contenders
        self.extended: dict[Item, History] = {}
        self.answers: dict[IntegerVector, Addition] = {}


class ResidualVector:
    """What a position holds when a layer begins.

    Attributes:
        integers: of the directions that this layer or a later one reads, over the layer's scale.
        queries: what each head of the layer reads here when it attends.
        items: what each head reads here when it is attended to.
        after: the vector that comes out of the layer, by what its heads add.
    """

    __slots__ = ("after", "integers", "items", "queries")

    def __init__(self, integers: Integers, queries: list[IntegerVector], items: list[Item]) -> None:
        self.integers, self.queries, self.items = integers, queries, items
        self.after: dict[tuple[Addition, ...], ResidualVector] = {}


class LengthTables:
    """The room that the tables of one length have, and the tables of numbers and additions."""

    def __init__(self, budget: Budget) -> None:
        self.budget, self.held, self.room = budget, 0, min(TABLES_BITS, budget.bits_left // 2)
        self._numbers: dict[str, IntegerVector] = {}
        self._items: dict[tuple[IntegerVector, IntegerVector], Item] = {}
        self._additions: dict[tuple[str, tuple[tuple[str, str], ...]], Addition] = {}

    @property
    def is_full(self) -> bool:
        """Whether the tables are to be emptied."""
        return self.held > self.room

    def keep(self, entries: int, bits: int) -> None:
        """Counts what is remembered, as so many entries of tables with numbers of so many bits."""
        self.held += entries * ENTRY_BITS + bits
        self.budget.hold(entries * ENTRY_BITS + bits)

    def forget(self) -> None:
        """Counts all as no longer remembered."""
        self.budget.release(self.held)
        self.held = 0

    def unify(self, integers: Integers) -> IntegerVector:
        """Return the one object for these integers."""
        key = as_key(integers)
        known = self._numbers.get(key)
        if known is None:
            self.budget.spend(1 + (len(key) >> 8))
            self.keep(2, bits_of(integers) + 8 * len(key))
            known = self._numbers[key] = IntegerVector(integers, len(self._numbers), longest(integers))
        return known

    def unify_item(self, key: IntegerVector, values: IntegerVector) -> Item:
        """Return the one object for what is read at a position."""
        known = self._items.get((key, values))
        if known is None:
            self.keep(2, key.bits * len(key.integers) + values.bits * len(values.integers))
            known = self._items[key, values] = Item(key, values, len(self._items))
        return known

    def unify_addition(self, values: Integers, carried: tuple[tuple[str, Fraction], ...]) -> Addition:
        """Return the one object for what is added."""
        key = as_key(values), tuple((t, as_key(error.as_integer_ratio())) for t, error in carried)
        known = self._additions.get(key)
        if known is None:
            of_errors = [x for _, error in carried for x in error.as_integer_ratio()]
            self.keep(3 + len(carried), 2 * (bits_of(values) + bits_of(of_errors)))
            known = self._additions[key] = Addition(values, carried)
        return known
