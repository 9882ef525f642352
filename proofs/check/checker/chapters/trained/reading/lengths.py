"""The objects of docs/lengths.md, sections 3 and 7: what proves a claim about words of any length."""

from dataclasses import dataclass
from functools import partial

from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, integer_within, list_of, or_null
from ....kernel.verdicts import expect
from .decision import Decision
from .words_claim import TrainedClaim

PLACES = 60  # bits behind the point of a share
MOST_KINDS = 64  # classes of the counts of one letter
LENGTH = -1  # in the place of a letter: the length is cut

CountCut = tuple[int, int]
"""A letter, and a number over 2^PLACES: its share is at most that, or at least. LENGTH, and the last length below."""


@dataclass(frozen=True)
class CountKind:
    """Which counts of a letter are told apart: those below ``threshold``, and the others by their remainder."""

    threshold: int
    period: int

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self.threshold + self.period


@dataclass(frozen=True)
class Counts:
    """Which counts of each letter are told apart; for each region a tree of cells in preorder, None for a leaf."""

    kinds: tuple[CountKind, ...]
    trees: tuple[tuple[CountCut | None, ...], ...]


@dataclass(frozen=True)
class LastLetters:
    """A tree of last letters in preorder, false for a leaf."""

    tree: tuple[bool, ...]


def read_counts(value: Json, about: Decision[TrainedClaim, None]) -> Counts:
    """Kinds of counts, and trees of cells."""
    fields, letters = Fields(value, "counts", "trees"), len(about.claim.alphabet)
    kinds = fields.read("counts", list_of(read_kind))
    expect(len(kinds) == letters, "counts: expected one for each letter")
    return Counts(kinds, fields.read("trees", list_of(list_of(or_null(partial(read_cut, letters=letters))))))


def read_last_letters(value: Json, about: object) -> LastLetters:
    """Return a tree."""
    del about
    tree = Fields(value, "tree").read("tree", list_of(integer_within(range(2))))
    return LastLetters(tuple(map(bool, tree)))


def read_kind(value: Json) -> CountKind:
    """How counts of a letter are told apart."""
    pair = list_of(integer_within(range(MOST_KINDS + 1)))(value)
    expect(len(pair) == 2 and pair[1] > 0 and sum(pair) <= MOST_KINDS,
           "expected a threshold and a period above 0, together at most {}", MOST_KINDS)
    return CountKind(*pair)


def read_cut(value: Json, letters: int) -> CountCut:
    """Where a cell is cut in two."""
    pair = list_of(integer_within(range(LENGTH, (1 << PLACES) + 1)))(value)
    expect(len(pair) == 2 and pair[0] < letters and pair[1] >= 0, "expected a letter, or -1, and where it is cut")
    return pair[0], pair[1]
