"""What must be covered: docs/trained.md, section 4. It follows from the claim and the number of rows of the tables."""

from collections.abc import Iterator
from dataclasses import dataclass

from ....kernel.language import Language
from ....kernel.verdicts import require
from ...along_words.conditions import is_past_only
from ..reading.cover import ClassesUnit, Cover
from ..reading.decision import Decision
from ..reading.network import Network
from ..reading.words_claim import TrainedClaim


@dataclass(frozen=True)
class Obligations:
    """At ``offset`` places (or lengths) ``first`` ... ``last``."""

    offset: int
    first: int
    last: int


def is_by_place(network: Network, claim: TrainedClaim, language: Language) -> bool:
    """Whether an obligation is about a place, as a later token changes nothing."""
    reads_itself = claim.read == "each" or (claim.read == "last" and not claim.after)
    return network.causal and reads_itself and all(is_past_only(language, formula) for formula in claim.formulas)


def greatest_length(network: Network, claim: TrainedClaim, offset: int) -> int:
    """The longest words of the claim whose tokens have rows at this offset."""
    if network.rows is None:
        return claim.max_n
    return min(claim.max_n, network.rows - offset - len(claim.before) - len(claim.after))


def obligations(network: Network, claim: TrainedClaim, language: Language) -> Iterator[Obligations]:
    """For each offset its places or lengths; none at an offset where no word of the claim has rows."""
    by_place = is_by_place(network, claim, language)
    first = (0 if claim.empty else 1) if by_place and claim.read == "each" else claim.min_n
    for offset in range(claim.offsets[0], claim.offsets[1] + 1):
        last = greatest_length(network, claim, offset)
        if last < claim.min_n:
            return
        yield Obligations(offset, first, last)


def expect_covered(given: Decision[TrainedClaim, Cover]) -> None:
    """The units cover all obligations, and nothing else.

    Raises:
        Rejected: if not.
    """
    network, claim, language = given.network, given.claim, given.language
    units = sorted(given.evidence.units, key=lambda unit: (unit.offset, unit.first))
    by_place = is_by_place(network, claim, language)
    what, number = "place" if by_place else "length", 0
    for wanted in obligations(network, claim, language):
        language.budget.spend(1)
        least = wanted.first
        while number < len(units) and units[number].offset == wanted.offset:
            unit = units[number]
            is_of_claim = wanted.first <= unit.first and unit.last <= wanted.last
            require(is_of_claim, "cover: offset {}, {}s {} to {}: not all are of the claim", unit.offset, what,
                    unit.first, unit.last)
            if unit.first > least:
                break
            least, number = max(least, unit.last + 1), number + 1
        require(least > wanted.last, "cover: offset {}, {} {} is left out", wanted.offset, what, least)
    require(units, "cover: no word of the claim has rows of the tables")
    require(number == len(units), "cover: offset {} is not of the claim", units[min(number, len(units) - 1)].offset)
    expect_classes_make_sense(given, by_place)


def expect_classes_make_sense(given: Decision[TrainedClaim, Cover], by_place: bool) -> None:
    """Classes are for past-only formulas, and by length for one length.

    Raises:
        Rejected: if they are not.
    """
    classes = [unit for unit in given.evidence.units if isinstance(unit, ClassesUnit)]
    past = all(is_past_only(given.language, formula) for formula in given.claim.formulas)
    require(not classes or past, "cover: classes need past-only formulas")
    require(by_place or all(unit.first == unit.last for unit in classes), "cover: by length, classes are of one length")
