"""The least gap and the first ties, and where they occur first, in the order of words, positions, layers and heads."""

from collections.abc import Sequence
from fractions import Fraction

from proofs.softened.findings import ObservedGap

ZERO = Fraction(0)


class LeastGaps:
    """The observations so far; ``word`` (indices of letters) and ``i`` are the current location."""

    def __init__(self, alphabet: Sequence[str], n: int):
        self.word, self.i = [0] * n, 1
        self.gap: ObservedGap | None = None
        self.tie: ObservedGap | None = None
        self.averaged: ObservedGap | None = None
        self._alphabet = alphabet

    def note_gap(self, gap: Fraction, layer: int, place: int) -> None:
        """Keep the least gap, the first among equal ones."""
        if self.gap is None or gap <= self.gap.value:
            self.gap = self._earlier(self.gap, gap, layer, place)

    def note_tie(self, layer: int, place: int) -> None:
        """Keep the first forbidden tie."""
        self.tie = self._earlier(self.tie, ZERO, layer, place)

    def note_averaged(self, layer: int, place: int) -> None:
        """Keep the first tie that is averaged."""
        self.averaged = self._earlier(self.averaged, ZERO, layer, place)

    def _earlier(self, known: ObservedGap | None, value: Fraction, layer: int, place: int) -> ObservedGap:
        """Return the observation at the current location, unless the known one is equal and not later."""
        found = ObservedGap(value, tuple(self._alphabet[x] for x in self.word), self.i, layer, place)
        return found if known is None or known.value > value or self._order(found) < self._order(known) else known

    def _order(self, lead: ObservedGap) -> tuple[list[int], int, int, int]:
        return [self._alphabet.index(x) for x in lead.word], lead.i, lead.layer, lead.head
