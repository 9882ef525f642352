"""Leftmost and rightmost attention by scores that are integers times a constant: Lemma 8 without its quotients.

Claim       Let s_j be 0 or 1 at each visible position. Of the scores γ(j + L s_j), L >= i, over j = 1, ..., i, and of
            the scores γ(L s_j - j), L >= n, over j = i, ..., n, any two are different multiples of γ, and those with
            s_j = 1 exceed all others. So the rightmost (leftmost) j with s_j = 1, or with none the rightmost (leftmost)
            j of all, has the greatest score, by at least γ; and it has all weight except at most 1/e^γ, for every i and
            n, whatever s.
Proof       Rightmost: scores over γ are in 1, ..., i where s_j = 0, and in 1 + L, ..., i + L where s_j = 1, which are
            other numbers, as L >= i; for one value of s_j scores are distinct and increase with j. Leftmost: the same
            with -n, ..., -i and L - n, ..., L - i, which are at least 0. So the scores below the greatest are at least
            γ, 2γ, 3γ, ... below it: their weights, relative to the greatest, sum to at most B = Σ_{k >= 1} e^(-kγ) =
            1/(e^γ - 1), and their share of all weights is at most B/(1 + B) = e^(-γ).
Differs     [SHA] Lemma 8 has s_j ± j/(2n) and s_j - 1/j, multiplied by n or i²: quotients that a format rounds, in
            scores of the same size. Here a score is an integer times γ; if γ is a power of two and i + L is at most
            2^p, a format with p bits represents every score.
"""

from collections.abc import Mapping
from fractions import Fraction

from constructions.draft import ONE, Draft
from constructions.language.expressions import parse_expression
from constructions.network.meanings import Near
from constructions.network.transformer import Head, Mask
from constructions.network.weightings import Weighting
from constructions.statements.lemma_08_tie_breaking import TieBrokenHead, TieWinner

NO_TEMPERATURE = parse_expression("1")


def add_integer_tie_broken_head(draft: Draft, plan: TieBrokenHead, written: Mapping[str, Near], gamma: Fraction,
                                beyond: int = 0) -> None:
    """Add the head of ``plan``, whose score is s_j, with L = i + beyond (rightmost) or n + beyond (leftmost)."""
    rightmost = plan.side is TieWinner.RIGHTMOST
    length = {draft.embed_position("i" if rightmost else "n"): gamma}
    head = Head(
        name=plan.name,
        source=plan.source,
        mask=Mask.FUTURE if rightmost else Mask.PAST,
        weighting=Weighting.SOFTMAX,
        temperature=NO_TEMPERATURE,
        queries=({**length, **({draft.one(): gamma * beyond} if beyond else {})},
                 {draft.one(): gamma if rightmost else -gamma}),
        keys=(plan.score, {draft.embed_position("i"): ONE}),
        values=plan.values,
    )
    draft.add_head(head, written)
