"""A decision about a trained network: that all words are covered, and every unit of the cover.

A part or a sample proves some units only, and is never more than incomplete.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256

from ....kernel.verdicts import Rejected, within
from ..reading.decision import ClassesUnit, CoverPart, Decision, WordsUnit
from .classes import Classes
from .obligations import expect_covered, obligations
from .running import ALL, Judge, Share, prove_words

CoverageCounts = Mapping[str, int]


def prove_decision(given: Decision) -> CoverageCounts:
    """Every obligation of the claim, none of which is left out of the cover."""
    expect_covered(given)  # before anything else: units that are not of the claim may have no rows
    return add_up(given, [prove_units(given, given.cover)])


def join_coverage(given: Decision, proved: Iterable[CoverageCounts]) -> CoverageCounts:
    """That all is covered; what was proved in parts that are all of it.

    Raises:
        Rejected: if an obligation is left out of the cover.
    """
    expect_covered(given)
    return add_up(given, proved)


def add_up(given: Decision, proved: Iterable[CoverageCounts]) -> CoverageCounts:
    """What was proved in all; and how many obligations the claim has, however often units cover them."""
    total = Counter[str]()
    for coverage in proved:
        total.update(coverage)
    asked = obligations(given.network, given.claim, given.language)
    return {**total, "obligations": sum(one.last - one.first + 1 for one in asked)}


def prove_part(given: Decision, part: int, parts: int) -> CoverageCounts:
    """That all is covered; of each unit of words a share, and of the units of classes every ``parts``-th."""
    expect_covered(given)
    units = [given.cover[place] for place in places_of_part(given, part, parts)]
    return prove_units(given, units, Share(part - 1, parts))


def find_unproved(given: Decision, part: int, parts: int) -> list[tuple[int, str]]:
    """The places in the cover of units that this part does not prove, each with the reason.

    If there is none in any of the parts, the claim is proved.

    Raises:
        Rejected: if an obligation is left out of the cover.
    """
    expect_covered(given)
    prover, unproved = Prover(given), []
    for place in sorted(places_of_part(given, part, parts)):
        try:
            prover.prove(given.cover[place], Share(part - 1, parts))
        except Rejected as reason:
            unproved.append((place, str(reason)))
    return unproved


def places_of_part(given: Decision, part: int, parts: int) -> list[int]:
    """In the cover: all units of words, of which each part takes a share, and every ``parts``-th unit of classes."""
    classes = [place for place, unit in enumerate(given.cover) if isinstance(unit, ClassesUnit)]
    words = [place for place, unit in enumerate(given.cover) if isinstance(unit, WordsUnit)]
    return [*words, *classes[part - 1::parts]]


def prove_sample(given: Decision, number: int, data: bytes) -> CoverageCounts:
    """That all is covered, and units chosen by a digest of the file.

    A unit of words is proved at one obligation of it, a unit of classes as a whole.
    """
    expect_covered(given)
    digest = sha256(data).digest()
    chosen: dict[CoverPart, None] = {}
    weights = [unit.last - unit.first + 1 for unit in given.cover]
    for draw in range(number):
        place = int.from_bytes(sha256(digest + draw.to_bytes(8, "big")).digest(), "big") % sum(weights)
        chosen[obligation_at(given.cover, place)] = None
    return prove_units(given, chosen)


def obligation_at(cover: Iterable[CoverPart], place: int) -> CoverPart:
    """The obligation at this place, counted through the units of the cover."""
    for unit in cover:
        count = unit.last - unit.first + 1
        if place < count:
            chosen = unit.first + place
            return WordsUnit(unit.offset, chosen, chosen) if isinstance(unit, WordsUnit) else unit
        place -= count
    raise IndexError(place)


def prove_units(given: Decision, units: Iterable[CoverPart], share: Share = ALL) -> CoverageCounts:
    """These units, of those of words a share; what was proved of each kind."""
    prover, coverage = Prover(given), Counter[str]()
    for unit in units:
        coverage["words" if isinstance(unit, WordsUnit) else "classes"] += prover.prove(unit, share)
    return coverage


class Prover:
    """Proves units of one certificate, one after another."""

    def __init__(self, given: Decision) -> None:
        self.given = given
        self._judge = Judge(given.network, given.claim, given.language)
        self._classes: Classes | None = None

    def prove(self, unit: CoverPart, share: Share) -> int:
        """The unit, or a share of its words; how many words or classes that are."""
        if isinstance(unit, WordsUnit):
            return prove_words(self._judge, unit, share)
        with within(f"offset {unit.offset}, from {unit.first} to {unit.last}"):
            self._classes = self._classes or Classes(self.given)
            return self._classes.prove(unit)
