"""Constructions for low precision: one for each operator if `--precision` names a format.

Scores are integers times a power of two, numbers are read where they are 0 or far from it, and every truth is exact;
docs/background/floats_rules.md proves that executions in a format of few bits preserve this. Counts have weights that
depend on the greatest length.
"""

from fractions import Fraction

from constructions.draft import Draft
from constructions.errors import Unsupported
from constructions.language import syntax
from constructions.language.printer import format_formula
from constructions.statements.low_precision_counting import (
    add_comparison_for_low_precision,
    add_predicate_on_count_for_low_precision,
)
from constructions.statements.low_precision_previous_next import (
    add_next_for_low_precision,
    add_previous_for_low_precision,
)
from constructions.statements.low_precision_since_until import add_since_or_until_for_low_precision

FORMATS = ("bfloat16", "binary16", "tf32", "binary32")
"""The formats that users may choose for a network."""
GAMMA = Fraction(4)
"""The constant in front of the scores: a power of two, so that products with integers of a few bits are exact."""


def add_truth_for_low_precision(draft: Draft, formula: syntax.Formula) -> str:
    """Return the direction of a temporal or counting formula; the directions of its operands must exist.

    Raises:
        Unsupported: if a predicate on a count depends on n, or a predicate is on a sum of counts.
    """
    match formula:
        case syntax.Previous():
            return add_previous_for_low_precision(draft, formula)
        case syntax.Next():
            return add_next_for_low_precision(draft, formula)
        case syntax.Since() | syntax.Until():
            return add_since_or_until_for_low_precision(draft, formula)
        case syntax.Comparison():
            return add_comparison_for_low_precision(draft, formula)
        case syntax.PredicateOnCount():
            return add_predicate_on_count_for_low_precision(draft, formula)
        case syntax.PredicateOnSum():
            raise Unsupported(f"{format_formula(formula)}: for low precision, expected comparisons of counts, or "
                              "predicates on single counts")
    raise AssertionError(f"no construction for low precision: {formula!r}")
