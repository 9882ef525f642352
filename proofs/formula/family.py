"""A family: one kind of writer, with what it must achieve, the exact method that decides it, and the second prover."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from proofs.formula.common.kinds import Obligation, ObligationKind
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.transcript import Record
from proofs.formula.two_provers import ProofAttempt

Obliged = TypeVar("Obliged", bound=Obligation)


@dataclass(frozen=True)
class WriterFamily(Generic[Obliged]):
    """One kind of writer; ``families.FAMILIES`` has all.

    ``oblige`` says what a direction must hold, or raises NotDerived; ``prove`` takes that, whether Z3 and mpmath are to
    confirm it, and what records the questions to Z3. A family that ``takes_apart`` leaves atoms free, and formulas that
    are read may be taken apart into more of these.
    """

    kind: ObligationKind
    recognises: Callable[[WrittenDirection], bool]
    oblige: Callable[[WrittenDirection], Obliged]
    prove: Callable[[Obliged, bool, Record], ProofAttempt]
    takes_apart: bool = False
