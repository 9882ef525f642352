"""Lemma 8: scores with a gap of 1 plus a tie-breaking term, sharpened until softmax is close to leftmost or rightmost.

Source      [SHA] Lemma 8: (a) γ i² (s_j - 1/j), rightmost, where n may be replaced by the number i of visible
            positions; (b) 2 γ n (s_j + j/(2n)), rightmost; (c) 2 γ n (s_j - j/(2n)), leftmost.
Claim       None here: the error is certified for each head that uses it, from its weights.
Differs     Under softmax-plus-one all scores are raised by 1, so that the winner exceeds the extra score 0, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from constructions.draft import ONE, Draft
from constructions.network.meanings import Near
from constructions.network.transformer import Coefficients, Head, Mask
from constructions.regimes import Sharpening
from constructions.statements.proposition_11_end_markers import reciprocal_of_position

HALF = Fraction(1, 2)


class TieWinner(StrEnum):
    """The tied position that wins."""

    LEFTMOST = "leftmost"
    RIGHTMOST = "rightmost"


@dataclass(frozen=True)
class TieBrokenHead:
    """A head that attends to the leftmost or rightmost visible position where ``score`` is largest."""

    name: str
    source: str
    side: TieWinner
    score: Coefficients
    values: Mapping[str, Coefficients]


def add_tie_broken_head(draft: Draft, plan: TieBrokenHead, written: Mapping[str, Near]) -> None:
    """Add the head of Lemma 8 a, b or c that the draft's regime requires.

    Rightmost heads are future-masked and leftmost ones past-masked; a causal regime has only rightmost ones.
    """
    regime = draft.regime
    if regime.causal:
        tie, factor = {reciprocal_of_position(draft): -Fraction(1)}, draft.gamma
    else:
        sign = 1 if plan.side is TieWinner.RIGHTMOST else -1
        tie, factor = {draft.embed_position("i/n"): sign * HALF}, 2 * draft.gamma
    if draft.weighting.row.extra:
        tie = {draft.one(): ONE, **tie}
    scale = draft.one() if regime.sharpening is Sharpening.TEMPERATURE else draft.embed_position(regime.scale)
    head = Head(
        name=plan.name,
        source=plan.source,
        mask=Mask.FUTURE if plan.side is TieWinner.RIGHTMOST else Mask.PAST,
        weighting=draft.weighting,
        temperature=draft.temperature,
        queries=({scale: factor},),
        keys=({**plan.score, **tie},),
        values=plan.values,
    )
    draft.add_head(head, written)
