"""Parsing of the evidence of docs/background/lengths.md, sections 3 and 7, about words of any length."""

from dataclasses import dataclass
from functools import partial

from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, integer_within, list_of, or_null
from ....kernel.verdicts import expect
from .decision import Decision
from .words_claim import TrainedClaim

PLACES = 60  # fractional bits of a share
MOST_KINDS = 64  # classes of the counts of one letter
LENGTH = -1  # instead of a letter: the length is cut

CountCut = tuple[int, int]
"""A letter, and where its share is cut, over 2^PLACES; or LENGTH, and the last length below the cut."""


@dataclass(frozen=True)
class CountKind:
    """Classes of the counts of a letter: those below ``threshold`` alone, others by remainder modulo ``period``."""

    threshold: int
    period: int

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.threshold + self.period


@dataclass(frozen=True)
class Counts:
    """Classes of the counts of each letter; for each region a tree of cells in preorder, None for a leaf."""

    kinds: tuple[CountKind, ...]
    trees: tuple[tuple[CountCut | None, ...], ...]


@dataclass(frozen=True)
class LastLetters:
    """A tree of last letters in preorder, false for a leaf."""

    tree: tuple[bool, ...]


def read_counts(value: Json, about: Decision[TrainedClaim, None]) -> Counts:
    """Parse classes of counts, and trees of cells."""
    fields, letters = Fields(value, "counts", "trees"), len(about.claim.alphabet)
    kinds = fields.read("counts", list_of(read_kind))
    expect(len(kinds) == letters, "counts: expected one for each letter")
    return Counts(kinds, fields.read("trees", list_of(list_of(or_null(partial(read_cut, letters=letters))))))


def read_last_letters(value: Json, about: object) -> LastLetters:
    """Parse a tree of last letters."""
    del about
    tree = Fields(value, "tree").read("tree", list_of(integer_within(range(2))))
    return LastLetters(tuple(map(bool, tree)))


def read_kind(value: Json) -> CountKind:
    """Parse threshold and period of a letter."""
    pair = list_of(integer_within(range(MOST_KINDS + 1)))(value)
    expect(len(pair) == 2 and pair[1] > 0 and sum(pair) <= MOST_KINDS,
           "expected a threshold and a period above 0, together at most {}", MOST_KINDS)
    return CountKind(*pair)


def read_cut(value: Json, letters: int) -> CountCut:
    """Parse a cut of a cell."""
    pair = list_of(integer_within(range(LENGTH, (1 << PLACES) + 1)))(value)
    expect(len(pair) == 2 and pair[0] < letters and pair[1] >= 0, "expected a letter, or -1, and where it is cut")
    return pair[0], pair[1]
