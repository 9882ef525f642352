"""Theorem 16: ``since`` future-masked and independent of n.

Source      [SHA] Theorem 16 (Section 4.2), cases (a) temperature 1/i² and (b) position embeddings with i².
Claim       As Theorem 15, with Lemma 8 a instead of Lemma 8 b: the tie-breaking term is -1/j.
"""

from constructions.draft import Draft
from constructions.language.syntax import Since
from constructions.statements.theorem_15_since_until import add_since_or_until


def add_since_causal(draft: Draft, formula: Since) -> str:
    """Return the direction ``is[left since right]``; the operands' directions must exist."""
    assert draft.regime.causal
    return add_since_or_until(draft, formula, f"Theorem 16{draft.regime.case}")
