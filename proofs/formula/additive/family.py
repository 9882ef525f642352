"""Heads of additive weightings: those that count, that select, and that look up a count."""

from functools import partial

from constructions.network.meanings import Near, Total
from proofs.formula.additive.lookup import oblige_sum_lookup
from proofs.formula.additive.obligation import CountingObligation, is_selecting, oblige_counting, oblige_selecting
from proofs.formula.additive.worst_case import ResponseObligation, check_counting, find_response_worst_case
from proofs.formula.common.extremes import WorstCase
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.family import WriterFamily
from proofs.formula.transcript import Record
from proofs.formula.two_provers import ProofAttempt, prove_by_worst_case, reason_of


def prove_count(obligation: CountingObligation, twice: bool, record: Record) -> ProofAttempt:
    """Check the obligation by exact arithmetic, once: nothing is free."""
    return ProofAttempt(reason_of(check_counting, obligation))


def prove(obligation: ResponseObligation, twice: bool, record: Record) -> ProofAttempt:
    """Prove heads that select or look up: by the worst case of their response functions, then by Z3."""
    def by_solver(_: WorstCase, bits: int) -> bool:
        from proofs.formula.additive.second import proves_responses

        return proves_responses(obligation, obligation.allowed_error, bits, record)

    proof = prove_by_worst_case(obligation, partial(find_response_worst_case, obligation), twice, by_solver)
    return proof if isinstance(obligation.meaning, Near) else ProofAttempt(proof.reason)  # an exact truth has no error


def is_additive(written: WrittenDirection) -> bool:
    """Return whether a head writes the direction whose weights do not depend on other positions."""
    return written.head.weighting.is_additive


COUNTING = WriterFamily(ObligationKind.COUNTING, lambda written: is_additive(written)
                        and isinstance(written.meaning, Total),
                        oblige_counting, prove_count)
SELECTING = WriterFamily(ObligationKind.SELECTING, lambda written: is_additive(written) and is_selecting(written),
                         oblige_selecting,
                         prove, takes_apart=True)
SUM_LOOKUP = WriterFamily(ObligationKind.SUM_LOOKUP, is_additive, oblige_sum_lookup, prove)
