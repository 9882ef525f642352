"""Lemma 7: table lookup. Attention selects the position whose number is held by the querying position.

Source      [SHA] Lemma 7: for γ >= 1, 1 <= c <= i, s_j = γ (2cj - j²) and α = softmax(s) over j = 1, ..., i,
            |c - Σ α_j j| <= (3/2) e^(-γ).
Sharp form  With x = e^(-γ) and N = i - 1,
            |c - Σ α_j j| <= (x + 2 x^4 + 3 x^9 + ... + N x^(N²)) / (1 + x + x^4 + x^9 + ... + x^(N²)),
            with equality for c = 1 and for c = i; and the right side is at most e^(-γ) whenever γ >= (ln 2)/2.
Proof       α_j is proportional to x^((j-c)²). Let R and L be the sums of k x^(k²) over k = 1, ..., i - c and over k =
            1, ..., c - 1. The error is |R - L|/Z <= max(R, L)/Z, as both are at least 0. Let the larger have K <= N
            terms: Z is at least 1 + x + ... + x^(K²), and the quotient is the mean of the numbers 0, ..., K with the
            weights x^(k²). It grows with K, because each further number exceeds the mean of those before; so K = N is
            the worst. If c is 1 or i, then K = N, the other sum is empty and Z is that sum. Term by term, k x^(k²) <= x
            · x^((k-1)²) if e^(2γ(k-1)) >= k, which holds for all k >= 2 if it does for k = 2.
Differs     The printed proof drops the sum over j < c ("<= Σ over j > c"): false for c = i, where the remaining sum is
            empty and the error is not 0. The statement holds, by the maximum of the two sums.
Claim       None here: the error is certified for each head that uses it, from its weights.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from constructions.draft import Draft
from constructions.language.syntax import Side
from constructions.network.meanings import Meaning
from constructions.network.transformer import Coefficients, Head, Mask
from constructions.regimes import Sharpening
from constructions.statements.proposition_11_end_markers import reciprocal_from_end, reciprocal_of_position

TWO = Fraction(2)


@dataclass(frozen=True)
class TableLookup:
    """A head that attends to position j = L · share + offset, where L positions are counted on ``side``."""

    name: str
    source: str
    mask: Mask
    side: Side
    share: Coefficients
    offset: int
    sharpness: Fraction
    values: Mapping[str, Coefficients]


def reciprocal_of_length(draft: Draft, side: Side) -> str:
    """Return the direction that holds 1/L: L = i positions are counted on the left, n + 1 - i on the right."""
    return reciprocal_of_position(draft) if side == "left" else reciprocal_from_end(draft)


def add_lookup_head(draft: Draft, plan: TableLookup, written: Mapping[str, Meaning]) -> None:
    """Add the head of ``plan`` to the draft; ``written`` gives the claimed meaning of each written direction.

    The scores are γ (2cj - j²)/L in case (a), to be divided by the temperature, and n times that in case (b).
    """
    growth = "" if draft.regime.sharpening is Sharpening.TEMPERATURE else "*n"
    place, square = draft.embed_position(f"i{growth}"), draft.embed_position(f"i^2{growth}")
    head = Head(
        name=plan.name,
        source=plan.source,
        mask=plan.mask,
        weighting=draft.weighting,
        temperature=draft.temperature,
        queries=({name: plan.sharpness * factor for name, factor in plan.share.items()},
                 {reciprocal_of_length(draft, plan.side): plan.sharpness}),
        keys=({place: TWO}, {square: Fraction(-1), **({place: TWO * plan.offset} if plan.offset else {})}),
        values=plan.values,
    )
    draft.add_head(head, written)
