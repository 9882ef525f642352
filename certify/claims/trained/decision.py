"""Decisions about words of a trained network: results by obligation, by part, by length and by offset."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from certify.common.answer import AnswerByLength, certified_to
from certify.common.verdicts import worst
from constructions.trained.claim import WordsClaim, is_by_place, obligations
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.certificate import CoverJson
from proofs.trained.margins import Least
from proofs.trained.search import RefutingWord

MOST_WORDS = 2**17
"""Places and lengths with more words are not decided word by word, unless requested."""


@dataclass(frozen=True)
class SmallestMargin:
    """The least value of a row minus the claim's margin, in floating point: evidence, not proof.

    For float executions: in the network with rounded weights, over the real numbers.
    """

    value: float
    word: tuple[str, ...]
    offset: int
    place: int

    @classmethod
    def of(cls, least: Least) -> Self:
        """Return the margin of the word with the least one."""
        return cls(float(least.margin), least.word, least.offset, least.place)


@dataclass(frozen=True)
class ObligationResult:
    """The result for one obligation: a place or a length (``count``) at an offset.

    ``way`` is the method of the cover (``words`` or ``classes``), None if there is none; ``bound`` is the search's
    lower bound of the smallest margin, ``seen`` the smallest margin of a word that was run.
    """

    offset: int
    count: int
    way: str | None = None
    bound: float | None = None
    seen: SmallestMargin | None = None
    wrong: RefutingWord | None = None
    reason: str = ""


@dataclass(frozen=True)
class DecisionPart:
    """Obligations first … last (places or lengths) of a claim at one offset, with the effort.

    ``avoid`` has pairs of a place or length and a method by which it must not be covered.
    """

    offset: int
    first: int
    last: int
    most_words: int = MOST_WORDS
    effort: int = 1
    avoid: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class PartResult:
    """The results for each obligation, and units that cover some of them."""

    found: tuple[ObligationResult, ...]
    cover: CoverJson


def words_of(claim: WordsClaim, count: int) -> int:
    """Return the number of words of a place or a length."""
    return int(len(claim.alphabet) ** count)


def stops_at_wrong(network: TrainedNetwork, claim: WordsClaim) -> bool:
    """Return whether a wrong word refutes all longer lengths, so that these need no search."""
    return is_by_place(network, claim) and claim.read == "each"


@dataclass(frozen=True)
class LengthRow:
    """The verdict on all words of one length at all offsets; for float executions, without a ``bound``."""

    n: int
    verdict: str
    seen: SmallestMargin | None = None
    bound: float | None = None
    wrong: RefutingWord | None = None
    reason: str = ""


@dataclass(frozen=True)
class OffsetRow:
    """The results at one offset: the length to which all words are covered, and the shortest wrong word's.

    ``longest`` is the longest length of the claim that fits.
    """

    offset: int
    covered_to: int | None
    wrong_at: int | None
    longest: int


@dataclass(frozen=True)
class Decision(AnswerByLength[LengthRow]):
    """The answer about a network and a claim: over the real numbers, or under the float model ``run``.

    ``certificate`` is about the lengths up to ``certified_to`` (None if the shortest are not certified), accepted by
    the checker; ``whole_domain`` if there is no other word, length or offset for which the network has rows. Float
    executions have no results by ``offsets``, no ``covered`` and no whole domain.
    """

    network: TrainedNetwork
    claim: WordsClaim
    rows: tuple[LengthRow, ...]
    certificate: str | None
    wrong: RefutingWord | None
    wrong_certificate: str | None
    seconds: float
    run: FloatModel | None = None
    offsets: tuple[OffsetRow, ...] = ()
    covered: Mapping[str, int] = field(default_factory=dict)
    whole_domain: bool = False

    @property
    def is_shortest(self) -> bool:
        """True if the wrong word is the shortest one: all shorter lengths are certified."""
        return self.wrong is not None and all(
            row.verdict in ("certified", "vacuous") for row in self.rows if row.n < len(self.wrong.word)) and (
            self.rows[0].n == self.claim.lengths[0])

    def letters_read(self, wrong: RefutingWord) -> tuple[str, ...]:
        """Return the letters that make a word wrong; if the claim is by place, later letters are only padding."""
        return wrong.word[: wrong.place] if is_by_place(self.network, self.claim) else wrong.word

    @property
    def reason(self) -> str:
        """The reason why it is unknown; empty if it is not."""
        first = self.first("unknown")
        return first.reason if first else ""


def rows_by_length(network: TrainedNetwork, claim: WordsClaim, found: Iterable[ObligationResult]) -> list[LengthRow]:
    """Return the verdict on each length: certified if all its obligations are covered, refuted if a word is wrong."""
    return [row for n, mine in _by_length(network, claim, found) if (row := _row(n, mine))]


def _by_length(network: TrainedNetwork, claim: WordsClaim,
               found: Iterable[ObligationResult]) -> Iterator[tuple[int, list[ObligationResult]]]:
    """Yield, for each length, the results of the obligations that words of that length have."""
    results = {(one.offset, one.count): one for one in found}
    by_place = stops_at_wrong(network, claim)
    counts: dict[int, list[int]] = {}
    for offset, count in obligations(network, claim):
        counts.setdefault(offset, []).append(count)
    for n in range(claim.lengths[0], claim.lengths[1] + 1):
        yield n, [results.get((offset, count), ObligationResult(offset, count, reason="not decided"))
                  for offset, those in counts.items() if those[0] <= n <= those[-1]
                  for count in (those[: n - those[0] + 1] if by_place else [n])]


def rows_by_offset(network: TrainedNetwork, claim: WordsClaim, found: Iterable[ObligationResult]) -> list[OffsetRow]:
    """Return the offsets, each with its covered length and the length of its shortest wrong word."""
    by_offset: dict[int, list[ObligationResult]] = {}
    for one in found:
        by_offset.setdefault(one.offset, []).append(one)
    rows = []
    for offset, those in sorted(by_offset.items()):
        alone = replace(claim, offsets=(offset, offset))
        lengths = rows_by_length(network, alone, those)
        wrong = min((row.n for row in lengths if row.wrong), default=None)
        rows.append(OffsetRow(offset, certified_to(lengths), wrong, lengths[-1].n))
    return rows


def _row(n: int, found: Sequence[ObligationResult]) -> LengthRow | None:
    """Return the row of a length; None if no word of the length fits."""
    if not found:
        return None
    wrong = min((one.wrong for one in found if one.wrong), key=_order, default=None)
    open_ones = [one for one in found if one.way is None and one.wrong is None]
    verdict = "refuted" if wrong else worst(["unknown" if one in open_ones else "certified" for one in found])
    seen = min((one.seen for one in found if one.seen), key=lambda seen: seen.value, default=None)
    bounds = [one.bound for one in found if one.bound is not None]
    return LengthRow(n, verdict, seen, min(bounds) if bounds and not open_ones else None, wrong,
                     _why_open(open_ones) if verdict == "unknown" else "")


def _why_open(open_ones: Sequence[ObligationResult]) -> str:
    first = open_ones[0]
    more = f" (and {len(open_ones) - 1} more)" if len(open_ones) > 1 else ""
    return f"offset {first.offset}, {first.count} letters: {first.reason}{more}"


def _order(wrong: RefutingWord) -> tuple[int, int, int, tuple[str, ...]]:
    return len(wrong.word), wrong.offset, wrong.place, wrong.word


def shortest(wrong: Iterable[RefutingWord]) -> RefutingWord | None:
    """Return the shortest wrong word; among equally short ones, the one at the least offset."""
    return min(wrong, key=_order, default=None)


def is_whole_domain(network: TrainedNetwork, claim: WordsClaim) -> bool:
    """Return whether no other word has rows: all lengths from 1 on, all offsets, of a network with position tables."""
    rows = network.rows
    if rows is None:
        return False
    around = len(claim.before) + len(claim.after)
    longest = rows - around
    return claim.lengths[0] <= 1 and claim.lengths[1] >= longest and claim.offsets[0] == 0 and (
        claim.offsets[1] >= rows - around - claim.lengths[0])
