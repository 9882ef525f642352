"""Theorem 13: ``prev`` future-masked and independent of n.

Source      [SHA] Theorem 13, cases (a) temperature 1/i² and (b) position embeddings with i².
Claim       As Theorem 12, with Lemma 8 a instead of Lemma 8 b.
Differs     Lemma 8 a needs 1/j in the keys, which the theorem's list of position embeddings lacks: the network computes
            it from (-1)^i by the remark after Proposition 11.
"""

from constructions.draft import Draft
from constructions.language.syntax import Previous
from constructions.statements.theorem_12_previous_next import add_previous


def add_previous_causal(draft: Draft, formula: Previous) -> str:
    """Return the direction ``is[prev φ]``; the operand's direction must exist."""
    assert draft.regime.causal
    return add_previous(draft, formula, theorem=13)
