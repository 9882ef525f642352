"""The state of a head with scores over its visible positions, and the part of it that may be dropped.

A *history* has all keys, the extent of all values, and items: keys with their values, with multiplicities. As scores
depend on keys only, the winner of a query among them is computed once for all histories with the same keys.

Forgetting (docs/background/softened_rules.md, section 4, which proves it). Let the queries that may come at each
position be given (`HistoryTable.expect`). Then a history of the first i positions keeps only its *contenders*: the
items with the greatest score for some query that may come at i or later. The finer bound of error_terms.py is then
unavailable (`ValuesDropped`).
"""

from bisect import insort
from collections.abc import Sequence
from operator import attrgetter, eq, mul

from .integers import charge_products
from .memoisation import POINTER_BITS, Extent, History, IntegerVector, Item, Keys, LengthTables

HISTORY_STEPS = 20  # of work to see another position, plus the cost of its items
BY_ORDER = attrgetter("order")


class ValuesDropped(Exception):
    """A bound needs values that were dropped."""


class HistoryTable:
    """The histories of one head at one length."""

    def __init__(self, memory: LengthTables) -> None:
        self._memory, self._budget = memory, memory.budget
        self._scores: dict[IntegerVector, dict[IntegerVector, int]] = {}
        self._keys: dict[tuple[IntegerVector, ...], Keys] = {}
        self._extents: dict[IntegerVector, Extent] = {}
        self._histories: dict[tuple[Keys, Extent, tuple[Item, ...]], History] = {}
        self._expected: Sequence[Sequence[IntegerVector]] | None = None
        self._rows: list[dict[IntegerVector, tuple[int, ...]]] = []
        self.start = History(Keys((), 0, Extent()), Extent())

    @property
    def drops_values(self) -> bool:
        """True if histories keep contenders only."""
        return self._expected is not None

    def expect(self, queries: Sequence[Sequence[IntegerVector]]) -> None:
        """Drop values from now on; ``queries`` has those that may come at each position or later."""
        self._expected, self._rows = queries, [{} for _ in queries]

    def see(self, history: History, item: Item) -> History:
        """Return the history with one more position."""
        keys = history.keys.extended.get(item.key) or self._extend_keys(history.keys, item.key)
        extent = history.extent.extended.get(item.values) or self._extend_extent(history.extent, item.values)
        found = list(history.contenders)
        insort(found, item, key=BY_ORDER)
        self._budget.spend(HISTORY_STEPS + (len(found) >> 3))
        contenders = tuple(found) if self._expected is None else self._find_contenders(found, len(keys.items))
        entry = keys, extent, contenders
        if entry not in self._histories:
            self._memory.keep(4, len(contenders) * POINTER_BITS)
            self._histories[entry] = History(*entry)
        history.extended[item] = self._histories[entry]
        return self._histories[entry]

    def score(self, query: IntegerVector, keys: Sequence[IntegerVector]) -> list[int]:
        """Return the scores of a query with each key."""
        row = self._scores.setdefault(query, {})
        for key in keys:
            if key not in row:
                charge_products(self._budget, 2 + len(query.integers), query.bits, key.bits)
                self._memory.keep(1, query.bits + key.bits)
                row[key] = sum(map(mul, query.integers, key.integers))
        return [row[key] for key in keys]

    def _find_contenders(self, candidates: Sequence[Item], position: int) -> tuple[Item, ...]:
        """Return those of the candidates that win for a query that may come."""
        rows = [self._row(item.key, position) for item in candidates]
        self._budget.spend(len(rows) * len(rows[0]) >> 3)
        best = tuple(map(max, zip(*rows, strict=True)))
        return tuple([item for item, row in zip(candidates, rows, strict=True) if any(map(eq, row, best))])

    def _row(self, key: IntegerVector, position: int) -> tuple[int, ...]:
        """Return the scores of a key with the queries that may come."""
        known = self._rows[position - 1]
        if key not in known:
            queries = self._expected[position - 1] if self._expected else ()
            known[key] = tuple([self.score(query, (key,))[0] for query in queries])
            self._memory.keep(1, len(queries) * POINTER_BITS)
        return known[key]

    def _extend_keys(self, keys: Keys, key: IntegerVector) -> Keys:
        grown = list(keys.items)
        insort(grown, key, key=BY_ORDER)
        items = tuple(grown)
        self._budget.spend(HISTORY_STEPS + (len(items) >> 3))
        if items not in self._keys:
            self._memory.keep(4, len(items) * POINTER_BITS)
            extent = keys.extent.extended.get(key) or self._extend_extent(keys.extent, key)
            self._keys[items] = Keys(items, max(keys.bits, key.bits), extent)
        keys.extended[key] = self._keys[items]
        return self._keys[items]

    def _extend_extent(self, extent: Extent, read: IntegerVector) -> Extent:
        least, greatest = extent.reach(read.integers)
        ends = self._memory.unify(least + greatest)
        self._budget.spend(HISTORY_STEPS)
        if ends not in self._extents:
            self._memory.keep(3, 0)
            self._extents[ends] = Extent(least, greatest)
        extent.extended[read] = self._extents[ends]
        return self._extents[ends]
