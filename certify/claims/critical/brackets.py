"""A critical constant between two others: at the upper end a claim is certified, at the lower end a word refutes it.

Nothing is assumed about the claim as a function of its constant: a bracket contains *a* change from refuted to
certified.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Protocol, TypeVar

from certify.claims.critical.threshold import NoChange, Probe, find_threshold, shortest_between
from constructions.network.sharpening import Place

WitnessT_co = TypeVar("WitnessT_co", covariant=True)


@dataclass(frozen=True)
class Refuted(Generic[WitnessT_co]):
    """A constant at which the claim is refuted, and the replayed witness."""

    constant: Fraction
    witness: WitnessT_co


class ClaimAtConstants(Protocol[WitnessT_co]):
    """The interface of a claim with a constant, for the search."""

    def probe(self, constant: Fraction) -> Probe:
        """Return whether the claim is likely to be certified at this constant; fast, and not a verdict."""
        ...

    def certifies(self, constant: Fraction) -> bool:
        """Return whether the claim is certified at this constant."""
        ...

    def refute(self, constant: Fraction, nearest: Fraction) -> Refuted[WitnessT_co] | None:
        """Return a refutation, if a word is found, at ``constant`` or at a larger one up to ``nearest``."""
        ...


@dataclass(frozen=True)
class CriticalBracket(Generic[WitnessT_co]):
    """The ends of a bracket: probes pass at ``passes``, and ``refuted`` is None if no word was found.

    ``is_certified``: the claim is certified at ``passes``. ``nearest`` is the constant just below the change at which
    the search for words starts.
    """

    passes: Fraction
    is_certified: bool
    nearest: Fraction
    refuted: Refuted[WitnessT_co] | None


@dataclass(frozen=True)
class ClosedForm:
    """The exact number in a bracket at which the worst input of ``head``, at row ``row``, has the allowed error.

    ``gamma`` is that number, or -ln x with the x of (0, 1) that solves the ``equation``. ``polynomial`` is the minimal
    polynomial of x = e^(-gamma), or of a power of it; empty if none was found. ``limit`` is the limit of the number
    as n grows, if the terms extend to a series, else empty.
    """

    head: Place
    row: int
    gamma: str
    equation: str
    polynomial: str
    limit: str


def find_bracket(claim: ClaimAtConstants[WitnessT_co], start: Fraction, width: Fraction,
                 shares: Sequence[Fraction]) -> CriticalBracket[WitnessT_co] | NoChange:
    """Return the bracket of a change, searched from ``start`` on, or the reason why there is none.

    ``width`` is relative to the constant. Words are searched for at these ``shares`` of the constant just below the
    change, in their order, until one is found.
    """
    change = find_threshold(claim.probe, start, width / 4)
    if isinstance(change, NoChange):
        return change
    short = shortest_between(change.passes, change.passes * (1 + width / 4))
    certified = next(filter(claim.certifies, dict.fromkeys((short, change.passes))), None)
    nearest = shortest_between(change.fails * (1 - width / 2), change.fails)
    refutations = (claim.refute(nearest * share, nearest) for share in shares)
    refuted = next((found for found in refutations if found), None)
    return CriticalBracket(certified or change.passes, certified is not None, nearest, refuted)
