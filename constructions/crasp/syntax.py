"""The syntax of C-RASP programs, as immutable values.

Source      Yang and Chiang (2024), "Counting Like Transformers", for the language; Huang et al. (2025) for predicates
            of positions. The notation is that of ``.cr`` files (docs/reference/crasp.md).
Nodes       Nodes that B-RASP has with the same meaning are imported from constructions/rasp/syntax.py.
Places      Every node has the offset of its text (``place``), for messages; equality ignores it.
"""

from dataclasses import dataclass, field
from typing import Literal

from constructions.rasp.syntax import (
    ComparisonTerm,
    Conditional,
    Integer,
    Negative,
    Not,
    RaspExpression,
    SumTerm,
    TruthValue,
    Type,
    parts,
)

__all__ = [
    "ComparisonTerm",
    "Conditional",
    "Connective",
    "Connector",
    "CountTerm",
    "CountingProgram",
    "Definition",
    "Extreme",
    "Integer",
    "Name",
    "Negative",
    "Not",
    "ProductTerm",
    "RaspExpression",
    "SumTerm",
    "SymbolTest",
    "TruthValue",
    "Type",
    "parts",
]  # fmt: skip

Connector = Literal["&&", "||"]


@dataclass(frozen=True)
class SymbolTest(RaspExpression):
    """``"a"``: whether the input here is the symbol."""

    symbol: str


@dataclass(frozen=True)
class Name(RaspExpression):
    """The value of an earlier definition here, or whether an imported predicate holds at this position."""

    name: str


@dataclass(frozen=True)
class Connective(RaspExpression):
    """Both hold, or at least one."""

    connector: Connector
    left: RaspExpression
    right: RaspExpression


@dataclass(frozen=True)
class CountTerm(RaspExpression):
    """``# b``: the number of positions up to here, this one included, where the operand holds.

    With a ``guard``, ``#[name] b``: of those positions j for which the imported predicate holds of (here, j).
    """

    guard: str | None
    operand: RaspExpression


@dataclass(frozen=True)
class ProductTerm(RaspExpression):
    """The product of two numbers."""

    left: RaspExpression
    right: RaspExpression


@dataclass(frozen=True)
class Extreme(RaspExpression):
    """The smaller or the larger of two numbers."""

    choice: Literal["min", "max"]
    left: RaspExpression
    right: RaspExpression


@dataclass(frozen=True)
class Definition:
    """A name for a truth value or a number at every position, computed from the input and earlier definitions."""

    name: str
    body: RaspExpression
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
