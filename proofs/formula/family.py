"""A family of writers: the derivation of its obligations, the exact method that decides them, and the second prover."""

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

    ``oblige`` derives the obligation of a direction, or raises NotDerived. ``prove`` takes the obligation, whether Z3
    and mpmath confirm it, and the recorder of the questions to Z3. A family that ``takes_apart`` has free atoms, and
    may have more of them at a second attempt, which takes apart formulas that are read.
    """

    kind: ObligationKind
    recognises: Callable[[WrittenDirection], bool]
    oblige: Callable[[WrittenDirection], Obliged]
    prove: Callable[[Obliged, bool, Record], ProofAttempt]
    takes_apart: bool = False
