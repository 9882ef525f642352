"""Position functions: expressions in i and n, or brackets ``[formula]``: 1 where a formula holds and 0 elsewhere.

Source      docs/reference/certificate.md, section 1. Brackets put numerical predicates into position embeddings
            ([SHA] Theorem 20: "PEs including ... all numerical predicates in φ").
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from constructions.errors import InputError
from constructions.language.expressions import Expression, parse_expression
from constructions.language.parser import parse_formula
from constructions.language.positional import mentions_length, positional_truth, positional_truths
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.printer import format_briefly, format_formula
from constructions.language.syntax import Formula, is_positional

ZERO, ONE = Fraction(0), Fraction(1)
_BRACKET = re.compile(r"\s*\[(.*)\]\s*(\(\s*i\s*-\s*1\s*\))?\s*", re.DOTALL)


@dataclass(frozen=True)
class Bracket:
    """The 0/1 value of a positional formula: 1 where it holds; if ``shifted``, where it holds one position to the left.

    At i = 1 the position to the left is 0; the formula is evaluated there, too.
    """

    formula: Formula
    shifted: bool = False

    def __str__(self) -> str:
        return f"[{format_briefly(self.formula)}]" + ("(i-1)" if self.shifted else "")

    def evaluate(self, *, i: int, n: int) -> Fraction:
        """Return the value, 0 or 1.

        Raises:
            InputError: if the condition of a user's predicate has no value there.
        """
        return Fraction(positional_truth(self.formula, i - self.shifted, n))

    def enclose(self, *, i: int, n: int) -> tuple[Fraction, Fraction]:
        """Return the value twice, as the rational ends of its enclosure."""
        value = self.evaluate(i=i, n=n)
        return value, value

    def exactly(self, *, i: int, n: int) -> Fraction:
        """Return the exact value, which is rational."""
        return self.evaluate(i=i, n=n)

    @property
    def may_be_irrational(self) -> bool:
        """False: the value is 0 or 1."""
        return False

    def column(self, positions: range, n: int) -> tuple[Fraction, ...]:
        """Return the values at these positions of a word of length n.

        Raises:
            InputError: as ``evaluate`` at the first position without a value.
        """
        shifted = range(positions.start - self.shifted, positions.stop - self.shifted)
        return tuple(ONE if truth else ZERO for truth in positional_truths(self.formula, shifted, n))

    def check_defined(self, positions: range, n: int) -> None:
        """Check that there is a value at each of these positions.

        Raises:
            InputError: as ``evaluate`` at the first position without a value.
        """
        self.column(positions, n)

    @property
    def mentions_n(self) -> bool:
        """True if a predicate of the formula depends on n."""
        return mentions_length(self.formula)

    @property
    def variables(self) -> frozenset[str]:
        """The variables: i, and n if a predicate of the formula depends on it."""
        return frozenset("in" if self.mentions_n else "i")

    def latex(self) -> str:
        """Return LaTeX for math mode."""
        return rf"\left[{format_formula(self.formula, 'latex')}\right]" + ("(i-1)" if self.shifted else "")


PositionFunction = Expression | Bracket


def parse_position_function(
    text: str, predicates: Mapping[str, PredicateDefinition] | None = None,
    table: Mapping[str, Formula] | None = None,
) -> PositionFunction:
    """Parse an expression or a bracket.

    >>> shifted = parse_position_function("[PRIME](i-1)")
    >>> [int(shifted.evaluate(i=i, n=7)) for i in range(1, 8)]
    [0, 0, 1, 1, 0, 1, 0]

    Raises:
        InputError: if it does not parse, or if the formula in brackets depends on the word.
    """
    if not text.lstrip().startswith("["):
        return parse_expression(text)
    parts = _BRACKET.fullmatch(text)
    if parts is None:
        raise InputError(f"bracket {text[:60]!r}: expected [formula] or [formula](i-1) and nothing else")
    formula = parse_formula(parts[1], predicates=predicates, table=table)
    if not is_positional(formula):
        raise InputError(f"bracket {text[:60]!r}: expected a formula of predicates on the position and connectives")
    return Bracket(formula, shifted=parts[2] is not None)
