"""One obligation, proved twice: by the exact worst case (or exact case check) and by Z3.

The two must agree. A disagreement is an error of this program and is raised as one; it is never a verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from constructions.errors import InternalError
from constructions.network.lengths import Lengths
from constructions.network.meanings import Near
from proofs.enclosures.exponential import PRECISIONS
from proofs.exact.attention import find_worst_case
from proofs.exact.extremes import WorstCase
from proofs.exact.feed_forward import check_cases
from proofs.exact.lookup import Profiles, find_lookup_worst_case
from proofs.exact.second_opinion import agrees
from proofs.failures import NotDerived
from proofs.obligations.attention import AttentionObligation
from proofs.obligations.feed_forward import FeedForwardObligation
from proofs.obligations.lookup import LookupObligation
from proofs.transcript import Record, ignore


class Disagreement(InternalError):
    """Z3 and the exact method contradict each other: a bug in this program or in Z3, not a fact about the network."""


@dataclass(frozen=True)
class Proof:
    """The worst case of a head, and why it is not good enough; an empty reason if both provers say that it is."""

    reason: str
    worst: WorstCase


def prove_attention(obligation: AttentionObligation, tolerance: Fraction, twice: bool = True,
                    record: Record = ignore) -> Proof:
    """Exact worst case at rising precision until it is on one side of the tolerance, then Z3 for the same statement.

    Unless it is done ``twice``, nothing is confirmed by mpmath and Z3: enough to search with, not to certify.
    """
    from proofs import by_z3  # z3 takes a fifth of a second to import; nothing else needs it

    for bits in PRECISIONS:
        worst = find_worst_case(obligation, bits)
        if worst.within(tolerance) is not None:
            break
    return _confirm(obligation.where, worst, tolerance, twice,
                    lambda: by_z3.proves_attention(obligation, tolerance, record))


def prove_lookup(obligation: LookupObligation, twice: bool = True, record: Record = ignore) -> Proof:
    """The same for a head that looks up a count; of numbers Z3 proves the bounds that were found."""
    from proofs import by_z3

    tolerance = obligation.tolerance
    for bits in PRECISIONS:
        profiles = Profiles(obligation, bits)
        worst = find_lookup_worst_case(profiles)
        if tolerance is None or worst.within(tolerance) is not None:
            break
    if isinstance(obligation.meaning, Near) and tolerance is not None:
        excess = shortfall = tolerance
    else:
        if tolerance is not None and not worst.within(tolerance):
            return Proof(f"the worst error exceeds {tolerance}", worst)
        excess, shortfall = (worst.bound(truth) for truth in (False, True))
    return _confirm(obligation.where, worst, max(excess, shortfall), twice,
                    lambda: by_z3.proves_lookup(profiles, excess, shortfall, record))


def _confirm(where: str, worst: WorstCase, tolerance: Fraction, twice: bool, by_solver: Callable[[], bool]) -> Proof:
    """The verdict of the worst case on the tolerance, if Z3 and mpmath agree with it."""
    from proofs import by_z3

    exact = worst.within(tolerance)
    if exact is None:
        return Proof(f"the worst error is {tolerance} to within the precision of {PRECISIONS[-1]} bits", worst)
    reason = "" if exact else f"the worst error exceeds {tolerance}"
    if not twice:
        return Proof(reason, worst)
    for extreme in worst.extremes:
        if not agrees(extreme):
            raise Disagreement(f"{where}: Arb encloses the worst error at n = {extreme.n}, i = {extreme.i} "
                               "where mpmath does not find it")
    try:
        proved = by_solver()
    except by_z3.Undecided as undecided:
        return Proof(str(undecided), worst)
    if exact != proved:
        raise Disagreement(f"{where}: the exact worst case {'proves' if exact else 'refutes'} the bound {tolerance} "
                           "and Z3 does not")
    return Proof(reason, worst)


def prove_feed_forward(obligation: FeedForwardObligation, lengths: Lengths, twice: bool = True,
                       record: Record = ignore) -> str:
    """Why the obligation is not proved; empty if it is, by both methods."""
    from proofs import by_z3

    try:
        check_cases(obligation)
        reason = ""
    except NotDerived as fault:
        reason = str(fault)
    if not twice:
        return reason
    try:
        by_solver = by_z3.proves_feed_forward(obligation, lengths, record)
    except by_z3.Undecided as undecided:
        return reason or str(undecided)
    if not reason and not by_solver:
        raise Disagreement(f"layer {obligation.layer}, feed-forward, {obligation.direction}: the case check proves the "
                           "output exact and Z3 finds an input where it is not")
    return reason
