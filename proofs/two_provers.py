"""One obligation, proved twice: by the exact worst case (or exact case check) and by Z3.

The two must agree. A disagreement is an error of this program and is raised as one; it is never a verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from constructions.errors import InternalError
from constructions.network.meanings import Near
from constructions.network.transformer import Weighting
from proofs.enclosures.exponential import PRECISIONS
from proofs.exact.around_pivots import find_worst_case_by_windows
from proofs.exact.attention import find_worst_case
from proofs.exact.bumps import Bumpy, find_bump_worst_case
from proofs.exact.counting_heads import check_counting
from proofs.exact.extremes import WorstCase
from proofs.exact.feed_forward import check_cases
from proofs.exact.geometric import find_stick_worst_case
from proofs.exact.lookup import find_lookup_worst_case
from proofs.exact.lookup_by_kernel import find_kernel_worst_case
from proofs.exact.lookup_dominance import find_profiles
from proofs.exact.lookup_of_sums import find_sum_worst_case
from proofs.exact.second_opinion import agrees
from proofs.exact.uniform import check_uniform
from proofs.exact.windows import AllWindows
from proofs.failures import NotDerived
from proofs.obligations.additive import CountingObligation, SelectingObligation
from proofs.obligations.attention import STICK_BREAKING, AttentionObligation
from proofs.obligations.feed_forward import FeedForwardObligation
from proofs.obligations.kinds import Obligation, describe_place
from proofs.obligations.lookup import LookupObligation
from proofs.obligations.lookup_of_sums import LookupOfSumObligation
from proofs.obligations.sum_lookup import SumLookupObligation
from proofs.obligations.uniform import UniformObligation
from proofs.transcript import Record, ignore

Checked = TypeVar("Checked")


class Disagreement(InternalError):
    """Z3 and the exact method contradict each other: a bug in this program or in Z3, not a fact about the network."""


@dataclass(frozen=True)
class Proof:
    """Why an obligation is not proved (an empty reason if all provers say that it is), and a head's worst case."""

    reason: str
    worst: WorstCase | None = None


def prove(obligation: Obligation, twice: bool = True, record: Record = ignore) -> Proof:
    """The proof of an obligation, or why there is none.

    Unless it is done ``twice``, nothing is confirmed by mpmath and Z3: enough to search with, not to certify. What
    leaves nothing free is exact arithmetic, and done once. ``record`` takes what Z3 is asked.

    Raises:
        Disagreement: if the two provers contradict each other.
    """
    match obligation:
        case UniformObligation():
            return Proof(_reason_of(check_uniform, obligation))
        case CountingObligation():
            return Proof(_reason_of(check_counting, obligation))
        case SelectingObligation() | SumLookupObligation():
            return prove_bumps(obligation, twice, record)
        case AttentionObligation() if obligation.head.weighting in STICK_BREAKING:
            return prove_stick(obligation, twice, record)
        case AttentionObligation():
            return prove_attention(obligation, twice, record)
        case LookupObligation():
            return prove_lookup(obligation, twice, record)
        case LookupOfSumObligation():
            return prove_lookup_of_sum(obligation, twice, record)
        case FeedForwardObligation():
            return Proof(prove_feed_forward(obligation, twice, record))
    raise AssertionError(f"no prover for {obligation.kind}")


def prove_attention(obligation: AttentionObligation, twice: bool = True, record: Record = ignore) -> Proof:
    """Exact worst case at rising precision until it is on one side of what is allowed, then Z3 for the same statement.
    """
    from proofs import by_z3  # z3 takes a fifth of a second to import; nothing else needs it

    allowed_error, windows = obligation.allowed_error, AllWindows(obligation)
    by_path = obligation.head.weighting is Weighting.SOFTMAX
    for bits in PRECISIONS:
        try:
            worst = (find_worst_case if by_path else find_worst_case_by_windows)(obligation, bits, windows)
        except NotDerived as fault:
            return Proof(str(fault))
        if worst.within(allowed_error) is not None:
            break
    return _confirm(obligation, worst, allowed_error, twice,
                    lambda: by_z3.proves_attention(obligation, allowed_error, record, windows))


def prove_stick(obligation: AttentionObligation, twice: bool = True, record: Record = ignore) -> Proof:
    """The same for a geometric or stick-breaking head."""
    from proofs import by_z3

    for bits in PRECISIONS:
        worst = find_stick_worst_case(obligation, bits)
        if worst.within(obligation.allowed_error) is not None:
            break
    return _confirm(obligation, worst, obligation.allowed_error, twice,
                    lambda: by_z3.proves_stick(obligation, obligation.allowed_error, bits, record))


def prove_bumps(obligation: Bumpy, twice: bool = True, record: Record = ignore) -> Proof:
    """The same for heads whose weights depend on their own pair alone, and select or look up."""
    from proofs import by_z3

    try:
        for bits in PRECISIONS:
            worst = find_bump_worst_case(obligation, bits)
            if worst.within(obligation.allowed_error) is not None:
                break
    except NotDerived as fault:
        return Proof(str(fault))
    proof = _confirm(obligation, worst, obligation.allowed_error, twice,
                     lambda: by_z3.proves_bumps(obligation, obligation.allowed_error, bits, record))
    return proof if isinstance(obligation.meaning, Near) else Proof(proof.reason)  # an exact truth has no error


