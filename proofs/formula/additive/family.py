"""Heads of additive weightings: those that count, that select, and that look up a count."""

from functools import partial

from constructions.network.meanings import Near, Total
from proofs.formula.additive.lookup import oblige_sum_lookup
from proofs.formula.additive.obligation import CountingObligation, is_selecting, oblige_counting, oblige_selecting
from proofs.formula.additive.worst_case import Bumpy, check_counting, find_bump_worst_case
from proofs.formula.common.extremes import WorstCase
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.family import WriterFamily
from proofs.formula.transcript import Record
from proofs.formula.two_provers import ProofAttempt, prove_by_worst_case, reason_of


def prove_count(obligation: CountingObligation, twice: bool, record: Record) -> ProofAttempt:
    """Nothing is left free: exact arithmetic, done once."""
    return ProofAttempt(reason_of(check_counting, obligation))


def prove(obligation: Bumpy, twice: bool, record: Record) -> ProofAttempt:
    """Return the worst case of heads whose weights depend on their own pair alone, and select or look up; then Z3."""
    def by_solver(_: WorstCase, bits: int) -> bool:
        from proofs.formula.additive.second import proves_bumps

        return proves_bumps(obligation, obligation.allowed_error, bits, record)

    proof = prove_by_worst_case(obligation, partial(find_bump_worst_case, obligation), twice, by_solver)
    return proof if isinstance(obligation.meaning, Near) else ProofAttempt(proof.reason)  # an exact truth has no error


def is_additive(written: WrittenDirection) -> bool:
    """Whether a head writes it whose weights depend on their own pair alone."""
    return written.head.weighting.is_additive


COUNTING = WriterFamily(ObligationKind.COUNTING, lambda written: is_additive(written)
                        and isinstance(written.meaning, Total),
                        oblige_counting, prove_count)
SELECTING = WriterFamily(ObligationKind.SELECTING, lambda written: is_additive(written) and is_selecting(written),
                         oblige_selecting,
                         prove, takes_apart=True)
SUM_LOOKUP = WriterFamily(ObligationKind.SUM_LOOKUP, is_additive, oblige_sum_lookup, prove)
