"""Heads that are near a truth where a guard holds that depends on the word, such as "something was written before".

Claim       Let f be the formula and G the guard. G holds and f is false iff G -> f is false.
            G holds and f is true iff G & f is true. So it suffices that the error is at most 1/4 where the target
            G -> f is false, and where the target G & f is true: one truth of each of two obligations without a guard.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from constructions.language.syntax import TRUE, And, Implies, is_positional
from constructions.network.meanings import Near
from proofs.formula.attention.costs import FINE_BITS
from proofs.formula.attention.family import is_close
from proofs.formula.attention.obligation import AttentionObligation, oblige_attention
from proofs.formula.attention.windows import AllWindows
from proofs.formula.attention.worst_case import find_worst_case
from proofs.formula.common.extremes import WorstCase
from proofs.formula.common.kinds import Approximation, ObligationKind
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.failures import NotDerived
from proofs.formula.family import WriterFamily
from proofs.formula.transcript import Record
from proofs.formula.two_provers import ProofAttempt, prove_by_worst_case


@dataclass(frozen=True)
class GuardedObligation(Approximation):
    """Two obligations, by truth of the formula; each is to be proved where its target has this truth."""

    kind: ClassVar[ObligationKind] = ObligationKind.ATTENTION
    meaning: Near
    allowed_error: Fraction
    parts: Mapping[bool, AttentionObligation]

    def key(self) -> tuple[object, ...]:
        """Return a key that is equal for obligations equal up to the names of directions and formulas."""
        return "guarded", *(self.parts[truth].key() for truth in (False, True))

    @property
    def rows(self) -> int:
        """The number of all rows: the guard may hold at each."""
        return self.parts[True].rows


def is_guarded(written: WrittenDirection) -> bool:
    """Return whether the meaning has a guard that depends on the word."""
    return isinstance(written.meaning, Near) and not is_positional(written.meaning.when)


def oblige(written: WrittenDirection) -> GuardedObligation:
    """Return the obligation of a head where its guard holds.

    Raises:
        NotDerived: if the weighting is not softmax, or ``oblige_attention`` raises it.
    """
    meaning, transformer = written.meaning, written.transformer
    assert isinstance(meaning, Near)
    if not written.head.weighting.is_softmax:
        raise NotDerived(f"the guard depends on the word, which has no rule under {written.head.weighting}")
    parts = {}
    for truth, target in ((False, Implies(meaning.when, meaning.formula)), (True, And(meaning.when, meaning.formula))):
        directions = {**transformer.directions, written.direction: Near(target, TRUE)}
        parts[truth] = oblige_attention(replace(transformer, directions=directions), written.known, written.lengths,
                                        written.layer, written.place, written.head, written.direction,
                                        written.allowed_error, written.apart)
    return GuardedObligation(written.layer, written.place, written.head, written.direction, written.lengths,
                             meaning, written.allowed_error, parts)


def prove(obligation: GuardedObligation, twice: bool, record: Record) -> ProofAttempt:
    """Prove each truth by its exact worst case, then by Z3."""
    windows = {truth: AllWindows(part) for truth, part in obligation.parts.items()}

    def find(bits: int) -> WorstCase:
        found = {truth: find_worst_case(part, bits, windows[truth]) for truth, part in obligation.parts.items()}
        return WorstCase(found[False].if_false, found[True].if_true)

    def by_solver(worst: WorstCase, bits: int) -> bool:
        from proofs.formula.attention.second import proves_attention  # z3 takes a fifth of a second to import

        close = is_close(worst, obligation.allowed_error)
        return all(proves_attention(part, obligation.allowed_error, record, windows[truth], (truth,),
                                    max(FINE_BITS, 2 * bits), close) for truth, part in obligation.parts.items())

    return prove_by_worst_case(obligation, find, twice, by_solver)


GUARDED = WriterFamily(ObligationKind.ATTENTION, is_guarded, oblige, prove, takes_apart=True)
