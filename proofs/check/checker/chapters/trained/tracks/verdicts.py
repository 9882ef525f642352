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
    """For each number of a move of a column, or of a last state, the classes that have it; and those of each verdict.

    An input is in a class if this has all its moves and its last state. Each input is in some class.
    """

    def __init__(self, about: Decision[TracksClaim, LayoutProofs]) -> None:
        (unit,) = about.evidence.units
        assert isinstance(unit, Unit) and unit.verdicts is not None
        proof = FormProof(about, 0, unit)
        columns, (queries, classes) = proof.columns, proof.make_classes()
        self._having: list[dict[int, int]] = [{} for _ in (*columns.moves, None)]
        self.verdicts: dict[int | None, int] = {}
        first = 0
        for query, own in zip(queries, classes, strict=True):
            members = [one if isinstance(one, int) else columns.number(one) for one in (one.member for one in own)]
            by = len(columns.moves) if query.by is None else query.by
            for column, every in enumerate([*query.numbers, frozenset(query.remaining().lasts)]):
                found: dict[frozenset[int], int] = {}
                for index, (one, member) in enumerate(zip(own, members, strict=True), first):
                    left = frozenset([member]) if column == by else dict(one.moves).get(column, every)
                    found[left] = found.get(left, 0) | 1 << index
                words = 1 + (first + len(own)) // WORD
                about.budget.spend(1 + (words * (len(own) + sum(map(len, found))) >> 4))
                about.budget.hold((ENTRY_BITS + first + len(own)) * len(every))
                for left, some in found.items():
                    for number in left:
                        self._having[column][number] = self._having[column].get(number, 0) | some
            first += len(own)
        for index, token in enumerate(unit.verdicts):
            self.verdicts[token] = self.verdicts.get(token, 0) | 1 << index
        self.verdicts.pop(None, None)
        self.every, self.words = (1 << first) - 1, 1 + first // WORD

    def having(self, met: int, column: int, number: int) -> int:
        """Return those of some classes that have a move of a column; after all columns, a last state."""
        return met & self._having[column].get(number, 0)
