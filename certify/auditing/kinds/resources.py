"""Bounds on resources: the size of a network, as `certify explain` and `certify build` count it."""

from collections.abc import Mapping
from dataclasses import dataclass

from certify.auditing.kinds.kind import BOUNDED, EVERY_N, ClaimEntry, Question
from certify.auditing.results import OneVerdict
from certify.claims.formula.show import sizes_of
from certify.requests.request import Request
from constructions.errors import InputError
from constructions.network.lengths import Lengths
from proofs.formula.discharge import Progress


@dataclass(frozen=True)
class Resources(Question):
    """A network, the same for every n, and upper bounds on its sizes."""

    request: Request
    bounds: Mapping[str, int]

    @property
    def subject(self) -> str:
        """The network, and the bounds."""
        bounds = ", ".join(f"{most} {name}" for name, most in self.bounds.items())
        return f"{self.request.description}: at most {bounds}"

    def decide(self, lengths: Lengths, progress: Progress) -> OneVerdict:
        """Count the sizes of the network."""
        found = sizes_of(self.request.network)
        more = [f"{found[name]} {name}, claimed at most {most}" for name, most in self.bounds.items()
                if found[name] > most]
        counted = ", ".join(f"{number} {name}" for name, number in found.items())
        return OneVerdict("refuted" if more else "certified", "; ".join(more) or f"it has {counted}", lengths=EVERY_N)


def read(entry: ClaimEntry) -> Resources:
    """Return the claim of an entry; one without a bound is vacuous, and rejected."""
    bounds = {name: entry.table[name] for name in BOUNDED if name in entry.table}
    if not bounds:
        raise InputError(f"the claim states no bound, so it is vacuous; expected one of {', '.join(BOUNDED)}")
    return Resources(entry.request(), bounds)
