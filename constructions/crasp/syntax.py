"""The syntax of C-RASP programs, as immutable values.

Source      Yang and Chiang (2024), "Counting Like Transformers", for the language; Huang et al. (2025) for predicates
            of positions. The notation is that of ``.cr`` files (docs/crasp.md).
Places      Every node remembers where its text begins (``place``, an offset), for messages; equality ignores it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from constructions.language.syntax import Relation
from constructions.rasp.syntax import Type

Connector = Literal["&&", "||"]


@dataclass(frozen=True)
class Expression:
    """Computed at every position; ``depth`` counts the nodes on the longest path down."""

    place: int = field(default=0, compare=False, repr=False, kw_only=True)
    depth: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", 1 + max((part.depth for part in parts(self)), default=0))


@dataclass(frozen=True)
class Truth(Expression):
    """True or false."""

    value: bool


@dataclass(frozen=True)
class Letter(Expression):
    """``"a"``: whether the input here is the symbol."""

    symbol: str


@dataclass(frozen=True)
class Integer(Expression):
    """A number that is written out; it is not negative."""

    value: int


@dataclass(frozen=True)
class Name(Expression):
    """What an earlier definition holds here, or whether an imported predicate holds of the position."""

    name: str


@dataclass(frozen=True)
class Not(Expression):
    """The operand is false."""

    operand: Expression


@dataclass(frozen=True)
class Connective(Expression):
    """Both hold, or at least one."""

    connector: Connector
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Comparison(Expression):
    """The numbers stand in the relation."""

    relation: Relation
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Count(Expression):
    """``# b``: the number of positions up to here, this one included, where the operand holds.

    With a ``guard``, ``#[name] b``: of those positions j for which the imported predicate holds of (here, j).
    """

    guard: str | None
    operand: Expression


@dataclass(frozen=True)
class Negative(Expression):
    """The number with the opposite sign."""

    operand: Expression


@dataclass(frozen=True)
class Sum(Expression):
    """The sum of two numbers, or the left minus the right one."""

    sign: Literal["+", "-"]
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Product(Expression):
    """The product of two numbers."""

    left: Expression
    right: Expression


@dataclass(frozen=True)
class Extreme(Expression):
    """The smaller or the larger of two numbers."""

    choice: Literal["min", "max"]
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Conditional(Expression):
    """The number ``chosen`` if the condition is true, else ``otherwise``."""

    condition: Expression
    chosen: Expression
    otherwise: Expression


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The immediate subexpressions, a condition before what it chooses from.

    >>> parts(Sum("+", Integer(1), Integer(2)))
    (Integer(value=1), Integer(value=2))
    """
    match expression:
        case Not(operand) | Negative(operand) | Count(_, operand):
            return (operand,)
        case Connective(_, left, right) | Comparison(_, left, right) | Sum(_, left, right):
            return left, right
        case Product(left, right) | Extreme(_, left, right):
            return left, right
        case Conditional(condition, chosen, otherwise):
            return condition, chosen, otherwise
    return ()


@dataclass(frozen=True)
class Definition:
    """A name for a truth value or a number at every position, computed from the input and earlier definitions."""

    name: str
    body: Expression
    type: Type


@dataclass(frozen=True)
class CountingProgram:
    """Definitions, each using only earlier ones; words are over ``alphabet``. ``source`` is the text of the program."""

    alphabet: tuple[str, ...]
    definitions: tuple[Definition, ...]
    source: str = field(compare=False, repr=False)

    @property
    def output(self) -> Definition:
        """The last definition."""
        return self.definitions[-1]
