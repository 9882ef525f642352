"""All formulas, counts, numbers and conditions of a file, hash-consed in one table.

A node has an operator, operands (places of earlier nodes) and data:

    true false ! & | -> <->         Boolean connectives
    prev next since until           temporal operators ([SHA] Definition 14); S, U, O, F, H, G are written with them
    Q       (symbol)                the symbol at the position
    P       (name, parameters...)   a built-in predicate of the position
    user                            a user's predicate of the position: the condition is the operand
    shift                           the operand, one position to the left; at position 0 for the first one
    #<  #>                          the number of positions up to here, or from here, that satisfy the operand
    T       (relation, c, c_1...)   compares c + c_1 count_1 + ... with 0; the operands are the counts
    on                              a predicate (first operand) of a count (second operand) instead of the position,
                                    or of the sum of counts that a comparison (second operand) with 0 is about
    i n int (number)                numbers, with + - * / // % ^ and the functions of functions.py
    <= < >= > == !=                 compare numbers without counts
    SQUARE POW2 PRIME               predicates on a number, in conditions

Equal nodes have equal places, so two formulas are the same if and only if their places are.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..budget import ENTRY_BITS, MAX_NODES, Budget
from ..functions import FUNCTIONS, IRRATIONAL
from ..verdicts import expect

Place = int

CONNECTIVES = frozenset({"true", "false", "!", "&", "|", "->", "<->"})
PAST, FUTURE = frozenset({"prev", "since"}), frozenset({"next", "until"})
TEMPORAL = PAST | FUTURE
COUNTS = frozenset({"#<", "#>"})
RELATIONS = frozenset({"<=", "<", ">=", ">", "==", "!="})
ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "^", *FUNCTIONS})
NUMERICAL = ARITHMETIC | COUNTS | {"int", "i", "n"}

POSITIONAL = frozenset({"i", "n", "%", "~"})
"""The leaves of a place that depends on the position and the length only."""

LEAF_OF = {"Q": "Q", "i": "i", "n": "n", "P": "i", "%": "%", "//": "%"} | dict.fromkeys(COUNTS, "#")
LEAF_OF |= dict.fromkeys(TEMPORAL, "T")
LEAF_OF |= dict.fromkeys(IRRATIONAL, "~")


Key = tuple[str, tuple[Place, ...], tuple[str, ...]]
"""A key: equal for two nodes iff they are; numbers are texts in it, since a file can choose many with one hash."""


class Node(NamedTuple):
    """An operator, the places of its operands, and its data."""

    operator: str
    operands: tuple[Place, ...] = ()
    data: tuple[str | int, ...] = ()


class Table:
    """The nodes; ``nodes[place]`` comes after its operands."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.nodes: list[Node] = []
        self.names: dict[Place, str] = {}  # the user's names of predicates
        self._places: dict[Key, Place] = {}
        self._leaves: list[frozenset[str]] = []

    def make(self, operator: str, *operands: Place, data: tuple[str | int, ...] = ()) -> Place:
        """Return the place of a node, which is added if it is new."""
        node = Node(operator, operands, data)
        key = operator, operands, tuple([f"{x:x}" if isinstance(x, int) else x for x in data])
        if key not in self._places:
            expect(len(self.nodes) < MAX_NODES, "limit: more than {} formulas", MAX_NODES)
            self.budget.hold(ENTRY_BITS)
            self._places[key] = len(self.nodes)
            self._leaves.append(leaves_of(node).union(*(self._leaves[operand] for operand in operands)))
            self.nodes.append(node)
        return self._places[key]

    def leaves(self, place: Place) -> frozenset[str]:
        """Return which of Q (symbols), T (temporal operators), # (counts), i, n, % (also //) and ~ (ln, sqrt) occur."""
        return self._leaves[place]

    def is_positional(self, place: Place) -> bool:
        """Return whether a place depends on the position and the length only."""
        return self._leaves[place] <= POSITIONAL

    def is_of_symbols(self, place: Place) -> bool:
        """Return whether a place depends on the symbol at its position only."""
        return self._leaves[place] <= {"Q"}

    def may_be_irrational(self, place: Place) -> bool:
        """Return whether a place is a number that may be irrational somewhere."""
        return "~" in self._leaves[place] and self.is_number(place)

    def is_connective(self, place: Place) -> bool:
        """Return whether the operator is Boolean."""
        return self.nodes[place].operator in CONNECTIVES

    def is_number(self, place: Place) -> bool:
        """Return whether a place is a number (or a count), not a truth."""
        return self.nodes[place].operator in NUMERICAL

    def counted(self, count: Place) -> Place:
        """Return the formula that a count counts."""
        return self.nodes[count].operands[0]

    def is_of_counts(self, place: Place) -> bool:
        """Return whether a place is a comparison of counts, or a predicate on a count or on a sum of counts."""
        return self.nodes[place].operator in ("T", "on")

    def counts_of(self, place: Place) -> dict[Place, int]:
        """Return the counts of a comparison or of a predicate's argument, with coefficients; of a count, itself."""
        operator, operands, data = self.nodes[place]
        if operator == "on":
            return self.counts_of(operands[1])
        return dict(zip(operands, map(int, data[2:]), strict=True)) if operator == "T" else {place: 1}

    def parts(self, place: Place) -> tuple[Place, ...]:
        """Return the direct parts of a formula; for a comparison or a predicate on a count, the counted formulas."""
        if self.is_of_counts(place):
            return tuple(map(self.counted, self.counts_of(place)))
        return () if self.nodes[place].operator in ("user", "shift") else self.nodes[place].operands

    def below(self, roots: Iterable[Place], stop: Callable[[Place], bool] = lambda place: False) -> list[Place]:
        """List each part of the roots once, the left first; a part that satisfies ``stop`` is listed, not entered."""
        return list(self.walk(roots, stop))

    def walk(self, roots: Iterable[Place], stop: Callable[[Place], bool],
             parts: Callable[[Place], tuple[Place, ...]] | None = None) -> Iterator[Place]:
        """Yield each part of the roots once, as `below` does; the caller may stop early, or give other ``parts``."""
        waiting, seen = [*roots][::-1], dict[Place, None]()
        while waiting:
            place = waiting.pop()
            if place not in seen:
                self.budget.spend(1)
                seen[place] = None
                yield place
                waiting += () if stop(place) else (parts or self.parts)(place)[::-1]


def leaves_of(node: Node) -> frozenset[str]:
    """Return the leaves that a node adds to those of its operands."""
    if node.data == ("LAST",) and node.operator == "P":
        return frozenset({"i", "n"})
    return frozenset({LEAF_OF[node.operator]} if node.operator in LEAF_OF else ())
