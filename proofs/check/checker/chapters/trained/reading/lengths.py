"""The objects of docs/lengths.md, sections 3, 5, 7: what is to prove a claim, or a long word by which it is false."""

from dataclasses import dataclass
from functools import partial

from ....kernel.budget import Budget
from ....kernel.language import Language
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, headed, integer_within, list_of, or_null
from ....kernel.verdicts import expect
from .decision import Count, TrainedClaim, read_subject
from .network import Network

FORMAT_OF_LENGTHS = "certify-lengths"
FORMAT_OF_LONG_WORD = "certify-long-word"
FORMAT_OF_SUFFIXES = "certify-suffixes"
LONGEST = 1 << 40  # of the lengths of a claim, unless it is about every length
EVERY = 1 << 62  # in the place of the greatest length of a claim about every length
LONGEST_WORD = 1 << 20  # letters of a wrong word
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
class LengthsCertificate:
    """A claim about a network; for each region a tree of cells in preorder, None for a leaf."""

    network: Network
    claim: TrainedClaim
    kinds: tuple[CountKind, ...]
    trees: tuple[tuple[CountCut | None, ...], ...]
    language: Language


@dataclass(frozen=True)
class SuffixesCertificate:
    """A claim about a network; a tree of last letters in preorder, false for a leaf."""

    network: Network
    claim: TrainedClaim
    tree: tuple[bool, ...]
    language: Language


@dataclass(frozen=True)
class LongWord:
    """A claim about a network, and a word, a case and a row by which it is false at the word's last letter."""

    network: Network
    claim: TrainedClaim
    runs: tuple[tuple[int, int], ...]
    case: int
    row: int
    language: Language


def read_lengths(document: Json, budget: Budget) -> LengthsCertificate:
    """The certificate that a document holds."""
    fields = headed(document, FORMAT_OF_LENGTHS, "network", "claim", "counts", "trees")
    network, claim, language = read_long_claim(fields, budget)
    kinds = fields.read("counts", list_of(read_kind))
    expect(len(kinds) == len(claim.alphabet), "counts: expected one for each letter")
    trees = fields.read("trees", list_of(list_of(or_null(partial(read_cut, letters=len(claim.alphabet))))))
    return LengthsCertificate(network, claim, kinds, trees, language)


def read_suffixes(document: Json, budget: Budget) -> SuffixesCertificate:
    """The certificate that a document holds."""
    fields = headed(document, FORMAT_OF_SUFFIXES, "network", "claim", "tree")
    network, claim, language = read_long_claim(fields, budget)
    tree = fields.read("tree", list_of(integer_within(range(2))))
    return SuffixesCertificate(network, claim, tuple(map(bool, tree)), language)


def read_long_claim(fields: Fields, budget: Budget) -> tuple[Network, TrainedClaim, Language]:
    """A claim that ``read_subject`` reads; the greatest length of the claim is null if it is about every length."""
    subject = read_subject(fields, budget, read_length)
    expect(subject[1].min_n <= LONGEST, "min_n: expected a number")
    return subject


def read_length(value: Json) -> int:
    """A length, or null."""
    return EVERY if value is None else integer_within(range(1, LONGEST + 1))(value)


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


def read_long_word(document: Json, budget: Budget) -> LongWord:
    """The refutation that a document holds."""
    fields = headed(document, FORMAT_OF_LONG_WORD, "network", "claim", "word", "case", "row")
    network, claim, language = read_long_claim(fields, budget)
    word = fields.read("word", list_of(list_of(integer_within(range(LONGEST_WORD + 1)))))
    expect(all(len(run) == 2 and run[0] < len(claim.alphabet) and run[1] > 0 for run in word),
           "word: expected runs, each a letter and how often it comes")
    expect(0 < sum(run[1] for run in word) <= LONGEST_WORD, "limit: words of 1 to {} letters", LONGEST_WORD)
    case = fields.read("case", integer_within(range(len(claim.cases))) if claim.cases else Count)
    expect(claim.cases and claim.cases[case].above, "case: there is no row")
    row = fields.read("row", integer_within(range(len(claim.cases[case].above))))
    return LongWord(network, claim, tuple((run[0], run[1]) for run in word), case, row, language)
