"""Truths of connectives, temporal operators (from their remembered truth) and formulas over symbols.

Each chapter of the proof supplies the truths of its atoms; here they are only combined. A formula that is neither given
nor a connective is undecided, and rejected.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..budget import ENTRY_BITS
from ..verdicts import Rejected
from .table import Node, Place, Table

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt, "==": operator.eq, "!=": operator.ne}
CONNECT: dict[str, Callable[..., bool]] = {
    "true": lambda: True, "false": lambda: False, "!": operator.not_,
    "->": lambda a, b: bool(not a or b), "<->": lambda a, b: bool(a) == bool(b),
    "&": lambda a, b: bool(a and b), "|": lambda a, b: bool(a or b)}


def is_constant_comparison(node: Node) -> bool:
    """Return whether a node compares counts all of which cancelled."""
    return node.operator == "T" and not node.operands


def holds_at_sum(node: Node, number: Fraction | int = 0) -> bool:
    """Return the truth of a comparison of counts where the weighted sum of the counts is ``number``."""
    return COMPARE[str(node.data[0])](int(node.data[1]) + number, 0)


def connect_one(table: Table, place: Place, truths: Mapping[Place, bool]) -> bool:
    """Return the truth of a connective from those of its operands."""
    name, operands, _ = table.nodes[place]
    if is_constant_comparison(table.nodes[place]):
        return holds_at_sum(table.nodes[place])
    if name not in CONNECT or not all(operand in truths for operand in operands):
        from .printing import write_short

        raise Rejected(f"{write_short(table, place)} is not determined by the directions read")
    return CONNECT[name](*(truths[operand] for operand in operands))


def temporal_truth(node: Node, now: Mapping[Place, bool], last: bool) -> bool:
    """Return the truth here of a temporal operator, from its remembered truth; left holds at the witness, too."""
    operands = node.operands
    return last if len(operands) == 1 else now[operands[0]] and (now[operands[1]] or last)


def remembered(node: Node, place: Place, now: Mapping[Place, bool]) -> bool:
    """Return the truth to remember: `since` and `until` store their own, `prev` and `next` the operand's."""
    return now[place] if len(node.operands) == 2 else now[node.operands[0]]


class Symbols:
    """The symbols of an alphabet at which a formula over symbols holds: a bit for each symbol, in their order.

    The bits of each formula are computed once.
    """

    def __init__(self, table: Table, alphabet: Sequence[str]) -> None:
        self._table = table
        self._bits = {symbol: 1 << number for number, symbol in enumerate(alphabet)}
        self._all = (1 << len(alphabet)) - 1
        self._found: dict[Place, int] = {}

    def where(self, root: Place) -> int:
        """Return the symbols, as bits, at which a formula over symbols holds."""
        budget, found = self._table.budget, self._found
        for place in sorted(self._table.below([root], lambda place: place in found)):
            if place not in found:
                budget.spend(1 + (len(self._bits) >> 8))
                budget.hold(ENTRY_BITS + len(self._bits))
                found[place] = self._combine(self._table.nodes[place])
        return found[root]

    def allowed(self, places: Sequence[Place]) -> set[tuple[bool, ...]]:
        """Return the tuples of truths that these formulas over symbols jointly have at some symbol."""
        sets = [self.where(place) for place in places]
        self._table.budget.spend(len(self._bits) * (1 + len(sets)))
        return {tuple([bool(one >> number & 1) for one in sets]) for number in range(len(self._bits))}

    def _combine(self, node: Node) -> int:
        name, operands, data = node
        if name == "Q":
            return self._bits.get(str(data[0]), 0)
        if is_constant_comparison(node):
            return self._all if holds_at_sum(node) else 0
        if name not in CONNECT_SETS:
            raise Rejected("a formula is not built from symbols only")
        return CONNECT_SETS[name](*(self._found[operand] for operand in operands)) & self._all


CONNECT_SETS: dict[str, Callable[..., int]] = {
    "true": lambda: -1, "false": lambda: 0, "!": lambda a: ~a, "&": lambda a, b: a & b, "|": lambda a, b: a | b,
    "->": lambda a, b: ~a | b, "<->": lambda a, b: ~(a ^ b)}
"""Connectives of sets of symbols as bits; the sign bits above the alphabet are masked off afterwards."""
