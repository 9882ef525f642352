"""A decision about a trained network: that all words are covered, and every unit of the cover.

A part or a sample proves some units only, and is never more than incomplete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256

from ..reading.trained import ClassesUnit, Decision, Unit, WordsUnit
from ..verdicts import within
from .classes import Classes
from .obligations import expect_covered
from .words import ALL, Judge, Share, prove_words

Coverage = Mapping[str, int]


def prove_decision(given: Decision) -> Coverage:
    """Every obligation of the claim.

    Raises:
        Rejected: if one is not proved, or left out of the cover.
    """
    expect_covered(given)
    obligations = sum(unit.last - unit.first + 1 for unit in given.cover)
    return {**prove_units(given, given.cover), "obligations": obligations}


def prove_part(given: Decision, part: int, parts: int) -> Coverage:
    """That all is covered; of each unit of words a share, and of the units of classes every ``parts``-th.

    Raises:
        Rejected: if one is not proved.
    """
    expect_covered(given)
    classes = [unit for unit in given.cover if isinstance(unit, ClassesUnit)]
    words = [unit for unit in given.cover if isinstance(unit, WordsUnit)]
    return prove_units(given, [*words, *classes[part - 1::parts]], Share(part - 1, parts))


def prove_sample(given: Decision, number: int, data: bytes) -> Coverage:
    """That all is covered, and units chosen by a digest of the file.

    A unit of words is proved at one obligation of it, a unit of classes as a whole.

    Raises:
        Rejected: if one is not proved.
    """
    expect_covered(given)
    digest = sha256(data).digest()
    chosen: dict[Unit, None] = {}
    weights = [unit.last - unit.first + 1 for unit in given.cover]
    for draw in range(number):
        place = int.from_bytes(sha256(digest + draw.to_bytes(8, "big")).digest(), "big") % sum(weights)
        chosen[obligation_at(given.cover, place)] = None
    return prove_units(given, chosen)


def obligation_at(cover: Iterable[Unit], place: int) -> Unit:
    """The obligation at this place, counted through the units of the cover."""
    for unit in cover:
        count = unit.last - unit.first + 1
        if place < count:
            chosen = unit.first + place
            return WordsUnit(unit.offset, chosen, chosen) if isinstance(unit, WordsUnit) else unit
        place -= count
    raise IndexError(place)


def prove_units(given: Decision, units: Iterable[Unit], share: Share = ALL) -> Coverage:
    """These units, of those of words a share; what was proved of each kind.

    Raises:
        Rejected: if one is not proved.
    """
    judge, coverage = Judge(given.network, given.claim, given.language), Counter[str]()
    classes: Classes | None = None
    for unit in units:
        if isinstance(unit, WordsUnit):
            coverage["words"] += prove_words(judge, unit, share)
        else:
            with within(f"offset {unit.offset}, from {unit.first} to {unit.last}"):
                classes = classes or Classes(given)
                coverage["classes"] += classes.prove(unit)
    return coverage
