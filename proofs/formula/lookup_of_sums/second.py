"""Lookups of sums of counts: the weights of the other positions as real variables, each at most its bound."""

from fractions import Fraction

import z3

from proofs.formula.lookup.second import ends_of_exp
from proofs.formula.lookup.second_by_kernel import question_about_gaps
from proofs.formula.lookup_of_sums.obligation import LookupOfSumObligation
from proofs.formula.lookup_of_sums.worst_case import drops
from proofs.formula.transcript import Record, ignore
from proofs.formula.z3.solver import SolverQuery, all_proved, rational, total

BITS = 600
LEGEND = (
    "w_k: the weight of both positions at distance k from the target position, relative to that one",
    "y_k: w_k times the error of the values there",
)


def proves_lookup_of_sum(obligation: LookupOfSumObligation, bound: Fraction, record: Record = ignore) -> bool:
    """Return whether Z3 proves that the weighted mean of the errors of the values is at most the bound.

    Raises:
        Undecided: if Z3 gives up.
    """
    return all_proved([_ask(obligation, bound)], record)


def _ask(obligation: LookupOfSumObligation, bound: Fraction) -> SolverQuery:
    if not obligation.head.weighting.is_softmax:
        gaps = [drop for drop in drops(obligation) for _ in range(2)]
        return question_about_gaps(gaps, obligation.head.weighting, bound)
    given, weights, missed = [], [z3.RealVal(1)], [z3.RealVal(0)]
    for k, drop in enumerate(drops(obligation), start=1):
        weight, miss = z3.Real(f"w_{k}"), z3.Real(f"y_{k}")
        given += [weight >= 0, weight <= rational(2 * ends_of_exp(drop, BITS)[1]), miss >= 0, miss <= weight]
        weights.append(weight)
        missed.append(miss)
    about = f"the error of the weighted mean is at most {bound} in all cases"
    return SolverQuery(about, LEGEND, tuple(given), z3.BoolVal(True), total(missed) > rational(bound) * total(weights))
