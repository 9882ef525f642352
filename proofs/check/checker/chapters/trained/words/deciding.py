"""Proof of a decision about a trained network: the cover has all obligations, and every unit of it is proved.

See docs/reference/trained.md, section 4.
"""

from collections.abc import Mapping

from ....kernel.verdicts import require
from ..reading.cover import ClassesUnit
from .obligations import is_by_place, obligations
from .running import DecisionByCover, Prover, prove_units


def prove_decision(given: DecisionByCover) -> Mapping[str, int]:
    """Prove every obligation of the claim: the cover leaves none out; return the coverage."""
    expect_covered(given)  # before anything else: units that are not of the claim may have no rows
    return {**prove_units(Prover(given), given.evidence.units), "obligations": count_obligations(given)}


def count_obligations(given: DecisionByCover) -> int:
    """Return how many obligations the claim has, each counted once."""
    return sum(one.last - one.first + 1 for one in obligations(given.network, given.claim))


def expect_covered(given: DecisionByCover) -> None:
    """Check that the units cover all obligations, and nothing else.

    Raises:
        Rejected: if they do not.
    """
    network, claim = given.network, given.claim
    units = sorted(given.evidence.units, key=lambda unit: (unit.offset, unit.first))
    by_place = is_by_place(network, claim)
    what, number = "place" if by_place else "length", 0
    for obligation in obligations(network, claim):
        given.budget.spend(1)
        least = obligation.first
        while number < len(units) and units[number].offset == obligation.offset:
            unit = units[number]
            is_of_claim = obligation.first <= unit.first and unit.last <= obligation.last
            require(is_of_claim, "cover: offset {}, {}s {} to {}: not all are of the claim", unit.offset, what,
                    unit.first, unit.last)
            if unit.first > least:
                break
            least, number = max(least, unit.last + 1), number + 1
        require(least > obligation.last, "cover: offset {}, {} {} is left out", obligation.offset, what, least)
    require(units, "cover: no word of the claim has rows of the tables")
    require(number == len(units), "cover: offset {} is not of the claim", units[min(number, len(units) - 1)].offset)
    expect_classes_make_sense(given, by_place)


def expect_classes_make_sense(given: DecisionByCover, by_place: bool) -> None:
    """Check that classes are for past-only formulas, and by length for one length.

    Raises:
        Rejected: if they are not.
    """
    classes = [unit for unit in given.evidence.units if isinstance(unit, ClassesUnit)]
    require(not classes or given.claim.is_past_only, "cover: classes need past-only formulas")
    require(by_place or all(unit.first == unit.last for unit in classes), "cover: by length, classes are of one length")
