"""A reader of the files that ``proofs/every_n/transformer_file.py`` prints: from what Coq sees back to a network.

It is written from ``network.v``, ``formula.v`` and ``meaning.v`` alone, and shares nothing with the printer. Users'
predicates are not read. A text that cannot be read raises ``Unreadable``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from constructions.errors import InputError
from constructions.language.brackets import Bracket, PositionFunction
from constructions.language.expressions import Expression, parse_expression
from constructions.language.syntax import (
    And,
    Comparison,
    Constant,
    Count,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Predicate,
    PredicateOnCount,
    PredicateOnSum,
    Previous,
    Relation,
    Since,
    Symbol,
    Term,
    Until,
    is_positional,
)
from constructions.network.meanings import (
    Anything,
    Average,
    Mean,
    Meaning,
    Near,
    Others,
    Position,
    Product,
    Slack,
    Total,
    Truth,
)
from constructions.network.transformer import Coefficients, FeedForward, Head, Layer, Mask, Transformer, Unit
from constructions.network.weightings import Weighting

Node = Any
"""A number, a name, a list of nodes, or a tuple: an application with its function first, or a pair."""

_TOKEN = re.compile(r"\|->|[\[\];(),#]|-?\d+|%\w+|\w+")
_DEFINITION = re.compile(r"^Definition (\w+) : [\w ()*]+ :=(.*?)\.$", re.DOTALL | re.MULTILINE)
_CONNECTIVES: dict[str, Any] = {
    "Not": Not, "And": And, "Or": Or, "Implies": Implies, "Iff": Iff, "Previous": Previous, "Next": Next,
    "Since": Since, "Until": Until,
}  # fmt: skip
_RELATIONS: dict[str, Relation] = {
    "AtMost": "<=", "Below": "<", "AtLeast": ">=", "Above": ">", "Equal": "==", "Unequal": "!=",
}  # fmt: skip
_MASKS = {"Unmasked": Mask.NONE, "FutureMasked": Mask.FUTURE, "PastMasked": Mask.PAST}
_INFIX = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Power": "^", "IntPlus": "+", "IntMinus": "-"}
_FUNCTIONS = {"Ln": "ln", "Sqrt": "sqrt", "Log2Floor": "log2floor", "Log2Ceil": "log2ceil"}
_LEAVES = {"VarI": "i", "VarN": "n", "IntI": "i", "IntN": "n"}


class Unreadable(Exception):
    """The text is not what the library has definitions for."""


@dataclass(frozen=True)
class File:
    """The definitions of a file: the network and its claimed formula."""

    network: Transformer
    claim: Formula


def read_coq(text: str, alphabet: Sequence[str], names: Sequence[str]) -> File:
    """Return the network and the claim of a file; numbers of symbols and directions get names.

    Raises:
        Unreadable: if it is none.
    """
    try:
        return _Reader(re.sub(r" ?\(\*.*?\*\)", "", text), alphabet, names).file()
    except (KeyError, IndexError, ValueError, TypeError, InputError) as error:
        raise Unreadable(repr(error)) from None


# -- nodes -------------------------------------------------------------------------------------------------------------


class _Parser:
    def __init__(self, text: str) -> None:
        # %Z and %nat only say of a number what it is a number of
        self.tokens = [token for token in _TOKEN.findall(text) if token[0] != "%"] + ["end"]
        self.place = 0

    def take(self) -> str:
        self.place += 1
        return self.tokens[self.place - 1]

    def node(self) -> Node:
        """Return an application, a pair or a rational."""
        parts = [self.atom()]
        while self.tokens[self.place] not in (")", "]", ";", ",", "|->", "#", "end"):
            parts.append(self.atom())
        left: Any = parts[0] if len(parts) == 1 else tuple(parts)
        if self.tokens[self.place] not in ("|->", ",", "#"):
            return left
        sign, right = self.take(), self.node()
        if sign != "#":
            return left, right
        if right <= 0:
            raise Unreadable("a denominator that is not positive")
        return Fraction(left, right)

    def atom(self) -> Node:
        token = self.take()
        if token == "(":
            inside = self.node()
            self.expect(")")
            return inside
        if token == "[":
            return self.entries()
        if re.fullmatch(r"-?\d+", token):
            return Fraction(token)
        if not token[0].isalpha():
            raise Unreadable(token)
        return token

    def entries(self) -> list[Node]:
        if self.tokens[self.place] == "]":
            self.place += 1
            return []
        found = [self.node()]
        while (token := self.take()) == ";":
            found.append(self.node())
        if token != "]":
            raise Unreadable(token)
        return found

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise Unreadable(token)


class _Reader:
    """The definitions of one file as nodes, and their values."""

    def __init__(self, text: str, alphabet: Sequence[str], names: Sequence[str]) -> None:
        self.alphabet, self.names = alphabet, names
        self.nodes: dict[str, Node] = {}
        self.formulas: dict[str, Formula] = {}  # those so far: a definition sees the ones before it
        for name, body in _DEFINITION.findall(text):
            self.nodes[name] = _Parser(body).node()
            if re.fullmatch(r"f\d+", name):
                self.formulas[name] = self.formula(self.nodes[name])

    def file(self) -> File:
        transformer, tokens, positions, layers, output = self.nodes["network"]
        if (transformer, tokens, positions) != ("Transformer", "tokens", "positions"):
            raise Unreadable(transformer)
        rows = [self.row(row) for row in self.nodes["tokens"]]
        meanings = [self.meaning(node) for node in self.nodes["meanings"]]
        embedded = [(self.name(place), self.position(node)) for place, node in self.nodes["positions"]]
        if len(meanings) != len(self.names) or len(dict(embedded)) != len(embedded):
            raise Unreadable("the directions")
        return File(Transformer(
            alphabet=tuple(self.alphabet[:len(rows)]),
            directions=dict(zip(self.names, meanings, strict=True)),
            token_embedding=dict(zip(self.alphabet, rows, strict=False)),
            position_embedding=dict(embedded),
            layers=tuple(self.layer(self.nodes[name]) for name in layers),
            output=self.name(output),
        ), self.formula(self.nodes["claim"]))

    # -- formulas ------------------------------------------------------------------------------------------------------

    def formula(self, node: Node) -> Formula:
        if isinstance(node, str):
            return self.formulas[node]
        match node:
            case ("Truth", value):
                return Constant({"true": True, "false": False}[value])
            case ("Symbol", place):
                return Symbol(self.alphabet[int(place)])
            case ("Positional", predicate):
                return Predicate(*self.predicate(predicate))
            case ("OnCount", predicate, side, counted):
                return PredicateOnCount(*self.predicate(predicate), self.count(side, counted))
            case ("OnSum", predicate, term):
                return PredicateOnSum(*self.predicate(predicate), self.term(term))
            case ("Compare", relation, left, right):
                return Comparison(_RELATIONS[relation], self.term(left), self.term(right))
        connective, *parts = node
        formula: Formula = _CONNECTIVES[connective](*map(self.formula, parts))
        return formula

    def predicate(self, node: Node) -> tuple[str, tuple[int, ...]]:
        name, *parameters = (node,) if isinstance(node, str) else node
        return name, tuple(map(int, parameters))

    def count(self, side: str, counted: Node) -> Count:
        return Count({"ToLeft": "left", "ToRight": "right"}[side], self.formula(counted))  # type: ignore[arg-type]

    def term(self, node: Node) -> Term:
        summands = []
        while node[0] == "Plus":
            _, number, side, counted, node = node
            summands.append((int(number), self.count(side, counted)))
        _, constant = node
        return Term(tuple(summands), int(constant))

    # -- the network ---------------------------------------------------------------------------------------------------

    def name(self, place: Fraction) -> str:
        return self.names[int(place)]

    def row(self, node: Node) -> Coefficients:
        row = {self.name(place): Fraction(number) for place, number in node}
        if len(row) != len(node):
            raise Unreadable("a direction twice in one row")
        return row

    def layer(self, node: Node) -> Layer:
        _, heads, units, bias = node
        return Layer(tuple(map(self.head, heads)), FeedForward(tuple(map(self.unit, units)), self.row(bias)))

    def head(self, node: Node) -> Head:
        _, mask, temperature, queries, keys, values = node
        if len(queries) != len(keys):
            raise Unreadable("queries without keys")
        return Head("", "", _MASKS[mask], Weighting.SOFTMAX, self.expression(temperature),
                    tuple(map(self.row, queries)), tuple(map(self.row, keys)),
                    {self.name(place): self.row(row) for place, row in values})

    def unit(self, node: Node) -> Unit:
        _, reads, bias, writes = node
        return Unit(self.row(reads), Fraction(bias), self.row(writes))

    def position(self, node: Node) -> PositionFunction:
        if node[0] == "Bracket":
            _, formula, shifted = node
            if not is_positional(self.formula(formula)):
                raise Unreadable("a bracket of a formula about the word, which no model has")
            return Bracket(self.formula(formula), {"true": True, "false": False}[shifted])
        _, value = node
        return self.expression(value)

    def meaning(self, node: Node) -> Meaning:
        match node:
            case ("IsPosition", value):
                return Position(self.position(value))
            case ("IsTruth", formula):
                return Truth(self.formula(formula))
            case ("IsSlack", formula):
                return Slack(self.formula(formula))
            case ("IsNear", formula, when):
                return Near(self.formula(formula), self.formula(when))
            case ("IsProduct", value, formula):
                return Product(self.expression(value), self.formula(formula))
            case ("IsMean", side, counted):
                return Mean(self.count(side, counted))
            case ("IsAverage", term):
                return Average(self.term(term))
            case ("IsTotal", side, counted):
                return Total(self.count(side, counted))
            case ("IsOthers", side, counted, Fraction(numerator=0)):
                return Others(self.count(side, counted))
            case "IsAnything":
                return Anything()
        raise Unreadable(node)

    def expression(self, node: Node) -> Expression:
        return parse_expression(_infix(node))


def _infix(node: Node) -> str:
    match node:
        case str():
            return _LEAVES[node]
        case ("Num" | "Int", number):
            return f"({number})"
        case ("Neg", value) | ("IntMinus", ("Int", Fraction(numerator=0)), value):
            return f"(-{_infix(value)})"
        case ("Apply", str(function), value):
            return f"{_FUNCTIONS[function]}({_infix(value)})"
    operator, left, right = node
    return f"({_infix(left)}{_INFIX[operator]}{_infix(right)})"
