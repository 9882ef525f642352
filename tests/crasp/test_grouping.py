"""Expressions without brackets are grouped as by the interpreter of ``.cr`` files.

That interpreter tries the alternatives of its grammar in order, with precedences that follow from this order; here that
is done with backtracking, on texts whose brackets were left out at random. p and q are truth values, x and y numbers;
it would try a number for a truth value, too, which is not tried here.
"""

import re
from collections.abc import Iterator
from random import Random

import pytest

from constructions.crasp.parser import parse_counting_program
from constructions.crasp.syntax import (
    ComparisonTerm,
    Conditional,
    Connective,
    CountTerm,
    Integer,
    Name,
    Not,
    ProductTerm,
    RaspExpression,
    SumTerm,
    SymbolTest,
)
from constructions.errors import ProgramError

Tree = tuple[object, ...] | str
Found = Iterator[tuple[Tree, int]]
"""A tree, and the number of tokens up to its end."""

RELATIONS = ("<", ">", "==", "!=", "<=", ">=")
HEADER = 'x = #"a"\ny = #"b"\np = "a"\nq = "b"\nD = '


def product(*factors: Tree) -> Tree:
    """Return the factors, those of products among them included: how these are grouped does not matter."""
    return ("*", *(part for factor in factors for part in (factor[1:] if factor[0] == "*" else (factor,))))


class Interpreter:
    """The groupings of a list of tokens, the preferred one first."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = [*tokens, "end"]

    def value(self) -> Tree:
        readings = (tree for rule in (self.truth, self.number) for tree, end in rule(0, 0)
                    if self.tokens[end] == "end")
        return next(readings)

    def truth(self, start: int, least: int) -> Found:
        for left, end in self.first_truth(start):
            yield from self.more_truth(left, end, least)

    def more_truth(self, left: Tree, end: int, least: int) -> Found:
        for operator, precedence in (("&&", 7), ("||", 6)):
            if self.tokens[end] == operator and precedence >= least:
                for right, after in self.truth(end + 1, precedence + 1):
                    yield from self.more_truth((operator, left, right), after, least)
        yield left, end

    def first_truth(self, start: int) -> Found:
        token = self.tokens[start]
        if token.startswith('"'):
            yield token, start + 1
        for left, end in self.number(start, 0):
            if self.tokens[end] in RELATIONS:
                for right, after in self.number(end + 1, 0):
                    yield (self.tokens[end], left, right), after
        if token == "!":
            yield from ((("!", operand), end) for operand, end in self.truth(start + 1, 5))
        if token in "pq":
            yield token, start + 1
        yield from self.bracketed(start, self.truth)

    def number(self, start: int, least: int) -> Found:
        for left, end in self.first_number(start):
            yield from self.more_numbers(left, end, least)

    def more_numbers(self, left: Tree, end: int, least: int) -> Found:
        for operator, precedence in (("+", 7), ("-", 6)):
            if self.tokens[end] == operator and precedence >= least:
                for right, after in self.number(end + 1, precedence + 1):
                    yield from self.more_numbers((operator, left, right), after, least)
        if self.tokens[end] == "if" and least <= 2:
            for condition, middle in self.truth(end + 1, 0):
                if self.tokens[middle] == "else":
                    for right, after in self.number(middle + 1, 3):
                        yield from self.more_numbers(("if", condition, left, right), after, least)
        yield left, end

    def first_number(self, start: int) -> Found:
        token = self.tokens[start]
        if token == "#":
            yield from ((("#", operand), end) for operand, end in self.truth(start + 1, 0))
        if token in "xy":
            yield token, start + 1
        if token.isdigit():
            yield token, start + 1
            if self.tokens[start + 1] == "*":
                yield from ((product(token, right), end) for right, end in self.number(start + 2, 5))
        yield from self.bracketed(start, self.number)

    def bracketed(self, start: int, rule: object) -> Found:
        if self.tokens[start] == "(":
            yield from ((tree, end + 1) for tree, end in rule(start + 1, 0) if self.tokens[end] == ")")  # type: ignore[operator]


def tree_of(expression: RaspExpression) -> Tree:
    match expression:
        case Name(name):
            return name
        case Integer(value):
            return str(value)
        case SymbolTest(symbol):
            return f'"{symbol}"'
        case Not(operand):
            return "!", tree_of(operand)
        case CountTerm(_, operand):
            return "#", tree_of(operand)
        case Connective(sign, left, right) | ComparisonTerm(sign, left, right) | SumTerm(sign, left, right):
            return sign, tree_of(left), tree_of(right)
        case ProductTerm(left, right):
            return product(tree_of(left), tree_of(right))
        case Conditional(condition, chosen, otherwise):
            return "if", tree_of(condition), tree_of(chosen), tree_of(otherwise)
    raise TypeError(type(expression).__name__)


class Writer:
    """Random values, with half of the brackets left out."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def put(self, text: str) -> str:
        return f"({text})" if self.random.randrange(3) == 0 else text

    def truth(self, depth: int) -> str:
        if depth == 0:
            return self.random.choice(['"a"', "p", "q"])
        kind = self.random.randrange(4)
        if kind == 0:
            return self.put("! " + self.truth(depth - 1))
        if kind == 1:
            return self.put(f"{self.number(depth - 1)} {self.random.choice(RELATIONS)} {self.number(depth - 1)}")
        return self.put(f"{self.truth(depth - 1)} {self.random.choice(['&&', '||'])} {self.truth(depth - 1)}")

    def number(self, depth: int) -> str:
        if depth == 0:
            return self.random.choice(["x", "y", "1"])
        match self.random.randrange(6):
            case 0 | 1:
                return self.put("# " + self.truth(depth - 1))
            case 2:
                return self.put("2 * " + self.number(depth - 1))
            case 3:
                return self.put(f"{self.number(depth - 1)} if {self.truth(depth - 1)} else {self.number(depth - 1)}")
        return self.put(f"{self.number(depth - 1)} {self.random.choice('+-')} {self.number(depth - 1)}")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(10))
def test_what_is_accepted_is_grouped_alike(seed: int) -> None:
    writer, accepted = Writer(seed), 0
    for _ in range(200):
        text = writer.truth(3)
        try:
            program = parse_counting_program(HEADER + text)
        except ProgramError:
            continue
        accepted += 1
        tokens = re.findall(r'"a"|\w+|[<>=!]=|&&|\|\||\S', text)
        assert tree_of(program.output.body) == Interpreter(tokens).value(), text
    assert accepted >= 40
