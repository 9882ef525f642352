"""Leftmost- and rightmost-hard heads that tie: which they are, and the gaps of all heads in spite of it.

Claim       ``survey_sides`` is exact for all words of one length: a head that ties attends to the first, or last, of
            the positions with the greatest score, and its gap is the least *positive* difference
            (docs/reference/softened.md, 1).
Method      All words one by one (walk.py), as what was seen must keep its order.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from constructions.network.transformer import Transformer
from proofs.softened.findings import Where
from proofs.softened.least_gaps import Leads
from proofs.softened.stack import Stack
from proofs.softened.word_tree import Walk


@dataclass
class Sides:
    """The heads of one side that tie, and the least positive difference of scores in each head that has one."""

    tied: set[Where] = field(default_factory=set)
    gaps: dict[Where, Fraction] = field(default_factory=dict)


class _Sides(Leads):
    """An observer that goes on after a tie."""

    def __init__(self, transformer: Transformer, n: int):
        super().__init__(transformer.alphabet, n)
        self.found = Sides()

    def note_gap(self, gap: Fraction, layer: int, place: int) -> None:
        self.found.gaps[layer, place] = min(gap, self.found.gaps.get((layer, place), gap))

    def note_tie(self, layer: int, place: int) -> None:
        self.found.tied.add((layer, place))


def survey_sides(transformer: Transformer, n: int) -> Sides:
    """What leftmost- and rightmost-hard heads do on all words of length n, ties included.

    Raises:
        InputError: if an embedding is not defined at some position.
        Unsupported: if a head is soft and not uniform.
    """
    sides = _Sides(transformer, n)
    Walk(Stack(transformer, n, sides)).run(())
    return sides.found
