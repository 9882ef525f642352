"""Printer of places, from the nodes alone: nothing of the file's own spelling is left.

Every operand that is not a single word, a count or a prefixed one is bracketed, so the text can be read without rules
of precedence. A formula that would be long because parts repeat is printed with names for them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ..functions import FUNCTIONS
from ..verdicts import literal
from .positions import OF_NUMBERS
from .table import ARITHMETIC, CONNECTIVES, COUNTS, RELATIONS, TEMPORAL, Node, Place, Table

LONGEST_TREE = 2000  # nodes of a formula that is printed in full; in a longer one repeated parts have names
SHORT_DEPTH = 3  # of a formula in a message
MOST_NAMED = 200  # named parts of a formula that are printed
LONGEST_DECIMAL = 10_000  # bits of an integer that is written in decimal; Python writes no more than 4,300 digits

PREFIXED = frozenset({"!", "prev", "next"})
ENCLOSED = frozenset({"Q", "P", "user", "on", "shift", "true", "false", "i", "n", "int"}) | {
    *COUNTS, *FUNCTIONS, *OF_NUMBERS}
CHAINED = frozenset({"&", "|", "+"})  # a left operand with the same operator needs no brackets
IN_CONDITIONS = {"!": "not ", "&": "and", "|": "or", "i": "k"}

Piece = str | Place


def write_integer(x: int) -> str:
    """Write an integer in decimal, or in hexadecimal if it is very long."""
    return str(x) if x.bit_length() <= LONGEST_DECIMAL else hex(x)


class TextWriter:
    """A printer of places of one table; in conditions of predicates it uses their words."""

    def __init__(self, table: Table, in_condition: bool = False, named: Mapping[Place, str] | None = None) -> None:
        self._table, self._words, self._named = table, IN_CONDITIONS if in_condition else {}, named or {}

    def write(self, place: Place, depth: int | None = None) -> str:
        """Return the text of a node, with dots below ``depth``. Not recursive, as formulas may be deep."""
        waiting: list[tuple[Piece, int]] = [(piece, 1) for piece in reversed(self._pieces(place))]
        text = []
        while waiting:
            piece, level = waiting.pop()
            if isinstance(piece, str):
                text.append(piece)
            elif piece in self._named:
                text.append(self._named[piece])
            elif depth is not None and level > depth:
                text.append("...")
            else:
                self._table.budget.spend(2)
                waiting += [(inner, level + 1) for inner in reversed(self._pieces(piece))]
        return "".join(text)

    def _pieces(self, place: Place) -> list[Piece]:
        """Return the text of a node around its operands."""
        node = self._table.nodes[place]
        name, operands, _ = node
        word = self._words.get(name, name)
        if name in PREFIXED:
            return [word if word.endswith((" ", "!")) else f"{word} ", *self._bracketed(operands[0])]
        if name in COUNTS:
            return [f"{name}[", operands[0], "]"]
        if name in FUNCTIONS or name in OF_NUMBERS:
            return [f"{name}(", operands[0], ")"]
        if name == "shift":
            return ["[", operands[0], "](i-1)"]
        if name == "on":
            return [operands[0], "(", *self._sum(operands[1]), ")"]
        if name == "T":
            return [*self._comparison(node)]
        if name in ARITHMETIC | RELATIONS | CONNECTIVES | TEMPORAL and operands:
            left, right = operands
            chain = name in CHAINED and self._table.nodes[left].operator == name
            return [*([left] if chain else self._bracketed(left)), f" {word} ", *self._bracketed(right)]
        return [self._write_leaf(place, node)]

    def _write_leaf(self, place: Place, node: Node) -> str:
        name, _, data = node
        if name == "Q":
            symbol = str(data[0])
            return f"Q_{symbol}" if re.fullmatch("[A-Za-z0-9_]+", symbol) else f"Q[{literal(symbol)}]"
        if name == "P":
            return str(data[0]) + (f"({', '.join(map(str, data[1:]))})" if data[1:] else "")
        if name == "user":
            return self._table.names.get(place, "a predicate")
        return write_integer(int(data[0])) if name == "int" else self._words.get(name, name)

    def _bracketed(self, place: Place) -> list[Piece]:
        enclosed = place in self._named or self._table.nodes[place].operator in ENCLOSED | PREFIXED
        return [place] if enclosed else ["(", place, ")"]

    def _comparison(self, node: Node) -> Iterator[Piece]:
        """Yield the weighted counts of a comparison, compared with the constant on the other side."""
        _, counts, (relation, constant, *coefficients) = node
        yield from self._multiples(counts, map(int, coefficients))
        if counts:
            yield f" {relation} {write_integer(-int(constant))}"
        else:
            yield f"{write_integer(int(constant))} {relation} 0"

    def _multiples(self, counts: Iterable[Place], coefficients: Iterable[int]) -> Iterator[Piece]:
        for number, (c, count) in enumerate(zip(coefficients, counts, strict=True)):
            yield write_sign(c, is_first=number == 0) + (f"{write_integer(abs(c))}*" if abs(c) != 1 else "")
            yield count

    def _sum(self, place: Place) -> Iterator[Piece]:
        """Yield the argument of a predicate: a count, or the sum of a comparison."""
        operator, counts, data = self._table.nodes[place]
        if operator != "T":
            yield place
        else:
            yield from self._multiples(counts, map(int, data[2:]))


def write_sign(x: int, is_first: bool) -> str:
    """Return the sign before a term of a sum."""
    if is_first:
        return "-" if x < 0 else ""
    return " - " if x < 0 else " + "


def write_short(table: Table, place: Place) -> str:
    """Return a formula down to `SHORT_DEPTH`, for messages."""
    return TextWriter(table).write(place, SHORT_DEPTH)


def write_formula(table: Table, place: Place) -> list[str]:
    """Return a formula in full: one line, or more if its repeated parts have names."""
    order = all_below(table, place)
    if size_as_tree(table, order) <= LONGEST_TREE:
        return [TextWriter(table).write(place)]
    uses = Counter(operand for inner in order for operand in table.nodes[inner].operands)
    shared = [inner for inner in order if uses[inner] > 1 and table.nodes[inner].operands]
    named = {inner: f"<{number}>" for number, inner in enumerate(shared, 1) if table.nodes[inner].operator != "user"}
    lines = [TextWriter(table, named=named).write(place)]
    lines += [f"{name} is {TextWriter(table, named=named).write(inner)}" for inner,
              name in [*named.items()][:MOST_NAMED]]
    left_out = len(named) - MOST_NAMED
    return lines + [f"... and {left_out} more; --formula compares all of it with a formula"] * (left_out > 0)


def all_below(table: Table, place: Place) -> list[Place]:
    """Return all nodes below a place, operands first, without the conditions of predicates."""
    return sorted(table.walk([place], lambda inner: table.nodes[inner].operator == "user",
                             lambda inner: table.nodes[inner].operands))


def size_as_tree(table: Table, order: Iterable[Place]) -> int:
    """Return the number of nodes of the formula as a tree, capped at LONGEST_TREE + 1."""
    sizes: dict[Place, int] = {}
    last = 0
    for place in order:
        operands = table.nodes[place].operands if table.nodes[place].operator != "user" else ()
        last = sizes[place] = min(1 + sum(sizes[operand] for operand in operands), LONGEST_TREE + 1)
    return last
