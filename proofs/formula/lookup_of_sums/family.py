"""Heads that look up a sum of counts."""

from functools import partial

from proofs.formula.common.extremes import WorstCase
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.family import WriterFamily
from proofs.formula.lookup.family import is_lookup
from proofs.formula.lookup_of_sums.obligation import LookupOfSumObligation, looks_up_sum, oblige_lookup_of_sum
from proofs.formula.lookup_of_sums.worst_case import find_sum_worst_case
from proofs.formula.transcript import Record
from proofs.formula.two_provers import ProofAttempt, prove_by_worst_case


def prove(obligation: LookupOfSumObligation, twice: bool, record: Record) -> ProofAttempt:
    """Prove by a bound of the error, then by Z3."""
    def by_solver(_: WorstCase, bits: int) -> bool:
        from proofs.formula.lookup_of_sums.second import proves_lookup_of_sum

        return proves_lookup_of_sum(obligation, obligation.allowed_error, record)

    return prove_by_worst_case(obligation, partial(find_sum_worst_case, obligation), twice, by_solver)


def _recognises(written: WrittenDirection) -> bool:
    return is_lookup(written) and looks_up_sum(written.transformer, written.head)


LOOKUP_OF_SUM = WriterFamily(ObligationKind.LOOKUP, _recognises, oblige_lookup_of_sum, prove)
