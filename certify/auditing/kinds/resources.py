"""Bounds on resources: the size of a network, as `certify explain` and `certify build` count it."""

from certify.auditing.kinds.kind import BOUNDED, EVERY_N, ClaimEntry, Question
from certify.auditing.results import OneVerdict
from certify.claims.formula.show import sizes_of
from constructions.errors import InputError
from constructions.network.lengths import Lengths
from proofs.formula.discharge import Progress


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry, the same for every n; one without a bound is vacuous, and rejected."""
    bounds = {name: entry.table[name] for name in BOUNDED if name in entry.table}
    if not bounds:
        raise InputError(f"the claim states no bound, so it is vacuous; expected one of {', '.join(BOUNDED)}")
    request = entry.request()

    def decide(_lengths: Lengths, _progress: Progress) -> OneVerdict:
        """Count the sizes of the network."""
        found = sizes_of(request.network)
        more = [f"{found[name]} {name}, claimed at most {most}" for name, most in bounds.items() if found[name] > most]
        counted = ", ".join(f"{number} {name}" for name, number in found.items())
        return OneVerdict("refuted" if more else "certified", "; ".join(more) or f"it has {counted}", lengths=EVERY_N)

    return Question(f"{request.description}: at most {', '.join(f'{most} {name}' for name, most in bounds.items())}",
                    decide)
