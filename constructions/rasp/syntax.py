"""The syntax of programs, as immutable values. Two programs are equal if their texts are, up to spelling.

Source      B-RASP: Yang, Chiang and Angluin, "Masked hard-attention transformers recognize exactly the star-free
            languages"; S-RASP: Strobl et al., "Transformers as transducers", as [SHA] Appendix E uses it.
Places      Every node has the offset of its text (``place``), for messages; equality ignores it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Literal

from constructions.language.syntax import Relation

Variable = Literal["i", "j"]
Mask = Literal["1", "j<i", "j<=i", "j>i", "j>=i"]
Choice = Literal["leftmost", "rightmost"]
Connector = Literal["&", "|", "->", "<->"]

INPUT, POSITION = "in", "pos"


class Type(Enum):
    """The type of the entries of a vector, or of the results of a function."""

    BOOLEAN = "bool"
    INTEGER = "int"
    SYMBOL = "symbol"

    @property
    def phrase(self) -> str:
        """The type as messages name it."""
        return {"bool": "a truth value", "int": "an integer", "symbol": "a symbol"}[self.value]


@dataclass(frozen=True)
class RaspExpression:
    """An expression at one position, or a pair of positions; ``depth`` counts the nodes on the longest path down."""

    place: int = field(default=0, compare=False, repr=False, kw_only=True)
    depth: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", 1 + max((part.depth for part in parts(self)), default=0))


@dataclass(frozen=True)
class TruthValue(RaspExpression):
    """True or false."""

    value: bool


@dataclass(frozen=True)
class Integer(RaspExpression):
    """A literal number; it is not negative."""

    value: int


@dataclass(frozen=True)
class Literally(RaspExpression):
    """The symbol itself."""

    symbol: str


@dataclass(frozen=True)
class SymbolTest(RaspExpression):
    """``Q_a(i)``: whether the input at the position is the symbol."""

    symbol: str
    at: Variable


@dataclass(frozen=True)
class VectorEntry(RaspExpression):
    """``P(i)``: the entry of a vector at a position; the vectors ``in`` and ``pos`` are always there."""

    vector: str
    at: Variable


@dataclass(frozen=True)
class Parameter(RaspExpression):
    """The symbol that a function is applied to."""

    name: str


@dataclass(frozen=True)
class Call(RaspExpression):
    """A function, applied to symbols."""

    function: str
    arguments: tuple[RaspExpression, ...]


@dataclass(frozen=True)
class Not(RaspExpression):
    """Negation of a truth value."""

    operand: RaspExpression


@dataclass(frozen=True)
class Connective(RaspExpression):
    """A connective of two truth values."""

    connector: Connector
    left: RaspExpression
    right: RaspExpression


@dataclass(frozen=True)
class ComparisonTerm(RaspExpression):
    """A relation between two values; symbols can be compared by ``==`` and ``!=`` only."""

    relation: Relation
    left: RaspExpression
    right: RaspExpression


@dataclass(frozen=True)
class Negative(RaspExpression):
    """The number with the opposite sign."""

    operand: RaspExpression


@dataclass(frozen=True)
class SumTerm(RaspExpression):
    """The sum of two integers, or the left minus the right one."""

    sign: Literal["+", "-"]
    left: RaspExpression
    right: RaspExpression


@dataclass(frozen=True)
class Conditional(RaspExpression):
    """``chosen`` if the condition is true, else ``otherwise``."""

    condition: RaspExpression
    chosen: RaspExpression
    otherwise: RaspExpression


def parts(expression: RaspExpression) -> tuple[RaspExpression, ...]:
    """Return the immediate subexpressions in the order of their fields: a condition before its alternatives.

    >>> parts(SumTerm("+", Integer(1), Integer(2)))
    (Integer(value=1), Integer(value=2))
    """
    names: tuple[str, ...] = expression.__match_args__
    values = (getattr(expression, name) for name in names)
    found = (part for value in values for part in (value if isinstance(value, tuple) else (value,)))
    return tuple(part for part in found if isinstance(part, RaspExpression))


def walk(expression: RaspExpression) -> Iterator[RaspExpression]:
    """Yield the expression and all its subexpressions."""
    pending = [expression]
    while pending:
        part = pending.pop()
        pending += parts(part)
        yield part


def variables_of(expression: RaspExpression) -> set[Variable]:
    """Return the positions that the expression reads."""
    return {part.at for part in walk(expression) if isinstance(part, SymbolTest | VectorEntry)}


@dataclass(frozen=True)
class AttentionTerm:
    """The value at (i, j) for the leftmost or rightmost j that the mask admits and whose score is true.

    If there is no such j: the default at i. ``score`` and ``value`` may read i and j.
    """

    choice: Choice
    mask: Mask
    score: RaspExpression
    value: RaspExpression
    default: RaspExpression


@dataclass(frozen=True)
class PrefixSum:
    """The sum of the values at (i, j) over all j <= i."""

    value: RaspExpression

    @cached_property
    def is_running(self) -> bool:
        """True if the value depends on j only: each sum is the one before it and one more value."""
        return "i" not in variables_of(self.value)


Body = RaspExpression | AttentionTerm | PrefixSum


def values_of(body: Body) -> tuple[RaspExpression, ...]:
    """Return the expressions of a body."""
    match body:
        case AttentionTerm():
            return body.score, body.value, body.default
        case PrefixSum(value):
            return (value,)
        case RaspExpression():
            return (body,)


@dataclass(frozen=True)
class Function:
    """A function of symbols, hence of finitely many arguments."""

    name: str
    parameters: tuple[str, ...]
    body: RaspExpression
    type: Type


@dataclass(frozen=True)
class Vector:
    """One entry per position, each computed by the same rule from the input and the vectors before it."""

    name: str
    body: Body
    type: Type


@dataclass(frozen=True)
class RaspProgram:
    """Functions and vectors, each using only earlier ones.

    Words are over ``alphabet``; the symbols of ``auxiliary`` may be computed but do not occur in words.
    """

    alphabet: tuple[str, ...]
    auxiliary: tuple[str, ...]
    functions: tuple[Function, ...]
    vectors: tuple[Vector, ...]

    @property
    def output(self) -> Vector:
        """The vector ``out``, or else the last one."""
        return next((vector for vector in self.vectors if vector.name == "out"), self.vectors[-1])

    @property
    def symbols(self) -> tuple[str, ...]:
        """All symbols that vectors may hold."""
        return self.alphabet + self.auxiliary


def needed_vectors(program: RaspProgram) -> set[str]:
    """Return the names of the vectors that the output depends on, itself included."""
    needed = {program.output.name}
    for vector in reversed(program.vectors):
        if vector.name in needed:
            needed |= {part.vector for value in values_of(vector.body) for part in walk(value)
                       if isinstance(part, VectorEntry)}
    return needed - {INPUT, POSITION}
