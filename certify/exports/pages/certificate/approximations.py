"""The bounds of a certificate, with their figures: for each direction that only approximates its meaning."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy.typing as npt

from certify.claims.formula.sealed import Sealed, StatedErrors
from certify.common.doubles import DoubleNetwork
from certify.exports.pages.certificate.blocks import MOST_DIRECTIONS
from certify.exports.pages.certificate.error_maps import ErrorMap, find_error_map
from certify.exports.pages.certificate.seconded import Oblige, Seconding, second_worst
from certify.exports.pages.certificate.worst_words import Word, WorstWord, longer, worst_words
from constructions.network.lengths import Lengths
from constructions.network.meanings import ALLOWED_ERROR, Near
from constructions.network.transformer import Head, Transformer
from proofs.formula.attention.obligation import oblige_attention
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived
from proofs.formula.lookup.obligation import looks_up, oblige_lookup

SHORT = 12
LONGEST = 64
"""Words with more symbols are not drawn."""
MOST_STUDIED = 200
"""With more bounds, only the first are studied: the others have no map, no word and no number of rows."""
MOST_MAPS = 8
"""The number of different maps that are drawn; the others are only in the table of obligations."""


@dataclass(frozen=True)
class WorstWordPicture:
    """A worst word, and the attention of the head on it: a row for each query position."""

    case: WorstWord
    weights: npt.NDArray[Any]


@dataclass(frozen=True)
class Approximation:
    """One direction that a head writes, with its bound; ``chart`` is the number of its map, which equal ones share.

    It approximates a truth, or a number, whose allowed error depends on its readers. Missing figures are None: the map
    of a head that the producer could not derive, words of claims about long words only, and anything with numbers
    beyond doubles.
    """

    number: int
    layer: int
    place: int
    head: Head
    direction: str
    near_truth: bool
    stated: StatedErrors
    rows: int | None
    chart: int | None
    short: WorstWordPicture | None
    long: WorstWordPicture | None

    @property
    def bound(self) -> Fraction:
        """The larger of both stated errors."""
        return max(self.stated.error_if_false, self.stated.error_if_true)

    @property
    def at(self) -> str:
        """The name of the head on the page."""
        return f"{self.layer}.{self.place}"


@dataclass(frozen=True)
class Study:
    """All approximate directions, and their maps."""

    approximations: tuple[Approximation, ...]
    maps: tuple[ErrorMap, ...]

    @property
    def cases(self) -> dict[Word, WorstWord]:
        """The words that are drawn, each with a case on it."""
        return {picture.case.word: picture.case for each in self.approximations for picture in (each.short, each.long)
                if picture}

    @property
    def worst(self) -> Approximation | None:
        """The one with the largest bound among those that approximate a truth; None if there are none."""
        return max((each for each in self.approximations if each.near_truth), key=lambda each: each.bound, default=None)


class _Obligations:
    """The obligation of each bound, and the distinct maps."""

    def __init__(self, sealed: Sealed):
        self.network, self.lengths = sealed.transformer, sealed.lengths
        self.known = KnownValues(self.network.directions)
        self.maps: list[ErrorMap] = []
        self._numbers: dict[Hashable, int | None] = {}

    def of(self, bound: StatedErrors) -> Oblige:
        """Return its obligation for any lengths."""
        head = self.network.head(bound.layer, bound.head)
        where = (bound.layer, bound.head, head, bound.direction)
        near = isinstance(self.network.directions[bound.direction], Near)
        if looks_up(self.network, self.known, head, bound.direction):
            return lambda lengths: oblige_lookup(self.network, self.known, lengths, *where,
                                                 ALLOWED_ERROR if near else None)
        return lambda lengths: oblige_attention(self.network, self.known, lengths, *where)

    def rows_and_chart(self, bound: StatedErrors) -> tuple[int | None, int | None]:
        """Return the number of (n, i) with a claim, and the number of the map."""
        try:
            whole = self.of(bound)(self.lengths)
            key: Hashable = (type(whole), whole.key())
            if key not in self._numbers:
                self._numbers[key] = self._draw(self.of(bound)) if len(self.maps) < MOST_MAPS else None
            return whole.rows, self._numbers[key]
        except (NotDerived, OverflowError):
            return None, None

    def _draw(self, oblige: Oblige) -> int | None:
        found = find_error_map(oblige, self.lengths)
        if found is None:
            return None
        self.maps.append(second_worst(oblige, found))
        return len(self.maps) - 1

    def ceilings(self, bounds: Iterable[StatedErrors], n: int) -> dict[str, float]:
        """Bound the error at one length, for each direction that has a map."""
        found: dict[str, float] = {}
        by_key: dict[Hashable, float | None] = {}
        for bound in bounds:
            try:
                whole = self.of(bound)(Lengths(n, n))
                key: Hashable = (type(whole), whole.key())
                if key not in by_key:
                    chart = find_error_map(self.of(bound), Lengths(n, n))
                    by_key[key] = chart.largest_at(n) if chart else None
            except (NotDerived, OverflowError):
                continue
            if (ceiling := by_key[key]) is not None:
                found[bound.direction] = ceiling
        return found


def drawn_lengths(sealed: Sealed) -> tuple[int, ...]:
    """Return the lengths of the words that are drawn, a short and a long one; none for long words or large networks."""
    lengths = sealed.lengths
    if lengths.first > LONGEST or len(sealed.transformer.directions) > MOST_DIRECTIONS:
        return ()
    short = max(lengths.first, min(SHORT, lengths.last))
    return tuple(dict.fromkeys((short, min(LONGEST, lengths.last))))


def study(sealed: Sealed) -> Study:
    """Study all bounds of a certificate: their figures."""
    obligations = _Obligations(sealed)
    pictures = _pictures(sealed, obligations)
    charts = [obligations.rows_and_chart(bound) for bound in sealed.bounds[:MOST_STUDIED]]
    charts += [(None, None)] * (len(sealed.bounds) - len(charts))
    network = sealed.transformer
    found = [Approximation(number, bound.layer, bound.head, network.head(bound.layer, bound.head), bound.direction,
                           isinstance(network.directions[bound.direction], Near), bound, *chart,
                           *pictures.get(bound.direction, (None, None)))
             for number, (bound, chart) in enumerate(zip(sealed.bounds, charts, strict=True))]
    return Study(tuple(found), tuple(obligations.maps))


def _pictures(sealed: Sealed,
              obligations: _Obligations) -> dict[str, tuple[WorstWordPicture | None, WorstWordPicture | None]]:
    """Return a short and a long worst word by direction, with errors confirmed by mpmath within its budget of steps."""
    network, bounds = sealed.transformer, sealed.bounds[:MOST_STUDIED]
    seconding = Seconding(network)
    directions = [bound.direction for bound in bounds]
    rounds: list[dict[str, WorstWordPicture]] = []
    hints: list[tuple[str, ...]] = []
    try:
        for n in drawn_lengths(sealed) if directions else ():
            ceilings = obligations.ceilings(bounds, n)
            found = worst_words(network, directions, n, ceilings, longer(hints, network.alphabet, n))
            hints = [case.word for case in found.values()]
            seconded = {name: seconding.seconded(name, case) for name, case in found.items()}
            rounds.append(_attended(network, bounds, seconded, n))
    except OverflowError:
        return {}
    short, long = (*rounds, *({},) * 2)[:2]
    return {name: (short.get(name), long.get(name)) for name in directions}


def _attended(network: Transformer, bounds: Sequence[StatedErrors], found: dict[str, WorstWord],
              n: int) -> dict[str, WorstWordPicture]:
    if not found:
        return {}
    words = list(dict.fromkeys(case.word for case in found.values()))
    attention = DoubleNetwork(network, n).run(words, attention=True).attention
    return {bound.direction: WorstWordPicture(case, attention[bound.layer, bound.head][words.index(case.word)])
            for bound in bounds if (case := found.get(bound.direction))}
