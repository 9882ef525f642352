"""All formulas, counts, numbers and conditions that a file mentions, each once, in one table.

A node has an operator, operands (places of nodes that were there before it) and data:

    true false ! & | -> <->         Boolean connectives
    prev next since until           temporal operators ([SHA] Definition 14); S, U, O, F, H, G are written with them
    Q       (symbol)                the symbol here
    P       (name, parameters...)   a built-in predicate of the position
    user                            a user's predicate of the position: the condition is the operand
    shift                           the operand, one position to the left; at position 0 for the first one
    #<  #>                          how many positions up to here, or from here, satisfy the operand
    T       (relation, c, c_1...)   compares c + c_1 count_1 + ... with 0; the operands are the counts
    on                              a predicate (first operand) of a count (second operand) instead of the position,
                                    or of the sum of counts that a comparison (second operand) with 0 is about
    i n int (number)                numbers, with + - * / // % ^ and the functions of functions.py
    <= < >= > == !=                 compare numbers without counts
    SQUARE POW2 PRIME               ask it of a number, in conditions

Equal texts have equal places, so two formulas are the same if and only if their places are.
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
"""The leaves of what depends on the position and the length alone."""

LEAF_OF = {"Q": "Q", "i": "i", "n": "n", "P": "i", "%": "%", "//": "%"} | dict.fromkeys(COUNTS, "#")
LEAF_OF |= dict.fromkeys(TEMPORAL, "T")
LEAF_OF |= dict.fromkeys(IRRATIONAL, "~")


Key = tuple[str, tuple[Place, ...], tuple[str, ...]]
"""Two nodes have one key if and only if they are equal: where one operator has a number, so has the other.

Numbers become texts, as those of a file can have one hash."""


class Node(NamedTuple):
    """An operator, the places of its operands, and what else it says."""

    operator: str
    operands: tuple[Place, ...] = ()
    data: tuple[str | int, ...] = ()


class Table:
    """The nodes; ``nodes[place]`` comes after its operands."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.nodes: list[Node] = []
        self.names: dict[Place, str] = {}  # what the user calls a predicate
        self._places: dict[Key, Place] = {}
        self._leaves: list[frozenset[str]] = []

    def make(self, operator: str, *operands: Place, data: tuple[str | int, ...] = ()) -> Place:
        """Return the place of this node."""
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
        """Which of Q (symbols), T (temporal operators), # (counts), i, n, % (also //) and ~ (ln, sqrt) occur."""
        return self._leaves[place]

    def is_positional(self, place: Place) -> bool:
        """Whether it depends on the position and the length alone."""
        return self._leaves[place] <= POSITIONAL

    def is_of_symbols(self, place: Place) -> bool:
        """Whether it depends on the symbol here alone."""
        return self._leaves[place] <= {"Q"}

    def may_be_irrational(self, place: Place) -> bool:
        """Whether the value of this number may be irrational somewhere."""
        return "~" in self._leaves[place] and self.is_number(place)

    def is_connective(self, place: Place) -> bool:
        """Whether its operator is Boolean."""
        return self.nodes[place].operator in CONNECTIVES

    def is_number(self, place: Place) -> bool:
        """Whether it is a number (or a count), and not a truth."""
        return self.nodes[place].operator in NUMERICAL

    def counted(self, count: Place) -> Place:
        """Return the formula that a count counts."""
        return self.nodes[count].operands[0]

    def is_of_counts(self, place: Place) -> bool:
        """Whether it is a comparison, or a predicate on a count or on a sum of counts."""
        return self.nodes[place].operator in ("T", "on")

    def counts_of(self, place: Place) -> dict[Place, int]:
        """The counts of a comparison, or of what a predicate is applied to, with their coefficients; a count itself."""
        operator, operands, data = self.nodes[place]
        if operator == "on":
            return self.counts_of(operands[1])
        return dict(zip(operands, map(int, data[2:]), strict=True)) if operator == "T" else {place: 1}

    def parts(self, place: Place) -> tuple[Place, ...]:
        """The direct parts of a formula; those of a comparison or a predicate on a count are what the counts count."""
        if self.is_of_counts(place):
            return tuple(map(self.counted, self.counts_of(place)))
        return () if self.nodes[place].operator in ("user", "shift") else self.nodes[place].operands

    def below(self, roots: Iterable[Place], stop: Callable[[Place], bool] = lambda place: False) -> list[Place]:
        """Each part of the roots once, the left first; what satisfies ``stop`` is listed, and not entered."""
        return list(self.walk(roots, stop))

    def walk(self, roots: Iterable[Place], stop: Callable[[Place], bool],
             parts: Callable[[Place], tuple[Place, ...]] | None = None) -> Iterator[Place]:
        """Yield the same, part by part, for who may have seen enough before the end, or means other parts."""
        waiting, seen = [*roots][::-1], dict[Place, None]()
        while waiting:
            place = waiting.pop()
            if place not in seen:
                self.budget.spend(1)
                seen[place] = None
                yield place
                waiting += () if stop(place) else (parts or self.parts)(place)[::-1]


def leaves_of(node: Node) -> frozenset[str]:
    """What a node adds to the leaves of its operands."""
    if node.data == ("LAST",) and node.operator == "P":
        return frozenset({"i", "n"})
    return frozenset({LEAF_OF[node.operator]} if node.operator in LEAF_OF else ())
