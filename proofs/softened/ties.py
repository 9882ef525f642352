"""Leftmost- and rightmost-hard heads that tie, and the gaps of all heads with scores, ties included.

Claim       ``survey_sides`` is exact for all words of one length: a head that ties attends to the first, or last, of
            the positions with the greatest score, and its gap is the least *positive* difference
            (docs/reference/softened.md, section 1).
Method      All words are run one by one (word_tree.py), since histories must keep their order.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from constructions.network.transformer import Transformer
from proofs.softened.findings import Where
from proofs.softened.least_gaps import LeastGaps
from proofs.softened.stack import Stack
from proofs.softened.word_tree import PrefixTreeTraversal


@dataclass
class Sides:
    """The leftmost and rightmost heads that tie, and the least positive difference of scores in each head."""

    tied: set[Where] = field(default_factory=set)
    gaps: dict[Where, Fraction] = field(default_factory=dict)


class _Sides(LeastGaps):
    """An observer that continues after a tie."""

    def __init__(self, transformer: Transformer, n: int):
        super().__init__(transformer.alphabet, n)
        self.found = Sides()

    def note_gap(self, gap: Fraction, layer: int, place: int) -> None:
        self.found.gaps[layer, place] = min(gap, self.found.gaps.get((layer, place), gap))

    def note_tie(self, layer: int, place: int) -> None:
        self.found.tied.add((layer, place))


def survey_sides(transformer: Transformer, n: int) -> Sides:
    """Survey leftmost- and rightmost-hard heads on all words of length n, ties included.

    Raises:
        InputError: if an embedding is not defined at some position.
        Unsupported: if a head is soft and not uniform.
    """
    sides = _Sides(transformer, n)
    PrefixTreeTraversal(Stack(transformer, n, sides)).run(())
    return sides.found
