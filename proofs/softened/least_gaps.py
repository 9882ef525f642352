"""The least gap and the first ties, and where they occur first, in the order of words, positions, layers and heads."""

from collections.abc import Sequence
from fractions import Fraction

from proofs.softened.findings import Lead

ZERO = Fraction(0)


class Leads:
    """What was observed so far; ``word`` (indices of letters) and ``i`` say where one is."""

    def __init__(self, alphabet: Sequence[str], n: int):
        self.word, self.i = [0] * n, 1
        self.gap: Lead | None = None
        self.tie: Lead | None = None
        self.averaged: Lead | None = None
        self._alphabet = alphabet

    def note_gap(self, gap: Fraction, layer: int, place: int) -> None:
        """Keep the least gap; of equal ones the first."""
        if self.gap is None or gap <= self.gap.value:
            self.gap = self._earlier(self.gap, gap, layer, place)

    def note_tie(self, layer: int, place: int) -> None:
        """Keep the first tie that must not be."""
        self.tie = self._earlier(self.tie, ZERO, layer, place)

    def note_averaged(self, layer: int, place: int) -> None:
        """Keep the first tie that is averaged."""
        self.averaged = self._earlier(self.averaged, ZERO, layer, place)

    def _earlier(self, known: Lead | None, value: Fraction, layer: int, place: int) -> Lead:
        """What is observed here, unless what is known has the same value and comes no later."""
        found = Lead(value, tuple(self._alphabet[x] for x in self.word), self.i, layer, place)
        return found if known is None or known.value > value or self._order(found) < self._order(known) else known

    def _order(self, lead: Lead) -> tuple[list[int], int, int, int]:
        return [self._alphabet.index(x) for x in lead.word], lead.i, lead.layer, lead.head
