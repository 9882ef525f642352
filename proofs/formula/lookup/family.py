"""Heads that look up a count: truths have an allowed error; for numbers the computed bounds are stated."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial

from constructions.network.meanings import Near, Others
from proofs.formula.common.extremes import WorstCase
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.failures import NotDerived
from proofs.formula.family import WriterFamily
from proofs.formula.lookup.by_kernel import find_kernel_worst_case
from proofs.formula.lookup.dominance import find_profiles
from proofs.formula.lookup.obligation import LookupObligation, looks_up, oblige_lookup
from proofs.formula.lookup.worst_case import find_lookup_worst_case
from proofs.formula.transcript import Record
from proofs.formula.two_provers import PRECISIONS, ProofAttempt, confirm


def is_lookup(written: WrittenDirection) -> bool:
    """Return whether a head writes the direction by a lookup of one count, or of several."""
    return isinstance(written.meaning, Near | Others) and looks_up(written.transformer, written.known, written.head,
                                                                   written.direction)


def oblige(written: WrittenDirection) -> LookupObligation:
    """Return the obligation of a head that looks up a count; a number has the stated allowed error, or None."""
    return oblige_lookup(written.transformer, written.known, written.lengths, written.layer, written.place,
                         written.head, written.direction,
                         written.allowed_error if isinstance(written.meaning, Near) else written.stated_error)


def _settle(find: Callable[[int], WorstCase], allowed_error: Fraction | None) -> tuple[WorstCase, int]:
    """Return the worst case at the first precision that decides about the allowed error, and that precision."""
    for bits in PRECISIONS:
        worst = find(bits)
        if allowed_error is None or worst.within(allowed_error) is not None:
            break
    return worst, bits


def prove(obligation: LookupObligation, twice: bool, record: Record) -> ProofAttempt:
    """Prove by the exact worst case, then by Z3; for numbers Z3 proves the bounds that were found.

    Under sparsemax or 1.5-entmax Z3 proves both errors of a number to be at most the greater of these bounds.
    """
    allowed_error, weighting = obligation.allowed_error, obligation.head.weighting
    profiles_at = cache(partial(find_profiles, obligation))
    by_kernel_at = cache(partial(find_kernel_worst_case, obligation))
    try:
        worst, bits = _settle(lambda bits: find_lookup_worst_case(profiles_at(bits)) if weighting.is_softmax else
                             by_kernel_at(bits).worst, allowed_error)
    except NotDerived as fault:
        return ProofAttempt(str(fault))
    if isinstance(obligation.meaning, Near) and allowed_error is not None:
        excess = shortfall = allowed_error
    elif allowed_error is not None and not worst.within(allowed_error):
        return ProofAttempt(f"the worst error exceeds {allowed_error}", worst)
    else:
        excess, shortfall = (worst.bound(truth) for truth in (False, True))
    bound = max(excess, shortfall)

    def by_solver() -> bool:
        if weighting.is_softmax:
            from proofs.formula.lookup.second import proves_lookup

            return proves_lookup(profiles_at(bits), excess, shortfall, record)
        from proofs.formula.lookup.second_by_kernel import proves_lookup_by_kernel

        return proves_lookup_by_kernel(by_kernel_at(bits), weighting, bound, obligation.problem.lengths.last, record)

    return confirm(obligation, worst, bound, twice, by_solver)


LOOKUP = WriterFamily(ObligationKind.LOOKUP, is_lookup, oblige, prove)
