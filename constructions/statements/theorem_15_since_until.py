"""Theorem 15: ``since`` and ``until`` by tie-broken attention.

Source      [SHA] Theorem 15 (Section 4.2), cases (a) temperature 1/n and (b) position embeddings with n.
Claim       One future-masked (past-masked) head holds ``left since right`` (``left until right``) with error at most
            1/4 at every position: it selects the nearest j where ¬left ∨ right and returns left ∧ right there; if there
            is no such j every value is 0.
Uses        Lemma 8 b (since), Lemma 8 c (until), Lemma 9.
Differs     nowhere. Note that Definition 14 is inclusive: left must also hold at the witness.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction

from constructions.draft import ONE, Draft
from constructions.language.syntax import And, Implies, Since, Until
from constructions.network.meanings import Near
from constructions.statements.boolean_connectives import require_truth
from constructions.statements.lemma_08_tie_breaking import TieBrokenHead, TieWinner, add_tie_broken_head
from constructions.statements.lemma_09_rounding import rounding_units

AddHead = Callable[[Draft, TieBrokenHead, Mapping[str, Near]], None]
"""A function that adds the head of a plan, which writes directions of these meanings."""


def add_since_or_until(draft: Draft, formula: Since | Until, source: str = "", add_head: AddHead = add_tie_broken_head,
                       ) -> str:
    """Return ``is[left since right]`` or ``is[left until right]``; the operands' directions must exist."""
    side = TieWinner.RIGHTMOST if isinstance(formula, Since) else TieWinner.LEFTMOST
    decides = require_truth(draft, Implies(formula.left, formula.right))
    holds = require_truth(draft, And(formula.left, formula.right))
    near = draft.spell("near", formula)
    plan = TieBrokenHead(f"{side.value} deciding position", source or f"Theorem 15{draft.regime.case}", side,
                         {decides: ONE}, {near: {holds: ONE}})
    add_head(draft, plan, {near: Near(formula)})
    return draft.add_truth(formula, rounding_units(near), Fraction(0))
