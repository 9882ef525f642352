"""Parser of texts to places: operator precedence with a stack of pending operators, without recursion.

A text with variables is an expression (or a condition): its words are those variables, numbers and functions. Without
variables it is a formula or a count.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..budget import MAX_EXPRESSION, MAX_FORMULA, MAX_NESTING
from ..verdicts import expect, quote
from .positions import OF_NUMBERS, PREDICATES
from .table import ARITHMETIC, COUNTS, RELATIONS, Place, Table
from .tokens import (
    CALLED,
    GROUP_TO_THE_RIGHT,
    STRENGTH_OF_APPLICATION,
    STRENGTH_OF_BINARY,
    STRENGTH_OF_PREFIX,
    Token,
    read_tokens,
)

Predicates = Mapping[str, Place]
"""Predicates, and formulas defined before, by name."""
Variables = Mapping[str, str]

ABBREVIATIONS: dict[str, Callable[..., Place]] = {
    "S": lambda make, a, b: make("since", make("|", a, b), b),
    "U": lambda make, a, b: make("until", make("|", a, b), b),
    "O": lambda make, a: make("since", make("true"), a),
    "F": lambda make, a: make("until", make("true"), a),
    "H": lambda make, a: make("!", make("since", make("true"), make("!", a))),
    "G": lambda make, a: make("!", make("until", make("true"), make("!", a)))}


@dataclass(frozen=True)
class Waiting:
    """A pending operator, whose last operand is not parsed yet."""

    strength: int
    arity: int
    operator: str


class Parser:
    """The parser of one text; ``_done`` are the operands that no operator has taken yet."""

    def __init__(self, table: Table, predicates: Predicates, variables: Variables) -> None:
        self._table, self._predicates, self._variables = table, predicates, variables
        self._waiting: list[Waiting] = []
        self._done: list[Place] = []
        self._operand_next = True

    def parse(self, text: str) -> Place:
        """Parse a text, and return its place."""
        longest = MAX_EXPRESSION if self._variables else MAX_FORMULA
        expect(len(text) <= longest, "limit: a text of more than {} characters", longest)
        for token in read_tokens(text):
            self._table.budget.spend(5)
            if not token.is_space:
                self._take(token)
            expect(len(self._waiting) <= MAX_NESTING, "limit: nested more than {} deep", MAX_NESTING)
        expect(not self._operand_next, "ends where an operand is expected")
        self._finish(0)
        expect(not self._waiting, "ends where a closing bracket is expected")
        return self._done[0]

    def _take(self, token: Token) -> None:
        """Take the next token: an operand or a prefix, or else an operator or a closing bracket."""
        word = token.word
        if self._operand_next:
            operand = self._find_operand(token)
            if operand is not None:
                self._take_operand(operand, token.is_applied)
                return
            if word in STRENGTH_OF_PREFIX and (word not in CALLED or (self._variables and token.is_applied)):
                self._take_prefix(word)
                return
        elif word in STRENGTH_OF_BINARY:
            self._take_binary(word)
            return
        elif word in (")", "]"):
            self._take_closing(word)
            return
        wanted = "operand" if self._operand_next else "operator"
        expect(False, "column {}: expected an {}, got {}", token.column, wanted, quote(token.written))

    def _take_operand(self, place: Place, is_applied: bool) -> None:
        """Push an operand; a predicate before a bracket is applied to the counts in it."""
        self._done.append(place)
        self._operand_next = is_applied
        if is_applied:
            self._waiting.append(Waiting(STRENGTH_OF_APPLICATION, 2, "on"))

    def _take_prefix(self, word: str) -> None:
        """Push a prefix operator; -a is 0 - a."""
        if word == "-":
            self._done.append(self._table.make("int", data=(0,)))
        self._waiting.append(Waiting(STRENGTH_OF_PREFIX[word], 2 if word == "-" else 1, word))

    def _take_binary(self, word: str) -> None:
        strength = STRENGTH_OF_BINARY[word]
        self._finish(strength if word in GROUP_TO_THE_RIGHT else strength - 1)
        self._waiting.append(Waiting(strength, 2, word))
        self._operand_next = True

    def _take_closing(self, word: str) -> None:
        self._finish(0)
        opened = self._waiting.pop().operator if self._waiting else ""
        expect(opened and (opened == "(") == (word == ")"), "unmatched {}", word)
        if opened != "(":
            self._done[-1] = self._build(opened, self._done[-1:])

    def _finish(self, strength: int) -> None:
        """Build the pending operators that bind tighter than ``strength``."""
        while self._waiting and self._waiting[-1].strength > strength:
            waiting = self._waiting.pop()
            self._done[-waiting.arity :] = [self._build(waiting.operator, self._done[-waiting.arity :])]

    def _find_operand(self, token: Token) -> Place | None:
        """Return the place of a token that is an operand, or None."""
        if not token.is_operand:
            return None
        if token.symbol is not None:
            return None if self._variables else self._table.make("Q", data=(token.symbol,))
        name, parameters = token.name_and_parameters
        if name.isdigit():
            return self._table.make("int", data=(int(name),))
        if self._variables:
            return self._table.make(self._variables[name]) if name in self._variables else None
        if name in PREDICATES and bool(parameters) == (name == "MOD"):
            return self._table.make("P", data=(name, *parameters))
        expect(not (token.is_applied and name.startswith("$")), "{} is no predicate", quote(name))
        return self._table.make(name) if name in ("true", "false") else self._predicates.get(name)

    def _build(self, operator: str, operands: list[Place]) -> Place:
        """Return the place of an operator applied to operands; check their types."""
        table = self._table
        if operator == "on":
            operands = [operands[0], self._find_sum(operands[1])]
            fits = table.nodes[operands[0]].operator in ("P", "user")
        else:
            of_numbers = operator in ARITHMETIC or operator in RELATIONS or operator in OF_NUMBERS
            fits = all(table.is_number(operand) == of_numbers for operand in operands)
        expect(fits, "{} is applied to a number or a truth value wrongly", quote(operator))
        leaves = frozenset[str]().union(*(table.leaves(operand) for operand in operands))
        if operator in RELATIONS and ("#" in leaves or not leaves):
            return compare(table, operator, *operands)
        if operator in ABBREVIATIONS:
            return ABBREVIATIONS[operator](table.make, *operands)
        return table.make(operator, *operands)

    def _find_sum(self, place: Place) -> Place:
        """Return the argument of a predicate: a count, or the comparison with 0 of a sum of counts."""
        if self._table.nodes[place].operator in COUNTS:
            return place
        compared = sum_with_zero(self._table, place)
        _, counts, (_, _, *coefficients) = self._table.nodes[compared]
        return counts[0] if coefficients == [1] else compared


def compare(table: Table, relation: str, left: Place, right: Place) -> Place:
    """Return a comparison of sums of counts, or of integers; the module is imported only if there is one."""
    from .comparisons import compare_sums

    return compare_sums(table, relation, left, right)


def sum_with_zero(table: Table, place: Place) -> Place:
    """Return the comparison with 0 of a sum of integer multiples of counts."""
    expect(table.is_number(place), "expected a sum of counts")
    compared = compare(table, "==", place, table.make("int", data=(0,)))
    _, counts, (_, constant, *_) = table.nodes[compared]
    expect(counts and constant == 0, "expected a sum of counts, and no constant")
    return compared


def read_formula(table: Table, predicates: Predicates, text: str) -> Place:
    """Parse a formula."""
    place = Parser(table, predicates, {}).parse(text)
    expect(not table.is_number(place), "expected a formula")
    return place
