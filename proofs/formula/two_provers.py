"""The proof of one obligation by two provers: the exact worst case and Z3.

The two must agree. A disagreement is an error of this program and is raised as one; it is never a verdict.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from constructions.errors import InternalError
from proofs.enclosures import exponential
from proofs.formula.common.extremes import WorstCase
from proofs.formula.common.kinds import Approximation, describe_place
from proofs.formula.failures import NotDerived, Undecided
from proofs.formula.second_opinion import agrees

PRECISIONS = *exponential.PRECISIONS, 1024, 3072
"""Bits of the weights of heads, tried in turn until the comparison with the allowed error is decided."""
Checked = TypeVar("Checked")


class Disagreement(InternalError):
    """A contradiction of the two provers: a bug in this program or in Z3, not a fact about the network."""


@dataclass(frozen=True)
class ProofAttempt:
    """The reason why an obligation is not proved (empty if it is), and the worst case of a head.

    The attempt ``is_open`` if the error of a head is too close to the allowed one for the comparison to be decided.
    """

    reason: str
    worst: WorstCase | None = None
    is_open: bool = False


def confirm(obligation: Approximation, worst: WorstCase, allowed_error: Fraction, twice: bool,
            by_solver: Callable[[], bool]) -> ProofAttempt:
    """Compare the worst case with the allowed error, and confirm the result by Z3 and mpmath.

    Unless ``twice`` is set, the confirmation is omitted: enough for a search, not for a certificate.

    Raises:
        Disagreement: if they contradict the worst case.
    """
    exact = worst.within(allowed_error)
    if exact is None:
        reason = f"the worst error is {allowed_error} to within the precision of {PRECISIONS[-1]} bits"
        return ProofAttempt(reason, worst, is_open=True)
    reason = "" if exact else f"the worst error exceeds {allowed_error}"
    if not twice:
        return ProofAttempt(reason, worst)
    where = describe_place(obligation.layer, obligation.place, obligation.direction)
    for extreme in worst.extremes:
        if not agrees(extreme):
            raise Disagreement(f"{where}: Arb encloses the worst error at n = {extreme.n}, i = {extreme.i} "
                               "where mpmath does not find it")
    try:
        proved = by_solver()
    except Undecided as undecided:
        return ProofAttempt(str(undecided), worst)
    if exact != proved:
        raise Disagreement(f"{where}: the exact worst case {'proves' if exact else 'refutes'} the bound "
                           f"{allowed_error} and Z3 does not")
    return ProofAttempt(reason, worst)


def prove_by_worst_case(obligation: Approximation, find: Callable[[int], WorstCase], twice: bool,
                        by_solver: Callable[[WorstCase, int], bool]) -> ProofAttempt:
    """Find the exact worst case, at rising precision until it decides about the allowed error; then confirm it.

    ``by_solver`` gets the worst case, and the precision at which it was found.
    """
    allowed_error = obligation.allowed_error
    assert allowed_error is not None, "only numbers have no bound that is stated"
    try:
        for bits in PRECISIONS:
            worst = find(bits)
            if worst.within(allowed_error) is not None:
                break
    except NotDerived as fault:
        return ProofAttempt(str(fault))
    return confirm(obligation, worst, allowed_error, twice, lambda: by_solver(worst, bits))


def reason_of(check: Callable[[Checked], None], obligation: Checked) -> str:
    """Return the reason why the check fails; empty if it succeeds."""
    try:
        check(obligation)
    except NotDerived as fault:
        return str(fault)
    return ""
