"""Uniform heads: nothing is free, so they are checked once, by exact arithmetic."""

from constructions.network.meanings import Average, Mean, Position
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.family import WriterFamily
from proofs.formula.transcript import Record
from proofs.formula.two_provers import ProofAttempt, reason_of
from proofs.formula.uniform.obligation import UniformObligation, oblige_uniform
from proofs.formula.uniform.worst_case import check_uniform


def prove(obligation: UniformObligation, twice: bool, record: Record) -> ProofAttempt:
    """Check equal scores, and the mean of the values."""
    return ProofAttempt(reason_of(check_uniform, obligation))


UNIFORM = WriterFamily(ObligationKind.UNIFORM, lambda written: isinstance(written.meaning, Position), oblige_uniform,
                       prove)
MEAN = WriterFamily(ObligationKind.MEAN, lambda written: isinstance(written.meaning, Mean | Average), oblige_uniform,
                    prove)
