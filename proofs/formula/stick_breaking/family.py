"""Geometric and stick-breaking heads: what is required of them is what is required of any head that attends to truths.
"""

from proofs.formula.attention.family import oblige
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.common.kinds import Kind
from proofs.formula.family import Family
from proofs.formula.stick_breaking.worst_case import find_stick_worst_case
from proofs.formula.transcript import Record
from proofs.formula.two_provers import Proof, confirm, settle


def prove(obligation: AttentionObligation, twice: bool, record: Record) -> Proof:
    """What is left, letter by letter; then Z3 for the same invariant."""
    allowed_error = obligation.allowed_error
    worst, bits = settle(lambda bits: find_stick_worst_case(obligation, bits), allowed_error)

    def by_solver() -> bool:
        from proofs.formula.stick_breaking.second import proves_stick

        return proves_stick(obligation, allowed_error, bits, record)

    return confirm(obligation, worst, allowed_error, twice, by_solver)


STICK_BREAKING = Family(Kind.ATTENTION, lambda written: written.head.weighting.breaks_a_stick, oblige, prove,
                        takes_apart=True)
