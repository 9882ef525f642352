"""Heads that attend to truths: the exact worst case, by a shortest path or by windows, and Z3 for the same."""

from fractions import Fraction
from functools import partial

from proofs.formula.attention.around_pivots import find_worst_case_by_windows
from proofs.formula.attention.costs import FINE_BITS
from proofs.formula.attention.obligation import AttentionObligation, oblige_attention
from proofs.formula.attention.windows import AllWindows
from proofs.formula.attention.worst_case import find_worst_case
from proofs.formula.common.extremes import WorstCase
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.family import WriterFamily
from proofs.formula.transcript import Record
from proofs.formula.two_provers import ProofAttempt, prove_by_worst_case

CLOSE = Fraction(1, 2**16)


def oblige(written: WrittenDirection) -> AttentionObligation:
    """Return the obligation of a head that attends to truths."""
    return oblige_attention(written.transformer, written.known, written.lengths, written.layer, written.place,
                            written.head, written.direction, written.allowed_error, written.apart)


def prove(obligation: AttentionObligation, twice: bool, record: Record) -> ProofAttempt:
    """Prove by the exact worst case, at rising precision until it decides, then by Z3."""
    allowed_error, windows = obligation.allowed_error, AllWindows(obligation)
    find = find_worst_case if obligation.head.weighting.is_softmax else find_worst_case_by_windows

    def by_solver(worst: WorstCase, bits: int) -> bool:
        from proofs.formula.attention.second import proves_attention  # z3 takes a fifth of a second to import

        return proves_attention(obligation, allowed_error, record, windows, bits=max(FINE_BITS, 2 * bits),
                                close=is_close(worst, allowed_error))

    return prove_by_worst_case(obligation, partial(find, obligation, windows=windows), twice, by_solver)


def is_close(worst: WorstCase, allowed_error: Fraction) -> bool:
    """Return whether an error is so close to the allowed one that a few bits do not separate them."""
    return any(abs(extreme.upper - allowed_error) < CLOSE for extreme in worst.extremes)


ATTENTION = WriterFamily(ObligationKind.ATTENTION, lambda written: True, oblige, prove, takes_apart=True)
