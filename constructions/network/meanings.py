"""The claimed meaning of a named direction of the residual stream (docs/reference/certificate.md, section 2)."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from constructions.language.brackets import Bracket, PositionFunction
from constructions.language.expressions import Expression
from constructions.language.formula_table import FormulaTexts, texts_of
from constructions.language.printer import format_briefly, format_count, format_term
from constructions.language.syntax import TRUE, Count, Formula, Term, is_positional

ALLOWED_ERROR = Fraction(1, 4)
"""Greatest error of an approximate truth: with a gap of 1/2 between 0 and 1 ReLUs round exactly."""


@dataclass(frozen=True)
class Position:
    """Exactly the value of a position function, whatever the word."""

    value: PositionFunction

    def __str__(self) -> str:
        return f"exactly {self.value}"


@dataclass(frozen=True)
class Truth:
    """Exactly 1 where the formula holds and exactly 0 elsewhere."""

    formula: Formula

    def __str__(self) -> str:
        return f"truth of {format_briefly(self.formula)}"


@dataclass(frozen=True)
class Near:
    """In [0, 1] always; where ``when`` holds, in [3/4, 1] if the formula holds and in [0, 1/4] if not."""

    formula: Formula
    when: Formula = TRUE

    def __str__(self) -> str:
        guard = "" if self.when is TRUE else f" where {format_briefly(self.when)}"
        return f"near the truth of {format_briefly(self.formula)}{guard}"


@dataclass(frozen=True)
class Product:
    """Exactly the value of an expression in i and n where the formula holds, and exactly 0 elsewhere."""

    value: Expression
    formula: Formula

    def __str__(self) -> str:
        return f"exactly {self.value} where {format_briefly(self.formula)}, else 0"


@dataclass(frozen=True)
class Mean:
    """Exactly the count divided by the number of positions in its range: i to the left, n + 1 - i to the right."""

    count: Count

    def __str__(self) -> str:
        return f"the mean behind {format_count(self.count)}"


@dataclass(frozen=True)
class Average:
    """Exactly a sum of multiples of counts of one side, divided by the number of positions in their range."""

    term: Term

    def __str__(self) -> str:
        return f"the average behind {format_term(self.term)}"


@dataclass(frozen=True)
class Total:
    """Exactly the count."""

    count: Count

    def __str__(self) -> str:
        return f"exactly {format_count(self.count)}"


@dataclass(frozen=True)
class Others:
    """Near the number of counted positions other than this one: the count, minus 1 if this one is counted."""

    count: Count

    def __str__(self) -> str:
        return f"near {format_count(self.count)}, less 1 where this position is counted"


@dataclass(frozen=True)
class Slack:
    """Exactly 0 where the formula, a comparison of counts, holds, and a number of at least 1 elsewhere."""

    formula: Formula

    def __str__(self) -> str:
        return f"0 where {format_briefly(self.formula)} holds, at least 1 elsewhere"


@dataclass(frozen=True)
class Anything:
    """Any number: nothing is stated, so nothing can be proved from it."""

    def __str__(self) -> str:
        return "anything"


Meaning = Position | Truth | Product | Near | Mean | Average | Total | Others | Slack | Anything


def formulas_of(meaning: Meaning) -> tuple[Formula, ...]:
    """Return the formulas that the meaning mentions: its own, its guard's, its count's or its bracket's."""
    match meaning:
        case Truth(formula) | Slack(formula) | Product(_, formula) | Position(Bracket(formula)):
            return (formula,)
        case Near(formula, when):
            return formula, when
        case Mean(count) | Total(count) | Others(count):
            return (count.operand,)
        case Average(term):
            return tuple(count.operand for _, count in term.coefficients)
    return ()


def texts_of_network(directions: Iterable[Meaning], embeddings: Iterable[PositionFunction]) -> FormulaTexts:
    """Return the texts of formulas in a file with these meanings and embeddings: with a table, if they are long."""
    brackets = (value.formula for value in embeddings if isinstance(value, Bracket))
    return texts_of([*(formula for meaning in directions for formula in formulas_of(meaning)), *brackets])


def is_known(meaning: Meaning) -> bool:
    """Return whether the value at (n, i) does not depend on the word."""
    match meaning:
        case Position():
            return True
        case Truth(formula) | Product(_, formula):
            return is_positional(formula)
    return False
