"""Lookup heads under sparsemax and 1.5-entmax: weights as real variables, each at most its kernel.

If the target position has a weight below 1 - e, every other weight is at most the kernel of its gap at e
(docs/background/obligations.md, section 5, a pivot); Z3 proves that their sum is at most e.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import z3

from constructions.network.weightings import Weighting
from proofs.formula.common.kernels import WEIGHS_NOTHING_FROM, loss_above, weight_of_pivot, weights_of
from proofs.formula.lookup.by_kernel import KernelWorstCase, Terms
from proofs.formula.transcript import Record, ignore
from proofs.formula.z3.solver import SolverQuery, all_proved, rational, total

BITS = 600
LEGEND = (
    "w_k: the weight of the k-th of the other positions whose values err, the greatest score first; at most its kernel",
    "    if the weight of the target position is below 1 - bound",
)
LEGEND_OF_NUMBERS = (
    "w_k: the weight at distance k from the target position, which has its greatest weight without positions on its",
    "    other side",
)
LEGEND_OF_TERMS = ("w_k: the weight of the k-th visible position, within its enclosure",)


def proves_lookup_by_kernel(found: KernelWorstCase, weighting: Weighting, bound: Fraction, longest: int,
                            record: Record = ignore) -> bool:
    """Return whether Z3 proves that no mean differs from its target by more than the bound.

    Raises:
        Undecided: if Z3 gives up.
    """
    questions = [question_about_gaps(gaps, weighting, bound) for gaps in sorted(set(found.gaps))]
    questions += [_about_terms(terms, weighting, bound) for terms in found.singly]
    if found.curvature is not None:
        questions.append(_about_distances(found.curvature, weighting, bound, longest))
    return all_proved(questions, record)


def question_about_gaps(gaps: Iterable[Fraction], weighting: Weighting, bound: Fraction) -> SolverQuery:
    """Ask whether positions with these gaps, all of which err, may have a total weight above the bound."""
    weights, given = _weights(gaps, weighting, bound)
    return SolverQuery(f"the total weight of the values that err is at most {bound}", LEGEND, given,
                       z3.BoolVal(True), total(weights) > rational(bound))


def _about_distances(curvature: Fraction, weighting: Weighting, bound: Fraction, longest: int) -> SolverQuery:
    gaps = [gap for k in range(1, longest) if (gap := -curvature * k * k) > WEIGHS_NOTHING_FROM[weighting]]
    least_share = 1 - weight_of_pivot(weighting, gaps, BITS).upper
    weights, given = _weights(gaps, weighting, least_share)
    distance = total([k * weight for k, weight in enumerate(weights, start=1)])
    return SolverQuery(f"the mean distance is at most {bound}", LEGEND_OF_NUMBERS, given,
                       z3.BoolVal(True), distance > rational(bound))


def _about_terms(terms: Terms, weighting: Weighting, bound: Fraction) -> SolverQuery:
    enclosed = weights_of([gap for gap, _ in terms], weighting, BITS)
    weights = [z3.Real(f"w_{k}") for k in range(1, len(terms) + 1)]
    given = [bounds for weight, ends in zip(weights, enclosed, strict=True)
             for bounds in (rational(ends.lower) <= weight, weight <= rational(ends.upper))]
    missed = total([rational(error) * weight for weight, (_, error) in zip(weights, terms, strict=True)])
    return SolverQuery(f"the weighted sum of the errors is at most {bound}", LEGEND_OF_TERMS, tuple(given),
                       z3.BoolVal(True), missed > rational(bound))


def _weights(gaps: Iterable[Fraction], weighting: Weighting, error: Fraction) -> tuple[list[Any], tuple[Any, ...]]:
    """Return a weight for each gap, and the conditions that it is between 0 and the kernel of the gap at the error."""
    heaviest = [Fraction(loss_above(weighting, error, gap, BITS), error.denominator << BITS) for gap in gaps]
    weights = [z3.Real(f"w_{k}") for k in range(1, len(heaviest) + 1)]
    return weights, tuple(end for weight, most in zip(weights, heaviest, strict=True)
                          for end in (weight >= 0, weight <= rational(most)))
