"""The classes of a place whose verdicts are proved, by the moves of their inputs; as sets of bits.

See docs/background/counting.md, section 4.
"""

from __future__ import annotations

from ....kernel.budget import ENTRY_BITS
from ..reading.decision import Decision
from ..reading.tracks import LayoutProofs, Unit
from ..reading.tracks_claim import TracksClaim
from .by_classes import FormProof

WORD = 64


class ClassesOfMoves:
    """For each move of each column, and each last state, the classes that have it; for each token those it wins.

    An input is in a class if this has all its moves and its last state. Each input is in one class.
    """

    def __init__(self, about: Decision[TracksClaim, LayoutProofs]) -> None:
        (unit,) = about.evidence.units
        assert isinstance(unit, Unit) and unit.verdicts is not None
        proof = FormProof(about, 0, unit)
        columns, (queries, classes) = proof.columns, proof.make_classes()
        self._letters = len(columns.claim.columns)
        self._moves: list[dict[int, int]] = [{} for _ in columns.moves]
        self.lasts: dict[int, int] = {}
        self.verdicts: dict[int | None, int] = {}
        first = 0
        for query, own in zip(queries, classes, strict=True):
            for column, numbers in enumerate(query.numbers):
                found, free = dict.fromkeys(numbers, 0), 0
                for index, one in enumerate(own):
                    left = dict(one.moves).get(column)
                    if column == query.by and not isinstance(one.member, int):
                        left = frozenset([columns.number(one.member)])
                    free |= 0 if left else 1 << index
                    about.budget.spend(1 + (len(left or ()) * (1 + index // WORD) >> 4))
                    for number in left or ():
                        found[number] |= 1 << index
                about.budget.hold((ENTRY_BITS + len(own)) * len(found))
                for number, some in found.items():
                    self._moves[column][number] = self._moves[column].get(number, 0) | (some | free) << first
            for index, one in enumerate(own, first):
                for state in [one.member] if isinstance(one.member, int) else query.remaining().lasts:
                    self.lasts[state] = self.lasts.get(state, 0) | 1 << index
            first += len(own)
        for index, token in enumerate(unit.verdicts):
            self.verdicts[token] = self.verdicts.get(token, 0) | 1 << index
        self.verdicts.pop(None, None)
        self.every, self.words = (1 << first) - 1, 1 + first // WORD

    def after(self, met: int, column: int, state: int, letters: int) -> int:
        """Return those of some classes that have a move."""
        return met & self._moves[column].get(state * self._letters + letters, 0)
