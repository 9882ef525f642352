"""Heads that look up a sum of counts."""

from proofs.formula.common.kinds import Kind
from proofs.formula.common.written import Written
from proofs.formula.family import Family
from proofs.formula.lookup.family import is_lookup
from proofs.formula.lookup_of_sums.obligation import LookupOfSumObligation, looks_up_sum, oblige_lookup_of_sum
from proofs.formula.lookup_of_sums.worst_case import find_sum_worst_case
from proofs.formula.transcript import Record
from proofs.formula.two_provers import Proof, confirm, settle


def prove(obligation: LookupOfSumObligation, twice: bool, record: Record) -> Proof:
    """A bound of the error, and Z3 for the same."""
    allowed_error = obligation.allowed_error
    worst, _ = settle(lambda bits: find_sum_worst_case(obligation, bits), allowed_error)

    def by_solver() -> bool:
        from proofs.formula.lookup_of_sums.second import proves_lookup_of_sum

        return proves_lookup_of_sum(obligation, allowed_error, record)

    return confirm(obligation, worst, allowed_error, twice, by_solver)


def _recognises(written: Written) -> bool:
    return is_lookup(written) and looks_up_sum(written.transformer, written.head)


LOOKUP_OF_SUM = Family(Kind.LOOKUP, _recognises, oblige_lookup_of_sum, prove)
