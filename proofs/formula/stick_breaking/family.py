"""Geometric and stick-breaking heads, which have the obligations of heads that attend to truths."""

from functools import partial

from proofs.formula.attention.family import oblige
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.common.extremes import WorstCase
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.family import WriterFamily
from proofs.formula.stick_breaking.worst_case import find_stick_worst_case
from proofs.formula.transcript import Record
from proofs.formula.two_provers import ProofAttempt, prove_by_worst_case


def prove(obligation: AttentionObligation, twice: bool, record: Record) -> ProofAttempt:
    """Prove by the range of the output, letter by letter; then by Z3, for the same invariant."""
    def by_solver(_: WorstCase, bits: int) -> bool:
        from proofs.formula.stick_breaking.second import proves_stick

        return proves_stick(obligation, obligation.allowed_error, bits, record)

    return prove_by_worst_case(obligation, partial(find_stick_worst_case, obligation), twice, by_solver)


STICK_BREAKING = WriterFamily(ObligationKind.ATTENTION, lambda written: written.head.weighting.breaks_a_stick, oblige,
                              prove,
                              takes_apart=True)