def prove_lookup(obligation: LookupObligation, twice: bool = True, record: Record = ignore) -> Proof:
    """The same for a head that looks up a count; of numbers Z3 proves the bounds that were found."""
    from proofs import by_z3

    if obligation.head.weighting is not Weighting.SOFTMAX:
        return prove_lookup_by_kernel(obligation, twice, record)
    allowed_error = obligation.allowed_error
    for bits in PRECISIONS:
        profiles = find_profiles(obligation, bits)
        worst = find_lookup_worst_case(profiles)
        if allowed_error is None or worst.within(allowed_error) is not None:
            break
    if isinstance(obligation.meaning, Near) and allowed_error is not None:
        excess = shortfall = allowed_error
    else:
        if allowed_error is not None and not worst.within(allowed_error):
            return Proof(f"the worst error exceeds {allowed_error}", worst)
        excess, shortfall = (worst.bound(truth) for truth in (False, True))
    return _confirm(obligation, worst, max(excess, shortfall), twice,
                    lambda: by_z3.proves_lookup(profiles, excess, shortfall, record))


def prove_lookup_by_kernel(obligation: LookupObligation, twice: bool, record: Record) -> Proof:
    """The same under sparsemax or 1.5-entmax; of numbers both errors are at most the greater bound that was found."""
    from proofs import by_z3

    for bits in PRECISIONS:
        try:
            found = find_kernel_worst_case(obligation, bits)
        except NotDerived as fault:
            return Proof(str(fault))
        worst, allowed_error = found.worst, obligation.allowed_error
        if allowed_error is None or worst.within(allowed_error) is not None:
            break
    if not isinstance(obligation.meaning, Near) or allowed_error is None:
        if allowed_error is not None and not worst.within(allowed_error):
            return Proof(f"the worst error exceeds {allowed_error}", worst)
        allowed_error = max(worst.bound(truth) for truth in (False, True))
    return _confirm(obligation, worst, allowed_error, twice, lambda: by_z3.proves_lookup_by_kernel(
        found, obligation.head.weighting, allowed_error, obligation.problem.lengths.last, record))


def prove_lookup_of_sum(obligation: LookupOfSumObligation, twice: bool = True, record: Record = ignore) -> Proof:
    """The same for a head that looks up a sum of counts, of whose error a bound is known."""
    from proofs import by_z3

    allowed_error = obligation.allowed_error
    for bits in PRECISIONS:
        worst = find_sum_worst_case(obligation, bits)
        if worst.within(allowed_error) is not None:
            break
    return _confirm(obligation, worst, allowed_error, twice,
                    lambda: by_z3.proves_lookup_of_sum(obligation, allowed_error, record))


def _confirm(obligation: Obligation, worst: WorstCase, allowed_error: Fraction, twice: bool,
             by_solver: Callable[[], bool]) -> Proof:
    """The verdict of the worst case on the error that is allowed, if Z3 and mpmath agree with it."""
    from proofs import by_z3

    exact = worst.within(allowed_error)
    if exact is None:
        return Proof(f"the worst error is {allowed_error} to within the precision of {PRECISIONS[-1]} bits", worst)
    reason = "" if exact else f"the worst error exceeds {allowed_error}"
    if not twice:
        return Proof(reason, worst)
    where = describe_place(obligation.layer, obligation.place, obligation.direction)
    for extreme in worst.extremes:
        if not agrees(extreme):
            raise Disagreement(f"{where}: Arb encloses the worst error at n = {extreme.n}, i = {extreme.i} "
                               "where mpmath does not find it")
    try:
        proved = by_solver()
    except by_z3.Undecided as undecided:
        return Proof(str(undecided), worst)
    if exact != proved:
        raise Disagreement(f"{where}: the exact worst case {'proves' if exact else 'refutes'} the bound "
                           f"{allowed_error} and Z3 does not")
    return Proof(reason, worst)


def prove_feed_forward(obligation: FeedForwardObligation, twice: bool = True, record: Record = ignore) -> str:
    """Why the obligation is not proved; empty if it is, by both methods."""
    from proofs import by_z3

    reason = _reason_of(check_cases, obligation)
    if not twice:
        return reason
    try:
        by_solver = by_z3.proves_feed_forward(obligation, record)
    except by_z3.Undecided as undecided:
        return reason or str(undecided)
    if not reason and not by_solver:
        where = describe_place(obligation.layer, obligation.place, obligation.direction)
        raise Disagreement(f"{where}: the case check proves the output exact and Z3 finds an input where it is not")
    return reason


def _reason_of(check: Callable[[Checked], None], obligation: Checked) -> str:
    """Why the check fails; empty if it does not."""
    try:
        check(obligation)
    except NotDerived as fault:
        return str(fault)
    return ""
