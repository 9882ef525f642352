"""Theorem 21: counts to the left, future-masked and independent of n.

Source      [SHA] Theorem 21 (Section 4.4): temperature 1/i; Corollary 23: temperature 1/i² beside prev and since.
Claim       As Theorem 20 a: the temperature 1/i (or 1/i²) undoes the factor 1/i in the scores just as 1/n does.
Differs     The paper has no case (b) here. As in Theorem 20 the head holds the number of *other* positions counted.
"""

from constructions.draft import Draft
from constructions.language.expressions import Expression, parse_expression
from constructions.language.syntax import Comparison, PredicateOnCount
from constructions.statements.theorem_20_counting import add_comparison, add_predicate_on_count

TEMPERATURE: Expression = parse_expression("1/i")
"""The temperature of a formula with counts and without temporal operators."""


def add_comparison_causal(draft: Draft, formula: Comparison) -> str:
    """Return the direction ``is[s R t]``; the directions inside counts must exist."""
    assert draft.regime.causal
    return add_comparison(draft, formula)


def add_predicate_on_count_causal(draft: Draft, formula: PredicateOnCount) -> str:
    """Return the direction ``is[θ(κ)]``; the direction inside the count must exist."""
    assert draft.regime.causal
    return add_predicate_on_count(draft, formula)
